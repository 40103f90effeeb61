package soak

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender"
)

// settled is how many ticks without a fault make everything forgotten that a daemon
// remembers of one: the longest of its windows, its cooldown and its hold limit.
const settled = int(holdLimit/interval) + 1

// A violation is one thing that must not be.
type violation struct {
	tick     int
	who      string // the daemon or its twin
	workload string
	text     string
}

func (v violation) String() string {
	return fmt.Sprintf("tick %d, %s, %s: %s", v.tick, v.who, v.workload, v.text)
}

// A judge looks at one daemon, tick after tick.
type judge struct {
	who        string
	previous   *exported
	memories   map[string]*memory
	violations []violation
	// slowest is the most ticks of whole evidence that it took to be valid again.
	slowest int
	tally   tally
}

// A tally says how much there was to judge: a soak in which nothing moves proves nothing.
type tally struct {
	rises, falls, withdrawn int
	invalid                 map[int]int // workloads, by tick
}

// A memory is what a judge remembers of a workload.
type memory struct {
	// desired is what was recommended in the tick before; nil if nothing was.
	desired *int
	// sure is when there was surely something to go by, perhaps when there may have been.
	sure, perhaps time.Time
	// invalid is for how many ticks of whole evidence it has not been valid.
	invalid int
}

func newJudge(who string) *judge {
	return &judge{who: who, memories: map[string]*memory{}, tally: tally{invalid: map[int]int{}}}
}

// A ruling is the judgement of one workload in one tick.
type ruling struct {
	judge *judge
	shape *shape
	said  *said
	want  *expectation
	now   *circumstance
	past  *memory
}

// look judges what a daemon said in a tick.
func (j *judge) look(e *exported, want map[string]*expectation, c *circumstance) {
	j.lookAtLoop(e, c)
	for i := range shapes {
		s := &shapes[i]
		m := j.memories[s.name]
		if m == nil {
			m = &memory{perhaps: c.slot}
			j.memories[s.name] = m
		}
		r := ruling{judge: j, shape: s, said: e.workloads[s.name], want: want[s.name], now: c, past: m}
		if r.said == nil {
			r.wrong("not exported")
			continue
		}
		r.judge.lookAt(&r)
	}
	j.previous = e
}

// lookAt applies every rule to one workload.
func (j *judge) lookAt(r *ruling) {
	if r.now.begun || r.now.rewound {
		// What it knows of the past it has read just now.
		r.past.sure, r.past.perhaps = time.Time{}, r.now.slot
	}
	switch r.want.usable {
	case yes:
		r.past.sure, r.past.perhaps = r.now.slot, r.now.slot
	case maybe:
		r.past.perhaps = r.now.slot
	case no:
	}
	r.time()
	r.valid()
	r.reason()
	r.bounds()
	r.withdrawn()
	r.fall()
	r.blind()
	r.truth()
	r.count()
	r.past.desired = r.said.desired
}

// count adds a tick to the tally.
func (r *ruling) count() {
	t, before, now := &r.judge.tally, r.past.desired, r.said.desired
	if !r.said.valid {
		t.invalid[r.now.tick]++
	}
	switch {
	case before == nil:
	case now == nil:
		t.withdrawn++
	case *now < *before:
		t.falls++
	case *now > *before:
		t.rises++
	}
}

// silent is a tick in which the daemon did not run.
func (j *judge) silent() {
	j.previous = nil
	for _, m := range j.memories {
		m.desired = nil
	}
}

// wrong notes a violation.
func (r *ruling) wrong(format string, args ...any) {
	r.judge.violations = append(r.judge.violations, violation{r.now.tick, r.judge.who, r.shape.name, fmt.Sprintf(format, args...)})
}

// time: every slot is decided on, and on its own time.
func (r *ruling) time() {
	if !r.said.decided.Equal(r.now.slot) {
		r.wrong("decided on %s, want %s", r.said.decided, r.now.slot)
	}
}

// valid: only whole evidence is, and within two ticks it is.
func (r *ruling) valid() {
	if r.said.valid && r.want.whole == no {
		r.wrong("valid, want not: evidence is not whole (%v)", slices.Sorted(maps.Keys(r.want.reasons)))
	}
	if r.said.valid || r.want.whole != yes || r.now.excused {
		r.past.invalid = 0
		return
	}
	r.past.invalid++
	r.judge.slowest = max(r.judge.slowest, r.past.invalid)
	if r.past.invalid > 1 {
		r.wrong("not valid (%s) for %d ticks although all evidence is there", r.said.reason(), r.past.invalid)
	}
}

// reason: there is one, and while not valid it is of the kind of the fault.
func (r *ruling) reason() {
	if len(r.said.reasons) != 1 {
		r.wrong("got %d reasons %v, want 1", len(r.said.reasons), r.said.reasons)
		return
	}
	reason := r.said.reasons[0]
	switch {
	case r.said.valid && lacks(reason):
		r.wrong("valid and %s", reason)
	case !r.said.valid && r.want.whole == no && !r.want.reasons[reason]:
		r.wrong("reason %s, want one of %v", reason, slices.Sorted(maps.Keys(r.want.reasons)))
	}
}

