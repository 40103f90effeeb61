package daemon

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/prometheus/model/labels"
	"go.uber.org/zap"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/promapi/embedded"
)

// sagaSlot is the interval of the daemons of a saga.
const sagaSlot = 30 * time.Second

// A saga is invented workloads in a real Prometheus, with a daemon that reads them and
// never stops, and what it exported at every slot.
type saga struct {
	prometheus *embedded.Prometheus
	url        string
	models     []*model
	always     *clocked
	told       []map[string]float64 // by slot
	slots      int
}

// A clocked is a daemon whose slots come one by one.
type clocked struct {
	loop     *loop
	registry *prometheus.Registry
}

// newSaga lets the workloads live for so many slots.
func newSaga(t *testing.T, seed uint64, models, slots int, reach time.Duration) *saga {
	t.Helper()
	p, err := embedded.Start(embedded.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	server := httptest.NewServer(p.Handler())
	t.Cleanup(server.Close)
	s := &saga{prometheus: p, url: server.URL, slots: slots}
	for i := range models {
		s.models = append(s.models, newModel(rand.New(rand.NewPCG(seed, uint64(i))), i, reach))
	}
	s.always = s.daemon(t)
	for k := range slots {
		s.live(t, k)
	}
	return s
}

// at returns the time of a slot.
func at(slot int) time.Time { return epoch.Add(time.Duration(slot) * sagaSlot) }

// live scrapes the workloads up to a slot, and decides.
func (s *saga) live(t *testing.T, slot int) {
	t.Helper()
	for now := at(slot - 1); now.Before(at(slot)); now = now.Add(modelScrape) {
		var samples []embedded.Sample
		for _, m := range s.models {
			m.step(now)
			samples = append(samples, m.scrape(now)...)
		}
		if err := s.prometheus.Append(samples...); err != nil {
			t.Fatal(err)
		}
	}
	s.told = append(s.told, s.always.tick(t, slot))
	s.export(t, slot)
	for _, m := range s.models {
		m.follow(&s.always.loop.memories[m.id].decision)
	}
}

// export stores what is scraped of the daemon after a slot.
func (s *saga) export(t *testing.T, slot int) {
	t.Helper()
	g := &sheet{at: at(slot).Add(2 * time.Second)}
	for _, m := range s.models {
		series := []labels.Labels{labels.FromStrings("__name__", "infscale_desired_replicas", "instance", "a",
			"workload_namespace", m.id.namespace, "workload", m.id.name)}
		if d := &s.always.loop.memories[m.id].decision; d.Known {
			g.add(series, float64(d.Desired))
		} else if slot > 0 {
			g.end(series)
		}
	}
	if err := s.prometheus.Append(g.samples...); err != nil {
		t.Fatal(err)
	}
}

// daemon returns one that has just started.
func (s *saga) daemon(t *testing.T) *clocked {
	t.Helper()
	c := &clocked{registry: prometheus.NewRegistry()}
	var err error
	c.loop, err = newLoop(zap.NewNop(), c.registry, s.world)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.registry.Register(c.loop.collector); err != nil {
		t.Fatal(err)
	}
	return c
}

// world reads the models.
func (s *saga) world() (*world, error) {
	cfg := promapi.DefaultConfig()
	cfg.URL = s.url
	cfg.Timeout *= 6 // The machine may be busy.
	client, err := promapi.New(cfg)
	if err != nil {
		return nil, err
	}
	w := &world{interval: sagaSlot, rateWindow: 2 * time.Minute}
	var workloads []promapi.Workload
	for _, m := range s.models {
		workloads = append(workloads, m.workload())
		w.workloads = append(w.workloads, target{identity: m.id, kind: "Deployment", policy: m.policy})
	}
	reader, err := promapi.NewReader(client, workloads, promapi.Options{QueryOffset: 5 * time.Second})
	w.source = &prometheusSource{client: client, reader: reader}
	return w, err
}

// tick evaluates a slot, as run does, and returns what is exported then.
func (c *clocked) tick(t *testing.T, slot int) map[string]float64 {
	t.Helper()
	l := c.loop
	l.now = func() time.Time { return at(slot) }
	r := l.world.read(t.Context(), at(slot), l.unsettled(), l.now)
	if r.live.err != nil || r.pastErr != nil {
		t.Fatalf("slot %d: %v, %v", slot, r.live.err, r.pastErr)
	}
	l.fold(&r)
	return c.exported(t)
}

// exported returns every gauge of every workload.
func (c *clocked) exported(t *testing.T) map[string]float64 {
	t.Helper()
	families, err := c.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if g := m.GetGauge(); g != nil && len(m.GetLabel()) > 0 {
				var key strings.Builder
				for _, l := range m.GetLabel() {
					key.WriteString(l.GetValue() + " ")
				}
				values[f.GetName()+" "+key.String()] = g.GetValue()
			}
		}
	}
	return values
}

