package plot

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the rendered pictures into testdata")

func pageOf(t testing.TB, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func fileOf(t testing.TB, p *Panel) string {
	t.Helper()
	var b bytes.Buffer
	if err := WriteSVG(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// tiny has one of everything.
func tiny() *Page {
	nan := math.NaN()
	return &Page{
		Title: "chat", Subtitle: "ten minutes",
		Facts:  []Fact{{"requests", "1200", Auto}, {"missed", "4%", Bad}},
		Tables: []Table{{"Policies", []string{"policy", "missed"}, [][]string{{"queue", "4%"}, {"fixed", "unknown"}}}},
		Panels: []Panel{
			{
				Title: "Replicas", Unit: "replicas", Description: "What runs.",
				Series: []Series{
					{Name: "ready", Kind: StackedStep, Role: OK, Points: []Point{{0, 2}, {390, 3}, {600, 3}}},
					{Name: "starting", Kind: StackedStep, Role: Warn, Points: []Point{{300, 1}, {390, 0}}},
					{Name: "desired", Kind: Step, Role: Strong, Points: []Point{{0, 2}, {300, 3}, {600, 3}}},
				},
				Thresholds: []Threshold{{"max", 4, Muted}},
				Marks:      []Mark{{300, "2→3", "the queue asks for 3", Auto}, {305, "hold", "", Muted}},
			},
			{
				Title: "TTFT", Unit: "s", Log: true, Width: Half,
				Series: []Series{
					{Name: "p50", Points: []Point{{0, .1}, {200, .12}, {300, nan}, {400, .2}, {500, nan}, {600, .1}}},
					{Name: "usual", Kind: Band, Points: []Point{{0, .2}, {600, .3}}, Low: []float64{.05, .06}},
				},
				Thresholds: []Threshold{{"objective", 2, Bad}},
			},
			{
				Title: "Arrivals", Unit: "requests/s", Width: Half,
				Series: []Series{
					{Name: "arrivals", Kind: Area, Points: []Point{{0, 3}, {600, 30}}},
					{Name: "seen", Kind: Points, Points: []Point{{100, 4}, {200, 7.5}}},
					{Name: "held", Points: []Point{{0, nan}}},
				},
			},
		},
	}
}

func TestPicturesAreAsCommitted(t *testing.T) {
	page := pageOf(t, tiny())
	// Style and script have files of their own; what they are is not repeated in the golden page.
	page = strings.NewReplacer(
		pageStyle(), "[style]", hoverScript, "[script]",
		sourceHash(pageStyle()), "[hash of the style]", sourceHash(hoverScript), "[hash of the script]",
	).Replace(page)
	golden(t, "testdata/tiny.html", page)
	golden(t, "testdata/replicas.svg", fileOf(t, &tiny().Panels[0]))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		at := 0
		for at < len(got) && at < len(want) && got[at] == want[at] {
			at++
		}
		t.Errorf("%s from byte %d (-update writes it)\ngot  %.200s\nwant %.200s", name, at, got[at:], want[at:])
	}
}

func TestEqualPagesGiveEqualBytes(t *testing.T) {
	first := pageOf(t, tiny())
	for range 20 {
		if pageOf(t, tiny()) != first {
			t.Fatal("got two pages that differ")
		}
	}
}

func TestAPageWithoutAnythingIsAPage(t *testing.T) {
	got := pageOf(t, &Page{})
	if !strings.HasPrefix(got, "<!DOCTYPE html>") || !strings.HasSuffix(got, "</html>") {
		t.Errorf("got %q", got)
	}
}

func TestAFailedWriteIsAnError(t *testing.T) {
	want := errors.New("disk is full")
	if err := Write(broken{want}, tiny()); !errors.Is(err, want) {
		t.Errorf("page: got %v, want %v", err, want)
	}
	if err := WriteSVG(broken{want}, &tiny().Panels[0]); !errors.Is(err, want) {
		t.Errorf("file: got %v, want %v", err, want)
	}
}

type broken struct{ err error }

func (b broken) Write([]byte) (int, error) { return 0, b.err }

const hostile = "</script><script>alert(1)</script></style></svg>\"'&<!--]]>\x00\x1b\xff\u2028é"

// fill puts text into every string there is, so that a field added later is tried too.
func fill(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(v.Index(i), text)
		}
	case reflect.Pointer:
		fill(v.Elem(), text)
	default: // numbers
	}
}

func TestNamesAreText(t *testing.T) {
	p := tiny()
	fill(reflect.ValueOf(p), hostile)
	got := pageOf(t, p)
	for text, want := range map[string]int{
		"<script": 2, "</script": 2, "<style": 1, "</style": 1, "alert(1)</": 0, "<!--": 0,
	} {
		if n := strings.Count(got, text); n != want {
			t.Errorf("got %d times %q, want %d", n, text, want)
		}
	}
	checkSVGs(t, got)
	if name := dataOf(t, got).Panels[0].Series[0].Name; !strings.HasPrefix(name, "</script><script>alert(1)") {
		t.Errorf("got the name %q in the data, want it as it was", name)
	}
	for i := range p.Panels {
		checkXML(t, fileOf(t, &p.Panels[i]))
	}
}

