package risk

import (
	"math"
	"time"
)

// A forecast is how the rate of arrivals may go on: its logarithm walks at random.
type forecast struct {
	// level is the logarithm of the rate now, and variance how uncertain it is.
	level, variance float64
	// drift is the variance that a second adds.
	drift float64
	// noise is the square of the coefficient of variation of the rate from one slot of slot
	// seconds to the next, beyond that of independent arrivals: bursts that come and go.
	noise, slot float64
	// again says that what was seen comes again as it came, rather than that the rate walks
	// on from where it is.
	again bool
}

// What is assumed of traffic that was not seen for long. The numbers were chosen on
// generated traces, the default trace and an hour of a public trace of chats.
const (
	priorDrift  = 2e-4 // per second: a seventh up or down within two minutes
	mostDrift   = 4e-3 // two thirds within two minutes
	priorWeight = 3    // as much as that many horizons seen
	// rateError is the relative error of a rate that Prometheus computed.
	rateError = 0.01
	// bursty is the noise beyond which the last minutes tell little of what comes: it may
	// be any of what is remembered.
	bursty = 0.3
	// fewest requests in a bin, so that the logarithm of a count is near normal.
	fewest = 6
)

// A bin is requests counted over some seconds.
type bin struct{ seconds, count float64 }

// forecast says how arrivals may go on for a horizon. It is false if there is no rate.
func (e *Estimator) forecast(t *Tracker, window time.Duration, horizon float64) (forecast, bool) {
	e.slots = t.arrivals(e.slots[:0], window)
	if len(e.slots) == 0 {
		return forecast{}, false
	}
	e.bins = merge(e.bins[:0], e.slots)
	e.logs = logs(e.logs[:0], e.bins)
	f := fitWalk(e.bins, e.logs, horizon)
	f.follow(e.bins)
	e.blocks = e.blocks[:0]
	if f.again {
		e.blocks = appendBlocks(e.blocks, e.slots, horizon)
	}
	return f, true
}

// arrivals appends the requests that arrived between the ticks. The rate of a window is
// the sum of its slots: what it grows by from tick to tick is what came in at one end less
// what fell out at the other.
func (t *Tracker) arrivals(slots []bin, window time.Duration) []bin {
	w := window.Seconds()
	var last int64
	oldest := math.NaN() // the rate before the first slot
	for i := range t.ticks {
		k := &t.ticks[i]
		if math.IsNaN(k.arrivals) {
			continue
		}
		if math.IsNaN(oldest) {
			// All that the first rate says is how many came in its window.
			slots = append(slots, bin{seconds: w, count: k.arrivals * w})
			oldest = k.arrivals
		} else {
			dt := time.Duration(k.at - last).Seconds()
			slots = append(slots, nextSlot(slots, k.arrivals, w, dt, oldest))
		}
		last = k.at
	}
	return slots
}

// nextSlot returns what arrived in dt seconds, behind the slots, if the rate in the window
// is now rate.
func nextSlot(slots []bin, rate, w, dt, oldest float64) bin {
	if dt >= w {
		return bin{seconds: dt, count: rate * dt}
	}
	within := lately(slots, w-dt, oldest)
	previous := slots[len(slots)-1]
	expected := previous.count / previous.seconds * dt
	found := rate*w - within
	// The slot may be anything from what it was expected to be to what was found, the
	// window is as uncertain as the rate.
	slotVariance := expected + 0.1*square(max(expected, found)) + 1
	windowVariance := rateError * rateError * rate * rate * w * w
	gain := slotVariance / (slotVariance + windowVariance)
	return bin{seconds: dt, count: max(expected+gain*(found-expected), 0)}
}

// lately returns the requests of the last seconds of the slots.
func lately(slots []bin, seconds, oldest float64) float64 {
	sum := 0.0
	for i := len(slots) - 1; i >= 0 && seconds > 0; i-- {
		s := slots[i]
		part := min(seconds/s.seconds, 1)
		sum += part * s.count
		seconds -= part * s.seconds
	}
	return sum + max(seconds, 0)*oldest
}

