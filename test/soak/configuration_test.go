package soak

import "fmt"

// secured is how the daemon reaches the proxy.
const secured = `
  authorization: {credentials_file: token}
  tls_config: {ca_file: ca.pem}`

// configuration is the file of a daemon. What the checker has to know of it stands as
// constants in truth_test.go, and in shapes.
func configuration(url, access string) string {
	text := fmt.Sprintf(`
interval: %v
query_offset: %v
hold_limit: %v
stale_after: %v
rate_window: %v
prometheus:
  url: %s
  timeout: %v
  max_concurrency: 24
  max_response_bytes: %d%s
defaults:
  scale_down: {window: 2m}
  cooldown: 2m
workloads:
`, interval, queryOffset, holdLimit, staleAfter, rateWindow, url, clientTimeout, answerLimit, access)
	for i := range shapes {
		s := &shapes[i]
		text += fmt.Sprintf("  - {namespace: %s, name: %s, replicas: {min: %d, max: %d}, %s}\n", namespace, s.name, s.min, s.max, s.signals())
	}
	return text
}

// signals are the keys that say how the load of a workload is known.
func (s *shape) signals() string {
	switch {
	case s.backlog:
		return "signals: [{name: backlog, query: sum(embed_backlog), type: total, target: 8}]"
	case s.rates:
		// Nothing but the evidence keeps it from falling at once.
		return "scale_down: {window: 0s}, signals: [{metric: kv_cache_usage, target: 0.5}, {metric: output_tokens, target: 200}]"
	case s.held:
		return "signals: [{metric: queue, target: 8}], held: [{preset: keda_http}]"
	default:
		return "signals: [{metric: queue, target: 8}]"
	}
}
