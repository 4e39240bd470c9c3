package readmodel

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// One transaction applies at most this much: enough that its own cost is little of it, and each row is written once
// for many events; little enough to be kept in memory until then. Behind a log by a few events it is those few.
const (
	batchEvents = 20_000
	buildTimes  = 3 // so many times as many while nobody waits for them
	batchBytes  = 32 << 20
	passEvents  = 200_000 // then somebody else has a turn, unless nobody can read the views yet
)

// errViews marks errors of the views' own database, as against those of the log.
var errViews = errors.New("readmodel: views")

func ofViews(err error) error {
	if err == nil || errors.Is(err, errViews) {
		return err
	}
	return fmt.Errorf("%w: %w", errViews, err)
}

// errMoved says that somebody else has applied or emptied the views.
var errMoved = errors.New("readmodel: the views are not where they were left")

// errRenew says that the views have what was erased since.
var errRenew = errors.New("readmodel: what the views say was erased")

// errBuilding says that the generation is not built to its end yet.
var errBuilding = errors.New("readmodel: being built")

// errClaimed says that somebody else applies, and goes on with it.
var errClaimed = errors.New("readmodel: another process applies")

// projectionError says which event a projection could not apply.
type projectionError struct {
	projection string
	record     eventlog.Record
	err        error
}

func (e *projectionError) Error() string {
	return fmt.Sprintf("readmodel: projection %s failed on %s, revision %d of stream %s (position %s): %v",
		e.projection, e.record.Type, e.record.Revision, e.record.Stream, e.record.Position, e.err)
}

func (e *projectionError) Unwrap() error { return e.err }

// Is says that the error is one of the views' file: a statement may have failed because it is damaged.
func (e *projectionError) Is(target error) bool { return target == errViews }

// ofEvent says that an error is one of an event itself, as against a database that cannot be written or read, or an
// end that was asked for.
func (s *Store) ofEvent(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && errors.Is(err, errViews) && s.engine.trouble(err) == troubleValue
}

// pass applies what the log has, up to a number of events, and returns how many it dealt with. The caller holds applying.
func (s *Store) pass(ctx context.Context) (applied int, err error) {
	release, err := s.engine.claim(ctx, s.running.Load())
	s.following.Store(errors.Is(err, errClaimed))
	if s.following.Load() {
		return s.follow(ctx)
	}
	if err != nil {
		return 0, ofViews(err)
	}
	defer release()
	if err := s.own(ctx); err != nil {
		return 0, err
	}
	at, err := s.verifiedCheckpoint(ctx)
	if err != nil {
		return 0, err
	}
	if s.unit.at != at {
		s.unit.drop(at)
	}
	if err := s.begun(ctx, at); err != nil {
		return 0, err
	}
	records := s.readAfter(ctx, at.Position)
	defer records.stop()
	done := 1
	for done > 0 && err == nil && (applied < passEvents || !s.live.Load()) {
		done, err = s.transaction(ctx, records)
		applied += done
	}
	if before := s.writtenBefore(ctx); before != nil { // whoever is next finds nothing under way
		err = before
	}
	switch {
	case errors.Is(err, errRenew):
		return 1, s.renew(ctx)
	case errors.Is(err, errMoved):
		return max(applied, 1), nil // look again
	case err == nil && done == 0:
		err = s.ended(ctx)
	}
	return applied, err
}

// follow looks how far somebody else has applied, and says whether that is further than before.
func (s *Store) follow(ctx context.Context) (int, error) {
	at, err := s.engine.checkpoint(ctx)
	if err != nil {
		return 0, ofViews(err)
	}
	if !s.verified {
		here, there, err := resolve(ctx, s.log, at)
		if err != nil {
			return 0, err
		}
		if !there || here != at {
			return 0, fmt.Errorf("readmodel: %s is at an event that this log does not have there, and another process applies: does it read the same log?", s.Path())
		}
		s.verified = true
	}
	live, err := s.engine.live(ctx)
	if err != nil {
		return 0, ofViews(err)
	}
	moved := *s.position.Load() != at.Position || s.live.Load() != live
	s.live.Store(live)
	s.position.Store(&at.Position)
	if moved {
		return 1, nil
	}
	return 0, nil
}

// transaction applies the next records in one transaction, and returns how many it dealt with. An event that cannot be
// applied is found by itself: nothing of what came before it is kept then, and it is the first of a transaction later.
func (s *Store) transaction(ctx context.Context, records *ahead) (int, error) {
	if !records.peek() {
		if records.err != nil {
			return 0, fmt.Errorf("readmodel: read the log: %w", records.err)
		}
		return 0, nil
	}
	first, before := records.next.Record, s.unit.at
	most := s.most
	if !s.live.Load() {
		most *= buildTimes
	}
	limit := min(s.limit, most)
	var done applied
	err := s.change(ctx, func(tx *Tx) (_ applied, err error) {
		for size := 0; records.peek() && done.events < limit && size < batchBytes; {
			record := records.next
			if done.events > 0 && record.Position == s.suspect {
				break
			}
			if err := ctx.Err(); err != nil {
				return done, err
			}
			if s.renewer != nil && s.renewer.Renews(record.Record) && !s.building.after(record.Position) {
				return done, errRenew
			}
			if err := s.fold(tx, record); err != nil {
				return done, err
			}
			done.at = eventlog.CheckpointOf(record.Record)
			done.events++
			size += len(record.Payload) + len(record.Metadata)
			records.take()
		}
		return done, nil
	})
	if err == nil && (s.live.Load() || limit < most) { // else the next are folded while these are written
		err = s.written(ctx)
	}
	if err == nil {
		s.limit = min(2*limit, most)
		return done.events, nil
	}
	if !s.ofEvent(ctx, err) {
		return 0, err
	}
	failed, folding := errors.AsType[*projectionError](err)
	switch {
	case folding && done.events == 0, !folding && done.events == 1:
		s.unit.drop(before)
		if err := s.setAside(ctx, first, err); err != nil {
			return 0, err
		}
	case folding:
		s.suspect = failed.record.Position
	default: // what an event says cannot be written; which one's is found by halving
		s.limit = max(1, done.events/2)
	}
	return 0, errMoved
}

