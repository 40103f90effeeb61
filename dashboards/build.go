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
func each(metric string, by ...string) string { return eachWith(metric, "", by...) }

// eachWith reads only the series that a further matcher selects.
func eachWith(metric, matcher string, by ...string) string {
	labels := append([]string{"workload_namespace", "workload"}, by...)
	if matcher != "" {
		matcher = ", " + matcher
	}
	return "max by (" + strings.Join(labels, ", ") + ") (" + metric + "{" + workloads + matcher + "})"
}

// perSecond is the rate of a counter of the daemon, summed by the labels.
func perSecond(counter string, by ...string) string {
	return "sum by (" + strings.Join(by, ", ") + ") (rate(" + counter + "{" + own + "}[$__rate_interval]))"
}

// ofProcess keeps of what any program exports the series of the daemon: with all jobs
// chosen, the selection alone would take those of the whole Prometheus.
func ofProcess(series string) string {
	return series + " and on (job, instance) infscale_build_info{" + own + "}"
}

// recorded reads a metric that the recording rules write. Their labels are those of the
// workload, the daemon has no part in them.
func recorded(metric string) string {
	return "max by (namespace, workload) (" + metric + `{namespace=~"$workload_namespace", workload=~"$workload"})`
}

// inRange is the sum over the time on the screen, in hours.
func inRange(replicas string) string {
	return "sum_over_time((" + replicas + ")[$__range:$__interval]) * $__interval_ms / 3.6e6"
}

// named is the name of a series of one workload among others.
const named = "{{workload_namespace}}/{{workload}}"

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

// age is a panel of how long ago a decision was made, in the intervals of who makes them: how
// many seconds are late depends on those.
func age(title, description, since string) Panel {
	return number(title, description, "suffix:intervals",
		"("+since+") / max(infscale_evaluation_interval_seconds{"+own+"})",
		lowest("green"), from(4, "orange"), from(8, "red"))
}

// mayMiss is the share of the requests that the objective lets miss.
func mayMiss() string { return "1 - " + each("infscale_slo_objective_ratio") }

// graph is a panel of lines over time that starts at zero. Replicas and other whole numbers,
// which have no unit, are drawn as steps.
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

// states is a panel with one bar per series, in the colour of the word that stands for its
// value.
func states(title, description string, words map[string]Word, targets ...Target) Panel {
	return Panel{
		Type: "state-timeline", Title: title, Description: description,
		Grid:       Grid{W: 24, H: 8},
		Datasource: source(),
		Targets:    letters(targets),
		FieldConfig: &FieldConfig{
			Defaults: Defaults{
				Unit: "none", Color: &Color{Mode: "thresholds"},
				Mappings: []Mapping{{Type: "value", Options: words}},
				Custom:   &Custom{FillOpacity: 80},
			},
			Overrides: []Override{},
		},
		Options: &Options{
			Legend:    &Legend{DisplayMode: "list", Placement: "bottom", Calcs: []string{}, ShowLegend: true},
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

// stacked puts the series on top of each other, filled: their sum means something.
func (p Panel) stacked() Panel {
	c := p.FieldConfig.Defaults.Custom
	c.FillOpacity, c.Stacking = 40, &Stacking{Mode: "normal", Group: "A"}
	return p
}

// logarithmic draws what spans several powers of ten. Such an axis has no zero.
func (p Panel) logarithmic() Panel {
	d := &p.FieldConfig.Defaults
	d.Min, d.Custom.ScaleDistribution = nil, &ScaleDistribution{Type: "log", Log: 10}
	return p
}

// lined draws the values from which on something is wrong as lines.
func (p Panel) lined(steps ...Step) Panel {
	d := &p.FieldConfig.Defaults
	d.Thresholds, d.Custom.ThresholdsStyle = thresholds(steps), &ThresholdsStyle{Mode: "dashed"}
	return p
}

// with shows the series whose names match otherwise than the rest.
func (p Panel) with(pattern string, properties ...Property) Panel {
	p.FieldConfig.Overrides = append(p.FieldConfig.Overrides, Override{
		Matcher:    Matcher{ID: "byRegexp", Options: pattern},
		Properties: properties,
	})
	return p
}

// dashed draws the series whose names match as dashes: they are bounds, not measurements.
func (p Panel) dashed(pattern string) Panel {
	return p.with(pattern,
		Property{"custom.lineStyle", map[string]any{"fill": "dash", "dash": []int{8, 8}}},
		Property{"custom.fillOpacity", 0},
		Property{"custom.stacking", Stacking{Mode: "none", Group: "A"}})
}

// coloured gives the series whose names match a colour of their own.
func (p Panel) coloured(pattern, color string) Panel {
	return p.with(pattern, Property{"color", Color{Mode: "fixed", FixedColor: color}})
}

// from is a step that colours the values from v on.
func from(v float64, color string) Step { return Step{Color: color, Value: &v} }

// lowest is the step that colours the values below every other.
func lowest(color string) Step { return Step{Color: color} }

func thresholds(steps []Step) *Thresholds {
	return &Thresholds{Mode: "absolute", Steps: steps}
}
