package daemon

import (
	"errors"
	"io"
	"net"
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
