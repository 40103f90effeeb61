package plot

import (
	"encoding/json"
	"math"
	"strconv"
)

// What the script reads. Names are short because they return for every series.
type (
	hoverPage struct {
		// Xs are the x of series, in seconds from the start of their axis; series that
		// were sampled together share one list.
		Xs     []numbers    `json:"xs"`
		Panels []hoverPanel `json:"panels"`
	}
	hoverPanel struct {
		Unit   string        `json:"unit"`
		Unix   bool          `json:"unix"`
		Log    bool          `json:"log"`
		From   float64       `json:"from"`
		To     float64       `json:"to"`
		Series []hoverSeries `json:"series"`
		Marks  []hoverMark   `json:"marks"`
	}
	hoverSeries struct {
		Name  string `json:"name"`
		Class string `json:"class"`
		// Between is what is known between two points: the first value is "held", the two
		// are "joined", or nothing.
		Between string  `json:"between"`
		X       int     `json:"x"`
		Y       numbers `json:"y"`
		Low     numbers `json:"low,omitempty"`
	}
	hoverMark struct {
		X     float64 `json:"x"`
		Label string  `json:"label"`
		Text  string  `json:"text"`
		Class string  `json:"class"`
	}
)

// numbers are written as short as they are still exact; gaps as null.
type numbers []float64

// MarshalJSON implements [json.Marshaler].
func (n numbers) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for i, v := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, v)
	}
	return append(b, ']'), nil
}

func appendNumber(b []byte, v float64) []byte {
	switch {
	case math.IsNaN(v):
		return append(b, "null"...)
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		return strconv.AppendFloat(b, v+0, 'f', -1, 64)
	default:
		return strconv.AppendFloat(b, v, 'g', -1, 64)
	}
}

// readable is v to five digits, whole numbers exactly.
func readable(v float64) float64 {
	if v == math.Trunc(v) || math.IsNaN(v) {
		return v
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	if err != nil {
		return v
	}
	return short
}

func hoverData(frames []frame) ([]byte, error) {
	page := hoverPage{Xs: []numbers{}, Panels: []hoverPanel{}}
	shared := map[string]int{}
	for i := range frames {
		f := &frames[i]
		p := hoverPanel{
			Unit: f.panel.Unit, Unix: f.panel.Axis == Unix, Log: f.panel.Log, From: f.x.from, To: f.x.to,
			Series: []hoverSeries{}, Marks: hoverMarks(f),
		}
		for j := range f.layers {
			l := &f.layers[j]
			xs := f.offsets(l.items)
			key := string(mustNumbers(xs))
			if _, ok := shared[key]; !ok {
				shared[key] = len(page.Xs)
				page.Xs = append(page.Xs, xs)
			}
			p.Series = append(p.Series, hoverSeriesOf(l, shared[key]))
		}
		page.Panels = append(page.Panels, p)
	}
	return json.Marshal(page)
}

func mustNumbers(n numbers) []byte {
	b, _ := n.MarshalJSON() // it has no error to return
	return b
}

func hoverMarks(f *frame) []hoverMark {
	marks := []hoverMark{}
	for _, k := range f.panel.Marks {
		if drawableX(k.X) {
			marks = append(marks, hoverMark{f.offset(k.X), k.Label, k.Text, k.Role.class()})
		}
	}
	return marks
}

func hoverSeriesOf(l *layer, x int) hoverSeries {
	kind := l.series.Kind
	s := hoverSeries{
		Name: l.series.Name, Class: l.class, Between: between(kind), X: x,
		Y: make(numbers, len(l.items)),
	}
	for i, it := range l.items {
		s.Y[i] = readable(it.high)
		if kind == StackedStep {
			s.Y[i] = readable(it.high - it.low)
		}
		if kind == Band {
			s.Low = append(s.Low, readable(it.low))
		}
	}
	return s
}

func between(k Kind) string {
	switch k {
	case Step, StackedStep:
		return "held"
	case Points:
		return ""
	default:
		return "joined"
	}
}

func (f *frame) offsets(all []item) numbers {
	xs := make(numbers, len(all))
	for i, it := range all {
		xs[i] = f.offset(it.x)
	}
	return xs
}

// offset is x from the start of the axis, rounded to less than a tenth of a pixel, and to
// no more than whole seconds.
func (f *frame) offset(x float64) float64 {
	decimals := math.Ceil(-math.Log10(f.x.length() / 12000))
	unit := math.Pow(10, min(max(decimals, 0), 6))
	return math.Round((x-f.x.from)*unit) / unit
}
