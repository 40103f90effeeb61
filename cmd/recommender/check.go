package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/alecthomas/kong"

	"github.com/infscale/infscale/recommender/config"
)

// CheckCmd is the group of commands that say what would go wrong before it does.
type CheckCmd struct {
	Config     CheckConfigCmd     `cmd:"" help:"Check a configuration file and print every mistake in it."`
	Prometheus CheckPrometheusCmd `cmd:"" help:"Ask Prometheus whether what a configuration reads is there, and what would stay silent."`
}

// CheckConfigCmd checks a configuration file.
type CheckConfigCmd struct {
	File string `arg:"" placeholder:"FILE" help:"The configuration, or - for the standard input."`
	outputFlag
}

// A configReport is what was found, as JSON.
type configReport struct {
	File      string   `json:"file"`
	OK        bool     `json:"ok"`
	Workloads []string `json:"workloads"`
	Mistakes  []string `json:"mistakes"`
	Warnings  []string `json:"warnings,omitempty"`
}

// Run checks the file. Whatever is wrong with it is refused input. Files that it names
// may be elsewhere, in the cluster: that they are not here is a warning.
func (c *CheckConfigCmd) Run(k *kong.Context) error {
	cfg, err := c.read()
	if _, ok := errors.AsType[config.Unreadable](err); ok {
		return refuse(err)
	}
	report := configReport{File: c.File, OK: err == nil, Workloads: []string{}, Mistakes: []string{}}
	if err != nil {
		return errors.Join(c.printMistakes(k, &report, parts(err))...)
	}
	for _, missing := range cfg.MissingFiles() {
		report.Warnings = append(report.Warnings, missing.Error())
		fmt.Fprintf(k.Stderr, "recommender: warning: %v\n", missing)
	}
	if !c.json() {
		_, err = fmt.Fprintf(k.Stdout, "ok: %s\n", plural(len(cfg.Workloads()), "workload"))
		return err
	}
	for _, w := range cfg.Workloads() {
		report.Workloads = append(report.Workloads, w.Namespace+"/"+w.Name)
	}
	return printJSON(k.Stdout, report)
}

func (c *CheckConfigCmd) read() (*config.Config, error) {
	if c.File == stdin {
		return config.ReadFrom(os.Stdin, place(stdin))
	}
	return config.Read(c.File)
}

// printMistakes refuses the file: with a list, or with JSON and their number.
func (c *CheckConfigCmd) printMistakes(k *kong.Context, report *configReport, mistakes []error) []error {
	if !c.json() {
		return []error{refuse(listed("mistakes", mistakes))}
	}
	for _, mistake := range mistakes {
		report.Mistakes = append(report.Mistakes, mistake.Error())
	}
	return []error{printJSON(k.Stdout, report), refuse(fmt.Errorf("%s: %s", place(c.File), plural(len(mistakes), "mistake")))}
}

// loadConfig reads a configuration to be used, - from the standard input.
func loadConfig(file string) (*config.Config, error) {
	cfg, err := (&CheckConfigCmd{File: file}).read()
	if err == nil {
		err = errors.Join(cfg.MissingFiles()...)
	}
	return asUsed(cfg, err)
}

// asUsed lists what is wrong with a configuration that was read.
func asUsed(cfg *config.Config, err error) (*config.Config, error) {
	if _, ok := errors.AsType[config.Unreadable](err); ok {
		return nil, refuse(err)
	}
	if err != nil {
		return nil, refuse(listed("mistakes", parts(err)))
	}
	return cfg, nil
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
