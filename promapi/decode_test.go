package promapi

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

const vectorHead = `{"status":"success","data":{"resultType":"vector","result":[`

func TestDecodeAccepts(t *testing.T) {
	one := func(v float64, labels ...string) Result {
		return Result{Series: []Series{{Labels: MakeLabels(labels...), Points: []Point{{1772000000000, v}}}}}
	}
	tests := map[string]struct {
		kind resultKind
		body string
		want Result
	}{
		"a vector": {
			body: vectorHead + `{"metric":{"__name__":"up","pod":"a"},"value":[1772000000,"5"]},{"metric":{"__name__":"up","pod":"b"},"value":[1772000000.25,"-7.5e-3"]}]}}`,
			want: Result{Series: []Series{
				{MakeLabels("__name__", "up", "pod", "a"), []Point{{1772000000000, 5}}},
				{MakeLabels("__name__", "up", "pod", "b"), []Point{{1772000000250, -0.0075}}},
			}},
		},
		"an empty vector":  {body: vectorHead + `]}}`, want: Result{}},
		"a scalar":         {body: `{"status":"success","data":{"resultType":"scalar","result":[1772000000,"12"]}}`, want: Result{Series: []Series{{Points: []Point{{1772000000000, 12}}}}}},
		"plus infinity":    {body: vectorHead + `{"metric":{},"value":[1772000000,"+Inf"]}]}}`, want: one(math.Inf(1))},
		"minus infinity":   {body: vectorHead + `{"metric":{},"value":[1772000000,"-Inf"]}]}}`, want: one(math.Inf(-1))},
		"an exact maximum": {body: vectorHead + `{"metric":{},"value":[1772000000,"1.7976931348623157e+308"]}]}}`, want: one(math.MaxFloat64)},
		"labels out of order": {
			body: vectorHead + `{"metric":{"pod":"a","__name__":"up"},"value":[1772000000,"1"]}]}}`,
			want: one(1, "__name__", "up", "pod", "a"),
		},
		"escapes and other alphabets": {
			body: vectorHead + `{"metric":{"model":"caf\u00e9 \"x\"\n","\u0070od":"模型"},"value":[1772000000,"1"]}]}}`,
			want: one(1, "model", "café \"x\"\n", "pod", "模型"),
		},
		"an empty label value and white space": {
			body: " {\n\"status\" : \"success\" ,\t\"data\":{\"resultType\":\"vector\",\"result\":[ {\"metric\":{ \"a\" : \"\" },\"value\":[ 1772000000 , \"1\" ] } ]}}\r\n",
			want: one(1, "a", ""),
		},
		"the type after the rows": {
			body: `{"data":{"result":[{"value":[1772000000,"1"],"metric":{}}],"stats":{"x":[1,{"y":null}]},"resultType":"vector"},"status":"success"}`,
			want: one(1),
		},
		"fields of other servers": {
			body: `{"status":"success","isPartial":false,"traceID":"x","trace":null,"warnings":null,"infos":null,"stats":{"seriesFetched":"2","executionTimeMsec":1.5e+3},"extra":[true,false,-0.5],"data":{"resultType":"vector","explanation":null,"result":[{"metric":{},"value":[1772000000,"1"],"exemplar":{}}]}}`,
			want: one(1),
		},
		"warnings and infos": {
			body: `{"status":"success","data":{"resultType":"vector","result":[]},"warnings":["store-1 did not answer"],"infos":["metric might not be a counter"]}`,
			want: Result{Warnings: []string{"store-1 did not answer"}, Infos: []string{"metric might not be a counter"}},
		},
		"an info among the warnings, before infos existed": {
			body: `{"status":"success","warnings":["PromQL info: metric might not be a counter"],"data":{"resultType":"vector","result":[]}}`,
			want: Result{Infos: []string{"PromQL info: metric might not be a counter"}},
		},
		"a partial answer of VictoriaMetrics": {
			body: `{"status":"success","isPartial":true,"data":{"resultType":"vector","result":[]}}`,
			want: Result{Warnings: []string{"the answer is partial"}},
		},
		"a matrix": {
			kind: rangeResult,
			body: `{"status":"success","data":{"resultType":"matrix","result":[{"metric":{"pod":"a"},"values":[[1772000000,"1"],[1772000015.5,"2"]]},{"metric":{"pod":"b"},"values":[[1772000015.5,"3"]]}]}}`,
			want: Result{Series: []Series{
				{MakeLabels("pod", "a"), []Point{{1772000000000, 1}, {1772000015500, 2}}},
				{MakeLabels("pod", "b"), []Point{{1772000015500, 3}}},
			}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			env, err := newDecoder(strings.Clone).decode([]byte(test.body), test.kind)
			if err != nil {
				t.Fatal(err)
			}
			if !sameResult(env.result, test.want) {
				t.Errorf("got %+v, want %+v", env.result, test.want)
			}
		})
	}
}

