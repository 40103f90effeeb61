package sim

import (
	"math"
	"time"
)

// FluidBacklog returns the requests that wait when replicas ordered at the start of a
// burst become ready: what is offered per second beyond the capacity, for all that time.
func FluidBacklog(offered, capacity float64, lag time.Duration) float64 {
	return max(0, offered-capacity) * lag.Seconds()
}

// FluidDrain returns the seconds in which a backlog is gone, once there is more capacity
// than is offered. It is +Inf where there is not: such a backlog stays.
func FluidDrain(backlog, offered, capacity float64) float64 {
	switch spare := capacity - offered; {
	case backlog <= 0:
		return 0
	case spare <= 0:
		return math.Inf(1)
	default:
		return backlog / spare
	}
}
