package sim

import "time"

// Use gives f, which must be empty, another replica, engine and objective.
func (f *Fleet) Use(r *Replica, e Engine, ttft time.Duration) {
	cold := r.ColdStart().Seconds()
	f.m = newModel(r, e)
	f.tally.objective = ttft.Seconds()
	f.coldStart = func() float64 { return cold }
}

// CopyFrom makes f stand exactly where g does. Both then go on by themselves.
func (f *Fleet) CopyFrom(g *Fleet) {
	f.Reset()
	f.m, f.gpus, f.fixed, f.coldStart = g.m, g.gpus, g.fixed, g.coldStart
	f.pending, f.nextReady = g.pending, g.nextReady
	f.arrived, f.peak, f.came = g.arrived, g.peak, g.came
	f.billed, f.billedUntil = g.billed, g.billedUntil
	f.gonePrompted, f.goneGenerated = g.gonePrompted, g.goneGenerated
	f.starting = append(f.starting, g.starting...)
	f.held.copyFrom(&g.held)
	f.ready = f.copies(f.ready, g.ready)
	f.draining = f.copies(f.draining, g.draining)
	t := f.tally
	f.tally = g.tally
	f.tally.times, f.tally.missed = t.times, t.missed
}

// copies appends copies of the servers to list.
func (f *Fleet) copies(list, servers []*server) []*server {
	for _, s := range servers {
		c := f.newServer(0)
		m, tally, queue, batch := c.m, c.tally, c.queue, c.batch
		*c = *s
		c.m, c.tally, c.queue, c.batch = m, tally, queue, batch
		c.queue.copyFrom(&s.queue)
		c.batch.copyFrom(&s.batch)
		list = append(list, c)
	}
	return list
}

func (q *queue) copyFrom(from *queue) {
	q.clear()
	from.each(func(r *request) { q.push(*r) })
}

func (b *batch) copyFrom(from *batch) {
	b.heap = append(b.heap[:0], from.heap...)
	b.requests = append(b.requests[:0], from.requests...)
	b.free = append(b.free[:0], from.free...)
}
