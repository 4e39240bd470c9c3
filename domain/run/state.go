package run

import (
	"encoding/json"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// State is a run, folded from its stream. The zero State is a run that nobody has started.
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
	Node       string
	LeaseUntil time.Time

	Calls []Call // every call, in order, returned or not
	Log   []LogLine

	Ended   bool
	Output  json.RawMessage
	Failure *failure.Failure
	Usage   Usage
	Local   *Local
}

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

	Doubt    bool   // called, never returned, and nobody knows what became of it
	Resolved string // how the doubt ended: happened, did_not, skip

	partial string // the parts so far of an answer in several events
	parts   int
}

// Started says that somebody executes or executed the run.
func (s State) Started() bool { return s.Run != "" }
