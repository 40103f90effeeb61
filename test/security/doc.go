// Package security has no code of its own: its tests attack infscale from every side that
// SECURITY.md names. Names and selectors try to leave their place in a query or a manifest,
// Prometheus lies and sends markup, requests come with odd methods, paths and sizes, and
// secrets are planted everywhere and searched for in all that the program says.
package security
