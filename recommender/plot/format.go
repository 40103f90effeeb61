package plot

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

const ratioUnit = "ratio"

// unitName is the unit as written once beside the title, nothing if each number has it or
// the title says it.
func unitName(p *Panel) string {
	switch p.Unit {
	case "s", "bytes", "%", ratioUnit:
		return ""
	}
	if strings.EqualFold(p.Title, p.Unit) {
		return ""
	}
	return p.Unit
}

// A prefix is a multiple of a unit with its name.
type prefix struct {
	size float64
	name string
}

var (
	decimalPrefixes = []prefix{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}
	binaryPrefixes  = []prefix{{1 << 40, " TiB"}, {1 << 30, " GiB"}, {1 << 20, " MiB"}, {1 << 10, " KiB"}}
	shortPrefixes   = []prefix{{1, " s"}, {1e-3, " ms"}, {1e-6, " µs"}, {1e-9, " ns"}}
)

// longPrefixes are the units of time above a second, each with the step of an axis from
// which it is round.
var longPrefixes = []struct {
	prefix
	step float64
}{
	{prefix{86400, " d"}, 21600},
	{prefix{3600, " h"}, 900},
	{prefix{60, " min"}, 30},
}

// formatTick writes v exactly enough to tell it from its neighbours a step away.
func formatTick(v, step float64, unit string) string {
	switch {
	case v == 0:
		return "0"
	case unit == ratioUnit:
		return formatScaled(v*100, step*100, 1) + "%"
	case unit == "%":
		return formatScaled(v, step, 1) + "%"
	case unit == "s":
		p := timePrefix(math.Abs(v), step)
		return formatScaled(v, step, p.size) + p.name
	case unit == "bytes":
		p := pick(binaryPrefixes, math.Abs(v), prefix{1, " B"})
		return formatScaled(v, step, p.size) + p.name
	default:
		p := pick(decimalPrefixes, math.Abs(v), prefix{1, ""})
		return formatScaled(v, step, p.size) + p.name
	}
}

func timePrefix(v, step float64) prefix {
	for _, p := range longPrefixes {
		if v >= p.size && step >= p.step {
			return p.prefix
		}
	}
	return pick(shortPrefixes, v, shortPrefixes[len(shortPrefixes)-1])
}

// pick returns the largest prefix that v fills, or the fallback.
func pick(prefixes []prefix, v float64, fallback prefix) prefix {
	const almost = 1 - 1e-9
	i := slices.IndexFunc(prefixes, func(p prefix) bool { return v >= p.size*almost })
	if i < 0 {
		return fallback
	}
	return prefixes[i]
}

func formatScaled(v, step, size float64) string {
	v, step = v/size, step/size
	decimals := 0
	// A step of five minutes is a twelfth of an hour: two decimals are enough for such.
	for ; decimals < 9; decimals++ {
		shifted := step * math.Pow(10, float64(decimals))
		if shifted >= 1 && (math.Abs(shifted-math.Round(shifted)) < 1e-6 || decimals >= 2) {
			break
		}
	}
	if math.Abs(v) >= 1e6 || step < 1e-4 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return trimZeros(strconv.FormatFloat(v, 'f', decimals, 64))
}

func trimZeros(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Steps of an axis of time in seconds, from one to two weeks.
var clockSteps = []float64{
	1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200,
	86400, 2 * 86400, 7 * 86400, 14 * 86400,
}

// timeTicks are about so many ticks of an axis of x.
func timeTicks(x span, axis Axis, about float64) []tick {
	atLeast := x.length() / about
	step := decimalStep(atLeast)
	if i := slices.IndexFunc(clockSteps, func(s float64) bool { return s >= atLeast }); i >= 0 && atLeast > 0.5 {
		step = clockSteps[i]
	} else if i < 0 {
		step = 86400 * decimalStep(atLeast/86400)
	}
	return multiples(x, step, func(v float64) string {
		if axis == Unix {
			return formatUnix(v, step)
		}
		return formatElapsed(v, step)
	})
}

// formatElapsed writes minutes and seconds, hours before them where there are any, and days.
func formatElapsed(v, step float64) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	decimals := 0
	if step < 1 {
		decimals = min(int(math.Ceil(-math.Log10(step)-1e-9)), 6)
	}
	unit := math.Pow(10, float64(decimals))
	whole, part := math.Modf(math.Round(v*unit) / unit)
	n := int64(whole)
	days, hours, minutes, seconds := n/86400, n/3600%24, n/60%60, n%60
	fraction := strings.TrimPrefix(strconv.FormatFloat(part, 'f', decimals, 64), "0")
	switch {
	case days > 0 && step >= 86400:
		return fmt.Sprintf("%s%dd", sign, days)
	case days > 0:
		return fmt.Sprintf("%s%dd %d:%02d:%02d%s", sign, days, hours, minutes, seconds, fraction)
	case hours > 0:
		return fmt.Sprintf("%s%d:%02d:%02d%s", sign, hours, minutes, seconds, fraction)
	default:
		return fmt.Sprintf("%s%d:%02d%s", sign, minutes, seconds, fraction)
	}
}

// formatUnix writes the time of the day, or the day where one begins.
func formatUnix(v, step float64) string {
	whole, part := math.Modf(v)
	t := time.Unix(int64(whole), int64(math.Round(part*1e9))).UTC()
	midnight := t.Equal(t.Truncate(24 * time.Hour))
	switch {
	case step >= 366*86400:
		return t.Format("2006")
	case step >= 28*86400:
		return t.Format("Jan 2006")
	case step >= 86400 || midnight:
		return t.Format("2 Jan")
	case step >= 60:
		return t.Format("15:04")
	case step >= 1:
		return t.Format("15:04:05")
	default:
		return t.Format("15:04:05.000")
	}
}
