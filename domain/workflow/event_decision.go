package workflow

import "time"

// DecisionDelegated records that what waits for a person was given to another one, or to a group: it is for them to decide.
type DecisionDelegated struct {
	Notification string `json:"notification"`       // that asks
	Proposal     string `json:"proposal,omitempty"` // of the fix that waits, if it is about one
	Question     string `json:"question,omitempty"` // of an agent, if it is about one
	Run          string `json:"run,omitempty"`      // whose script asks, if it is about that
	Call         int    `json:"call,omitempty"`     // of the run, that asks
	// To is a person's name or address, or "group:" and the name of the subscription whose readers they are.
	To   string `json:"to"`
	Note string `json:"note,omitempty"`
}

// DecisionReminded records that half of the time to decide about a fix is over, and that the person who has to decide
// is reminded.
type DecisionReminded struct {
	Proposal   string    `json:"proposal"`
	Due        time.Time `json:"due"`          // when it is decided without them
	OnDeadline string    `json:"on_deadline"`  // what is done then
	To         string    `json:"to,omitempty"` // see [DecisionDelegated]
}
