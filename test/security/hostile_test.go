package security

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/net/html"

	"github.com/infscale/infscale/promapi/promapitest"
)

// attack is markup, an escape sequence for a terminal, a forged line of a log, and text
// that runs from right to left.
const attack = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>\x1b[2J\n{\"level\":\"info\",\"msg\":\"forged\"}\u202e\u0007javascript:alert(1)"

// A Prometheus that lies: everything that it can write is the attack.
func hostileAPI(t *testing.T, e ...promapitest.Answer) *promapitest.Server {
	api := promapitest.New(t)
	api.Answer(promapitest.Any, e...)
	return api
}

// lies are answers of a hostile Prometheus.
var lies = map[string]promapitest.Answer{
	"an error of the API":  promapitest.Error(422, attack, attack),
	"a page of a proxy":    promapitest.Text(502, "text/html", attack),
	"a type of a body":     promapitest.Text(200, "text/html; x="+strings.Map(printable, attack), attack),
	"a body that is none":  promapitest.JSON(200, attack),
	"labels":               promapitest.Vector(rowsOf(attack)...),
	"labels and warnings":  promapitest.Vector(rowsOf(attack)...).WithWarnings(attack).WithInfos(attack),
	"a version":            promapitest.JSON(200, `{"status":"success","data":{"application":`+jsonOf(attack)+`,"version":`+jsonOf(attack)+`,"resultType":"vector","result":[]},"warnings":[`+jsonOf(attack)+`]}`),
	"values that are none": promapitest.JSON(200, `{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,`+jsonOf(attack)+`]}]}}`),
	"a kind of result":     promapitest.JSON(200, `{"status":"success","data":{"resultType":`+jsonOf(attack)+`,"result":[]}}`),
	"a key of the answer":  promapitest.JSON(200, `{`+jsonOf(attack)+`:"success","status":`+jsonOf(attack)+`}`),
	"an address":           promapitest.Redirect(302, "http://elsewhere.invalid/"+strings.Map(printable, attack)),
}

func printable(r rune) rune {
	if r < ' ' || r > '~' {
		return -1
	}
	return r
}

// rowsOf are rows for every family, with hostile labels beside the right ones.
func rowsOf(v string) []promapitest.Row {
	var rows []promapitest.Row
	for _, signal := range []string{"deployment.spec", "deployment.ready", "deployment.evidence", "vllm.running", "vllm.waiting", v} {
		rows = append(rows,
			promapitest.Sample(3, "namespace", "inference", "deployment", "chat", "signal", signal, "model_name", v, "engine", v),
			promapitest.Sample(3, "namespace", "inference", "pod", v, "signal", signal),
			promapitest.Sample(3, "namespace", v, "pod", "chat-5d8f9c7b6d-abcde", "signal", signal, "instance", v))
	}
	return rows
}

func TestNothingThatPrometheusSaysRuns(t *testing.T) {
	for name, lie := range lies {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			api, dir := hostileAPI(t, lie), t.TempDir()
			write(t, dir, "infscale.yaml", "interval: 1s\nquery_offset: 0s\n"+file("prometheus: {url: '"+api.URL+"'}",
				`, held: [{query: sum(lag)}], selector: 'role="decode"'`))
			_, decided := say(t, dir, nil, "decide", "inference/chat", "--config.file=infscale.yaml")
			_, checked := say(t, dir, nil, "check", "prometheus", "--config.file=infscale.yaml")
			if name == "labels and warnings" && !strings.Contains(checked, `\x1b[2J`) {
				t.Errorf("check prometheus: got no trace of the attack: nothing is proven\n%s", checked)
			}
			// Its long lines are broken anywhere, and go on below their text.
			checkText(t, "check prometheus", strings.ReplaceAll(checked, "\n"+strings.Repeat(" ", 11), " "))
			daemon := serve(t, dir, nil)
			daemon.await(t, `"msg":"evaluated"`)
			client := newClient(t, &http.Transport{})
			for _, path := range []string{"/", "/workloads/inference/chat", "/config"} {
				answer, body := ask(t, client, http.MethodGet, daemon.url+path)
				checkPage(t, path, answer, body)
				if shown := strings.Contains(body, "&lt;script&gt;alert(1)"); name == "an error of the API" && strings.HasPrefix(path, "/workloads") && !shown {
					t.Errorf("%s: got no trace of the attack: nothing is proven\n%s", path, body)
				}
			}
			for _, path := range []string{"/api/v1/workloads", "/api/v1/workloads/inference/chat", "/metrics"} {
				answer, body := ask(t, client, http.MethodGet, daemon.url+path)
				if got := answer.Header.Get("Content-Type"); strings.Contains(got, "html") || answer.Header.Get("X-Content-Type-Options") != "nosniff" {
					t.Errorf("%s: got the type %q, sniffing %q", path, got, answer.Header.Get("X-Content-Type-Options"))
				}
				if strings.Contains(path, "api") && strings.Contains(body, "<") {
					t.Errorf("%s: got markup in\n%s", path, body)
				}
			}
			checkText(t, "the log", daemon.end(syscall.SIGTERM))
			checkText(t, "decide", decided)
		})
	}
}

