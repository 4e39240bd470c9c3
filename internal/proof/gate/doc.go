// Package gate reads and writes bundles of recorded runs, runs them again, and
// holds the gate: the proof that a proposed script keeps what worked.
//
//	opened, err := gate.Open(ctx, runner, subject, gate.Options{}) // runs the old code once
//	judgement, err := opened.Judge(ctx, candidate)
//
// The verdict comes from replay alone; [Gate.Judge] has its table. What replay lets through may still be wrong: a fix is
// held unless recorded runs that are given the new shape prove it (oracle.go, proof.go). A fix that may do more than the
// script did, or hides errors, is held whatever proves it (inquiry.go and hold_*.go).
package gate