var (
	svgElements = regexp.MustCompile(`(?s)<svg width="100%".*?</svg></div>`)
	dataElement = regexp.MustCompile(`<script type="application/json" id="data">(.*)</script>`)
)

// checkSVGs checks every picture of a page.
func checkSVGs(t testing.TB, page string) {
	t.Helper()
	found := svgElements.FindAllString(page, -1)
	if n := strings.Count(page, `<div class="plot`); len(found) != n {
		t.Errorf("got %d pictures, want %d", len(found), n)
	}
	for _, svg := range found {
		checkXML(t, strings.TrimSuffix(svg, "</div>"))
	}
}

// checkXML checks that svg is one well-formed element, and that no attribute is a number
// that none is.
func checkXML(t testing.TB, svg string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(svg))
	depth, roots := 0, 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in %.300s", err, svg)
		}
		switch e := token.(type) {
		case xml.StartElement:
			if depth == 0 {
				roots++
			}
			depth++
			checkNumbers(t, e)
		case xml.EndElement:
			depth--
		}
	}
	if roots != 1 || depth != 0 {
		t.Errorf("got %d roots and %d open elements, want 1 and 0", roots, depth)
	}
}

func checkNumbers(t testing.TB, e xml.StartElement) {
	t.Helper()
	for _, a := range e.Attr {
		if a.Name.Local == "aria-label" {
			continue
		}
		if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
			t.Errorf("got %s %s=%.80q", e.Name.Local, a.Name.Local, a.Value)
		}
	}
}

func dataOf(t testing.TB, page string) hoverPage {
	t.Helper()
	found := dataElement.FindStringSubmatch(page)
	if found == nil {
		t.Fatal("got no data for the script")
	}
	// Gaps are null, which leaves the zero in a plain number.
	var data hoverPage
	if err := json.Unmarshal([]byte(found[1]), &data); err != nil {
		t.Fatalf("%v in %.300s", err, found[1])
	}
	return data
}

func TestAPageAsksNothingOfTheNetwork(t *testing.T) {
	got := pageOf(t, tiny())
	policy := regexp.MustCompile(`content="(default-src[^"]*)"`).FindStringSubmatch(got)
	if policy == nil {
		t.Fatal("got no content security policy")
	}
	for element, directive := range map[string]string{"style": "style-src", "script": "script-src"} {
		source := regexp.MustCompile(`(?s)<` + element + `>(.*?)</` + element + `>`).FindStringSubmatch(got)
		if source == nil {
			t.Fatalf("got no %s", element)
		}
		want := strings.ReplaceAll(directive+" "+sourceHash(source[1]), "'", "&#39;")
		if !strings.Contains(policy[1], want) {
			t.Errorf("got the policy %s, want %s in it", policy[1], want)
		}
	}
	// Attributes of style and of events are what such a policy forbids.
	if found := regexp.MustCompile(`<[a-z]+[^<>]* (style|src|href|on[a-z]+)=`).FindString(got); found != "" {
		t.Errorf("got %s", found)
	}
	for _, text := range []string{"@import", "url(", "https:"} {
		if strings.Contains(got, text) {
			t.Errorf("got %q in the page", text)
		}
	}
}

func TestAHundredThousandPointsAreASmallPage(t *testing.T) {
	tests := map[string]func(i int) float64{
		"noise":           func(i int) float64 { return math.Mod(float64(i)*math.Phi, 1) * 1000 },
		"every other gap": func(i int) float64 { return math.Sqrt(float64(-1+2*(i%2)) * float64(i)) },
	}
	for name, y := range tests {
		t.Run(name, func(t *testing.T) {
			panel := Panel{Title: name}
			for range 4 {
				s := Series{Name: "s", Kind: Kind(len(panel.Series))} // a line, steps, an area, a stack
				for i := range 25_000 {
					s.Points = append(s.Points, Point{float64(i) * 0.37, y(i)})
				}
				panel.Series = append(panel.Series, s)
			}
			got := pageOf(t, &Page{Panels: []Panel{panel}})
			if len(got) > 500_000 {
				t.Errorf("got %d bytes, want at most 500,000", len(got))
			}
			t.Log(len(got), "bytes")
		})
	}
}

func TestColumnsOfNumbersAreKnown(t *testing.T) {
	tests := map[string]struct {
		cells []string
		want  bool
	}{
		"numbers with units":       {[]string{"1.2 s", "300 ms"}, true},
		"signs":                    {[]string{"-1", "+2", "≥ 10 s", "~3"}, true},
		"unknown beside a number":  {[]string{"unknown", "3", "", "–"}, true},
		"nothing known":            {[]string{"unknown", "-"}, false},
		"words":                    {[]string{"queue", "4"}, false},
		"a name with a digit last": {[]string{"chat2"}, false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			table := Table{}
			for _, c := range tt.cells {
				table.Rows = append(table.Rows, []string{"x", c})
			}
			if got := numberColumns(&table); fmt.Sprint(got) != fmt.Sprint([]bool{false, tt.want}) {
				t.Errorf("got %v, want false and %v", got, tt.want)
			}
		})
	}
}
