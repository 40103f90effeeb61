// Command recommender recommends how many replicas a model server needs, from
// what Prometheus knows about it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"runtime/debug"
	"strings"
	"syscall"
	_ "time/tzdata" // schedules name time zones, and a minimal image has no table of them

	"github.com/alecthomas/kong"
	"github.com/prometheus/common/version"
)

// cli is the grammar of the command line: one field for each command, whose Run
// stands in the file of its name.
type cli struct {
	Version kong.VersionFlag `help:"Print the version and exit."`

	Serve    ServeCmd    `cmd:"" default:"withargs" help:"Run the daemon: decide on every interval and export the recommendations."`
	Check    CheckCmd    `cmd:"" help:"Check a configuration, and what it reads, before it is used."`
	Decide   DecideCmd   `cmd:"" help:"Make one decision from pages of /metrics or from Prometheus, and explain it."`
	Parse    ParseCmd    `cmd:"" help:"Show pages of /metrics of any engine as one table."`
	GPU      GPUCmd      `cmd:"" name:"gpu" help:"Derive a replica from numbers of its model and hardware."`
	Simulate SimulateCmd `cmd:"" help:"Replay traffic under policies: what they cost, and whom they keep waiting."`
	Generate GenerateCmd `cmd:"" help:"Print what stands beside infscale: KEDA or HPA objects, rules, alerts, dashboards."`
	Lint     LintCmd     `cmd:"" help:"Find known mistakes in manifests that scale model servers."`
}

// Exit statuses.
const (
	exitFailed  = 1 // the command was understood and did not succeed
	exitRefused = 2 // the command line or its input is not usable
)

// A refusal is an error of the input: the program did what it should and will not
// go on with what it was given.
type refusal struct{ error }

// Unwrap returns what is wrong with the input.
func (r refusal) Unwrap() error { return r.error }

// refuse marks err as an error of the input, so that the exit status is 2. It
// returns nil for nil.
func refuse(err error) error {
	if err == nil {
		return nil
	}
	return refusal{err}
}

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run parses the command line and runs the command. Results go to stdout, everything
// else to stderr. A command's Run may take a context.Context, which ends with
// SIGINT or SIGTERM, and a *kong.Context, whose Stdout and Stderr are these.
func run(args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	stamp()
	parser, err := kong.New(&cli{},
		kong.Name("recommender"),
		kong.Description("How many replicas each model server needs, and why, from Prometheus."),
		kong.Vars{"version": version.Print("recommender")},
		kong.Writers(stdout, stderr),
		kong.KindMapper(reflect.Int32, kong.MapperFunc(decimal)),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	if err != nil {
		return fail(stderr, err)
	}
	command, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(stderr, "recommender: %v\nRun \"recommender --help\" for the commands and flags.\n", err)
		return exitRefused
	}
	if err := command.Run(); err != nil {
		return fail(stderr, err)
	}
	return 0
}

// stamp fills in the version of a program that was built without one, as go build and
// go install do, from what Go notes by itself.
func stamp() {
	if version.Version != "" {
		return
	}
	version.Version = "(devel)"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		version.Version = strings.TrimPrefix(info.Main.Version, "v")
	}
}

// fail prints err and returns the exit status for it.
func fail(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "recommender: %v\n", err)
	if _, ok := errors.AsType[refusal](err); ok {
		return exitRefused
	}
	return exitFailed
}
