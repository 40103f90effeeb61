package main

import (
	"context"
	"crypto/x509/pkix"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Ports on the loopback of the sandbox, where nothing else listens. That of Prometheus is
// the one that the manifests name.
const (
	etcdPort           = "2379"
	etcdPeerPort       = "2380"
	apiPort            = "6443"
	managerPort        = "10257"
	schedulerPort      = "10259"
	kwokPort           = "10247"
	adapterPort        = "6444"
	adapterMetricsPort = "6445"
	kedaPort           = "9666"
	kedaMetricsPort    = "8081"
	kedaHealthPort     = "8082"
	prometheusPort     = "9090"
	daemonPort         = "9099"
	fleetPort          = "8000"
	externalPort       = "6446"
)

func loopback(port string) string { return "127.0.0.1:" + port }

// A plane is the control plane: who runs, and where its files are.
type plane struct {
	crew    *crew
	cache   cache
	dir     string // Of this run.
	kube    *kube
	log     *timeline
	hpaSync time.Duration
}

func (p *plane) path(name string) string { return filepath.Join(p.dir, name) }

// certify writes all certificates and the kubeconfig.
func (p *plane) certify() error {
	certs, keda := p.path("certs"), p.path("keda")
	for _, dir := range []string{certs, keda} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	ca, err := newAuthority(certs, "ca")
	if err != nil {
		return err
	}
	front, err := newAuthority(certs, "front")
	if err != nil {
		return err
	}
	for _, sign := range []func() error{
		func() error {
			return ca.sign("api", pkix.Name{CommonName: "kube-apiserver"}, "localhost", "kubernetes", "kubernetes.default.svc")
		},
		func() error {
			return ca.sign("admin", pkix.Name{CommonName: "admin", Organization: []string{"system:masters"}})
		},
		// The aggregation layer calls the metrics server by the name of its Service.
		func() error {
			return ca.sign("keda", pkix.Name{CommonName: "keda"}, "localhost", "keda-metrics-apiserver.keda.svc", "keda-operator.keda.svc")
		},
		func() error { return front.sign("proxy", pkix.Name{CommonName: "front-proxy-client"}) },
		func() error { return ca.signingKey("accounts") },
	} {
		if err := sign(); err != nil {
			return err
		}
	}
	for from, to := range map[string]string{"ca.crt": "ca.crt", "keda.crt": "tls.crt", "keda.key": "tls.key"} {
		content, err := os.ReadFile(ca.file(from))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(keda, to), content, 0o600); err != nil {
			return err
		}
	}
	return p.render("kubeconfig.yaml", p.path("kubeconfig"), map[string]string{"Server": "https://" + loopback(apiPort), "Certs": certs})
}

// startKubernetes starts a control plane and the kubelet of a node that does not exist.
func (p *plane) startKubernetes(ctx context.Context) error {
	if _, err := p.crew.start("etcd", "etcd", p.etcdFlags()...); err != nil {
		return err
	}
	if _, err := p.crew.start("kube-apiserver", "kube-apiserver", p.apiFlags()...); err != nil {
		return err
	}
	if err := p.await(ctx, "kube-apiserver", 90*time.Second, p.kube.ready); err != nil {
		return err
	}
	client := []string{
		"--kubeconfig=" + p.path("kubeconfig"), "--authentication-kubeconfig=" + p.path("kubeconfig"),
		"--authorization-kubeconfig=" + p.path("kubeconfig"), "--bind-address=127.0.0.1", "--leader-elect=false",
	}
	manager := append(slices.Clip(client),
		"--secure-port="+managerPort, "--cert-dir="+p.path("manager"),
		"--service-account-private-key-file="+p.path("certs/accounts.key"), "--root-ca-file="+p.path("certs/ca.crt"),
		"--horizontal-pod-autoscaler-sync-period="+p.hpaSync.String())
	if _, err := p.crew.start("kube-controller-manager", "kube-controller-manager", manager...); err != nil {
		return err
	}
	scheduler := append(slices.Clip(client), "--secure-port="+schedulerPort, "--cert-dir="+p.path("scheduler"))
	if _, err := p.crew.start("kube-scheduler", "kube-scheduler", scheduler...); err != nil {
		return err
	}
	if _, err := p.crew.start("kwok", "kwok", p.kwokFlags()...); err != nil {
		return err
	}
	if err := p.apply(ctx, "node.yaml", nil); err != nil {
		return err
	}
	return p.await(ctx, "node", time.Minute, func(ctx context.Context) error { return p.kube.nodeReady(ctx, "gpu-0") })
}

func (p *plane) etcdFlags() []string {
	client, peer := "http://"+loopback(etcdPort), "http://"+loopback(etcdPeerPort)
	return []string{
		"--data-dir=" + p.path("etcd"), "--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=default=" + peer,
		"--unsafe-no-fsync", "--log-level=warn", // Nothing needs to outlive the run.
	}
}

