package fault

import (
	"errors"
	"fmt"
)

// Kind says what a caller can do about a refusal.
type Kind string

// The kinds.
const (
	Invalid   Kind = "invalid"   // the request is wrong whatever the state: change it
	Conflict  Kind = "conflict"  // the state does not allow it now: look, then ask again
	NotFound  Kind = "not_found" // what is named is not there
	Forbidden Kind = "forbidden" // it is there, and not for the one who asks
	Internal  Kind = "internal"  // ours: the text is for operators, not for callers
)

// Error is a refusal. Its text says what is wrong and what to do.
type Error struct {
	Kind    Kind
	Message string
	cause   error
}

// New returns an [*Error]. A %w in the format wraps a cause, as with [fmt.Errorf].
func New(kind Kind, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), cause: errors.Unwrap(err)}
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap gives the cause, nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// KindOf is the kind of the first refusal in err's chain. An error that is none
// is [Internal]; nil has no kind.
func KindOf(err error) Kind {
	if err == nil {
		return ""
	}
	if refusal, ok := errors.AsType[*Error](err); ok {
		return refusal.Kind
	}
	return Internal
}
