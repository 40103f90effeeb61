package promapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// longestPage is above any page of an engine: what is larger is something else.
const longestPage = 64 << 20

// quoted is how much of a line an error shows.
const quoted = 60

// A sample is one line of a page.
type sample struct {
	name   string
	labels Labels
	value  float64
}

// A lineScanner reads one line of a page from left to right.
type lineScanner struct {
	line string
	at   int
}

// readSamples reads the Prometheus text format or OpenMetrics, strictly: a page that a
// Prometheus refuses is an error here. Errors say where: source:line.
func readSamples(r io.Reader, source string) ([]sample, error) {
	page, err := io.ReadAll(io.LimitReader(r, longestPage+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	if len(page) > longestPage {
		return nil, fmt.Errorf("%s: page of more than %d bytes", source, longestPage)
	}
	// Only OpenMetrics has an end; only it may go on after a value with an exemplar.
	text, open := strings.CutSuffix(string(bytes.TrimRight(page, "\n")), "# EOF")
	open = open && (text == "" || strings.HasSuffix(text, "\n"))
	var samples []sample
	seen := map[string]bool{}
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		if strings.TrimLeft(line, " \t") == "" || strings.HasPrefix(strings.TrimLeft(line, " \t"), "#") {
			continue
		}
		s, timed, err := parseLine(line, open)
		if key := s.name + s.labels.String(); err == nil && !timed {
			if seen[key] {
				err = errors.New("the same series twice")
			}
			seen[key] = true
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w: %q", source, number, err, line[:min(len(line), quoted)])
		}
		samples = append(samples, s)
	}
	return samples, nil
}

// parseLine reads name{label="value",...} value [timestamp] and, in OpenMetrics, an
// exemplar. It reports whether there was a timestamp.
func parseLine(line string, open bool) (s sample, timed bool, err error) {
	x := &lineScanner{line: line}
	x.space()
	if s.name = x.word(true); s.name == "" {
		return s, false, errors.New("no metric name at the start")
	}
	x.space()
	if x.take('{') {
		if s.labels, err = x.labels(); err != nil {
			return s, false, fmt.Errorf("%s: %w", s.name, err)
		}
	} else if x.at < len(line) && !isSpace(line[x.at-1]) {
		return s, false, fmt.Errorf("%s: unexpected character in the name", s.name)
	}
	rest := line[x.at:]
	if open {
		rest, _, _ = strings.Cut(rest, " # {")
	}
	if s.value, timed, err = parseNumbers(rest, open); err != nil {
		return s, false, fmt.Errorf("%s: %w", s.name, err)
	}
	return s, timed, nil
}

// parseNumbers reads a value, and whether a timestamp follows.
func parseNumbers(rest string, open bool) (v float64, timed bool, err error) {
	fields := strings.FieldsFunc(rest, func(r rune) bool { return r == ' ' || r == '\t' })
	switch len(fields) {
	case 0:
		return 0, false, errors.New("no value")
	case 1:
		v, err = parseValue(fields[0])
		return v, false, err
	case 2:
		if v, err = parseValue(fields[0]); err == nil {
			err = checkTimestamp(fields[1], open)
		}
		return v, true, err
	default:
		return 0, false, errors.New("more than a value and a timestamp")
	}
}

// parseValue reads a number, NaN or an infinity. Go's own forms are no numbers here.
func parseValue(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.ContainsAny(s, "xXpP_") {
		return 0, errors.New("the value is no number")
	}
	return v, nil
}

// checkTimestamp takes milliseconds, or in OpenMetrics seconds with a fraction.
func checkTimestamp(s string, open bool) error {
	var err error
	if open {
		_, err = parseValue(s)
	} else {
		_, err = strconv.ParseInt(s, 10, 64)
	}
	if err != nil {
		return errors.New("the timestamp is no number")
	}
	return nil
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

func (x *lineScanner) space() {
	for x.at < len(x.line) && isSpace(x.line[x.at]) {
		x.at++
	}
}

// take steps over c, if it is next.
func (x *lineScanner) take(c byte) bool {
	if x.at < len(x.line) && x.line[x.at] == c {
		x.at++
		return true
	}
	return false
}

// word reads the name of a metric, which may have colons, or of a label. It is empty if
// no name is next.
func (x *lineScanner) word(colons bool) string {
	start := x.at
	for x.at < len(x.line) {
		c := x.line[x.at]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || (colons && c == ':')
		if !letter && (c < '0' || c > '9' || x.at == start) {
			break
		}
		x.at++
	}
	return x.line[start:x.at]
}

// labels reads up to and including the closing brace. A comma may stand before it.
func (x *lineScanner) labels() (Labels, error) {
	var ls Labels
	for {
		x.space()
		if x.take('}') {
			break
		}
		l, err := x.label()
		if err != nil {
			return nil, err
		}
		for i := range ls {
			if ls[i].Name == l.Name {
				return nil, fmt.Errorf("label %s twice", l.Name)
			}
		}
		ls = append(ls, l)
		x.space()
		if x.take(',') {
			continue
		}
		if !x.take('}') {
			return nil, errors.New("the label set is not closed")
		}
		break
	}
	ls.sort()
	return ls, nil
}

// label reads name="value".
func (x *lineScanner) label() (Label, error) {
	l := Label{Name: x.word(false)}
	if l.Name == "" {
		if x.at == len(x.line) {
			return l, errors.New("the label set is not closed")
		}
		return l, errors.New("no label name")
	}
	x.space()
	if !x.take('=') {
		return l, fmt.Errorf("label %s: no equals sign", l.Name)
	}
	x.space()
	if !x.take('"') {
		return l, fmt.Errorf("label %s: the value is not quoted", l.Name)
	}
	var err error
	if l.Value, err = x.quoted(); err != nil {
		return l, fmt.Errorf("label %s: %w", l.Name, err)
	}
	return l, nil
}

// quoted reads up to and including the closing quote. There are three escapes.
func (x *lineScanner) quoted() (string, error) {
	var b strings.Builder
	for x.at < len(x.line) {
		c := x.line[x.at]
		x.at++
		switch c {
		case '"':
			return b.String(), nil
		case '\\':
			if x.at == len(x.line) {
				return "", errors.New("the value does not end")
			}
			e, ok := map[byte]byte{'\\': '\\', '"': '"', 'n': '\n'}[x.line[x.at]]
			if !ok {
				return "", fmt.Errorf("no such escape: \\%c", x.line[x.at])
			}
			b.WriteByte(e)
			x.at++
		default:
			b.WriteByte(c)
		}
	}
	return "", errors.New("the value does not end")
}
