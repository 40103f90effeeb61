package promapi

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/infscale/infscale/recommender"
)

func TestTheLastPodOfANamespaceIsGone(t *testing.T) {
	const gone = "x20 stale _x50" // The last sample is at 5:00.
	series := []string{
		`kube_deployment_spec_replicas{namespace="ns",deployment="chat"} 1x20 0x60`,
		`kube_deployment_status_replicas_ready{namespace="ns",deployment="chat"} 1x20 0x60`,
		`kube_pod_owner{namespace="ns",pod="` + chatPod(0) + `",owner_kind="ReplicaSet",owner_name="chat-6f5d9c7b9d",owner_is_controller="true"} 1` + gone,
		`kube_pod_status_ready{namespace="ns",pod="` + chatPod(0) + `",condition="true"} 1` + gone,
	}
	series = append(series, queueOf(chatPod(0), "6"+gone, "0"+gone)...)
	elsewhere := `kube_pod_owner{namespace="kube-system",pod="x-0",owner_kind="StatefulSet",owner_name="x",owner_is_controller="true"} 1x80`
	at := 5*time.Minute + scrapeEvery
	o, _ := newLab(t, append(series, elsewhere)...).observe(t, at, Options{}, chat())
	known(t, "current", o.Current, 0)
	lacks(t, "running", o.Running, recommender.Absent)
	lacks(t, "tokens", o.OutputTokens, recommender.Absent)
	known(t, "reporting", o.Reporting, 0)

	// A list that may lack pods, and one that nobody exports, do not say so.
	l := newLab(t, append(series, elsewhere)...)
	r := l.reader(t, Options{}, chat())
	r.querier = faulty{Querier: l.client, hit: r.family(FamilyPods), warn: "a store is missing"}
	partial, _ := r.Observe(t.Context(), epoch.Add(at))
	atLeastIs(t, "running, of a partial list", partial[0].Running, 6)
	o, _ = newLab(t, series...).observe(t, at, Options{}, chat())
	known(t, "running, without a list", o.Running, 6)
}

func TestOfReplicasOfWhichOneSaysNonsenseTheOthersAreALowerBound(t *testing.T) {
	for name, levels := range map[string][2]string{
		"negative":     {"-5x80", "9x80"},
		"not a number": {strings.Repeat("NaN ", 40), "9x80"},
		"infinite":     {"9x80", strings.Repeat("Inf ", 40)},
	} {
		t.Run(name, func(t *testing.T) {
			series := kubeSeries("chat", 2, chatPod(0), chatPod(1))
			for i, level := range levels {
				series = append(series, queueOf(chatPod(i), level, "1x80")...)
				series = append(series, fmt.Sprintf(`vllm:kv_cache_usage_perc{namespace="ns",pod=%q} %s`, chatPod(i), strings.ReplaceAll(level, "9x80", "0.9x80")))
			}
			o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, chat())
			atLeastIs(t, "running", o.Running, 9)
			known(t, "cache of the one that was heard in full", o.KVCacheUsage, 0.9)
			known(t, "waiting", o.Waiting, 2)
			known(t, "reporting", o.Reporting, 1)
			queue := recommender.Signal{Metric: recommender.Queue, Target: 1}
			for _, metric := range []recommender.Metric{recommender.Queue, recommender.KVCacheUsage} {
				queue.Metric = metric
				if q := o.Quantity(&recommender.Policy{}, &queue); !q.LowerBound {
					t.Errorf("%s: got %s, want a lower bound", metric, show(q))
				}
			}
		})
	}
}

func TestNonsenseInOneInstanceOfAPod(t *testing.T) {
	series := kubeSeries("chat", 1, chatPod(0))
	for port, level := range map[int]string{8000: "-5x80", 8001: "9x80"} {
		series = append(series, fmt.Sprintf(`vllm:num_requests_running{namespace="ns",pod=%q,instance="10.0.0.1:%d"} %s`, chatPod(0), port, level))
	}
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, chat())
	lacks(t, "running", o.Running, recommender.Invalid)
}

