package sandbox

import (
	"errors"
	"fmt"
)

// SyntaxError says why a script cannot be run, and where. Line and Column are 1-based,
// Column counts bytes; both are 0 if the fault has no place, as when there is no main.
type SyntaxError struct {
	Line, Column int
	Message      string
}

// Error implements error.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return "script: " + e.Message
	}
	return fmt.Sprintf("script: line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// ErrorNames are the names of errors by class. Scripts see the first four, and may make
// them themselves.
var ErrorNames = map[string]string{
	ClassAuth:       "AuthError",
	ClassPermission: "PermissionError",
	ClassNetwork:    "NetworkError",
	ClassLogic:      "LogicError",
	ClassLimit:      "LimitError",
	ClassInternal:   "InternalError",
}

// CodeTorn is the code of an answer that did not arrive as what it is.
const CodeTorn = "answer.torn"

// NameLookedInto is the name of the error of a script that looks into a value that nobody knows.
const NameLookedInto = "UnanswerableError"

// ErrClosed is the error of a run on a closed pool.
var ErrClosed = errors.New("the sandbox is closed")

// StopReason is how a run ends whose host has no answer.
func StopReason(err error) *Error {
	var stop *StopError
	if errors.As(err, &stop) {
		return &stop.Reason
	}
	return &Error{Class: ClassInternal, Name: "InternalError", Message: err.Error()}
}

// UnavailableError says that the machine, not the script, is why there is no outcome: what was to be done has not begun, or was given
// no processor. It may be tried again as soon as there is room.
type UnavailableError struct {
	Reason string // for people
	Cause  error
}

// Error implements error.
func (e *UnavailableError) Error() string { return e.Reason }

// Unwrap gives the cause, nil if there is none.
func (e *UnavailableError) Unwrap() error { return e.Cause }

func LimitError(code, message string) Error {
	return Error{Class: ClassLimit, Name: "LimitError", Code: code, Message: message}
}
