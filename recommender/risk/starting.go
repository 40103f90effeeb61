package risk

import (
	"math"
	"time"
)

// starting appends how many seconds ago each replica that is not ready yet was asked for,
// the oldest first. A change is dated to the tick before the one that saw it, because it
// takes a scrape and a tick to be seen. Replicas become ready in the order in which they
// were asked for, and those that are taken away are the youngest.
func (t *Tracker) starting(ages []float64) []float64 {
	asked := ages[:0]
	var before *tick
	now := t.latest()
	for i := range t.ticks {
		k := &t.ticks[i]
		if math.IsNaN(k.current) || math.IsNaN(k.ready) {
			continue
		}
		since, current := k, k.current
		if before != nil {
			since, current = before, before.current
		}
		age := time.Duration(now.at - since.at).Seconds()
		wanted := int(max(k.current-k.ready, 0))
		asked = startingAt(asked, int(k.current-current), wanted, age)
		before = k
	}
	return asked
}

// startingAt returns the ages after a tick that changed the replicas asked for, and left
// so many not ready.
func startingAt(ages []float64, change, wanted int, age float64) []float64 {
	for range change {
		ages = append(ages, age)
	}
	if over := len(ages) - wanted; change < 0 && over > 0 {
		ages = ages[:len(ages)-min(over, -change)]
	}
	if over := len(ages) - wanted; over > 0 {
		ages = ages[:copy(ages, ages[over:])]
	}
	for len(ages) < wanted {
		ages = append(ages, age)
	}
	return ages
}
