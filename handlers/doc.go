// Package handlers holds what follows from the log: reactions. Each package in it is one room;
// see the table of docs/design.md for which may use which.
//
//	loop         does what is due, once at a time; knows no workflow
//	agents       what every agent has: its thread, the form of its tools, its allowance
//	egress       where a script may go
//	rehearsal    what a run did, and scripts that run without sending a write
//	execution    admits runs, executes them, and sees to writes in doubt
//	maintenance  mends what broke
//	planning     talks with people about what they want
//
//	l := loop.New(loop.Config{Log: log, Kinds: []loop.Kind{handlers.Workflows(commands, reactions...)}})
//	err := l.Run(ctx)
//
// Here is how the loop watches workflows, and the tests that need all rooms.
package handlers
