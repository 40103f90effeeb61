package trace_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/infscale/infscale/recommender/trace"
)

// Whatever a file holds, reading it ends, and what is read is valid and in order.
func FuzzCSV(f *testing.F) {
	f.Add([]byte(header + "0.5,10,20\n1e1,3,4\n"))
	f.Add([]byte("output_tokens,shared_prefix_tokens,timestamp_s,prompt_tokens\r\n1,2,3,4\r\n\r\n"))
	f.Add([]byte(compressed(f, header+"0,1,1\n")))
	packed, err := os.ReadFile(filepath.Join("testdata", "mooncake-fast25-conversation-prefix.csv.gz"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(packed)
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := readAll(t, trace.NewCSV("x.csv", bytes.NewReader(data)))
		if err == nil && len(got) == 0 || err != nil && !strings.HasPrefix(err.Error(), "x.csv:") {
			t.Errorf("got %d requests and %v, want requests, or an error that names the file", len(got), err)
		}
		last := 0.0
		for _, q := range got {
			if !(q.At >= last && q.At <= 315360000) || !valid(q) {
				t.Fatalf("got %+v after %v, want a valid request not before it", q, last)
			}
			last = q.At
		}
	})
}

func valid(q trace.Request) bool {
	const most = 10_000_000
	return q.Prompt >= 1 && q.Prompt <= most && q.Output >= 1 && q.Output <= most &&
		q.Prefix >= 0 && q.Prefix <= q.Prompt
}
