package draw

import (
	"bytes"
	"strings"

	"github.com/infscale/infscale/recommender/plot"
)

// style is that of package plot's files, and what the cards need beside it.
var style = plotStyle() + `.heading{font-size:18px;font-weight:600}.question{font-size:14px;font-weight:600}
.large{font-size:34px;font-weight:500}rect.ok,rect.warn,rect.bad{fill:currentColor}
`

// plotStyle is the style sheet that every file of package plot carries.
func plotStyle() string {
	var b bytes.Buffer
	_ = plot.WriteSVG(&b, &plot.Panel{}) // a buffer takes everything
	_, after, _ := strings.Cut(b.String(), "<style>")
	sheet, _, _ := strings.Cut(after, "</style>")
	return sheet
}