func TestNonsenseOfCountersIsInvalid(t *testing.T) {
	nan := strings.Repeat("NaN ", 40)
	series := kubeSeries("chat", 2, chatPod(0), chatPod(1))
	for i, level := range []string{"0+15x80", nan} {
		pod := chatPod(i)
		series = append(series, queueOf(pod, "1x80", "0x80")...)
		series = append(series,
			fmt.Sprintf(`vllm:generation_tokens_total{namespace="ns",pod=%q} %s`, pod, level),
			fmt.Sprintf(`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod=%q,le="1"} %s`, pod, level),
			fmt.Sprintf(`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod=%q,le="+Inf"} %s`, pod, level),
			fmt.Sprintf(`container_cpu_usage_seconds_total{namespace="ns",pod=%q,container="vllm"} 0+15x80`, pod),
			fmt.Sprintf(`kube_pod_container_resource_requests{namespace="ns",pod=%q,container="vllm",resource="cpu"} %s`, pod, level))
	}
	w := chat(recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.5}, recommender.Signal{Metric: recommender.CPU, Target: 50})
	w.Policy.SLO = recommender.SLO{TTFT: time.Second, Objective: 0.9}
	o, _ := newLab(t, series...).observe(t, 5*time.Minute, Options{}, w)
	lacks(t, "tokens", o.OutputTokens, recommender.Invalid)
	lacks(t, "ttft", o.TTFT[0].Quantity, recommender.Invalid)
	lacks(t, "miss", o.SLOMiss, recommender.Invalid)
	lacks(t, "cpu", o.CPU, recommender.Invalid)
}

// sharedGroup are a Deployment and a StatefulSet with pods whose names differ only in
// what is taken for a random suffix.
func sharedGroup() (workloads []Workload, kube, engine []string) {
	const set = "chat-6f5d9c7b9d"
	signal := recommender.Signal{Metric: recommender.TTFT, Target: 2, Percentile: 0.5}
	workloads = []Workload{chat(signal), chat(signal)}
	workloads[1].Name, workloads[1].Kind = set, StatefulSet
	kube = append(kubeSeries("chat", 1, chatPod(0)), owned(set+"-0", "StatefulSet", set, 1)...)
	for _, pod := range []string{chatPod(0), set + "-0"} {
		engine = append(engine, queueOf(pod, "3x80", "1x80")...)
		engine = append(engine,
			fmt.Sprintf(`vllm:generation_tokens_total{namespace="ns",pod=%q} 0+150x80`, pod),
			fmt.Sprintf(`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod=%q,le="1"} 0+10x80`, pod),
			fmt.Sprintf(`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod=%q,le="+Inf"} 0+10x80`, pod))
	}
	return workloads, kube, engine
}

func TestASharedGroupHasNoRates(t *testing.T) {
	workloads, kube, engine := sharedGroup()
	for name, series := range map[string][]string{"by owner": append(kube, engine...), "by name": engine} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, series...)
			observations, _ := l.reader(t, Options{}, workloads...).Observe(t.Context(), epoch.Add(5*time.Minute))
			for i := range observations {
				o := &observations[i]
				known(t, "running", o.Running, 3)
				lacks(t, "tokens", o.OutputTokens, recommender.Absent)
				lacks(t, "completions", o.Completions, recommender.Absent)
				lacks(t, "arrivals", o.Arrivals, recommender.Absent)
				lacks(t, "ttft", o.TTFT[0].Quantity, recommender.Absent)
			}
		})
	}
}

func TestRatesBesideASharedGroupAreLowerBounds(t *testing.T) {
	workloads, kube, engine := sharedGroup()
	const pod = "chat-54c8b9fd66-abcde" // of another ReplicaSet, during a rollout
	kube = append(kube, owned(pod, "ReplicaSet", "chat-54c8b9fd66", 1)...)
	engine = append(engine, queueOf(pod, "3x80", "1x80")...)
	engine = append(engine,
		`vllm:generation_tokens_total{namespace="ns",pod="`+pod+`"} 0+30x80`,
		`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod="`+pod+`",le="2"} 0+10x80`,
		`vllm:time_to_first_token_seconds_bucket{namespace="ns",pod="`+pod+`",le="+Inf"} 0+10x80`)
	observations, _ := newLab(t, append(kube, engine...)...).reader(t, Options{}, workloads...).Observe(t.Context(), epoch.Add(5*time.Minute))
	known(t, "running", observations[0].Running, 6)
	atLeastIs(t, "tokens", observations[0].OutputTokens, 2)
	atLeastIs(t, "ttft", observations[0].TTFT[0].Quantity, 1)
}

