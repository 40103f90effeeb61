package generate

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"

	"github.com/prometheus/prometheus/model/labels"

	"github.com/infscale/infscale/promapi"
	"github.com/infscale/infscale/recommender/config"
)

// Options say what a configuration cannot.
type Options struct {
	// Workloads are those to render, as NAMESPACE/NAME, or NAME where only one has it. None is
	// all of them.
	Workloads []string
	// ServerAddress is where KEDA reaches Prometheus. Empty is where infscale does.
	ServerAddress string
}

// A follower is what a template needs to know of a workload.
type follower struct {
	Namespace, Name string
	Kind            promapi.Kind
	// APIVersion, TargetKind and TargetName are the object whose replicas are set.
	APIVersion, TargetKind, TargetName string
	Min, Max, Fallback                 int32
	// Matchers choose the series of the recommendation, without braces.
	Matchers string
	Server   string
	Auth     bool
}

//go:embed templates
var files embed.FS

var templates = template.Must(template.New("").
	Funcs(template.FuncMap{"quote": strconv.Quote, "behavior": behavior}).
	ParseFS(files, "templates/*.tmpl"))

// behavior lets an HPA do what it is told: the number has been damped and limited already.
func behavior(by int, most int32) string {
	return strings.TrimSuffix(string(indent(fmt.Appendf(nil, `# infscale has damped and limited the number already: no second window, no second limit.
# Without tolerance: 0 (Kubernetes 1.35) the HPA ignores differences of up to 10 %%.
scaleUp:
  stabilizationWindowSeconds: 0
  tolerance: 0
  policies:
    - type: Pods
      value: %d
      periodSeconds: 15
scaleDown:
  stabilizationWindowSeconds: 0
  tolerance: 0
  policies:
    - type: Percent
      value: 100
      periodSeconds: 15
`, most), by)), "\n")
}

// KEDA returns a ScaledObject for every workload.
func KEDA(c *config.Config, o Options) ([]File, error) {
	return eachFollower(c, o, "scaledobject")
}

// HPA returns a HorizontalPodAutoscaler for every workload, and the rule by which
// prometheus-adapter serves the metric that they read.
func HPA(c *config.Config, o Options) ([]File, error) {
	list, err := eachFollower(c, o, "hpa")
	if err != nil {
		return nil, err
	}
	extra, err := extraMatchers(c)
	if err != nil {
		return nil, err
	}
	adapter, err := render("adapter", struct{ Matchers string }{strings.Join(extra, ",")})
	return append(list, File{"prometheus-adapter.yaml", adapter}), err
}

func eachFollower(c *config.Config, o Options, what string) ([]File, error) {
	workloads, err := choose(c.Workloads(), o.Workloads)
	if err != nil {
		return nil, err
	}
	extra, err := extraMatchers(c)
	if err != nil {
		return nil, err
	}
	list := make([]File, len(workloads))
	for i, w := range workloads {
		f := newFollower(w, extra)
		f.Server, f.Auth = cmp.Or(o.ServerAddress, c.Prometheus.URL), needsAuth(c)
		data, err := render(what, f)
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", w.Namespace, w.Name, err)
		}
		list[i] = File{w.Namespace + "-" + w.Name + "." + what + ".yaml", data}
	}
	return list, nil
}

func render(name string, data any) ([]byte, error) {
	var b bytes.Buffer
	err := templates.ExecuteTemplate(&b, name+".yaml.tmpl", data)
	return b.Bytes(), err
}

func newFollower(w *promapi.Workload, extra []string) follower {
	f := follower{
		Namespace: w.Namespace, Name: w.Name, Kind: w.Kind,
		APIVersion: "apps/v1", TargetKind: string(w.Kind), TargetName: w.Name,
		Min: w.Policy.Min, Max: w.Policy.Max,
		Fallback: fallback(w.Policy.Min, w.Policy.Max),
	}
	switch w.Kind {
	case promapi.LeaderWorkerSet:
		f.APIVersion = "leaderworkerset.x-k8s.io/v1"
	case promapi.InferenceService:
		f.TargetKind, f.TargetName = string(promapi.Deployment), w.Name+"-predictor"
	case promapi.Deployment, promapi.StatefulSet:
	}
	f.Matchers = strings.Join(append([]string{
		equal("workload_namespace", w.Namespace), equal("workload", w.Name),
	}, extra...), ",")
	return f
}

// fallback is where a fleet goes that nobody knows anything about, if it is smaller: half of
// what it may have. What may be at zero is woken with one.
func fallback(low, high int32) int32 {
	if low == 0 {
		return 1
	}
	return max(low, high/2)
}

func equal(name, value string) string {
	return labels.MustNewMatcher(labels.MatchEqual, name, value).String()
}

// extraMatchers are those of the configuration: a Prometheus over several clusters has a
// recommendation of each.
func extraMatchers(c *config.Config) ([]string, error) {
	matchers, err := promapi.ParseMatchers(c.Prometheus.Matchers)
	list := make([]string, len(matchers))
	for i, m := range matchers {
		list[i] = m.String()
	}
	return list, err
}

// needsAuth reports whether infscale says who it is, so that KEDA must too.
func needsAuth(c *config.Config) bool {
	h := &c.Prometheus.HTTP
	return h.BasicAuth != nil || h.Authorization != nil || h.OAuth2 != nil || h.BearerTokenFile != "" ||
		h.BearerToken != "" || h.TLSConfig.CertFile != "" || len(c.Prometheus.Headers) > 0 || h.HTTPHeaders != nil
}
