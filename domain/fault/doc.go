// Package fault is why something was refused. The few kinds are what callers act
// on: they become exit codes and HTTP statuses in one place; the text is for people.
//
//	return fault.New(fault.Conflict, "workflow %s is paused: activate it first", id)
//	…
//	if fault.KindOf(err) == fault.NotFound { … }
package fault
