package daemon

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestReloadKeepsWhatStaysAndForgetsWhatGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := newScripted(), newScripted()
		b := newBench(t, worldOf(first, "chat", "gone"))
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()

		next := worldOf(second, "new", "chat")
		b.next = func() (*world, error) { return next, nil }
		if err := b.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		old, _ := first.ends()
		if fresh, _ := second.ends(); old != 1 || fresh != 0 {
			t.Errorf("closed the old source %d times and the new one %d times, want 1 and 0", old, fresh)
		}
		if b.desired("chat") != 3 || b.desired("new") != -1 {
			t.Errorf("got desired %d for chat and %d for new, want 3 and none yet", b.desired("chat"), b.desired("new"))
		}
		gone := seriesOf(t, b, "gone")
		if len(gone) != 0 {
			t.Errorf("a removed workload left %v", gone)
		}
		time.Sleep(interval)
		synctest.Wait()
		if b.desired("new") != 3 || len(second.askedPast()) != 1 {
			t.Errorf("got desired %d for new after %d reads of history, want 3 after 1", b.desired("new"), len(second.askedPast()))
		}
		if got, want := second.asked(), after(60, 75); !slices.Equal(got, want) {
			t.Errorf("the new source read %v, want %v", got, want)
		}
	})
}

// seriesOf returns the names of the metrics that have a series of a workload.
func seriesOf(t *testing.T, b *bench, name string) []string {
	t.Helper()
	gathered, err := b.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, family := range gathered {
		for _, m := range family.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "workload" && l.GetValue() == name && !slices.Contains(names, family.GetName()) {
					names = append(names, family.GetName())
				}
			}
		}
	}
	return names
}

func TestBadReloadChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScripted()
		b := newBench(t, worldOf(s, "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(20 * time.Second)
		twice := worldOf(newScripted(), "chat", "chat")
		for name, next := range map[string]func() (*world, error){
			`infscale.yaml:3: workloads[0]: replicas.max: must be at least 1`: func() (*world, error) {
				return nil, errors.New(`infscale.yaml:3: workloads[0]: replicas.max: must be at least 1`)
			},
			"workloads[1]: inference/chat stands there twice": func() (*world, error) { return twice, nil },
			"interval: must be positive, got 0s":              func() (*world, error) { return &world{source: newScripted()}, nil },
		} {
			b.next = next
			for _, method := range []string{http.MethodPost, http.MethodPut} {
				rec := b.ask(t, method, "/-/reload")
				if got := strings.TrimSpace(rec.Body.String()); rec.Code != http.StatusInternalServerError || got != name {
					t.Errorf("%s /-/reload: got %d %q, want 500 %q", method, rec.Code, got, name)
				}
			}
		}
		b.exports(t, reloadSuccessful+"0\n", "infscale_config_last_reload_successful")
		b.exports(t, reloadTime+"9.466848e+08\n", "infscale_config_last_reload_success_timestamp_seconds")
		if n := b.logged("configuration not loaded, the one before stays in force"); n != 6 {
			t.Errorf("logged %d failed reloads, want 6", n)
		}
		time.Sleep(interval)
		synctest.Wait()
		if got, want := s.asked(), after(0, 15, 30); !slices.Equal(got, want) {
			t.Errorf("read %v, want %v", got, want)
		}
		if closed, _ := s.ends(); closed != 0 {
			t.Errorf("closed the source %d times, want 0", closed)
		}
		good := worldOf(newScripted(), "chat")
		b.next = func() (*world, error) { return good, nil }
		rec := b.ask(t, http.MethodPost, "/-/reload")
		if rec.Code != http.StatusOK {
			t.Errorf("got %d %s, want 200", rec.Code, rec.Body)
		}
		b.exports(t, reloadSuccessful+"1\n", "infscale_config_last_reload_successful")
		b.exports(t, reloadTime+"9.46684835e+08\n", "infscale_config_last_reload_success_timestamp_seconds")
	})
}

const (
	reloadSuccessful = `
# HELP infscale_config_last_reload_successful 1 if the configuration was loaded when it was last tried, 0 if the one before is in force.
# TYPE infscale_config_last_reload_successful gauge
infscale_config_last_reload_successful `
	reloadTime = `
# HELP infscale_config_last_reload_success_timestamp_seconds When the configuration in force was loaded.
# TYPE infscale_config_last_reload_success_timestamp_seconds gauge
infscale_config_last_reload_success_timestamp_seconds `
)

