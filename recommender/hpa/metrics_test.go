package hpa

import (
	"math"
	"testing"
	"time"
)

func TestProposals(t *testing.T) {
	for name, c := range map[string]struct {
		kind     Kind
		target   int64
		replicas int32
		status   int32
		series   []int64
		ready    int
		want     int32
	}{
		"average: on the border of the tolerance":       {ExternalAverage, 10_000, 10, 10, []int64{110_000}, 0, 10},
		"average: one milli beyond":                     {ExternalAverage, 10_000, 10, 10, []int64{110_001}, 0, 12},
		"average: the load of the status undoes a rise": {ExternalAverage, 4_000, 10, 5, []int64{20_000}, 0, 5},
		"average: no epsilon":                           {ExternalAverage, 3_000_000_000, 1, 1, []int64{9_000_000_001}, 0, 4},
		"average: milli are whole":                      {ExternalAverage, 700, 1, 1, []int64{2_100}, 0, 3},
		"average: series add up":                        {ExternalAverage, 1_000, 1, 1, []int64{5_000, -3_000}, 0, 2},
		"average: a negative sum is an overflow":        {ExternalAverage, 1_000, 1, 1, []int64{-3_000, 5_000}, 0, math.MaxInt32},
		"average: nothing from zero":                    {ExternalAverage, 1_000, 0, 0, []int64{0}, 0, 0},
		"average: from zero":                            {ExternalAverage, 1_000, 0, 0, []int64{1}, 0, 1},
		"object average: a negative value stays one":    {ObjectAverage, 1_000, 1, 1, []int64{-3_000}, 0, -3},
		"object average: no cap, so out of range":       {ObjectAverage, 1, 1, 1, []int64{math.MaxInt64}, 0, math.MinInt32},
		"value: the ready pods scale, not the replicas": {ExternalValue, 10_000, 8, 8, []int64{15_000}, 4, 6},
		"value: within the tolerance the replicas stay": {ExternalValue, 10_000, 8, 8, []int64{11_000}, 4, 8},
		"value: none ready":                             {ExternalValue, 10_000, 8, 8, []int64{15_000}, 0, 0},
		"value: a negative sum stays one":               {ExternalValue, 10_000, 8, 8, []int64{-20_000, 5_000}, 4, -6},
		"value: a positive overflow is capped":          {ExternalValue, 1, 8, 8, []int64{math.MaxInt64, math.MaxInt64}, 4, math.MaxInt32},
		"value: from zero the ratio itself":             {ObjectValue, 10_000, 0, 0, []int64{15_000}, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &Spec{Min: 0, Max: 10, Flags: DefaultFlags(), Metrics: []Metric{{Kind: c.kind, Target: c.target}}}
			o := &Observation{Replicas: c.replicas, Status: c.status, Values: [][]int64{c.series}}
			for i := range 8 {
				o.Pods = append(o.Pods, Pod{Ready: NotReady})
				if i < c.ready {
					o.Pods[i].Ready = Ready
				}
			}
			if got, ok := propose(at(0), spec, 0, o); !ok || got != c.want {
				t.Errorf("got %d, %v, want %d", got, ok, c.want)
			}
		})
	}
}