// checkPage parses a page as a browser does and wants no element or attribute that runs.
func checkPage(t *testing.T, path string, answer *http.Response, body string) {
	t.Helper()
	if answer.StatusCode != http.StatusOK || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/html") {
		t.Errorf("%s: got %d %s", path, answer.StatusCode, answer.Header.Get("Content-Type"))
	}
	if csp := answer.Header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "script") {
		t.Errorf("%s: got the policy %q, want one without scripts", path, csp)
	}
	_, body, _ = strings.Cut(body, "<!DOCTYPE") // the headers are in front
	root, err := html.Parse(strings.NewReader("<!DOCTYPE" + body))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && (n.Data == "script" || n.Data == "img" || n.Data == "iframe" || n.Data == "object") {
			t.Errorf("%s: got an element %s", path, n.Data)
		}
		for _, a := range n.Attr {
			if strings.HasPrefix(a.Key, "on") || strings.HasPrefix(strings.TrimSpace(strings.ToLower(a.Val)), "javascript:") {
				t.Errorf("%s: got the attribute %s=%q of %s", path, a.Key, a.Val, n.Data)
			}
		}
	}
}

// checkText wants no control characters, and no line of the log that is not ours.
func checkText(t *testing.T, where, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.ContainsAny(strings.TrimSuffix(line, "\n"), "\x1b\x07\u202e\r") {
			t.Errorf("%s: got control characters in %q", where, line)
		}
		if strings.HasPrefix(strings.TrimSpace(line), `{"level":"info","msg":"forged"`) {
			t.Errorf("%s: got a forged line %s", where, line)
		}
	}
	if text == "" {
		t.Errorf("%s: got nothing", where)
	}
}

// The log of the console is read by people in a terminal.
func TestConsoleLogIsFitForATerminal(t *testing.T) {
	api, dir := hostileAPI(t, lies["an error of the API"]), t.TempDir()
	write(t, dir, "infscale.yaml", "interval: 1s\n"+file("prometheus: {url: '"+api.URL+"'}", ""))
	daemon := serve(t, dir, nil)
	write(t, dir, "infscale.yaml", fmt.Sprintf("%q: x\n", attack)+file("prometheus: {url: '"+api.URL+"'}", ""))
	answer, body := ask(t, newClient(t, &http.Transport{}), http.MethodPost, daemon.url+"/-/reload")
	if answer.StatusCode != http.StatusInternalServerError || !strings.HasPrefix(answer.Header.Get("Content-Type"), "text/plain") {
		t.Errorf("got %d %q, want a failure as plain text", answer.StatusCode, answer.Header.Get("Content-Type"))
	}
	checkText(t, "the reload", body)
	checkText(t, "the log", daemon.end(syscall.SIGTERM))
	status, said := say(t, dir, nil, "serve", "--log.format=console")
	if status != 2 {
		t.Errorf("got status %d, want 2", status)
	}
	checkText(t, "the refusal", said)
}
