// Package replay reads and writes bundles of recorded runs, runs them again, and
// holds the gate: the proof that a proposed script keeps what worked.
//
//	gate, err := replay.Open(ctx, runner, subject, replay.Options{}) // runs the old code once
//	judgement, err := gate.Judge(ctx, candidate)
//
// The verdict comes from replay alone; [Gate.Judge] has its table. Replay lets through
// what hides a failure without touching what was recorded, so reasons to hold are looked
// for as well, each in a file of its own (hold_*.go). None knows an API or a script:
// they compare the mended run with what all recorded runs have in common, or change
// something, run again, and look at what becomes of it.
//
//	swallowed error     an error that nobody expects, put before a new handler, gets lost
//	fewer writes        what every recorded success writes is not written
//	removed call        what every success, or the failed run itself, reads is not read
//	new tool            no recorded run calls it
//	added write         more often, or in an order, that no recorded run has
//	fewer, more rows    what always followed the length of a list no longer does
//	left out            a new condition keeps from what was always done
//	new shape ignored   a member is gone, one that looks like it is there and not read
//	page ignored        an answer says that there is more, and that is not read
//	answer lost         what was always read is refused, nothing is asked in its place
//	value gone          a number that always mattered is gone, nothing new is read
//	stand-in            another member is read that recorded runs had, and it is another
//	value ignored       nothing that comes out depends on what always mattered, or on its digits
//	item ignored        nothing depends on the first, or the last, of a list
//	order turned        a list came the other way round, and its order matters
//	removed check       a throw of the script's own is gone, or lets everything through
//	constant output     a new return of a constant became the output
//	failing input named a literal that only the failing run's data have decides something
//	new recipient       an address that is in nothing that was read
//	garbage             undefined, NaN, [object Object], days and years that cannot be
//	changed shape       another type, format or set of members than ever recorded
//	redeclared write    a recorded write is called a read
//	access error        the first AuthError or PermissionError of the script's own
//	outside envelope    a host, or a place for writes, where no recorded run has been
//
// What is left out may also be left out because of what the data say. Before such a fix is
// held, the mended run is made again on other data of the same new shape (vary.go).
//
// A check that holds a right repair costs as much as one that misses a wrong one: each has
// tests for both.
package replay
