package plot

import (
	"encoding/json"
	"testing"
)

func TestDataForTheScript(t *testing.T) {
	const noon = 1767268800
	ready := []Point{{noon, 2}, {noon + 60, 3}}
	p := Page{Panels: []Panel{{
		Unit: "replicas", Axis: Unix,
		Series: []Series{
			{Name: "ready", Kind: StackedStep, Role: OK, Points: ready},
			{Name: "starting", Kind: StackedStep, Points: []Point{{noon, 1}, {noon + 60, unknown}}},
			{Name: "usual", Kind: Band, Points: ready, Low: []float64{1.0 / 3, 2}},
			{Name: "never", Kind: Points},
		},
		Marks: []Mark{{noon + 30, "2→3", "the queue", Warn}, {unknown, "nowhere", "", Auto}},
	}}}
	got, err := hoverData(newFrames(p.Panels))
	if err != nil {
		t.Fatal(err)
	}
	// A value of a stack is its own, not the height it reaches. Series with equal x share them.
	const want = `{"xs":[[0,60],[]],"panels":[{"unit":"replicas","unix":true,"log":false,"from":1767268800,"to":1767268860,` +
		`"series":[{"name":"ready","class":"ok","between":"held","x":0,"y":[2,3]},` +
		`{"name":"starting","class":"c0","between":"held","x":0,"y":[1,null]},` +
		`{"name":"usual","class":"c1","between":"joined","x":0,"y":[2,3],"low":[0.33333,2]},` +
		`{"name":"never","class":"c2","between":"","x":1,"y":[]}],` +
		`"marks":[{"x":30,"label":"2→3","text":"the queue","class":"warn"}]}]}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOffsetsAreShortAndExactEnough(t *testing.T) {
	tests := map[string]struct {
		length, at float64
		want       string
	}{
		"within seconds":        {1, 0.123456, "[0.12346]"},
		"within minutes":        {1500, 1234.56, "[1234.6]"},
		"within a day":          {86400, 43210.9, "[43211]"},
		"within years":          {1e9, 123456789.4, "[123456789]"},
		"whole seconds stay so": {86400, 300, "[300]"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := frame{x: span{100, 100 + tt.length}}
			got, err := json.Marshal(numbers{f.offset(100 + tt.at)})
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}
