package main

import (
	"encoding/csv"
	"io"
	"math"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/infscale/infscale/recommender/score"
	"github.com/infscale/infscale/recommender/sim"
)

// A simulation is a comparison with its outcome, ready to be shown.
type simulation struct {
	cmd    *SimulateCmd
	plan   *score.Comparison
	report *score.Report
	watch  *recorder
}

// write shows the result in the format asked for, and draws it.
func (c *SimulateCmd) write(k *kong.Context, p *score.Comparison, r *score.Report, watch *recorder) error {
	s := &simulation{cmd: c, plan: p, report: r, watch: watch}
	if c.Plot != "" {
		if err := s.plot(c.Plot); err != nil {
			return err
		}
	}
	switch c.Output {
	case "json":
		return printJSON(k.Stdout, s.document())
	case "csv":
		return s.csv(k.Stdout)
	}
	if c.Timeline {
		if err := s.timeline(k.Stdout); err != nil {
			return err
		}
	}
	return s.table(k.Stdout)
}

// name is that of the policy of an outcome.
func (s *simulation) name(o *score.Outcome) string { return s.plan.Candidates[o.Candidate].Name }

// floor is what no policy can beat on the seed of an outcome; nil if it was left out.
func (s *simulation) floor(seed int) *score.Floor { return s.report.Floor(seed) }

// gpuHours and cost are those of the replicas of an outcome.
func (s *simulation) gpuHours(o *score.Outcome) float64 {
	return o.ReplicaSeconds / 3600 * float64(max(s.plan.Run.Replica.GPUs, 1))
}

func (s *simulation) cost(o *score.Outcome) float64 { return s.gpuHours(o) * s.cmd.GPUPrice }

// overFloor is the cost as a ratio to that of the clairvoyant, NaN if unknown.
func (s *simulation) overFloor(o *score.Outcome) float64 {
	f := s.floor(o.Seed)
	if f == nil || f.Clairvoyant.ReplicaMinutes < 0.1 {
		return math.NaN()
	}
	return o.ReplicaMinutes() / f.Clairvoyant.ReplicaMinutes
}

// A simulationReport is the result as JSON, in base units.
type simulationReport struct {
	Trace     traceReport     `json:"trace"`
	Results   []outcomeReport `json:"results"`
	Summaries []summaryReport `json:"summaries,omitempty"`
	// The floors of the first seed, once more, for those who look for them here.
	Clairvoyant *float64 `json:"clairvoyant_replica_minutes"`
	CausalMiss  *float64 `json:"causal_miss_ratio"`
}

type traceReport struct {
	Trace          string        `json:"trace"`
	HorizonSeconds float64       `json:"horizon_seconds,omitempty"`
	SLOTTFTSeconds float64       `json:"slo_ttft_seconds"`
	StepSeconds    float64       `json:"step_seconds,omitempty"`
	Floors         []floorReport `json:"floors,omitempty"`
}

// A floorReport is what no policy can beat on one seed.
type floorReport struct {
	Seed                 uint64   `json:"seed"`
	ReplicaMinutes       *float64 `json:"clairvoyant_replica_minutes"`
	LeastReplicaMinutes  *float64 `json:"clairvoyant_replica_minutes_lower_bound"`
	ClairvoyantMissRatio *float64 `json:"clairvoyant_miss_ratio"`
	CausalMisses         int      `json:"causal_misses"`
	CausalMissRatio      float64  `json:"causal_miss_ratio"`
}

// An outcomeReport is one policy on one seed.
type outcomeReport struct {
	Policy            string         `json:"policy"`
	Seed              uint64         `json:"seed"`
	Requests          int            `json:"requests"`
	Misses            int            `json:"slo_misses"`
	MissRatio         float64        `json:"slo_miss_ratio"`
	Unavoidable       *int           `json:"slo_misses_unavoidable"`
	Rejected          int            `json:"rejected"`
	Preemptions       int            `json:"preemptions"`
	Served            int            `json:"served"`
	TTFT              quantileReport `json:"ttft_seconds"`
	ITLp95            *float64       `json:"itl_p95_seconds"`
	ReplicaMinutes    float64        `json:"replica_minutes"`
	OverFloor         *float64       `json:"replica_minutes_over_clairvoyant"`
	Peak              int            `json:"peak_replicas"`
	Events            int            `json:"scale_events"`
	Flaps             int            `json:"flaps"`
	GPUHours          float64        `json:"gpu_hours"`
	Cost              float64        `json:"cost"`
	MeanInFlight      float64        `json:"mean_in_flight"`
	Seconds           float64        `json:"simulated_seconds"`
	ClairvoyantMinute *float64       `json:"clairvoyant_replica_minutes"`
	CausalMissRatio   *float64       `json:"causal_miss_ratio"`
	Timeline          []tickReport   `json:"timeline,omitempty"`
}

