// Package replay reads and writes bundles of recorded runs, runs them again, and
// holds the gate: the proof that a proposed script keeps what worked.
//
//	gate, err := replay.Open(ctx, runner, subject, replay.Options{}) // runs the old code once
//	judgement, err := gate.Judge(ctx, candidate)
//
// The verdict comes from replay alone; [Gate.Judge] has its table. Replay lets through
// what hides a failure without touching what was recorded, so reasons to hold are looked
// for as well: ten rules (inquiry.go), whose parts are in hold_*.go. None knows an API or a script:
// they compare the mended run with what all recorded runs have in common, or change
// something, run again, and look at what becomes of it.
//
//	errors are not hidden                        swallowed error
//	nothing that is written hangs on an answer
//	that is assumed                              assumed answer
//	no call is left out, none is added           fewer writes, removed call, new tool, added write
//	nothing is left out of a list                fewer rows
//	what decided still decides                   value ignored, new shape ignored, value gone, stand-in,
//	                                             page ignored, order turned
//	a refused answer is not made up              answer lost
//	what the script refused it still refuses     removed check
//	the fix does not spell out what it           constant output, failing input named in the code,
//	should find                                  new condition
//	what comes out looks as it always did        garbage, changed shape
//	it may do no more than before                new recipient, redeclared write, access error, outside the
//	                                             envelope, new host, what no replay executed
//
// What is left out may also be left out because of what the data say. Before such a fix is
// held, the mended run is made again on other data of the same new shape (vary.go).
//
// A check that holds a right repair costs as much as one that misses a wrong one: each has
// tests for both.
package replay
