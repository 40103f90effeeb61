package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

// run tries the mutants that the words choose.
func run(ctx context.Context, words []string, out io.Writer) error {
	files := chosen(all, words)
	if len(files) == 0 {
		return fmt.Errorf("no mutant is called %s", strings.Join(words, " or "))
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "mutation-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp) //nolint:errcheck // What stays behind is in the folder for that.
	r := &runner{root: root, temp: temp}
	return r.report(ctx, files, out)
}

// report tries all mutants, prints a line for each as it is done, and then the score.
func (r *runner) report(ctx context.Context, files []file, out io.Writer) error {
	list, err := plans(r.root, files)
	if err != nil {
		return err
	}
	total, survived := 0, 0
	for _, p := range list {
		err := p.try(ctx, r, func(j *job, v verdict) {
			total++
			what := "noticed "
			if !v.noticed {
				survived++
				what, v.test = "SURVIVED", "no test protects that "+j.rule
			}
			fmt.Fprintf(out, "%s  %-26s %s:%d: %s\n", what, j.id, j.file.name, j.line, v.test)
		})
		if err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "\nmutants: %d, noticed %d, survived %d\n", total, total-survived, survived)
	if survived > 0 {
		return errors.New("a mutant that survives is a missing test")
	}
	return nil
}

// moduleRoot returns the folder of the module that the current folder is in.
func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", err
	}
	mod := strings.TrimSpace(string(out))
	if filepath.Base(mod) != "go.mod" {
		return "", errors.New("not in a module")
	}
	return filepath.Dir(mod), nil
}
