// Package generate renders what stands beside infscale in a cluster: the object by which KEDA or
// an HPA follows its recommendation for a workload of a configuration, and the recording rules,
// alerts and dashboards that come with it, plain or as Kubernetes objects.
package generate
