package main

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// TestMutantsStandInTheCode finds every mutant's text and compiles the package with it,
// so that mutants do not rot between two runs of all tests.
func TestMutantsStandInTheCode(t *testing.T) {
	listed := list(t)
	for i := range all {
		f := &all[i]
		text, err := f.read(root)
		if err != nil {
			t.Error(err)
			continue
		}
		c := newCompiler(t, listed, f)
		for j := range f.mutants {
			m := &f.mutants[j]
			changed, err := m.apply(text)
			if err == nil {
				err = c.compile(changed)
			}
			if err != nil {
				t.Errorf("%s: %s: %v", f.name, m.id, err)
			}
		}
	}
}

func TestMutantsAreToldApart(t *testing.T) {
	seen, files := map[string]bool{}, map[string]bool{}
	n := 0
	for i := range all {
		if files[all[i].name] {
			t.Errorf("the file %s stands in the tables twice", all[i].name)
		}
		files[all[i].name] = true
		for _, m := range all[i].mutants {
			if seen[m.id] {
				t.Errorf("two mutants are called %s", m.id)
			}
			seen[m.id] = true
			if m.rule == "" || strings.HasSuffix(m.rule, ".") {
				t.Errorf("%s: got the rule %q, want what holds, without a full stop", m.id, m.rule)
			}
			n++
		}
	}
	const least = 40
	if n < least {
		t.Errorf("got %d mutants, want at least %d", n, least)
	}
}

// A listing is what go list says of a package.
type listing struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// list asks for the packages with mutants, and for the compiled form of all they import.
func list(t *testing.T) map[string]listing {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}
	for i := range all {
		args = append(args, "./"+all[i].folder())
	}
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = root
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		t.Fatalf("go list: %v: %s", err, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string]listing{}
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var l listing
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return listed
		} else if err != nil {
			t.Fatal(err)
		}
		listed[l.ImportPath] = l
	}
}

// A compiler checks the types of one package with one of its files changed.
type compiler struct {
	set    *token.FileSet
	others []*ast.File
	config types.Config
	path   string
}

func newCompiler(t *testing.T, listed map[string]listing, f *file) *compiler {
	t.Helper()
	c := &compiler{set: token.NewFileSet(), path: "github.com/infscale/infscale/" + f.folder()}
	c.config.Importer = importer.ForCompiler(c.set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(listed[path].Export)
	})
	own := listed[c.path]
	for _, name := range own.GoFiles {
		if name == filepath.Base(f.name) {
			continue
		}
		tree, err := parser.ParseFile(c.set, filepath.Join(own.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		c.others = append(c.others, tree)
	}
	return c
}

func (c *compiler) compile(text string) error {
	tree, err := parser.ParseFile(c.set, "changed.go", text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	_, err = c.config.Check(c.path, c.set, append([]*ast.File{tree}, c.others...), nil)
	return err
}
