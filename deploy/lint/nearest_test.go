package lint_test

import (
	"strings"
	"testing"

	"github.com/infscale/infscale/deploy/lint"
)

// Folders beside one another hold objects of one name, of which one at a time is applied. What
// is nearest to whoever refers to it is the one, and where several are as near nothing is said.
func TestTheNearestCredentialsCount(t *testing.T) {
	const (
		token = "secretTargetRef: [{parameter: bearerToken, name: s, key: t}]"
		name  = "secretTargetRef: [{parameter: username, name: s, key: u}]"
		at    = "k8s/auth/scaledobject.yaml"
		bad   = "auth-incomplete"
	)
	credentials, object, _ := strings.Cut(authenticated(token, "basic", "{name: prometheus}"), "---\n")
	wrong, right := credentials, strings.Replace(credentials, token, name, 1)
	type files = map[string]string
	for says, row := range map[string]struct {
		given files
		want  string
	}{
		"of the same file, before its folder":   {files{at: right + "---\n" + object, "k8s/auth/a.yaml": wrong}, ""},
		"of the same file, if wrong":            {files{at: wrong + "---\n" + object, "k8s/auth/a.yaml": right}, bad},
		"of the folder, before one below":       {files{at: object, "k8s/auth/z.yaml": right, "k8s/auth/bearer/a.yaml": wrong}, ""},
		"of the folder, if wrong":               {files{at: object, "k8s/auth/z.yaml": wrong, "k8s/auth/basic/a.yaml": right}, bad},
		"of the folder, before the one above":   {files{at: object, "k8s/auth/z.yaml": right, "k8s/a.yaml": wrong}, ""},
		"of the nearest folder above":           {files{at: object, "k8s/z.yaml": right, "a.yaml": wrong}, ""},
		"of the nearest folder above, if wrong": {files{at: object, "k8s/z.yaml": wrong, "a.yaml": right}, bad},
		"of a folder above, before one beside":  {files{at: object, "z.yaml": right, "k8s/b/a.yaml": wrong}, ""},
		"two in the folder":                     {files{at: object, "k8s/auth/a.yaml": wrong, "k8s/auth/b.yaml": right}, ""},
		"two in folders beside":                 {files{at: object, "k8s/b/a.yaml": wrong, "k8s/c/a.yaml": wrong}, ""},
		"the only one, wherever":                {files{at: object, "other/a.yaml": wrong}, bad},
		"the only one, above the folder":        {files{at: object, "../a.yaml": wrong}, bad},
	} {
		var list []lint.File
		for name, text := range row.given {
			list = append(list, lint.File{Name: name, Data: []byte(text)})
		}
		if got := strings.Join(rulesOf(check(t, list...)), " "); got != row.want {
			t.Errorf("%s: got %q, want %q", says, got, row.want)
		}
	}
}
