package risk

import (
	"cmp"
	"math"
	"slices"
)

// A block is what arrived within one horizon of what is remembered, from one of its slots
// on. Where it ends before the horizon does, it goes on at its beginning.
type block struct {
	first    int // slot
	expected float64
	// upTo is how likely it is this block or one with fewer requests, given that there
	// are any.
	upTo float64
}

// appendBlocks appends the block of every slot, those with the fewest requests first.
func appendBlocks(blocks []block, slots []bin, horizon float64) []block {
	for i := range slots {
		b := block{first: i}
		eachPart(slots, i, horizon, func(part bin) { b.expected += part.count })
		blocks = append(blocks, b)
	}
	slices.SortFunc(blocks, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.expected, b.expected), cmp.Compare(a.first, b.first))
	})
	sum := 0.0
	for i := range blocks {
		sum -= math.Expm1(-blocks[i].expected)
		blocks[i].upTo = sum
	}
	for i := range blocks {
		blocks[i].upTo /= sum
	}
	return blocks
}

// eachPart visits the parts of the horizon that begins with slot i. Half a request more in
// all of them is Jeffreys' prior: some may come where none did.
func eachPart(slots []bin, i int, horizon float64, visit func(bin)) {
	rest := 0.5 / total(slots).seconds
	for left := horizon; left > 0; i = (i + 1) % len(slots) {
		seconds := min(left, slots[i].seconds)
		visit(bin{seconds: seconds, count: (slots[i].rate() + rest) * seconds})
		left -= seconds
	}
}

// repeat takes the course at the p-th quantile of the blocks.
func (e *Estimator) repeat(s *situation, p float64) {
	i, _ := slices.BinarySearchFunc(e.blocks, p, func(b block, p float64) int { return cmp.Compare(b.upTo, p) })
	e.course = e.course[:0]
	eachPart(e.slots, e.blocks[min(i, len(e.blocks)-1)].first, s.horizon, func(part bin) { e.course = append(e.course, part) })
}