func TestWorkersAreNoGroupsOfTheirOwn(t *testing.T) {
	var series []string
	for group := range 2 {
		for _, pod := range []string{fmt.Sprintf("chat-%d", group), fmt.Sprintf("chat-%d-1", group), fmt.Sprintf("chat-%d-2", group)} {
			series = append(series,
				fmt.Sprintf(`vllm:num_requests_running{namespace="ns",pod=%q} 5x80`, pod),
				fmt.Sprintf(`vllm:generation_tokens_total{namespace="ns",pod=%q} 0+15x80`, pod))
		}
	}
	series = append(series, `kube_statefulset_replicas{namespace="ns",statefulset="chat"} 2x80`, `kube_statefulset_replicas{namespace="ns",statefulset="chat-0"} 2x80`)
	w := chat()
	w.Kind = LeaderWorkerSet
	o, _ := newLab(t, nothingWaits(series...)...).observe(t, 5*time.Minute, Options{}, w)
	known(t, "current", o.Current, 2)
	known(t, "running, of two leaders", o.Running, 10)
	known(t, "tokens, of two leaders", o.OutputTokens, 2)
	known(t, "reporting", o.Reporting, 2)
}

// A tallied querier counts the requests of every family.
type tallied struct {
	Querier
	mu    sync.Mutex
	texts map[string]int
}

func (c *tallied) count(query string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.texts[query]++
}

func (c *tallied) Query(ctx context.Context, query string, at time.Time) (Result, error) {
	c.count(query)
	return c.Querier.Query(ctx, query, at)
}

func (c *tallied) QueryRange(ctx context.Context, query string, start, end time.Time, step time.Duration) (Result, error) {
	c.count(query)
	return c.Querier.QueryRange(ctx, query, start, end, step)
}

// failing refuses some queries.
type failing struct {
	Querier
	hit func(query string) bool
}

func (f failing) Query(ctx context.Context, query string, at time.Time) (Result, error) {
	if f.hit(query) {
		return Result{}, &QueryError{Query: query, Cause: CauseTimeout, Err: context.DeadlineExceeded}
	}
	return f.Querier.Query(ctx, query, at)
}

func (f failing) QueryRange(ctx context.Context, query string, start, end time.Time, step time.Duration) (Result, error) {
	if f.hit(query) {
		return Result{}, &QueryError{Query: query, Cause: CauseTimeout, Err: context.DeadlineExceeded}
	}
	return f.Querier.QueryRange(ctx, query, start, end, step)
}

func TestARangeAsksFewQuestions(t *testing.T) {
	// One workload has no rates yet, the other is never heard: every occasional query is asked.
	series := append(kubeSeries("chat", 1, chatPod(0)), queueOf(chatPod(0), "1x200", "0x200")...)
	series = append(series, `kube_deployment_spec_replicas{namespace="ns",deployment="other"} 1x200`)
	l := newLab(t, series...)
	other := chat()
	other.Name = "other"
	for name, c := range map[string]struct {
		fails bool
		most  map[Family]int
	}{
		// Three chunks of 15 minutes; cold starts every 5 minutes, what was ever heard every 10.
		"answered": {false, map[Family]int{FamilyColdStart: 10, FamilyEver: 5, FamilyInFlight: 1, FamilySeries: 3}},
		"refused":  {true, map[Family]int{FamilyColdStart: 1, FamilyEver: 1, FamilyInFlight: 1, FamilySeries: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			r := l.reader(t, Options{}, chat(), other)
			counter := &tallied{Querier: l.client, texts: map[string]int{}}
			if c.fails {
				counter.Querier = failing{l.client, func(query string) bool {
					return r.family(FamilyColdStart)(query) || r.family(FamilyEver)(query) || r.family(FamilyInFlight)(query) || r.family(FamilySeries)(query)
				}}
			}
			r.querier = counter
			ticks, err := r.ObserveRange(t.Context(), epoch.Add(time.Minute), epoch.Add(46*time.Minute-scrapeEvery), scrapeEvery)
			if err != nil || len(ticks) != 180 {
				t.Fatalf("got %d ticks and %v, want 180", len(ticks), err)
			}
			for _, q := range r.plan.Queries {
				if got := counter.texts[q.Text]; got != 3 {
					t.Errorf("%s: got %d questions, want one for each of 3 chunks", q.Family, got)
				}
			}
			for _, q := range r.plan.Occasional {
				if got, most := counter.texts[q.Text], c.most[q.Family]; got < 1 || got > most {
					t.Errorf("%s: got %d questions, want 1 to %d", q.Family, got, most)
				}
			}
			last := &ticks[len(ticks)-1].Observations[0]
			if known(t, "running", last.Running, 1); last.OutputTokens.Known() == c.fails {
				t.Errorf("tokens: got %s, want known %t", show(last.OutputTokens), !c.fails)
			}
		})
	}
}
