package readmodel

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/sqlitedb"
)

// One transaction applies at most this much: enough to make the commit cheap, little
// enough that another process waits only milliseconds for its turn.
const (
	batchEvents = 1000
	batchBytes  = 8 << 20
)

// errViews marks errors of the views' own file, as against those of the log.
var errViews = errors.New("readmodel: views")

func ofViews(err error) error {
	if errors.Is(err, errViews) {
		return err
	}
	return fmt.Errorf("%w: %w", errViews, err)
}

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

// applyBatch applies the next events, and returns how many it read. The caller holds applying.
func (s *Store) applyBatch(ctx context.Context) (int, error) {
	s.files.RLock()
	defer s.files.RUnlock()
	if err := s.usable(); err != nil {
		return 0, err
	}
	from, err := s.verifiedCheckpoint(ctx)
	if err != nil {
		return 0, err
	}
	records, err := s.read(ctx, from.Position)
	if err != nil || len(records) == 0 {
		return 0, err
	}
	at, err := s.applyRecords(ctx, from, records, false)
	if ofEvent(ctx, err) {
		at, err = s.applyRecords(ctx, from, records, true)
	}
	if err != nil {
		return 0, ofViews(err)
	}
	s.position.Store(&at.Position)
	return len(records), nil
}

// applyRecords applies what follows a checkpoint in one transaction, and says how far the views are then. If it is
// careful, which takes longer, it finds the streams that cannot be read.
func (s *Store) applyRecords(
	ctx context.Context, from eventlog.Checkpoint, records []eventlog.Record, careful bool,
) (eventlog.Checkpoint, error) {
	at := from
	err := sqlitedb.Immediate(s.writer, func() (err error) {
		// Between the read and the lock another process may have applied some of these.
		if at, err = loadCheckpoint(s.writer); err != nil || at.Position < from.Position {
			return err // it was reset: the records do not follow from there
		}
		tx := &Tx{newQuery(s.writer)}
		left, err := loadAside(tx.Query)
		if err != nil {
			return err
		}
		aside := make(map[string]bool)
		for _, one := range left {
			aside[one.Stream] = true
		}
		for _, record := range records {
			if record.Position <= at.Position {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			switch {
			case aside[record.Stream]:
				err = skip(tx, record)
			case careful:
				aside[record.Stream], err = s.applyCarefully(ctx, tx, record)
			default:
				err = s.applyAll(tx, record)
			}
			if err != nil {
				return err
			}
			at = eventlog.CheckpointOf(record)
		}
		return saveCheckpoint(tx, at)
	})
	return at, err
}

// applyAll gives an event to every projection.
func (s *Store) applyAll(tx *Tx, record eventlog.Record) error {
	for _, projection := range s.projections {
		if err := apply(projection, tx, record); err != nil {
			return &projectionError{projection.Name(), record, err}
		}
	}
	return nil
}

// apply turns a panic of a projection into an error: it must not take the
// running automations of the process with it.
func apply(projection Projection, tx *Tx, record eventlog.Record) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return projection.Apply(tx, record)
}

// read reads the next batch of the log.
func (s *Store) read(ctx context.Context, after eventlog.Position) ([]eventlog.Record, error) {
	var records []eventlog.Record
	size := 0
	for record, err := range s.log.All(ctx, after, eventlog.Everything) {
		if err != nil {
			return nil, fmt.Errorf("readmodel: read the log after %q: %w", after, err)
		}
		records = append(records, record)
		size += len(record.Payload) + len(record.Metadata)
		if len(records) == batchEvents || size >= batchBytes {
			break
		}
	}
	return records, nil
}

// verifiedCheckpoint loads the checkpoint and, once, makes sure that the log is the one
// that the views were built from, or a copy of it.
func (s *Store) verifiedCheckpoint(ctx context.Context) (eventlog.Checkpoint, error) {
	at, err := loadCheckpoint(s.writer)
	if err != nil {
		return at, ofViews(err)
	}
	if !s.verified {
		here, there, err := resolve(ctx, s.log, at)
		again := false
		if err == nil && there {
			again, err = s.readableAgain(ctx)
		}
		switch {
		case err != nil:
			return at, err
		case !there:
			s.logger.Warn("views were built from another log: emptied, and rebuilt from this one",
				"file", s.path, "position", string(at.Position), "event", at.EventID)
			if err := s.reset(at); err != nil {
				return at, err
			}
			here = eventlog.Checkpoint{}
		case again:
			if err := s.reset(at); err != nil {
				return at, err
			}
			here = eventlog.Checkpoint{}
		case here != at:
			s.logger.Info("the log was moved: views go on at the same event",
				"file", s.path, "position", string(here.Position), "before", string(at.Position), "event", at.EventID)
			if err := s.move(at, here); err != nil {
				return at, err
			}
		}
		at, s.verified = here, true
	}
	s.position.Store(&at.Position)
	return at, nil
}

// move puts the checkpoint where its event is now, unless another process changed it meanwhile.
func (s *Store) move(from, to eventlog.Checkpoint) error {
	err := sqlitedb.Immediate(s.writer, func() error {
		if at, err := loadCheckpoint(s.writer); err != nil || at != from {
			return err
		}
		return saveCheckpoint(&Tx{newQuery(s.writer)}, to)
	})
	if err != nil {
		return ofViews(err)
	}
	return nil
}

// reset empties the views, unless another process changed the checkpoint meanwhile.
func (s *Store) reset(expected eventlog.Checkpoint) error {
	err := sqlitedb.Immediate(s.writer, func() error {
		if at, err := loadCheckpoint(s.writer); err != nil || at != expected {
			return err
		}
		if err := dropTables(s.writer); err != nil {
			return err
		}
		return s.createTables(s.writer)
	})
	if err != nil {
		return ofViews(err)
	}
	s.position.Store(new(eventlog.Position))
	return nil
}
