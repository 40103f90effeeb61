package promapi

// A pod is what kube-state-metrics says of one.
type pod struct {
	object int  // or -1
	ready  bool // known to be, or in a namespace where no pod says
}

// ambiguous is the object of a group of pods that two objects share.
const ambiguous = -2

// members are the pods there are at one instant, and whose they are.
type members struct {
	*index
	pods map[podKey]pod
	// listed holds the namespaces whose pods are all known, which may be none: what is not
	// in the list there is gone. readiness holds those whose pods say whether they are ready.
	listed, readiness map[string]bool
	// podsOf lists the pods of each object; told says whether any of them says if it is ready.
	podsOf [][]podKey
	told   []bool
	// groups finds the objects of groups of pods; shared holds those of ambiguous groups.
	groups map[podKey]int
	shared map[int]bool
}

// A podList are the rows of the list of pods.
type podList struct {
	owners []Labels
	// notReady and unsaid count the rows that say of a pod that it is not ready, or that
	// it does not say.
	notReady, unsaid map[podKey]int
	deployments      map[podKey]string // by ReplicaSet
	readiness        map[string]bool
}

func readPodList(o *outcome, t int64) *podList {
	l := &podList{
		notReady: map[podKey]int{}, unsaid: map[podKey]int{},
		deployments: map[podKey]string{}, readiness: map[string]bool{},
	}
	for ls := range o.at(t) {
		switch signal := ls.Get(signalLabel); {
		case signal == podNotReady:
			l.notReady[podOf(ls)]++
		case signal == podUnsaid:
			l.unsaid[podOf(ls)]++
		case signal == podReadiness:
			l.readiness[kubeLabel(ls, "namespace")] = true
		case ls.Get("replicaset") != "":
			l.deployments[podKey{kubeLabel(ls, "namespace"), ls.Get("replicaset")}] = ls.Get("owner_name")
		default:
			l.owners = append(l.owners, ls)
		}
	}
	return l
}

// readyOf says for the next row of a pod whether it is ready, and whether it says so at
// all. Of a pod in the list twice, the other row may know better.
func (l *podList) readyOf(key podKey) (ready, said bool) {
	switch {
	case !l.readiness[key.namespace]:
		return true, false
	case l.unsaid[key] > 0:
		l.unsaid[key]--
		return false, false
	case l.notReady[key] > 0:
		l.notReady[key]--
		return false, true
	default:
		return true, true
	}
}

// newMembers reads the list of pods and owners, and the objects.
func (x *index) newMembers(pods, objects *outcome, t int64) *members {
	l := readPodList(pods, t)
	m := &members{
		index: x, listed: map[string]bool{}, readiness: l.readiness,
		pods: make(map[podKey]pod, len(l.owners)), podsOf: make([][]podKey, len(x.of)), told: make([]bool, len(x.of)),
		groups: map[podKey]int{}, shared: map[int]bool{},
	}
	for _, ls := range l.owners {
		key := podOf(ls)
		ready, said := l.readyOf(key)
		m.add(key, pod{object: m.ownerOf(key.namespace, ls, l.deployments), ready: ready}, said)
	}
	if len(l.owners) > 0 && !pods.lacking() {
		m.listEmpty(objects, t)
	}
	return m
}

// add puts a pod on the list. It may be there: kube-state-metrics may be scraped twice.
func (m *members) add(key podKey, p pod, said bool) {
	if p.object >= 0 {
		m.told[p.object] = m.told[p.object] || said
	}
	if twin, ok := m.pods[key]; ok {
		p.ready = p.ready || twin.ready
		if twin.object >= 0 {
			p.object = twin.object
			m.pods[key] = p
			return
		}
	}
	m.pods[key] = p
	m.listed[key.namespace] = true
	if p.object >= 0 {
		m.podsOf[p.object] = append(m.podsOf[p.object], key)
		m.addGroup(key, p.object)
	}
}

