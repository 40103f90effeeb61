package promapi

import (
	"fmt"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi/embedded"
	"github.com/infscale/infscale/recommender"
)

// epoch is the invented present: a multiple of every interval.
var epoch = time.Unix(1_700_000_400, 0).UTC()

// scrapeEvery is the time between two samples of a lab.
const scrapeEvery = 15 * time.Second

// A lab is a real Prometheus with invented samples, read through its real HTTP API.
type lab struct {
	*embedded.Prometheus
	client *Client
}

func newLab(t *testing.T, series ...string) *lab {
	t.Helper()
	p, err := embedded.Start(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	server := httptest.NewServer(p.Handler())
	t.Cleanup(server.Close)
	cfg := DefaultConfig()
	cfg.URL = server.URL
	cfg.Timeout *= 6 // The machine may be busy.
	client, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{Prometheus: p, client: client}
	l.load(t, series...)
	return l
}

// load adds series in the notation of rule tests; the first value is at epoch.
func (l *lab) load(t *testing.T, series ...string) {
	t.Helper()
	if err := l.Load(epoch, scrapeEvery, series...); err != nil {
		t.Fatal(err)
	}
}

// reader plans for the workloads.
func (l *lab) reader(t *testing.T, o Options, workloads ...Workload) *Reader {
	t.Helper()
	r, err := NewReader(l.client, workloads, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// observe reads one workload, so long after epoch. No query may fail.
func (l *lab) observe(t *testing.T, after time.Duration, o Options, w Workload) (recommender.Observation, Report) {
	t.Helper()
	observations, report := l.reader(t, o, w).Observe(t.Context(), epoch.Add(after))
	if err := report.Failed(); err != nil {
		t.Fatal(err)
	}
	return observations[0], report
}

// chat is the workload that most tests are about.
func chat(signals ...recommender.Signal) Workload {
	return Workload{Namespace: "ns", Name: "chat", Policy: &recommender.Policy{Signals: signals}}
}

// kubeSeries are what kube-state-metrics says of a Deployment with these pods, which
// live from the sample `from` on for `samples`.
func kubeSeries(deployment string, ready int, pods ...string) []string {
	list := []string{
		fmt.Sprintf(`kube_deployment_spec_replicas{namespace="ns",deployment=%q} %dx80`, deployment, len(pods)),
		fmt.Sprintf(`kube_deployment_status_replicas_ready{namespace="ns",deployment=%q} %dx80`, deployment, ready),
		fmt.Sprintf(`kube_replicaset_owner{namespace="ns",replicaset="%s-6f5d9c7b9d",owner_kind="Deployment",owner_name=%q} 1x80`, deployment, deployment),
	}
	for i, pod := range pods {
		isReady := 0
		if i < ready {
			isReady = 1
		}
		list = append(list,
			fmt.Sprintf(`kube_pod_owner{namespace="ns",pod=%q,uid="u-%s",owner_kind="ReplicaSet",owner_name="%s-6f5d9c7b9d",owner_is_controller="true"} 1x80`, pod, pod, deployment),
			fmt.Sprintf(`kube_pod_status_ready{namespace="ns",pod=%q,uid="u-%s",condition="true"} %dx80`, pod, pod, isReady),
			fmt.Sprintf(`kube_pod_status_ready{namespace="ns",pod=%q,uid="u-%s",condition="false"} %dx80`, pod, pod, 1-isReady))
	}
	return list
}

// chatPod names the i-th pod of the Deployment chat.
func chatPod(i int) string { return fmt.Sprintf("chat-6f5d9c7b9d-pod%02d", i) }

// known fails unless q is complete and has the value.
func known(t *testing.T, what string, q recommender.Quantity, want float64) {
	t.Helper()
	if !q.Complete() || !near(q.Value, want) {
		t.Errorf("%s: got %s, want %v", what, show(q), want)
	}
}

// atLeastIs fails unless q is a lower bound with the value.
func atLeastIs(t *testing.T, what string, q recommender.Quantity, want float64) {
	t.Helper()
	if !q.Known() || !q.LowerBound || !near(q.Value, want) {
		t.Errorf("%s: got %s, want at least %v", what, show(q), want)
	}
}

// lacks fails unless q has no number, for the reason.
func lacks(t *testing.T, what string, q recommender.Quantity, want recommender.Evidence) {
	t.Helper()
	if q.Evidence != want {
		t.Errorf("%s: got %s, want %s", what, show(q), want)
	}
}

func near(a, b float64) bool { return a == b || (a-b)*(a-b) <= 1e-18*max(1, a*a, b*b) }

func show(q recommender.Quantity) string {
	if !q.Known() {
		return q.Evidence.String()
	}
	return fmt.Sprintf("%v (lower bound %t, of %d replicas)", q.Value, q.LowerBound, q.Replicas)
}
