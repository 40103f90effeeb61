package plot

import (
	"encoding/binary"
	"math"
	"testing"
)

// FuzzWrite draws panels made from bytes: whatever the numbers, the pictures are well-formed
// and no coordinate is one that does not exist.
func FuzzWrite(f *testing.F) {
	extremes := []float64{
		0, math.Copysign(0, -1), 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64,
		math.SmallestNonzeroFloat64, 1e290, -1e290, 1e-290, 1e11, -1e11, 1767268800, 1767268800.5, 1e15,
	}
	seed := func(values ...float64) []byte {
		var b []byte
		for _, v := range values {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
		return b
	}
	for _, a := range extremes {
		for _, b := range extremes {
			f.Add(seed(a, b), uint8(len(extremes)), "name")
			f.Add(seed(b, a, a, b, b, b, a, a), uint8(255), hostile)
		}
	}
	f.Add([]byte{}, uint8(0), "")
	f.Fuzz(func(t *testing.T, data []byte, options uint8, name string) {
		p := fuzzPage(data, options, name)
		page := pageOf(t, p)
		checkSVGs(t, page)
		dataOf(t, page)
		for i := range p.Panels {
			checkXML(t, fileOf(t, &p.Panels[i]))
		}
	})
}

func fuzzPage(data []byte, options uint8, name string) *Page {
	var values []float64
	for len(data) >= 8 {
		values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(data)))
		data = data[8:]
	}
	panel := Panel{
		Title: name, Unit: []string{"", "s", "bytes", "%", "ratio", name}[options%6],
		Axis: Axis(options & 1), Width: Width(options >> 1 & 1), Log: options&4 != 0,
	}
	for kind := Line; kind <= Band; kind++ {
		s := Series{Name: name, Kind: kind}
		for i := 0; i+1 < len(values); i += 2 {
			s.Points = append(s.Points, Point{values[i], values[i+1]})
			s.Low = append(s.Low, values[len(values)-1-i])
		}
		panel.Series = append(panel.Series, s)
	}
	if len(values) > 0 && options&8 != 0 {
		panel.Thresholds = []Threshold{{name, values[0], Bad}, {name, values[len(values)-1], OK}}
	}
	if len(values) > 0 && options&16 != 0 {
		panel.Marks = []Mark{{values[0], name, name, Muted}, {values[len(values)-1], name, "", Auto}}
	}
	flipped := panel
	flipped.Log, flipped.Axis = !panel.Log, 1-panel.Axis
	return &Page{Panels: []Panel{panel, flipped}}
}
