package sim

// A tally is what became of the requests.
type tally struct {
	objective float64 // seconds to the first token

	// late were answered after the objective, answered got a first token at all, served
	// their last.
	late, answered, served int
	rejected, preemptions  int

	// times are the distributions, nil where nobody asks for them.
	times *times

	// sojourn is the seconds that the requests that are gone were here, together, and
	// left the times at which they went.
	sojourn, left float64

	// missed is called for each request that misses its objective, if it is set.
	missed func(index int)
}

// times are distributions of seconds.
type times struct {
	ttft distribution
	// latest are the times to the first token as an engine exports them.
	latest ttftWindow
	// itl is between two tokens of a request.
	itl histogram
}

// first notes the first token of a request at time t.
func (y *tally) first(r *request, t float64) {
	if r.index == placed {
		return
	}
	wait := t - r.at
	y.answered++
	if y.times != nil {
		y.times.ttft.add(wait)
		y.times.latest.add(wait)
	}
	if wait > y.objective {
		y.late++
		y.miss(r)
	}
}

// done notes the last token of a request at time t.
func (y *tally) done(r *request, t float64) {
	if r.index == placed {
		return
	}
	y.served++
	y.sojourn += t - r.at
	y.left += t
}

// reject notes a request that was refused.
func (y *tally) reject(r *request) {
	if r.index == placed {
		return
	}
	y.rejected++
	y.left += r.at
	y.miss(r)
}

func (y *tally) miss(r *request) {
	if y.missed != nil {
		y.missed(int(r.index))
	}
}

// gap notes how many times a request waited that long for its next token.
func (y *tally) gap(seconds, weight float64) {
	if y.times != nil {
		y.times.itl.add(seconds, weight)
	}
}

// reset forgets everything. Its distributions keep their memory.
func (y *tally) reset() {
	*y = tally{objective: y.objective, missed: y.missed, times: y.times}
	if y.times != nil {
		y.times.ttft.reset()
		y.times.latest, y.times.itl = ttftWindow{}, histogram{}
	}
}
