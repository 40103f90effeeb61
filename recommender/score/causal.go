package score

import (
	"context"
	"errors"

	"github.com/infscale/infscale/recommender"
	"github.com/infscale/infscale/recommender/sim"
	"github.com/infscale/infscale/recommender/trace"
)

// A CausalFloor is the misses that no policy can avoid.
type CausalFloor struct {
	// Requests of the trace, and how many of them miss the objective.
	Requests, Misses int
	// MissRatio is the fraction of them; 0 without requests.
	MissRatio float64
	// missed has a bit for each request.
	missed []uint64
}

// Missed reports whether no policy could have answered the request of that number in
// time. The other misses of a policy are its own.
func (f *CausalFloor) Missed(index int) bool {
	word := index / 64
	return index >= 0 && word < len(f.missed) && f.missed[word]>>(index%64)&1 == 1
}

// miss notes that a request missed.
func (f *CausalFloor) miss(index int) {
	for index/64 >= len(f.missed) {
		f.missed = append(f.missed, 0)
	}
	f.missed[index/64] |= 1 << (index % 64)
}

// Causal returns what is missed by a fleet that begins as run says, is told at the first
// decision to have the most replicas there may be, and is never told anything else: the
// requests that come before a first order could have been ready, and those beyond what
// the largest fleet serves.
//
// More replicas are not better for every single request: with another replica the least
// loaded one is another one, and a request may end up behind a longer prompt. So a policy
// may answer a few requests of the set in time, next to the edge of an overload. Around
// such edges the split of its misses is right to a handful of requests, not to one.
func Causal(ctx context.Context, run sim.Run, t trace.Trace, most int) (f CausalFloor, err error) {
	reader, err := t.Open(run.Seed)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	run.Missed = f.miss
	all := func(recommender.Observation) recommender.Decision {
		return recommender.Decision{Known: true, Desired: int32(most)}
	}
	r, err := run.Do(ctx, reader, all, nil)
	if err != nil {
		return CausalFloor{}, err
	}
	f.Requests, f.Misses, f.MissRatio = r.Requests, r.Misses, r.MissRatio()
	return f, nil
}
