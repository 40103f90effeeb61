package k8s_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender/config"
)

// consumer is the expression that a ScaledObject of ours asks, in one line: the larger twin,
// and one with complete evidence before one without.
func consumer(namespace, name string) string {
	series := fmt.Sprintf("{workload_namespace=%q,workload=%q}", namespace, name)
	return "max(infscale_desired_replicas" + series +
		" and on (instance) (infscale_decision_valid" + series + " == 1))" +
		" or max(infscale_desired_replicas" + series + ")"
}

// follows reports whether the ScaledObject reads infscale.
func (s *scaledObject) follows() bool {
	return strings.Contains(string(s.Spec.Triggers[0].Metadata["query"]), "infscale_desired_replicas")
}

func TestScaledObjectsThatFollowInfscale(t *testing.T) {
	n := 0
	each(t, func(t *testing.T, name string, s *scaledObject) {
		if !s.follows() {
			return
		}
		n++
		w := entryOf(t, name)
		if len(s.Spec.Triggers) != 1 {
			t.Fatalf("got %d triggers, want one: infscale has taken the largest of its signals", len(s.Spec.Triggers))
		}
		tr := s.Spec.Triggers[0]
		want := texts{
			"threshold": "1", "activationThreshold": "0", "ignoreNullValues": "false",
			"query": text(consumer(w.Namespace, w.Name)),
		}
		for key, value := range want {
			if tr.Metadata[key] != value {
				t.Errorf("got %s %q, want %q", key, tr.Metadata[key], value)
			}
		}
		if tr.Type != "prometheus" || tr.MetricType != "AverageValue" {
			t.Errorf("got trigger %+v, want a total of Prometheus", tr)
		}
		checkTransparent(t, s.Spec.Advanced.HPA.Behavior, s.Spec.Max)
		checkBounds(t, s, w)
	})
	if n < 6 {
		t.Errorf("got %d ScaledObjects that follow infscale, want those of keda, keda/auth, keda/zero, kserve, simulator and vllm", n)
	}
}

// entryOf returns the one workload of the configuration beside a manifest.
func entryOf(t *testing.T, name string) config.Entry {
	t.Helper()
	beside := name[:strings.LastIndex(name, "/")+1] + "infscale.yaml"
	c, ok := configs(t)[beside]
	if !ok || len(c.Entries) != 1 {
		t.Fatalf("got no configuration of one workload in %s", beside)
	}
	return c.Entries[0]
}

// checkTransparent reports an HPA that damps once more what infscale has damped.
func checkTransparent(t *testing.T, b behavior, most int) {
	t.Helper()
	for direction, r := range map[string]*scalingRules{"up": b.Up, "down": b.Down} {
		if r == nil || show(r.Window) != "0" || r.Tolerance != "0" || len(r.Policies) != 1 {
			t.Errorf("%s: got %+v, want a window of 0, a tolerance of 0 and one wide policy", direction, r)
			continue
		}
		wide := map[string]string{"up": fmt.Sprintf("{Pods %d 15}", most), "down": "{Percent 100 15}"}[direction]
		if p := fmt.Sprint(r.Policies[0]); p != wide {
			t.Errorf("%s: got policy %s, want %s: all of them at once", direction, p, wide)
		}
	}
}

// checkBounds compares a ScaledObject with the workload of infscale that it follows.
func checkBounds(t *testing.T, s *scaledObject, w config.Entry) {
	t.Helper()
	if show(s.Spec.Min) != fmt.Sprint(w.Replicas.Min) || s.Spec.Max != int(w.Replicas.Max) {
		t.Errorf("got bounds %s and %d, want those of infscale.yaml, %d and %d", show(s.Spec.Min), s.Spec.Max, w.Replicas.Min, w.Replicas.Max)
	}
	target := w.Name
	if w.Kind == promapi.InferenceService {
		target += "-predictor"
	}
	if s.Spec.Target.Name != target || s.Metadata.Namespace != w.Namespace {
		t.Errorf("got target %s in %s, want %s in %s", s.Spec.Target.Name, s.Metadata.Namespace, target, w.Namespace)
	}
	// The wait before zero is infscale's; KEDA ignores its own above zero.
	want := "no"
	if w.Replicas.Min == 0 {
		want = "0"
	}
	if got := show(s.Spec.Cooldown); got != want {
		t.Errorf("got %s cooldownPeriod with a minimum of %d, want %s", got, w.Replicas.Min, want)
	}
}

