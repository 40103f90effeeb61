package recommender

// A Metric names what a signal measures.
type Metric string

// The metrics that a signal can use.
const (
	Queue        Metric = "queue"          // running, waiting and held requests
	Waiting      Metric = "waiting"        // waiting and held requests
	Running      Metric = "running"        // requests in the batch
	KVCacheUsage Metric = "kv_cache_usage" // fraction of the KV cache in use
	BatchFill    Metric = "batch_fill"     // running over max_num_seqs
	TTFT         Metric = "ttft"           // seconds to the first token, at a percentile
	CPU          Metric = "cpu"            // percent of the CPU request
	OutputTokens Metric = "output_tokens"  // generated tokens per second
	PromptTokens Metric = "prompt_tokens"  // prompt tokens per second
	Query        Metric = "query"          // any PromQL
)

// Metrics lists every metric in the order of the documentation.
var Metrics = []Metric{Queue, Waiting, Running, KVCacheUsage, BatchFill, TTFT, CPU, OutputTokens, PromptTokens, Query}

// A QueryType says how the number of a query becomes replicas.
type QueryType string

// The types of a query.
const (
	Total QueryType = "total" // replicas = total / target
	Ratio QueryType = "ratio" // replicas = value / target x replicas that reported
)

// MaxSignals is how many signals a workload may have.
const MaxSignals = 8

// A Signal turns one metric into a number of replicas.
type Signal struct {
	Metric Metric
	// Name identifies a query among the signals of its workload.
	Name string
	// Type says how a query is used; other metrics ignore it.
	Type QueryType
	// Target is the value that one replica should carry, in the metric's own unit.
	Target float64
	// Percentile of a latency, between 0 and 1.
	Percentile float64
	// Optional signals may be missing without holding the decision.
	Optional bool
}

// ID is how explanations and the label signal name the signal: the query's name, else the metric.
func (s *Signal) ID() string {
	if s.Metric == Query {
		return s.Name
	}
	return string(s.Metric)
}

// Additive reports whether the signal is a total over replicas, and not a ratio.
func (s *Signal) Additive() bool {
	switch s.Metric {
	case Queue, Waiting, Running, OutputTokens, PromptTokens:
		return true
	case Query:
		return s.Type != Ratio
	default:
		return false
	}
}

// FromPods reports whether the signal is read from the pods themselves, so that it is silent when they are.
func (s *Signal) FromPods() bool { return s.Metric != Query }

// isRate reports whether the signal is the rate of a counter, of which one sample says
// nothing yet. A latency without requests is another matter: there is nothing to know.
func (s *Signal) isRate() bool { return s.Metric == OutputTokens || s.Metric == PromptTokens }

// countsHeld reports whether requests held in front of the pods are part of the signal.
func (s *Signal) countsHeld() bool { return s.Metric == Queue || s.Metric == Waiting }
