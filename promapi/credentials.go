package promapi

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/prometheus/common/config"
)

// A credentialError is a credential that could not be read.
type credentialError struct{ err error }

func (e *credentialError) Error() string { return e.err.Error() }
func (e *credentialError) Unwrap() error { return e.err }

// credentialFiles reads tokens and passwords from files, anew for every request.
// Tokens of service accounts are replaced while the program runs, and whoever
// replaces one may leave the file empty or absent for a moment: the last good
// value then stays in use. It is the config.SecretManager of the client, with
// the path of the file as the reference.
type credentialFiles struct {
	censor *censor
	files  []string

	mu      sync.Mutex
	last    map[string]string
	changes int
}

func newCredentialFiles(z *censor) *credentialFiles {
	return &credentialFiles{censor: z, last: map[string]string{}}
}

// Fetch returns the content of the file without the space around it.
func (c *credentialFiles) Fetch(_ context.Context, file string) (string, error) {
	b, err := os.ReadFile(file)
	value := strings.TrimSpace(string(b))
	if err == nil && value == "" {
		err = fmt.Errorf("%s: empty file", file)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		if last, ok := c.last[file]; ok {
			return last, nil
		}
		return "", &credentialError{err}
	}
	if c.last[file] != value {
		c.last[file] = value
		c.changes++
		c.censor.learn(file, value)
	}
	return value, nil
}

// version reads the files and returns a number that grows when one has a new
// value.
func (c *credentialFiles) version() int {
	for _, file := range c.files {
		// Whoever needs the value meets the error.
		_, _ = c.Fetch(context.Background(), file)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes
}

// adopt returns cfg with the files of credentials turned into references, so
// that c reads them. TLS files stay: a new connection reads
// them again, and there a half-written file must be an error.
func (c *credentialFiles) adopt(cfg config.HTTPClientConfig) config.HTTPClientConfig {
	c.files = nil
	move := func(file, ref *string) {
		if *file != "" {
			c.files = append(c.files, *file)
			*file, *ref = "", *file
		}
	}
	if cfg.BasicAuth != nil {
		a := *cfg.BasicAuth
		move(&a.UsernameFile, &a.UsernameRef)
		move(&a.PasswordFile, &a.PasswordRef)
		cfg.BasicAuth = &a
	}
	if cfg.Authorization != nil {
		a := *cfg.Authorization
		move(&a.CredentialsFile, &a.CredentialsRef)
		cfg.Authorization = &a
	}
	if cfg.OAuth2 != nil {
		o := *cfg.OAuth2
		move(&o.ClientSecretFile, &o.ClientSecretRef)
		move(&o.ClientCertificateKeyFile, &o.ClientCertificateKeyRef)
		cfg.OAuth2 = &o
	}
	return cfg
}
