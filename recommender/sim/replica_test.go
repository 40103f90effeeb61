package sim_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender/sim"
)

func ExampleReplica() {
	r := sim.DefaultReplica()
	fmt.Printf("weights %.1f GB\n", r.WeightBytes()/1e9)
	fmt.Printf("KV cache %.1f GB = %d tokens at %g bytes\n", r.KVFreeBytes()/1e9, r.KVCapacityTokens(), r.KVBytesPerToken())
	fmt.Printf("prefill %.0f tokens/s\n", r.PrefillTokensPerSecond())
	for _, batch := range []float64{1, 64} {
		step := r.DecodeStep(batch * 1000)
		fmt.Printf("batch %g: %.3f ms a step, %.1f tokens/s\n", batch, step*1000, batch/step)
	}
	fmt.Printf("cold start %v\n", r.ColdStart())
	for _, running := range []float64{0, 1, 64} {
		fmt.Printf("CPU with %g running %g%%\n", running, r.CPUPercent(running))
	}
	// Output:
	// weights 16.0 GB
	// KV cache 52.0 GB = 396728 tokens at 131072 bytes
	// prefill 24750 tokens/s
	// batch 1: 6.879 ms a step, 145.4 tokens/s
	// batch 64: 10.400 ms a step, 6153.7 tokens/s
	// cold start 1m31s
	// CPU with 0 running 5%
	// CPU with 1 running 30.25%
	// CPU with 64 running 46%
}

func TestAFullBatchCostsHalfAgainAndDoesSixtyFourTimesTheWork(t *testing.T) {
	r := sim.DefaultReplica()
	if ratio := r.DecodeStep(64_000) / r.DecodeStep(1000); ratio < 1.45 || ratio > 1.55 {
		t.Errorf("got a step of a full batch %.3f times as long as of one request, want 1.45 to 1.55", ratio)
	}
}

func TestFullBatchIsBoundBySlotsOrByTheCache(t *testing.T) {
	r := sim.DefaultReplica()
	for context, want := range map[int]int{
		0:       64,
		1000:    64,
		6198:    64, // 64 x 6198 tokens are 396672
		6200:    63,
		396_728: 1,
		396_729: 0,
	} {
		if got := r.FullBatch(context); got != want {
			t.Errorf("contexts of %d tokens: got %d, want %d", context, got, want)
		}
	}
}

func TestNumbersFollowTheirInputs(t *testing.T) {
	tests := map[string]struct {
		change func(*sim.Replica)
		got    func(*sim.Replica) float64
		want   float64
	}{
		"half the bytes are half the weights": {
			func(r *sim.Replica) { r.BytesPerParameter = 1 },
			func(r *sim.Replica) float64 { return r.WeightBytes() }, 8e9,
		},
		"smaller weights leave more for the cache": {
			func(r *sim.Replica) { r.BytesPerParameter = 1 },
			func(r *sim.Replica) float64 { return r.KVFreeBytes() }, 60e9,
		},
		"a cache in 8 bits takes half": {
			func(r *sim.Replica) { r.KVBytes = 1 },
			func(r *sim.Replica) float64 { return r.KVBytesPerToken() }, 65536,
		},
		"prefill follows the arithmetic and not the bandwidth": {
			func(r *sim.Replica) { r.FLOPS, r.Bandwidth = 2*r.FLOPS, 1 },
			func(r *sim.Replica) float64 { return r.PrefillTokensPerSecond() }, 49500,
		},
		"a decode step follows the bandwidth and not the arithmetic": {
			func(r *sim.Replica) { r.Bandwidth, r.BandwidthEfficiency, r.FLOPS = 16e9, 1, 1 },
			func(r *sim.Replica) float64 { return r.DecodeStep(0) }, 1,
		},
		"a slow disk makes a long cold start": {
			func(r *sim.Replica) { r.LoadRate = 0.5e9 },
			func(r *sim.Replica) float64 { return r.ColdStart().Seconds() }, 45 + 32 + 30,
		},
		"a huge model does not overflow the cold start": {
			func(r *sim.Replica) { r.Parameters, r.ImagePull, r.WarmUp = 1e300, 0, 0 },
			func(r *sim.Replica) float64 { return r.ColdStart().Hours() }, 365 * 24,
		},
		"a model that does not fit has no room": {
			func(r *sim.Replica) { r.Parameters = 70e9 },
			func(r *sim.Replica) float64 { return float64(r.KVCapacityTokens()) }, 0,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := sim.DefaultReplica()
			test.change(&r)
			if got := test.got(&r); math.Abs(got-test.want) > 1e-9*test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestValidateReportsEveryMistake(t *testing.T) {
	tests := map[string]struct {
		change func(*sim.Replica)
		want   []string
	}{
		"the default has none": {func(*sim.Replica) {}, nil},
		"weights that do not fit name both sizes": {
			func(r *sim.Replica) { r.Parameters = 70e9 },
			[]string{"the weights (140 GB) do not fit in 80 GB x 0.9 with 4 GB in reserve"},
		},
		"weights that fit to the byte leave no room for a token": {
			func(r *sim.Replica) { r.Parameters = 34e9 },
			[]string{"the weights (68 GB) do not fit in 80 GB x 0.9 with 4 GB in reserve"},
		},
		"two at once": {
			func(r *sim.Replica) { r.MFU, r.WarmUp = 1.5, -time.Second },
			[]string{"warm-up must not be negative, got -1", "MFU must be at most 1, got 1.5"},
		},
		"numbers that are none": {
			func(r *sim.Replica) { r.FLOPS, r.Bandwidth, r.CPUIdle = math.NaN(), math.Inf(1), math.NaN() },
			[]string{
				"peak arithmetic must be positive, got NaN",
				"bandwidth must be positive, got +Inf",
				"idle CPU must not be negative, got NaN",
			},
		},
		"zeros where there must be something": {
			func(r *sim.Replica) { r.MaxNumSeqs, r.CPURequest = 0, 0 },
			[]string{"largest batch must be positive, got 0", "CPU request must be positive, got 0"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := sim.DefaultReplica()
			test.change(&r)
			got := ""
			if err := r.Validate(); err != nil {
				got = err.Error()
			}
			if want := strings.Join(test.want, "\n"); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
