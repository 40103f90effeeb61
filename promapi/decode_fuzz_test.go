package promapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

// reference decodes with encoding/json, as simply as can be.
func reference(body []byte) (Result, error) {
	var answer struct {
		Status   string
		Data     map[string]json.RawMessage
		Warnings []string
		Infos    []string
	}
	var top map[string]json.RawMessage
	if err := json.Unmarshal(body, &top); err != nil {
		return Result{}, err
	}
	for key, into := range map[string]any{"status": &answer.Status, "data": &answer.Data, "warnings": &answer.Warnings, "infos": &answer.Infos} {
		if raw, ok := top[key]; ok {
			if err := json.Unmarshal(raw, into); err != nil {
				return Result{}, err
			}
		}
	}
	r := Result{Infos: answer.Infos}
	for _, w := range answer.Warnings {
		if strings.HasPrefix(w, "PromQL info:") {
			r.Infos = append(r.Infos, w)
		} else {
			r.Warnings = append(r.Warnings, w)
		}
	}
	if string(top["isPartial"]) == "true" {
		r.Warnings = append(r.Warnings, "the answer is partial")
	}
	var resultType string
	if err := json.Unmarshal(answer.Data["resultType"], &resultType); err != nil {
		return Result{}, err
	}
	if resultType == "scalar" {
		p, err := referencePoint(answer.Data["result"])
		r.Series = []Series{{Points: []Point{p}}}
		return r, err
	}
	var rows []map[string]json.RawMessage
	if err := json.Unmarshal(answer.Data["result"], &rows); err != nil {
		return Result{}, err
	}
	for _, row := range rows {
		s, err := referenceSeries(row, resultType)
		if err != nil {
			return Result{}, err
		}
		r.Series = append(r.Series, s)
	}
	return r, nil
}

func referenceSeries(row map[string]json.RawMessage, resultType string) (Series, error) {
	var metric map[string]string
	if err := json.Unmarshal(row["metric"], &metric); err != nil {
		return Series{}, err
	}
	var s Series
	var pairs []string
	for name, value := range metric {
		pairs = append(pairs, name, value)
	}
	s.Labels = MakeLabels(pairs...)
	values := []json.RawMessage{row["value"]}
	if resultType == "matrix" {
		if err := json.Unmarshal(row["values"], &values); err != nil {
			return Series{}, err
		}
	}
	for _, raw := range values {
		p, err := referencePoint(raw)
		if err != nil {
			return Series{}, err
		}
		s.Points = append(s.Points, p)
	}
	return s, nil
}

func referencePoint(raw json.RawMessage) (Point, error) {
	var pair []any
	if err := json.Unmarshal(raw, &pair); err != nil {
		return Point{}, err
	}
	if len(pair) != 2 {
		return Point{}, errors.New("not a pair")
	}
	at, ok1 := pair[0].(float64)
	text, ok2 := pair[1].(string)
	if !ok1 || !ok2 {
		return Point{}, errors.New("wrong types")
	}
	v, err := strconv.ParseFloat(text, 64)
	return Point{T: int64(math.Round(at * 1000)), V: v}, err
}

// Whatever the decoder accepts, encoding/json accepts and reads alike.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		vectorHead + `{"metric":{"a":"1","b":"caf\u00e9"},"value":[1772000000.123,"+Inf"]},{"metric":{"b":"x","a":"1"},"value":[1.5e9,"NaN"]}]},"warnings":["w"],"infos":[]}`,
		`{"status":"success","data":{"resultType":"scalar","result":[1772000000,"-0"]},"isPartial":true}`,
		`{"status":"success","data":{"result":[{"values":[[1,"1e300"],[2,"-1e-300"]],"metric":{}}],"resultType":"matrix"}}`,
		`{"status":"error","errorType":"execution","error":"x","data":{"x":[null,true,-1.5e+3]}}`,
		vectorHead + `{"metric":{},"histogram":[1,{"count":"10"}]}]}}`,
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	d := newDecoder(strings.Clone)
	f.Fuzz(func(t *testing.T, body []byte, ranged bool) {
		kind := instantResult
		if ranged {
			kind = rangeResult
		}
		env, err := d.decode(body, kind)
		if err != nil {
			return
		}
		if !json.Valid(body) {
			t.Fatalf("accepted text that is not JSON: %q", body)
		}
		if env.status == "error" {
			return
		}
		want, err := reference(body)
		if err != nil {
			t.Fatalf("accepted what the reference refuses: %v", err)
		}
		if !sameResult(env.result, want) {
			t.Fatalf("got %+v, want %+v", env.result, want)
		}
	})
}

// tickBody is an answer of the size that a large tick has: gauges of 10,000 pods.
func tickBody(rows int) []byte {
	var b strings.Builder
	b.WriteString(vectorHead)
	for i := range rows {
		if i > 0 {
			b.WriteByte(',')
		}
		pod := fmt.Sprintf("chat-%d-7d9c5b6f8-x%04d", i/10%100, i/10)
		fmt.Fprintf(&b, `{"metric":{"container":"vllm","endpoint":"http","engine":"%d","instance":"10.1.%d.%d:8000","job":"inference/vllm","model_name":"meta-llama/Llama-3.1-8B","namespace":"inference","pod":%q,"signal":"s%d"},"value":[1772000000.123,"%d.5"]}`,
			i%2, i/10/250%250, i/10%250, pod, i%10, i)
	}
	b.WriteString("]}}")
	return []byte(b.String())
}

func BenchmarkDecode(b *testing.B) {
	body := tickBody(100_000)
	b.Run("own", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		d := newDecoder(strings.Clone)
		for b.Loop() {
			if _, err := d.decode(body, instantResult); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encoding_json", func(b *testing.B) {
		b.SetBytes(int64(len(body)))
		b.ReportAllocs()
		for b.Loop() {
			var v struct {
				Status string `json:"status"`
				Data   struct {
					ResultType string `json:"resultType"`
					Result     []struct {
						Metric map[string]string `json:"metric"`
						Value  [2]any            `json:"value"`
					} `json:"result"`
				} `json:"data"`
			}
			if err := json.Unmarshal(body, &v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
