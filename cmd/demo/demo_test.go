package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"github.com/infscale/infscale/recommender/config"
)

// brief is the usual pattern without its leisure.
var brief = pattern{
	{"ramps up", 6 * time.Second, 2, 16},
	{"holds", 4 * time.Second, 16, 16},
	{"goes silent", 20 * time.Second, 0, 0},
	{"wakes", 40 * time.Second, 3, 3},
}

// A tap is an output that calls a function when it has seen something.
type tap struct {
	mu   sync.Mutex
	text bytes.Buffer
	want *regexp.Regexp
	seen func()
}

func (t *tap) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(b)
	if t.want.Match(t.text.Bytes()) {
		t.seen()
	}
	return len(b), nil
}

func (t *tap) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

// TestTheWholeDemo plays a pattern against a real Prometheus and the real daemon, and
// interrupts it when it has seen the fleet wake and be ready again.
func TestTheWholeDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("takes most of a minute")
	}
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &tap{want: regexp.MustCompile(`(?s) 0 -> \d.* of \d ready`), seen: cancel}
	d := demo{pattern: brief, length: brief.length(), listen: "127.0.0.1:0", poll: time.Second, out: out, log: zaptest.NewLogger(t)}
	if err := d.run(ctx); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + out.String())
	if m := d.story.missing(); len(m) > 0 {
		t.Errorf("not seen: %v", m)
	}
	if d.story.peak < 4 || d.story.peak > 6 {
		t.Errorf("got a peak of %d replicas, want 4 to 6", d.story.peak)
	}
	for _, want := range []string{"every phase was seen", " requests in flight / 8 per replica", "stabilised: ", "activate_from_zero: ", "traffic  goes silent", "replica-seconds"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got no %q in the story", want)
		}
	}
}

// TestTheDemoServesWhatItSays asks the addresses it prints.
func TestTheDemoServesWhatItSays(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready := make(chan struct{})
	out := &tap{want: regexp.MustCompile(`stays 1|1 -> \d`), seen: sync.OnceFunc(func() { close(ready) })}
	d := demo{pattern: steady(2), length: time.Minute, listen: "127.0.0.1:0", poll: time.Second, out: out, log: zaptest.NewLogger(t)}
	ended := make(chan error, 1)
	go func() { ended <- d.run(ctx) }()
	select {
	case <-ready:
	case err := <-ended:
		t.Fatalf("ended with error %v, want it to go on:\n%s", err, out)
	}
	for name, want := range map[string]string{
		"status": "chat", "metrics": "infscale_desired_replicas{", "prometheus": `"workload":"chat"`,
	} {
		url := regexp.MustCompile(name + ` +(http\S+)`).FindStringSubmatch(out.String())
		if url == nil {
			t.Errorf("%s: got no address in\n%s", name, out)
			continue
		}
		if body := get(t, url[1]); !strings.Contains(body, want) {
			t.Errorf("%s: got %q, want it to contain %q", url[1], body, want)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("interrupted: got error %v, want none", err)
	}
	if !strings.HasPrefix(out.String(), premise+"\n") {
		t.Errorf("got no premise at the start of\n%s", out)
	}
	if !strings.Contains(out.String(), "not seen: ") {
		t.Errorf("got no summary in\n%s", out)
	}
}

func get(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestExitCodes(t *testing.T) {
	for name, tc := range map[string]struct {
		args           []string
		want           int
		stdout, stderr string
	}{
		"help":                         {[]string{"--help"}, 0, "--for", ""},
		"an unknown flag":              {[]string{"--fro=1s"}, 2, "", "--fro"},
		"a length of nothing":          {[]string{"--for=0s"}, 2, "", "--for: must be positive, got 0s"},
		"a length without a unit":      {[]string{"--for=90"}, 2, "", "--for"},
		"an address that is not one":   {[]string{"--listen=nowhere"}, 1, "", "nowhere"},
		"over as soon as it has begun": {[]string{"--for=1ms"}, 0, "after 0s: 0 changes", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if got := run(t.Context(), tc.args, &stdout, &stderr); got != tc.want {
				t.Errorf("got exit code %d, want %d", got, tc.want)
			}
			if !strings.Contains(stdout.String(), tc.stdout) || !strings.Contains(stderr.String(), tc.stderr) {
				t.Errorf("got stdout %q and stderr %q, want %q and %q", &stdout, &stderr, tc.stdout, tc.stderr)
			}
		})
	}
}

func TestThePremiseIsWhatIsConfigured(t *testing.T) {
	c, err := config.Parse(configuration, "demo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p := c.Workloads()[0].Policy
	for what, d := range map[string]time.Duration{
		"fits in %s:": usual.length(), "loads in %s,": p.ColdStart, "cooldown and window are %s,": p.Cooldown,
		"and window are %s,": p.ScaleDown.Window,
	} {
		seconds := fmt.Sprintf("%gs", d.Seconds())
		if want := fmt.Sprintf(what, seconds); !strings.Contains(premise, want) {
			t.Errorf("got %q, want it to say %q", premise, want)
		}
	}
	if p.ColdStart != coldStart || time.Duration(c.Interval) != time.Second {
		t.Errorf("got a cold start of %s and an interval of %s, want %s and a second", p.ColdStart, time.Duration(c.Interval), coldStart)
	}
}

func TestAnUnreadRecommendationSaysWhoseItIs(t *testing.T) {
	var out bytes.Buffer
	d := demo{poll: time.Second, log: newLogger(&out)}
	d.complain(t.Context(), errors.New("server error: 503"))
	want := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\twarn\tdemo\tdemo/demo\.go:\d+\tthe stand-in for KEDA .* harmless .*"in": "1s", "error": "server error: 503"}\n$`)
	if !want.MatchString(out.String()) {
		t.Errorf("got %q, want it to match %s", &out, want)
	}
	out.Reset()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	d.complain(over, errors.New("cut off"))
	if out.Len() > 0 {
		t.Errorf("got %q at the end of the demo, want nothing", &out)
	}
}
