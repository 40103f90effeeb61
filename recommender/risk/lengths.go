package risk

import (
	"math"
	"math/rand/v2"
	"time"
)

// Prometheus tells the means of the lengths only. That they spread like a log-normal
// distribution as wide as its mean fits chats; those of code vary more, those of batch
// jobs less.
const lengthCV = 1.0

// typical lengths are for a workload without any traffic: what arrives at empty replicas
// is served at once, however long it is.
const (
	typicalPrompt = 1000
	typicalOutput = 250
)

// lengths are the mean tokens of a request.
type lengths struct{ prompt, output float64 }

// context is the mean of the tokens that a running request has in the cache: it is half
// way through its output, and long ones are there for longer.
func (l lengths) context() float64 { return l.prompt + l.output*(1+lengthCV*lengthCV)/2 }

// whole is the mean of the tokens that a running request has in the end.
func (l lengths) whole() float64 { return l.prompt + l.output*(1+lengthCV*lengthCV) }

// lengths returns the mean lengths of the traffic remembered. It is false if there was
// traffic of which the lengths are not known.
//
// Prompts are counted when they are read and outputs while they are written, so that
// while queues or batches grow neither belongs to the completions alone.
func (t *Tracker) lengths(window time.Duration) (lengths, bool) {
	var admitted, written, prompts, outputs float64
	busy := false
	for i := range t.ticks {
		k := &t.ticks[i]
		busy = busy || max(orZero(k.running), orZero(k.waiting), orZero(k.held), orZero(k.arrivals)) > 0
		if math.IsNaN(k.prompts) || math.IsNaN(k.outputs) || math.IsNaN(k.completions) {
			continue
		}
		dt := window.Seconds() // The first tick tells of the window before it.
		if i > 0 {
			dt = time.Duration(k.at - t.ticks[i-1].at).Seconds()
		}
		growth := t.growth(i, window)
		admitted += dt * max(k.completions+growth, 0)
		written += dt * max(k.completions+growth/2, 0)
		prompts += dt * k.prompts
		outputs += dt * k.outputs
	}
	const enough = 1 // requests
	if admitted < enough || written < enough || outputs <= 0 {
		return lengths{typicalPrompt, typicalOutput}, !busy
	}
	return lengths{prompt: max(prompts/admitted, 1), output: max(outputs/written, 1)}, true
}

// growth is by how many running requests per second the batches grew in the window
// before tick i.
func (t *Tracker) growth(i int, window time.Duration) float64 {
	k := &t.ticks[i]
	for j := range i {
		before := &t.ticks[j]
		if dt := k.at - before.at; dt <= int64(window) && !math.IsNaN(before.running) {
			if math.IsNaN(k.running) {
				return 0
			}
			return (k.running - before.running) / window.Seconds()
		}
	}
	return 0
}

// spread holds lengths with a mean of 1 at evenly spaced quantiles of a log-normal
// distribution.
var spread = logNormals(lengthCV)

// biased is like spread for the requests of a batch: a long one is there for longer.
var biased = biasedLengths(lengthCV)

type table [256]float64

func logNormals(cv float64) *table {
	sigma := math.Sqrt(math.Log1p(cv * cv))
	var values table
	sum := 0.0
	for i := range values {
		values[i] = math.Exp(sigma * normal((float64(i)+0.5)/float64(len(values))))
		sum += values[i]
	}
	for i := range values {
		values[i] *= float64(len(values)) / sum
	}
	return &values
}

// biasedLengths is log-normal too, with a larger mean.
func biasedLengths(cv float64) *table {
	values := logNormals(cv)
	for i := range values {
		values[i] *= 1 + cv*cv
	}
	return values
}

// draw returns one of the values.
func (t *table) draw(random *rand.Rand) float64 { return t[random.Uint32()%uint32(len(t))] }
