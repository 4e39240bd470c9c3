// Package run is what one run did, call by call. Whoever holds the run's lease is the one
// appender of its stream.
//
//	events, err := run.Decide(state, run.RecordCall{Seq: 1, Tool: "kv.get", Args: args, Effect: run.EffectRead}, now)
package run
