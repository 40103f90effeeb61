package hpa

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// A draw takes one byte for each choice, and 0 at the end.
type draw []byte

func (d *draw) n(limit int) int {
	if len(*d) == 0 {
		return 0
	}
	b := int((*d)[0])
	*d = (*d)[1:]
	return b % limit
}

func (d *draw) rules() Rules {
	r := Rules{
		Window: time.Duration(d.n(4)) * time.Minute,
		Select: []Select{Max, Min, Disabled, ""}[d.n(4)],
	}
	for range d.n(3) {
		r.Policies = append(r.Policies, Policy{
			Type:   []PolicyType{Pods, Percent}[d.n(2)],
			Value:  []int32{1, 4, 10, 90, 100, 200, math.MaxInt32}[d.n(7)],
			Period: []time.Duration{15 * time.Second, time.Minute, 30 * time.Minute}[d.n(3)],
		})
	}
	return r
}

func (d *draw) spec() Spec {
	s := Spec{Min: int32(d.n(4)), Flags: DefaultFlags()}
	s.Max = max(1, s.Min) + int32(d.n(40))
	s.Flags.ScaleToZero = d.n(4) > 0
	for range 1 + d.n(3) {
		s.Metrics = append(s.Metrics, Metric{
			Kind: []Kind{
				ExternalAverage, ExternalValue, ObjectAverage, ObjectValue, PodsAverage, ResourceAverage, ResourceUtilization,
			}[d.n(7)],
			Name: []string{"queue", CPU}[d.n(2)], Target: []int64{1, 60, 1000, 24000, math.MaxInt64}[d.n(5)],
		})
	}
	if d.n(3) > 0 {
		s.Behaviour = &Behaviour{
			Up:   Direction{d.rules(), float64(d.n(5)) / 10},
			Down: Direction{d.rules(), float64(d.n(5)) / 10},
		}
	}
	return s
}

// milli draws a value, extremes among them.
func (d *draw) milli() int64 {
	return []int64{0, 1, 1000, 5000, 24000, 100_000, 1e15, -1, math.MaxInt64, math.MinInt64}[d.n(10)]
}

func (d *draw) observation(s *Spec, replicas int32, now time.Time) Observation {
	o := Observation{Replicas: replicas, Status: max(0, replicas+int32(d.n(3))-1)}
	for range s.Metrics {
		var series []int64
		for range d.n(3) {
			series = append(series, d.milli())
		}
		o.Values = append(o.Values, series)
	}
	for range d.n(5) {
		p := Pod{
			Phase: []Phase{"", Running, Pending, Failed}[d.n(4)], Gone: d.n(8) == 7, Deleting: d.n(8) == 7,
			Ready:      []Readiness{Ready, NotReady, ""}[d.n(3)],
			ReadySince: now.Add(-time.Duration(d.n(20)) * time.Minute), Started: now.Add(-time.Duration(d.n(20)) * time.Minute),
			Request: Amount{d.milli(), d.n(8) > 0},
		}
		for range s.Metrics {
			p.Samples = append(p.Samples, Sample{Amount{d.milli(), d.n(4) > 0}, now, time.Minute})
		}
		o.Pods = append(o.Pods, p)
	}
	return o
}

// FuzzReconcile follows a controller through what the input chooses. Whatever its metrics
// say, a count within the bounds stays within them, and only zero stays outside.
func FuzzReconcile(f *testing.F) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, size := range []int{0, 30, 300, 1000} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := draw(data)
		spec, now := d.spec(), time.Unix(1_700_000_000, 0)
		var s State
		replicas := int32(d.n(50))
		for range 20 {
			o := d.observation(&spec, replicas, now)
			twin := s.Clone()
			got := s.Reconcile(now, &spec, &o)
			if again := twin.Reconcile(now, &spec, &o); !reflect.DeepEqual(got, again) || !reflect.DeepEqual(&s, twin) {
				t.Fatalf("a copy decides differently: got %+v and %+v", got, again)
			}
			checkReconciled(t, &spec, &o, &got)
			if replicas = got.Desired; d.n(6) == 5 {
				replicas = int32(d.n(50)) // someone else scales
			}
			now = now.Add(time.Duration(1+d.n(120)) * time.Second)
		}
	})
}

func checkReconciled(t *testing.T, spec *Spec, o *Observation, d *Decision) {
	t.Helper()
	if stays := d.Desired == 0 && o.Replicas == 0; !stays && (d.Desired < spec.Min || d.Desired > spec.Max) {
		t.Fatalf("got %d from %d, want %d to %d", d.Desired, o.Replicas, spec.Min, spec.Max)
	}
	if d.Winner < -1 || d.Winner >= len(spec.Metrics) {
		t.Fatalf("got metric %d as the winner of %d", d.Winner, len(spec.Metrics))
	}
	if d.Desired == o.Replicas && d.Rescale != Unexplained {
		t.Fatalf("got %v as the reason for no change", d.Rescale)
	}
	_ = d.Reason(spec) // reads the winner
	seen := map[ConditionType]bool{}
	for _, c := range d.Conditions.All() {
		if seen[c.Type] || c.Reason == "" {
			t.Fatalf("got the condition %s twice or without a reason", c)
		}
		seen[c.Type] = true
	}
}
