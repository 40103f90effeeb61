package keda

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	kedav1alpha1 "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	"github.com/kedacore/keda/v2/pkg/scalers"
	"github.com/kedacore/keda/v2/pkg/scalers/scalersconfig"
	"go.yaml.in/yaml/v3"
)

// workloadLabels are those of the series of the shipped ScaledObject's workload.
const workloadLabels = `{workload="chat",workload_namespace="inference"}`

// shipped reads the ScaledObject of the examples into KEDA's own type.
func shipped(t *testing.T) *kedav1alpha1.ScaledObject {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, "deploy", "k8s", "examples", "keda", "scaledobject.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var untyped map[string]any
	if err := yaml.Unmarshal(content, &untyped); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(untyped)
	if err != nil {
		t.Fatal(err)
	}
	var o kedav1alpha1.ScaledObject
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		t.Fatalf("scaledobject.yaml: %v", err)
	}
	if len(o.Spec.Triggers) != 1 || o.Spec.Triggers[0].Type != "prometheus" {
		t.Fatalf("scaledobject.yaml: got triggers %+v, want one, of Prometheus", o.Spec.Triggers)
	}
	return &o
}

// newScaler is KEDA's, with the shipped metadata but for the address and what change says.
func newScaler(t *testing.T, prometheus string, change map[string]string) scalers.Scaler {
	t.Helper()
	o := shipped(t)
	trigger := o.Spec.Triggers[0]
	metadata := maps.Clone(trigger.Metadata)
	metadata["serverAddress"] = prometheus
	maps.Copy(metadata, change)
	s, err := scalers.NewPrometheusScaler(&scalersconfig.ScalerConfig{
		ScalableObjectName: o.Name, ScalableObjectNamespace: o.Namespace, ScalableObjectType: "ScaledObject",
		GlobalHTTPTimeout: 5 * time.Second,
		TriggerName:       trigger.Name, TriggerType: trigger.Type, TriggerMetadata: metadata, MetricType: trigger.MetricType,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close(t.Context()) })
	return s
}

// answer is what KEDA would give the HPA, in thousandths, and whether it would leave zero.
func answer(t *testing.T, s scalers.Scaler) (milli int64, active bool, err error) {
	t.Helper()
	values, active, err := s.GetMetricsAndActivity(t.Context(), "s0-prometheus")
	if err != nil {
		return 0, active, err
	}
	if len(values) != 1 {
		t.Fatalf("got %d values, want 1", len(values))
	}
	return values[0].Value.MilliValue(), active, nil
}

// reaches waits until KEDA would answer with a number of replicas.
func reaches(t *testing.T, s scalers.Scaler, want int64) {
	t.Helper()
	var got string
	eventually(t, func() bool {
		milli, active, err := answer(t, s)
		got = fmt.Sprintf("got %dm, active %t, error %v", milli, active, err)
		return err == nil && milli == want*1000 && active
	}, func() string { return fmt.Sprintf("%s, want %d000m, active", got, want) })
}

func TestKEDAReadsTheRecommendation(t *testing.T) {
	s := newStand(t)
	s.load.Store(replicas * target)
	first := s.daemon(t, s.prometheus)
	door, shut := s.breakable(t)
	second := s.daemon(t, door)
	scaler := newScaler(t, s.prometheus, nil)

	// The threshold is that of one replica, and the HPA divides by it.
	specs := scaler.GetMetricSpecForScaling(t.Context())
	if len(specs) != 1 || specs[0].External == nil || specs[0].External.Target.AverageValue == nil ||
		specs[0].External.Target.AverageValue.MilliValue() != 1000 {
		t.Fatalf("got metric specs %+v, want one external of an average value of 1", specs)
	}

	// Counts arrive as they are, above ten and by one as well, and twins are one number.
	for _, want := range []int64{replicas, 1, 7, 8, 40, 41, 40, 2, 8} {
		s.load.Store(want * target)
		reaches(t, scaler, want)
	}
	for _, address := range []string{first, second} {
		exports(t, address, "infscale_desired_replicas"+workloadLabels+" 8")
		exports(t, address, "infscale_decision_valid"+workloadLabels+" 1")
	}

	// A twin that went blind holds its 8, and does not keep the other's 2 from KEDA.
	shut()
	exports(t, second, "infscale_decision_valid"+workloadLabels+" 0")
	s.load.Store(2 * target)
	reaches(t, scaler, 2)
	exports(t, first, "infscale_desired_replicas"+workloadLabels+" 2")
	exports(t, second, "infscale_desired_replicas"+workloadLabels+" 8")

	// Alone it is heard.
	s.scrape(t, "infscale", s.daemons[1:])
	reaches(t, scaler, 8)

	// Nobody left to ask is an error, for which the ScaledObject has a fallback. It is the
	// setting that makes it one: by default it would be a load of zero.
	s.scrape(t, "infscale", nil)
	var err error
	eventually(t, func() bool {
		_, _, err = answer(t, scaler)
		return err != nil
	}, func() string { return "without series: got no error, want one" })
	if !strings.Contains(err.Error(), "empty") {
		t.Errorf("without series: got error %q, want one that says the result is empty", err)
	}
	careless := newScaler(t, s.prometheus, map[string]string{"ignoreNullValues": "true"})
	if milli, active, err := answer(t, careless); milli != 0 || active || err != nil {
		t.Errorf("without series, and ignoreNullValues true: got %dm, active %t, error %v, want 0m, not active, no error", milli, active, err)
	}

	// An unreachable Prometheus is an error as well.
	if milli, _, err := answer(t, newScaler(t, "http://127.0.0.1:1", nil)); err == nil {
		t.Errorf("without Prometheus: got %dm, want an error", milli)
	}
}

func TestShippedScaledObjectSaysWhatIsProven(t *testing.T) {
	o := shipped(t)
	metadata := o.Spec.Triggers[0].Metadata
	for key, want := range map[string]string{"threshold": "1", "ignoreNullValues": "false"} {
		if got := metadata[key]; got != want {
			t.Errorf("metadata.%s: got %q, want %q", key, got, want)
		}
	}
	if o.Spec.Fallback == nil {
		t.Error("got no fallback, want one")
	}
}
