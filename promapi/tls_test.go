package promapi

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi/promapitest"
)

// A pki is a certificate authority of a test.
type pki struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	der  []byte
}

func newPKI(t *testing.T) *pki {
	p := &pki{t: t}
	p.key = p.newKey()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test CA"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0), KeyUsage: x509.KeyUsageCertSign,
	}
	p.der = p.sign(template, template, &p.key.PublicKey, p.key)
	p.cert, _ = x509.ParseCertificate(p.der)
	return p
}

func (p *pki) newKey() *ecdsa.PrivateKey {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		p.t.Fatal(err)
	}
	return key
}

func (p *pki) sign(template, parent *x509.Certificate, public *ecdsa.PublicKey, key *ecdsa.PrivateKey) []byte {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, public, key)
	if err != nil {
		p.t.Fatal(err)
	}
	return der
}

// pem is the certificate of the authority.
func (p *pki) pem() string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: p.der}))
}

// leaf issues a certificate for a host name or address.
func (p *pki) leaf(host string) tls.Certificate {
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: host},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	key := p.newKey()
	return tls.Certificate{Certificate: [][]byte{p.sign(template, p.cert, &key.PublicKey, p.key)}, PrivateKey: key}
}

// files writes a certificate and its key into dir.
func (p *pki) files(dir string, c tls.Certificate) (certFile, keyFile string) {
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		p.t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	write(p.t, certFile, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})))
	write(p.t, keyFile, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	return certFile, keyFile
}

// serve starts a TLS server, which may insist on a client certificate of p.
func (p *pki) serve(t *testing.T, h http.Handler, c tls.Certificate, mutual bool) *httptest.Server {
	srv := httptest.NewUnstartedServer(h)
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	srv.TLS = &tls.Config{Certificates: []tls.Certificate{c}}
	if mutual {
		srv.TLS.ClientAuth, srv.TLS.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		srv.TLS.ClientCAs.AddCert(p.cert)
	}
	srv.StartTLS()
	t.Cleanup(srv.Close)
	return srv
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func vectorServer() *promapitest.Server {
	s := new(promapitest.Server)
	s.Answer(promapitest.Any, promapitest.Vector(promapitest.Sample(1)))
	return s
}

func TestTLS(t *testing.T) {
	pki, stranger := newPKI(t), newPKI(t)
	dir := t.TempDir()
	ca, badCA := filepath.Join(dir, "ca.pem"), filepath.Join(dir, "bad.pem")
	write(t, ca, pki.pem())
	write(t, badCA, stranger.pem())
	tests := map[string]struct {
		host   string
		change func(*Config)
		ok     bool
	}{
		"no authority":           {"127.0.0.1", func(*Config) {}, false},
		"another authority":      {"127.0.0.1", func(c *Config) { c.HTTP.TLSConfig.CAFile = badCA }, false},
		"a file":                 {"127.0.0.1", func(c *Config) { c.HTTP.TLSConfig.CAFile = ca }, true},
		"text":                   {"127.0.0.1", func(c *Config) { c.HTTP.TLSConfig.CA = pki.pem() }, true},
		"another name":           {"prometheus.example", func(c *Config) { c.HTTP.TLSConfig.CAFile = ca }, false},
		"server_name":            {"prometheus.example", func(c *Config) { c.HTTP.TLSConfig.CAFile, c.HTTP.TLSConfig.ServerName = ca, "prometheus.example" }, true},
		"insecure_skip_verify":   {"127.0.0.1", func(c *Config) { c.HTTP.TLSConfig.InsecureSkipVerify = true }, true},
		"skip and authorization": {"127.0.0.1", func(c *Config) { withBasicAuth(c); c.HTTP.TLSConfig.InsecureSkipVerify = true }, true},
		"file and authorization": {"127.0.0.1", func(c *Config) { withBasicAuth(c); c.HTTP.TLSConfig.CAFile = ca }, true},
		"HTTP/1.1 and a file":    {"127.0.0.1", func(c *Config) { c.HTTP.EnableHTTP2 = false; c.HTTP.TLSConfig.CAFile = ca }, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			srv := pki.serve(t, vectorServer(), pki.leaf(test.host), false)
			_, err := newTestClient(t, srv.URL, test.change).Query(t.Context(), "up", at)
			if test.ok {
				if err != nil {
					t.Error(err)
				}
				return
			}
			wantCause(t, err, CauseTLS, "certificate")
		})
	}
}

func TestMutualTLS(t *testing.T) {
	pki, stranger := newPKI(t), newPKI(t)
	srv := pki.serve(t, vectorServer(), pki.leaf("127.0.0.1"), true)
	dir := t.TempDir()
	cert, key := pki.files(dir, stranger.leaf("client"))
	c := newTestClient(t, srv.URL, func(c *Config) {
		c.HTTP.TLSConfig.CA, c.HTTP.TLSConfig.CertFile, c.HTTP.TLSConfig.KeyFile = pki.pem(), cert, key
	})
	_, err := c.Query(t.Context(), "up", at)
	wantCause(t, err, CauseTLS)

	// The files are replaced under the running client.
	pki.files(dir, pki.leaf("client"))
	if _, err := c.Query(t.Context(), "up", at); err != nil {
		t.Errorf("after the rotation: %v", err)
	}
	write(t, key, "rubbish")
	_, err = c.Query(t.Context(), "up", at)
	wantCause(t, err, CauseTLS)
	if err := os.Remove(cert); err != nil {
		t.Fatal(err)
	}
	_, err = c.Query(t.Context(), "up", at)
	wantCause(t, err, CauseTLS, "tls.crt")

	_, err = newTestClient(t, srv.URL, func(c *Config) { c.HTTP.TLSConfig.CA = pki.pem() }).Query(t.Context(), "up", at)
	wantCause(t, err, CauseTLS)
}

func TestAuthorityRotated(t *testing.T) {
	before, after := newPKI(t), newPKI(t)
	file := filepath.Join(t.TempDir(), "ca.pem")
	write(t, file, before.pem())
	srv := after.serve(t, vectorServer(), after.leaf("127.0.0.1"), false)
	c := newTestClient(t, srv.URL, func(c *Config) { c.HTTP.TLSConfig.CAFile = file })
	_, err := c.Query(t.Context(), "up", at)
	wantCause(t, err, CauseTLS)
	write(t, file, "")
	_, err = c.Query(t.Context(), "up", at)
	wantCause(t, err, CauseTLS, "ca.pem")
	write(t, file, after.pem())
	if _, err := c.Query(t.Context(), "up", at); err != nil {
		t.Errorf("after the rotation: %v", err)
	}
}

func TestPlainServer(t *testing.T) {
	api := promapitest.New(t)
	api.Answer(promapitest.Any, promapitest.Vector())
	_, err := newTestClient(t, "https"+api.URL[len("http"):]).Query(t.Context(), "up", at)
	wantCause(t, err, CauseTLS, "HTTP response to HTTPS client")

	pki := newPKI(t)
	srv := pki.serve(t, vectorServer(), pki.leaf("127.0.0.1"), false)
	_, err = newTestClient(t, "http"+srv.URL[len("https"):]).Query(t.Context(), "up", at)
	wantCause(t, err, CauseBadRequest, "status 400", "HTTPS server")
}