func TestMetricsWithoutAnAnswer(t *testing.T) {
	listed := []Pod{{Ready: Ready, Samples: []Sample{{}}}}
	gone := []Pod{{Gone: true, Samples: []Sample{{Amount: Amount{1_000, true}}}}}
	heard := []Pod{{Ready: Ready, Samples: []Sample{{Amount: Amount{1_000, true}}}}}
	for name, c := range map[string]struct {
		kind   Kind
		values [][]int64
		pods   []Pod
		want   Reason
	}{
		"external: no entry":                  {ExternalAverage, nil, listed, FailedGetExternalMetric},
		"external: no series":                 {ExternalAverage, [][]int64{{}}, listed, FailedGetExternalMetric},
		"external value: no pods":             {ExternalValue, [][]int64{{90}}, nil, FailedGetExternalMetric},
		"object: no value":                    {ObjectAverage, [][]int64{nil}, listed, FailedGetObjectMetric},
		"object value: no listed pods":        {ObjectValue, [][]int64{{90}}, gone, FailedGetObjectMetric},
		"pods: no value":                      {PodsAverage, nil, listed, FailedGetPodsMetric},
		"pods: no samples at all":             {PodsAverage, nil, []Pod{{Ready: Ready}}, FailedGetPodsMetric},
		"pods: no listed pods":                {PodsAverage, nil, gone, FailedGetPodsMetric},
		"resource: no value":                  {ResourceAverage, nil, listed, FailedGetResourceMetric},
		"utilisation: a pod without request":  {ResourceUtilization, nil, heard, FailedGetResourceMetric},
		"utilisation: requests of zero total": {ResourceUtilization, nil, withRequest(heard, 0), FailedGetResourceMetric},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &Spec{Min: 1, Max: 10, Flags: DefaultFlags(), Metrics: []Metric{{Kind: c.kind, Name: "memory", Target: 50}}}
			o := &Observation{Replicas: 3, Status: 3, Values: c.values, Pods: c.pods}
			d := new(State).Reconcile(at(0), spec, o)
			want := Condition{ScalingActive, false, c.want}
			if got := d.Conditions.All(); d.Desired != 3 || d.Winner != -1 || len(got) != 2 || got[1] != want {
				t.Errorf("got desired %d, winner %d, %v, want 3, -1, %v", d.Desired, d.Winner, got, want)
			}
		})
	}
}

func withRequest(pods []Pod, request int64) []Pod {
	to := append([]Pod(nil), pods...)
	for i := range to {
		to[i].Request = Amount{request, true}
	}
	return to
}

