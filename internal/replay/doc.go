// Package replay reads and writes bundles of recorded runs, runs them again, and
// holds the gate: the proof that a proposed script keeps what worked.
//
//	gate, err := replay.Open(ctx, runner, subject)   // runs the old code once
//	judgement, err := gate.Judge(ctx, candidate)
package replay