func TestReloadInterruptsASlowEvaluation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow, fast := newScripted(), newScripted()
		slow.slow = func(time.Time) time.Duration { return time.Hour }
		b := newBench(t, worldOf(slow, "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(time.Second)
		next := worldOf(fast, "chat")
		b.next = func() (*world, error) { return next, nil }
		if err := b.Reload(t.Context()); err != nil {
			t.Fatal(err)
		}
		if now := time.Now(); !now.Equal(epoch.Add(time.Second)) {
			t.Errorf("the reload took %s, want no time", now.Sub(epoch.Add(time.Second)))
		}
		synctest.Wait()
		if got, want := fast.asked(), after(0); !slices.Equal(got, want) || b.desired("chat") != 3 {
			t.Errorf("read %v and got desired %d, want the interrupted slot %v and 3", got, b.desired("chat"), want)
		}
		if _, busy := slow.ends(); busy {
			t.Error("the old source was closed while it was read from")
		}
	})
}

func TestReloadChangesTheInterval(t *testing.T) {
	tests := map[string]struct {
		before, after time.Duration
		want          []int
	}{
		"to a longer one":  {15 * time.Second, time.Minute, []int{60, 120}},
		"to a shorter one": {time.Minute, 15 * time.Second, []int{60, 75, 90, 105, 120, 135, 150, 165}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				first := worldOf(newScripted(), "chat")
				first.interval = test.before
				b := newBench(t, first)
				stop := b.run(t)
				defer stop()
				time.Sleep(50 * time.Second)
				s := newScripted()
				next := worldOf(s, "chat")
				next.interval = test.after
				b.next = func() (*world, error) { return next, nil }
				if err := b.Reload(t.Context()); err != nil {
					t.Fatal(err)
				}
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				if got, want := s.asked(), after(test.want...); !slices.Equal(got, want) {
					t.Errorf("read %v, want %v", got, want)
				}
				if past := s.askedPast(); len(past) != 1 {
					t.Errorf("read the history %v, want it once, at the new slots", past)
				}
				b.exports(t, fmt.Sprintf(`
# HELP infscale_evaluation_interval_seconds Configured time between two decisions: interval.
# TYPE infscale_evaluation_interval_seconds gauge
infscale_evaluation_interval_seconds %v
`, test.after.Seconds()), "infscale_evaluation_interval_seconds")
				b.exports(t, `
# HELP infscale_evaluations_missed_total Slots that passed without an evaluation, because an earlier one was under way or the process did not run.
# TYPE infscale_evaluations_missed_total counter
infscale_evaluations_missed_total 0
`, "infscale_evaluations_missed_total")
			})
		})
	}
}

func TestReloadAndItsCaller(t *testing.T) {
	tests := map[string]func(t *testing.T, b *bench){
		"leaves before the loop takes it": func(t *testing.T, b *bench) {
			ctx, leave := context.WithTimeout(t.Context(), time.Second)
			defer leave()
			if err := b.Reload(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want the end of the context", err)
			}
		},
		"leaves while it is under way": func(t *testing.T, b *bench) {
			again := b.next
			b.next = func() (*world, error) { time.Sleep(loadPatience - 1); return again() }
			stop := b.run(t)
			defer stop()
			ctx, leave := context.WithTimeout(t.Context(), time.Second)
			defer leave()
			if err := b.Reload(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, want the end of the context", err)
			}
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			if n := b.logged("configuration loaded"); n != 1 {
				t.Errorf("loaded %d times, want once, whoever listens", n)
			}
		},
		"comes when the daemon has stopped": func(t *testing.T, b *bench) {
			b.run(t)()
			if err := b.Reload(t.Context()); !errors.Is(err, errStopped) {
				t.Errorf("got %v, want %v", err, errStopped)
			}
		},
		"over HTTP has nobody to tell": func(t *testing.T, b *bench) {
			ctx, leave := context.WithCancel(t.Context())
			leave()
			rec := httptest.NewRecorder()
			b.handler().ServeHTTP(rec, httptest.NewRequestWithContext(ctx, http.MethodPost, "/-/reload", nil))
			if rec.Body.Len() != 0 {
				t.Errorf("answered %q", rec.Body)
			}
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, newBench(t, worldOf(newScripted(), "chat"))) })
		})
	}
}

func TestReloadOverHTTPIsOffUnlessAskedFor(t *testing.T) {
	b := newBench(t, worldOf(newScripted(), "chat"))
	b.opts.EnableLifecycle = false
	rec := b.ask(t, http.MethodPost, "/-/reload")
	if rec.Code != http.StatusForbidden || !strings.Contains(rec.Body.String(), "--web.enable-lifecycle") {
		t.Errorf("got %d %q, want 403 that names the flag", rec.Code, rec.Body)
	}
}
