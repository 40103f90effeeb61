package security

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait on a machine that does other things too.
const patience = 60 * time.Second

// program is the path of the program under test, built once.
var program string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "infscale-security-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "recommender")
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	build := exec.CommandContext(ctx, "go", "build", "-o", program, "../../cmd/recommender")
	build.Stdout, build.Stderr = os.Stderr, os.Stderr
	if err := build.Run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// say runs a command to its end and returns its exit status and all that it said.
func say(t *testing.T, dir string, env []string, args ...string) (status int, output string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), string(out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return 0, string(out)
}

// A process is a daemon that runs.
type process struct {
	url string
	cmd *exec.Cmd

	mu   sync.Mutex
	said bytes.Buffer  // all of stdout and stderr
	more chan struct{} // receives after a line
	done chan struct{}
}

// serve starts the daemon in a folder that has its infscale.yaml, and waits until it listens.
func serve(t *testing.T, dir string, env []string, args ...string) *process {
	t.Helper()
	p := &process{more: make(chan struct{}, 1), done: make(chan struct{})}
	p.cmd = exec.CommandContext(t.Context(), program, append([]string{
		"serve", "--log.level=debug", "--log.format=json", "--web.listen-address=127.0.0.1:0", "--web.enable-lifecycle",
	}, args...)...)
	p.cmd.Dir, p.cmd.Env = dir, append(os.Environ(), env...)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close() // the process has it
	started := make(chan string, 1)
	go p.read(r, started)
	t.Cleanup(func() { p.end(syscall.SIGKILL) })
	select {
	case p.url = <-started:
	case <-p.done:
		t.Fatalf("the daemon ended:\n%s", p.output())
	case <-time.After(patience):
		t.Fatalf("the daemon does not start:\n%s", p.output())
	}
	return p
}

// read keeps what the process says, and passes on the address that it serves.
func (p *process) read(r *os.File, started chan<- string) {
	defer close(p.done)
	defer r.Close()
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		p.mu.Lock()
		p.said.Write(line)
		p.mu.Unlock()
		select {
		case p.more <- struct{}{}:
		default:
		}
		var entry struct {
			Message string `json:"msg"`
			URL     string `json:"url"`
		}
		if json.Unmarshal(line, &entry) == nil && entry.Message == "started" {
			started <- entry.URL
		}
		if err != nil {
			return
		}
	}
}

// output returns what the process has said so far.
func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.said.String()
}

// await waits until the process has said something.
func (p *process) await(t *testing.T, text string) {
	t.Helper()
	for late := time.After(patience); !strings.Contains(p.output(), text); {
		select {
		case <-p.more:
		case <-late:
			t.Fatalf("never said %q:\n%s", text, p.output())
		}
	}
}

// end sends a signal and returns all that the process said.
func (p *process) end(signal syscall.Signal) string {
	_ = p.cmd.Process.Signal(signal) // it may have ended
	<-p.done
	_ = p.cmd.Wait() // killed, or told to dump its stacks
	return p.output()
}

// ask sends a request and returns the answer with everything in it as text.
func ask(t *testing.T, client *http.Client, method, url string) (*http.Response, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var b bytes.Buffer
	for name, values := range answer.Header {
		fmt.Fprintf(&b, "%s: %s\n", name, strings.Join(values, ", "))
	}
	if _, err := io.Copy(&b, answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer, b.String()
}

// newClient returns a client that follows no redirect.
func newClient(t *testing.T, transport *http.Transport) *http.Client {
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// write writes a file into a folder.
func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
