package lint

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A triggerAuthentication is where the triggers of KEDA get their credentials from.
type triggerAuthentication struct {
	object
	// parameters are what it gives, by whatever way.
	parameters []string
	// identity says that the cloud says who it is.
	identity bool
}

// addAuthentication adds a TriggerAuthentication. Every way to get a parameter, from a Secret
// to a vault, is a list with the key `parameter` in it.
func (w *world) addAuthentication(src *source, n *yaml.Node) {
	var a struct {
		object `yaml:",inline"`
		Spec   yaml.Node `yaml:"spec"`
	}
	_ = n.Decode(&a) // what does not fit is the API server's to refuse
	a.src = src
	t := &triggerAuthentication{object: a.object}
	t.collect(&a.Spec)
	w.authentications = append(w.authentications, t)
}

func (t *triggerAuthentication) collect(n *yaml.Node) {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			switch value := n.Content[i+1]; child.Value {
			case "parameter":
				t.parameters = append(t.parameters, value.Value)
			case "podIdentity":
				t.identity = true
			}
		}
		t.collect(child)
	}
}

// authParameters are what a Prometheus trigger needs for each of its modes; any one of those
// in a list.
var authParameters = map[string][][]string{
	"basic":  {{"username"}},
	"bearer": {{"bearerToken", "token"}},
	"tls":    {{"cert"}, {"key"}},
	"custom": {{"customAuthHeader"}, {"customAuthValue"}},
	"oauth":  {{"oauthTokenURI"}, {"clientID"}},
	"apiKey": {{"apiKey"}},
}

func authIncomplete(w *world) []hit {
	return eachTrigger(w, func(s *scaler, t *trigger) []hit {
		modes := t.meta("authModes")
		a := w.authenticationOf(s, t)
		switch {
		case !modes.set() && a != nil && !a.identity && !a.gives("authModes", "authMode"):
			return []hit{{place: s.at(t.Type.node), what: fmt.Sprintf("%s is given and no authModes, so that nothing of it is sent", a.called())}}
		case modes.set():
			return authHits(s, t, a, modes)
		}
		return nil
	}, "prometheus")
}

// authHits says what stands against the modes of a trigger. a is nil if it was not given.
func authHits(s *scaler, t *trigger, a *triggerAuthentication, modes *field[string]) []hit {
	var hits []hit
	add := func(format string, args ...any) {
		hits = append(hits, hit{place: s.at(modes.node), what: fmt.Sprintf(format, args...)})
	}
	var exclusive []string
	for mode := range strings.SplitSeq(modes.v, ",") {
		mode = strings.TrimSpace(mode)
		needed, known := authParameters[mode]
		if !known {
			add("there is no mode of authentication %q", mode)
		}
		if slices.Contains([]string{"basic", "bearer", "oauth"}, mode) {
			exclusive = append(exclusive, mode)
		}
		for _, names := range needed {
			if a != nil && !a.gives(names...) {
				add("the mode %s needs %s, which %s does not give", mode, names[0], a.called())
			}
		}
	}
	if len(exclusive) > 1 {
		add("the modes %s exclude one another", strings.Join(exclusive, " and "))
	}
	if t.Auth["name"] == "" {
		add("the trigger has authModes and no authenticationRef to take the credentials from")
	}
	return hits
}

// gives reports whether any of the parameters is there.
func (t *triggerAuthentication) gives(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(t.parameters, name) })
}

// authenticationOf returns what a trigger refers to, nil if it was not given. That of a
// namespace is seen in that namespace only.
func (w *world) authenticationOf(s *scaler, t *trigger) *triggerAuthentication {
	kind := t.Auth["kind"]
	if kind == "" {
		kind = "TriggerAuthentication"
	}
	var all []*triggerAuthentication
	for _, a := range w.authentications {
		seen := kind == "ClusterTriggerAuthentication" || a.Metadata.Namespace.v == s.Metadata.Namespace.v
		if a.Kind.v == kind && a.Metadata.Name.v == t.Auth["name"] && seen {
			all = append(all, a)
		}
	}
	return nearest(s, all)
}

// nearest returns the one that is applied with a scaler: folders beside one another, such as
// overlays, hold objects of one name, and only one of them at a time is in the cluster. It is
// nil where nothing says which.
func nearest(s *scaler, all []*triggerAuthentication) *triggerAuthentication {
	var near *triggerAuthentication
	best, twice := 0, false
	for _, a := range all {
		d := distance(s.src, a.src)
		if near == nil || d < best {
			near, best, twice = a, d, false
		} else if d == best {
			twice = true
		}
	}
	if twice {
		return nil
	}
	return near
}

// distance says how far one file is from another, for whatever the first refers to: 0 is the
// file itself, 1 its folder, then one more for each folder above, and everything else is farthest.
func distance(from, to *source) int {
	if from == to {
		return 0
	}
	up, err := filepath.Rel(filepath.Dir(to.name), filepath.Dir(from.name))
	parts := strings.Split(filepath.ToSlash(up), "/")
	switch {
	case err != nil || parts[0] == "..":
		return math.MaxInt
	case up == ".":
		return 1
	}
	return 1 + len(parts)
}
