package loop

import (
	"context"
	"time"
)

// Reaction derives work from the state of one stream. Due is pure and cheap: it is asked again after every
// event of the stream and after every piece of work, and must stop naming work that is done.
type Reaction[S any] interface {
	Name() string
	Due(id string, state S) []Work
}

// Work is one thing that is to be done for a stream.
type Work struct {
	// Key names the work: while it is under way, the same key is not started again.
	Key string
	// At is when it is due; the zero time is now.
	At time.Time
	Do func(ctx context.Context) error
	// Broken ends what the work is about, for good and with the problem told to a person, if Do panicked: it would do so
	// again. Nil means that it is tried on, less and less often.
	Broken func(ctx context.Context, problem string) error
}

// Wait is what a piece of work returns that cannot be done yet: no failure. It is tried again at
// that time, if not zero, or after the next event that is about the stream.
type Wait struct {
	Until time.Time
	// Trouble is what it waits for that should not be, after so many tries: people hear of it as of a failure. Nil for none.
	Trouble error
	Tries   int
}

// Error implements error.
func (w *Wait) Error() string {
	if w.Trouble != nil {
		return w.Trouble.Error() + ": waits until " + w.Until.Format(time.RFC3339)
	}
	if w.Until.IsZero() {
		return "waits for an event"
	}
	return "waits until " + w.Until.Format(time.RFC3339)
}

// Semaphore bounds the work under way at once of the reactions that share it: work that takes minutes
// does not stand in the way of work that takes a moment.
type Semaphore struct{ Limit int }

// Limited is a reaction that does not take the default semaphore of its own.
type Limited interface {
	// Semaphore may be shared with other reactions; nil is the default.
	Semaphore() *Semaphore
}

// Listener is a reaction for which something may be due when another stream of its kind has an event.
type Listener interface {
	// Listeners are the streams that are to be looked at when this one has an event.
	Listeners(id string) []string
}