// fold gives an event to every projection, unless its stream is set aside.
func (s *Store) fold(tx *Tx, record *read) error {
	if !tx.unit.aside[record.Stream] {
		return s.applyAll(tx, record)
	}
	if left := asides.Edit(tx, record.Stream); left != nil {
		left.Left++
	}
	tx.unit.settle(record.storable)
	return tx.unit.failed
}

// applyAll gives an event to every projection. A panic of one is an error of the event: it must not take the running
// automations of the process with it.
func (s *Store) applyAll(tx *Tx, record *read) (err error) {
	asked := 0
	defer func() {
		if cause := recover(); cause != nil {
			err = &projectionError{s.projections[asked].Name(), record.Record, fmt.Errorf("panic: %v\n%s", cause, debug.Stack())}
		}
	}()
	if not, is := record.decoded.(undecodable); is {
		return &projectionError{s.projections[asked].Name(), record.Record, not.err}
	}
	tx.decoded = record.decoded
	for ; asked < len(s.projections); asked++ {
		err := s.projections[asked].Apply(tx, record.Record)
		if tx.unit.failed != nil {
			return tx.unit.failed
		}
		if err != nil {
			return &projectionError{s.projections[asked].Name(), record.Record, err}
		}
	}
	tx.unit.settle(record.storable)
	return nil
}

// own sees to it that the generation is of this log: that of another installation is not to be emptied.
func (s *Store) own(ctx context.Context) error {
	if s.owned {
		return nil
	}
	first := ""
	for record, err := range s.log.All(ctx, eventlog.Start, eventlog.Everything) {
		if err != nil {
			return fmt.Errorf("readmodel: read the log: %w", err)
		}
		first, s.first = record.ID, record.Position
		break
	}
	of, err := s.engine.origin(ctx, first)
	if err != nil {
		return ofViews(err)
	}
	if of != first {
		return fmt.Errorf("readmodel: %s is of another installation, whose log begins with event %s: give this one a database of its own (--views), or drop the schema if that installation is gone", s.Path(), of)
	}
	s.owned = first != ""
	return nil
}

// verifiedCheckpoint loads the checkpoint and, once, makes sure that the log is the one
// that the views were built from, or a copy of it.
func (s *Store) verifiedCheckpoint(ctx context.Context) (eventlog.Checkpoint, error) {
	at, err := s.engine.checkpoint(ctx)
	if err != nil {
		return at, ofViews(err)
	}
	if !s.verified {
		here, there, err := resolve(ctx, s.log, at)
		again := false
		if err == nil && there {
			again, err = s.readableAgain(ctx, at)
		}
		switch {
		case err != nil:
			return at, err
		case !there || again:
			if !there {
				s.logger.Warn("views were built from another log: emptied, and rebuilt from this one",
					"file", s.Path(), "position", string(at.Position), "event", at.EventID)
			}
			if err := s.reset(ctx); err != nil {
				return at, err
			}
			here = eventlog.Checkpoint{}
		case here != at:
			s.logger.Info("the log was moved: views go on at the same event",
				"file", s.Path(), "position", string(here.Position), "before", string(at.Position), "event", at.EventID)
			if err := s.engine.write(ctx, func(w writer) error { return w.setCheckpoint(here) }); err != nil {
				return at, ofViews(err)
			}
		}
		at, s.verified = here, true
	}
	s.position.Store(&at.Position)
	return at, nil
}

// renew begins the views anew without what was erased, and drops those of other versions of the program, which have it as well.
func (s *Store) renew(ctx context.Context) error {
	if log, is := eventlog.As[eventlog.Eraser](s.log); is {
		log.Forget()
	}
	s.logger.Info("what events said was erased: views are built anew without it", "views", s.Path())
	s.pruned(ctx, 0)
	if err := ctx.Err(); err != nil {
		return err // nothing would drop them later
	}
	if err := s.reset(ctx); err != nil {
		return err
	}
	s.live.Store(false)
	s.building.end()
	return ofViews(s.engine.scrub())
}

// reset empties the views. The caller holds the claim.
func (s *Store) reset(ctx context.Context) error {
	s.unit.drop(eventlog.Checkpoint{})
	if err := s.engine.write(ctx, func(w writer) error { return w.reset() }); err != nil {
		return ofViews(err)
	}
	s.position.Store(new(eventlog.Position))
	return nil
}
