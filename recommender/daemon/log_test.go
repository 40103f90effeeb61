package daemon

import (
	"bytes"
	"regexp"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/config"
)

// TestListensBeforeItReturns checks the log of New: whoever logs next, logs after that.
func TestListensBeforeItReturns(t *testing.T) {
	var out bytes.Buffer
	log := zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(EncoderConfig()), zapcore.AddSync(&out), zap.InfoLevel), zap.AddCaller())
	d, err := New(Options{
		Load: func() (*config.Config, error) {
			return config.Parse([]byte(document("http://127.0.0.1:1", 10)), "infscale.yaml")
		},
		Logger: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer d.closeListeners()
	want := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\tinfo\tdaemon/daemon\.go:\d+\tlistening\t` +
		regexp.QuoteMeta(`{"address": "`+d.Addresses()[0].String()+`", "scheme": "http"}`) + "\n$")
	if !want.MatchString(out.String()) {
		t.Errorf("got %q, want it to match %s", &out, want)
	}
}

func TestLogSaysWhyARecommendationIsWithdrawn(t *testing.T) {
	for name, test := range map[string]struct {
		after recommender.Decision
		want  string
	}{
		"nothing was usable for too long": {
			recommender.Decision{Reason: recommender.ReasonNoData, Evidence: epoch},
			"recommendation withdrawn, nothing usable was known for longer than hold_limit",
		},
		"nothing was there at the start, and it never was": {
			recommender.Decision{Reason: recommender.ReasonNeverMatched},
			"recommendation withdrawn, no selector has ever matched a series",
		},
		"the selector matched before": {
			recommender.Decision{Reason: recommender.ReasonNeverMatched, Evidence: epoch},
			"recommendation withdrawn, nothing usable was known for longer than hold_limit",
		},
	} {
		core, logs := observer.New(zap.InfoLevel)
		logChange(zap.New(core), &recommender.Decision{Known: true, Desired: 3}, &test.after)
		if all := logs.All(); len(all) != 1 || all[0].Message != test.want {
			t.Errorf("%s: got %v, want %q", name, all, test.want)
		}
	}
}
