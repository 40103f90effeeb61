package generate_test

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/infscale/infscale/deploy/generate"
	"github.com/infscale/infscale/deploy/lint"
	"github.com/infscale/infscale/recommender/config"
)

// FuzzFollowers renders what follows a configuration. Whatever is accepted as one, each file
// is YAML, holds one object for the workload, is the same the second time, and lint, which
// knows the mistakes that people make by hand, finds none in it.
func FuzzFollowers(f *testing.F) {
	f.Add(every, "", "")
	f.Add(every, "night", "http://thanos:9090/a?b=\"c\"")
	f.Add(strings.Replace(every, `cluster="a"`, "'cluster=~\"a|\\\"b\"'", 1), "staging/chat", "")
	f.Add(strings.Replace(every, "hunter2", "'\"'", 1), "", "'\n: {}")
	f.Add(strings.Replace(every, "/prefix", "/{{.Name}}%20\"", 1), "", "")
	f.Fuzz(func(t *testing.T, text, workload, server string) {
		c, err := config.Parse([]byte(text), "infscale.yaml")
		if err != nil || server != "" && !isAddress(server) {
			return
		}
		o := generate.Options{ServerAddress: server}
		if workload != "" {
			o.Workloads = []string{workload}
		}
		for name, render := range followers {
			files, err := render(c, o)
			if err != nil {
				continue
			}
			again, _ := render(c, o)
			for i, file := range files {
				if !bytes.Equal(file.Data, again[i].Data) {
					t.Errorf("%s: got %s differently the second time", name, file.Name)
				}
				documents(t, file)
				checkLint(t, file)
			}
		}
	})
}

// isAddress reports whether a text is what somebody means by the address of a server.
func isAddress(text string) bool {
	u, err := url.Parse(text)
	return err == nil && utf8.ValidString(text) && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

// checkLint reports what lint finds wrong in a rendered file.
func checkLint(t *testing.T, file generate.File) {
	t.Helper()
	findings, _ := lint.Check([]lint.File{{Name: file.Name, Data: file.Data}}, lint.Options{})
	for i := range findings {
		if findings[i].Severity == lint.Error {
			t.Errorf("%s: got %+v\n%s", file.Name, findings[i], file.Data)
		}
	}
}
