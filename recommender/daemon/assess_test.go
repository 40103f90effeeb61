package daemon

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/export"
	"github.com/infscale/infscale/recommender/risk"
	"github.com/infscale/infscale/recommender/sim"
)

// objective gives every workload of w an objective, and says what a replica is.
func objective(w *world) *world {
	r := sim.DefaultReplica()
	for i := range w.workloads {
		w.workloads[i].policy.SLO = recommender.SLO{TTFT: 2 * time.Second, Objective: 0.99}
		w.workloads[i].policy.ColdStart = 90 * time.Second
		w.workloads[i].replica = &r
	}
	return w
}

// rush is traffic that doubles every minute up to 100 requests per second, more than
// the 40 that three replicas finish. It has all that the risk is made of.
func rush() *scripted {
	const most, finished = 100, 40
	rate := func(at time.Time) float64 {
		rate := 2.0
		for range int(at.Sub(epoch).Minutes()) {
			rate = min(rate*2, most)
		}
		return rate
	}
	s := newScripted()
	s.load = func(_ identity, at time.Time) float64 {
		return max(0, (most-finished)*(at.Sub(epoch).Seconds()-300))
	}
	s.extend = func(o *recommender.Observation) {
		is := func(v float64) recommender.Quantity { return recommender.Exactly(v, o.Time, 3) }
		arrive := rate(o.Time)
		done := min(arrive, finished)
		o.Running, o.Arrivals, o.Completions = is(min(2*arrive, 3*64)), is(arrive), is(done)
		o.PromptTokens, o.OutputTokens = is(done*1000), is(done*200)
	}
	return s
}

// riskOf returns what is exported of a workload.
func (b *bench) riskOf(name string) *export.Risk {
	return b.loop.collector.Latest().Find("inference", name).Risk
}

func TestRiskGrowsWithTheTraffic(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, objective(worldOf(rush(), "chat")))
		stop := b.run(t)
		defer stop()
		time.Sleep(3*time.Minute + time.Second)
		synctest.Wait()
		early := b.riskOf("chat")
		time.Sleep(6 * time.Minute)
		synctest.Wait()
		late := b.riskOf("chat")
		if early.Missing != "" || late.Missing != "" || early.Horizon != 105*time.Second {
			t.Fatalf("got %+v and %+v, want both known, over a cold start and an interval", early, late)
		}
		if early.Current > 0.5 || late.Current < 0.9 {
			t.Errorf("got a risk of %.3f with 16 and %.3f with 100 requests a second on one replica, want it low and then high", early.Current, late.Current)
		}
	})
}

// Twins read the same, and a restarted daemon reads the past: all say the same.
func TestTwinsAgreeOnTheRisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, objective(worldOf(rush(), "chat")))
		defer b.run(t)()
		time.Sleep(20 * time.Minute)
		twin := newBench(t, objective(worldOf(rush(), "chat")))
		defer twin.run(t)()
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		if got, want := *twin.riskOf("chat"), *b.riskOf("chat"); got != want || got.Missing != "" {
			t.Errorf("got %+v after a restart, want %+v", got, want)
		}
	})
}

func TestWithoutAnObjectiveThereIsNoRisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := objective(worldOf(rush(), "chat", "batch"))
		w.workloads[1].policy.SLO = recommender.SLO{}
		b := newBench(t, w)
		defer b.run(t)()
		time.Sleep(3 * time.Minute)
		synctest.Wait()
		if b.riskOf("chat") == nil || b.riskOf("batch") != nil {
			t.Errorf("got %v and %v, want a risk for chat and none for batch", b.riskOf("chat"), b.riskOf("batch"))
		}
	})
}

func TestWhatTheRiskLacksIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted() // nothing is known of arrivals
		b := newBench(t, objective(worldOf(s, "chat")))
		defer b.run(t)()
		time.Sleep(time.Minute)
		synctest.Wait()
		answer := httptest.NewRecorder()
		b.handler().ServeHTTP(answer, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/workloads/inference/chat", nil))
		var v struct {
			Risk struct {
				Current *float64 `json:"current"`
				Missing string   `json:"missing"`
			} `json:"slo_risk"`
		}
		if err := json.Unmarshal(answer.Body.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		if v.Risk.Current != nil || v.Risk.Missing != string(risk.NoArrivals) {
			t.Errorf("got %s, want no number and no_arrivals", answer.Body)
		}
		page := httptest.NewRecorder()
		b.handler().ServeHTTP(page, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/workloads/inference/chat", nil))
		if want := missings[risk.NoArrivals]; !strings.Contains(page.Body.String(), want) {
			t.Errorf("the page does not say that %s", want)
		}
	})
}

func TestTheRiskIsOnThePages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, objective(worldOf(rush(), "chat")))
		defer b.run(t)()
		time.Sleep(9 * time.Minute)
		synctest.Wait()
		for _, path := range []string{"/", "/workloads/inference/chat"} {
			page := httptest.NewRecorder()
			b.handler().ServeHTTP(page, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
			if want := chance(b.riskOf("chat").Desired); !bytes.Contains(page.Body.Bytes(), []byte(want)) {
				t.Errorf("%s does not show %s", path, want)
			}
		}
	})
}

func TestEveryMissingInputHasASentence(t *testing.T) {
	got, want := slices.Sorted(maps.Keys(missings)), slices.Sorted(slices.Values(risk.Reasons()))
	if !slices.Equal(got, want) {
		t.Errorf("got sentences for %v, want them for %v", got, want)
	}
}
