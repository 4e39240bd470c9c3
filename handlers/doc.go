// Package handlers holds what follows from the log: reactions. A reaction says what
// is due, from a workflow's folded state alone; the Loop does it, once at a time, and
// looks again. Events only wake the loop, so a crash between two appends is mended by
// the next look, and reading the log again does nothing twice.
//
//	loop := handlers.NewLoop(handlers.LoopConfig{Log: log, Workflows: commands, Reactions: …})
//	err := loop.Run(ctx)
package handlers
