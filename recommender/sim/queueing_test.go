package sim

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/infscale/infscale/recommender/trace"
)

// A queueing system has servers of one slot each. A token of output takes the same time
// whatever the context is, and prompts of one token take next to none, so that the time of
// a service is its output.
type queueing struct {
	servers int
	rho     float64 // how much of the time a server is busy
	// tokens draws the length of a service, of the mean meanTokens.
	tokens func(*rand.Rand) float64
}

const (
	meanTokens = 1000
	// tokenSeconds is the time of a token: the weights read once.
	tokenSeconds = stepBase
)

func exponential(rng *rand.Rand) float64 { return meanTokens * rng.ExpFloat64() }
func constant(*rand.Rand) float64        { return meanTokens }
func uniform(rng *rand.Rand) float64     { return 2 * meanTokens * rng.Float64() }

// fleet returns one in which c servers wait for customers.
func (q *queueing) fleet() *Fleet {
	f := counting(0, Engine{})
	f.m.slots = 1
	f.m.stepToken = 0
	f.m.read, f.m.readRate = 1e-12, 1e12
	f.AddReady(q.servers)
	return f
}

// service is the mean seconds of one, lengths being whole tokens.
const service = meanTokens * tokenSeconds

// waits returns the mean wait of each of some independent runs.
func (q *queueing) waits(t *testing.T, runs, customers, warmUp int) []float64 {
	t.Helper()
	means := make([]float64, runs)
	for i := range means {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		f := q.fleet()
		now := 0.0
		for range customers {
			now += rng.ExpFloat64() * service / (q.rho * float64(q.servers))
			f.Arrive(trace.Request{At: now, Prompt: 1, Output: int32(math.Round(q.tokens(rng)))})
		}
		f.Advance(now + 1e6)
		if f.tally.served != customers {
			t.Fatalf("got %d served, want %d", f.tally.served, customers)
		}
		for _, w := range f.tally.times.ttft.values[warmUp:] {
			means[i] += w / float64(customers-warmUp)
		}
	}
	return means
}

// estimate returns the mean of independent values and its standard error.
func estimate(values []float64) (mean, err float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		err += (v - mean) * (v - mean) / (n - 1) / n
	}
	return mean, math.Sqrt(err)
}

// Pollaczek and Khinchine: the mean wait with one server, Poisson arrivals and services of
// any distribution is rho / (1 - rho) x (1 + cv^2) / 2 services. For exponential ones that
// is M/M/1, for constant ones M/D/1.
func TestWaitsAreThoseOfTheory(t *testing.T) {
	for _, c := range []struct {
		name    string
		tokens  func(*rand.Rand) float64
		squared float64 // cv^2 of the services
	}{
		{"M/M/1", exponential, 1},
		{"M/D/1", constant, 0},
		{"M/U/1", uniform, 1.0 / 3},
	} {
		for _, rho := range []float64{0.5, 0.8, 0.9} {
			t.Run(c.name, func(t *testing.T) {
				q := queueing{servers: 1, rho: rho, tokens: c.tokens}
				got, sigma := estimate(q.waits(t, 20, 20000, 2000))
				want := rho / (1 - rho) * (1 + c.squared) / 2 * service
				if math.Abs(got-want) > 3*sigma || sigma > 0.05*want {
					t.Errorf("rho %v: got %.4f s with a standard error of %.4f, want %.4f", rho, got, sigma, want)
				}
			})
		}
	}
}

// Joining the shortest queue is no better than one queue for all (M/M/c), and better than
// an M/M/1 queue for each server.
func TestShortestQueuesAreBetweenOneAndMany(t *testing.T) {
	const c, rho = 3, 0.8
	q := queueing{servers: c, rho: rho, tokens: exponential}
	got, sigma := estimate(q.waits(t, 20, 20000, 2000))
	// Erlang's C formula: who has to wait, and for how long.
	const a = c * rho
	busy := a * a * a / 6 / (1 - rho)
	low := busy / (1 + a + a*a/2 + busy) / (c * (1 - rho)) * service
	high := rho / (1 - rho) * service
	if got < low-3*sigma || got > high/2 || sigma > 0.05*low {
		t.Errorf("got %.4f s with a standard error of %.4f, want at least %.4f and far below %.4f", got, sigma, low, high)
	}
}

// A batch that never fills is M/G/infinity: nobody waits, and as many are there as arrive
// in the time that one is.
func TestLargeBatchesDoNotQueue(t *testing.T) {
	q := queueing{servers: 1, rho: 0.9, tokens: exponential}
	f := q.fleet()
	f.m.slots = 1 << 20
	rng := rand.New(rand.NewPCG(1, 1))
	now := 0.0
	for range 20000 {
		now += rng.ExpFloat64() * 0.05
		f.Arrive(trace.Request{At: now, Prompt: 1, Output: int32(math.Round(exponential(rng)))})
	}
	f.Advance(now + 1e6)
	if wait := f.tally.times.ttft.quantile(1); wait > 1e-6 {
		t.Errorf("got a wait of %v s, want none", wait)
	}
	near(t, "time in the batch", f.tally.sojourn/20000, service, 0.03)
}