func TestDecodeTimes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-1.5": -1500, "1772000000": 1772000000000, "1772000000.1": 1772000000100, "1772000000.12": 1772000000120,
		"1772000000.123": 1772000000123, "1772000000.1234": 1772000000123, "1772000000.9996": 1772000001000,
		"1.772e9": 1772000000000, "123456789012": 123456789012000, "12345678901": 12345678901000,
	} {
		env, err := newDecoder(strings.Clone).decode([]byte(vectorHead+`{"metric":{},"value":[`+text+`,"1"]}]}}`), instantResult)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := env.result.Series[0].Points[0].T; got != want {
			t.Errorf("%s: got %d, want %d", text, got, want)
		}
	}
}

func TestDecodeNaN(t *testing.T) {
	env, err := newDecoder(strings.Clone).decode([]byte(vectorHead+`{"metric":{},"value":[1772000000,"NaN"]}]}}`), instantResult)
	if err != nil {
		t.Fatal(err)
	}
	if v := env.result.Series[0].Points[0].V; !math.IsNaN(v) {
		t.Errorf("got %v, want NaN", v)
	}
}

func TestDecodeRefuses(t *testing.T) {
	row := func(s string) string { return vectorHead + s + `]}}` }
	matrix := func(s string) string {
		return `{"status":"success","data":{"resultType":"matrix","result":[` + s + `]}}`
	}
	tests := map[string]struct {
		kind resultKind
		body string
		want string
	}{
		"nothing":                     {body: ``, want: "byte 0: the text ends here, want an object, got nothing"},
		"HTML":                        {body: `<html>`, want: `byte 0: want an object, got '<'`},
		"a short pair":                {body: row(`{"metric":{},"value":[1772000000]}`), want: "row 0: byte 92: want ',' and a value, got ']'"},
		"a long pair":                 {body: row(`{"metric":{},"value":[1772000000,"1","2"]}`), want: "want the end of a pair"},
		"a number that is no string":  {body: row(`{"metric":{},"value":[1772000000,12]}`), want: "want a value as a string, got a number"},
		"a null value":                {body: row(`{"metric":{},"value":[1772000000,null]}`), want: "want a value as a string, got null"},
		"a string as time":            {body: row(`{"metric":{},"value":["1772000000","1"]}`), want: "want a time, got a string"},
		"a string result":             {body: `{"status":"success","data":{"resultType":"string","result":[1772000000,"12"]}}`, want: `resultType "string", want "vector" or "scalar"`},
		"a matrix to an instant":      {body: matrix(``), want: `resultType "matrix", want "vector" or "scalar"`},
		"a vector to a range":         {kind: rangeResult, body: row(``), want: `resultType "vector", want "matrix"`},
		"null data":                   {body: `{"status":"success","data":null}`, want: "want data to be an object, got null"},
		"no data":                     {body: `{"status":"success"}`, want: "no data"},
		"no status":                   {body: `{"data":{"resultType":"vector","result":[]}}`, want: `status ""`},
		"an unknown status":           {body: `{"status":"maybe","data":{"resultType":"vector","result":[]}}`, want: `status "maybe"`},
		"a null result":               {body: `{"status":"success","data":{"resultType":"vector","result":null}}`, want: "want result to be an array, got null"},
		"no result":                   {body: `{"status":"success","data":{"resultType":"vector"}}`, want: "no resultType or no result"},
		"no result type":              {body: `{"status":"success","data":{"result":[]}}`, want: "no resultType or no result"},
		"a native histogram":          {body: row(`{"metric":{},"histogram":[1772000000,{"count":"10","sum":"12.5","buckets":[[0,"0.5","1","10"]]}]}`), want: "native histogram"},
		"native histograms":           {kind: rangeResult, body: matrix(`{"metric":{},"histograms":[]}`), want: "native histogram"},
		"a row without a value":       {body: row(`{"metric":{}}`), want: "the row has no value"},
		"a row without a metric":      {body: row(`{"value":[1772000000,"1"]}`), want: "the row has no metric"},
		"a row without points":        {kind: rangeResult, body: matrix(`{"metric":{},"values":[]}`), want: "the row has no value"},
		"values in a vector":          {body: row(`{"metric":{},"values":[[1772000000,"1"]]}`), want: "the row has values, want a value"},
		"a value in a matrix":         {kind: rangeResult, body: matrix(`{"metric":{},"value":[1772000000,"1"]}`), want: "the row has a value, want values"},
		"times that go back":          {kind: rangeResult, body: matrix(`{"metric":{},"values":[[2,"1"],[1,"1"]]}`), want: "ascending"},
		"one time twice":              {kind: rangeResult, body: matrix(`{"metric":{},"values":[[2,"1"],[2,"1"]]}`), want: "ascending"},
		"a null metric":               {body: row(`{"metric":null,"value":[1772000000,"1"]}`), want: "want metric to be an object, got null"},
		"a label that is a number":    {body: row(`{"metric":{"a":1},"value":[1772000000,"1"]}`), want: "want a label value, got a number"},
		"a label twice":               {body: row(`{"metric":{"b":"1","a":"2","b":"3"},"value":[1772000000,"1"]}`), want: `label "b" occurs twice`},
		"a value twice":               {body: row(`{"metric":{},"value":[1,"1"],"value":[1,"1"]}`), want: `"value" occurs twice`},
		"the status twice":            {body: `{"status":"success","status":"error"}`, want: `"status" occurs twice`},
		"an empty value":              {body: row(`{"metric":{},"value":[1,""]}`), want: `value "" is not a number`},
		"a hexadecimal value":         {body: row(`{"metric":{},"value":[1,"0x1p-2"]}`), want: `value "0x1p-2" is not a number`},
		"a value beyond floats":       {body: row(`{"metric":{},"value":[1,"1e999"]}`), want: `value "1e999" is out of range`},
		"a malformed value":           {body: row(`{"metric":{},"value":[1,"1.2.3"]}`), want: `value "1.2.3" is not a number`},
		"a value in words":            {body: row(`{"metric":{},"value":[1,"infinity"]}`), want: "is not a number"},
		"a time beyond all years":     {body: row(`{"metric":{},"value":[1e300,"1"]}`), want: "time 1e300 is out of range"},
		"a time beyond floats":        {body: row(`{"metric":{},"value":[1e999,"1"]}`), want: "out of range"},
		"a number with leading zeros": {body: `{"status":"success","x":01}`, want: "want ',' or '}', got a number"},
		"a number without decimals":   {body: `{"status":"success","x":1.}`, want: "want a digit"},
		"a misspelt literal":          {body: `{"status":"success","x":nul}`, want: "want null"},
		"a misspelt boolean":          {body: `{"status":"success","isPartial":trux}`, want: "want true"},
		"a boolean that is none":      {body: `{"status":"success","isPartial":1}`, want: "want a boolean, got a number"},
		"a bad escape":                {body: `{"status":"\x"}`, want: "byte 10: malformed string"},
		"a control character":         {body: "{\"status\":\"a\nb\"}", want: "malformed string"},
		"an unquoted key":             {body: `{status:1}`, want: "want a key"},
		"a trailing comma":            {body: `{"status":"error",}`, want: "want a key, got '}'"},
		"two answers":                 {body: `{"status":"error"}{}`, want: "byte 18: want the end, got an object"},
		"a zero byte at the end":      {body: "{\"status\":\"error\"}\x00", want: "want the end"},
		"warnings that are no list":   {body: `{"status":"error","warnings":"x"}`, want: "want an array, got a string"},
		"a deep nest":                 {body: `{"x":` + strings.Repeat("[", 100), want: "nested more than 64 deep"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := newDecoder(strings.Clone).decode([]byte(test.body), test.kind)
			if err == nil {
				t.Fatal("got no error")
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %q, want it to contain %q", err, test.want)
			}
		})
	}
}

