package event

import "fmt"

// ImpossibleError says that an event cannot have happened where a history has it: no decision
// ever led to it, so that somebody wrote it who is not this program.
type ImpossibleError struct {
	Type string
	Why  string // for people
}

// Error implements error.
func (e *ImpossibleError) Error() string {
	return fmt.Sprintf("event: %s cannot have happened here: %s", e.Type, e.Why)
}

// Impossible makes an [*ImpossibleError].
func Impossible(e Event, format string, args ...any) error {
	return &ImpossibleError{Type: e.EventType(), Why: fmt.Sprintf(format, args...)}
}
