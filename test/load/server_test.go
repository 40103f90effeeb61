package load

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/infscale/infscale/promapi/embedded"
)

// A server answers as the Prometheus of a fleet whose load, clock and pods move on.
type server struct {
	prometheus *embedded.Prometheus
	// step is the interval of the daemon: the load waves and the pods are replaced in
	// multiples of it.
	step  time.Duration
	conns atomic.Int64 // open connections

	mu   sync.Mutex
	rows map[string][]row // by query
}

// How often the load waves and a pod is replaced, in steps. Memory is compared at one
// phase of the wave.
const (
	wave  = 20
	churn = 97
)

// A row is one series of an answer.
type row struct {
	metric []string // JSON of the labels, cut where the generation of the pod stands
	kind   kind
	base   float64
	// workload and pod shift the phases, so that not all move at once.
	workload, pod int
}

// A kind says how a value moves with time.
type kind int

const (
	still kind = iota
	moment
	level // a whole number that follows the load
	rate
)

// podName finds the pod of a row, up to its generation.
var podName = regexp.MustCompile(`chat-([0-9]{4})-[0-9a-f]{8}-([0-9]{2})000`)

var workloadName = regexp.MustCompile(`chat-([0-9]{4})`)

// ask returns the rows of a query, from Prometheus the first time.
func (s *server) ask(query string) ([]row, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rows, ok := s.rows[query]; ok {
		return rows, nil
	}
	form := url.Values{"query": {query}, "time": {strconv.FormatInt(fleetEnd.Unix(), 10)}}
	r := httptest.NewRequest(http.MethodPost, "/api/v1/query", strings.NewReader(form.Encode())) //nolint:noctx // nobody waits for less
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	rec := httptest.NewRecorder()
	s.prometheus.Handler().ServeHTTP(rec, r)
	var answer struct {
		Error string
		Data  struct {
			Result []struct {
				Metric json.RawMessage
				Value  [2]any
			}
		}
	}
	if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || answer.Error != "" {
		return nil, fmt.Errorf("%w %s", err, answer.Error)
	}
	rows := make([]row, len(answer.Data.Result))
	for i, r := range answer.Data.Result {
		text, _ := r.Value[1].(string)
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, err
		}
		rows[i] = newRow(string(r.Metric), v)
	}
	s.rows[query] = rows
	return rows, nil
}

func newRow(metric string, v float64) row {
	r := row{base: v, kind: kindOf(metric, v)}
	if m := workloadName.FindStringSubmatch(metric); m != nil {
		r.workload, _ = strconv.Atoi(m[1])
	}
	if m := podName.FindStringSubmatch(metric); m != nil {
		r.pod, _ = strconv.Atoi(m[2])
	}
	const zeros = "000"
	from := 0
	for _, at := range podName.FindAllStringIndex(metric, -1) {
		r.metric = append(r.metric, metric[from:at[1]-len(zeros)])
		from = at[1]
	}
	r.metric = append(r.metric, metric[from:])
	return r
}

// kindOf tells by the signal of a row, and whether it has buckets, what its value is.
func kindOf(metric string, v float64) kind {
	var labels struct {
		Signal string
		LE     string
	}
	if json.Unmarshal([]byte(metric), &labels) != nil || math.IsNaN(v) {
		return still
	}
	signal := labels.Signal
	switch {
	case strings.HasSuffix(signal, "evidence"):
		return moment
	case !strings.HasPrefix(signal, "vllm.") || strings.Contains(signal, "kv_cache") || strings.HasSuffix(signal, ".series"):
		return still
	case strings.Contains(signal, ".running") || strings.Contains(signal, ".waiting"):
		return level
	default:
		return rate
	}
}

// at returns the value of a row at a time.
func (r *row) at(t time.Time, step time.Duration) float64 {
	phase := float64(t.UnixNano())/float64(wave*step) + float64(r.workload)/97
	load := 1 + 0.7*math.Sin(2*math.Pi*phase)
	switch r.kind {
	case moment:
		return r.base + t.Sub(fleetEnd).Seconds()
	case level:
		return math.Round(r.base * load)
	case rate:
		return r.base * load
	case still:
	}
	return r.base
}