func TestStanding(t *testing.T) {
	const minute = time.Minute
	heard := Sample{Amount: Amount{1, true}, Time: at(1000), Window: minute}
	old := Pod{Ready: Ready, Started: at(0), ReadySince: at(10)}
	for name, c := range map[string]struct {
		pod    Pod
		sample Sample
		cpu    bool
		want   standing
	}{
		"an old ready pod":                 {old, heard, true, counted},
		"without a value":                  {old, Sample{}, true, unheard},
		"pending, whatever its value":      {Pod{Phase: Pending}, heard, false, unready},
		"failed":                           {Pod{Phase: Failed}, heard, false, ignored},
		"deleted while pending":            {Pod{Phase: Pending, Deleting: true}, heard, false, ignored},
		"no longer listed":                 {Pod{Gone: true, Deleting: true}, heard, false, unlisted},
		"not ready, but not CPU":           {Pod{Ready: NotReady}, heard, false, counted},
		"CPU without a Ready condition":    {Pod{Started: at(0)}, heard, true, unready},
		"CPU without a start":              {Pod{Ready: Ready}, heard, true, unready},
		"CPU, young and not ready":         {Pod{Ready: NotReady, Started: at(701)}, heard, true, unready},
		"CPU, young, sample all since":     {Pod{Ready: Ready, Started: at(701), ReadySince: at(940)}, heard, true, counted},
		"CPU, young, sample begins before": {Pod{Ready: Ready, Started: at(701), ReadySince: at(940.001)}, heard, true, unready},
		// 300 s after its start a pod is no longer young.
		"CPU, just old, sample does not matter": {Pod{Ready: Ready, Started: at(700), ReadySince: at(999)}, heard, true, counted},
		"CPU, old, was ready once":              {Pod{Ready: NotReady, Started: at(0), ReadySince: at(30)}, heard, true, counted},
		"CPU, old, never was ready":             {Pod{Ready: NotReady, Started: at(0), ReadySince: at(29.999)}, heard, true, unready},
		"CPU, readiness unknown":                {Pod{Ready: "Unknown", Started: at(0)}, heard, true, counted},
	} {
		t.Run(name, func(t *testing.T) {
			f := DefaultFlags()
			if got := c.pod.standing(at(1000), c.sample, c.cpu, &f); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

// Only CPU has a start-up that looks like load.
func TestReadinessMattersForCPUOnly(t *testing.T) {
	for name, want := range map[string]int32{
		CPU:      1, // 500 over 1000, times the one ready pod
		"memory": 3, // (500 + 2000) / 2 over 1000, times both pods
	} {
		spec := &Spec{Min: 1, Max: 10, Flags: DefaultFlags(), Metrics: []Metric{{Kind: ResourceAverage, Name: name, Target: 1_000}}}
		busy := Sample{Amount: Amount{500, true}, Time: at(1000)}
		o := &Observation{Replicas: 4, Pods: []Pod{
			{Ready: Ready, Started: at(0), Samples: []Sample{busy}},
			{Ready: NotReady, Started: at(990), Samples: []Sample{{Amount: Amount{2_000, true}, Time: at(1000)}}},
		}}
		if got, ok := propose(at(1000), spec, 0, o); !ok || got != want {
			t.Errorf("%s: got %d, %v, want %d", name, got, ok, want)
		}
	}
}

func TestMetricNames(t *testing.T) {
	for kind, want := range map[Kind]string{
		ExternalAverage:     "external metric n(nil)",
		ExternalValue:       "external metric n(nil)",
		ObjectAverage:       "external metric n(nil)", // the controller's own slip
		ObjectValue:         "Ingress metric n",
		PodsAverage:         "pods metric n",
		ResourceAverage:     "n resource",
		ResourceUtilization: "n resource utilization (percentage of request)",
	} {
		if got := (Metric{Kind: kind, Name: "n", Object: "Ingress"}).String(); got != want {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
}

func TestSeveralMetrics(t *testing.T) {
	const none = -1
	for name, c := range map[string]struct {
		replicas    int32
		values      []int64 // milli, for a target of 1; none: no answer
		raw, winner int
		reason      Reason
	}{
		"the highest wins":                      {2, []int64{1_000, 5_000, 3_000}, 5, 1, ValidMetricFound},
		"ties go to the first":                  {2, []int64{1_000, 5_000, 5_000}, 5, 1, ValidMetricFound},
		"if all propose zero the last is named": {2, []int64{0, 0, 0}, 0, 2, ValidMetricFound},
		"one missing, the others grow":          {2, []int64{none, 5_000, 1_000}, 5, 1, ValidMetricFound},
		"one missing, the others hold":          {5, []int64{none, 5_000, 1_000}, 5, 1, ValidMetricFound},
		"one missing, the others shrink":        {6, []int64{1_000, none, 5_000}, 0, none, FailedGetObjectMetric},
		"two missing, the first is named":       {6, []int64{5_000, none, none}, 0, none, FailedGetObjectMetric},
		"all missing, the first is named":       {6, []int64{none, none, none}, 0, none, FailedGetExternalMetric},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &Spec{Min: 1, Max: 9, Flags: DefaultFlags(), Metrics: []Metric{
				{Kind: ExternalAverage, Target: 1_000}, {Kind: ObjectAverage, Target: 1_000}, {Kind: ExternalAverage, Target: 1_000},
			}}
			o := observe(c.replicas, c.values...)
			for i, v := range c.values {
				if v == none {
					o.Values[i] = nil
				}
			}
			d := new(State).Reconcile(at(0), spec, o)
			reason := d.Conditions.All()[1].Reason
			if int(d.Raw) != c.raw || d.Winner != c.winner || reason != c.reason {
				t.Errorf("got %d by %d, %s, want %d by %d, %s", d.Raw, d.Winner, reason, c.raw, c.winner, c.reason)
			}
		})
	}
}

func TestCautious(t *testing.T) {
	for name, c := range map[string]struct {
		current       int32
		ratio, filled float64
		values        int64
		want          int32
	}{
		"it grows":                             {4, 2, 1.5, 4, 6},
		"it shrinks":                           {4, 0.2, 0.5, 4, 2},
		"filling leaves it within tolerance":   {4, 2, 1.1, 9, 4},
		"filling turns growing into shrinking": {4, 2, 0.5, 4, 4},
		"filling turns shrinking into growing": {4, 0.5, 2, 4, 4},
		"growing to fewer, for few have pods":  {9, 2, 1.5, 4, 9},
		"shrinking to more, for others linger": {2, 0.2, 0.5, 8, 2},
		"from exactly on target it may move":   {4, 1, 1.5, 4, 6},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &Spec{Flags: DefaultFlags()}
			if got := cautious(spec, c.current, c.ratio, c.filled, c.values); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}
