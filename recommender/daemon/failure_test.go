package daemon

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/infscale/infscale/recommender/config"
)

func TestFailedReloadShowsUntilOneSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, worldOf(newScripted(), "chat"))
		stop := b.run(t)
		defer stop()
		time.Sleep(20 * time.Second)
		const shown = "infscale.yaml:3: workloads[0]: got &#34;&lt;b&gt;&#34; (and 2 more in the log)"
		check := func(failed bool) {
			t.Helper()
			for _, path := range []string{"/", "/config", "/workloads/inference/chat"} {
				page := b.ask(t, "GET", path).Body.String()
				if strings.Contains(page, shown) != failed || strings.Contains(page, "2000-01-01 00:00:20 UTC") != failed ||
					strings.Contains(page, `class="banner"`) != failed || strings.Contains(page, `dot good"></b>ready`) == failed {
					t.Errorf("%s: want the failure shown to be %t in\n%s", path, failed, page)
				}
			}
			var list map[string]any
			decode(t, b.ask(t, "GET", "/api/v1/workloads"), &list)
			var text, at any
			if failed {
				text, at = `infscale.yaml:3: workloads[0]: got "<b>" (and 2 more in the log)`, "2000-01-01T00:00:20Z"
			}
			for key, want := range map[string]any{"reload_error": text, "reload_error_time": at} {
				if got, ok := list[key]; !ok || got != want {
					t.Errorf("%s: got %v, want %v", key, got, want)
				}
			}
		}
		check(false)
		good := b.next
		b.next = func() (*world, error) {
			return nil, errors.New("infscale.yaml:3: workloads[0]: got \"<b>\"\nsecond\nthird")
		}
		b.ask(t, "POST", "/-/reload")
		check(true)
		time.Sleep(time.Minute) // evaluations do not end it
		synctest.Wait()
		check(true)
		b.next = good
		if rec := b.ask(t, "POST", "/-/reload"); rec.Code != http.StatusOK {
			t.Fatalf("got %d %s, want 200", rec.Code, rec.Body)
		}
		check(false)
	})
}

func TestFailedReloadShowsNoSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, worldOf(newScripted(), "chat"))
		stop := b.run(t)
		defer stop()
		for name, file := range map[string]string{
			"a secret of the wrong type":   "prometheus: {url: http://p, basic_auth: {username: x, password: [hunter2]}}",
			"a secret under a wrong key":   "prometheus: {url: http://p, basic_auth: {username: x, pasword: hunter2}}",
			"a secret in the address":      "prometheus: {url: 'http://x:hunter2@p:port'}",
			"a secret in broken YAML":      "prometheus: {bearer_token: hunter2",
			"a header with a line feed":    "prometheus: {url: http://p, headers: {X-Key: \"hunter2\\n\"}}",
			"authorization that is a text": "prometheus: {url: http://p, authorization: hunter2}",
		} {
			b.next = func() (*world, error) {
				_, err := config.Parse([]byte(file), "infscale.yaml")
				return nil, err
			}
			if rec := b.ask(t, "POST", "/-/reload"); rec.Code != http.StatusInternalServerError {
				t.Errorf("%s: got %d, want 500", name, rec.Code)
			}
			for _, path := range []string{"/", "/api/v1/workloads"} {
				page := b.ask(t, "GET", path).Body.String()
				if strings.Contains(page, "hunter2") || !strings.Contains(page, "infscale.yaml:") {
					t.Errorf("%s: %s shows the secret or no mistake:\n%s", name, path, page)
				}
			}
		}
	})
}