// write writes the labels of a row at a time.
func (r *row) write(b *bufio.Writer, t time.Time, step time.Duration) {
	shift := time.Duration(7*r.workload+11*r.pod) * step
	generation := generationOf(int(t.Add(shift).UnixNano() / int64(churn*step)))
	for i, part := range r.metric {
		if i > 0 {
			_, _ = b.WriteString(generation)
		}
		_, _ = b.WriteString(part)
	}
}

// ServeHTTP answers instant and range queries.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rows, err := s.ask(r.FormValue("query"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	z, _ := gzip.NewWriterLevel(w, gzip.BestSpeed) // the level is one
	b := bufio.NewWriterSize(z, 1<<16)
	switch {
	case strings.HasSuffix(r.URL.Path, "/query_range"):
		s.matrix(b, rows, instant(r, "start"), instant(r, "end"), r.FormValue("step"))
	default:
		s.vector(b, rows, instant(r, "time"))
	}
	_ = b.Flush() // the client may be gone
	_ = z.Close()
}

// instant reads a time of the request, to the millisecond.
func instant(r *http.Request, param string) time.Time {
	text := r.FormValue(param)
	if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
		return t
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	return time.UnixMilli(int64(math.Round(v * 1000)))
}

func (s *server) vector(b *bufio.Writer, rows []row, t time.Time) {
	fmt.Fprint(b, `{"status":"success","data":{"resultType":"vector","result":[`)
	for i := range rows {
		if i > 0 {
			_ = b.WriteByte(',')
		}
		fmt.Fprint(b, `{"metric":`)
		rows[i].write(b, t, s.step)
		fmt.Fprintf(b, `,"value":%s}`, point(t, rows[i].at(t, s.step)))
	}
	fmt.Fprint(b, "]}}\n")
}

// matrix gives the pods the names that they have at the end.
func (s *server) matrix(b *bufio.Writer, rows []row, start, end time.Time, stepText string) {
	seconds, err := strconv.ParseFloat(stepText, 64)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	step := time.Duration(math.Round(seconds*1000)) * time.Millisecond
	fmt.Fprint(b, `{"status":"success","data":{"resultType":"matrix","result":[`)
	for i := range rows {
		if i > 0 {
			_ = b.WriteByte(',')
		}
		fmt.Fprint(b, `{"metric":`)
		rows[i].write(b, end, s.step)
		fmt.Fprint(b, `,"values":[`)
		for t := start; !t.After(end); t = t.Add(step) {
			if t.After(start) {
				_ = b.WriteByte(',')
			}
			_, _ = b.WriteString(point(t, rows[i].at(t, s.step)))
		}
		fmt.Fprint(b, "]}")
	}
	fmt.Fprint(b, "]}}\n")
}

func point(t time.Time, v float64) string {
	return "[" + strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', 3, 64) + `,"` + strconv.FormatFloat(v, 'f', -1, 64) + `"]`
}

// serverEnv makes the test binary serve a fleet instead of testing, so that its memory
// and its connections are not those of the daemon: workloads, pods and step.
const serverEnv = "INFSCALE_LOAD_FLEET"

// serve fills a Prometheus, says where it answers, and does until the parent goes.
func serve(fleetOf string, in io.Reader, out io.Writer) error {
	var workloads, pods int
	var step time.Duration
	if _, err := fmt.Sscan(fleetOf, &workloads, &pods, (*int64)(&step)); err != nil {
		return err
	}
	p, err := fleet(workloads, pods, step)
	if err != nil {
		return err
	}
	defer func() { _ = p.Close() }()
	s := &server{prometheus: p, step: step, rows: map[string][]row{}}
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", s)
	mux.HandleFunc("/connections", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, s.conns.Load()) })
	h := httptest.NewUnstartedServer(mux)
	h.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			s.conns.Add(1)
		case http.StateClosed, http.StateHijacked:
			s.conns.Add(-1)
		case http.StateActive, http.StateIdle:
		}
	}
	h.Start()
	defer h.Close()
	fmt.Fprintln(out, h.URL)
	_, err = io.Copy(io.Discard, in)
	return err
}

func serveAndExit() {
	if err := serve(os.Getenv(serverEnv), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}
