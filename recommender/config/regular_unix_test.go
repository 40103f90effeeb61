//go:build unix

package config

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// irregular makes one of each kind of file that is not a regular one, and returns what it is.
func irregular(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe"), filepath.Join(dir, "socket")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return map[string]string{pipe: "a pipe", socket: "a socket", dir: "a directory", "/dev/zero": "a device"}
}

func TestOnlyARegularFileIsLoaded(t *testing.T) {
	for path, is := range irregular(t) {
		_, err := Load(path)
		want := path + ": is " + is + ", must be a regular file"
		if _, ok := errors.AsType[Unreadable](err); !ok || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestOnlyARegularFileIsNamed(t *testing.T) {
	for path, is := range irregular(t) {
		text := strings.Replace(smallest, "url:", "bearer_token_file: "+path+"\n  url:", 1)
		c, err := Parse([]byte(text), "infscale.yaml")
		if err != nil {
			t.Fatal(err)
		}
		want := "prometheus.bearer_token_file: " + path + ": is " + is + ", must be a regular file"
		if err := errors.Join(c.MissingFiles()...); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

func TestAPipeAndALinkAreRead(t *testing.T) {
	dir := t.TempDir()
	pipe, file, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(
		syscall.Mkfifo(pipe, 0o600), os.WriteFile(file, []byte(smallest), 0o600), os.Symlink(file, link),
	); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, []byte(smallest), 0o600) }()
	if _, err := Read(pipe); err != nil {
		t.Errorf("a pipe to be checked: got %v, want no error", err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	if _, err := Load(link); err != nil {
		t.Errorf("a link to a regular file: got %v, want no error", err)
	}
}
