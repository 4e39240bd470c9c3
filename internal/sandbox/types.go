package sandbox

import (
	"context"
	"encoding/json"
	"time"
)

// Effect is what a host call does to the world outside the script.
type Effect string

// The effects.
const (
	Read  Effect = "read"
	Write Effect = "write"
)

// The classes of an error, as the script and the journal name them.
const (
	ClassAuth       = "auth"
	ClassPermission = "permission"
	ClassNetwork    = "network"
	ClassLogic      = "logic"
	ClassLimit      = "limit"
	ClassInternal   = "internal"
)

// The codes of class limit.
const (
	LimitWall   = "limit.wall"
	LimitCPU    = "limit.cpu"
	LimitMemory = "limit.memory"
	LimitStack  = "limit.stack"
	LimitCalls  = "limit.calls"
	LimitLog    = "limit.log"
	LimitResult = "limit.result"
)

// CodeUnanswerable is the code, in class internal, of a run that needed an answer
// that its host does not have: an unrecorded call in replay, or a look into an
// opaque value. It never arises in a live run.
const CodeUnanswerable = "unanswerable"

// Call is one host call, as the script made it.
type Call struct {
	Seq  int    `json:"seq"` // from 1
	Tool string `json:"tool"`
	// Args is a JSON array, keys in the order the script made them, trailing undefined
	// arguments left out. Two calls are the same if their tool and Canonical(Args) are.
	Args   json.RawMessage `json:"args"`
	Effect Effect          `json:"effect"`
	// Line and Column, both from 1, are of the expression in the script that made the call.
	Line   int `json:"line,omitempty"`
	Column int `json:"column,omitempty"`
	// Ahead says that the script went on as if the answer were null: see [Execution.Ahead].
	Ahead bool `json:"-"`
	// At is when the script made it, in virtual milliseconds since the run began.
	At int64 `json:"-"`
}

// Binding makes a tool callable from a script. Host and worker processes are the same
// binary and so have the same bindings.
type Binding struct {
	Name string // dotted, as the script calls it: web.getJSON, notify
	// Effect says what a call does, from its arguments.
	Effect func(args json.RawMessage) Effect
	// Overlaps says that its reads may be made at the same time as others, and again after a crash.
	Overlaps bool
	// Validate refuses arguments before the call is made: the script gets a LogicError with
	// this text, and nothing is journaled.
	Validate func(args json.RawMessage) error
	// Silent says that a call is a write that is answered null, if it is not refused.
	Silent bool
	// Judge says what an answer that the script got as a result means for one that cannot go on after it:
	// an error whose class the script's own then keeps, or nil. It depends on nothing else. An answer of a tool that has one
	// replaces what was known from those before.
	Judge func(args, result json.RawMessage) *Error
}

// Reply answers a call: a result, or an error, or an opaque value.
type Reply struct {
	Result json.RawMessage `json:"result,omitempty"` // JSON; empty means null
	Error  *Error          `json:"error,omitempty"`
	MS     int64           `json:"ms,omitempty"` // virtual milliseconds the call took
	// Opaque gives the script a value that it may carry about and not look into: any
	// look ends the run with CodeUnanswerable.
	Opaque bool `json:"opaque,omitempty"`
	// Hosts are where redirects sent the call on to, as URLs have them. They are for the host, not for the script.
	Hosts []string `json:"-"`
}

// IsNull says that a script that went ahead did as it should have.
func (r *Reply) IsNull() bool {
	return (len(r.Result) == 0 || string(r.Result) == "null") && r.Error == nil && r.MS == 0 && !r.Opaque
}

// Error is a typed error: of a call, or of a whole run.
type Error struct {
	Class        string `json:"class"`
	Name         string `json:"name"`
	Code         string `json:"code,omitempty"`
	Message      string `json:"message"`
	Stack        string `json:"stack,omitempty"`
	Tool         string `json:"tool,omitempty"`
	Status       int    `json:"status,omitempty"`
	Body         string `json:"body,omitempty"` // first 4 KiB
	Host         string `json:"host,omitempty"`
	RetryAfterMS int64  `json:"retry_after_ms,omitempty"`
	// Set only on the error that ended a run. Strict identifies the same error at the same statement, Loose the same kind of
	// error anywhere; Frames are innermost first.
	Strict string  `json:"strict,omitempty"`
	Loose  string  `json:"loose,omitempty"`
	Frames []Frame `json:"frames,omitempty"`
}

// Kept says that the script threw the error itself, and that it keeps the class of an answer ([Binding.Judge]).
func (e *Error) Kept() bool {
	switch e.Class {
	case ClassNetwork, ClassAuth, ClassPermission:
		return e.Tool != "" && e.Name != ErrorNames[e.Class]
	}
	return false
}

