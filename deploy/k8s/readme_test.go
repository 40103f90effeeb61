package k8s_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestReadmeLinksExist(t *testing.T) {
	links := regexp.MustCompile(`\]\(([^)#:]+)\)`).FindAllStringSubmatch(string(content(t, "README.md")), -1)
	if len(links) < 16 {
		t.Errorf("got %d links, want those of the table", len(links))
	}
	for _, link := range links {
		if _, err := os.Stat(filepath.FromSlash(link[1])); err != nil {
			t.Errorf("got a link to %s: %v", link[1], err)
		}
	}
}

// Every folder with manifests has its row in the table.
func TestReadmeShowsEveryFolder(t *testing.T) {
	readme := string(content(t, "README.md"))
	for _, name := range yamlFiles(t) {
		folder := path.Dir(name)
		if folder == "." {
			continue
		}
		if row := "| [" + folder + "/](" + folder + ") |"; !strings.Contains(readme, row) {
			t.Errorf("got no row that starts with %q", row)
		}
	}
}
