package promapitest

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// An Answer is what the server gives back. Its methods return a changed copy.
type Answer struct {
	status   int
	header   http.Header
	body     func(Request) string
	warnings []string
	infos    []string
	wire     wire
	cut      int
}

// wire says how an answer goes over the network.
type wire int

const (
	whole     wire = iota
	gzipped        // compressed
	truncated      // the first bytes only, as if they were all
	cutOff         // the first bytes only, then the connection ends
	closed         // the connection ends at once
	hanging        // nothing until the client goes away
)

// A Row is one series of an answer.
type Row struct {
	labels map[string]string
	values []string
}

// Sample is a row with one value. Labels are pairs of name and value.
func Sample(value float64, labels ...string) Row {
	return Samples(strconv.FormatFloat(value, 'f', -1, 64), labels...)
}

// Samples is a row with values as the API writes them, separated by spaces: the
// first is at the start of the range, each further one a step later, and "_" is
// a gap.
func Samples(values string, labels ...string) Row {
	r := Row{labels: map[string]string{}, values: strings.Fields(values)}
	for i := 0; i < len(labels); i += 2 {
		r.labels[labels[i]] = labels[i+1]
	}
	return r
}

// Vector answers an instant query. The rows are at the time that was asked for.
func Vector(rows ...Row) Answer {
	return data("vector", func(r Request) any {
		result := []any{}
		for _, row := range rows {
			result = append(result, map[string]any{"metric": row.labels, "value": []any{seconds(r, "time"), row.values[0]}})
		}
		return result
	})
}

// Scalar answers an instant query with a number without labels.
func Scalar(value float64) Answer {
	return data("scalar", func(r Request) any {
		return []any{seconds(r, "time"), strconv.FormatFloat(value, 'f', -1, 64)}
	})
}

// Matrix answers a range query. Values past the end that was asked for are left
// out, and rows without any value too.
func Matrix(rows ...Row) Answer {
	return data("matrix", func(r Request) any {
		result := []any{}
		for _, row := range rows {
			if points := row.points(r); len(points) > 0 {
				result = append(result, map[string]any{"metric": row.labels, "values": points})
			}
		}
		return result
	})
}

func (row Row) points(r Request) []any {
	var points []any
	for i, v := range row.values {
		t := seconds(r, "start") + float64(i)*seconds(r, "step")
		if v != "_" && t <= seconds(r, "end") {
			points = append(points, []any{t, v})
		}
	}
	return points
}

// seconds reads a time or a duration of the request.
func seconds(r Request, param string) float64 {
	text := r.Form.Get(param)
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return s
	}
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return float64(t.UnixMilli()) / 1000
	}
	return 0
}

func data(resultType string, result func(Request) any) Answer {
	a := JSON(http.StatusOK, "")
	a.body = func(r Request) string {
		return encode(map[string]any{
			"status": "success",
			"data":   map[string]any{"resultType": resultType, "result": result(r)},
		})
	}
	return a
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("promapitest: %v", err))
	}
	return string(b)
}

// Error is an error as the API reports it.
func Error(status int, errorType, message string) Answer {
	return JSON(status, encode(map[string]any{"status": "error", "errorType": errorType, "error": message}))
}

// JSON is any body of type application/json.
func JSON(status int, body string) Answer { return Text(status, "application/json", body) }

// Text is any body of any type.
func Text(status int, contentType, body string) Answer {
	a := Answer{status: status, header: http.Header{}, body: func(Request) string { return body }}
	if contentType == "" {
		// A nil value keeps the server from guessing one.
		a.header["Content-Type"] = nil
		return a
	}
	return a.WithHeader("Content-Type", contentType)
}

// Redirect points to another address.
func Redirect(status int, location string) Answer {
	return Text(status, "", "").WithHeader("Location", location)
}

// WithHeader sets a header of the answer.
func (a Answer) WithHeader(name, value string) Answer {
	a.header = a.header.Clone()
	a.header.Set(name, value)
	return a
}

// WithWarnings adds warnings to an answer with data.
func (a Answer) WithWarnings(warnings ...string) Answer {
	a.warnings = warnings
	return a
}

// WithInfos adds infos to an answer with data.
func (a Answer) WithInfos(infos ...string) Answer {
	a.infos = infos
	return a
}

// Gzipped compresses the body, whether the client asked for that or not.
func (a Answer) Gzipped() Answer { a.wire = gzipped; return a }

// Truncated sends the first n bytes of the body, as if they were all.
func (a Answer) Truncated(n int) Answer { a.wire, a.cut = truncated, n; return a }

// CutOff promises the whole body, sends n bytes of it and ends the connection.
func (a Answer) CutOff(n int) Answer { a.wire, a.cut = cutOff, n; return a }

// Closed ends the connection without an answer.
func (a Answer) Closed() Answer { a.wire = closed; return a }

// Hanging gives no answer until the client goes away.
func (a Answer) Hanging() Answer { a.wire = hanging; return a }

func (a Answer) serve(w http.ResponseWriter, r *http.Request, request Request) {
	if a.wire == hanging {
		<-r.Context().Done()
		return
	}
	if a.wire == closed {
		panic(http.ErrAbortHandler)
	}
	body := a.text(request)
	maps.Copy(w.Header(), a.header)
	switch a.wire {
	case gzipped:
		w.Header().Set("Content-Encoding", "gzip")
		body = compressed(body)
	case truncated:
		body = body[:a.cut]
	case cutOff:
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		body = body[:a.cut]
	case whole, closed, hanging:
	}
	w.WriteHeader(a.status)
	_, _ = w.Write([]byte(body)) // the client may be gone
	if a.wire == cutOff {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// text is the body with the warnings and infos in it.
func (a Answer) text(r Request) string {
	body := a.body(r)
	inner, isObject := strings.CutSuffix(body, "}")
	if !isObject {
		return body
	}
	for name, list := range map[string][]string{"warnings": a.warnings, "infos": a.infos} {
		if list != nil {
			inner += fmt.Sprintf(",%q:%s", name, encode(list))
		}
	}
	return inner + "}"
}

func compressed(body string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(body)) // a bytes.Buffer does not fail
	_ = z.Close()
	return b.String()
}
