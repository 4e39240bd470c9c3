package eventlog

import (
	"context"
	"fmt"
)

// Batch is what one append is given.
type Batch struct {
	Stream   string
	Expected Expected
	Events   []Event
}

// OrderedAppender is a [Log] that takes the appends of many streams together and keeps their order, faster than
// one could be waited for after the other. Copies are made with it.
type OrderedAppender interface {
	// AppendInOrder comes to the same as one [Log.Append] for each batch, in this order, up to the first that
	// fails: its error is the result. The limits of one append hold for all batches together; if they,
	// or one of them, cannot be appended by [ValidateInOrder], none is.
	//
	// After an error, that of ctx included, and after a crash, the log has the first of the batches: none, some, or all.
	// The same call can be repeated, as an append can.
	AppendInOrder(ctx context.Context, batches []Batch) error
}

// AppendInOrder makes the appends of [OrderedAppender], with any log: it waits for each append of a log that is none.
func AppendInOrder(ctx context.Context, log Log, batches []Batch) error {
	if ordered, ok := log.(OrderedAppender); ok {
		return ordered.AppendInOrder(ctx, batches)
	}
	if err := ValidateInOrder(batches); err != nil {
		return err
	}
	return AppendEach(ctx, log, batches)
}

// AppendEach makes one append after the other, up to the first that fails, which has the result that
// [OrderedAppender] promises.
func AppendEach(ctx context.Context, log Log, batches []Batch) error {
	for _, batch := range batches {
		if _, err := log.Append(ctx, batch.Stream, batch.Expected, batch.Events); err != nil {
			return err
		}
	}
	return nil
}

// ValidateInOrder checks appends that are to be made together as [Validate] checks one. It returns
// [ErrEmptyBatch] or an [*InvalidError]; backends call it before they store anything.
func ValidateInOrder(batches []Batch) error {
	if len(batches) == 0 {
		return ErrEmptyBatch
	}
	events, size := 0, 0
	for _, batch := range batches {
		if err := Validate(batch.Stream, batch.Expected, batch.Events); err != nil {
			return err
		}
		events += len(batch.Events)
		for _, event := range batch.Events {
			size += len(event.Payload) + len(event.Metadata)
		}
		if events > MaxAppendEvents || size > MaxAppendBytes {
			return &InvalidError{Stream: batch.Stream, Reason: fmt.Sprintf(
				"with the appends before it, it has %d events and %d bytes of payload and metadata; %d and %d are the most that is appended together",
				events, size, MaxAppendEvents, MaxAppendBytes)}
		}
	}
	return nil
}