// merge appends bins of slots, from the newest back, such that a bin has at least the
// fewest requests on average. The bins are in the order of time.
func merge(bins, slots []bin) []bin {
	var all bin
	for _, s := range slots {
		all.seconds += s.seconds
		all.count += s.count
	}
	size := 1
	if each := all.count / float64(len(slots)); each < fewest {
		size = min(int(fewest/max(each, 1e-3))+1, len(slots))
	}
	first := len(slots) % size
	if first > 0 {
		bins = append(bins, total(slots[:first]))
	}
	for ; first < len(slots); first += size {
		bins = append(bins, total(slots[first:first+size]))
	}
	return bins
}

func total(slots []bin) bin {
	var sum bin
	for _, s := range slots {
		sum.seconds += s.seconds
		sum.count += s.count
	}
	return sum
}

// log is the logarithm of the rate in a bin. Half a request more is Jeffreys' prior.
func (b bin) log() float64 { return math.Log((b.count + 0.5) / b.seconds) }

func (b bin) rate() float64 { return b.count / b.seconds }

func logs(list []float64, bins []bin) []float64 {
	for _, b := range bins {
		list = append(list, b.log())
	}
	return list
}

// fitWalk returns the drift and the noise of the bins. Bins that lie apart differ by the
// noise of both and the drift between: near pairs tell the one, far pairs the other.
func fitWalk(bins []bin, logs []float64, horizon float64) forecast {
	all := total(bins)
	n := float64(len(bins))
	f := forecast{drift: priorDrift, slot: all.seconds / n}
	lag := max(2, int(math.Round(horizon/f.slot)))
	if len(logs) <= lag+1 {
		return f
	}
	near, far := difference(logs, 1), difference(logs, lag)
	drift := min(max((far-near)/(float64(lag-1)*f.slot), 0), mostDrift)
	weight := float64(len(logs)-lag) / float64(lag)
	f.drift = (priorWeight*priorDrift + weight*drift) / (priorWeight + weight)
	f.noise = max(roughness(bins)-n/(all.count+1), 0)
	return f
}

// roughness is half the mean square of the difference of neighbouring rates, relative to
// the mean rate: the square of the coefficient of variation of one without the drift.
func roughness(bins []bin) float64 {
	all := total(bins)
	sum := 0.0
	for i := 1; i < len(bins); i++ {
		sum += square(bins[i].rate() - bins[i-1].rate())
	}
	mean := (all.count + 0.5) / all.seconds
	return sum / float64(len(bins)-1) / 2 / square(mean)
}

// difference is the square of the scale of the differences of values that lie lag apart:
// of their mean size, which for Student's t with four degrees of freedom is its scale, and
// which a single jump moves less than it moves the mean square.
func difference(values []float64, lag int) float64 {
	sum := 0.0
	for i := lag; i < len(values); i++ {
		sum += math.Abs(values[i] - values[i-lag])
	}
	return square(sum / float64(len(values)-lag))
}

func square(x float64) float64 { return x * x }

// follow sets the level to where the walk is at the end of the bins, as a Kalman filter
// finds it. Variances are relative to the square of the rate. The burstier the traffic, the
// less do the last bins tell of the next ones.
func (f *forecast) follow(bins []bin) {
	rate := 0.0
	for i, b := range bins {
		if i == 0 {
			rate = max(b.count, 0.5) / b.seconds
			f.variance = 1/(b.count+0.5) + f.noise
			continue
		}
		// Half of the bin lies behind its middle, which is what its count tells of.
		f.variance += f.drift * (bins[i-1].seconds + b.seconds) / 2
		seen := 1/(rate*b.seconds+0.5) + f.noise
		gain := f.variance / (f.variance + seen)
		rate += gain * (b.rate() - rate)
		f.variance *= 1 - gain
	}
	f.variance += f.drift * bins[len(bins)-1].seconds / 2
	f.level = math.Log(max(rate, 0.5/total(bins).seconds))
	f.again = f.noise > bursty
}

// at returns the rate that is z times its spread away from the middle, ahead seconds from now.
func (f *forecast) at(ahead, z float64) float64 {
	const most = 2 // times e; more is no forecast
	off := z * math.Sqrt(f.variance+f.drift*ahead)
	return math.Exp(f.level + min(max(off, -most), most))
}
