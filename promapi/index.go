package promapi

import (
	"slices"
	"strings"

	"github.com/prometheus/prometheus/model/labels"
)

// An objectKey names a Deployment, or a StatefulSet.
type objectKey struct {
	namespace, name string
	statefulSet     bool
}

// A podKey names a pod, or a group of pods.
type podKey struct{ namespace, name string }

// An index finds the workloads that a row is about. It depends on the configuration only.
type index struct {
	targets []target
	labels  LabelNames
	// objects numbers the objects that have replicas of workloads; of lists those workloads.
	objects map[objectKey]int
	of      [][]int
	// equal finds workloads by the first equality of their selector, by label and
	// value; other lists those whose selector has none.
	equal map[string]map[string][]int
	other []int
	// twins are the labels of twins that selectors look at, so that rows still have them.
	twins []string
}

func newIndex(targets []target, names LabelNames) *index {
	x := &index{
		targets: targets, labels: names,
		objects: map[objectKey]int{}, equal: map[string]map[string][]int{},
	}
	for i := range targets {
		t := &targets[i]
		key := objectKey{t.Namespace, t.object, t.statefulSet()}
		o, ok := x.objects[key]
		if !ok {
			o = len(x.of)
			x.objects[key] = o
			x.of = append(x.of, nil)
		}
		x.of[o] = append(x.of[o], i)
		if len(t.selector) > 0 {
			x.addSelector(i, t.selector)
		}
	}
	return x
}

func (x *index) addSelector(i int, selector []*labels.Matcher) {
	for _, m := range selector {
		if slices.Contains(twins, m.Name) && !slices.Contains(x.twins, m.Name) {
			x.twins = append(x.twins, m.Name)
		}
	}
	at := slices.IndexFunc(selector, func(m *labels.Matcher) bool { return m.Type == labels.MatchEqual && m.Value != "" })
	if at < 0 {
		x.other = append(x.other, i)
		return
	}
	m := selector[at]
	if x.equal[m.Name] == nil {
		x.equal[m.Name] = map[string][]int{}
	}
	x.equal[m.Name][m.Value] = append(x.equal[m.Name][m.Value], i)
}

// twin says which of several twins a row is, in the labels that selectors look at. It
// is empty but for unusual selectors.
func (x *index) twin(ls Labels) string {
	if len(x.twins) == 0 {
		return ""
	}
	var twin strings.Builder
	for _, name := range x.twins {
		twin.WriteString(ls.Get(name) + "\xff")
	}
	return twin.String()
}

// selected yields the workloads whose selector picks the row.
func (x *index) selected(ls Labels, found func(int)) {
	namespace := ls.Get(x.labels.Namespace)
	try := func(list []int) {
		for _, i := range list {
			t := &x.targets[i]
			if (namespace == "" || namespace == t.Namespace) && t.selects(ls) {
				found(i)
			}
		}
	}
	for name, values := range x.equal {
		try(values[ls.Get(name)])
	}
	try(x.other)
}

// owned yields the workloads of an object that have no selector of their own.
func (x *index) owned(object int, found func(int)) {
	if object < 0 {
		return
	}
	for _, i := range x.of[object] {
		if len(x.targets[i].selector) == 0 {
			found(i)
		}
	}
}

// lookup returns the number of an object, or -1.
func (x *index) lookup(namespace, name string, statefulSet bool) int {
	if o, ok := x.objects[objectKey{namespace, name, statefulSet}]; ok {
		return o
	}
	return -1
}

// byPodName guesses the object of a pod from its name: name-hash-random or name-0.
func (x *index) byPodName(namespace, pod string) int {
	stem, suffix, ok := cutLast(pod)
	if !ok {
		return -1
	}
	if strings.Trim(suffix, "0123456789") == "" {
		if o := x.lookup(namespace, stem, true); o >= 0 {
			return o
		}
	}
	if len(suffix) != 5 {
		return -1
	}
	return x.byReplicaSetName(namespace, stem)
}

// byReplicaSetName guesses the Deployment of a ReplicaSet from its name.
func (x *index) byReplicaSetName(namespace, replicaSet string) int {
	name, hash, ok := cutLast(replicaSet)
	if !ok || len(hash) > 10 {
		return -1
	}
	return x.lookup(namespace, name, false)
}

// byGroupName guesses the object of a group of pods from its name. A group that is one
// pod has the pod's name. One that could be a pod but has lost a suffix is no pod: chat-0
// are the workers of the leader of that name.
func (x *index) byGroupName(namespace, group string) int {
	set, deployment := x.lookup(namespace, group, true), x.byReplicaSetName(namespace, group)
	switch {
	case set >= 0 && deployment >= 0:
		return ambiguous
	case set >= 0:
		return set
	case deployment >= 0:
		return deployment
	case podGroup(group) != group:
		return -1
	default:
		return x.byPodName(namespace, group)
	}
}

// cutLast cuts a name at its last dash, if letters and digits follow.
func cutLast(name string) (stem, suffix string, ok bool) {
	dash := strings.LastIndexByte(name, '-')
	if dash < 1 || !isSuffix(name[dash+1:]) {
		return "", "", false
	}
	return name[:dash], name[dash+1:], true
}
