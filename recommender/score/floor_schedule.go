package score

import (
	"math"
	"slices"
)

// A schedule is the replicas asked for, as changes by one in the order of their slots.
type schedule struct {
	initial int
	changes []change
}

// A change adds a replica, or takes one away, at the beginning of a slot.
type change struct{ slot, by int }

// newSchedule returns the schedule with which that many replicas are ready in each slot:
// what is added is ordered a cold start before. Where replicas start, none is taken away
// until they are ready, since the youngest would go first.
func (p *problem) newSchedule(ready []int) schedule {
	s := schedule{initial: p.run.Initial}
	ahead := p.ahead()
	level := s.initial
	for k := 1; k < len(ready); k++ {
		target := slices.Max(ready[k:min(k+ahead+1, len(ready))])
		s.add(k, target-level)
		level = target
	}
	return s
}

// ahead is the slots of a cold start.
func (p *problem) ahead() int { return int(math.Ceil(p.cold / p.slot)) }

// add appends changes that add by replicas.
func (s *schedule) add(slot, by int) {
	for range by {
		s.changes = append(s.changes, change{slot, 1})
	}
	for range -by {
		s.changes = append(s.changes, change{slot, -1})
	}
}

// possible reports whether there are never fewer than 0 nor more than most replicas, and
// at least one where all requests have to be served in the end.
func (s *schedule) possible(p *problem) bool {
	level := s.initial
	for i, c := range s.changes {
		level += c.by
		settled := i+1 == len(s.changes) || s.changes[i+1].slot > c.slot
		if settled && (level < 0 || level > p.most) {
			return false
		}
	}
	return level > 0 || p.run.Horizon > 0
}

// A patch is other changes between two slots, both included. The replicas before and
// behind are the same.
type patch struct {
	from, to int
	changes  []change
}

// within returns the changes of s from one slot to another, both included.
func (s *schedule) within(from, to int) []change {
	at := func(c change, slot int) int { return c.slot - slot }
	first, _ := slices.BinarySearchFunc(s.changes, from, at)
	last, _ := slices.BinarySearchFunc(s.changes, to+1, at)
	return s.changes[first:last]
}

// patched returns the schedule with a patch.
func (s *schedule) patched(p patch) schedule {
	old := s.within(p.from, p.to)
	first := 0
	for first < len(s.changes) && s.changes[first].slot < p.from {
		first++
	}
	n := schedule{initial: s.initial, changes: make([]change, 0, len(s.changes)-len(old)+len(p.changes))}
	n.changes = append(n.changes, s.changes[:first]...)
	n.changes = append(n.changes, p.changes...)
	n.changes = append(n.changes, s.changes[first+len(old):]...)
	return n
}

// shift returns the patch that moves change i to another slot. What would be before the
// first slot is in it, and what would be after the last is not there.
func (s *schedule) shift(p *problem, i, slot int) patch {
	c := s.changes[i]
	slot = min(max(slot, 1), p.slots)
	if c.by > 0 {
		return s.more(p, c.slot, slot, -1)
	}
	return s.more(p, c.slot, slot, 1)
}

// more returns the patch that adds by replicas between two slots, or takes them away if
// the second comes before the first.
func (s *schedule) more(p *problem, from, to, by int) patch {
	if to < from {
		from, to, by = to, from, -by
	}
	n := schedule{changes: slices.Clone(s.within(from, to))}
	n.insert(change{from, by})
	if to < p.slots {
		n.insert(change{to, -by})
	}
	return patch{from, to, n.changes}
}

// insert adds a change where it belongs. One that undoes another of the same slot takes it
// out.
func (s *schedule) insert(c change) {
	if i := slices.Index(s.changes, change{c.slot, -c.by}); i >= 0 {
		s.changes = slices.Delete(s.changes, i, i+1)
		return
	}
	i, _ := slices.BinarySearchFunc(s.changes, c.slot, func(e change, slot int) int { return e.slot - slot })
	s.changes = slices.Insert(s.changes, i, c)
}

// differences returns the patches that make s the other schedule, each by itself.
func (s *schedule) differences(other *schedule, slots int) []patch {
	var list []patch
	a, b := cursor{s, 0, s.initial}, cursor{other, 0, other.initial}
	since := 0
	for slot := 0; ; {
		same := a.level == b.level
		if slot = min(a.due(slots), b.due(slots)); slot == slots {
			if !same {
				list = append(list, patch{since, slots, other.within(since, slots)})
			}
			return list
		}
		a.move(slot)
		b.move(slot)
		switch {
		case same && a.level != b.level:
			since = slot
		case !same && a.level == b.level:
			list = append(list, patch{since, slot, other.within(since, slot)})
		}
	}
}

// A cursor goes along a schedule.
type cursor struct {
	*schedule
	next, level int
}

// due is the slot of the next change, at most that many.
func (c *cursor) due(slots int) int {
	if c.next == len(c.changes) {
		return slots
	}
	return min(c.changes[c.next].slot, slots)
}

// move makes all changes until a slot.
func (c *cursor) move(slot int) {
	for ; c.next < len(c.changes) && c.changes[c.next].slot <= slot; c.next++ {
		c.level += c.changes[c.next].by
	}
}

// orders returns the schedule as orders.
func (s *schedule) orders(p *problem) []Order {
	list := []Order{{0, s.initial}}
	for _, c := range s.changes {
		at, last := float64(c.slot)*p.slot, &list[len(list)-1]
		if last.At == at {
			last.Replicas += c.by
			continue
		}
		list = append(list, Order{at, last.Replicas + c.by})
	}
	return list
}
