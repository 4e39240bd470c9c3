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
	Keys       string
	Node       string
	LeaseUntil time.Time

	Calls []*Call // every call, in order, returned or not; read only, states share them
	Log   []LogLine

	Ended   bool
	Output  json.RawMessage
	Failure *failure.Failure
	Usage   Usage
	Local   *Local
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
	NotBefore time.Time // of a doubt: nobody can know sooner
	Resolved  string    // how the doubt ended: happened, did_not, skip

	partial string // the parts so far of an answer in several events
	parts   int
}

// Journal is the calls that have come back, in order: what answers when the run is
// executed again, and when another run continues it.
func (s State) Journal() []*Call {
	var journal []*Call
	for _, call := range s.Calls {
		if call.Returned {
			journal = append(journal, call)
		}
	}
	return journal
}

// Writes are the writes that happened, in order: what a run that continues this one has
// to repeat first, rule 15.
func (s State) Writes() []*Call {
	var writes []*Call
	for _, call := range s.Journal() {
		if call.Effect == EffectWrite {
			writes = append(writes, call)
		}
	}
	return writes
}

// Chain is the journal of a run together with the earlier runs that it continued,
// oldest first, each call once. A run that failed early has not repeated all that was done
// before it, and what it left out still happened: its own journal is not enough to go on from.
func Chain(newest State, earlier ...State) []*Call {
	members := append(slices.Clone(earlier), newest)
	known := map[string]bool{}
	for _, s := range members {
		known[s.Run] = true
	}
	var chain []*Call
	for _, s := range members {
		for _, call := range s.Journal() {
			// A call that an earlier member's journal answered is in there.
			if call.From == "" || !known[call.From] {
				chain = append(chain, call)
			}
		}
	}
	return chain
}

// Started says that somebody executes or executed the run.
func (s State) Started() bool { return s.Run != "" }
