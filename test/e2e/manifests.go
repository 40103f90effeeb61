package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// An object is one manifest.
type object map[string]any

// at walks down the mappings of an object; the last one may be changed.
func (o object) at(path ...string) object {
	for _, key := range path {
		next, ok := o[key].(map[string]any)
		if !ok {
			return object{}
		}
		o = next
	}
	return o
}

func (o object) text(key string) string {
	s, _ := o[key].(string)
	return s
}

// group is the API group, empty for the core.
func (o object) group() string {
	g, _, ok := strings.Cut(o.text("apiVersion"), "/")
	if !ok {
		return ""
	}
	return g
}

func (o object) String() string {
	return o.text("kind") + " " + o.at("metadata").text("name")
}

// json is the object as kubectl reads it.
func (o object) json() ([]byte, error) { return json.Marshal(map[string]any(o)) }

// parse splits YAML into its objects. What has no kind, like a configuration, is no object.
func parse(content []byte) ([]object, error) {
	var all []object
	d := yaml.NewDecoder(bytes.NewReader(content))
	for {
		// Not into an object: the mappings below would become objects, too.
		var m map[string]any
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if o := object(m); o.text("kind") != "" && o.text("apiVersion") != "" {
			all = append(all, o)
		}
	}
}

// readObject reads a file of one object.
func readObject(file string) (object, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	all, err := parse(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(all) != 1 {
		return nil, fmt.Errorf("%s: got %d objects, want 1", file, len(all))
	}
	return all[0], nil
}

// unobtainable are the API groups whose definitions are in no module that can be had. Their
// objects are counted and not checked.
var unobtainable = []string{"http.keda.sh", "leaderworkerset.x-k8s.io", "serving.kserve.io"}

// dryRun asks the apiserver, with the real definitions of KEDA, the Prometheus operator and
// Karpenter, whether it would take everything under deploy/k8s, unknown fields being errors.
func (p *plane) dryRun(ctx context.Context, repo string) error {
	for _, crds := range []string{"prometheus-operator-crds", "karpenter-crds"} {
		if err := p.kubectl(ctx, "apply", "--server-side", "-f", p.cache.asset(crds)); err != nil {
			return err
		}
	}
	sources, err := p.sources(ctx, repo)
	if err != nil {
		return err
	}
	if err := p.namespaces(ctx, sources); err != nil {
		return err
	}
	checked, unchecked := 0, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		var take []object
		for _, o := range sources[name] {
			if slices.Contains(unobtainable, o.group()) {
				unchecked[o.String()] = true
				continue
			}
			take = append(take, o)
		}
		if err := p.strict(ctx, take); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		checked += len(take)
	}
	if checked == 0 {
		return errors.New("no manifest found")
	}
	p.log.say("ok         %d objects from %d files and kustomizations pass a strict server-side dry run", checked, len(sources))
	for _, u := range slices.Sorted(maps.Keys(unchecked)) {
		p.log.say("note       not checked, its definition is not to be had: %s", u)
	}
	return p.strictRefuses(ctx, repo)
}

// sources are all objects under deploy/k8s, by the kustomization or file that they come from.
func (p *plane) sources(ctx context.Context, repo string) (map[string][]object, error) {
	root := shipped(repo)
	sources := map[string][]object{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" {
				return fs.SkipDir
			}
			return nil
		}
		content, err := p.source(ctx, path)
		if err != nil {
			return err
		}
		all, err := parse(content)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if name, err := filepath.Rel(root, path); err == nil && len(all) > 0 {
			sources[name] = all
		}
		return nil
	})
	return sources, err
}

// source is the content of a file of manifests, what a kustomization makes, or nothing.
func (p *plane) source(ctx context.Context, path string) ([]byte, error) {
	if filepath.Ext(path) != ".yaml" {
		return nil, nil
	}
	content, err := os.ReadFile(path)
	if err != nil || filepath.Base(path) != "kustomization.yaml" {
		return content, err
	}
	if strings.Contains(string(content), "\nkind: Component\n") {
		return nil, nil // It is checked where it is used, and its files are as files.
	}
	out, err := p.kubectlOn(ctx, nil, "kustomize", filepath.Dir(path))
	return []byte(out), err
}

// namespaces makes those that the objects are in: a dry run makes none.
func (p *plane) namespaces(ctx context.Context, sources map[string][]object) error {
	names := map[string]bool{}
	for _, objects := range sources {
		for _, o := range objects {
			names[o.at("metadata").text("namespace")] = true
		}
	}
	delete(names, "")
	var items []object
	for name := range names {
		items = append(items, object{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": name}})
	}
	content, err := object{"apiVersion": "v1", "kind": "List", "items": items}.json()
	if err != nil {
		return err
	}
	return p.applyText(ctx, content)
}

// strict is a server-side dry run of objects in which unknown fields are errors. What gets
// its name from the server can be created only.
func (p *plane) strict(ctx context.Context, objects []object) error {
	verbs := map[string][]object{}
	for _, o := range objects {
		verb := "apply"
		if o.at("metadata").text("generateName") != "" {
			verb = "create"
		}
		verbs[verb] = append(verbs[verb], o)
	}
	for verb, items := range verbs {
		content, err := object{"apiVersion": "v1", "kind": "List", "items": items}.json()
		if err != nil {
			return err
		}
		if _, err := p.kubectlOn(ctx, content, verb, "-f", "-", "--dry-run=server", "--validate=strict"); err != nil {
			return err
		}
	}
	return nil
}

// strictRefuses makes sure that the dry run can fail: a field that KEDA removed in 2.12.
func (p *plane) strictRefuses(ctx context.Context, repo string) error {
	o, err := readObject(shipped(repo, "examples", "keda", "scaledobject.yaml"))
	if err != nil {
		return err
	}
	triggers, _ := o.at("spec")["triggers"].([]any)
	if len(triggers) == 0 {
		return errors.New("examples/keda/scaledobject.yaml: no triggers")
	}
	trigger, _ := triggers[0].(map[string]any)
	trigger["metricName"] = "infscale_desired_replicas"
	if err := p.strict(ctx, []object{o}); err == nil || !strings.Contains(err.Error(), "metricName") {
		return fmt.Errorf("a trigger with metricName: got error %v, want it refused by name", err) //nolint:errorlint // It may be nil.
	}
	p.log.say("ok         the same ScaledObject with metricName in a trigger is refused")
	return nil
}

// install applies what the README says, for real, in a namespace that enforces the
// restricted Pod Security Standard.
func (p *plane) install(ctx context.Context, repo string) error {
	const namespace = "infscale"
	if err := p.apply(ctx, "restricted.yaml", map[string]string{"Namespace": namespace}); err != nil {
		return err
	}
	if err := p.kubectl(ctx, "apply", "--namespace="+namespace, "-k", shipped(repo)); err != nil {
		return err
	}
	var d deployment
	err := poll(ctx, time.Minute, func(ctx context.Context) error {
		if err := p.kube.read(ctx, "/apis/apps/v1/namespaces/"+namespace+"/deployments/infscale", &d); err != nil {
			return err
		}
		if d.Spec.Replicas == 0 || d.Status.ReadyReplicas != d.Spec.Replicas {
			return fmt.Errorf("got %d ready pods, want %d", d.Status.ReadyReplicas, d.Spec.Replicas)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("kubectl apply -k deploy/k8s: %w", err)
	}
	p.log.say("ok         kubectl apply -k deploy/k8s under the restricted standard: %d pods run", d.Status.ReadyReplicas)
	return nil
}
