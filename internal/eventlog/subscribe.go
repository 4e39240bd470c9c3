package eventlog

import (
	"context"
	"iter"
)

// Delivery is what a subscription yields: an event, or the word that there is none up to Position.
type Delivery struct {
	// Record is nil for a checkpoint: everything up to Position was looked at and delivered.
	Record *Record
	// Position is where to subscribe again so that nothing is missed and nothing comes twice.
	Position Position
	// CaughtUp is set on the checkpoint that follows the newest event: what comes next is live.
	CaughtUp bool
}

// Follow implements [Log.Subscribe] over [Log.All], [Log.Head] and [Log.Wake], for backends
// that have no subscription of their own.
func Follow(ctx context.Context, log Log, after Position, filter Filter) iter.Seq2[Delivery, error] {
	return func(yield func(Delivery, error) bool) {
		// Asked for before the first look, or what comes between a look and a wait would be missed.
		hint, release := log.Wake()
		defer release()
		told := false // that it caught up here
		for {
			head, err := log.Head(ctx)
			if err != nil {
				yield(Delivery{}, err)
				return
			}
			for record, err := range log.All(ctx, after, filter) {
				if err != nil {
					yield(Delivery{}, err)
					return
				}
				after, told = record.Position, false
				if !yield(Delivery{Record: &record, Position: record.Position}, nil) {
					return
				}
			}
			if head > after {
				after, told = head, false
			}
			if !told {
				told = true
				if !yield(Delivery{Position: after, CaughtUp: true}, nil) {
					return
				}
			}
			select {
			case <-ctx.Done():
				yield(Delivery{}, ctx.Err())
				return
			case <-hint:
			}
		}
	}
}
