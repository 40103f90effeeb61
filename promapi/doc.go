// Package promapi reads a Prometheus-compatible HTTP API and turns its answers
// into a recommender.Observation.
//
//	Config -> Client -> Result -> rows by workload -> recommender.Observation
//	          client,            engines, queries,
//	          errors, decode     observe
//
// A [Client] sends one instant or range query and gives back a [Result], or a
// [QueryError] whose [Cause] is one of a closed set. It never guesses: a value
// that is not a number, a row that is a native histogram, a sign-in page with
// status 200 and a body that stops half-way are errors, and none of them is
// zero. NaN and the infinities are values here, because only the reader of a
// signal knows what they mean for it.
//
// Answers with warnings are partial: stores were missing, or rows were cut. They
// are a lower bound of the truth, and [Result.Warnings] says so.
//
// Secrets stay inside: no error, log line or metric of this package carries a
// token, a password, the value of a configured header, or the query string of
// a URL.
package promapi
