package daemon

import (
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A pipes listener accepts the server's ends of pipes.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (p pipes) Close() error { return nil }

func (p pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "pipe"} }

func TestClientsThatStallAreCutOff(t *testing.T) {
	tests := map[string]struct {
		sent string
		want time.Duration
	}{
		"within the header": {"GET /metrics HTTP/1.1\r\nHost: in", readHeaderTimeout},
		"within the body":   {"POST /-/reload HTTP/1.1\r\nHost: infscale\r\nContent-Length: 9\r\n\r\nabc", readTimeout},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, worldOf(newScripted(), "chat"))
				b.opts.EnableLifecycle = false // so that the answer does not wait for the loop
				server, listener := b.newServer(), make(pipes)
				ended := make(chan error)
				go func() { ended <- server.Serve(listener) }()
				client, conn := net.Pipe()
				listener <- conn
				if _, err := client.Write([]byte(test.sent)); err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				_, _ = io.Copy(io.Discard, client) // until the server closes
				if took := time.Since(start); took != test.want {
					t.Errorf("the connection was closed after %s, want %s", took, test.want)
				}
				close(listener)
				if err := <-ended; !errors.Is(err, net.ErrClosed) {
					t.Errorf("serving ended with %v, want the end of the listener", err)
				}
			})
		})
	}
}

// serving runs a server on a pipe, and returns the client's end of it.
func serving(t *testing.T) (client net.Conn, stop func()) {
	t.Helper()
	b := newBench(t, worldOf(newScripted(), "chat"))
	b.opts.EnableLifecycle = false // so that no answer waits for the loop
	server, listener := b.newServer(), make(pipes)
	ended := make(chan error)
	go func() { ended <- server.Serve(listener) }()
	client, conn := net.Pipe()
	listener <- conn
	return client, func() {
		_ = client.Close()
		close(listener)
		if err := <-ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("serving ended with %v, want the end of the listener", err)
		}
	}
}

func TestClientThatDoesNotReadIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, stop := serving(t)
		defer stop()
		if _, err := io.WriteString(client, "GET /metrics HTTP/1.1\r\nHost: infscale\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(writeTimeout + time.Second)
		if _, err := client.Write([]byte("x")); err == nil {
			t.Errorf("the connection is open after %s, want it closed after %s", writeTimeout+time.Second, writeTimeout)
		}
	})
}

func TestIdleConnectionIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, stop := serving(t)
		defer stop()
		if _, err := io.WriteString(client, "GET /-/healthy HTTP/1.1\r\nHost: infscale\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		answer, _ := io.ReadAll(client) // until the server closes
		if took := time.Since(start); took != idleTimeout || !strings.Contains(string(answer), "infscale is healthy.") {
			t.Errorf("closed after %s with %q, want an answer and %s", took, answer, idleTimeout)
		}
	})
}

// send writes text and reads the answer at the same time, as a client does that has much to say.
func send(client net.Conn, parts ...string) (written int, answer string) {
	done := make(chan int)
	go func() {
		n := 0
		for _, part := range parts {
			m, err := io.WriteString(client, part)
			if n += m; err != nil {
				break
			}
		}
		done <- n
	}()
	b, _ := io.ReadAll(client) // until the server closes
	return <-done, string(b)
}

func TestLongHeadersAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, stop := serving(t)
		defer stop()
		_, answer := send(client, "GET / HTTP/1.1\r\nHost: infscale\r\nX-Long: ", strings.Repeat("x", 2*maxHeader), "\r\n\r\n")
		if !strings.HasPrefix(answer, "HTTP/1.1 431 ") {
			t.Errorf("got %q, want status 431", answer)
		}
	})
}

func TestLongBodiesAreNotRead(t *testing.T) {
	const most = 600 << 10 // what the server skips of a body
	for name, header := range map[string]string{
		"with a length": "Content-Length: 1073741824\r\n",
		"in chunks":     "Transfer-Encoding: chunked\r\n",
		"of a GET":      "Content-Length: 10485760\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, stop := serving(t)
				defer stop()
				method, want := "POST /-/reload", "HTTP/1.1 403 "
				if name == "of a GET" {
					method, want = "GET /-/healthy", "HTTP/1.1 200 "
				}
				chunk := "100000\r\n" + strings.Repeat("x", 1<<20) + "\r\n"
				written, answer := send(client, append([]string{method + " HTTP/1.1\r\nHost: infscale\r\n" + header + "\r\n"}, slices.Repeat([]string{chunk}, 4)...)...)
				if !strings.HasPrefix(answer, want) || written > most {
					t.Errorf("got %q after %d bytes, want %sand no more than %d", answer[:min(len(answer), 60)], written, want, most)
				}
			})
		})
	}
}