// Frame is a place in the script. Line and Column are 1-based, Column counts bytes.
type Frame struct {
	Function string `json:"function,omitempty"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
}

// Host answers the calls that the journal of an execution does not answer. An auth,
// permission or limit error in a Reply ends the run at that call; so does a Go error,
// with class internal (a *StopError with the class and code it carries).
type Host interface {
	Call(ctx context.Context, call Call) (Reply, error)
}

// HostFunc is a function as a Host.
type HostFunc func(ctx context.Context, call Call) (Reply, error)

// Call implements [Host].
func (f HostFunc) Call(ctx context.Context, call Call) (Reply, error) { return f(ctx, call) }

// StopError ends a run with exactly this error; no catch or finally of the script runs.
type StopError struct{ Reason Error }

// Error implements error.
func (e *StopError) Error() string { return e.Reason.Message }

// Entry is one journaled call with its answer.
type Entry struct {
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Effect Effect          `json:"effect"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *Error          `json:"error,omitempty"`
	MS     int64           `json:"ms,omitempty"`
}

// Limits bound an execution. Zero fields mean DefaultLimits.
type Limits struct {
	Wall        time.Duration `json:"wall,omitempty"`   // does not count time spent in host calls
	CPU         time.Duration `json:"cpu,omitempty"`    // of the worker process
	Memory      int64         `json:"memory,omitempty"` // bytes
	Calls       int           `json:"calls,omitempty"`
	LogBytes    int           `json:"log_bytes,omitempty"`
	ResultBytes int           `json:"result_bytes,omitempty"` // of the output, and of each call's result
}

// Execution is everything that determines a run: it is a pure function of this and of
// what the host answers.
type Execution struct {
	Code  string          `json:"code"`
	Input json.RawMessage `json:"input,omitempty"`
	Seed  string          `json:"seed"`
	Clock time.Time       `json:"clock"`
	Zone  string          `json:"zone,omitempty"` // IANA, default UTC; localTime's default
	// Journal answers calls by (tool, canonical arguments, occurrence), before the host is asked.
	Journal []Entry `json:"journal,omitempty"`
	Limits  Limits  `json:"limits,omitzero"`
	// Overlap has reads made at the same time ([Binding.Overlaps]): the promise of one settles when the virtual
	// time has come that it took, and so does that of any call and of sleep, also in a script without timers.
	Overlap bool `json:"overlap,omitempty"`
	// Affinity names whose executions trust each other: a worker process is used again only for executions with
	// the same one. Empty means a fresh process. It does not change what a run does.
	Affinity string `json:"-"`
	// Owner is whose it is: of those who wait, it is the turn of the owner who has least.
	Owner string `json:"-"`
	// Ahead lets the script go on after a call of a silent tool before the host has answered, which it is told of with
	// the next call that has to wait. If the host then has another answer than null, or the worker dies, the script has
	// done what it should not have: the outcome is [Outcome.Astray].
	Ahead bool `json:"-"`
	// Around is code of ours whose value is a function: it is made before anything of the script runs, is given the
	// script's main (or the promise of it, and true, of a script that waits at its top level), and gives what runs in its place.
	Around string `json:"-"`
}

// TracedCall is a call that was made, with its answer.
type TracedCall struct {
	Call
	Reply
	// Journal is the index of the journal entry that answered, -1 if the host did.
	Journal int `json:"journal"`
}

// LogLine is one line of the run's log.
type LogLine struct {
	Level string `json:"level"` // info, warn, error
	Text  string `json:"text"`
}

// Outcome is what became of an execution. Error is nil if main returned.
type Outcome struct {
	Output    json.RawMessage `json:"output,omitempty"` // JSON, key order as the script made it
	Error     *Error          `json:"error,omitempty"`
	Log       []LogLine       `json:"log,omitempty"`
	Calls     []TracedCall    `json:"calls,omitempty"` // in the order made; never secret or sleep
	VirtualMS int64           `json:"virtual_ms"`      // how far the script's clock moved
	// Processor is how much processor time it used; zero where that is not known.
	Processor time.Duration `json:"-"`
	// Astray says that the script went on where it should not have ([Execution.Ahead]), or may have: what the host heard of
	// is right, but not how it ended.
	Astray bool `json:"-"`
	// Swallowed are auth and permission errors that the host answered and the run survived;
	// empty as long as such errors end the run.
	Swallowed []Error `json:"swallowed,omitempty"`
}

// Runner runs executions. *Pool is the one that real runs use.
type Runner interface {
	Run(ctx context.Context, execution Execution, host Host) (Outcome, error)
	// Check says whether a script can be run, without running anything of it. The error is a
	// *SyntaxError if it cannot.
	Check(ctx context.Context, code string) error
}

func (e *Entry) Reply() Reply { return Reply{Result: e.Result, Error: e.Error, MS: e.MS} }
