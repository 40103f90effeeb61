package cases

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/value"
)

// queues are the gauges of a queue, which are on a page together.
var queues = map[string][2]string{
	"vllm:":     {"vllm:num_requests_running", "vllm:num_requests_waiting"},
	"vllm_":     {"vllm_num_requests_running", "vllm_num_requests_waiting"},
	"ray_vllm_": {"ray_vllm_num_requests_running", "ray_vllm_num_requests_waiting"},
	"sglang:":   {"sglang:num_running_reqs", "sglang:num_queue_reqs"},
	"llamacpp:": {"llamacpp:requests_processing", "llamacpp:requests_deferred"},
}

// rest are the gauges of the queue that a case leaves out of a page: they are zero where the
// page is there, so that the page is one that an engine has.
func (c *recorded) rest() []series {
	have, list := map[string]bool{}, []series{}
	for _, ls := range c.series {
		have[ls.String()] = true
	}
	for i, ls := range c.series {
		prefix := regexp.MustCompile(`^(ray_)?[a-z]+[:_]`).FindString(ls.Get(model.MetricNameLabel))
		if strings.HasPrefix(prefix, "ray_") {
			prefix = "ray_vllm_"
		}
		for _, name := range queues[prefix] {
			b := labels.NewBuilder(ls).Set(model.MetricNameLabel, name).Del("le", "finished_reason", "quantile")
			if twin := b.Labels(); name != "" && !have[twin.String()] {
				have[twin.String()] = true
				list = append(list, series{Series: twin.String(), Values: c.zeros(i)})
			}
		}
	}
	return list
}

// zeros are the values of a series, each of them 0. Gaps stay gaps.
func (c *recorded) zeros(i int) string {
	_, values, err := promQL.ParseSeriesDesc(c.in.Series[i].Series + " " + c.in.Series[i].Values)
	if err != nil {
		return ""
	}
	var list []string
	for _, v := range values {
		switch {
		case v.Omitted:
			list = append(list, "_")
		case value.IsStaleNaN(v.Value):
			list = append(list, "stale")
		default:
			list = append(list, "0")
		}
	}
	return strings.Join(list, " ")
}

// targets are the selectors of the parts that the case expects something of.
func (c *recorded) targets() (map[string]string, error) {
	scopes := map[string]string{}
	for key, want := range c.expected {
		if _, ok := want.(map[string]any); !ok || strings.HasPrefix(key, "until_") || key == "after" {
			continue
		}
		selector := c.selector(strings.TrimSuffix(strings.TrimPrefix(key, "target_"), "_target"))
		if selector == "" {
			return nil, fmt.Errorf("no series say what %q is", key)
		}
		scopes[key] = selector
	}
	return scopes, nil
}

// selector finds the series that a word means: those with it as the value of a label, those
// of pods whose metrics have that prefix, those of pods that export one metric twice.
func (c *recorded) selector(word string) string {
	for _, name := range []string{"model_name", "role", "deployment", "service", "pod"} {
		for _, ls := range c.series {
			if ls.Get(name) == word {
				return fmt.Sprintf("{%s=%q}", name, word)
			}
		}
	}
	spelt := map[string][]string{} // by pod
	for _, ls := range c.series {
		pod, name := ls.Get("pod"), ls.Get(model.MetricNameLabel)
		if strings.HasPrefix(name, word+"_") && pod != "" {
			return fmt.Sprintf("{pod=%q}", pod)
		}
		spelt[pod] = append(spelt[pod], strings.ReplaceAll(name, ":", "_"))
	}
	for pod, names := range spelt {
		slices.Sort(names)
		if strings.HasPrefix(word, "dual") && len(slices.Compact(slices.Clone(names))) < len(names) {
			return fmt.Sprintf("{pod=%q}", pod)
		}
	}
	return ""
}

// heard counts the pods of a target.
func (c *recorded) heard(selector string) float64 {
	matchers, err := promQL.ParseMetricSelector("x" + selector)
	if err != nil {
		return 1
	}
	pods := map[string]bool{}
	for _, ls := range c.series {
		matches := !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool {
			return m.Name != model.MetricNameLabel && !m.Matches(ls.Get(m.Name))
		})
		if matches && !strings.HasPrefix(ls.Get(model.MetricNameLabel), "infscale:") {
			pods[cmp.Or(ls.Get("exported_pod"), ls.Get("pod"), ls.Get("instance"))] = true
		}
	}
	return max(1, float64(len(pods)))
}

var (
	windowWord = regexp.MustCompile(`window (\d+[smh])`)
	rateWindow = regexp.MustCompile(`rate\([^\[\]]*\[(\d+[smh])\]`)
)

// window is the window of the rates: the one that the case warns of, else that of the last check.
func (c *recorded) window() string {
	if m := windowWord.FindStringSubmatch(fmt.Sprint(c.expected["verdict"])); m != nil {
		return m[1]
	}
	window := ""
	for _, k := range c.in.Checks {
		if m := rateWindow.FindStringSubmatch(k.Expr); m != nil {
			window = m[1]
		}
	}
	return window
}
