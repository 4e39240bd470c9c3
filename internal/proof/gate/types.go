package gate

import (
	"context"
	"encoding/json"
	"time"
)

// Format is the bundle format that this package reads and writes.
const Format = "kintsugi.bundle/1"

// Bundle is a workflow's script with recorded runs.
type Bundle struct {
	Format    string   `json:"format"`
	Workflow  Workflow `json:"workflow"`
	Script    Script   `json:"script"`
	Changelog []Change `json:"changelog,omitempty"`
	Runs      []Run    `json:"runs"`
}

// Workflow says what the script is for.
type Workflow struct {
	Title  string `json:"title"`
	Intent string `json:"intent"`
	Zone   string `json:"zone,omitempty"` // IANA, default UTC
}

// Script is a version of the code.
type Script struct {
	Version string `json:"version"`
	Code    string `json:"code"`
	// Packages are the text of those that the code names.
	Packages string `json:"packages,omitempty"`
}

// Change is one line of the changelog, newest last.
type Change struct {
	Version string `json:"version"`
	Comment string `json:"comment"`
}

// Run is a recorded run.
type Run struct {
	ID            string          `json:"id"`
	Trigger       string          `json:"trigger,omitempty"`
	ScriptVersion string          `json:"script_version,omitempty"` // default the bundle's
	Input         json.RawMessage `json:"input,omitempty"`
	Clock         time.Time       `json:"clock,omitzero"`
	Seed          string          `json:"seed,omitempty"`
	Overlap       bool            `json:"overlap,omitempty"` // reads were made at the same time: see [sandbox.Execution]
	Calls         []Call          `json:"calls"`
	Log           []LogLine       `json:"log,omitempty"`
	Outcome       Outcome         `json:"outcome"`
	Local         *Local          `json:"local,omitempty"`

	lists []*served // whose pages it is given if it asks for them
}

// Call is a recorded call with its answer.
type Call struct {
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Effect string          `json:"effect"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
	MS     int64           `json:"ms,omitempty"`
}

// Error is a recorded error, of a call or of a run.
type Error struct {
	Class   string `json:"class"`
	Name    string `json:"name"`
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	Stack   string `json:"stack,omitempty"`
	Status  int    `json:"status,omitempty"`
	Body    string `json:"body,omitempty"`
}

// LogLine is one line of a run's log.
type LogLine struct {
	Level string `json:"level"`
	Text  string `json:"text"`
}

// Outcome is how a run ended.
type Outcome struct {
	Status string          `json:"status"` // succeeded or failed
	Output json.RawMessage `json:"output,omitempty"`
	Error  *Error          `json:"error,omitempty"`
}

// Local is the workflow's own keys and files as they were when a run failed.
type Local struct {
	KV    map[string]json.RawMessage `json:"kv,omitempty"`
	Files map[string]string          `json:"files,omitempty"`
}

// The verdicts of the gate.
const (
	Identical    = "identical"
	Different    = "different"
	Unverifiable = "unverifiable"
)

// Subject is what a proposed script is judged against.
type Subject struct {
	Code      string // the script that failed
	Version   string
	Zone      string
	Failed    Run
	Successes []Run    // recorded successes of the major, exempted ones left out
	Exempted  int      // how many were left out
	FirstCode string   // the first code of this major, for the envelope; Code if empty
	Allowed   []string // hosts a person allowed beyond the envelope
	// Guard says why a run of the code, which came to an end on what the failing run was given, must not have; nil for
	// nothing. It is there if the failing run did not fail by itself, and was stopped before its next write.
	Guard func(ctx context.Context, code string, run Run) (*Error, error)
}

// Judgement is everything the gate found about one candidate.
type Judgement struct {
	Verdict    string      `json:"verdict"`
	FailingRun FailingRun  `json:"failing_run"`
	Replayed   int         `json:"replayed"`         // recorded successes that were replayed
	Identical  int         `json:"identical"`        // of those, with identical output and writes
	Excluded   int         `json:"excluded"`         // left out: they differ on the old code too, or were exempted
	Missing    int         `json:"missing"`          // needed an answer that was never recorded
	Sample     *Sample     `json:"sample,omitempty"` // nil if all were given a chance
	Divergence *Divergence `json:"divergence"`
	Held       bool        `json:"held"`
	Reasons    []string    `json:"reasons"` // to hold, whatever the verdict
	// Unproved is why no recorded run shows that the candidate treats the new shape rightly, for people. It is empty
	// if one does. An unproved candidate of every fixer is held.
	Unproved string `json:"unproved,omitempty"`
	// Half says that among the reasons is one that shows that the candidate leaves something out, or takes it for something else.
	Half bool `json:"-"`
	// Rehearsable says that only unanswerable calls of the failing run stand between this
	// candidate and a verdict: a live rehearsal may settle it.
	Rehearsable bool `json:"rehearsable"`
	// Unverified are the recorded successes that needed an answer that was never recorded.
	Unverified []string `json:"unverified,omitempty"`
	// Widens is what applying it would allow beyond where the workflow has been; nil for nothing.
	Widens *Widening `json:"widens,omitempty"`
	// Runs are the recorded successes that the gate was given, so that it can judge again.
	Runs        []string `json:"runs"`
	GateVersion string   `json:"gate_version"`
	// Certificate is the hex SHA-256 over subject, candidate and findings; empty if time had a part in them.
	Certificate string `json:"certificate"`
}

// FailingRun is what became of the failing run on the candidate.
type FailingRun struct {
	ID         string          `json:"id"`
	Status     string          `json:"status"` // succeeded, failed, unanswerable
	Reproduced bool            `json:"reproduced"`
	Output     json.RawMessage `json:"output,omitempty"`
	Writes     []Write         `json:"writes,omitempty"`
	Assumed    []Assumption    `json:"assumed,omitempty"` // answers of writes, as recorded successes had them
	Error      *Error          `json:"error,omitempty"`
}

// Write is a write the script made or would make.
type Write struct {
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// Divergence is the smallest difference found.
type Divergence struct {
	Run  string `json:"run"`
	What string `json:"what"` // output, write, call, error
	// Path is where in the output or the write's arguments, like $.rows[2].total.
	Path string `json:"path,omitempty"`
	Want string `json:"want"`
	Got  string `json:"got"`
}
