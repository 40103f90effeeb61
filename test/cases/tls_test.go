package cases

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/infscale/infscale/promapi/promapitest"
)

// An authority issues certificates for the loopback interface.
type authority struct {
	template *x509.Certificate
	key      *ecdsa.PrivateKey
	der      []byte
}

func newAuthority() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	a := &authority{key: key, template: &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority of a case"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0), KeyUsage: x509.KeyUsageCertSign,
	}}
	a.der, err = x509.CreateCertificate(rand.Reader, a.template, a.template, &key.PublicKey, key)
	return a, err
}

// save writes the certificate of the authority.
func (a *authority) save(file string) error {
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.der}), 0o600)
}

// leaf issues a certificate.
func (a *authority) leaf() (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "prometheus"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(1<<33, 0), KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}, a.template, &key.PublicKey, a.key)
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, err
}

// A secureServer is the lab behind TLS, whose certificate can change.
type secureServer struct {
	*scripted
	tls  *httptest.Server
	cert atomic.Pointer[tls.Certificate]
	file string // of the authority
}

func newSecureServer(t *testing.T, in *input) (*secureServer, error) {
	s := &secureServer{scripted: newScripted(t, in, epoch), file: filepath.Join(t.TempDir(), "ca.crt")}
	if err := s.renew(); err != nil {
		return nil, err
	}
	s.tls = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.tls.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.tls.TLS = &tls.Config{GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		return &tls.Config{Certificates: []tls.Certificate{*s.cert.Load()}}, nil
	}}
	s.tls.StartTLS()
	t.Cleanup(s.tls.Close)
	return s, nil
}

// renew makes another authority, saves it, and serves a certificate of it.
func (s *secureServer) renew() error {
	a, err := newAuthority()
	if err != nil {
		return err
	}
	leaf, err := a.leaf()
	if err != nil {
		return err
	}
	s.cert.Store(leaf)
	return a.save(s.file)
}

// secured runs variants of a client of a server with a private authority: "ca_file -> ok".
func secured(t *testing.T, in *input) (*run, error) {
	var variants []string
	if err := json.Unmarshal(in.Variants, &variants); err != nil {
		return nil, fmt.Errorf("variants: %w", err)
	}
	whole := &run{}
	for i, v := range variants {
		name, _, _ := strings.Cut(v, " ->")
		part, err := variantOfTLS(t, in, name)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			name = "first"
		}
		whole.add(name, part)
	}
	return whole, nil
}

func variantOfTLS(t *testing.T, in *input, name string) (*run, error) {
	s, err := newSecureServer(t, in)
	if err != nil {
		return nil, err
	}
	options, prometheus := map[string]any{}, map[string]any{"url": s.tls.URL}
	if strings.Contains(name, "ca_file") || strings.Contains(name, "rotated") {
		options["ca_file"] = s.file
	}
	if strings.Contains(name, "skip_verify") {
		options["insecure_skip_verify"] = true
	}
	prometheus["tls_config"] = options
	authorization := ""
	if strings.Contains(name, "auth") {
		prometheus["authorization"] = map[string]any{"credentials": secret}
		authorization = "Bearer " + secret
	}
	set := &settings{namespace: "ns1", targets: []target{{name: "chat"}}, policy: policyOf(in), query: demandQuery, top: map[string]any{"prometheus": prometheus}}
	s.start(set)
	good := always(promapitest.Vector(promapitest.Sample(s.each * s.scene.current)))
	s.fault = func(r *http.Request) http.Handler {
		switch {
		case r.Header.Get("Authorization") != authorization:
			return always(promapitest.Text(http.StatusUnauthorized, "text/plain", "unauthorized"))(r)
		case r.Form.Get("query") == demandQuery:
			return good(r)
		}
		return nil
	}
	s.decide()
	if strings.Contains(name, "rotated") {
		if err := s.renew(); err != nil {
			return nil, err
		}
		s.tls.CloseClientConnections()
		s.decide()
	}
	return s.run, nil
}
