package sim

import "math"

// Arrivals returns how many requests arrive in each second. They are the very numbers
// that CPython's random module draws after random.seed of the same seed: by Knuth's
// product of uniforms up to a mean of 30, above that by a rounded normal distribution.
func (f *Fluid) Arrivals() []int {
	source := newMT19937(f.Seed)
	arrivals := make([]int, f.Seconds)
	for t := range arrivals {
		arrivals[t] = source.poisson(f.rate(t))
	}
	return arrivals
}

// The Mersenne Twister of Matsumoto and Nishimura (1998) with 32-bit words.
const (
	mt19937Size  = 624
	mt19937Shift = 397
)

// An mt19937 draws the numbers of CPython's random module.
type mt19937 struct {
	state [mt19937Size]uint32
	next  int
	// normal is the second number of a pair of normal ones, if paired.
	normal float64
	paired bool
}

// newMT19937 seeds by the reference's init_by_array with the seed as its only word, as
// CPython does for a whole number.
func newMT19937(seed uint32) *mt19937 {
	m := &mt19937{next: mt19937Size}
	s := &m.state
	s[0] = 19650218
	for i := uint32(1); i < mt19937Size; i++ {
		s[i] = 1812433253*(s[i-1]^s[i-1]>>30) + i
	}
	i := uint32(1)
	step := func() {
		if i++; i == mt19937Size {
			s[0], i = s[mt19937Size-1], 1
		}
	}
	for range mt19937Size {
		s[i] = s[i] ^ (s[i-1]^s[i-1]>>30)*1664525 + seed
		step()
	}
	for range mt19937Size - 1 {
		s[i] = s[i] ^ (s[i-1]^s[i-1]>>30)*1566083941 - i
		step()
	}
	s[0] = 1 << 31
	return m
}

// word returns 32 random bits.
func (m *mt19937) word() uint32 {
	if m.next == mt19937Size {
		m.twist()
	}
	y := m.state[m.next]
	m.next++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (m *mt19937) twist() {
	for i := range m.state {
		y := m.state[i]&(1<<31) | m.state[(i+1)%mt19937Size]&(1<<31-1)
		m.state[i] = m.state[(i+mt19937Shift)%mt19937Size] ^ y>>1 ^ (y&1)*0x9908b0df
	}
	m.next = 0
}

// uniform returns one of the 2^53 fractions in [0, 1): 27 bits of one word and 26 of the next.
func (m *mt19937) uniform() float64 {
	high, low := m.word()>>5, m.word()>>6
	return float64(uint64(high)<<26|uint64(low)) / (1 << 53)
}

// gauss returns a normally distributed number. They come in pairs: two uniform ones are
// an angle and a radius, whose cosine and sine are the pair.
func (m *mt19937) gauss(mean, deviation float64) float64 {
	z := m.normal
	if m.paired = !m.paired; m.paired {
		angle := m.uniform() * 2 * math.Pi
		radius := math.Sqrt(-2 * math.Log(1-m.uniform()))
		z, m.normal = math.Cos(angle)*radius, math.Sin(angle)*radius
	}
	// The conversion keeps the product from being fused with the sum, which would
	// round differently from one processor to the next.
	return mean + float64(z*deviation)
}

// poisson returns a count of the given mean.
func (m *mt19937) poisson(mean float64) int {
	if mean > 30 {
		return max(0, int(m.gauss(mean, math.Sqrt(mean))+0.5))
	}
	bound, n := math.Exp(-mean), 0
	for product := m.uniform(); product > bound; product *= m.uniform() {
		n++
	}
	return n
}
