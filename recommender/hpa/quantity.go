package hpa

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// suffixes are the powers of ten and two that a Kubernetes quantity can end in.
var suffixes = map[string]struct {
	ten int
	two uint
}{
	"n": {ten: -9}, "u": {ten: -6}, "m": {ten: -3}, "": {},
	"k": {ten: 3}, "M": {ten: 6}, "G": {ten: 9}, "T": {ten: 12}, "P": {ten: 15}, "E": {ten: 18},
	"Ki": {two: 10}, "Mi": {two: 20}, "Gi": {two: 30}, "Ti": {two: 40}, "Pi": {two: 50}, "Ei": {two: 60},
}

// far is an exponent beyond which nothing fits an int64 any more, whatever the
// digits; larger ones are cut off so that no input asks for gigabytes of zeros.
const far = 1 << 10

// A quantity is (-1)^negative * digits * 10^exp.
type quantity struct {
	negative bool
	digits   *big.Int
	exp      int
	binary   bool // written with a suffix like Ki
}

// ParseQuantity reads a Kubernetes quantity ("12.5", "1500m", "2Ki", "15e-1") as
// every value and target reaches the controller: in milli, rounded away from zero.
//
// What does not fit an int64 wraps or is 0, as it does there, depending on the form in
// which the API stores it: 9223372036854776 wraps, 10000000000000000 is stored as 10P
// and is 0. Two things differ from Kubernetes: text without any digit is an error, and
// a negative number beyond 18 digits keeps its value, which Kubernetes garbles.
func ParseQuantity(s string) (int64, error) {
	q, err := parse(s)
	if err != nil {
		return 0, err
	}
	return q.milli(), nil
}

// ParseTolerance reads a quantity as the tolerance of a behaviour: as a float64,
// worked out from the form in which the API stores it. "0.58" is stored as "580m",
// and 580 * 1e-3 need not be the float64 nearest to 0.58.
func ParseTolerance(s string) (float64, error) {
	q, err := parse(s)
	if err != nil {
		return 0, err
	}
	return q.float(), nil
}

func parse(s string) (quantity, error) {
	sign, rest := "", s
	if s != "" && (s[0] == '-' || s[0] == '+') {
		sign, rest = s[:1], s[1:]
	}
	whole, rest := cutDigits(rest)
	part := ""
	if after, ok := strings.CutPrefix(rest, "."); ok {
		part, rest = cutDigits(after)
	}
	ten, two, ok := exponents(rest)
	if !ok || whole+part == "" {
		return quantity{}, fmt.Errorf("not a quantity: %q", s)
	}
	digits, ok := new(big.Int).SetString(whole+part, 10)
	if !ok {
		return quantity{}, fmt.Errorf("not a quantity: %q", s)
	}
	q := quantity{sign == "-", digits.Lsh(digits, two), ten - len(part), two > 0}
	if whole := q.shifted(q.exp); q.binary && !whole.IsInt64() {
		q.digits, q.exp = big.NewInt(math.MaxInt64), 0 // binary quantities end there
	}
	return q, nil
}

func cutDigits(s string) (digits, rest string) {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return s[:n], s[n:]
}

// exponents reads what follows the digits: a suffix, or e or E and an integer. "E"
// alone is 10^18.
func exponents(s string) (ten int, two uint, ok bool) {
	if x, ok := suffixes[s]; ok {
		return x.ten, x.two, true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return 0, 0, false
	}
	n, err := strconv.ParseInt(s[1:], 10, 31)
	return int(n), 0, err == nil
}

// milli is q in thousandths, rounded away from zero.
func (q quantity) milli() int64 {
	n := q.shifted(q.exp + 3)
	if !n.IsInt64() && q.dropped() {
		return 0
	}
	if q.negative {
		n.Neg(n)
	}
	return wrap(n)
}

// dropped reports whether Kubernetes makes 0 of a q that overflows: up to 18 digits
// stored with a power of ten above 10^6. Others it multiplies without a check.
func (q quantity) dropped() bool {
	digits, exp := q.canonical()
	return !q.binary && exp > 6 && len(digits.String()) <= 18
}

// wrap is n modulo 2^64, as an int64.
func wrap(n *big.Int) int64 {
	bits := new(big.Int).Lsh(big.NewInt(1), 64)
	return int64(bits.Mod(n, bits).Uint64())
}

// shifted is the digits times 10^by, rounded up.
func (q quantity) shifted(by int) *big.Int {
	if by >= 0 {
		return new(big.Int).Mul(q.digits, power(min(by, far)))
	}
	// 10^-by with more places than the digits have is enough to tell zero from more.
	places := q.digits.BitLen()/3 + 1
	n, rest := new(big.Int).QuoRem(q.digits, power(min(-by, places)), new(big.Int))
	if rest.Sign() != 0 {
		n.Add(n, big.NewInt(1))
	}
	return n
}

// canonical is the form in which the API stores q: as few digits as the power of ten,
// a multiple of 3 and at least -9, allows.
func (q quantity) canonical() (digits *big.Int, exp int) {
	if q.digits.Sign() == 0 {
		return q.digits, 0
	}
	exp = max(q.exp, -9)
	text := q.shifted(q.exp - exp).String()
	short := strings.TrimRight(text, "0")
	exp += len(text) - len(short)
	digits, _ = new(big.Int).SetString(short, 10)
	down := ((exp % 3) + 3) % 3
	return digits.Mul(digits, power(down)), exp - down
}

func (q quantity) float() float64 {
	digits, exp := q.canonical()
	f, _ := new(big.Float).SetInt(digits).Float64()
	if exp != 0 {
		f *= math.Pow10(exp)
	}
	if q.negative {
		return -f
	}
	return f
}

func power(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
