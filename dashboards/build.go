package dashboards

import "strings"

const (
	columns = 24
	// rowHeight is that of a row's title.
	rowHeight = 1
)

// A section is a question of the dashboard and the panels that answer it.
type section struct {
	question string
	panels   []Panel
}

// arrange gives every panel its number and place: each section starts with its question as
// a row, its panels follow from left to right.
func arrange(sections []section) []Panel {
	var all []Panel
	y := 0
	add := func(p Panel, x int) {
		p.ID = len(all) + 1
		p.Grid.X, p.Grid.Y = x, y
		all = append(all, p)
	}
	for _, s := range sections {
		add(Panel{Type: "row", Title: s.question, Grid: Grid{W: columns, H: rowHeight}}, 0)
		y += rowHeight
		x, height := 0, 0
		for _, p := range s.panels {
			if x+p.Grid.W > columns {
				x, y, height = 0, y+height, 0
			}
			add(p, x)
			x += p.Grid.W
			height = max(height, p.Grid.H)
		}
		y += height
	}
	return all
}

// source is the Prometheus chosen on top of the dashboard.
func source() *Datasource {
	return &Datasource{Type: "prometheus", UID: "${datasource}"}
}

// own selects the series of the daemon itself, of those its workloads have; both are
// written into expressions as {own} and {workloads}.
const (
	own       = `job=~"$job", instance=~"$instance"`
	workloads = own + `, workload_namespace=~"$workload_namespace", workload=~"$workload"`
)

// each reads a metric per workload. Twins decide alike, so the largest of theirs is the one
// value; other labels to keep are named in by.
func each(metric string, by ...string) string {
	labels := append([]string{"workload_namespace", "workload"}, by...)
	return "max by (" + strings.Join(labels, ", ") + ") (" + metric + "{" + workloads + "})"
}

// perSecond is the rate of a counter of the daemon, summed by the labels.
func perSecond(counter string, by ...string) string {
	return "sum by (" + strings.Join(by, ", ") + ") (rate(" + counter + "{" + own + "}[$__rate_interval]))"
}

// legend is the name of a series of one workload.
func legend(what string) string {
	return "{{workload_namespace}}/{{workload}} " + what
}

func query(expr, legend string) Target {
	return Target{Expr: expr, Legend: legend, Datasource: source()}
}

// letters gives the targets their names: A, B and so on.
func letters(targets []Target) []Target {
	for i := range targets {
		targets[i].RefID = string(rune('A' + i))
	}
	return targets
}

// number is a panel of one number, coloured from the thresholds on.
func number(title, description, unit, expr string, steps ...Step) Panel {
	target := query(expr, "")
	target.Instant = true
	return Panel{
		Type: "stat", Title: title, Description: description,
		Grid:       Grid{W: 6, H: 4},
		Datasource: source(),
		Targets:    letters([]Target{target}),
		FieldConfig: &FieldConfig{
			Defaults:  Defaults{Unit: unit, Thresholds: thresholds(steps)},
			Overrides: []Override{},
		},
		Options: &Options{ColorMode: "value", ReduceOptions: &ReduceOptions{Calcs: []string{"lastNotNull"}}},
	}
}

// graph is a panel of lines over time that starts at zero. Replicas and other whole numbers
// are drawn as steps.
func graph(title, description, unit string, targets ...Target) Panel {
	custom := &Custom{DrawStyle: "line", LineInterpolation: "linear", LineWidth: 1, FillOpacity: 0}
	if unit == "none" {
		custom.LineInterpolation = "stepAfter"
	}
	return Panel{
		Type: "timeseries", Title: title, Description: description,
		Grid:       Grid{W: 12, H: 8},
		Datasource: source(),
		Targets:    letters(targets),
		FieldConfig: &FieldConfig{
			Defaults:  Defaults{Unit: unit, Min: new(0.0), Custom: custom},
			Overrides: []Override{},
		},
		Options: &Options{
			Legend:  &Legend{DisplayMode: "table", Placement: "bottom", Calcs: []string{"lastNotNull", "max"}, ShowLegend: true},
			Tooltip: &Tooltip{Mode: "multi", Sort: "desc"},
		},
	}
}

// states is a panel with one bar per series, drawn while the series has a value.
func states(title, description string, targets ...Target) Panel {
	return Panel{
		Type: "state-timeline", Title: title, Description: description,
		Grid:       Grid{W: 24, H: 8},
		Datasource: source(),
		Targets:    letters(targets),
		FieldConfig: &FieldConfig{
			Defaults:  Defaults{Unit: "none", Custom: &Custom{FillOpacity: 70}},
			Overrides: []Override{},
		},
		Options: &Options{
			Legend:    &Legend{DisplayMode: "list", Placement: "bottom", Calcs: []string{}, ShowLegend: false},
			ShowValue: "never",
		},
	}
}

func (p Panel) sized(w, h int) Panel {
	p.Grid.W, p.Grid.H = w, h
	return p
}

// share bounds the axis of a ratio at 1.
func (p Panel) share() Panel {
	p.FieldConfig.Defaults.Max = new(1.0)
	return p
}

// dashed draws the series whose names match as dashes: they are bounds, not measurements.
func (p Panel) dashed(pattern string) Panel {
	p.FieldConfig.Overrides = append(p.FieldConfig.Overrides, Override{
		Matcher: Matcher{ID: "byRegexp", Options: pattern},
		Properties: []Property{
			{ID: "custom.lineStyle", Value: map[string]any{"fill": "dash", "dash": []int{8, 8}}},
		},
	})
	return p
}

// from is a step that colours the values from v on.
func from(v float64, color string) Step { return Step{Color: color, Value: &v} }

// lowest is the step that colours the values below every other.
func lowest(color string) Step { return Step{Color: color} }

func thresholds(steps []Step) *Thresholds {
	return &Thresholds{Mode: "absolute", Steps: steps}
}

// chooser is a variable whose choices are the values of a label.
func chooser(name, label, query string) Variable {
	return Variable{
		Name: name, Label: label, Type: "query", Query: query,
		Datasource: source(),
		Multi:      true, IncludeAll: true, AllValue: ".+",
		Current: &Choice{Text: "All", Value: "$__all"},
		Refresh: 2, Sort: 1,
	}
}
