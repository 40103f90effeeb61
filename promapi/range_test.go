package promapi

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

func TestTheMoreRowsTheFewerTicksAtOnce(t *testing.T) {
	workloads := make([]Workload, 1000)
	for i := range workloads {
		workloads[i] = chat()
	}
	for name, c := range map[string]struct {
		workloads, rows, want int
		step                  time.Duration
	}{
		"one workload, before anything was read":        {1, 0, 60, 15 * time.Second},
		"a thousand, before anything was read":          {1000, 0, chunkPoints / (1000 * rowsGuessed), 15 * time.Second},
		"ten thousand pods":                             {1000, 100_000, chunkPoints / 100_000, 15 * time.Second},
		"more rows than fit":                            {1000, chunkPoints + 1, 1, 15 * time.Second},
		"a step longer than the span of a single query": {1, 1, 1, time.Hour},
	} {
		r, err := NewReader(nil, workloads[:c.workloads], Options{})
		if err != nil {
			t.Fatal(err)
		}
		r.rows = c.rows
		if got := r.perChunk(c.step); got != c.want {
			t.Errorf("%s: got %d ticks a query, want %d", name, got, c.want)
		}
	}
}

func TestTicksCanBeReadInPart(t *testing.T) {
	series := append(kubeSeries("chat", 1, chatPod(0)), queueOf(chatPod(0), "0+1x80", "0x80")...)
	l := newLab(t, series...)
	r := l.reader(t, Options{}, chat())
	counter := &tallied{Querier: l.client, texts: map[string]int{}}
	r.querier, r.rows = counter, chunkPoints/2 // two ticks a query
	n := 0
	for tick, err := range r.Ticks(t.Context(), epoch.Add(4*time.Minute), epoch.Add(10*time.Minute), scrapeEvery) {
		if err != nil {
			t.Fatal(err)
		}
		known(t, "running", tick.Observations[0].Running, float64(16+n))
		if n++; n == 5 {
			break
		}
	}
	// The rows are few, as the first two ticks show: from then on all fit into one query.
	if got := counter.texts[r.plan.Queries[0].Text]; got != 2 {
		t.Errorf("got %d questions for 5 ticks, want 2", got)
	}
	r.rows = 0
	all, err := r.ObserveRange(t.Context(), epoch.Add(4*time.Minute), epoch.Add(10*time.Minute), scrapeEvery)
	if err != nil || len(all) != 25 {
		t.Errorf("got %d ticks, %v, want 25", len(all), err)
	}
}

// A weak querier answers for a few ticks at a time only.
type weak struct {
	Querier
	most int
	// asked are the ticks of each question for gauges.
	asked []int
	gauge string
}

func (w *weak) QueryRange(ctx context.Context, query string, start, end time.Time, step time.Duration) (Result, error) {
	n := int(end.Sub(start)/step) + 1
	if query == w.gauge {
		w.asked = append(w.asked, n)
		if n > w.most {
			return Result{}, &QueryError{Query: query, Cause: CauseTimeout, Err: context.DeadlineExceeded}
		}
	}
	return w.Querier.QueryRange(ctx, query, start, end, step)
}

func TestWhatIsTooMuchAtOnceIsAskedForInHalves(t *testing.T) {
	series := append(kubeSeries("chat", 1, chatPod(0)), queueOf(chatPod(0), "0+1x80", "0x80")...)
	l := newLab(t, series...)
	r := l.reader(t, Options{}, chat())
	for most, want := range map[int][]int{8: {25, 12, 6, 6, 6, 6, 1}, 0: nil} {
		w := &weak{Querier: l.client, most: most, gauge: r.plan.Queries[0].Text}
		r.querier = w
		ticks, err := r.ObserveRange(t.Context(), epoch.Add(4*time.Minute), epoch.Add(10*time.Minute), scrapeEvery)
		if err != nil || len(ticks) != 25 {
			t.Fatalf("got %d ticks, %v, want 25", len(ticks), err)
		}
		if most == 0 {
			// Nothing helps: it is halved down to one, and goes on so.
			if lacks(t, "running", ticks[24].Observations[0].Running, recommender.Failed); len(w.asked) != 4+25 {
				t.Errorf("got %d questions, want 4 halves and one for each tick", len(w.asked))
			}
			continue
		}
		if known(t, "running", ticks[24].Observations[0].Running, 40); !slices.Equal(w.asked, want) {
			t.Errorf("asked for %v ticks, want %v", w.asked, want)
		}
	}
}

func TestSumsDoNotDependOnTheOrderOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		values := make([]float64, 2+rng.IntN(40))
		var want tally
		for i := range values {
			values[i] = rng.Float64() * math.Pow(10, float64(rng.IntN(9)-4))
			want.add(values[i])
		}
		for range 20 {
			rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
			var got, part tally
			for _, v := range values[:len(values)/2] {
				part.add(v)
			}
			for _, v := range values[len(values)/2:] {
				got.add(v)
			}
			if got.plus(part); got.sum != want.sum || got.rows != want.rows {
				t.Fatalf("got %v of %d rows in another order, want %v of %d", got.sum, got.rows, want.sum, want.rows)
			}
		}
	}
}

func TestRecommendedIsWhatTheLargerTwinExported(t *testing.T) {
	l := newLab(t,
		`infscale_desired_replicas{workload_namespace="ns",workload="chat",instance="a",cluster="x"} 3x40`,
		`infscale_desired_replicas{workload_namespace="ns",workload="chat",instance="b",cluster="x"} 5x40`,
		`infscale_desired_replicas{workload_namespace="ns",workload="chat",instance="c",cluster="y"} 9x40`,
		`infscale_desired_replicas{workload_namespace="ns",workload="gone",instance="a",cluster="x"} 7x8 stale`,
		`infscale_desired_replicas{workload_namespace="ns",workload="broken",instance="a",cluster="x"} NaN NaN NaN NaN NaN NaN NaN NaN NaN NaN`)
	var workloads []Workload
	for _, name := range []string{"chat", "gone", "never", "broken"} {
		w := chat()
		w.Name = name
		workloads = append(workloads, w)
	}
	r := l.reader(t, Options{Matchers: `cluster="x"`, QueryOffset: 5 * time.Second}, workloads...)
	at := func(after time.Duration) []recommender.Quantity {
		t.Helper()
		list, err := r.Recommended(t.Context(), epoch.Add(after))
		if err != nil || len(list) != len(workloads) {
			t.Fatalf("got %d quantities, %v, want %d", len(list), err, len(workloads))
		}
		return list
	}
	early := at(2 * time.Minute)
	known(t, "chat", early[0], 5)
	known(t, "gone", early[1], 7)
	lacks(t, "never", early[2], recommender.Absent)
	lacks(t, "broken", early[3], recommender.Invalid)
	late := at(5 * time.Minute)
	known(t, "chat", late[0], 5)
	lacks(t, "gone", late[1], recommender.Absent)
	r.querier = failing{l.client, func(string) bool { return true }}
	if _, err := r.Recommended(t.Context(), epoch); err == nil {
		t.Error("got no error of a query that failed")
	}
}
