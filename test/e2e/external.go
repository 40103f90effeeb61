package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// An adapter stands for prometheus-adapter, which is no Go module that can be had: it
// answers the HPA controller's questions for external metrics by the rules of the shipped
// configuration, as far as they go there. Like the original it truncates to thousandths.
type adapter struct {
	prometheus string
	rules      []adapterRule
}

// An adapterRule is one of prometheus-adapter's external rules.
type adapterRule struct {
	SeriesQuery  string `yaml:"seriesQuery"`
	MetricsQuery string `yaml:"metricsQuery"`
	Resources    struct {
		Namespaced *bool `yaml:"namespaced"`
		Overrides  map[string]struct{ Resource string }
	}
	Name struct {
		Matches string
		As      string
	}
}

const externalMetrics = "/apis/external.metrics.k8s.io/v1beta1"

// handler serves the part of the API that the HPA controller and the apiserver ask for.
func (a *adapter) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+externalMetrics, func(w http.ResponseWriter, _ *http.Request) {
		reply(w, map[string]any{
			"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "external.metrics.k8s.io/v1beta1", "resources": []any{},
		})
	})
	mux.HandleFunc("GET "+externalMetrics+"/namespaces/{namespace}/{metric}", a.serveMetric)
	return mux
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (a *adapter) serveMetric(w http.ResponseWriter, r *http.Request) {
	metric := r.PathValue("metric")
	query, err := a.query(metric, r.PathValue("namespace"), r.FormValue("labelSelector"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	series, err := a.ask(r.Context(), query)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	items := []any{}
	for _, s := range series {
		items = append(items, map[string]any{
			"metricName": metric, "metricLabels": s.labels, "timestamp": time.Now().UTC().Format(time.RFC3339),
			"value": strconv.FormatInt(int64(s.value*1000), 10) + "m",
		})
	}
	reply(w, map[string]any{
		"kind": "ExternalMetricValueList", "apiVersion": "external.metrics.k8s.io/v1beta1", "metadata": map[string]any{}, "items": items,
	})
}

// query is the PromQL of the rule that has the metric.
func (a *adapter) query(metric, namespace, selector string) (string, error) {
	for _, r := range a.rules {
		series, _, _ := strings.Cut(r.SeriesQuery, "{")
		if name := r.Name.As; metric != series && metric != name {
			continue
		}
		var matchers []string
		for label, o := range r.Resources.Overrides {
			if o.Resource == "namespace" && (r.Resources.Namespaced == nil || *r.Resources.Namespaced) {
				matchers = append(matchers, fmt.Sprintf("%s=%q", label, namespace))
			}
		}
		for requirement := range strings.SplitSeq(selector, ",") {
			if label, value, ok := strings.Cut(requirement, "="); ok {
				matchers = append(matchers, fmt.Sprintf("%s=%q", label, value))
			}
		}
		return strings.NewReplacer("<<.Series>>", series, "<<.LabelMatchers>>", strings.Join(matchers, ","), "<<.GroupBy>>", "").
			Replace(r.MetricsQuery), nil
	}
	return "", fmt.Errorf("no rule for %s", metric)
}

// A value is one series of an answer.
type value struct {
	labels map[string]string
	value  float64
}

// ask sends an instant query.
func (a *adapter) ask(ctx context.Context, query string) ([]value, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.prometheus+"/api/v1/query", strings.NewReader(url.Values{"query": {query}}.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer struct {
		Status, Error string
		Data          struct {
			ResultType string
			Result     []struct {
				Metric map[string]string
				Value  [2]any
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	if answer.Status != "success" || answer.Data.ResultType != "vector" {
		return nil, fmt.Errorf("%s: got %s %s, %s", query, answer.Status, answer.Data.ResultType, answer.Error)
	}
	var values []value
	for _, r := range answer.Data.Result {
		text, ok := r.Value[1].(string)
		if !ok {
			return nil, errors.New(query + ": got a value that is no text")
		}
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
		values = append(values, value{r.Metric, v})
	}
	return values, nil
}
