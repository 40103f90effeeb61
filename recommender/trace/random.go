package trace

import (
	"math"
	"math/rand/v2"
)

// What is drawn apart, so that other lengths leave the arrivals as they were, and policies
// compared under equal seeds meet the same requests.
const (
	streamArrivals = iota + 1
	streamPrompts
	streamOutputs
	streamScale
)

// newRandom returns the random numbers of one stream of a seed.
func newRandom(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(mix(seed), mix(mix(seed)+stream)))
}

// mix makes far numbers of near ones (the finaliser of SplitMix64): seeds that count from 0
// would start PCG at states that are too much alike.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// gamma draws from the Gamma distribution of that shape and scale 1, by Marsaglia and
// Tsang (2000): a squeezed cube of a normal variable, and below shape 1 a power of a
// uniform one to get there.
func gamma(random *rand.Rand, shape float64) float64 {
	boost := 1.0
	if shape < 1 {
		boost = math.Pow(1-random.Float64(), 1/shape)
		shape++
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := random.NormFloat64()
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(1-random.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return boost * d * v
		}
	}
}
