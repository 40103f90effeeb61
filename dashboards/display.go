package dashboards

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
	Decimals   *int        `json:"decimals,omitempty"`
	Color      *Color      `json:"color,omitempty"`
	Thresholds *Thresholds `json:"thresholds,omitempty"`
	Mappings   []Mapping   `json:"mappings,omitempty"`
	Custom     *Custom     `json:"custom,omitempty"`
}

// A Color says where the colour of a series comes from: "thresholds" or "fixed".
type Color struct {
	Mode       string `json:"mode"`
	FixedColor string `json:"fixedColor,omitempty"`
}

// A Mapping shows values as words.
type Mapping struct {
	Type    string          `json:"type"`
	Options map[string]Word `json:"options"`
}

// A Word stands for a value; Index is its place among the others.
type Word struct {
	Text  string `json:"text"`
	Color string `json:"color"`
	Index int    `json:"index"`
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
	// ScaleDistribution is that of the axis; nil is linear.
	ScaleDistribution *ScaleDistribution `json:"scaleDistribution,omitempty"`
	// Stacking puts the series on top of each other.
	Stacking *Stacking `json:"stacking,omitempty"`
}

// A ScaleDistribution is "log" to a base.
type ScaleDistribution struct {
	Type string `json:"type"`
	Log  int    `json:"log"`
}

// Stacking is how series are stacked: "normal" adds them.
type Stacking struct {
	Mode  string `json:"mode"`
	Group string `json:"group"`
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
	ShowHeader    bool           `json:"showHeader,omitempty"`
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
