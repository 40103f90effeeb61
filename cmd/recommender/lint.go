package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/alecthomas/kong"

	"github.com/infscale/infscale/deploy/lint"
	"github.com/infscale/infscale/recommender/config"
)

// LintCmd finds known mistakes in manifests.
type LintCmd struct {
	Files     []string `arg:"" optional:"" name:"file" help:"Manifests, queries (*.promql), folders of them, or - for the standard input. What is given together is looked at together."`
	Severity  string   `default:"warning" enum:"warning,error" help:"Least severity that is reported, and fails: ${enum}."`
	ColdStart span     `default:"2m" placeholder:"DURATION" help:"How long a replica takes from the decision to ready [${default}]."`
	KEDA      string   `name:"keda.version" default:"2.21" placeholder:"VERSION" help:"The KEDA that reads the manifests [${default}]."`
	Rules     bool     `help:"List the rules instead."`
	outputFlag
}

// Help explains what is read and what the exit status says.
func (c *LintCmd) Help() string {
	return `It reads KEDA ScaledObjects, HorizontalPodAutoscalers, the servers that they scale, KServe
InferenceServices, rules of prometheus-adapter and of Prometheus, and the PromQL in them. Exit
status 0: nothing found. 1: something found. 2: something that cannot be read, or nothing of these
kinds in all that was given.

A comment on a line, or right above it, allows what is meant so:

  # lint:allow RULE: reason`
}

// Validate refuses what cannot be meant.
func (c *LintCmd) Validate() error {
	if len(c.Files) == 0 && !c.Rules {
		return errors.New("name files or folders, or - for the standard input")
	}
	_, err := c.keda()
	return err
}

// keda returns the minor version of KEDA 2.
func (c *LintCmd) keda() (int, error) {
	var minor int
	if _, err := fmt.Sscanf(strings.TrimPrefix(c.KEDA, "v"), "2.%d", &minor); err != nil || minor < 1 {
		return 0, fmt.Errorf("--keda.version: must be 2.1 or later, such as 2.21, got %q", c.KEDA)
	}
	return minor, nil
}

// A lintReport is what was found, as JSON.
type lintReport struct {
	Files      int            `json:"files"`
	Errors     int            `json:"errors"`
	Warnings   int            `json:"warnings"`
	Findings   []lint.Finding `json:"findings"`
	Unreadable []string       `json:"unreadable,omitempty"`
}

// Run prints what is wrong, and fails if something is.
func (c *LintCmd) Run(k *kong.Context) error {
	if c.Rules {
		return c.printRules(k.Stdout)
	}
	keda, err := c.keda()
	if err != nil {
		return refuse(err)
	}
	files, unreadable := manifests(c.Files)
	findings, broken := lint.Check(files, lint.Options{ColdStart: time.Duration(c.ColdStart), KEDA: keda})
	unreadable = append(unreadable, broken...)
	if c.Severity == string(lint.Error) {
		findings = slices.DeleteFunc(findings, func(f lint.Finding) bool { return f.Severity != lint.Error })
	}
	report := newLintReport(len(files), findings, unreadable)
	if err := c.print(k.Stdout, &report); err != nil {
		return err
	}
	if len(unreadable) > 0 {
		return refuse(listed("files cannot be read", unreadable))
	}
	if err := lint.Nothing(files); err != nil {
		return refuse(err)
	}
	return report.failed()
}

func newLintReport(files int, findings []lint.Finding, unreadable []error) lintReport {
	r := lintReport{Files: files, Findings: findings}
	if findings == nil {
		r.Findings = []lint.Finding{}
	}
	for i := range findings {
		if findings[i].Severity == lint.Error {
			r.Errors++
		} else {
			r.Warnings++
		}
	}
	for _, err := range unreadable {
		r.Unreadable = append(r.Unreadable, err.Error())
	}
	return r
}

// failed returns an error if there is a finding.
func (r *lintReport) failed() error {
	if len(r.Findings) == 0 {
		return nil
	}
	return fmt.Errorf("%s and %s in %s", plural(r.Errors, "error"), plural(r.Warnings, "warning"), plural(r.Files, "file"))
}

func (c *LintCmd) print(w io.Writer, r *lintReport) error {
	if c.json() {
		return printJSON(w, r)
	}
	for i := range r.Findings {
		if _, err := fmt.Fprintln(w, &r.Findings[i]); err != nil {
			return err
		}
	}
	return nil
}

func (c *LintCmd) printRules(w io.Writer) error {
	if c.json() {
		return printJSON(w, lint.Rules())
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "RULE\tSEVERITY\tWHAT IT FINDS")
	for _, r := range lint.Rules() {
		fmt.Fprintf(t, "%s\t%s\t%s\n", r.ID, r.Severity, r.Says)
	}
	return t.Flush()
}

// manifests reads files, and the manifests and queries in folders and below.
func manifests(paths []string) ([]lint.File, []error) {
	var files []lint.File
	var errs []error
	for _, path := range paths {
		list, err := manifest(path)
		files, errs = append(files, list...), append(errs, err...)
	}
	return files, errs
}

func manifest(path string) ([]lint.File, []error) {
	if path == stdin {
		data, err := readPage(os.Stdin, place(stdin))
		if err != nil {
			return nil, []error{err}
		}
		return []lint.File{{Name: place(stdin), Data: data}}, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, []error{plainPath(path, err)}
	}
	if info.IsDir() {
		return folder(path)
	}
	data, err := config.ReadFile(path)
	if err != nil {
		return nil, []error{err}
	}
	return []lint.File{{Name: path, Data: data}}, nil
}

// folder reads the manifests of a folder and below, in the order of their names. Hidden
// folders hold the state of other programs.
func folder(root string) ([]lint.File, []error) {
	var files []lint.File
	var errs []error
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(d.Name(), ".") && name != root
		switch {
		case err != nil:
			errs = append(errs, plainPath(name, err))
		case d.IsDir() && hidden:
			return filepath.SkipDir
		case !d.IsDir() && !hidden && isManifest(name):
			data, err := config.ReadFile(name)
			if err != nil {
				errs = append(errs, err)
				break
			}
			files = append(files, lint.File{Name: name, Data: data})
		}
		return nil
	})
	if err == nil && len(files)+len(errs) == 0 {
		err = fmt.Errorf("%s: has no *.yaml, *.yml or *.promql", root)
	}
	if err != nil {
		errs = append(errs, err)
	}
	return files, errs
}

func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".promql"}, cmp.Or(filepath.Ext(name), "?"))
}
