package plot

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestLabelsOfMarksDoNotTouch(t *testing.T) {
	tests := map[string]struct {
		marks []Mark
		want  string
	}{
		"far from each other":         {[]Mark{{X: 100, Label: "a"}, {X: 500, Label: "b"}}, "[true true]"},
		"the first of two neighbours": {[]Mark{{X: 101, Label: "2→3"}, {X: 100, Label: "1→2"}}, "[false true]"},
		"background yields":           {[]Mark{{X: 100, Label: "hold", Role: Muted}, {X: 101, Label: "1→2"}}, "[false true]"},
		"no label":                    {[]Mark{{X: 100}, {X: 100, Label: "a"}}, "[false true]"},
		"at both edges":               {[]Mark{{X: 0, Label: "start"}, {X: 1000, Label: "finish"}}, "[true true]"},
		"longer than the panel":       {[]Mark{{X: 500, Label: strings.Repeat("long ", 60)}}, "[false]"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := frameOf(Panel{Marks: tt.marks, Series: []Series{{Points: []Point{{0, 1}, {1000, 1}}}}})
			if got := fmt.Sprint(namedMarks(f)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestEveryMarkHasItsTextOnHover(t *testing.T) {
	got := fileOf(t, &Panel{Marks: []Mark{
		{X: 1, Label: "1→2", Text: "metric: the queue"},
		{X: 2, Label: "only a label"},
		{X: 2, Text: "only a text"},
	}})
	for _, want := range []string{"1→2: metric: the queue", "only a label", "only a text"} {
		if !strings.Contains(got, "<title>"+want+"</title>") {
			t.Errorf("got no title %q in %s", want, got)
		}
	}
}

func TestLabelsOfThresholdsDoNotTouch(t *testing.T) {
	got := fileOf(t, &Panel{
		Series: []Series{{Points: []Point{{0, 0}, {1, 10}}}},
		Thresholds: []Threshold{
			{Label: "objective", Y: 9}, {Label: "warning", Y: 9.1}, {Label: "top", Y: 10}, {Label: "far", Y: 2},
		},
	})
	found := regexp.MustCompile(`class="halo end"[^>]* y="([0-9.]+)">([a-z]+)<`).FindAllStringSubmatch(got, -1)
	var all []string
	for _, m := range found {
		all = append(all, m[2]+" "+m[1])
	}
	// Baselines from the top: at least a line apart, and within the plot.
	if got, want := strings.Join(all, ", "), "top 13, warning 29.2, objective 44.2, far 140"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestNoDataIsSaid(t *testing.T) {
	empty := Series{Name: "held", Points: []Point{{1, unknown}}}
	known := Series{Name: "waiting", Points: []Point{{1, 0}}}
	tests := map[string]struct {
		series        []Series
		panel, legend bool
	}{
		"no series":          {nil, true, false},
		"an unknown series":  {[]Series{empty}, true, true},
		"one of two unknown": {[]Series{empty, known}, false, true},
		"zero is data":       {[]Series{known}, false, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := fileOf(t, &Panel{Series: tt.series})
			if said := strings.Contains(got, ">no data<"); said != tt.panel {
				t.Errorf("panel: got %v, want %v", said, tt.panel)
			}
			if said := strings.Contains(got, "held (no data)"); said != tt.legend {
				t.Errorf("legend: got %v, want %v", said, tt.legend)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	for _, line := range wrap("Every word of this sentence stays whole and every line stays short.", 100) {
		if textWidth(line) > 100 {
			t.Errorf("got %q, %g pixels wide, want at most 100", line, textWidth(line))
		}
	}
	long := strings.Repeat("x", 50)
	if got := wrap("a "+long+" b", 100); len(got) != 3 || got[1] != long {
		t.Errorf("got %q, want the long word alone", got)
	}
	if got := wrap("  ", 100); len(got) != 0 {
		t.Errorf("got %q, want no lines", got)
	}
}
