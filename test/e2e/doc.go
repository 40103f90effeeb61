// Command e2e proves that the consumers of infscale do what it recommends: a real
// Kubernetes control plane with its HPA controller, a real KEDA and a real Prometheus
// follow the real daemon, which watches a simulated fleet of vLLM servers.
//
// What is real is built from the module proxy and kept in a cache, so that the second run
// starts at once: etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kubectl,
// kwok (the kubelet of a node that does not exist), KEDA's operator and metrics server, and
// Prometheus. What is invented are the node, the pages of the pods that kwok calls running,
// the page of kube-state-metrics, which is written from the real objects, and the page of
// KEDA's HTTP add-on.
//
// All of it runs in namespaces of its own for network, processes and mounts: nothing is
// reachable from outside, the names of the shipped manifests resolve, and whatever ends the
// program, Ctrl-C or a crash, ends everything it started.
package main