// A body that is cut anywhere is an error with its position, and no cut panics.
func TestDecodeTruncated(t *testing.T) {
	body := vectorHead + `{"metric":{"pod":"caf\u00e9"},"value":[1772000000.5,"1.5e3"]}]},"warnings":["x"],"isPartial":false}`
	for n := range len(body) {
		_, err := newDecoder(strings.Clone).decode([]byte(body[:n]), instantResult)
		if err == nil {
			t.Fatalf("cut at %d: got no error", n)
		}
		if want := fmt.Sprintf("byte %d", n); !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "unexpected end") {
			t.Errorf("cut at %d: got %q, want it to contain %q", n, err, want)
		}
	}
}

// A decoder is used again and again, and must not mix up its answers.
func TestDecoderReuse(t *testing.T) {
	d := newDecoder(strings.Clone)
	data := []byte(vectorHead + `{"metric":{"pod":"aaaa"},"value":[1,"1"]}]}}`)
	first, err := d.decode(data, instantResult)
	if err != nil {
		t.Fatal(err)
	}
	copy(data, strings.Repeat("x", len(data)))
	if _, err := d.decode(data, instantResult); err == nil {
		t.Error("got no error for rubbish")
	}
	for i := range maxInterned + 1 {
		d.strings[strconv.Itoa(i)] = ""
	}
	if _, err := d.decode([]byte(vectorHead+`{"metric":{"pod":"bbbb","q":"c"},"value":[2,"2"]}]}}`), instantResult); err != nil {
		t.Fatal(err)
	}
	if n := len(d.strings); n > 10 {
		t.Errorf("got %d strings kept, want the old ones gone", n)
	}
	if want := (Series{MakeLabels("pod", "aaaa"), []Point{{1000, 1}}}); !reflect.DeepEqual(first.result.Series[0], want) {
		t.Errorf("the first answer became %+v, want %+v", first.result.Series[0], want)
	}
}

// sameResult compares results, with NaN equal to itself.
func sameResult(a, b Result) bool {
	if len(a.Series) != len(b.Series) || fmt.Sprint(a.Warnings, a.Infos) != fmt.Sprint(b.Warnings, b.Infos) {
		return false
	}
	for i := range a.Series {
		if a.Series[i].Labels.String() != b.Series[i].Labels.String() || len(a.Series[i].Points) != len(b.Series[i].Points) {
			return false
		}
		for j, p := range a.Series[i].Points {
			if q := b.Series[i].Points[j]; p.T != q.T || math.Float64bits(p.V) != math.Float64bits(q.V) {
				return false
			}
		}
	}
	return true
}
