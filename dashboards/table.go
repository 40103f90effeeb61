package dashboards

// A column of a table is one query with a value for each row.
type column struct {
	title, unit, expr string
	// steps colour the cells.
	steps []Step
}

// table is a panel with a row for each set of labels that the columns share. Labels are the
// first columns, each with its title. Labels that only one query has are columns as well.
func table(title, description string, labels [][2]string, columns ...column) Panel {
	p := Panel{
		Type: "table", Title: title, Description: description,
		Grid:        Grid{W: 24, H: 8},
		Datasource:  source(),
		FieldConfig: &FieldConfig{Defaults: Defaults{Unit: "none"}, Overrides: []Override{}},
		Options:     &Options{ShowHeader: true},
	}
	names := &TransformOptions{
		ExcludeByName: map[string]bool{"Time": true},
		IndexByName:   map[string]int{},
		RenameByName:  map[string]string{},
	}
	for i, label := range labels {
		names.IndexByName[label[0]], names.RenameByName[label[0]] = i, label[1]
	}
	for i, c := range columns {
		q := query(c.expr, "")
		q.Instant, q.Format = true, "table"
		p.Targets = letters(append(p.Targets, q))
		value := "Value #" + p.Targets[i].RefID
		if c.title == "" {
			names.ExcludeByName[value] = true
			continue
		}
		names.IndexByName[value], names.RenameByName[value] = len(labels)+i, c.title
		p = p.cells(c)
	}
	p.Transformations = []Transformation{{ID: "merge", Options: &TransformOptions{}}, {ID: "organize", Options: names}}
	return p
}

// cells shows a column in its unit and colours.
func (p Panel) cells(c column) Panel {
	properties := []Property{{"unit", c.unit}}
	if c.steps != nil {
		properties = append(properties,
			Property{"thresholds", thresholds(c.steps)},
			Property{"custom.cellOptions", map[string]string{"type": "color-text"}})
	}
	p.FieldConfig.Overrides = append(p.FieldConfig.Overrides, Override{
		Matcher: Matcher{ID: "byName", Options: c.title}, Properties: properties,
	})
	return p
}

// leading makes the cells of a column lead to an address.
func (p Panel) leading(column, title, address string) Panel {
	p.FieldConfig.Overrides = append(p.FieldConfig.Overrides, Override{
		Matcher:    Matcher{ID: "byName", Options: column},
		Properties: []Property{{"links", []map[string]string{{"title": title, "url": address}}}},
	})
	return p
}
