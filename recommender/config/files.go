package config

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/prometheus/common/config"
)

// maxFile bounds a file in bytes. Ten thousand workloads need a few megabytes.
const maxFile = 16 << 20

// ReadFile reads a file that cannot be larger than a configuration is. Its error
// names the file once, as those of its content do.
func ReadFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, cause(err))
	}
	defer f.Close()
	return readAll(f, path)
}

// readRegular is [ReadFile] of what cannot wait for somebody who writes.
func readRegular(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, cause(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: is %s, must be a regular file", path, kindOf(info.Mode()))
	}
	return ReadFile(path)
}

// kindOf names what is not a regular file.
func kindOf(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
}

func readAll(r io.Reader, name string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, cause(err))
	case len(data) > maxFile:
		return nil, fmt.Errorf("%s: is larger than %d MiB, which no configuration is", name, maxFile>>20)
	}
	return data, nil
}

// cause is what happened, without the name of the file.
func cause(err error) error {
	if e, ok := errors.AsType[*os.PathError](err); ok {
		return e.Err
	}
	return err
}

// MissingFiles returns what is wrong with the files that the configuration names,
// each with the line and the key that name it. They may be elsewhere than where a
// configuration is checked, so [Read] does not look at them and [Load] does.
func (c *Config) MissingFiles() []error {
	m := newMistakes(c.name)
	if c.lines != nil {
		m.lines = c.lines
	}
	client := &c.Prometheus.HTTP
	checkFiles(m, "prometheus", reflect.ValueOf(client))
	checkPair(m, "prometheus.tls_config", &client.TLSConfig)
	if o := client.OAuth2; o != nil {
		checkPair(m, "prometheus.oauth2.tls_config", &o.TLSConfig)
	}
	if h := client.HTTPHeaders; h != nil {
		for _, name := range slices.Sorted(maps.Keys(h.Headers)) {
			for i, file := range h.Headers[name].Files {
				checkFile(m, fmt.Sprintf("prometheus.http_headers.%s.files[%d]", name, i), file)
			}
		}
	}
	return m.errs()
}

// checkFiles notes what is wrong with the files that the keys of a struct name.
func checkFiles(m *mistakes, path string, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		v = v.Elem() // the zero value, which is no struct, for nil
	}
	if v.Kind() != reflect.Struct {
		return
	}
	fields := fieldsOf(v.Type())
	for _, key := range keysOf(v.Type()) {
		field, at := v.FieldByIndex(fields[key]), path+"."+key
		if field.Kind() == reflect.String && strings.HasSuffix(key, "_file") {
			checkFile(m, at, field.String())
			continue
		}
		checkFiles(m, at, field)
	}
}

// checkFile notes a file that cannot be read or has no certificate where it should.
func checkFile(m *mistakes, path, file string) {
	if file == "" {
		return
	}
	data, err := readRegular(file)
	switch {
	case err != nil:
		m.add(path, "%v", err)
	case strings.HasSuffix(path, ".ca_file") && !x509.NewCertPool().AppendCertsFromPEM(data):
		m.add(path, "%s: has no certificate in PEM", file)
	}
}

// checkPair notes a certificate and a key that are readable and don't fit.
func checkPair(m *mistakes, path string, t *config.TLSConfig) {
	if t.CertFile == "" || t.KeyFile == "" || m.knows(path+".cert_file") || m.knows(path+".key_file") {
		return
	}
	if _, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile); err != nil {
		m.add(path+".cert_file", "%s with %s: %v", t.CertFile, t.KeyFile, err)
	}
}
