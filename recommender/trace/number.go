package trace

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Limits of what a request can be. Beyond them something else was meant: a date instead of
// seconds since the start, bytes instead of tokens.
const (
	maxSeconds = 10 * 365 * 24 * 3600
	maxTokens  = 10_000_000
)

// powers holds the powers of ten that a float64 holds exactly and [parseDecimal] needs.
var powers = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// parseDecimal reads a number without a sign, as [strconv.ParseFloat] rounds it. Short plain
// decimals, which traces consist of, are one exact division: 15 digits fit into 53 bits.
func parseDecimal(text []byte) (float64, bool) {
	if len(text) >= len(powers) {
		return parseLong(text)
	}
	digits, point := uint64(0), -1
	for i, c := range text {
		switch {
		case '0' <= c && c <= '9':
			digits = digits*10 + uint64(c-'0')
		case c == '.' && point < 0:
			point = i
		default:
			return parseLong(text)
		}
	}
	switch {
	case point < 0:
		return float64(digits), len(text) > 0
	case len(text) == 1: // only a point
		return 0, false
	}
	return float64(digits) / powers[len(text)-1-point], true
}

// parseLong reads long numbers and those with an exponent. It refuses what ParseFloat
// takes beyond decimals: signs, hexadecimals, Inf and NaN.
func parseLong(text []byte) (float64, bool) {
	for i, c := range text {
		digit := '0' <= c && c <= '9' || c == '.'
		if !digit && (i == 0 || !strings.ContainsRune("eE+-", rune(c))) {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(string(text), 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// parseTokens reads a number of tokens.
func parseTokens(text []byte) (int32, bool) {
	const longest = len("10000000")
	if len(text) == 0 || len(text) > longest {
		return 0, false
	}
	n := int32(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int32(c-'0')
	}
	return n, n <= maxTokens
}

// plain writes a number without an exponent where people would.
func plain(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e12 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// within returns an error unless v is a number from lo to hi.
func within(what string, v, lo, hi float64) error {
	if v >= lo && v <= hi {
		return nil
	}
	return fmt.Errorf("%s must be from %s to %s, got %s", what, plain(lo), plain(hi), plain(v))
}
