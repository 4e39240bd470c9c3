package llm

import "fmt"

// Error implements error.
func (e *Error) Error() string {
	text := fmt.Sprintf("llm: %s", e.Kind)
	if e.Status != 0 {
		text += fmt.Sprintf(" (HTTP %d)", e.Status)
	}
	if e.Code != "" {
		text += " " + e.Code
	}
	if e.Detail != "" {
		text += ": " + e.Detail
	}
	return text
}
