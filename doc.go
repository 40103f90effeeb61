// Package infscale is the root of a daemon that says how many replicas each served
// language model needs. It holds no code: its test checks what every package may import.
package infscale
