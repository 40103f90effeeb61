package plot

import (
	"crypto/sha256"
	_ "embed" // for the style and the script
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

//go:embed chart.css
var chartStyle string

//go:embed page.css
var pageOnlyStyle string

//go:embed hover.js
var hoverScript string

// A colour has a tone for each scheme.
type colour struct{ class, light, dark string }

// The grounds that everything is drawn on.
const (
	lightGround = "#ffffff"
	darkGround  = "#181b1f"
)

// Colours with a meaning. All tones keep a contrast of three to their ground.
var roles = []colour{
	{"ok", "#00815c", "#35c08e"},
	{"warn", "#bd7500", "#f0b040"},
	{"bad", "#c8321f", "#ff7461"},
	{"muted", "#868e98", "#7f8791"},
	{"strong", "#1d2329", "#e6e9ee"},
}

// Colours that series take in turn, after those of Okabe and Ito, which people who see
// fewer colours can tell apart.
var turns = []colour{
	{"c0", "#0072b2", "#5aaeea"},
	{"c1", "#a84f8c", "#e39ac8"},
	{"c2", "#009e73", "#2fc39a"},
	{"c3", "#a87b00", "#e9c64a"},
	{"c4", "#5b4b9e", "#ab9bf0"},
	{"c5", "#3a93cc", "#a5d8f7"},
	{"c6", "#d55e00", "#f58a42"},
}

// Colours of text and lines of the chart.
var lines = []colour{
	{"dim", "#5c6570", "#9aa3ad"},
	{"grid", "#e4e7eb", "#2b3036"},
	{"axis", "#aab1b9", "#4d545c"},
	{"ground", lightGround, darkGround},
	{"page", "#f3f4f6", "#101214"},
}

// colourRules are the classes of all colours in one of the schemes.
func colourRules(tone func(colour) string) string {
	var b strings.Builder
	for _, c := range slices.Concat(lines, roles, turns) {
		fmt.Fprintf(&b, ".%s{color:%s}", c.class, tone(c))
		if c.class == "ground" {
			fmt.Fprintf(&b, ".halo{stroke:%s}", tone(c))
		}
	}
	return b.String()
}

// colourNames are the colours of the page around the charts as variables of one scheme.
func colourNames(tone func(colour) string) string {
	var b strings.Builder
	b.WriteString(":root{")
	for _, c := range slices.Concat(lines, roles) {
		fmt.Fprintf(&b, "--%s:%s;", c.class, tone(c))
	}
	b.WriteString("}")
	return b.String()
}

func light(c colour) string { return c.light }
func dark(c colour) string  { return c.dark }

// pageStyle is the whole style of a page.
func pageStyle() string {
	return colourNames(light) + colourRules(light) +
		"\n@media (prefers-color-scheme:dark){" + colourNames(dark) + colourRules(dark) + "}\n" +
		chartStyle + pageOnlyStyle
}

// sourceHash allows one inline style or script in a content security policy.
func sourceHash(source string) string {
	sum := sha256.Sum256([]byte(source))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
