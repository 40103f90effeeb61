package export

import (
	"math"
	"time"
)

// A Risk is the fraction of the requests arriving within Horizon that is expected to
// miss the objective for the time to the first token, by the replicas that a workload
// may have. A fraction that is unknown is NaN.
type Risk struct {
	// Current is with the replicas asked for now, the others with what is recommended.
	Current, Desired, DesiredMinusOne, DesiredPlusOne float64
	Horizon                                           time.Duration
	// Missing says in one word why nothing is known; empty if something is.
	Missing string
}

// each calls emit for every fraction that is known, with the name of its replicas.
func (r *Risk) each(emit func(float64, ...string)) {
	for _, f := range [...]struct {
		ratio    float64
		replicas string
	}{
		{r.Current, "current"},
		{r.Desired, "desired"},
		{r.DesiredMinusOne, "desired_minus_one"},
		{r.DesiredPlusOne, "desired_plus_one"},
	} {
		if !math.IsNaN(f.ratio) {
			emit(f.ratio, f.replicas)
		}
	}
}
