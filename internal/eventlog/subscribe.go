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
	// CaughtUp is set on the checkpoint that follows the newest event: later events are live.
	CaughtUp bool
}

// Scanner is a [Log] that tells how far it has looked while few events pass a filter.
type Scanner interface {
	// Scan yields what a subscription does, up to its first checkpoint that has CaughtUp set. A checkpoint without it
	// comes now and then, where many events in a row did not pass. Events of other processes may be missing until a
	// hint of [Log.Wake] has come for them, or [Log.Head] was asked.
	Scan(ctx context.Context, after Position, filter Filter) iter.Seq2[Delivery, error]
}

// Follow implements [Log.Subscribe] over [Log.All], [Log.Head] and [Log.Wake], for backends that have no subscription
// of their own. If the log is a [Scanner] it also yields the checkpoints on the way.
func Follow(ctx context.Context, log Log, after Position, filter Filter) iter.Seq2[Delivery, error] {
	return func(yield func(Delivery, error) bool) {
		// Asked for before the first look, or what comes between a look and a wait would be missed.
		hint, release := log.Wake()
		defer release()
		after, told := after, false // told: that it caught up here
		for {
			for delivery, err := range Scan(ctx, log, after, filter) {
				if err != nil {
					yield(Delivery{}, err)
					return
				}
				if told && delivery.Record == nil && delivery.Position == after {
					continue // woken for nothing
				}
				after, told = delivery.Position, delivery.CaughtUp
				if !yield(delivery, nil) {
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

// Scan is [Scanner.Scan] of any log: for who waits for hints of [Log.Wake] between two scans.
func Scan(ctx context.Context, log Log, after Position, filter Filter) iter.Seq2[Delivery, error] {
	if scanner, ok := As[Scanner](log); ok {
		return scanner.Scan(ctx, after, filter)
	}
	return func(yield func(Delivery, error) bool) {
		// Before the look: every event up to it has been looked at when the look ends, also those that do not pass.
		head, err := log.Head(ctx)
		if err != nil {
			yield(Delivery{}, err)
			return
		}
		seen := after
		for record, err := range log.All(ctx, after, filter) {
			if err != nil {
				yield(Delivery{}, err)
				return
			}
			seen = record.Position
			if !yield(Delivery{Record: &record, Position: seen}, nil) {
				return
			}
		}
		yield(Delivery{Position: max(seen, head), CaughtUp: true}, nil)
	}
}