type quantileReport struct {
	P50 *float64 `json:"p50"`
	P95 *float64 `json:"p95"`
	P99 *float64 `json:"p99"`
}

// finite returns v for JSON, which has no NaN.
func finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// document is the whole result.
func (s *simulation) document() simulationReport {
	d := simulationReport{
		Trace: traceReport{
			Trace: s.cmd.Trace, HorizonSeconds: s.plan.Run.Horizon.Seconds(),
			SLOTTFTSeconds: s.plan.Run.TTFT.Seconds(), StepSeconds: s.plan.Run.Step.Seconds(),
		},
		Results: make([]outcomeReport, len(s.report.Outcomes)),
	}
	for i := range s.report.Floors {
		d.Trace.Floors = append(d.Trace.Floors, newFloorReport(s.plan.Seeds[i], &s.report.Floors[i]))
	}
	if len(d.Trace.Floors) > 0 {
		d.Clairvoyant, d.CausalMiss = d.Trace.Floors[0].ReplicaMinutes, &d.Trace.Floors[0].CausalMissRatio
	}
	for i := range s.report.Outcomes {
		d.Results[i] = s.outcome(&s.report.Outcomes[i])
	}
	if len(s.plan.Seeds) > 1 {
		d.Summaries = s.summaries()
	}
	return d
}

func newFloorReport(seed uint64, f *score.Floor) floorReport {
	return floorReport{
		Seed:           seed,
		ReplicaMinutes: finite(f.Clairvoyant.ReplicaMinutes), LeastReplicaMinutes: finite(f.Clairvoyant.LowerBound),
		ClairvoyantMissRatio: finite(f.Clairvoyant.MissRatio),
		CausalMisses:         f.Causal.Misses, CausalMissRatio: f.Causal.MissRatio,
	}
}

// outcome renders one policy on one seed.
func (s *simulation) outcome(o *score.Outcome) outcomeReport {
	r := outcomeReport{
		Policy: s.name(o), Seed: s.plan.Seeds[o.Seed],
		Requests: o.Requests, Misses: o.Misses, MissRatio: o.MissRatio(), Rejected: o.Rejected,
		Preemptions: o.Preemptions, Served: o.Served,
		TTFT:   quantileReport{finite(o.TTFT.P50), finite(o.TTFT.P95), finite(o.TTFT.P99)},
		ITLp95: finite(o.ITLp95), ReplicaMinutes: o.ReplicaMinutes(), OverFloor: finite(s.overFloor(o)),
		Peak: o.Peak, Events: o.Events, Flaps: o.Flaps, GPUHours: s.gpuHours(o), Cost: s.cost(o),
		Seconds: o.Seconds,
	}
	if o.Seconds > 0 {
		r.MeanInFlight = o.InFlightSeconds / o.Seconds
	}
	if f := s.floor(o.Seed); f != nil {
		r.Unavoidable = &o.Unavoidable
		r.ClairvoyantMinute, r.CausalMissRatio = finite(f.Clairvoyant.ReplicaMinutes), &f.Causal.MissRatio
	}
	if s.cmd.Timeline && o.Seed == 0 {
		r.Timeline = newTickReports(s.watch.ticks[o.Candidate])
	}
	return r
}

// A summaryReport is one policy over all seeds.
type summaryReport struct {
	Policy         string      `json:"policy"`
	MissRatio      statsReport `json:"slo_miss_ratio"`
	TTFTp95        statsReport `json:"ttft_p95_seconds"`
	ReplicaMinutes statsReport `json:"replica_minutes"`
	Events         statsReport `json:"scale_events"`
	Peak           statsReport `json:"peak_replicas"`
	// Against the first policy, paired by seed.
	MissDifference *statsReport `json:"slo_miss_ratio_difference,omitempty"`
	CostDifference *statsReport `json:"replica_minutes_difference,omitempty"`
}

// A statsReport is a quantity over seeds. Low and High are the 95 % interval of the mean.
type statsReport struct {
	Mean   *float64 `json:"mean"`
	Low    *float64 `json:"low"`
	High   *float64 `json:"high"`
	Median *float64 `json:"median"`
	Min    *float64 `json:"min"`
	Max    *float64 `json:"max"`
}

