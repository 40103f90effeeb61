package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"
)

// A program is one command that is built from a module of this folder.
type program struct {
	name   string
	module string // Its folder, from this one.
	pkg    string
	tags   string
}

// programs stand in the order in which they are built: the small ones first, so that a
// mistake shows early.
var programs = []program{
	{name: "etcd", module: "programs/etcd", pkg: "go.etcd.io/etcd/server/v3"},
	{name: "kubectl", module: "programs/kubernetes", pkg: "k8s.io/kubernetes/cmd/kubectl"},
	{name: "kwok", module: "programs/kwok", pkg: "sigs.k8s.io/kwok/cmd/kwok"},
	// The tag leaves out service discoveries nobody needs here, and half of the build.
	{name: "prometheus", module: "programs/prometheus", pkg: "github.com/prometheus/prometheus/cmd/prometheus", tags: "remove_all_sd"},
	{name: "kube-scheduler", module: "programs/kubernetes", pkg: "k8s.io/kubernetes/cmd/kube-scheduler"},
	{name: "kube-controller-manager", module: "programs/kubernetes", pkg: "k8s.io/kubernetes/cmd/kube-controller-manager"},
	{name: "kube-apiserver", module: "programs/kubernetes", pkg: "k8s.io/kubernetes/cmd/kube-apiserver"},
	{name: "keda-adapter", module: "keda", pkg: "github.com/kedacore/keda/v2/cmd/adapter"},
	{name: "keda-operator", module: "keda", pkg: "github.com/kedacore/keda/v2/cmd/operator"},
}

// An asset is a folder of files that is copied out of a module.
type asset struct {
	name   string
	module string // The folder of the go.mod that fixes its version.
	path   string
	folder string
}

var assets = []asset{
	{"keda-crds", "keda", "github.com/kedacore/keda/v2", "config/crd/bases"},
	{"kwok-node", "programs/kwok", "sigs.k8s.io/kwok", "kustomize/stage/node/fast"},
	{"kwok-lease", "programs/kwok", "sigs.k8s.io/kwok", "kustomize/stage/node/heartbeat-with-lease"},
	{"kwok-pod", "programs/kwok", "sigs.k8s.io/kwok", "kustomize/stage/pod/fast"},
	{"prometheus-operator-crds", "programs/crds", "github.com/prometheus-operator/prometheus-operator", "example/prometheus-operator-crd"},
	{"karpenter-crds", "programs/crds", "sigs.k8s.io/karpenter", "pkg/apis/crds"},
}

// versions are stamped in, since clients parse what a server says of itself.
const versions = "-s -w" +
	" -X k8s.io/component-base/version.gitVersion=v1.37.2" +
	" -X k8s.io/component-base/version.gitMajor=1" +
	" -X k8s.io/component-base/version.gitMinor=37" +
	" -X github.com/prometheus/common/version.Version=3.16.0"

// A cache is the folder of what was built.
type cache struct {
	dir string
	out io.Writer // Progress.
}

func (c cache) program(name string) string { return filepath.Join(c.dir, "bin", name) }
func (c cache) asset(name string) string   { return filepath.Join(c.dir, "assets", name) }

// fill builds and copies what is missing or was made from other versions, and the daemon of
// repo in any case.
func (c cache) fill(ctx context.Context, repo string) error {
	for _, p := range programs {
		if err := c.build(ctx, p); err != nil {
			return err
		}
	}
	for _, a := range assets {
		if err := c.copy(ctx, a); err != nil {
			return err
		}
	}
	return goTool(ctx, repo, "build", "-o", c.program("recommender"), "./cmd/recommender")
}

// build makes one program unless the stamp beside it says that it was made from the same.
func (c cache) build(ctx context.Context, p program) error {
	return c.stamped(c.program(p.name), p.module, p.pkg+p.tags+versions, func() error {
		begun := time.Now()
		err := goTool(ctx, p.module, "build", "-tags", p.tags, "-ldflags", versions, "-o", c.program(p.name), p.pkg)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(c.out, "built %s in %v\n", p.name, time.Since(begun).Round(time.Second))
		return err
	})
}

// copy takes a folder out of a module.
func (c cache) copy(ctx context.Context, a asset) error {
	return c.stamped(c.asset(a.name), a.module, a.path+a.folder, func() error {
		cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", a.path)
		cmd.Dir, cmd.Stderr = a.module, os.Stderr
		answer, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("download of %s: %w", a.path, err)
		}
		var module struct{ Dir string }
		if err := json.Unmarshal(answer, &module); err != nil {
			return fmt.Errorf("download of %s: %w", a.path, err)
		}
		if err := os.RemoveAll(c.asset(a.name)); err != nil {
			return err
		}
		return os.CopyFS(c.asset(a.name), os.DirFS(filepath.Join(module.Dir, a.folder)))
	})
}

// stamped calls create unless made exists with a stamp of the same module, recipe and compiler.
func (c cache) stamped(made, module, recipe string, create func() error) error {
	sum := sha256.New()
	fmt.Fprintln(sum, recipe, runtime.Version(), runtime.GOARCH)
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(module, name))
		if err != nil {
			return err
		}
		sum.Write(content)
	}
	want := []byte(hex.EncodeToString(sum.Sum(nil)))
	stamp := made + ".stamp"
	got, err := os.ReadFile(stamp)
	if _, gone := os.Stat(made); err == nil && gone == nil && bytes.Equal(got, want) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(made), 0o755); err != nil {
		return err
	}
	if err := create(); err != nil {
		return err
	}
	return os.WriteFile(stamp, want, 0o600)
}

// goTool runs the go command in a folder. Nothing here needs cgo.
func goTool(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-buildvcs=false")
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("go %s in %s: %w", args[0], dir, err)
	}
	return nil
}
