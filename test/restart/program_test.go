package restart

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

// patience is how long anything may take that should take moments.
const patience = time.Minute

// often is how long to wait between two looks at a page.
const often = 100 * time.Millisecond

// built is the folder of the program; empty before it is built.
var built string

// binary builds the program once.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "infscale-restart-")
	if err != nil {
		return "", err
	}
	built = dir
	path := filepath.Join(dir, "recommender")
	out, err := exec.Command("go", "build", "-o", path, "github.com/infscale/infscale/cmd/recommender").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(status)
}

// A program is a running recommender.
type program struct {
	cmd *exec.Cmd
	url string
}

// startProgram runs the binary on a configuration until it is killed or the test ends.
func startProgram(t testing.TB, file string) *program {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "--config.file="+file, "--web.listen-address=127.0.0.1:0", "--log.format=json")
	logs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &program{cmd: cmd}
	t.Cleanup(p.kill)
	if p.url, err = address(logs); err != nil {
		t.Fatal(err)
	}
	return p
}

// address reads the log up to where the daemon says where it listens. The rest is dropped.
func address(logs io.Reader) (string, error) {
	lines, seen := bufio.NewScanner(logs), &bytes.Buffer{}
	for lines.Scan() {
		seen.Write(append(lines.Bytes(), '\n'))
		var line struct{ Msg, Address, Scheme string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
			go func() { _, _ = io.Copy(io.Discard, logs) }()
			return line.Scheme + "://" + line.Address, nil
		}
	}
	return "", fmt.Errorf("the program ended without listening: %s", seen)
}

// kill ends the program as kill -9 does, and waits for its end. Twice is harmless.
func (p *program) kill() {
	_ = p.cmd.Process.Signal(syscall.SIGKILL)
	_ = p.cmd.Wait()
}

// get asks for a page, and returns nothing if nobody answers.
func (p *program) get(ctx context.Context, path string) (status int, body string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url+path, http.NoBody)
	if err != nil {
		return 0, ""
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, ""
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		return 0, ""
	}
	return resp.StatusCode, string(b)
}

// gauges returns what the page says of workloads, by name and labels.
func gauges(page string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(page) {
		series, value, ok := strings.Cut(strings.TrimSpace(line), "} ")
		if ok && strings.Contains(series, `workload="`) && !strings.Contains(series, "_total{") {
			values[series+"}"] = value
		}
	}
	return values
}

// errLate is what until returns if nothing comes.
var errLate = errors.New("waited in vain")

// until looks again and again until what it waits for is there.
func until(ctx context.Context, is func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.NewTicker(often)
	defer ticker.Stop()
	for !is() {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return errLate
		}
	}
	return nil
}

// write writes a configuration.
func write(t testing.TB, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "infscale.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