// mayBeReady reports whether a pod is ready, or belongs to an object that alone says how
// many of its pods are.
func (m *members) mayBeReady(p pod) bool {
	return p.ready || (p.object >= 0 && !m.told[p.object])
}

// listEmpty makes the list good for namespaces that have objects and no pods: those of
// which the last pod is gone. The list has to be whole, and the objects of this instant.
func (m *members) listEmpty(objects *outcome, t int64) {
	for ls := range objects.at(t) {
		if signal := ls.Get(signalLabel); signal == deploymentSeen || signal == statefulSetSeen {
			m.listed[kubeLabel(ls, "namespace")] = true
		}
	}
}

// podOf returns the pod that a row of kube-state-metrics is about.
func podOf(ls Labels) podKey { return podKey{kubeLabel(ls, "namespace"), kubeLabel(ls, "pod")} }

// kubeLabel returns a label of kube-state-metrics, also where its scrape renamed it.
func kubeLabel(ls Labels, name string) string {
	if v := ls.Get("exported_" + name); v != "" {
		return v
	}
	return ls.Get(name)
}

// ownerOf returns the object that owns a pod, or -1. A ReplicaSet whose own owner is not
// exported is known by its name.
func (m *members) ownerOf(namespace string, ls Labels, deployments map[podKey]string) int {
	owner := ls.Get("owner_name")
	switch ls.Get("owner_kind") {
	case "StatefulSet":
		return m.lookup(namespace, owner, true)
	case "ReplicaSet":
		if name, ok := deployments[podKey{namespace, owner}]; ok {
			return m.lookup(namespace, name, false)
		}
		return m.byReplicaSetName(namespace, owner)
	default:
		return -1
	}
}

func (m *members) addGroup(key podKey, object int) {
	key.name = podGroup(key.name)
	if o, ok := m.groups[key]; ok && o != object {
		m.share(o, object)
		object = ambiguous
	}
	m.groups[key] = object
}

// share notes that objects have a group of pods in common, whose rates and latencies
// are nobody's.
func (m *members) share(objects ...int) {
	for _, o := range objects {
		m.shared[o] = true
	}
}

// ofReplica yields the workloads of a row about one replica.
func (m *members) ofReplica(ls Labels, found func(i int, s Source)) {
	key := podKey{ls.Get(m.labels.Namespace), ls.Get(m.labels.Pod)}
	p, exists := m.pods[key]
	if !exists {
		if key.name != "" && m.listed[key.namespace] {
			return // A pod that is gone.
		}
		p.object = -1
	}
	m.selected(ls, func(i int) { found(i, BySelector) })
	if key.name == "" {
		return
	}
	if !m.listed[key.namespace] {
		m.owned(m.byPodName(key.namespace, key.name), func(i int) { found(i, ByPattern) })
		return
	}
	m.owned(p.object, func(i int) { found(i, ByOwner) })
}

// ofGroup yields the workloads of a row about a group of pods. History says that the
// pods may be gone.
func (m *members) ofGroup(ls Labels, history bool, found func(i int)) {
	m.selected(ls, found)
	key := podKey{ls.Get(m.labels.Namespace), ls.Get(groupLabel)}
	if key.name == "" {
		return
	}
	object, ok := m.groups[key]
	if !ok {
		if m.listed[key.namespace] && !history {
			return
		}
		object = m.byGroupName(key.namespace, key.name)
		if object == ambiguous && !history {
			m.share(m.lookup(key.namespace, key.name, true), m.byReplicaSetName(key.namespace, key.name))
		}
	}
	m.owned(object, found)
}

// objectOf returns the object that a pod belongs or belonged to, or a negative number.
func (m *members) objectOf(key podKey) int {
	if p, ok := m.pods[key]; ok {
		return p.object
	}
	if o, ok := m.groups[podKey{key.namespace, podGroup(key.name)}]; ok {
		return o
	}
	return m.byPodName(key.namespace, key.name)
}
