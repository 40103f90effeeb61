// Command stand runs the embedded Prometheus of this repository for the test of KEDA's
// scaler, whose module has other versions of the same libraries. It prints its address, and
// then takes from the standard input, one JSON value a line, what a job scrapes from now on.
// It ends with its input.
//
// It has no module of its own: the test builds it inside that of the repository.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/infscale/infscale/promapi/embedded"
)

// targets are what a job scrapes.
type targets struct {
	Job     string            `json:"job"`
	Targets []embedded.Target `json:"targets"`
}

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "stand:", err)
		os.Exit(1)
	}
}

func run(in io.Reader, out io.Writer) error {
	interval := 500 * time.Millisecond
	prometheus, err := embedded.Start(embedded.Options{Listen: "127.0.0.1:0", Jobs: []embedded.Job{
		{Name: "vllm", Interval: interval},
		{Name: "kube-state-metrics", Interval: interval, HonorLabels: true},
		{Name: "infscale", Interval: interval},
	}})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(out, prometheus.URL()); err != nil {
		return errors.Join(err, prometheus.Close())
	}
	return errors.Join(follow(prometheus, json.NewDecoder(in)), prometheus.Close())
}

// follow sets targets until the input ends.
func follow(prometheus *embedded.Prometheus, in *json.Decoder) error {
	for {
		var t targets
		if err := in.Decode(&t); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := prometheus.SetTargets(t.Job, t.Targets...); err != nil {
			return err
		}
	}
}
