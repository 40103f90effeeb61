package main

import (
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/infscale/infscale/promapi/embedded"
)

var update = flag.Bool("update", false, "write what the program prints into the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"recommender": main})
}

// TestScripts runs the program as a user does. Every script starts in a folder that
// holds the pages of testdata/pages, and finds them behind $PAGES too.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       *update,
		Setup:               setUp,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status":     status,
			"prometheus": startPrometheus,
			"expand":     expand,
		},
	})
}

func setUp(env *testscript.Env) error {
	const pages = "testdata/pages"
	if err := os.CopyFS(env.WorkDir, os.DirFS(pages)); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	server := httptest.NewServer(pageHandler(env.WorkDir))
	env.Defer(server.Close)
	env.Setenv("PAGES", server.URL)
	env.Setenv("HOST", server.Listener.Addr().String())
	return nil
}

// pageHandler serves the files of a folder as pages, and what a server can do wrong.
func pageHandler(dir string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{page}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		http.ServeFile(w, r, filepath.Join(dir, r.PathValue("page")))
	})
	mux.HandleFunc("/private/{page}", func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "reader" || password != "hunter2" {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		http.ServeFile(w, r, filepath.Join(dir, r.PathValue("page")))
	})
	mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/endless", func(w http.ResponseWriter, _ *http.Request) {
		for line := []byte("# nothing to see here\n"); ; {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	})
	return mux
}

// status runs recommender and compares its exit status: "status 2 gpu --params 70".
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N ARGUMENT...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec("recommender", args[1:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("got exit status %d, want %d", got, want)
	}
}

// startPrometheus starts a Prometheus behind $PROMETHEUS and loads series in the notation
// of rule tests, fifteen seconds apart: "prometheus FILE START".
func startPrometheus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: prometheus FILE START")
	}
	start, err := time.Parse(time.RFC3339, args[1])
	ts.Check(err)
	prometheus, err := embedded.Start(embedded.Options{Listen: "127.0.0.1:0"})
	ts.Check(err)
	ts.Defer(func() { ts.Check(prometheus.Close()) })
	lines := strings.Split(ts.ReadFile(args[0]), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	ts.Check(prometheus.Load(start, 15*time.Second, lines...))
	ts.Setenv("PROMETHEUS", prometheus.URL())
}

// expand replaces variables in a file: "expand FILE".
func expand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: expand FILE")
	}
	text := os.Expand(ts.ReadFile(args[0]), ts.Getenv)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
}
