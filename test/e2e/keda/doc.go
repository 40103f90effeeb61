// Package keda tests that KEDA reads from infscale the replicas that infscale means: KEDA's
// own Prometheus scaler, as a library and with the metadata of the shipped ScaledObject, asks
// a real Prometheus that scrapes the real daemon. It needs no cluster.
//
// The module also fixes the version of the KEDA programs that the end-to-end test runs.
package keda
