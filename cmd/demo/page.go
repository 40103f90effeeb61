package main

import (
	"bytes"
	"fmt"
	"strconv"
)

// contentType is that of the pages the demo serves.
const contentType = "text/plain; version=0.0.4; charset=utf-8"

// A page is a /metrics page in the making, in the Prometheus text format.
type page struct {
	buf  bytes.Buffer
	name string // The family begun last.
}

func (w *page) bytes() []byte { return w.buf.Bytes() }

// family begins a metric.
func (w *page) family(name, kind, help string) {
	w.name = name
	fmt.Fprintf(&w.buf, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// sample adds a series to the family. Labels are names and values in turn.
func (w *page) sample(v float64, labels ...string) { w.suffixed("", v, labels...) }

// suffixed is sample for the parts of a histogram.
func (w *page) suffixed(suffix string, v float64, labels ...string) {
	w.buf.WriteString(w.name + suffix + "{")
	for i := 0; i+1 < len(labels); i += 2 {
		fmt.Fprintf(&w.buf, "%s=%q,", labels[i], labels[i+1])
	}
	w.buf.WriteString("} " + strconv.FormatFloat(v, 'g', -1, 64) + "\n")
}
