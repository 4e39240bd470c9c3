package esdbapi

import (
	"context"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// behind is how many events a live subscription may come to lag before it counts as catching up again, and is told
// when it has.
const behind = 512

// subscribeAll sends the events after place, then those that come. It reads everything and filters here, because the
// checkpoints of a filtered subscription count the events that were looked at.
func (s *Server) subscribeAll(ctx context.Context, out *replies, from place, filter *filter) error {
	after := eventlog.PositionOf(from.number)
	if from.end {
		head, err := s.Log.Head(ctx)
		if err != nil {
			return err
		}
		after = head
	}
	if err := out.confirmation(); err != nil {
		return err
	}
	checkpoint := after // the last that was told
	tell := func(position eventlog.Position) error {
		if filter == nil || position <= checkpoint {
			return nil
		}
		checkpoint = position
		return out.checkpoint(position, s.Now())
	}
	considered, lag, live := uint64(0), 0, false
	for delivery, err := range s.Log.Subscribe(ctx, after, eventlog.Everything) {
		if err != nil {
			return err
		}
		if record := delivery.Record; record != nil {
			lag++
			passes, err := filter.passes(record)
			if err == nil && passes {
				err = out.event(record)
			}
			if considered++; err == nil && filter != nil && considered >= filter.interval {
				considered = 0
				err = tell(delivery.Position)
			}
			if err != nil {
				return err
			}
			continue
		}
		if !delivery.CaughtUp {
			continue
		}
		if !live || lag > behind {
			live = true
			considered = 0
			if err := tell(delivery.Position); err != nil {
				return err
			}
			if err := out.caughtUpWith(delivery.Position, s.Now()); err != nil {
				return err
			}
		}
		lag = 0
	}
	return nil
}

// subscribeStream sends the events of a stream after place, then those that come. The stream need not exist yet.
func (s *Server) subscribeStream(ctx context.Context, out *replies, stream string, from place) error {
	if !possible(stream) {
		return invalid("no stream can have the name %q here: it has spaces or control characters, or is longer than %d bytes", stream, eventlog.MaxNameBytes)
	}
	// Asked for before the first look, or what comes between a look and a wait would be missed.
	hint, release := s.Log.Wake()
	defer release()
	next := from.number + 1
	switch {
	case from.start:
		next = 0
	case from.end:
		last, err := s.last(ctx, stream)
		if err != nil {
			return err
		}
		next = last + 1
	}
	if err := out.confirmation(); err != nil {
		return err
	}
	for live := false; ; {
		lag := 0
		for record, err := range s.Log.Stream(ctx, stream, next) {
			if err != nil {
				return err
			}
			if err := out.event(&record); err != nil {
				return err
			}
			next = record.Revision + 1
			lag++
		}
		if !live || lag > behind {
			live = true
			last, err := s.last(ctx, stream)
			if err != nil {
				return err
			}
			if err := out.caughtUpAt(min(last, next-1), s.Now()); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-hint:
		}
	}
}