func (p *plane) apiFlags() []string {
	certs := p.path("certs")
	return []string{
		"--etcd-servers=http://" + loopback(etcdPort), "--bind-address=127.0.0.1", "--secure-port=" + apiPort,
		"--tls-cert-file=" + certs + "/api.crt", "--tls-private-key-file=" + certs + "/api.key", "--client-ca-file=" + certs + "/ca.crt",
		"--cert-dir=" + p.path("apiserver"), "--authorization-mode=RBAC", "--service-cluster-ip-range=10.96.0.0/16",
		// A loopback address is no endpoint, so none is published.
		"--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + certs + "/accounts.pub", "--service-account-signing-key-file=" + certs + "/accounts.key",
		"--requestheader-client-ca-file=" + certs + "/front.crt", "--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User", "--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file=" + certs + "/proxy.crt", "--proxy-client-key-file=" + certs + "/proxy.key",
	}
}

func (p *plane) kwokFlags() []string {
	flags := []string{
		"--kubeconfig=" + p.path("kubeconfig"), "--manage-all-nodes=true", "--node-lease-duration-seconds=40",
		"--server-address=" + loopback(kwokPort), "--node-ip=127.0.0.1",
	}
	for _, stage := range []string{
		"kwok-node/node-initialize.yaml", "kwok-lease/node-heartbeat-with-lease.yaml",
		"kwok-pod/pod-ready.yaml", "kwok-pod/pod-complete.yaml", "kwok-pod/pod-delete.yaml",
	} {
		flags = append(flags, "--config="+p.cache.asset(stage))
	}
	return flags
}

// startKEDA starts the operator and the metrics server, which the apiserver asks for
// external metrics.
func (p *plane) startKEDA(ctx context.Context) error {
	if err := p.kubectl(ctx, "apply", "--server-side", "-f", p.cache.asset("keda-crds")); err != nil {
		return err
	}
	if err := p.externalMetricsFrom(ctx, adapterPort); err != nil {
		return err
	}
	kubeconfig, certs := p.path("kubeconfig"), p.path("keda")
	_, err := p.crew.start("keda-operator", "keda-operator",
		"--kubeconfig="+kubeconfig, "--metrics-bind-address="+loopback(kedaMetricsPort), "--health-probe-bind-address="+loopback(kedaHealthPort),
		"--metrics-service-bind-address="+loopback(kedaPort), "--cert-dir="+certs, "--enable-cert-rotation=false", "--zap-log-level=info")
	if err != nil {
		return err
	}
	_, err = p.crew.start("keda-adapter", "keda-adapter",
		"--kubeconfig="+kubeconfig, "--lister-kubeconfig="+kubeconfig, "--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig,
		"--bind-address=127.0.0.1", "--secure-port="+adapterPort, "--port="+adapterMetricsPort, "--metrics-service-address="+loopback(kedaPort),
		"--client-ca-file="+certs+"/ca.crt", "--tls-cert-file="+certs+"/tls.crt", "--tls-private-key-file="+certs+"/tls.key", "--cert-dir="+certs)
	if err != nil {
		return err
	}
	return p.await(ctx, "KEDA", time.Minute, func(ctx context.Context) error {
		if err := answers(ctx, "http://"+loopback(kedaHealthPort)+"/readyz"); err != nil {
			return err
		}
		return p.kube.externalMetricsAvailable(ctx)
	})
}

// externalMetricsFrom makes a port the source of external metrics. Without a kube-proxy a
// Service has no address, but one that is a name is called by that name.
func (p *plane) externalMetricsFrom(ctx context.Context, port string) error {
	ca, err := os.ReadFile(p.path("certs/ca.crt"))
	if err != nil {
		return err
	}
	return p.apply(ctx, "external-metrics.yaml", map[string]any{"Port": port, "CA": ca})
}

// startPrometheus starts it on the data that is there.
func (p *plane) startPrometheus(ctx context.Context) (*process, error) {
	prometheus, err := p.crew.start("prometheus", "prometheus", "--config.file="+p.path("prometheus.yaml"),
		"--storage.tsdb.path="+p.path("prometheus"), "--web.listen-address="+loopback(prometheusPort))
	if err != nil {
		return nil, err
	}
	return prometheus, p.await(ctx, "Prometheus", time.Minute, func(ctx context.Context) error {
		return answers(ctx, "http://"+loopback(prometheusPort)+"/-/ready")
	})
}

// startDaemon starts what all this is about.
func (p *plane) startDaemon(ctx context.Context) (*process, error) {
	daemon, err := p.crew.start("recommender", "recommender", "serve", "--config.file="+p.path("infscale.yaml"), "--web.listen-address="+loopback(daemonPort))
	if err != nil {
		return nil, err
	}
	return daemon, p.await(ctx, "infscale", time.Minute, func(ctx context.Context) error {
		return answers(ctx, "http://"+loopback(daemonPort)+"/-/ready")
	})
}

// answers is an error unless a GET is answered with 200.
func answers(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, resp.Status)
	}
	return nil
}
