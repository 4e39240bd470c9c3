// Package gate reads and writes bundles of recorded runs, runs them again, and
// holds the gate: the proof that a proposed script keeps what worked.
//
//	opened, err := gate.Open(ctx, runner, subject, gate.Options{}) // runs the old code once
//	judgement, err := opened.Judge(ctx, candidate)
//
// The verdict comes from replay alone; [Gate.Judge] has its table. A fix that passes the replay may still be wrong:
// it is held unless recorded runs that are given the new shape prove it (oracle.go, proof.go). A fix that may do more
// than the script did, or hides errors, is held even if it is proved (inquiry.go and hold_*.go).
package gate
