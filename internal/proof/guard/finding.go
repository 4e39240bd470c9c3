package guard

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/payload"
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
	// Nothing: a version on trial writes or returns nothing where there always was something.
	Nothing Kind = "nothing"
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
	// NoData says that a web page, bytes or nothing came in the place of something else.
	NoData bool `json:"noData,omitempty"`

	path  []string
	in    *payload.Schema // what stood around it
	now   *payload.Place  // what stands there, nil for nothing
	how   string
	kinds []string // that it had
}

// made says that it is about what a run makes, and not what it was given.
func (f Finding) made() bool { return f.Kind == Garbage || f.Kind == Nothing }

// isMember says that it is about a member of records.
func (f Finding) isMember() bool { return f.in != nil && len(f.path) > 0 && f.in.At(f.path).IsMember() }

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
	text := fmt.Sprintf("%s was %s, and is %s", f.where(), f.Was, f.Is)
	if f.Shown != "" {
		text += " (" + f.Shown + ")"
	}
	return text
}

// where names the place as people would.
func (f Finding) where() string {
	if f.Source == "output" {
		return strings.TrimPrefix(f.Place+" of the result", " of ")
	}
	write, is := strings.CutPrefix(f.Source, "write ")
	first, rest, deep := strings.Cut(f.Place, ".")
	n, err := strconv.Atoi(first)
	switch {
	case !is || err != nil:
		return strings.TrimSuffix(f.Source+" "+f.Place, " ")
	case deep:
		return fmt.Sprintf("%s in argument %d of %s", rest, n+1, write)
	}
	return fmt.Sprintf("argument %d of %s", n+1, write)
}
