package daemon

import (
	"bytes"
	"regexp"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

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
