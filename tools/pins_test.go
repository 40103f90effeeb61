package tools_test

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// glob returns the files of a pattern, of which there must be some.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("got %d files %s and error %v, want some", len(files), pattern, err)
	}
	return files
}

// goVersion is the line of a go.mod that says with which Go at least it is built, to the patch.
var goVersion = regexp.MustCompile(`(?m)^go (1\.[0-9]+\.[0-9]+)$`)

func TestEveryToolIsAModuleWithVersions(t *testing.T) {
	want := goVersion.FindStringSubmatch(read(t, "../go.mod"))
	if want == nil {
		t.Fatal("go.mod names no version of Go with its patch")
	}
	makefile := read(t, "../Makefile")
	for _, path := range glob(t, "*/go.mod") {
		text := read(t, path)
		if got := goVersion.FindStringSubmatch(text); got == nil || got[1] != want[1] {
			t.Errorf("%s: got the Go %v, want %s as in go.mod", path, got, want[1])
		}
		if !regexp.MustCompile(`(?m)^tool [^ ]+$`).MatchString(text) {
			t.Errorf("%s: has no line `tool`", path)
		}
		if strings.Contains(text, "\nreplace ") {
			t.Errorf("%s: replaces a module, so that its versions are not what they say", path)
		}
		if sum := read(t, filepath.Join(filepath.Dir(path), "go.sum")); !strings.Contains(sum, " h1:") {
			t.Errorf("%s: has no checksums beside it", path)
		}
		if !strings.Contains(makefile, "tools/"+filepath.ToSlash(path)) {
			t.Errorf("%s: the Makefile does not build it", path)
		}
	}
}

// pinned is an action of a workflow by its commit, with the version for people.
var pinned = regexp.MustCompile(`^[a-z0-9-]+/[a-z0-9/-]+@[0-9a-f]{40} # v[0-9]+(\.[0-9]+)*$`)

func TestActionsArePinnedByCommit(t *testing.T) {
	uses := 0
	for _, path := range glob(t, "../.github/workflows/*.yml") {
		for lines := bufio.NewScanner(strings.NewReader(read(t, path))); lines.Scan(); {
			if _, action, ok := strings.Cut(lines.Text(), "uses: "); ok {
				uses++
				if !pinned.MatchString(action) {
					t.Errorf("%s: got %s, want NAME@COMMIT # vVERSION", path, action)
				}
			}
		}
	}
	if uses == 0 {
		t.Error("got no action in any workflow, want some")
	}
}

// image is a base image with its tag.
var image = regexp.MustCompile(`(?m)^ARG ([A-Z]+_IMAGE)=([a-z0-9./-]+):([A-Za-z0-9._-]+)(@sha256:[0-9a-f]{64})?$`)

// A release looks up the digests of the tags and builds with those.
func TestImagesAreNamedWithATagAndReleasedByDigest(t *testing.T) {
	dockerfile, release := read(t, "../Dockerfile"), read(t, "../.github/workflows/release.yml")
	images := image.FindAllStringSubmatch(dockerfile, -1)
	if n := strings.Count(dockerfile, "\nFROM "); n == 0 || len(images) != n {
		t.Errorf("got %d images for %d stages, want each as an ARG with a tag", len(images), n)
	}
	for _, m := range images {
		if m[3] == "latest" {
			t.Errorf("%s: got the tag latest, which is no version", m[1])
		}
		if !strings.Contains(dockerfile, "${"+m[1]+"}") {
			t.Errorf("%s: no stage is built from it", m[1])
		}
		if pin := m[1] + `="$(pin ` + m[2] + ":" + m[3] + `)"`; !strings.Contains(release, pin) {
			t.Errorf("%s: got no %s in the workflow of releases", m[1], pin)
		}
	}
}

func TestNothingIsFetchedWithoutAVersion(t *testing.T) {
	floating := regexp.MustCompile(`@(latest|main|master|HEAD)\b|\bcurl\b|\bwget\b`)
	paths := append(glob(t, "../.ci/*"), glob(t, "../.github/workflows/*.yml")...)
	for _, path := range append(paths, "../Makefile", "../Dockerfile") {
		for i, line := range strings.Split(read(t, path), "\n") {
			if found := floating.FindString(line); found != "" {
				t.Errorf("%s:%d: got %s, want a version and a checksum", path, i+1, found)
			}
		}
	}
}
