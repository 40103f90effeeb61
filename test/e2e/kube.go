package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// A kube reads objects from the apiserver. What is written goes through kubectl, as a user's
// would.
type kube struct {
	server string
	client *http.Client
}

// newKube authenticates with the administrator's certificate.
func newKube(server, certs string) (*kube, error) {
	pair, err := tls.LoadX509KeyPair(filepath.Join(certs, "admin.crt"), filepath.Join(certs, "admin.key"))
	if err != nil {
		return nil, err
	}
	ca, err := os.ReadFile(filepath.Join(certs, "ca.crt"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(ca) {
		return nil, errors.New("ca.crt: no certificate")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots, MinVersion: tls.VersionTLS12}}
	return &kube{server: server, client: &http.Client{Transport: transport, Timeout: 10 * time.Second}}, nil
}

// read decodes the object or list under a path into v.
func (k *kube) read(ctx context.Context, path string, v any) error {
	body, err := k.get(ctx, path)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func (k *kube) get(ctx context.Context, path string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.server+path, http.NoBody)
	if err != nil {
		return nil, err
	}
	resp, err := k.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s: %s", path, resp.Status, bytes.TrimSpace(body))
	}
	return body, nil
}

func (k *kube) ready(ctx context.Context) error {
	_, err := k.get(ctx, "/readyz")
	return err
}

// A meta is what is read of an object's metadata.
type meta struct {
	Name              string     `json:"name"`
	Namespace         string     `json:"namespace"`
	UID               string     `json:"uid"`
	Generation        int64      `json:"generation"`
	CreationTimestamp time.Time  `json:"creationTimestamp"`
	DeletionTimestamp *time.Time `json:"deletionTimestamp"`
	OwnerReferences   []struct {
		Kind       string `json:"kind"`
		Name       string `json:"name"`
		Controller bool   `json:"controller"`
	} `json:"ownerReferences"`
}

type condition struct {
	Type               string    `json:"type"`
	Status             string    `json:"status"`
	Reason             string    `json:"reason"`
	LastTransitionTime time.Time `json:"lastTransitionTime"`
}

type list[T any] struct {
	Items []T `json:"items"`
}

type pod struct {
	Metadata meta `json:"metadata"`
	Status   struct {
		Phase      string      `json:"phase"`
		Conditions []condition `json:"conditions"`
	} `json:"status"`
}

// readySince is when the pod became ready, and whether it is.
func (p *pod) readySince() (time.Time, bool) {
	for _, c := range p.Status.Conditions {
		if c.Type == "Ready" && c.Status == "True" {
			return c.LastTransitionTime, true
		}
	}
	return time.Time{}, false
}

// serving is whether a Service would send requests to it.
func (p *pod) serving() bool {
	_, ready := p.readySince()
	return ready && p.Metadata.DeletionTimestamp == nil
}

type deployment struct {
	Metadata meta `json:"metadata"`
	Spec     struct {
		Replicas int `json:"replicas"`
	} `json:"spec"`
	Status struct {
		Replicas           int   `json:"replicas"`
		ReadyReplicas      int   `json:"readyReplicas"`
		AvailableReplicas  int   `json:"availableReplicas"`
		UpdatedReplicas    int   `json:"updatedReplicas"`
		ObservedGeneration int64 `json:"observedGeneration"`
	} `json:"status"`
}

type replicaSet struct {
	Metadata meta `json:"metadata"`
}

// A scaledObject is one of KEDA.
type scaledObject struct {
	Status struct {
		Conditions []condition `json:"conditions"`
		Health     map[string]struct {
			NumberOfFailures int    `json:"numberOfFailures"`
			Status           string `json:"status"`
		} `json:"health"`
	} `json:"status"`
}

func is(conditions []condition, kind string) bool {
	for _, c := range conditions {
		if c.Type == kind {
			return c.Status == "True"
		}
	}
	return false
}

func (k *kube) nodeReady(ctx context.Context, name string) error {
	var node struct {
		Status struct {
			Conditions []condition `json:"conditions"`
		} `json:"status"`
	}
	if err := k.read(ctx, "/api/v1/nodes/"+name, &node); err != nil {
		return err
	}
	if !is(node.Status.Conditions, "Ready") {
		return fmt.Errorf("node %s is not ready", name)
	}
	return nil
}

func (k *kube) externalMetricsAvailable(ctx context.Context) error {
	var service struct {
		Status struct {
			Conditions []condition `json:"conditions"`
		} `json:"status"`
	}
	if err := k.read(ctx, "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.external.metrics.k8s.io", &service); err != nil {
		return err
	}
	if !is(service.Status.Conditions, "Available") {
		return errors.New("external.metrics.k8s.io is not available")
	}
	return nil
}
