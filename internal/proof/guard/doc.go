// Package guard looks at runs that do not fail. A script that reads with ?? and || does not throw when
// an API changes: it writes 0.00, NaN or an empty list, and calls that a success.
//
//	known := guard.Learn(version)                // from the recorded successes of a version
//	suspects := known.Suspects(run)              // cheap: what was answered in another shape, what is garbage
//	findings, err := guard.Confirm(ctx, runner, version, run, suspects)
//
// A suspect is only a difference. It becomes a finding when it matters: recorded successes are given
// what was answered now (the member gone, the list in an object, the status 500), the script is executed
// on them, and comes to another end than recorded. So nothing is held up by a change that the script can cope
// with, and nothing that recorded runs showed is a surprise: empty lists, new words, larger numbers, members
// that some had and some had not.
package guard
