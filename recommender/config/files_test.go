package config

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// zeros is a file without an end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestAFileThatIsTooLargeIsNotRead(t *testing.T) {
	if _, err := ReadFrom(zeros{}, "zeros"); err == nil || !strings.Contains(err.Error(), "zeros: is larger than 16 MiB") {
		t.Errorf("got %v, want that it is too large", err)
	}
	space := io.LimitReader(spaces{}, maxFile)
	if _, err := ReadFrom(space, "space"); err == nil || strings.Contains(err.Error(), "larger") {
		t.Errorf("got %v from 16 MiB of space, want only the mistakes of an empty file", err)
	}
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestFilesThatAreNotThere reads a configuration whose files are missing, and then
// loads it with them.
func TestFilesThatAreNotThere(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "infscale.yaml")
	text := strings.Replace(smallest, "url: http://prometheus:9090", `url: http://prometheus:9090
  basic_auth:
    username: a
    password_file: password
  tls_config:
    ca_file: ca.crt
    cert_file: tls.crt
    key_file: tls.key
  http_headers:
    X-Key: {files: [key]}`, 1)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("infscale.yaml", text)
	c, err := Read(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, err := range c.MissingFiles() {
		got = append(got, strings.ReplaceAll(err.Error(), dir+"/", ""))
	}
	want := []string{
		"infscale.yaml:6: prometheus.basic_auth.password_file: password: no such file or directory",
		"infscale.yaml:8: prometheus.tls_config.ca_file: ca.crt: no such file or directory",
		"infscale.yaml:9: prometheus.tls_config.cert_file: tls.crt: no such file or directory",
		"infscale.yaml:10: prometheus.tls_config.key_file: tls.key: no such file or directory",
		"infscale.yaml:11: prometheus.http_headers.X-Key.files[0]: key: no such file or directory",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if _, err := Load(file); err == nil || strings.Count(err.Error(), "\n") != len(want)-1 {
		t.Errorf("got %v, want all of these to be refused", err)
	}

	for _, name := range []string{"password", "key", "ca.crt", "tls.crt", "tls.key"} {
		write(name, "not a certificate")
	}
	_, err = Load(file)
	for _, want := range []string{":8: prometheus.tls_config.ca_file: ", "has no certificate in PEM", ":9: prometheus.tls_config.cert_file: "} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
	if err != nil && strings.Contains(err.Error(), "password") {
		t.Errorf("got %v, want nothing of a file that is there", err)
	}
}

func TestFilesThatAreThere(t *testing.T) {
	dir := t.TempDir()
	password := filepath.Join(dir, "password")
	if err := os.WriteFile(password, []byte("hunter2"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "infscale.yaml")
	text := strings.Replace(smallest, "url:", "basic_auth: {username: a, password_file: password}\n  url:", 1)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(file); err != nil {
		t.Errorf("got %v, want no error", err)
	}
}
