package generate

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"net/netip"
	"net/url"
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
	// AuthModes are how KEDA says who it is to Server; empty if it need not.
	AuthModes string
}

//go:embed templates
var files embed.FS

var templates = template.Must(template.New("").
	Funcs(template.FuncMap{"quote": strconv.Quote, "behavior": behavior}).
	ParseFS(files, "templates/*.tmpl"))

// mostAtOnce is what the HPA can add to a count of replicas within 32 bits.
const mostAtOnce = 1_000_000_000

// behavior lets an HPA do what it is told: the number has been damped and limited already. A
// policy of as many pods as there may be limits nothing, from whatever count it starts.
func behavior(by int, most int32) string {
	return strings.TrimSuffix(string(indent(fmt.Appendf(nil, `# infscale has damped and limited the number already: no second window, no second limit.
# Without a tolerance of 0 the HPA ignores differences of up to 10 %%. Kubernetes obeys it from
# 1.35 on and KEDA takes it from 2.18 on: with older ones leave it out.
scaleUp:
  stabilizationWindowSeconds: 0
  tolerance: "0"
  policies:
    - {type: Pods, value: %d, periodSeconds: 15}
scaleDown:
  stabilizationWindowSeconds: 0
  tolerance: "0"
  policies:
    - {type: Percent, value: 100, periodSeconds: 15}
`, min(most, mostAtOnce)), by)), "\n")
}

// KEDA returns a ScaledObject for every workload.
func KEDA(c *config.Config, o Options) ([]File, error) {
	server, err := serverAddress(c, o.ServerAddress)
	if err != nil {
		return nil, err
	}
	o.ServerAddress = server
	return eachFollower(c, o, "scaledobject")
}

// serverAddress is where KEDA reaches Prometheus. What only this machine reaches is no such place.
func serverAddress(c *config.Config, given string) (string, error) {
	if given == "" {
		u, err := url.Parse(c.Prometheus.URL)
		if err == nil && isLoopback(u.Hostname()) {
			return "", fmt.Errorf("prometheus.url: KEDA does not reach %s, say with --server-address what it reaches", u.Host)
		}
		return c.Prometheus.URL, err
	}
	if err := promapi.CheckURL(given); err != nil {
		return "", fmt.Errorf("--server-address: %w", err)
	}
	return given, nil
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
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
	// To the adapter << begins an action. In a string of PromQL it can be written otherwise.
	matchers := strings.ReplaceAll(strings.Join(extra, ","), "<<", `<\x3c`)
	adapter, err := render("adapter", struct{ Matchers string }{matchers})
	return append(list, File{Name: "prometheus-adapter.yaml", Data: adapter, Aside: true}), err
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
		f.Server, f.AuthModes = o.ServerAddress, authModes(c)
		data, err := render(what, f)
		if err != nil {
			return nil, fmt.Errorf("%s/%s: %w", w.Namespace, w.Name, err)
		}
		list[i] = File{Name: w.Namespace + "-" + w.Name + "." + what + ".yaml", Data: data}
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

// authModes are how infscale says who it is, in the words of KEDA, which must do so too.
func authModes(c *config.Config) string {
	var modes []string
	if tls := &c.Prometheus.HTTP.TLSConfig; tls.CertFile != "" || tls.Cert != "" {
		modes = append(modes, "tls")
	}
	if mode := headerMode(c); mode != "" {
		modes = append(modes, mode)
	}
	return strings.Join(modes, ",")
}

// headerMode is the mode that goes into the headers of a request, of which a client has one at
// most; empty if it has none.
func headerMode(c *config.Config) string {
	h := &c.Prometheus.HTTP
	switch {
	case h.BasicAuth != nil:
		return "basic"
	case h.OAuth2 != nil:
		return "oauth"
	case h.Authorization != nil && !strings.EqualFold(cmp.Or(h.Authorization.Type, "Bearer"), "Bearer"):
		return "custom"
	case h.Authorization != nil || h.BearerToken != "" || h.BearerTokenFile != "":
		return "bearer"
	case len(c.Prometheus.Headers) > 0 || h.HTTPHeaders != nil:
		return "custom"
	}
	return ""
}
