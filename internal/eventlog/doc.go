// Package eventlog is the port of the event log: bytes and positions, no domain types.
//
//	appended, err := log.Append(ctx, "run-7", eventlog.NoStream{}, events)
//	for record, err := range log.Stream(ctx, "run-7", 0) { … }
//	for record, err := range log.All(ctx, checkpoint, eventlog.Everything) { … }
//
// Every backend passes the suite in eventlogtest.
package eventlog