// lacks reports whether a reason says that evidence does.
func lacks(reason string) bool {
	switch recommender.Reason(reason) {
	case recommender.ReasonPartialData, recommender.ReasonStaleData, recommender.ReasonNoData,
		recommender.ReasonInvalidData, recommender.ReasonQueryError, recommender.ReasonNeverMatched, recommender.ReasonSuspectSignal:
		return true
	default:
		return false
	}
}

// bounds: never below the minimum, never above the maximum.
func (r *ruling) bounds() {
	if d := r.said.desired; d != nil && (*d < r.shape.min || *d > r.shape.max) {
		r.wrong("desired %d, want %d to %d", *d, r.shape.min, r.shape.max)
	}
}

// withdrawn: there is a recommendation until the hold limit is over, and none after.
func (r *ruling) withdrawn() {
	now := r.now.slot
	switch absent := r.said.desired == nil; {
	case absent && !r.past.sure.IsZero() && now.Sub(r.past.sure) <= holdLimit && !r.now.excused:
		r.wrong("withdrawn %s after the latest evidence, want it held for %s", now.Sub(r.past.sure), holdLimit)
	case !absent && now.Sub(r.past.perhaps) > holdLimit:
		r.wrong("held %s after the latest evidence, want it withdrawn after %s", now.Sub(r.past.perhaps), holdLimit)
	}
}

// fall: only whole evidence takes anything away, or recommends less than there is.
func (r *ruling) fall() {
	d := r.said.desired
	if d == nil || r.want.mayFall {
		return
	}
	if before := r.past.desired; before != nil && *d < *before && !r.now.begun {
		r.wrong("fell from %d to %d (%s) although evidence is not whole", *before, *d, r.said.reason())
	}
	if current := r.want.current; current != nil && *d < min(*current, r.shape.max) {
		r.wrong("desired %d (%s), want at least the current %d: evidence is not whole", *d, r.said.reason(), *current)
	}
}

// blind: without the current count nothing is guessed, and nobody is woken for nothing.
func (r *ruling) blind() {
	d, before := r.said.desired, r.past.desired
	if d == nil || before == nil || r.now.begun || r.now.rewound {
		return
	}
	asleep := *before == 0 && r.want.current != nil && *r.want.current == 0 && r.want.blindToHeld && !r.want.mayWake
	woken := *before == 0 && *d == 1 && r.want.mayWake && r.shape.held
	if *d != *before && (asleep || (r.want.current == nil && r.want.usable == no && !woken)) {
		r.wrong("desired went from %d to %d (%s) although nothing is known", *before, *d, r.said.reason())
	}
}

// truth: what was heard in full is what there is, and no less than it asks for is given.
func (r *ruling) truth() {
	if r.want.load == nil || r.want.whole != yes || !r.said.valid {
		return
	}
	if got := r.said.values["infscale_requests_running"] + r.said.values["infscale_requests_waiting"]; got != *r.want.load {
		r.wrong("read %v requests, want %v", got, *r.want.load)
	}
	raw, ok := r.said.raw["queue"]
	if want := int(raw); ok && r.said.desired != nil && *r.said.desired < min(want, *r.want.current, r.shape.max) {
		r.wrong("desired %d, want at least what is there and asked for: %d of %d", *r.said.desired, *r.want.current, want)
	}
}

// lookAtLoop judges what is not about one workload: queries, slots, the configuration.
func (j *judge) lookAtLoop(e *exported, c *circumstance) {
	wrong := func(format string, args ...any) {
		j.violations = append(j.violations, violation{c.tick, j.who, "the loop", fmt.Sprintf(format, args...)})
	}
	missed, failures := 0.0, map[string]float64{}
	if j.previous != nil && !c.begun {
		missed, failures = j.previous.missed, j.previous.failures
	}
	if got := e.missed - missed; got != float64(c.jumped) {
		wrong("missed %v slots, want %d", got, c.jumped)
	}
	if loaded := e.reloaded == 1; loaded == c.broken {
		wrong("configuration loaded: %t, want %t", loaded, !c.broken)
	}
	if c.excused {
		return
	}
	may, must, met := c.mayFail(), c.mustFail(), 0
	for cause, n := range e.failures {
		switch {
		case n == failures[cause]:
		case may[promapi.Cause(cause)]:
			met++
		default:
			wrong("%v queries failed of %s, want only %v", n-failures[cause], cause, slices.Sorted(maps.Keys(may)))
		}
	}
	if total := len(c.wire) == 1 && c.wire[0].family == "" && len(must) > 0; total && met == 0 {
		wrong("no query failed, want failures of %v", slices.Sorted(maps.Keys(must)))
	}
}

// agree compares what a daemon says of a workload with what its twin says, to which nothing
// was done.
func (j *judge) agree(name string, e, twin *exported, tick int) {
	got, want := e.workloads[name].summary(), twin.workloads[name].summary()
	if got != want {
		j.violations = append(j.violations, violation{tick, j.who, name, fmt.Sprintf("got %s, want what its twin says: %s", got, want)})
	}
}

// summary is what is recommended and why.
func (s *said) summary() string {
	desired := "none"
	if s.desired != nil {
		desired = fmt.Sprint(*s.desired)
	}
	return strings.Join([]string{desired, s.reason(), fmt.Sprint("valid=", s.valid)}, " ")
}
