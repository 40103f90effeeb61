package daemon

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// hanging has every reload wait until release, and then return a world that reads late.
func (b *bench) hanging(late *scripted) (release func()) {
	gate, w := make(chan struct{}), worldOf(late, "chat")
	b.next = func() (*world, error) { <-gate; return w, nil }
	return func() { close(gate) }
}

func TestReloadOfAFileThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, late := newScripted(), newScripted()
		b := newBench(t, worldOf(s, "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(20 * time.Second)
		release := b.hanging(late)
		rec := b.ask(t, http.MethodPost, "/-/reload")
		const want = "the configuration and the files that it names could not be read within 10s"
		if got := strings.TrimSpace(rec.Body.String()); rec.Code != http.StatusInternalServerError || got != want {
			t.Errorf("got %d %q, want 500 %q", rec.Code, got, want)
		}
		if took := time.Since(epoch.Add(20 * time.Second)); took != loadPatience {
			t.Errorf("answered after %s, want %s", took, loadPatience)
		}
		b.exports(t, reloadSuccessful+"0\n", "infscale_config_last_reload_successful")
		if n := b.logged("configuration not loaded, the one before stays in force"); n != 1 {
			t.Errorf("logged it %d times, want once", n)
		}
		time.Sleep(20 * time.Second)
		if got, want := s.asked(), after(0, 15, 30, 45); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("read the slots %v, want %v", got, want)
		}

		synctest.Wait()
		next := worldOf(newScripted(), "chat")
		b.next = func() (*world, error) { return next, nil }
		if err := b.Reload(t.Context()); err != nil {
			t.Errorf("once the file answers: got %v, want no error", err)
		}
		b.exports(t, reloadSuccessful+"1\n", "infscale_config_last_reload_successful")
		release()
		synctest.Wait()
		if closed, _ := late.ends(); closed != 1 || b.loop.shown.Load() != next {
			t.Errorf("what came too late was closed %d times, want once, and the newest in force", closed)
		}
	})
}

func TestDaemonEndsDuringAReload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, worldOf(newScripted(), "chat"))
		stop := b.run(t)
		time.Sleep(time.Second)
		release := b.hanging(newScripted())
		answer := make(chan error, 1)
		go func() { answer <- b.Reload(t.Context()) }()
		synctest.Wait()
		start := time.Now()
		stop()
		if took := time.Since(start); took != 0 || <-answer == nil {
			t.Errorf("ended after %s, want at once, with an error for who asked", took)
		}
		release()
	})
}

func TestReadingsThatNeverEndAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, worldOf(newScripted(), "chat"))
		stop := b.run(t)
		defer stop()
		good := b.next
		release := b.hanging(newScripted())
		for range mostUnread {
			if err := b.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "within 10s") {
				t.Errorf("got %v, want that it took too long", err)
			}
		}
		start := time.Now()
		if err := b.Reload(t.Context()); err == nil || !strings.Contains(err.Error(), "8 readings have not ended") || time.Since(start) != 0 {
			t.Errorf("got %v after %s, want at once that it is not read again", err, time.Since(start))
		}
		release()
		synctest.Wait()
		b.next = good
		if err := b.Reload(t.Context()); err != nil {
			t.Errorf("once they have ended: got %v, want no error", err)
		}
	})
}
