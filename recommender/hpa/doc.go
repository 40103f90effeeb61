// Package hpa is the arithmetic of the Kubernetes HorizontalPodAutoscaler
// controller, version 1.37: from metrics, pods and the scale of a workload to the
// replica count that the controller would write, and the conditions it would show.
//
// It is exact, quirks included, because people ask "what would my HPA have done?"
// and because package recommender promises to be the HPA where its own extensions
// are off. TestVectors holds it against recorded ticks of the real controller.
//
//	values, pods --metrics.go--> proposals --reconcile.go--> raw
//	raw --window.go--> stabilised --limit.go--> desired --> events, conditions
//
// A controller is a [Spec], which is configuration, and a [State], which is what the
// real controller keeps in memory and in the status of the HPA. [State.Reconcile]
// makes one decision. Nothing here reads a clock, logs, or fails.
//
// The functions of window.go and limit.go are shared with package recommender.
package hpa
