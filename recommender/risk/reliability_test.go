package risk_test

import (
	"fmt"
	"html"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/infscale/infscale/recommender/risk"
)

// BenchmarkCalibration compares the risk with what comes of it, for every trace, policy
// and horizon, and prints a table. INFSCALE_TRACES is a folder of traces, without which
// there are generated ones and the default trace. INFSCALE_CALIBRATION_PLOT is a file for
// the reliability diagrams.
//
// What comes of a number of replicas is another run: the same up to the tick, with that
// number from there on.
func BenchmarkCalibration(b *testing.B) {
	for b.Loop() {
		var page strings.Builder
		var judged, fitted, hard []forecast
		fmt.Println(header)
		for _, s := range sources(b) {
			c := calibration{name: s.name, unknown: map[risk.Reason]int{}}
			for _, p := range policies {
				before := len(c.forecasts[1])
				c.add(b.Context(), b, s.requests, p, 4)
				if p != hopeless && s.purpose != "fit" {
					hard = append(hard, c.forecasts[1][before:]...)
				}
			}
			for j, list := range c.forecasts {
				y := newScore(list)
				fmt.Println(y.row(s.name, s.purpose, horizons[j]))
				page.WriteString(diagram(s.name, horizons[j], &y))
			}
			if s.purpose == "fit" {
				fitted = append(fitted, c.forecasts[1]...)
			} else {
				judged = append(judged, c.forecasts[1]...)
			}
		}
		report(b, "fit", fitted)
		report(b, "judge", judged)
		report(b, "hard", hard)
		if name := os.Getenv("INFSCALE_CALIBRATION_PLOT"); name != "" {
			if err := os.WriteFile(name, []byte(document(page.String())), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// report prints the score of all traces of a purpose together, at the default horizon. The
// hard ones are those to judge by without the policy under which everything misses.
func report(b *testing.B, purpose string, list []forecast) {
	b.Helper()
	if len(list) == 0 {
		return
	}
	y := newScore(list)
	fmt.Println(y.row("all", purpose, 1))
	b.ReportMetric(y.ece, purpose+"-ece")
	b.ReportMetric(y.brier, purpose+"-brier")
	b.ReportMetric(y.base, purpose+"-base-brier")
}

// diagram draws what was realised over what was predicted. The area of a circle is the
// number of forecasts; on the diagonal they were right on average.
func diagram(name string, horizon float64, s *score) string {
	const size = 200
	var svg strings.Builder
	fmt.Fprintf(&svg, `<figure><svg viewBox="-24 -8 %d %d" width="240"><rect width="%d" height="%d" class="frame"/><path d="M0 %d L%d 0" class="frame"/>`,
		size+36, size+32, size, size, size, size)
	for _, bin := range s.bins {
		if bin.n > 0 {
			fmt.Fprintf(&svg, `<circle cx="%.1f" cy="%.1f" r="%.1f"><title>%d forecasts: %.2f predicted, %.2f realised</title></circle>`,
				bin.predicted*size, (1-bin.realised)*size, 2+14*math.Sqrt(float64(bin.n)/float64(s.n)), bin.n, bin.predicted, bin.realised)
		}
	}
	fmt.Fprintf(&svg, `<text x="0" y="%d">0</text><text x="%d" y="%d" text-anchor="end">1 predicted</text><text x="-20" y="10">1</text></svg>`, size+14, size, size+14)
	fmt.Fprintf(&svg, "<figcaption>%s, %.1fx: calibration error %.3f, Brier %.4f (base %.4f, persistence %.4f)</figcaption></figure>\n",
		html.EscapeString(name), horizon, s.ece, s.brier, s.base, s.persistence)
	return svg.String()
}

func document(figures string) string {
	return `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Calibration of the SLO risk</title>
<style>body{font:14px sans-serif;max-width:820px;margin:2em auto}figure{display:inline-block;width:250px;margin:6px;vertical-align:top}
.frame{fill:none;stroke:#aab1b9}circle{fill:#0072b2;fill-opacity:.6}text{font-size:12px;fill:#5c6570}figcaption{font-size:12px}</style>
<h1>Calibration of the SLO risk</h1><p>The fraction of the requests that missed over the fraction that was predicted, in tenths. The area of a circle is the number of forecasts.</p>
` + figures + "</html>\n"
}
