package hpa

import (
	"math"
	"testing"
)

func TestParseQuantity(t *testing.T) {
	for text, want := range map[string]int64{
		"0":                                0,
		"12":                               12_000,
		"12.5":                             12_500,
		"-3":                               -3_000,
		"+3":                               3_000,
		".5":                               500,
		"5.":                               5_000,
		"007":                              7_000,
		"12.0000001":                       12_001, // rounded up, not to nearest
		"0.0015":                           2,
		"-0.0015":                          -2, // away from zero
		"0.000000000000000000000000000001": 1,
		"1500m":                            1_500,
		"123u":                             1,
		"1n":                               1,
		"0n":                               0,
		"2k":                               2_000_000,
		"2Ki":                              2_048_000,
		"1.5Ki":                            1_536_000,
		"0.0001Ki":                         103, // 102.4 milli
		"1E":                               0,   // 10^21 milli: dropped
		"15e-1":                            1_500,
		"1E3":                              1_000_000, // an exponent, not 1E followed by 3
		"1e-30":                            1,
		"0e99999":                          0,
		"1e99999":                          0,
		"1e-99999":                         1,
		"9223372036854775":                 9_223_372_036_854_775_000,
		// Beyond int64 the stored form decides: these stay as they are and wrap, ...
		"9223372036854776": -9_223_372_036_854_775_616,
		"44981689360M":     8_088_201_212_580_896_768,
		"25Pi":             -8_745_990_476_353_503_232,
		// ... and these are stored as 10P and 100e15, and dropped.
		"10000000000000000": 0,
		"1e17":              0,
		// The largest binary quantity is 2^63-1, whose milli wraps.
		"9Ei": -1_000,
	} {
		t.Run(text, func(t *testing.T) {
			got, err := ParseQuantity(text)
			if err != nil || got != want {
				t.Errorf("got %d, %v, want %d", got, err, want)
			}
		})
	}
}

func TestParseQuantityRefuses(t *testing.T) {
	for _, text := range []string{
		"", "-", ".", "m", "Ki", "e3", "1 ", " 1", "1e", "1e+", "1e1.5", "1x", "1Kix", "1mm", "1K",
		"--1", "1.2.3", "NaN", "Inf", "0x10", "1_000", "1e99999999999",
	} {
		if got, err := ParseQuantity(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}

func TestParseTolerance(t *testing.T) {
	for text, want := range map[string]float64{
		"0":             0,
		"0.1":           100 * math.Pow10(-3),
		"100m":          100 * math.Pow10(-3),
		"0.58":          580 * math.Pow10(-3),
		"1e-3":          1 * math.Pow10(-3),
		"0.05":          50 * math.Pow10(-3),
		"0.0005":        500 * math.Pow10(-6),
		"1":             1,
		"1.5":           1500 * math.Pow10(-3),
		"-0.1":          -100 * math.Pow10(-3),
		"10":            10,
		"1500":          1500,
		"2000":          2 * math.Pow10(3),
		"1Ki":           1024,
		"0.00000000001": 1 * math.Pow10(-9), // rounded up to the finest that is stored
	} {
		t.Run(text, func(t *testing.T) {
			got, err := ParseTolerance(text)
			if err != nil || got != want {
				t.Errorf("got %v, %v, want %v", got, err, want)
			}
		})
	}
	if got, err := ParseTolerance("ten"); err == nil {
		t.Errorf("got %v, want an error", got)
	}
}

// FuzzQuantity: no text makes the parser panic, and what it reads it reads alike with
// the sign turned and with zeros in front.
func FuzzQuantity(f *testing.F) {
	for _, seed := range []string{
		"0", "12.0000001", "-0.0015", "1500m", "2Ki", "15e-1", "1e99999", "1e-99999", "9Ei",
		"123456789012345678901234567890.123456789", "1E", "e", ".", "-", "1e999999999",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseQuantity(text)
		if _, other := ParseTolerance(text); (err == nil) != (other == nil) {
			t.Fatalf("%q: quantity says %v, tolerance says %v", text, err, other)
		}
		if err != nil || text[0] == '-' || text[0] == '+' {
			return
		}
		if got, err := ParseQuantity("-" + text); err != nil || got != -n {
			t.Errorf("-%s: got %d, %v, want %d", text, got, err, -n)
		}
		if got, err := ParseQuantity("00" + text); err != nil || got != n {
			t.Errorf("00%s: got %d, %v, want %d", text, got, err, n)
		}
	})
}
