// Command mutation breaks the rules of infscale one at a time, and expects that a test
// notices each.
//
//	go run ./test/mutation           # all mutants, some minutes
//	go run ./test/mutation zero hpa  # those with zero or hpa in their name or file
//
// A mutant is a text of a source file and what stands there instead. It names the rule that
// it breaks. The tests of the file's package must then fail: a mutant that survives is a rule
// that no test protects.
//
// All mutants of a package are built at once: a function is there several times, and an
// environment variable says which one is called. The compiler is shown such files in place of
// the real ones (go build -overlay), so nothing in the repository is touched.
//
// The tables (the files mutants_*.go) are checked by the tests of this package: every text
// stands in its file exactly once, and every mutant compiles. When a rule moves or changes,
// its mutants follow.
package main
