package plot_test

import (
	"fmt"
	"math"
	"strings"

	"github.com/infscale/infscale/recommender/plot"
)

func Example() {
	ready := []plot.Point{{X: 0, Y: 2}, {X: 390, Y: 3}, {X: 600, Y: 3}}
	desired := []plot.Point{{X: 0, Y: 2}, {X: 300, Y: 3}, {X: 600, Y: 3}}
	ttft := []plot.Point{{X: 0, Y: math.NaN()}, {X: 60, Y: 0.2}, {X: 330, Y: 4}, {X: 600, Y: 0.3}}
	page := &plot.Page{
		Title: "chat",
		Facts: []plot.Fact{{Label: "over the objective", Value: "1.2%", Role: plot.Warn}},
		Panels: []plot.Panel{
			{
				Title: "Replicas", Unit: "replicas",
				Series: []plot.Series{
					{Name: "ready", Kind: plot.StackedStep, Role: plot.OK, Points: ready},
					{Name: "desired", Kind: plot.Step, Role: plot.Strong, Points: desired},
				},
				Marks: []plot.Mark{{X: 300, Label: "2→3", Text: "metric: the queue asks for 3"}},
			},
			{
				Title: "Time to first token", Unit: "s", Log: true,
				Series:     []plot.Series{{Name: "p95", Points: ttft}},
				Thresholds: []plot.Threshold{{Label: "objective", Y: 2, Role: plot.Bad}},
			},
		},
	}
	var b strings.Builder
	err := plot.Write(&b, page)
	fmt.Println(strings.Count(b.String(), `<section class="panel`), "panels", err)
	// Output: 2 panels <nil>
}

func ExampleWriteSVG() {
	panel := &plot.Panel{
		Title: "Waiting", Unit: "requests",
		Series: []plot.Series{{Name: "waiting", Kind: plot.Area, Points: []plot.Point{{X: 0, Y: 0}, {X: 60, Y: 40}}}},
	}
	var b strings.Builder
	err := plot.WriteSVG(&b, panel)
	first, _, _ := strings.Cut(b.String(), ">")
	fmt.Println(first, err)
	// Output: <svg xmlns="http://www.w3.org/2000/svg" width="960" height="265" viewBox="0 0 960 265" role="img" aria-label="Waiting" <nil>
}
