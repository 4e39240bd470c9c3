package workflow

import (
	"encoding/json"
	"time"
)

// Outcome is what came of a workflow's run, or of the workflow itself.
type Outcome string

// The outcomes that another workflow may start on.
const (
	OutcomeSucceeded Outcome = "succeeded" // a run
	OutcomeFailed    Outcome = "failed"    // a run, each try of it
	OutcomeRecovered Outcome = "recovered" // a run succeeded after others had failed
	OutcomeEscalated Outcome = "escalated" // the workflow was handed to a person
)

// Source is the outcome of another workflow that an input tells of.
type Source struct {
	Workflow string  `json:"workflow"`
	Revision int64   `json:"revision"` // of the outcome in that workflow's stream
	Event    string  `json:"event"`    // its id
	Outcome  Outcome `json:"outcome"`
	Run      string  `json:"run,omitempty"`
	Hops     int     `json:"hops"` // how many outcomes in a row led here, this one included
}

// TriggerSet records that the workflow starts on outcomes of another one. It replaces what was set
// for that one before.
type TriggerSet struct {
	Source   string    `json:"source"` // the other workflow
	Outcomes []Outcome `json:"outcomes"`
	// After is the newest revision of the source's stream that does not count: outcomes after it do.
	After int64 `json:"after"`
}

// TriggerRemoved records that outcomes of a workflow start this one no more.
type TriggerRemoved struct {
	Source string `json:"source"`
}

// InputQueued records an input that came while no run could start: it waits its turn.
type InputQueued struct {
	Run     string          `json:"run"` // that it will become
	Trigger Trigger         `json:"trigger"`
	Input   json.RawMessage `json:"input,omitempty"`
	Source  *Source         `json:"source,omitempty"` // of trigger event
	Reason  string          `json:"reason"`           // why it has to wait
	Key     string          `json:"key,omitempty"`    // as of RunAdmitted
	// Priority is as of RunAdmitted.
	Priority int `json:"priority,omitempty"`
	// At is when it may become a run, if a newer one about the same may take its place until then (setting debounce_ms); Since is when the
	// first came of those that did.
	At    time.Time `json:"at,omitzero"`
	Since time.Time `json:"since,omitzero"`
}

// InputRequeued records that an input whose run failed before its first write waits to be tried again: a new run goes on with
// the failed one when it is its turn. Recorded again, it says what it waits for now.
type InputRequeued struct {
	Run     string     `json:"run"`     // that failed
	Trigger Trigger    `json:"trigger"` // that brought the input: schedule, webhook or event
	Slot    *time.Time `json:"slot,omitempty"`
	Source  *Source    `json:"source,omitempty"`
	Kind    string     `json:"kind,omitempty"` // as of RunAdmitted
	Number  int        `json:"number"`         // of its arrival: the queue is in this order
	Waits   string     `json:"waits"`          // what it waits for
	Reason  string     `json:"reason"`         // the same in words, or what its run failed with
	Ready   bool       `json:"ready"`          // that is here: it waits only for its turn
	At      time.Time  `json:"at,omitzero"`    // when it is tried all the same; zero for never
}

// An input whose run failed waits for one of these.
const (
	WaitsFix     = "fix"     // a version that works
	WaitsAccess  = "access"  // that a person gives
	WaitsOutage  = "outage"  // the other side
	WaitsProgram = "program" // Kintsugi itself, which failed
	WaitsTaker   = "taker"   // a version that takes what it is: no run of its kind succeeded, or main's types refuse it
)

// Why an input was skipped.
const (
	SkippedFull      = "queue_full"
	SkippedHops      = "chain_too_long"
	SkippedDraft     = "draft"
	SkippedPaused    = "paused"
	SkippedArchived  = "archived"
	SkippedDebounced = "debounced"  // a newer one about the same took its place
	SkippedLater     = "later_slot" // the catch-up policy makes up for the newest slot only
	SkippedLeft      = "left"       // a person gave it up
)

// InputSkipped records that an input does not become a run. In the archive only the first one
// is recorded.
type InputSkipped struct {
	Run     string  `json:"run"` // that it would have become
	Trigger Trigger `json:"trigger"`
	Source  *Source `json:"source,omitempty"`
	Why     string  `json:"why"`
	Reason  string  `json:"reason"` // the same in words
}
