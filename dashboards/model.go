package dashboards

import (
	"bytes"
	"encoding/json"
)

// A Dashboard is Grafana's classic JSON model, as far as the dashboards here use it. The
// classic model is read by every Grafana since version 8.
type Dashboard struct {
	// Name is that of its file, without what says which kind of file.
	Name          string     `json:"-"`
	UID           string     `json:"uid"`
	Title         string     `json:"title"`
	Description   string     `json:"description"`
	Tags          []string   `json:"tags"`
	Editable      bool       `json:"editable"`
	GraphTooltip  int        `json:"graphTooltip"`
	Refresh       string     `json:"refresh"`
	SchemaVersion int        `json:"schemaVersion"`
	Time          Span       `json:"time"`
	Links         []Link     `json:"links"`
	Templating    Templating `json:"templating"`
	Panels        []Panel    `json:"panels"`
}

// A Link on top of a dashboard leads to the other dashboards with its tags, with the same
// time and variables.
type Link struct {
	Title       string   `json:"title"`
	Type        string   `json:"type"`
	Tags        []string `json:"tags"`
	IncludeVars bool     `json:"includeVars"`
	KeepTime    bool     `json:"keepTime"`
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
	// Transformations turn the answers into what a table shows, one after the other.
	Transformations []Transformation `json:"transformations,omitempty"`
}

// A Transformation is one step between answers and panel.
type Transformation struct {
	ID      string            `json:"id"`
	Options *TransformOptions `json:"options"`
}

// TransformOptions order and name the columns of a table; empty for other transformations.
type TransformOptions struct {
	ExcludeByName map[string]bool   `json:"excludeByName,omitempty"`
	IndexByName   map[string]int    `json:"indexByName,omitempty"`
	RenameByName  map[string]string `json:"renameByName,omitempty"`
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
	Instant bool `json:"instant,omitempty"`
	// Format is "table" where each label is to be a column.
	Format     string      `json:"format,omitempty"`
	Datasource *Datasource `json:"datasource"`
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
