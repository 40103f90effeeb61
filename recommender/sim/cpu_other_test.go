//go:build !unix

package sim

import "time"

// cpuSeconds is the time on the wall, which on an idle machine is near the CPU time.
func cpuSeconds() float64 { return float64(time.Now().UnixNano()) / 1e9 }
