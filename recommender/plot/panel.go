package plot

// A Panel is one picture: series over time with their thresholds and marks.
type Panel struct {
	Title, Description string
	// Unit is of y. The units "s", "bytes", "%" and "ratio" (0 to 1, shown in percent) are
	// part of every number; any other is shown once, beside the title.
	Unit       string
	Axis       Axis
	Width      Width
	Log        bool
	Series     []Series
	Thresholds []Threshold
	Marks      []Mark
}

// An Axis says what x is.
type Axis int

// Axes.
const (
	// Elapsed is seconds since the start.
	Elapsed Axis = iota
	// Unix is seconds since 1970, shown in UTC.
	Unix
)

// A Width is that of a panel on a page.
type Width int

// Widths.
const (
	// Full is the whole width of the page.
	Full Width = iota
	// Half leaves room for another panel beside it.
	Half
)

// A Kind is how a series is drawn.
type Kind int

// Kinds.
const (
	// Line joins the points.
	Line Kind = iota
	// Step holds every value until the next point.
	Step
	// Area is a line, filled down to zero.
	Area
	// StackedStep holds every value, on top of the stacked series before it. Before its
	// first point and behind its last a series is no part of the stack; within a gap the
	// height is unknown, its own and of all that stand on it.
	StackedStep
	// Points are drawn one by one.
	Points
	// Band is filled from Low to Y.
	Band
)

// A Role is what a colour means. The zero value is no meaning: the next colour in turn.
type Role int

// Roles.
const (
	Auto Role = iota
	OK
	Warn
	Bad
	// Muted is in the background.
	Muted
	// Strong is the colour of the text.
	Strong
)

// class is the colour's name in the style sheet.
func (r Role) class() string {
	switch r {
	case OK:
		return "ok"
	case Warn:
		return "warn"
	case Bad:
		return "bad"
	case Muted:
		return "muted"
	default:
		return "strong"
	}
}

// A Series is values over time under one name.
type Series struct {
	Name string
	Kind Kind
	Role Role
	// Points need no order. A Y that is not a number is a gap, and its X still a part of the
	// axis; a point whose X is not a number, or is beyond ±1e11, is left out.
	Points []Point
	// Low is the lower edge of a band, one for each point; a missing one is a gap.
	Low []float64
}

// A Point is a value at a time.
type Point struct{ X, Y float64 }

// A Threshold is a horizontal line.
type Threshold struct {
	Label string
	Y     float64
	Role  Role
}

// A Mark is something that happened at a time.
type Mark struct {
	X float64
	// Label is short, and drawn where there is room; Text is shown on hover.
	Label, Text string
	Role        Role
}