func newStatsReport(s score.Summary) statsReport {
	return statsReport{
		finite(s.Mean), finite(s.Mean - s.Half), finite(s.Mean + s.Half),
		finite(s.Median), finite(s.Min), finite(s.Max),
	}
}

// over returns a quantity of a policy, seed by seed.
func (s *simulation) over(candidate int, of func(*score.Outcome) float64) []float64 {
	var values []float64
	for i := range s.report.Outcomes {
		if o := &s.report.Outcomes[i]; o.Candidate == candidate {
			values = append(values, of(o))
		}
	}
	return values
}

func missRatio(o *score.Outcome) float64      { return o.MissRatio() }
func replicaMinutes(o *score.Outcome) float64 { return o.ReplicaMinutes() }
func ttftP95(o *score.Outcome) float64        { return o.TTFT.P95 }
func scaleEvents(o *score.Outcome) float64    { return float64(o.Events) }
func peakReplicas(o *score.Outcome) float64   { return float64(o.Peak) }

// summaries are the policies over all seeds.
func (s *simulation) summaries() []summaryReport {
	list := make([]summaryReport, len(s.plan.Candidates))
	for i := range list {
		stats := func(of func(*score.Outcome) float64) statsReport {
			return newStatsReport(score.Summarise(s.over(i, of)))
		}
		list[i] = summaryReport{
			Policy: s.plan.Candidates[i].Name, MissRatio: stats(missRatio), TTFTp95: stats(ttftP95),
			ReplicaMinutes: stats(replicaMinutes), Events: stats(scaleEvents), Peak: stats(peakReplicas),
		}
		if i > 0 {
			list[i].MissDifference = new(newStatsReport(score.Paired(s.over(0, missRatio), s.over(i, missRatio))))
			list[i].CostDifference = new(newStatsReport(score.Paired(s.over(0, replicaMinutes), s.over(i, replicaMinutes))))
		}
	}
	return list
}

// csv writes one row for each policy and seed. What is unknown is empty.
func (s *simulation) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{
		"policy", "seed", "requests", "slo_misses", "slo_miss_ratio", "slo_misses_unavoidable", "rejected",
		"ttft_p50_seconds", "ttft_p95_seconds", "ttft_p99_seconds", "itl_p95_seconds",
		"replica_minutes", "replica_minutes_over_clairvoyant", "peak_replicas", "scale_events", "flaps", "gpu_hours", "cost",
		"clairvoyant_replica_minutes", "causal_miss_ratio",
	}); err != nil {
		return err
	}
	for i := range s.report.Outcomes {
		if err := out.Write(s.record(&s.report.Outcomes[i])); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// record is one row.
func (s *simulation) record(o *score.Outcome) []string {
	r := s.outcome(o)
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	unavoidable := ""
	if r.Unavoidable != nil {
		unavoidable = strconv.Itoa(*r.Unavoidable)
	}
	return []string{
		r.Policy, strconv.FormatUint(r.Seed, 10), strconv.Itoa(r.Requests), strconv.Itoa(r.Misses), number(&r.MissRatio),
		unavoidable, strconv.Itoa(r.Rejected),
		number(r.TTFT.P50), number(r.TTFT.P95), number(r.TTFT.P99), number(r.ITLp95),
		number(&r.ReplicaMinutes), number(r.OverFloor), strconv.Itoa(r.Peak), strconv.Itoa(r.Events), strconv.Itoa(r.Flaps),
		number(&r.GPUHours), number(&r.Cost), number(r.ClairvoyantMinute), number(r.CausalMissRatio),
	}
}

// A tickReport is one decision as JSON.
type tickReport struct {
	Time     float64 `json:"time_seconds"`
	Arrived  float64 `json:"arrived"`
	Running  float64 `json:"running"`
	Waiting  float64 `json:"waiting"`
	Held     float64 `json:"held"`
	Ready    int     `json:"ready_replicas"`
	Starting int     `json:"starting_replicas"`
	Draining int     `json:"draining_replicas"`
	Pending  int     `json:"pending_replicas"`
	Current  int     `json:"current"`
	Desired  int     `json:"desired"`
	Reason   string  `json:"reason"`
}

func newTickReports(ticks []sim.Tick) []tickReport {
	list := make([]tickReport, len(ticks))
	for i := range ticks {
		t := &ticks[i]
		list[i] = tickReport{
			t.At, t.Arrived, t.Running, t.Waiting, t.Held, t.Ready, t.Starting, t.Draining, t.Pending,
			t.Current, t.Desired, string(t.Decision.Reason),
		}
	}
	return list
}
