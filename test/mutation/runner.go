package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// patience is how long the tests of one package may take: a mutant may loop for ever.
const patience = "180s"

// A runner builds and runs the tests of mutants.
type runner struct {
	root string // of the module
	temp string // where changed files and test binaries go
}

// A verdict says whether the tests notice, and which one.
type verdict struct {
	noticed bool
	test    string
}

// build compiles the tests of a package, with other texts in place of some of its files or
// beside them, and returns the program.
func (r *runner) build(ctx context.Context, folder string, texts map[string]string) (string, error) {
	replace := map[string]string{}
	for name, text := range texts {
		changed := filepath.Join(r.temp, fmt.Sprintf("changed%d.go", len(replace)))
		if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
			return "", err
		}
		replace[filepath.Join(r.root, filepath.FromSlash(name))] = changed
	}
	data, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay, program := filepath.Join(r.temp, "overlay.json"), filepath.Join(r.temp, "tests")
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-o", program, "-overlay", overlay, "./"+folder)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", folder, err, out)
	}
	return program, nil
}

// test runs a program of tests in the folder of its package with one mutant in force, or
// none.
func (r *runner) test(ctx context.Context, program, folder string, number int) (verdict, error) {
	cmd := exec.CommandContext(ctx, program, "-test.short", "-test.failfast", "-test.timeout="+patience)
	cmd.Dir = filepath.Join(r.root, filepath.FromSlash(folder))
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", environment, number))
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return verdict{}, ctx.Err()
	}
	return verdict{err != nil, culprit(out)}, nil
}

// A plan is what one package needs: the texts of its files with all mutants woven in, and the
// mutants that need a build of their own.
type plan struct {
	folder string
	texts  map[string]string
	jobs   []job
}

// A job is one mutant.
type job struct {
	*mutant
	file   *file
	line   int
	number int // in the woven package; 0 needs a build of its own
}

// plans groups the mutants by package.
func plans(root string, files []file) ([]*plan, error) {
	var list []*plan
	byFolder := map[string]*plan{}
	for i := range files {
		folder := files[i].folder()
		p := byFolder[folder]
		if p == nil {
			p = &plan{folder: folder, texts: map[string]string{}}
			byFolder[folder] = p
			list = append(list, p)
		}
		if err := p.add(root, &files[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", files[i].name, err)
		}
	}
	return list, nil
}

// add weaves the mutants of one file into the package.
func (p *plan) add(root string, f *file) error {
	text, err := f.read(root)
	if err != nil {
		return err
	}
	first := len(p.jobs) + 1
	woven, alone, err := weave(text, f.mutants, first)
	if err != nil {
		return err
	}
	for i := range f.mutants {
		p.jobs = append(p.jobs, job{&f.mutants[i], f, f.mutants[i].line(text), first + i})
	}
	for _, i := range alone {
		p.jobs[first-1+i].number = 0
	}
	p.texts[f.name] = woven
	if p.texts[p.chooser()] == "" {
		name, _, _ := strings.Cut(strings.TrimPrefix(text[strings.Index("\n"+text, "\npackage "):], "package "), "\n")
		p.texts[p.chooser()] = fmt.Sprintf("package %s\n\nimport (\n\t\"os\"\n\t\"strconv\"\n)\n\nvar %s, _ = strconv.Atoi(os.Getenv(%q))\n",
			strings.TrimSpace(name), inForce, environment)
	}
	return nil
}

// chooser is the file that is added to a woven package.
func (p *plan) chooser() string { return p.folder + "/mutant_in_force.go" }

// try runs the tests against every mutant of the package and yields the verdicts. Without a
// mutant they must pass, or a failure would say nothing.
func (p *plan) try(ctx context.Context, r *runner, yield func(*job, verdict)) error {
	program, err := r.build(ctx, p.folder, p.texts)
	if err != nil {
		return err
	}
	switch v, err := r.test(ctx, program, p.folder, 0); {
	case err != nil:
		return err
	case v.noticed:
		return fmt.Errorf("%s: the tests fail while nothing is broken: %s", p.folder, v.test)
	}
	var alone []*job
	for i := range p.jobs {
		j := &p.jobs[i]
		if j.number == 0 {
			alone = append(alone, j)
			continue
		}
		v, err := r.test(ctx, program, p.folder, j.number)
		if err != nil {
			return err
		}
		yield(j, v)
	}
	return p.tryAlone(ctx, r, alone, yield)
}

// tryAlone builds the package anew for every mutant.
func (p *plan) tryAlone(ctx context.Context, r *runner, jobs []*job, yield func(*job, verdict)) error {
	for _, j := range jobs {
		text, err := j.file.read(r.root)
		if err != nil {
			return err
		}
		if text, err = j.apply(text); err != nil {
			return err
		}
		program, err := r.build(ctx, p.folder, map[string]string{j.file.name: text})
		if err != nil {
			return fmt.Errorf("%s: %w", j.id, err)
		}
		v, err := r.test(ctx, program, p.folder, 0)
		if err != nil {
			return err
		}
		yield(j, v)
	}
	return nil
}

// culprit names the test that failed, the deepest of the first.
func culprit(out []byte) string {
	name := ""
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		failed, ok := strings.CutPrefix(line, "--- FAIL: ")
		switch {
		case ok:
			name, _, _ = strings.Cut(failed, " (")
		case name == "" && strings.HasPrefix(line, "panic: "):
			return line
		case name != "":
			return name
		}
	}
	return name
}
