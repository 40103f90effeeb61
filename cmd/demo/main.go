// Demo runs infscale against a real Prometheus and an invented fleet, all in one process on
// the loopback interface.
//
// The Prometheus is embedded. It scrapes simulated vLLM servers, a page like that of
// kube-state-metrics, one like that of the KEDA HTTP add-on's interceptor, and the daemon.
// The daemon is the one of the command serve, with times compressed. An actuator asks
// Prometheus for the recommendation, as KEDA would, and scales the fleet by it. Within ninety
// seconds traffic climbs, falls, goes silent and returns.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/alecthomas/kong"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/infscale/infscale/recommender/daemon"
)

// grammar is the command line.
type grammar struct {
	For    time.Duration `help:"How long to run." default:"90s"`
	Listen string        `help:"Address of the daemon's status page and metrics." default:"127.0.0.1:0"`
}

// Validate refuses what would show nothing.
func (g *grammar) Validate() error {
	if g.For <= 0 {
		return fmt.Errorf("--for: must be positive, got %s", g.For)
	}
	return nil
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run is main with its surroundings passed in. It returns the exit code: 0 ok, 1 failed,
// 2 usage.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var g grammar
	helped := false
	parser, err := kong.New(&g, kong.Name("demo"), kong.Writers(stdout, stderr), kong.Exit(func(int) { helped = true }),
		kong.Description("Watch infscale scale an invented fleet, through a real Prometheus."))
	if err == nil {
		_, err = parser.Parse(args)
	}
	switch {
	case helped:
		return 0
	case err != nil:
		fmt.Fprintf(stderr, "demo: %v\n", err)
		return 2
	}
	d := demo{
		pattern: usual, length: g.For, listen: g.Listen, poll: time.Second,
		out: stdout, log: newLogger(stderr),
	}
	if err := d.run(ctx); err != nil {
		fmt.Fprintf(stderr, "demo: %v\n", err)
		return 1
	}
	return 0
}

// newLogger logs what is worth a look, as the command serve logs. The changes themselves
// are the story on stdout.
func newLogger(w io.Writer) *zap.Logger {
	encoder := zapcore.NewConsoleEncoder(daemon.EncoderConfig())
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), zapcore.WarnLevel), zap.AddCaller())
}
