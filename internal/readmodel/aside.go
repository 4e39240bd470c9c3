package readmodel

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Aside is a stream that is set aside: one of its events cannot be applied, so that what its later ones say means
// nothing. The views are without it from there on, and every other stream goes on. It ends when the event can be
// applied again, by another program or because the log was restored: then the views are built anew.
type Aside struct {
	Stream   string `json:"stream" col:"stream,key"`
	Revision int64  `json:"revision" col:"revision"` // of the event that cannot be applied
	EventID  string `json:"event_id" col:"event_id"`
	Type     string `json:"type" col:"type"`
	Reason   string `json:"reason" col:"reason"`
	Left     int64  `json:"left_out" col:"left_out"` // how many events of it are not in the views
}

var asides = NewTable[Aside]("readmodel_aside")

// Teller is a [Projection] that tells people of streams that are set aside.
type Teller interface {
	SetAside(tx *Tx, record eventlog.Record, aside Aside) error
}

// Aside are the streams that are set aside, by name.
func (s *Store) Aside(ctx context.Context) (all []Aside, err error) {
	err = s.Read(ctx, func(q *Query) error {
		all, err = loadAside(q)
		return err
	})
	return all, err
}

func loadAside(q *Query) ([]Aside, error) { return Select(q, asides, "ORDER BY stream") }

// setAside leaves an event out, and all that come after it in its stream.
func (s *Store) setAside(ctx context.Context, record eventlog.Record, cause error) error {
	if failed, is := errors.AsType[*projectionError](cause); is {
		cause = failed.err
	}
	reason, _, _ := strings.Cut(cause.Error(), "\n") // a panic's has its stack
	aside := Aside{Stream: record.Stream, Revision: record.Revision, EventID: record.ID, Type: record.Type, Reason: reason, Left: 1}
	s.logger.Error("a stream cannot be read and is set aside; everything else goes on",
		"stream", aside.Stream, "revision", aside.Revision, "type", aside.Type, "error", cause)
	return s.commit(ctx, func(tx *Tx) (applied, error) {
		done := applied{at: eventlog.CheckpointOf(record), events: 1}
		asides.Insert(tx, aside)
		tx.unit.aside[aside.Stream] = true
		for _, projection := range s.projections {
			if teller, tells := projection.(Teller); tells {
				if err := teller.SetAside(tx, record, aside); err != nil {
					return done, err
				}
			}
		}
		tx.unit.settle(false)
		return done, nil
	})
}

// errUndone ends a transaction of which nothing is to be kept.
var errUndone = errors.New("readmodel: not to be kept")

// readableAgain says whether a stream that was set aside can be gone on with: then the views are built anew, as if
// nothing had been in the way.
func (s *Store) readableAgain(ctx context.Context, at eventlog.Checkpoint) (bool, error) {
	var all []Aside
	err := s.engine.write(ctx, func(w writer) (err error) { // not read: they may be being built
		all, err = loadAside(&Query{source: w})
		return errors.Join(err, errUndone)
	})
	if !errors.Is(err, errUndone) {
		return false, ofViews(err)
	}
	for _, aside := range all {
		record, found, err := recordAt(ctx, s.log, aside)
		if err != nil {
			return false, err
		}
		if !found {
			continue
		}
		s.unit.drop(at)
		err = s.commit(ctx, func(tx *Tx) (applied, error) {
			again := read{Record: record}
			s.decodeOne(&again)
			if err := s.applyAll(tx, &again); err != nil {
				return applied{}, err
			}
			return applied{}, errors.Join(tx.unit.tryToWrite(), errUndone)
		})
		switch {
		case errors.Is(err, errUndone):
			s.logger.Warn("a stream that was set aside can be read again: views are rebuilt", "file", s.Path(), "stream", aside.Stream)
			return true, nil
		case !s.ofEvent(ctx, err):
			return false, err
		}
	}
	return false, nil
}

// recordAt is the event that a stream was set aside for, as the log has it now.
func recordAt(ctx context.Context, log eventlog.Log, aside Aside) (found eventlog.Record, there bool, err error) {
	for record, err := range log.Stream(ctx, aside.Stream, aside.Revision) {
		switch {
		case errors.Is(err, eventlog.ErrDamaged):
			return found, false, nil
		case err != nil:
			return found, false, fmt.Errorf("readmodel: look again at stream %s: %w", aside.Stream, err)
		}
		return record, record.Revision == aside.Revision, nil
	}
	return found, false, nil
}