func TestScaledObjectsFallBack(t *testing.T) {
	each(t, func(t *testing.T, _ string, s *scaledObject) {
		f := s.Spec.Fallback
		if f.Threshold < 1 || f.Behavior != "currentReplicasIfHigher" {
			t.Errorf("got fallback %+v, want one that never goes below the current replicas", f)
		}
		if s.Spec.Min == nil || f.Replicas < *s.Spec.Min || f.Replicas > s.Spec.Max {
			t.Errorf("got %d replicas to fall back to, want them within %s and %d", f.Replicas, show(s.Spec.Min), s.Spec.Max)
		}
	})
}

// A trigger may hold only keys that its scaler in KEDA knows: metricName is one that it dropped.
func TestTriggersHoldKnownKeys(t *testing.T) {
	known := map[string][]string{
		"prometheus":    {"serverAddress", "query", "threshold", "activationThreshold", "ignoreNullValues", "authModes"},
		"cron":          {"timezone", "start", "end", "desiredReplicas"},
		"external-push": {"scalerAddress", "interceptorRoute"},
	}
	each(t, func(t *testing.T, _ string, s *scaledObject) {
		for _, tr := range s.Spec.Triggers {
			for key := range tr.Metadata {
				if !slices.Contains(known[tr.Type], key) {
					t.Errorf("%s: got key %q, want one of %v", tr.Type, key, known[tr.Type])
				}
			}
		}
	})
}

func TestCronTriggerIsTheScheduleOfInfscale(t *testing.T) {
	s := read[scaledObject](t, "examples/vllm/without-infscale/scaledobject.yaml")
	with := read[scaledObject](t, "examples/vllm/scaledobject.yaml")
	if s.Metadata.Name != with.Metadata.Name || s.Metadata.Namespace != with.Metadata.Namespace {
		t.Errorf("got %s, want the name of the other one: two would scale one target", s.Metadata.Name)
	}
	i := slices.IndexFunc(s.Spec.Triggers, func(tr trigger) bool { return tr.Type == "cron" })
	if i < 0 {
		t.Fatal("got no cron trigger")
	}
	got := s.Spec.Triggers[i].Metadata
	want := configs(t)["examples/vllm/infscale.yaml"].Entries[0].Schedules[0]
	if string(got["timezone"]) != want.Timezone || string(got["start"]) != want.Start || string(got["end"]) != want.End {
		t.Errorf("got %v, want the times of %+v", got, want)
	}
	if n, err := strconv.Atoi(string(got["desiredReplicas"])); err != nil || n != int(want.Min) {
		t.Errorf("got %d replicas, want %d: %v", n, want.Min, err)
	}
}

// A schedule that starts later than a cold start before it is needed has no replicas when it
// begins. The office hours of the example begin at 9.
func TestScheduleStartsAColdStartEarly(t *testing.T) {
	w := configs(t)["examples/vllm/infscale.yaml"].Entries[0]
	start, err := time.Parse("4 15 * * 1-5", w.Schedules[0].Start)
	if err != nil {
		t.Fatal(err)
	}
	office := time.Date(start.Year(), start.Month(), start.Day(), 9, 0, 0, 0, time.UTC)
	if lead := office.Sub(start); lead < time.Duration(w.ColdStart) {
		t.Errorf("got %s before nine, want the cold start at least, %s", lead, time.Duration(w.ColdStart))
	}
}

func TestHPAsAreExplicit(t *testing.T) {
	each(t, func(t *testing.T, name string, h *horizontalPodAutoscaler) {
		if h.Spec.Min < 1 || h.Spec.Max < h.Spec.Min || len(h.Spec.Metrics) != 1 {
			t.Fatalf("got bounds %d and %d and %d metrics", h.Spec.Min, h.Spec.Max, len(h.Spec.Metrics))
		}
		m := h.Spec.Metrics[0]
		if m.Type != "External" || m.External.Target.Type != "AverageValue" {
			t.Errorf("got metric %+v, want an External total over AverageValue", m)
		}
		if h.Spec.Behavior.Up == nil || h.Spec.Behavior.Down == nil {
			t.Error("got no behavior, which is another algorithm")
		}
		if m.External.Metric.Name != "infscale_desired_replicas" {
			return
		}
		checkTransparent(t, h.Spec.Behavior, h.Spec.Max)
		w := entryOf(t, name)
		if h.Metadata.Namespace != w.Namespace || h.Spec.Target.Name != w.Name ||
			h.Spec.Min != int(w.Replicas.Min) || h.Spec.Max != int(w.Replicas.Max) {
			t.Errorf("got %+v, want the workload and the bounds of %+v", h.Spec, w)
		}
		if m.External.Target.AverageValue != "1" || string(m.External.Metric.Selector.MatchLabels["workload"]) != w.Name {
			t.Errorf("got %+v, want the workload's number over 1", m.External)
		}
	})
}

