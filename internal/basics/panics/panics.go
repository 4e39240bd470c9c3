// Package panics turns a panic into an error: one piece of work fails, and the others go on.
package panics

import (
	"fmt"
	"runtime/debug"
)

// Error is the error of work that panicked. The stack is for the log only.
type Error struct {
	Cause any
	Stack []byte
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("panic: %v", e.Cause) }

// Guard does a piece of work. If it panics that is its error, an [*Error].
func Guard(do func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = &Error{cause, debug.Stack()}
		}
	}()
	return do()
}
