package workflow

import "time"

// DraftPrompted records that the owner of a draft that nobody touches was asked whether to go on with it.
type DraftPrompted struct {
	Owner string    `json:"owner,omitempty"` // who was asked
	At    time.Time `json:"at"`
	Since time.Time `json:"since"` // when it was touched last
	// Archives is when it goes to the archive by itself, if its owner opted in and does nothing. Zero is never.
	Archives time.Time `json:"archives,omitzero"`
}

// DraftKept records that a person goes on with a draft: it counts as touched.
type DraftKept struct{}
