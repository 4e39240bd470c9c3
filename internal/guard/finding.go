package guard

import (
	"fmt"
	"strings"
)

// Kind is what sort of evidence a finding is.
type Kind string

// The kinds of findings.
const (
	// Shape: a place of an answer is gone, changed its type, or became something else everywhere.
	Shape Kind = "shape"
	// Status: an answer came with a status, or of a type, that recorded successes never had, and the script went on.
	Status Kind = "status"
	// Garbage: the output or a write holds what a missing value turns into.
	Garbage Kind = "garbage"
)

// Finding is one thing that is not as it was whenever the script was right.
type Finding struct {
	Kind   Kind   `json:"kind"`
	Source string `json:"source"` // a template of calls, "input", or where garbage goes: "output", a template of writes
	Place  string `json:"place,omitempty"`
	Was    string `json:"was"`
	Is     string `json:"is"`
	// Shown says what a recorded run would have come to; empty for what only looks so.
	Shown string `json:"shown,omitempty"`
	// HTTP is the status of a swallowed answer, 0 if it is none.
	HTTP int `json:"http,omitempty"`

	path  []string
	how   string
	kinds []string // that it had
}

// Key is the same whenever the same is found again, whatever the values are that day.
func (f Finding) Key() string {
	return strings.Join([]string{string(f.Kind), f.Source, f.Place, f.how}, " ")
}

// Text is the finding without what it was shown by: the same on every day.
func (f Finding) Text() string {
	f.Shown = ""
	return f.String()
}

// String says it in one line.
func (f Finding) String() string {
	at := f.Source
	if f.Place != "" {
		at += " " + f.Place
	}
	text := fmt.Sprintf("%s was %s, and is %s", at, f.Was, f.Is)
	if f.Shown != "" {
		text += " (" + f.Shown + ")"
	}
	return text
}

// How a place differs.
const (
	isGone    = "gone"
	isNull    = "null"
	isChanged = "of another type"
	isNoJSON  = "no JSON"
	isFormat  = "written another way"
	isScaled  = "of another size"
	isWords   = "other words"
)
