package promapi

import (
	"fmt"
	"slices"
	"strings"
)

// A resultKind says which results a request may get: an instant query that
// comes back as a matrix asked for a range selector, and is not what its author
// meant.
type resultKind int

const (
	instantResult resultKind = iota // vector or scalar
	rangeResult                     // matrix
)

func (k resultKind) accepts(resultType string) bool {
	if k == rangeResult {
		return resultType == "matrix"
	}
	return resultType == "vector" || resultType == "scalar"
}

func (k resultKind) String() string {
	if k == rangeResult {
		return `"matrix"`
	}
	return `"vector" or "scalar"`
}

// An envelope is what surrounds the data of an answer.
type envelope struct {
	status    string
	errorType string
	message   string
	result    Result
}

// A decoder turns the body of an answer into a Result. It is strict: a text that
// it accepts is JSON, has the shape of the HTTP API, and has no row that was
// left out or read as something else. It is total: no text makes it panic.
//
// A decoder keeps the strings that it has met, so that the same pod is one
// string in every row of every answer.
type decoder struct {
	scanner
	kind resultKind
	row  int // the row being read, -1 outside rows

	clean   func(string) string // takes secrets out of what a message quotes
	strings map[string]string
	labels  []Label // the row being read
	points  []Point // the row being read
	last    Labels  // the row before

	labelBlock []Label
	pointBlock []Point
}

// maxInterned bounds the strings that a decoder keeps between answers.
const maxInterned = 1 << 17

func newDecoder(clean func(string) string) *decoder {
	return &decoder{clean: clean, strings: make(map[string]string)}
}

// decode reads one answer. Nothing in the envelope refers to data afterwards.
func (d *decoder) decode(data []byte, kind resultKind) (envelope, error) {
	d.scanner, d.kind, d.row = scanner{data: data}, kind, -1
	d.last, d.labelBlock, d.pointBlock = nil, nil, nil
	if len(d.strings) > maxInterned {
		clear(d.strings)
	}
	env := d.envelope()
	d.end()
	d.data = nil
	if d.err != nil {
		return envelope{}, d.err
	}
	return env, nil
}

// Fields of the answer that are read. Others (stats, traceID, ...) are skipped.
const (
	fieldStatus = 1 << iota
	fieldData
	fieldErrorType
	fieldError
	fieldWarnings
	fieldInfos
	fieldPartial
	fieldResultType
	fieldResult
	fieldMetric
	fieldValue
)

// once notes a field in seen and fails when it was there before: of two values
// neither is to be trusted.
func (d *decoder) once(seen *int, field int, key []byte) {
	if *seen&field != 0 {
		d.fail("%q occurs twice", key)
	}
	*seen |= field
}

func (d *decoder) envelope() envelope {
	var env envelope
	var seen int
	d.open('{', "an object")
	for first := true; ; first = false {
		key, ok := d.key(first)
		if !ok {
			break
		}
		d.envelopeField(&env, &seen, key)
	}
	switch {
	case d.err != nil || env.status == "error":
	case env.status != "success":
		d.fail("status %q, want \"success\" or \"error\"", d.clip(env.status))
	case seen&fieldData == 0:
		d.fail("no data")
	}
	return env
}

func (d *decoder) envelopeField(env *envelope, seen *int, key []byte) {
	switch string(key) {
	case "status":
		d.once(seen, fieldStatus, key)
		env.status = d.text("a status")
	case "errorType":
		d.once(seen, fieldErrorType, key)
		env.errorType = d.optionalText("an error type")
	case "error":
		d.once(seen, fieldError, key)
		env.message = d.optionalText("an error")
	case "warnings":
		d.once(seen, fieldWarnings, key)
		d.warnings(&env.result)
	case "infos":
		d.once(seen, fieldInfos, key)
		env.result.Infos = append(env.result.Infos, d.texts("an info")...)
	case "isPartial":
		// VictoriaMetrics' cluster says so here and not in a warning.
		d.once(seen, fieldPartial, key)
		if !d.null() && d.boolean("a boolean") {
			env.result.Warnings = append(env.result.Warnings, "the answer is partial")
		}
	case "data":
		d.once(seen, fieldData, key)
		if env.status == "error" {
			d.skip(maxDepth)
			return
		}
		d.resultData(&env.result)
	default:
		d.skip(maxDepth)
	}
}

// warnings reads the warnings. Before Prometheus 2.53 remarks on the query were
// among them, told apart by their first words: those leave the answer whole.
func (d *decoder) warnings(r *Result) {
	for _, w := range d.texts("a warning") {
		if strings.HasPrefix(w, "PromQL info:") {
			r.Infos = append(r.Infos, w)
		} else {
			r.Warnings = append(r.Warnings, w)
		}
	}
}

// texts reads an array of strings, or null.
func (d *decoder) texts(what string) []string {
	if d.null() {
		return nil
	}
	var list []string
	d.open('[', "an array")
	for first := true; d.more(first, ']'); first = false {
		list = append(list, d.text(what))
	}
	return list
}

func (d *decoder) optionalText(what string) string {
	if d.null() {
		return ""
	}
	return d.text(what)
}

// resultData reads the data object. Its type may come after the rows, which
// then are passed over and read when it is known.
func (d *decoder) resultData(r *Result) {
	var resultType string
	var seen, rows int
	d.open('{', "data to be an object")
	for first := true; ; first = false {
		key, ok := d.key(first)
		if !ok {
			break
		}
		switch string(key) {
		case "resultType":
			d.once(&seen, fieldResultType, key)
			resultType = d.resultType()
		case "result":
			d.once(&seen, fieldResult, key)
			if rows = d.pos; resultType == "" {
				d.skip(maxDepth)
			} else {
				d.result(resultType, r)
				rows = -1
			}
		default:
			d.skip(maxDepth)
		}
	}
	if d.err != nil {
		return
	}
	if seen&fieldResultType == 0 || seen&fieldResult == 0 {
		d.fail("data has no resultType or no result")
		return
	}
	if rows >= 0 {
		end := d.pos
		d.pos = rows
		d.result(resultType, r)
		d.pos = end
	}
}

func (d *decoder) resultType() string {
	t := d.text("a result type")
	if d.err == nil && !d.kind.accepts(t) {
		d.fail("resultType %q, want %v", d.clip(t), d.kind)
	}
	return t
}

func (d *decoder) result(resultType string, r *Result) {
	if resultType == "scalar" {
		d.points = d.points[:0]
		d.sample()
		r.Series = []Series{{Points: d.keepPoints()}}
		return
	}
	d.open('[', "result to be an array")
	for first := true; d.more(first, ']'); first = false {
		d.row++
		start := d.pos
		r.Series = append(r.Series, d.series())
		if d.row == 0 && d.err == nil {
			// Rows are about equally long.
			r.Series = slices.Grow(r.Series, min((len(d.data)-d.pos)/(d.pos-start), maxGuess))
		}
	}
	d.inRow()
}

// maxGuess bounds the rows that are made room for before they are seen.
const maxGuess = 1 << 17

// inRow adds the row to a failure.
func (d *decoder) inRow() {
	if d.err != nil && d.row >= 0 {
		d.err = fmt.Errorf("row %d: %w", d.row, d.err)
	}
	d.row = -1
}

// clip cuts a string of the server's to what a message can hold, without secrets: half
// of one would not be found later.
func (d *decoder) clip(s string) string { return shorten(d.clean(shorten(s, maxForeign)), 40) }
