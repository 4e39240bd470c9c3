package run

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// State is a run, folded from its stream. The zero State is a run that nobody has started.
// It is a value: [Evolve] never changes what an earlier State holds.
type State struct {
	Run        string
	Workflow   string
	Version    string
	Trigger    string
	Input      json.RawMessage
	Seed       string
	Clock      time.Time
	Zone       string
	Continues  string
	Forks      string
	ForkedAt   int
	Keys       string
	Overlap    bool
	HoldsBack  bool `json:",omitempty"`
	Node       string
	LeaseUntil time.Time

	Calls []*Call // every call, in order, returned or not; read only, states share them
	// Before are the calls made outside before the script began again that have not come again since. They happened.
	Before []*Call `json:",omitempty"`
	Log    []LogLine

	Delay *Delay `json:",omitempty"` // why it waits for the machine, nil if it does not

	Ended bool
	// Cancelled is why it ended without an outcome, nil if it did not.
	Cancelled *Cancelled `json:",omitempty"`

	Output  json.RawMessage
	Failure *failure.Failure
	Usage   Usage
	Local   *Local

	Suspicion *Suspicion `json:",omitempty"` // what the guard found
}

// Cancelled is that a run was cancelled.
type Cancelled struct{ Reason string }

// Delay is that the machine could not execute a run; the run's next event ends it.
type Delay struct {
	Problem string
	Since   time.Time
	Tries   int
	Until   time.Time
}

// The effects of calls.
const (
	EffectRead  = "read"
	EffectWrite = "write"
)

// Call is a journaled call with its answer.
type Call struct {
	Seq    int
	Tool   string
	Args   json.RawMessage
	Effect string
	Key    string
	From   string

	Returned bool // the whole answer is there
	Result   json.RawMessage
	Error    *CallError
	MS       int64

	Question *Question // of a call that asks a person

	Doubt     bool      // called, never returned, and nobody knows what became of it
	Status    int       // of a doubt: of HTTP, where something was answered that says nothing
	NotBefore time.Time // of a doubt: nobody can know sooner
	LookUpAt  time.Time // of a doubt: when the other side is asked next; zero if only a person can tell
	LookUps   int       // how often it was asked
	Resolved  string    // how the doubt ended: happened, did_not, skip

	partial string // the parts so far of an answer in several events
	parts   int
}

// Started says that somebody executes or executed the run.
func (s State) Started() bool { return s.Run != "" }

// Writes is how many writes the run made, or found made by the run that it goes on with. One that went
// out and never came back may have happened, so it counts until somebody finds that it did not.
func (s State) Writes() int {
	made := 0
	keys := map[string]bool{}
	for _, call := range slices.Concat(s.Before, s.Calls) {
		if call.Effect == EffectWrite && call.Error == nil && (call.Returned || call.Resolved != ResolvedDidNot) {
			if call.Key == "" || !keys[call.Key] { // one that is made again with its key is the same
				made++
			}
			keys[call.Key] = true
		}
	}
	return made
}
