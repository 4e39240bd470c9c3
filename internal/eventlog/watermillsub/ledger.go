package watermillsub

import (
	"context"
	"time"
)

// Attempt is one try to have an event taken.
type Attempt struct {
	ID       int64 // rises, in a ledger; set by it
	Of       string
	At       time.Time // when it began
	Event    string    // its id
	Stream   string
	Revision int64
	Type     string
	Lane     string
	ByHand   string        // a person had it made, and how; empty for one that is made by itself
	Nth      int           // of the event, from 1
	Status   int           // of HTTP; 0 for what has none
	Error    string        // why it was not taken; empty if it was
	Answer   string        // how the answer begins
	Took     time.Duration // until the answer, or until it was given up
	Next     time.Time     // when it is tried again by itself; zero for never
}

// AttemptQuery says which attempts are wanted.
type AttemptQuery struct {
	Of     string
	Failed bool   // only those that were not taken
	Event  string // only of this event; empty for all
	Since  time.Time
	Before int64 // only those of a smaller ID; 0 for all
	Limit  int
}

// Ledger keeps attempts, of each receiver the newest.
type Ledger interface {
	// Record keeps attempts, whose ids it chooses.
	Record(ctx context.Context, attempts []Attempt) error
	// Attempts gives attempts, the newest first.
	Attempts(ctx context.Context, q AttemptQuery) ([]Attempt, error)
	// Trim forgets what is older than a time, and of one receiver all but the newest that were taken and as many that were not.
	Trim(ctx context.Context, of string, keep int, before time.Time) error
	// Forget forgets all of a receiver.
	Forget(ctx context.Context, of string) error
	// ForgetLane forgets what receivers were told of a lane, and answered.
	ForgetLane(ctx context.Context, lane string) error
}
