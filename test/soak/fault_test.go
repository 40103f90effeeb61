package soak

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/infscale/infscale/promapi"
)

// A place is where a kind of fault acts.
type place uint8

const (
	onWire    place = iota // between the daemon and Prometheus
	inData                 // in what Prometheus holds
	inProcess              // in the daemon
)

// A kind is a sort of fault.
type kind struct {
	name  string
	place place
	// causes are what queries may fail of; none is that they do not.
	causes []promapi.Cause
	// scoped says that it may hit one family of queries only.
	scoped bool
	// longest bounds its ticks; 0 is that it may outlast the hold limit.
	longest int
	// spoil is what a fault in the data does to a workload in its n-th tick.
	spoil func(sp *spoil, n int)
	// everywhere says that it hits the data of all workloads.
	everywhere bool
}

func causes(list ...promapi.Cause) []promapi.Cause { return list }

// kinds are the faults of the soak. What those on the wire do is in proxy_test.go, those of
// the process in act_test.go.
var kinds = []*kind{
	{name: "down", place: onWire, causes: causes(promapi.CauseConnect)},
	{name: "slow", place: onWire, causes: causes(promapi.CauseTimeout), scoped: true, longest: 1},
	{
		name: "replaying", place: onWire, causes: causes(promapi.CauseConnect, promapi.CauseServer), everywhere: true,
		spoil: func(sp *spoil, _ int) { sp.down = true },
	},
	{name: "query timeout", place: onWire, causes: causes(promapi.CauseTimeout), scoped: true},
	{name: "internal error", place: onWire, causes: causes(promapi.CauseServer), scoped: true},
	{name: "truncated", place: onWire, causes: causes(promapi.CauseDecode, promapi.CauseConnect), scoped: true},
	{name: "wrong JSON", place: onWire, causes: causes(promapi.CauseDecode), scoped: true},
	{name: "rate limited", place: onWire, causes: causes(promapi.CauseRateLimited)},
	{name: "refused as too large", place: onWire, causes: causes(promapi.CauseTooLarge), scoped: true},
	{name: "answer too large", place: onWire, causes: causes(promapi.CauseTooLarge), scoped: true, longest: 4},
	{name: "unprocessable", place: onWire, causes: causes(promapi.CauseExecution), scoped: true},
	{name: "partial answer", place: onWire, scoped: true},
	{name: "redirect away", place: onWire, causes: causes(promapi.CauseRedirect)},
	{name: "redirect here", place: onWire},
	{name: "TLS expired", place: onWire, causes: causes(promapi.CauseTLS, promapi.CauseConnect)},
	{name: "token rotated", place: onWire, causes: causes(promapi.CauseAuth)},

	{name: "half the targets lost", place: inData, spoil: func(sp *spoil, _ int) { sp.lost = true }},
	{name: "all targets lost", place: inData, spoil: func(sp *spoil, _ int) { sp.allLost = true }},
	{name: "scrape gap", place: inData, spoil: func(sp *spoil, _ int) { sp.gap = true }},
	{name: "cluster gap", place: inData, everywhere: true, spoil: func(sp *spoil, _ int) { sp.cluster = true }},
	{name: "counters reset", place: inData, spoil: func(sp *spoil, n int) { sp.reset = n == 0 }},
	{name: "NaN", place: inData, spoil: func(sp *spoil, _ int) { sp.value = math.NaN() }},
	{name: "Inf", place: inData, spoil: func(sp *spoil, _ int) { sp.value = math.Inf(1) }},
	{name: "negative", place: inData, spoil: func(sp *spoil, _ int) { sp.value = -3 }},
	{name: "clock ahead", place: inData, spoil: func(sp *spoil, _ int) { sp.skew = 90 * time.Second }},
	{name: "clock behind", place: inData, spoil: func(sp *spoil, _ int) { sp.skew = -90 * time.Second }},
	{name: "ten times the series", place: inData, everywhere: true, spoil: func(*spoil, int) {}},

	{name: "bad configuration", place: inProcess},
	{name: "reload in a tick", place: inProcess, longest: 1},
	{name: "SIGTERM in a tick", place: inProcess, longest: 5},
	{name: "daemon's clock ahead", place: inProcess},
}

// A fault is one of them at its time.
type fault struct {
	*kind
	from, to int // ticks, the second excluded
	// family is the queries that it hits; empty for all.
	family promapi.Family
	// workload is whose data it hits; empty for all.
	workload string
	// variant chooses between ways to do the same.
	variant int
}

func (f *fault) active(tick int) bool { return f.from <= tick && tick < f.to }

// String says what is done and when.
func (f *fault) String() string {
	text := fmt.Sprintf("%s [%d, %d)", f.name, f.from, f.to)
	if f.family != "" {
		text += " of " + string(f.family)
	}
	if f.workload != "" {
		text += " of " + f.workload
	}
	return text
}

// spoils reports whether the fault hits the data of a workload.
func (f *fault) spoils(workload string) bool {
	return f.spoil != nil && (f.workload == "" || f.workload == workload)
}

// families are those that a fault may hit alone.
var families = []promapi.Family{
	promapi.FamilyGauges, promapi.FamilyCounters, promapi.FamilyReplicas, promapi.FamilyPods,
	promapi.FamilyHeld, promapi.FamilyCustom, promapi.FamilyEvidence,
}

// begin is the first tick with a fault: until then windows fill.
const begin = 20

// schedule draws each kind of fault so many times. Some begin while another lasts, some
// right after it, and some only when everything has settled.
func schedule(random *rand.Rand, times int) []*fault {
	var list []*fault
	for range times {
		for _, k := range kinds {
			list = append(list, k.draw(random))
		}
	}
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	at := begin
	for _, f := range list {
		length := f.to
		f.from, f.to = at, at+length
		switch draw := random.IntN(10); {
		case draw < 2:
			at += 1 + random.IntN(length)
		case draw < 8:
			at = f.to + random.IntN(6)
		default:
			at = f.to + settled + random.IntN(6)
		}
	}
	return list
}

// draw makes a fault that begins at zero.
func (k *kind) draw(random *rand.Rand) *fault {
	lengths := []int{1, 2, 3, 4, 5, 7, int(holdLimit/interval) + 1 + random.IntN(6)}
	if k.longest > 0 {
		lengths = slices.DeleteFunc(lengths, func(n int) bool { return n > k.longest })
	}
	f := &fault{kind: k, to: lengths[random.IntN(len(lengths))], variant: random.IntN(1 << 16)}
	if k.scoped && random.IntN(2) == 0 {
		f.family = families[random.IntN(len(families))]
	}
	if k.place == inData && !k.everywhere && random.IntN(4) > 0 {
		f.workload = shapes[random.IntN(len(shapes))].name
	}
	return f
}

// lasting returns the faults that are active in a tick.
func lasting(list []*fault, tick int) []*fault {
	var active []*fault
	for _, f := range list {
		if f.active(tick) {
			active = append(active, f)
		}
	}
	return active
}
