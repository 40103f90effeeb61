package trace_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/infscale/infscale/recommender/trace"
)

func Example() {
	tr, err := trace.Parse("steps:0=3,180=30,360=0,end=600,prompt=lognormal:1000:1.5")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := trace.Window(trace.Scale(tr, 0.5), 180, 180.4).Open(1)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = r.Close() }()
	for {
		q, err := r.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.3f s: %d tokens in, %d out\n", q.At, q.Prompt, q.Output)
	}
	// Output:
	// 0.031 s: 2115 tokens in, 275 out
	// 0.059 s: 700 tokens in, 160 out
	// 0.071 s: 1279 tokens in, 185 out
	// 0.107 s: 849 tokens in, 129 out
	// 0.313 s: 1019 tokens in, 296 out
}

func ExampleNewCSV() {
	input := strings.NewReader("timestamp_s,prompt_tokens,output_tokens\n0.5,374,44\n0.25,396,109\n")
	r := trace.NewCSV("standard input", input)
	for {
		q, err := r.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(q)
	}
	// Output:
	// {0.5 374 44 0}
	// standard input:3: timestamp_s must not be before 0.5 of the line above, got "0.25"
}

func ExampleParse() {
	_, err := trace.Parse("gamma:rate=10,vc=3,end=10m")
	fmt.Println(err)
	// Output: trace "gamma:rate=10,vc=3,end=10m": unknown key "vc", must be one of rate, cv, end, prompt, output
}

func ExampleGenerator() {
	bursts := trace.Generator{
		Rate:     trace.Constant(10),
		Arrivals: trace.Gamma(3),
		Prompt:   trace.LogNormal(1000, 1.5).AtMost(8192),
		Output:   trace.Uniform(100, 300),
		End:      600,
	}
	for seed := range uint64(3) {
		s, err := trace.ReadAll(bursts, seed)
		fmt.Println(len(s), err)
	}
	// Output:
	// 6095 <nil>
	// 6287 <nil>
	// 5858 <nil>
}
