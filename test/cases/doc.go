// Package cases holds infscale to faults that others met in public: each case is what was
// put in, and what must come of it. Its tests run every case against the real parts: a real
// Prometheus in the process, the reader, the decision, the exporter, the daemon, and the
// checks of configurations, manifests and dashboards.
//
// The cases are data, testdata/cases.jsonl or the file that INFSCALE_CASES names, a case a
// line. What runs a case is chosen by the type of its input, and what judges it by the keys
// of what is expected; nothing but the table of deliberate differences knows a case by its
// name. The words of the cases are mapped to those of infscale in one place, words_test.go.
package cases
