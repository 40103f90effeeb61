package trace

import (
	"math/rand/v2"
	"strconv"
	"testing"
)

func TestParseDecimalEqualsStrconv(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	check := func(text string) {
		t.Helper()
		got, ok := parseDecimal([]byte(text))
		want, err := strconv.ParseFloat(text, 64)
		if !ok || err != nil || got != want {
			t.Errorf("%q: got %v, %v, want %v, %v", text, got, ok, want, err)
		}
	}
	for _, text := range []string{
		"0", "00", ".5", "5.", "9007199254740993", "9007199254740992.5", "999999999999999", "99999999999999.9",
		"0.1", "0.3", "0.00000000000001", "123456789.012345", "1e22", "4.9e-324", "1e-400", "0.30000000000000004",
	} {
		check(text)
	}
	for range 200_000 {
		v := random.Float64() * []float64{1e-3, 1, 1e3, 1e6, 1e9}[random.IntN(5)]
		check(strconv.FormatFloat(v, 'f', random.IntN(13), 64))
		check(strconv.FormatFloat(v, 'g', -1, 64))
	}
}

func TestParseTokensEqualsStrconv(t *testing.T) {
	for n := range 100_000 {
		text := strconv.Itoa(n * n / 997)
		got, ok := parseTokens([]byte(text))
		want, _ := strconv.Atoi(text)
		if ok != (want <= maxTokens) || ok && int(got) != want {
			t.Fatalf("%q: got %d, %v, want %d", text, got, ok, want)
		}
	}
}
