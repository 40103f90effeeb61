package config

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/infscale/infscale/promapi"
)

// What a namespace and a name can be in Kubernetes, RFC 1123.
var (
	label     = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`)
	subdomain = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`)
)

// CheckNamespace returns what is wrong with the namespace of a workload.
func CheckNamespace(name string) error {
	return checkName(name, label, 63, "lower-case letters, digits and '-'")
}

// CheckName returns what is wrong with the name of a workload.
func CheckName(name string) error {
	return checkName(name, subdomain, 253, "lower-case letters, digits, '-' and '.'")
}

func checkName(name string, pattern *regexp.Regexp, most int, of string) error {
	switch {
	case name == "":
		return errors.New("must be set")
	case len(name) > most:
		return fmt.Errorf("must be at most %d characters, got %d", most, len(name))
	case !pattern.MatchString(name):
		return fmt.Errorf("must be a name of %s that begins and ends with a letter or digit, got %q", of, name)
	}
	return nil
}

// Validate returns every mistake, each starting with the key it is in.
func (p *Prometheus) Validate() []error {
	errs := p.Config.Validate()
	u, err := url.Parse(p.URL)
	if err != nil || !strings.Contains(strings.TrimRight(u.Path, "/")+"/", "/api/v1/") {
		return errs
	}
	const base = "must be the base URL, without /api/v1"
	if promapi.CheckURL(p.URL) != nil { // the first of them
		errs[0] = fmt.Errorf("%w; %s", errs[0], base)
		return errs
	}
	return append([]error{errors.New("url: " + base)}, errs...)
}
