package lint_test

import (
	"strings"
	"testing"

	"github.com/infscale/infscale/deploy/lint"
)

func TestKeysOfTriggersAreSpeltRight(t *testing.T) {
	const (
		prometheus = "serverAddress: http://prometheus:9090, query: 'sum(vllm:num_requests_running{namespace=\"a\"})', ignoreNullValues: 'false'"
		cron       = "timezone: Europe/Madrid, start: 30 8 * * 1-5"
	)
	for says, row := range map[string]struct{ kind, metadata, want string }{
		"as KEDA reads it":          {"prometheus", prometheus + ", threshold: '5', activationThreshold: '1', unsafeSsl: 'true'", ""},
		"a letter left out":         {"prometheus", prometheus + ", treshold: '5'", "the prometheus trigger reads no treshold: did you mean threshold?"},
		"letters changed about":     {"prometheus", prometheus + ", threshold: '5', activationTreshhold: '1'", "the prometheus trigger reads no activationTreshhold: did you mean activationThreshold?"},
		"of another case":           {"prometheus", prometheus + ", threshold: '5', unsafeSSL: 'true'", "the prometheus trigger reads no unsafeSSL: did you mean unsafeSsl?"},
		"of a schedule":             {"cron", cron + ", end: 0 19 * * 1-5, desiredReplica: '4'", "the cron trigger reads no desiredReplica: did you mean desiredReplicas?"},
		"a key of a cloud":          {"prometheus", prometheus + ", threshold: '5', azureManagedPrometheusResourceURL: x", ""},
		"of a trigger of elsewhere": {"kafka", "topik: a, treshold: '5'", ""},
	} {
		text := `
kind: ScaledObject
apiVersion: keda.sh/v1alpha1
metadata: {name: chat}
spec:
  scaleTargetRef: {name: chat}
  minReplicaCount: 1
  maxReplicaCount: 8
  triggers: [{type: ` + row.kind + `, metadata: {` + row.metadata + `}}]
`
		if got := saidBy(t, "unknown-field", text); got != row.want {
			t.Errorf("%s: got %q, want %q", says, got, row.want)
		}
	}
}

// saidBy returns what a rule says of a manifest.
func saidBy(t *testing.T, rule, manifest string) string {
	t.Helper()
	var said []string
	for _, f := range check(t, lint.File{Name: "m.yaml", Data: []byte(manifest)}) {
		if f.Rule == rule {
			said = append(said, f.What)
		}
	}
	return strings.Join(said, "; ")
}

func TestTriggersAreWhole(t *testing.T) {
	object := following("minReplicaCount: 1; maxReplicaCount: 8", "behavior: {scaleDown: {stabilizationWindowSeconds: 0}}")
	const none = "ScaledObject chat has no trigger"
	without, _, _ := strings.Cut(object, "  triggers:\n")
	at := func(address string) string {
		return strings.Replace(object, "http://prometheus:9090", address, 1)
	}
	for says, row := range map[string]struct{ manifest, want string }{
		"with http":               {object, ""},
		"with https":              {at("https://prometheus"), ""},
		"without a scheme":        {at("prometheus:9090"), `serverAddress must begin with http:// or https://, got "prometheus:9090"`},
		"with another scheme":     {at("grpc://prometheus:9090"), `serverAddress must begin with http:// or https://, got "grpc://prometheus:9090"`},
		"with one slash":          {at("http:/prometheus:9090"), `serverAddress must begin with http:// or https://, got "http:/prometheus:9090"`},
		"an address to be put in": {at("${PROMETHEUS_URL}"), ""},
		"no address":              {at(`""`), "the prometheus trigger has no serverAddress"},
		"an empty list":           {without + "  triggers: []\n", none},
		"a list of nothing":       {without + "  triggers: [~]\n", none},
		"no list, as in a patch":  {without, ""},
	} {
		if got := saidBy(t, "trigger-incomplete", row.manifest); got != row.want {
			t.Errorf("%s: got %q, want %q", says, got, row.want)
		}
	}
}
