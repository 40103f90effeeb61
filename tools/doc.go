// Package tools holds one Go module for each development tool, so that the module of infscale
// requires what its users need and nothing else. Its test checks that everything that builds,
// checks or ships infscale has its version written down.
package tools