// sagas returns how many histories are told, in how many parts.
func sagas() (parts, models, kills int) {
	if n, err := strconv.Atoi(os.Getenv("INFSCALE_HISTORIES")); err == nil {
		return (n + 299) / 300, 300, 12
	}
	return 1, 40, 5
}

// TestKilledAtAnyTickItDecidesAsOneThatNeverStopped starts daemons at slots of random
// histories and compares all numbers that they export from then on with those of a daemon
// that has been there from the beginning. INFSCALE_HISTORIES is how many histories.
func TestKilledAtAnyTickItDecidesAsOneThatNeverStopped(t *testing.T) {
	parts, models, kills := sagas()
	var all tallies
	for part := range parts {
		reach := []time.Duration{5 * time.Minute, 10 * time.Minute, 20 * time.Minute}[part%3]
		s := newSaga(t, uint64(part), models, 130, reach)
		rng := rand.New(rand.NewPCG(uint64(part), 99))
		for range kills {
			s.kill(t, 45+rng.IntN(75), &all)
		}
		if err := s.prometheus.Close(); err != nil {
			t.Fatal(err)
		}
		t.Logf("part %d of %d: %+v", part+1, parts, all)
	}
	t.Logf("histories: %d, ticks compared: %d, %d of them with a recommendation, numbers: %d, differences: %d, cautious for what is older than the history: %d",
		parts*models, all.ticks, all.recommended, all.numbers, all.different, all.cautious)
	if all.recommended < all.ticks/2 {
		t.Errorf("got %d recommendations in %d ticks, want one in most: nothing is proven", all.recommended, all.ticks)
	}
	if all.cautious > all.ticks/100 {
		t.Errorf("got %d cautious ticks of %d, want at most one in a hundred", all.cautious, all.ticks)
	}
}

// tallies count what was compared. A difference is cautious if it comes from before the
// history that was read, and not lower.
type tallies struct{ ticks, recommended, numbers, different, cautious int }

// kill starts a daemon at a slot and compares it with the one that was never killed.
func (s *saga) kill(t *testing.T, slot int, all *tallies) {
	t.Helper()
	again, whole := s.daemon(t), (*clocked)(nil)
	for k := slot; k < min(slot+8, s.slots); k++ {
		got, want := again.tick(t, k), s.told[k]
		all.ticks += len(s.models)
		all.numbers += len(want)
		for key := range want {
			if strings.HasPrefix(key, "infscale_desired_replicas ") {
				all.recommended++
			}
		}
		keys := differences(got, want)
		if len(keys) == 0 && whole == nil {
			continue
		}
		if whole == nil {
			whole = s.daemon(t)
			whole.recall(t, k)
		} else {
			whole.tick(t, k)
		}
		// What differs although all of the past was read is no matter of the past.
		for _, key := range differences(whole.exported(t), want) {
			all.different++
			t.Errorf("started at slot %d with all of the past, slot %d: %s: got %s, want %s", slot, k, key, shown(got, key), shown(want, key))
		}
		all.cautious += s.cautious(t, k, keys, got, want)
	}
}

// cautious returns of how many workloads numbers differ. None may be lower, and nothing
// but the number and its reason may differ.
func (s *saga) cautious(t *testing.T, slot int, keys []string, got, want map[string]float64) int {
	t.Helper()
	workloads := map[string]bool{}
	for _, key := range keys {
		name, rest, _ := strings.Cut(key, " ")
		switch name {
		case "infscale_decision_reason":
		case "infscale_desired_replicas", "infscale_unbounded_replicas":
			if v, ok := got[key]; !ok || v < want[key] {
				t.Errorf("slot %d: %s: got %s, want no less than %s", slot, key, shown(got, key), shown(want, key))
			}
			workloads[rest] = true
		default:
			t.Errorf("slot %d: %s: got %s, want %s", slot, key, shown(got, key), shown(want, key))
		}
	}
	return len(workloads)
}

// recall evaluates a slot with all of the past.
func (c *clocked) recall(t *testing.T, slot int) {
	t.Helper()
	l := c.loop
	l.now = func() time.Time { return at(slot) }
	_, live, past, err := l.world.readPast(t.Context(), at(slot), at(slot).Sub(at(0)), l.now)
	if err != nil {
		t.Fatal(err)
	}
	l.fold(&result{slot: at(slot), live: *live, past: past})
}

// differences returns which numbers differ.
func differences(a, b map[string]float64) []string {
	var keys []string
	for key, v := range a {
		if w, ok := b[key]; !ok || v != w {
			keys = append(keys, key)
		}
	}
	for key := range b {
		if _, ok := a[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func shown(values map[string]float64, key string) string {
	v, ok := values[key]
	if !ok {
		return "none"
	}
	return fmt.Sprint(v)
}
