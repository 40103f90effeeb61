package daemon

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// answered compares the status of addresses.
func (b *bench) answered(t *testing.T, when string, want map[string]int) {
	t.Helper()
	for path, status := range want {
		if rec := b.ask(t, http.MethodGet, path); rec.Code != status {
			t.Errorf("%s: %s: got %d %q, want %d", when, path, rec.Code, strings.TrimSpace(rec.Body.String()), status)
		}
	}
}

// TestALoopThatStandsStillIsNotBelieved ends the loop, as the hardest way to stand still.
func TestALoopThatStandsStillIsNotBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, worldOf(newScripted(), "chat"))
		stop := b.run(t)
		time.Sleep(time.Second)
		synctest.Wait()
		stop()
		limit := asksPolicy().HoldLimit
		time.Sleep(limit - time.Second)
		b.answered(t, "within hold_limit", map[string]int{"/-/healthy": 200, "/-/ready": 200})
		time.Sleep(time.Nanosecond)
		b.answered(t, "after hold_limit", map[string]int{"/-/healthy": 503, "/-/ready": 200})
		if got := b.desired("chat"); got != 3 {
			t.Errorf("got desired %d within an interval of grace, want 3", got)
		}
		time.Sleep(interval)
		b.answered(t, "after the grace", map[string]int{"/-/healthy": 503, "/-/ready": 503})
		b.exports(t, "", "infscale_desired_replicas", "infscale_raw_replicas", "infscale_requests_waiting")
		b.exports(t, `
# HELP infscale_decision_valid 1 if the decision rests on complete and fresh evidence, 0 if the recommendation is held, partial or missing.
# TYPE infscale_decision_valid gauge
infscale_decision_valid{workload="chat",workload_namespace="inference"} 0
`, "infscale_decision_valid")
		for path, want := range map[string]string{
			"/":                                `role="alert"><b>Decisions are overdue</b>: the latest evaluation was 10 min 15 s ago.`,
			"/workloads/inference/chat":        "the recommendation is withdrawn",
			"/api/v1/workloads/inference/chat": `"valid": false`,
			"/api/v1/workloads":                `"desired": null`,
			"/-/ready":                         "the latest evaluation is that of 2000-01-01 00:00:00 UTC",
			"/-/healthy":                       "have stood still since 2000-01-01 00:00:00 UTC",
		} {
			if got := b.ask(t, http.MethodGet, path).Body.String(); !strings.Contains(got, want) {
				t.Errorf("%s: got\n%s\nwant %s", path, got, want)
			}
		}
	})
}

func TestReadingThatNeverEndsIsNotHealthy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		s.stubborn = true
		s.slow = func(at time.Time) time.Duration { return min(time.Hour, at.Sub(epoch)*1000) }
		b := newBench(t, worldOf(s, "chat"))
		stop := b.run(t)
		time.Sleep(time.Second)
		synctest.Wait()
		time.Sleep(12 * time.Minute)
		b.answered(t, "while its deadlines and hold_limit are not over", map[string]int{"/-/healthy": 200, "/-/ready": 503})
		time.Sleep(2 * time.Minute)
		b.answered(t, "after them", map[string]int{"/-/healthy": 503, "/-/ready": 503})
		start := time.Now()
		stop()
		if took := time.Since(start); took != stopPatience {
			t.Errorf("the loop ended after %s, want %s: it does not wait for what never ends", took, stopPatience)
		}
		time.Sleep(time.Hour) // until the source gives in
	})
}

func TestSlowStartIsHealthy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		s.slowPast = func(time.Time) time.Duration { return historyPatience - time.Second }
		w := worldOf(s, "chat")
		w.interval = time.Second
		w.workloads[0].policy.HoldLimit = 5 * time.Second
		b := newBench(t, w)
		stop := b.run(t)
		defer stop()
		for range 100 {
			time.Sleep(3 * time.Second)
			synctest.Wait()
			b.answered(t, time.Now().Format(time.TimeOnly), map[string]int{"/-/healthy": 200})
		}
	})
}
