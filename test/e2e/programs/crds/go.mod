module github.com/infscale/infscale/test/e2e/programs/crds

go 1.26.3

// Only files of these modules are used: the definitions of their objects.
require (
	github.com/prometheus-operator/prometheus-operator v0.85.0 // indirect
	sigs.k8s.io/karpenter v1.12.1 // indirect
)
