package workflow

import "encoding/json"

// The kinds of evidence that the guard has.
const (
	SuspectShape   = "shape"   // a place of an answer is gone, or something else, and the outcome depends on it
	SuspectStatus  = "status"  // an answer failed where none did, and the script went on
	SuspectGarbage = "garbage" // what is written or returned holds what a missing value turns into
	SuspectNothing = "nothing" // a fix that no run has confirmed would write nothing where there always was something
)

// Suspect is one thing that was not as in recorded successes.
type Suspect struct {
	Key  string `json:"key"` // the same whenever the same is found again
	Kind string `json:"kind"`
	Text string `json:"text"` // for people, with the evidence
}

// DriftSuspected records that a run did not fail by itself and was, most likely, wrong: because the
// outside has changed. It was stopped before its next write, or it is marked: a success that is no evidence.
type DriftSuspected struct {
	Run      string          `json:"run"`
	Version  Version         `json:"version"`
	Stopped  bool            `json:"stopped"`
	Suspects []Suspect       `json:"suspects"`
	Write    json.RawMessage `json:"write,omitempty"` // that was about to go out, of a stopped run: tool and arguments
}

// MarkedRunsReviewed records what a later version makes of the recorded answers of marked successes. Those on which it
// comes to the same outputs and writes count again.
type MarkedRunsReviewed struct {
	Version Version    `json:"version"` // the later one
	Agreed  []string   `json:"agreed,omitempty"`
	Differ  []Reviewed `json:"differ,omitempty"`
	Silent  []string   `json:"silent,omitempty"` // of which it says nothing
}

// Reviewed is what a later version would have come to.
type Reviewed struct {
	Run  string `json:"run"`
	Text string `json:"text"` // for people: what it would have done instead
}

// RunTrusted records that a person calls a suspected run right. Later runs with the same suspects are not suspected
// for them.
type RunTrusted struct {
	Run  string   `json:"run"`
	Keys []string `json:"keys"` // of its suspects
	Note string   `json:"note,omitempty"`
}
