package dashboards

import (
	"bytes"
	"encoding/json"
)

// A Dashboard is Grafana's classic JSON model, as far as the dashboards here use it. The
// classic model is read by every Grafana since version 8.
type Dashboard struct {
	UID           string     `json:"uid"`
	Title         string     `json:"title"`
	Description   string     `json:"description"`
	Tags          []string   `json:"tags"`
	Editable      bool       `json:"editable"`
	GraphTooltip  int        `json:"graphTooltip"`
	Refresh       string     `json:"refresh"`
	SchemaVersion int        `json:"schemaVersion"`
	Time          Span       `json:"time"`
	Templating    Templating `json:"templating"`
	Panels        []Panel    `json:"panels"`
}

// A Span is the part of time that a dashboard opens with.
type Span struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Templating holds the variables in the order of the selectors on top of the dashboard.
type Templating struct {
	List []Variable `json:"list"`
}

// A Variable is one selector on top of the dashboard.
type Variable struct {
	Name       string      `json:"name"`
	Label      string      `json:"label"`
	Type       string      `json:"type"`
	Query      string      `json:"query"`
	Datasource *Datasource `json:"datasource,omitempty"`
	Multi      bool        `json:"multi,omitempty"`
	IncludeAll bool        `json:"includeAll,omitempty"`
	AllValue   string      `json:"allValue,omitempty"`
	Current    *Choice     `json:"current,omitempty"`
	// Refresh is 2 for "when the time range changes".
	Refresh int `json:"refresh,omitempty"`
	// Sort is 1 for alphabetical, ascending.
	Sort int `json:"sort,omitempty"`
}

// A Choice is what a variable holds when the dashboard opens.
type Choice struct {
	Text  string `json:"text"`
	Value string `json:"value"`
}

// A Datasource names where a panel or variable reads.
type Datasource struct {
	Type string `json:"type"`
	UID  string `json:"uid"`
}

// A Panel is one graph, one number, or a row that heads the panels below it.
type Panel struct {
	ID          int          `json:"id"`
	Type        string       `json:"type"`
	Title       string       `json:"title"`
	Description string       `json:"description,omitempty"`
	Grid        Grid         `json:"gridPos"`
	Datasource  *Datasource  `json:"datasource,omitempty"`
	Targets     []Target     `json:"targets,omitempty"`
	FieldConfig *FieldConfig `json:"fieldConfig,omitempty"`
	Options     *Options     `json:"options,omitempty"`
}

// A Grid is a panel's place: the page is 24 columns wide.
type Grid struct {
	X int `json:"x"`
	Y int `json:"y"`
	W int `json:"w"`
	H int `json:"h"`
}

// A Target is one query of a panel.
type Target struct {
	RefID  string `json:"refId"`
	Expr   string `json:"expr"`
	Legend string `json:"legendFormat,omitempty"`
	// Instant asks for one point at the end of the span.
	Instant    bool        `json:"instant,omitempty"`
	Datasource *Datasource `json:"datasource"`
}

// FieldConfig says how values are shown.
type FieldConfig struct {
	Defaults  Defaults   `json:"defaults"`
	Overrides []Override `json:"overrides"`
}

// Defaults are how all series of a panel are shown.
type Defaults struct {
	Unit       string      `json:"unit"`
	Min        *float64    `json:"min,omitempty"`
	Max        *float64    `json:"max,omitempty"`
	Thresholds *Thresholds `json:"thresholds,omitempty"`
	Custom     *Custom     `json:"custom,omitempty"`
}

// Custom is how a graph draws its series.
type Custom struct {
	// DrawStyle and LineInterpolation are empty where the panel is not a graph.
	DrawStyle         string `json:"drawStyle,omitempty"`
	LineInterpolation string `json:"lineInterpolation,omitempty"`
	LineWidth         int    `json:"lineWidth,omitempty"`
	FillOpacity       int    `json:"fillOpacity"`
	// SpanNulls is false: a gap is an unknown value and stays one.
	SpanNulls       bool             `json:"spanNulls"`
	ThresholdsStyle *ThresholdsStyle `json:"thresholdsStyle,omitempty"`
}

// ThresholdsStyle is how thresholds are drawn: "line" in a graph.
type ThresholdsStyle struct {
	Mode string `json:"mode"`
}

// Thresholds colour values from each step on.
type Thresholds struct {
	Mode  string `json:"mode"`
	Steps []Step `json:"steps"`
}

// A Step is the colour from a value on; nil is from the lowest.
type Step struct {
	Color string   `json:"color"`
	Value *float64 `json:"value"`
}

// An Override shows the series whose names match otherwise than the rest.
type Override struct {
	Matcher    Matcher    `json:"matcher"`
	Properties []Property `json:"properties"`
}

// A Matcher selects series, here by a regular expression over their names.
type Matcher struct {
	ID      string `json:"id"`
	Options string `json:"options"`
}

// A Property is one setting of an Override.
type Property struct {
	ID    string `json:"id"`
	Value any    `json:"value"`
}

// Options are the settings of a panel's kind.
type Options struct {
	Legend        *Legend        `json:"legend,omitempty"`
	Tooltip       *Tooltip       `json:"tooltip,omitempty"`
	ColorMode     string         `json:"colorMode,omitempty"`
	ReduceOptions *ReduceOptions `json:"reduceOptions,omitempty"`
	ShowValue     string         `json:"showValue,omitempty"`
}

// A Legend lists the series of a graph.
type Legend struct {
	DisplayMode string   `json:"displayMode"`
	Placement   string   `json:"placement"`
	Calcs       []string `json:"calcs"`
	ShowLegend  bool     `json:"showLegend"`
}

// A Tooltip shows the values under the pointer.
type Tooltip struct {
	Mode string `json:"mode"`
	Sort string `json:"sort"`
}

// ReduceOptions make one number of a series.
type ReduceOptions struct {
	Calcs []string `json:"calcs"`
}

// JSON is the dashboard as Grafana imports it.
func (d Dashboard) JSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(d)
	return b.Bytes(), err
}
