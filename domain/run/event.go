package run

import (
	"encoding/json"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// RunStarted takes an admitted run. The node that appends it (while there is no stream) executes the run.
type RunStarted struct {
	Run        string          `json:"run"`
	Workflow   string          `json:"workflow"`
	Version    string          `json:"version"` // major.minor
	Trigger    string          `json:"trigger"`
	Input      json.RawMessage `json:"input"`
	Seed       string          `json:"seed"`
	Clock      time.Time       `json:"clock"` // where the script's clock starts
	Zone       string          `json:"zone"`
	LeaseUntil time.Time       `json:"lease_until"`
	Node       string          `json:"node"`
	Continues  string          `json:"continues,omitempty"`
	Forks      string          `json:"forks,omitempty"` // the run whose first calls it takes over
	// ForkedAt is the first call that a fork makes anew. Its keys and files begin as they were before that
	// call of the forked run, and stay its own. Forks of earlier programs have none: they wrote the workflow's.
	ForkedAt int `json:"forked_at,omitempty"`
	// Keys is the seed of idempotency keys, if it is not Seed: a fork shares Seed with its run, but its writes are
	// others and need other keys.
	Keys string `json:"keys,omitempty"`
	// Overlap says that the run's reads are made at the same time, and that the script has an answer when the
	// time is over that it took. Runs of earlier programs made one call after the other.
	Overlap bool `json:"overlap,omitempty"`
	// HoldsBack says that other runs of the workflow may execute at the same time. Then the run's writes to keys and
	// files are visible only to itself until the workflow's stream commits them. Without it each write counts as it
	// is journaled.
	HoldsBack bool `json:"holds_back,omitempty"`
}

// ToolCalled is journaled before a call goes out.
type ToolCalled struct {
	Seq    int             `json:"seq"` // from 1
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`   // JSON array, with keys in the order in which the script made them
	Effect string          `json:"effect"` // read or write
	// Key is sent with a write, so that the other side can tell a repetition from a second write.
	Key string `json:"key,omitempty"`
	// From is the run whose journal answered; empty for a live call.
	From string `json:"from,omitempty"`
}

// CallError is a typed error that a call answered with.
type CallError struct {
	Class        failure.Class `json:"class"`
	Name         string        `json:"name"`
	Code         string        `json:"code,omitempty"`
	Message      string        `json:"message"`
	Status       int           `json:"status,omitempty"`
	Body         string        `json:"body,omitempty"`
	Host         string        `json:"host,omitempty"`
	RetryAfterMS int64         `json:"retry_after_ms,omitempty"`
}

// ToolReturned is journaled after a call came back. A result larger than one append
// is split: Part counts from 0, More says that another part follows, and the
// result is the concatenation of the parts' text.
type ToolReturned struct {
	Seq    int             `json:"seq"`
	Result json.RawMessage `json:"result,omitempty"` // none, and no Error, is an answer of nothing: a script reads null
	Error  *CallError      `json:"error,omitempty"`
	MS     int64           `json:"ms,omitempty"` // virtual milliseconds it took
	Part   int             `json:"part,omitempty"`
	More   bool            `json:"more,omitempty"`
	Text   string          `json:"text,omitempty"` // of a part, instead of Result
	// Hosts are where redirects sent the call on to, as URLs have them.
	Hosts []string `json:"hosts,omitempty"`
}

// ToolAnswered is a call and its whole answer in one event, for a call that needed nothing durable before it went
// out.
type ToolAnswered struct {
	ToolCalled

	Result json.RawMessage `json:"result,omitempty"`
	Error  *CallError      `json:"error,omitempty"`
	MS     int64           `json:"ms,omitempty"`    // virtual milliseconds it took
	Hosts  []string        `json:"hosts,omitempty"` // as in ToolReturned
}

// Parts are the two events that it stands for.
func (e ToolAnswered) Parts() []event.Event {
	return []event.Event{e.ToolCalled, ToolReturned{Seq: e.Seq, Result: e.Result, Error: e.Error, MS: e.MS, Hosts: e.Hosts}}
}

// RunBegunAgain records that the script begins again, because other runs changed what it had read: its calls so far are
// no part of the run any more.
type RunBegunAgain struct {
	Moved []string `json:"moved"` // the keys and files that were changed, for people
	// Keep are the calls that were made outside. They answer when they come again, and are not made a second time.
	Keep []int `json:"keep,omitempty"`
}

// LogWritten is lines the script logged.
type LogWritten struct {
	Lines []LogLine `json:"lines"`
}

// LogLine is one line of a run's log.
type LogLine struct {
	Level string `json:"level"` // info, warn, error
	Text  string `json:"text"`
}

// Local is the workflow's own keys and files as they were when a run failed.
type Local struct {
	KV    map[string]json.RawMessage `json:"kv,omitempty"`
	Files map[string]string          `json:"files,omitempty"`
}

// Usage is what a run cost.
type Usage struct {
	WallMS    int64 `json:"wall_ms"`
	VirtualMS int64 `json:"virtual_ms"`
	Calls     int   `json:"calls"`
	Reused    int   `json:"reused,omitempty"` // calls answered by an earlier run's journal
}

// RunEnded closes the stream: an output, or a failure.
type RunEnded struct {
	Output  json.RawMessage  `json:"output,omitempty"`
	Failure *failure.Failure `json:"failure,omitempty"`
	Usage   Usage            `json:"usage"`
	Local   *Local           `json:"local,omitempty"` // of a failed run, up to 1 MiB
	// Suspicion is what the guard found, if the run was stopped for it or is marked.
	Suspicion *Suspicion `json:"suspicion,omitempty"`
}

// ExecutionCancelled closes the stream of a run that was cancelled: nothing of its script goes out any more. It is the only event of
// a run that had not started. A call that was under way may still be answered.
type ExecutionCancelled struct {
	Run      string `json:"run"`
	Workflow string `json:"workflow"`
	Reason   string `json:"reason,omitempty"`
	Calls    int    `json:"calls,omitempty"` // that it had made, without those that a journal answered
}

// Suspicion is what makes a run look wrong that did not fail by itself.
type Suspicion struct {
	Suspects []Suspect       `json:"suspects"`
	Write    json.RawMessage `json:"write,omitempty"` // that was about to go out: tool and arguments
}

// Suspect is one thing that was not as in recorded successes.
type Suspect struct {
	Key  string `json:"key"`
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// RunLeaseExtended is the holder's heartbeat.
type RunLeaseExtended struct {
	Until time.Time `json:"until"`
}

// RunResumed records that another node goes on after the lease lapsed.
type RunResumed struct {
	Node       string    `json:"node"`
	LeaseUntil time.Time `json:"lease_until"`
}

// RunDelayed records that the machine could not execute the run, through no fault of the script: nothing of it was lost, and it goes
// on from where it is.
type RunDelayed struct {
	Problem string    `json:"problem"` // for people
	Since   time.Time `json:"since"`   // of the first try in a row
	Tries   int       `json:"tries"`   // in a row, from 1
	Until   time.Time `json:"until"`   // when it is tried again, by whichever node
}

// EffectInDoubt records a write of which no answer says whether it happened: the run stands still.
type EffectInDoubt struct {
	Seq    int    `json:"seq"`
	Tool   string `json:"tool,omitempty"`
	Target string `json:"target,omitempty"` // the call's first argument, if it is text
	// NotBefore is when nothing of the call can be under way any more: sooner nobody can know.
	NotBefore time.Time `json:"not_before,omitzero"`
	// LookUpAt is when the other side is asked first what became of it; zero if only a person can tell.
	LookUpAt time.Time `json:"look_up_at,omitzero"`
	// Status is what was answered, if that says nothing about whether the write happened.
	Status int `json:"status,omitempty"`
}

// The findings of a lookup at the other side.
const (
	LookedUpHappened = ResolvedHappened
	LookedUpDidNot   = ResolvedDidNot
	LookedUpNothing  = "unknown"
)

// EffectLookedUp records that the other side was asked what became of a write in doubt.
type EffectLookedUp struct {
	Seq     int    `json:"seq"`
	Tool    string `json:"tool,omitempty"`
	Target  string `json:"target,omitempty"` // as in EffectInDoubt
	Attempt int    `json:"attempt"`          // from 1
	Found   string `json:"found"`            // happened, did_not, unknown
	Detail  string `json:"detail"`
	// Next is when it is asked again; zero if it is known, or a person has to tell.
	Next time.Time `json:"next,omitzero"`
}

// AnswerAwaited records a question to a person: the run stands still until there is an answer.
type AnswerAwaited struct {
	Seq      int             `json:"seq"`
	Question string          `json:"question"`
	Options  []string        `json:"options,omitempty"`
	AskedAt  time.Time       `json:"asked_at"`
	Until    time.Time       `json:"until,omitzero"`
	Default  json.RawMessage `json:"default,omitempty"`
}

// AnswerGiven records the answer, or that nobody answered in time and what is taken instead.
type AnswerGiven struct {
	Seq      int             `json:"seq"`
	Answer   json.RawMessage `json:"answer,omitempty"`
	TimedOut bool            `json:"timed_out,omitempty"`
	MS       int64           `json:"ms,omitempty"` // how long it took
}

// How a doubt ends.
const (
	ResolvedHappened = "happened"
	ResolvedDidNot   = "did_not"
	ResolvedSkip     = "skip" // go on as if it had happened
)

// EffectResolved records what a person or a tool found out about it.
type EffectResolved struct {
	Seq    int             `json:"seq"`
	How    string          `json:"how"`
	Result json.RawMessage `json:"result,omitempty"`
}