// The HPA that infscale imitates spells out the defaults of Kubernetes.
func TestImitatedHPAHasTheDefaults(t *testing.T) {
	b := read[horizontalPodAutoscaler](t, "examples/imitated/hpa.yaml").Spec.Behavior
	for want, got := range map[string]string{
		"up 0 [{Percent 100 15} {Pods 4 15}] Max":  fmt.Sprint("up ", show(b.Up.Window), " ", b.Up.Policies, " ", b.Up.Select),
		"down 300 [{Percent 100 15}] Max":          fmt.Sprint("down ", show(b.Down.Window), " ", b.Down.Policies, " ", b.Down.Select),
		"tolerance  and , which are the cluster's": fmt.Sprintf("tolerance %s and %s, which are the cluster's", b.Up.Tolerance, b.Down.Tolerance),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Two scalers on one target take turns. The same object twice is one, of which the later wins.
func TestNoTargetHasTwoScalers(t *testing.T) {
	scalers := map[string]string{}
	add := func(t *testing.T, o *object, target scaleTarget) {
		key := o.Metadata.Namespace + "/" + target.Name
		me := o.Kind + " " + o.Metadata.Name
		if other, ok := scalers[key]; ok && other != me {
			t.Errorf("got %s scaled by %s and by %s", key, other, me)
		}
		scalers[key] = me
	}
	each(t, func(t *testing.T, _ string, s *scaledObject) { add(t, &s.object, s.Spec.Target) })
	each(t, func(t *testing.T, _ string, h *horizontalPodAutoscaler) { add(t, &h.object, h.Spec.Target) })
}

// What holds requests at zero is the route of the workload, and infscale reads that one.
func TestZeroIsWokenByItsRoute(t *testing.T) {
	w := configs(t)["examples/keda/zero/infscale.yaml"].Entries[0]
	r := read[interceptorRoute](t, "examples/keda/zero/interceptorroute.yaml")
	held := w.Held[0].Match
	if held["route_namespace"] != r.Metadata.Namespace || held["route_name"] != r.Metadata.Name {
		t.Errorf("got held %v, want the route %s/%s", held, r.Metadata.Namespace, r.Metadata.Name)
	}
	push := read[kustomization](t, "examples/keda/zero-push/kustomization.yaml")
	var steps []patchStep
	decode(t, "zero-push", []byte(push.Patches[0].Patch), &steps)
	var tr trigger
	if err := steps[0].Value.Decode(&tr); err != nil {
		t.Fatal(err)
	}
	if steps[0].Path != "/spec/triggers/-" || tr.Type != "external-push" || string(tr.Metadata["interceptorRoute"]) != r.Metadata.Name {
		t.Errorf("got patch %s with %+v, want a trigger on the route", steps[0].Path, tr)
	}
	if r.Spec.Metric.Concurrency.Target < 100_000 {
		t.Errorf("got a target of %d, want one that never asks for a second replica", r.Spec.Metric.Concurrency.Target)
	}
}

func TestKServeLeavesTheReplicasAlone(t *testing.T) {
	is := read[inferenceService](t, "examples/kserve/inferenceservice.yaml")
	if a := is.Metadata.Annotations; a["serving.kserve.io/deploymentMode"] != "Standard" || a["serving.kserve.io/autoscalerClass"] != "external" {
		t.Errorf("got annotations %v, want the mode Standard and the class external", a)
	}
	w := configs(t)["examples/kserve/infscale.yaml"].Entries[0]
	if p := is.Spec.Predictor; p.Min != int(w.Replicas.Min) || p.Max != int(w.Replicas.Max) {
		t.Errorf("got bounds %d and %d, want those of infscale.yaml, %d and %d", p.Min, p.Max, w.Replicas.Min, w.Replicas.Max)
	}
}
