package sim_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/infscale/infscale/recommender/sim"
)

// FuzzParseReplica checks that a preset is a replica that can run, that its text means the
// same again, and that a mistake says what was read.
func FuzzParseReplica(f *testing.F) {
	for _, text := range []string{
		"llama-3.1-8b/h100", "llama-3.1-70b/4xh100/fp8", "LLAMA-3.1-8B/L4", "llama-3.1-8b/0xh100", "llama-3.1-8b/99999999999999999999xh100",
		"qwen3-8b/x", "/", "a/b/c/d", "llama-3.1-8b/2xh100/int4", "llama-3.1-405b/1xl4",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := sim.ParsePreset(text)
		if err != nil {
			if s := err.Error(); strings.ContainsFunc(s, func(r rune) bool { return r < ' ' }) {
				t.Errorf("%q: got the mistake %q, want one printable line", text, s)
			}
			return
		}
		p.TensorParallel = max(p.TensorParallel, 1) // as 0 is
		again, err := sim.ParsePreset(p.String())
		again.TensorParallel = max(again.TensorParallel, 1)
		if err != nil || again != p {
			t.Errorf("%q: got %+v and %v from %s, want %+v", text, again, err, p, p)
		}
		r, err := sim.ParseReplica(text)
		if err != nil {
			return
		}
		if err := r.Validate(); err != nil {
			t.Errorf("%q: got a replica that is not valid: %v", text, err)
		}
		v := reflect.ValueOf(r)
		for i := range v.NumField() {
			if n := v.Field(i); n.Kind() == reflect.Float64 && (math.IsNaN(n.Float()) || math.IsInf(n.Float(), 0) || n.Float() < 0) {
				t.Errorf("%q: got %s %v", text, v.Type().Field(i).Name, n.Float())
			}
		}
	})
}
