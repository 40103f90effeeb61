package generate_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/infscale/infscale/deploy/generate"
	"github.com/infscale/infscale/deploy/lint"
	"github.com/infscale/infscale/recommender/config"
)

var update = flag.Bool("update", false, "write the files that are compared")

const every = `
prometheus:
  url: https://prometheus.monitoring.svc:9090/prefix
  basic_auth: {username: reader, password: hunter2}
  matchers: cluster="a"
defaults:
  namespace: inference
  signals: [{metric: queue, target: 24}]
workloads:
  - {name: chat, replicas: {min: 2, max: 40}}
  - {name: batch, kind: StatefulSet, replicas: {min: 1, max: 1}}
  - {name: deepseek, kind: LeaderWorkerSet, replicas: {min: 1, max: 8}}
  - {name: vision, kind: InferenceService, replicas: {min: 1, max: 8}}
  - name: night
    replicas: {min: 0, max: 6}
    held: [{preset: keda_http}]
  - {name: chat, namespace: staging, replicas: {min: 1, max: 8}}
`

func parse(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse([]byte(text), "infscale.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// followers are what follows a recommendation.
var followers = map[string]func(*config.Config, generate.Options) ([]generate.File, error){
	"keda": generate.KEDA, "hpa": generate.HPA,
}

// artefacts are what comes with infscale.
var artefacts = map[string]func(generate.Format) ([]generate.File, error){
	"rules": generate.Rules, "alerts": generate.Alerts, "dashboards": generate.Dashboards,
}

func TestFollowersOfEveryKind(t *testing.T) {
	for name, render := range followers {
		files, err := render(parse(t, every), generate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if err := generate.Print(&got, files); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(got.String(), "hunter2") {
			t.Errorf("%s: got a secret of the configuration in the manifest", name)
		}
		golden := "testdata/" + name + ".yaml"
		if *update {
			if err := os.WriteFile(golden, got.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != string(want) {
			t.Errorf("got %s\nwant %s as it is; -update writes it", got.String(), golden)
		}
	}
}

// The stream is for kubectl apply -f -, which refuses what is no object.
func TestFollowersAreOneStreamOfObjects(t *testing.T) {
	for name, render := range followers {
		files, err := render(parse(t, every), generate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var stream bytes.Buffer
		if err := generate.Print(&stream, files); err != nil {
			t.Fatal(err)
		}
		list := documents(t, generate.File{Name: name, Data: stream.Bytes()})
		if len(list) != 6 {
			t.Errorf("%s: got %d documents, want one for each of 6 workloads", name, len(list))
		}
		for _, doc := range list {
			meta, _ := doc["metadata"].(map[string]any)
			if doc["apiVersion"] == nil || doc["kind"] == nil || meta["name"] == nil {
				t.Errorf("%s: got document %v, want an object with apiVersion, kind and name", name, doc)
			}
		}
	}
}

// The rule of the adapter is there as a comment, whole.
func TestAdapterRuleIsACommentOfTheStream(t *testing.T) {
	files, err := generate.HPA(parse(t, every), generate.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	if err := generate.Print(&stream, files); err != nil {
		t.Fatal(err)
	}
	_, commented, ok := strings.Cut(stream.String(), "\n# For the configuration of prometheus-adapter")
	if !ok {
		t.Fatalf("got no rule of prometheus-adapter in\n%s", stream.String())
	}
	var bare strings.Builder
	for line := range strings.Lines("# For" + commented) {
		bare.WriteString(strings.TrimPrefix(line, "# "))
	}
	_, got, _ := strings.Cut(bare.String(), "externalRules:")
	_, want, _ := strings.Cut(string(files[len(files)-1].Data), "externalRules:")
	if got != want || want == "" {
		t.Errorf("got rule%s\nwant as in its own file%s", got, want)
	}
}

func TestFollowersAreAsLintWantsThem(t *testing.T) {
	for name, render := range followers {
		files, err := render(parse(t, every), generate.Options{})
		if err != nil {
			t.Fatal(err)
		}
		silent(t, name, files)
		for _, f := range files {
			documents(t, f)
		}
	}
}

func TestArtefactsAreAsLintWantsThem(t *testing.T) {
	for name, render := range artefacts {
		for _, format := range []generate.Format{generate.Plain, generate.Kubernetes} {
			files, err := render(format)
			if err != nil || len(files) == 0 {
				t.Fatalf("%s: got %d files and error %v, want some", name, len(files), err)
			}
			silent(t, name, files)
			for _, f := range files {
				checkArtefact(t, f, format)
			}
		}
	}
}

// checkArtefact compares an object with what is in it.
func checkArtefact(t *testing.T, f generate.File, format generate.Format) {
	t.Helper()
	if strings.HasSuffix(f.Name, ".json") {
		if !json.Valid(f.Data) {
			t.Errorf("%s: got no JSON", f.Name)
		}
		return
	}
	list := documents(t, f)
	if len(list) != 1 {
		t.Fatalf("%s: got %d documents, want one", f.Name, len(list))
	}
	switch kind := list[0]["kind"]; {
	case format == generate.Plain && list[0]["groups"] == nil:
		t.Errorf("%s: got no groups of rules", f.Name)
	case format == generate.Plain:
	case kind == "PrometheusRule":
		if spec, _ := list[0]["spec"].(map[string]any); spec["groups"] == nil {
			t.Errorf("%s: got no groups of rules", f.Name)
		}
	case kind == "ConfigMap":
		data, _ := list[0]["data"].(map[string]any)
		for name, text := range data {
			if s, ok := text.(string); !ok || !json.Valid([]byte(s)) {
				t.Errorf("%s: got no JSON in %s", f.Name, name)
			}
		}
	default:
		t.Errorf("%s: got a %v", f.Name, kind)
	}
}

// Wrapping changes no rule: the object has the groups of the file.
func TestObjectsHoldTheRulesAsTheyAre(t *testing.T) {
	for name, render := range artefacts {
		if name == "dashboards" {
			continue
		}
		plain, err := render(generate.Plain)
		if err != nil {
			t.Fatal(err)
		}
		wrapped, err := render(generate.Kubernetes)
		if err != nil {
			t.Fatal(err)
		}
		for i := range plain {
			spec, _ := documents(t, wrapped[i])[0]["spec"].(map[string]any)
			got, _ := json.Marshal(spec["groups"])
			want, _ := json.Marshal(documents(t, plain[i])[0]["groups"])
			if !bytes.Equal(got, want) {
				t.Errorf("%s: got groups %s, want %s", wrapped[i].Name, got, want)
			}
		}
	}
}

func silent(t *testing.T, name string, files []generate.File) {
	t.Helper()
	var all []lint.File
	for _, f := range files {
		all = append(all, lint.File{Name: f.Name, Data: f.Data})
	}
	findings, unreadable := lint.Check(all, lint.Options{})
	for _, err := range unreadable {
		t.Errorf("%s: %v", name, err)
	}
	for i := range findings {
		t.Errorf("%s: got %s, want silence", name, &findings[i])
	}
}

func documents(t *testing.T, f generate.File) []map[string]any {
	t.Helper()
	var list []map[string]any
	d := yaml.NewDecoder(bytes.NewReader(f.Data))
	for {
		var doc map[string]any
		err := d.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		list = append(list, doc)
	}
}

func TestWorkloadsAreChosenByName(t *testing.T) {
	c := parse(t, every)
	for name, want := range map[string]struct {
		names, files string
		err          string
	}{
		"all of them":               {"", "inference-chat inference-batch inference-deepseek inference-vision inference-night staging-chat", ""},
		"by namespace and name":     {"staging/chat", "staging-chat", ""},
		"by a name that one has":    {"night batch", "inference-night inference-batch", ""},
		"once":                      {"night inference/night", "inference-night", ""},
		"not by a name that two do": {"chat", "", "2 workloads are called chat, want NAMESPACE/NAME"},
		"none": {"chart", "", `no workload "chart", want one of inference/chat, inference/batch, ` +
			`inference/deepseek, inference/vision, inference/night, staging/chat`},
	} {
		files, err := generate.KEDA(c, generate.Options{Workloads: strings.Fields(want.names), ServerAddress: "http://thanos:9090"})
		if err != nil || want.err != "" {
			if err == nil || err.Error() != want.err {
				t.Errorf("%s: got error %v, want %s", name, err, want.err)
			}
			continue
		}
		var got []string
		for _, f := range files {
			got = append(got, strings.TrimSuffix(f.Name, ".scaledobject.yaml"))
			if !bytes.Contains(f.Data, []byte(`serverAddress: "http://thanos:9090"`)) {
				t.Errorf("%s: got no server address of the options in %s", name, f.Name)
			}
		}
		if strings.Join(got, " ") != want.files {
			t.Errorf("%s: got %v, want %s", name, got, want.files)
		}
	}
}

func TestKEDASaysWhoItIsAsInfscaleDoes(t *testing.T) {
	for name, want := range map[string]struct{ keys, modes string }{
		"to nobody":                 {"", ""},
		"with a private authority":  {"tls_config: {ca: CA}", ""},
		"by name":                   {"basic_auth: {username: a, password: b}", "basic"},
		"by token":                  {"bearer_token: abc", "bearer"},
		"by authorization":          {"authorization: {credentials: abc}", "bearer"},
		"by another authorization":  {"authorization: {type: ApiKey, credentials: abc}", "custom"},
		"by header":                 {"headers: {X-Scope-OrgID: a}", "custom"},
		"by OAuth":                  {"oauth2: {client_id: a, client_secret: b, token_url: https://a/token}", "oauth"},
		"by certificate":            {"tls_config: {cert: C, key: K}", "tls"},
		"by certificate and a name": {"tls_config: {cert: C, key: K}\n  basic_auth: {username: a, password: b}", "tls,basic"},
	} {
		c := parse(t, strings.Replace(every, "basic_auth: {username: reader, password: hunter2}", want.keys, 1))
		files, err := generate.KEDA(c, generate.Options{Workloads: []string{"night"}})
		if err != nil {
			t.Fatal(err)
		}
		spec, _ := documents(t, files[0])[0]["spec"].(map[string]any)
		triggers, _ := spec["triggers"].([]any)
		trigger, _ := triggers[0].(map[string]any)
		metadata, _ := trigger["metadata"].(map[string]any)
		modes, _ := metadata["authModes"].(string)
		if modes != want.modes || (trigger["authenticationRef"] != nil) != (want.modes != "") {
			t.Errorf("%s: got modes %q and reference %v, want modes %q", name, modes, trigger["authenticationRef"], want.modes)
		}
	}
}

func TestKEDAIsSentWhereItCanGo(t *testing.T) {
	const local = "http://127.0.0.1:9090"
	for name, test := range map[string]struct{ url, server, want, err string }{
		"where infscale goes":         {url: "http://prometheus:9090/x", want: "http://prometheus:9090/x"},
		"elsewhere":                   {url: local, server: "https://thanos/x", want: "https://thanos/x"},
		"not to this machine":         {url: local, err: "prometheus.url: KEDA does not reach 127.0.0.1:9090, say with --server-address what it reaches"},
		"not to this machine by name": {url: "http://localhost:9090", err: "prometheus.url: KEDA does not reach localhost:9090, say with --server-address what it reaches"},
		"not to what is no address":   {url: local, server: "foo", err: `--server-address: scheme must be http or https, got ""`},
		"not with a password":         {url: local, server: "http://a:b@c", err: "--server-address: has a user name or password in it, use basic_auth"},
	} {
		c := parse(t, "prometheus: {url: "+test.url+`}
workloads:
  - {namespace: inference, name: chat, replicas: {min: 1, max: 2147483647}, signals: [{metric: queue, target: 24}]}
`)
		files, err := generate.KEDA(c, generate.Options{ServerAddress: test.server})
		if err != nil || test.err != "" {
			if err == nil || err.Error() != test.err {
				t.Errorf("%s: got error %v, want %s", name, err, test.err)
			}
			continue
		}
		if !bytes.Contains(files[0].Data, []byte(`serverAddress: "`+test.want+`"`)) {
			t.Errorf("%s: got %s, want the server address %s", name, files[0].Data, test.want)
		}
		checkLint(t, files[0])
	}
}
