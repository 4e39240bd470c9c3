// Package run records what one run did, call by call. Only the holder of the run's lease appends to its stream.
//
//	events, err := run.Decide(state, run.RecordCall{Seq: 1, Tool: "kv.get", Args: args, Effect: run.EffectRead}, now)
package run
