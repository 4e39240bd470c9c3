package readmodel

import (
	"context"
	"errors"
	"iter"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Another goroutine writes the rows that are folded, while the next events are folded into the rows in memory. The
// extra goroutine pays when views are built; otherwise each transaction is waited for.

// applied is events that are in the rows in memory.
type applied struct {
	at     eventlog.Checkpoint // of the last of them
	events int
}

// writing is a transaction that is being written.
type writing struct {
	applied
	done chan error
}

// lazy is a transaction of the engine that begins when somebody needs it, and what was changed before is written.
type lazy struct {
	writer writer // nil until it begins
	before func() error
	next   func() (writer, bool)
	undo   func()
	err    error // why it ended
}

func (s *Store) lazy(ctx context.Context, from eventlog.Checkpoint) *lazy {
	t := &lazy{before: func() error { return s.writtenBefore(ctx) }}
	t.next, t.undo = iter.Pull(func(yield func(writer) bool) {
		t.err = s.engine.write(ctx, func(w writer) error {
			found, err := w.checkpoint()
			if err != nil {
				return err
			}
			if found != from {
				return errMoved
			}
			if !yield(w) {
				return errUndone
			}
			return nil
		})
	})
	return t
}

// begin is called by who folds.
func (t *lazy) begin() (writer, error) {
	if t.writer == nil {
		if err := t.before(); err != nil {
			return nil, err
		}
	}
	return t.begun()
}

func (t *lazy) begun() (writer, error) {
	if t.writer == nil {
		w, begun := t.next()
		if !begun {
			return nil, t.err
		}
		t.writer = w
	}
	return t.writer, nil
}

// commit writes rows and the checkpoint. Earlier changes are written.
func (t *lazy) commit(all []changes, at eventlog.Checkpoint) error {
	defer t.undo()
	w, err := t.begun()
	if err != nil {
		return err
	}
	for _, of := range all {
		if err := of.write(w); err != nil {
			return err
		}
	}
	if err := w.setCheckpoint(at); err != nil {
		return err
	}
	t.next()
	return t.err
}

// change runs fn on the rows in memory and begins to write what it changed, with the checkpoint that it returns. If it
// cannot, the rows in memory are not those of the database any more, and forgotten.
func (s *Store) change(ctx context.Context, fn func(*Tx) (applied, error)) error {
	u := s.unit
	t := s.lazy(ctx, u.at)
	u.stored = t
	made, all, err := s.changed(fn)
	if before := s.writtenBefore(ctx); before != nil {
		err = before
	}
	if err != nil {
		t.undo()
		return s.failed(ctx, err)
	}
	s.writing = &writing{applied: made, done: make(chan error, 1)}
	go func(of *writing) { of.done <- t.commit(all, of.at) }(s.writing)
	u.stored, u.at = nil, made.at
	u.shrink()
	return nil
}

func (s *Store) changed(fn func(*Tx) (applied, error)) (made applied, all []changes, err error) {
	u := s.unit
	if u.aside == nil {
		stored, err := u.stored.begin()
		if err != nil {
			return made, nil, err
		}
		left, err := loadAside(&Query{source: stored})
		if err != nil {
			return made, nil, err
		}
		u.aside = make(map[string]bool)
		for _, one := range left {
			u.aside[one.Stream] = true
		}
	}
	if made, err = fn(&Tx{unit: u}); err == nil {
		all, err = u.changed()
	}
	return made, all, err
}

// failed forgets the rows in memory, for the reason that it returns.
func (s *Store) failed(ctx context.Context, err error) error {
	s.unit.drop(eventlog.Checkpoint{Position: eventlog.End}) // of no state
	if errors.Is(err, errMoved) || errors.Is(err, errRenew) || ctx.Err() != nil {
		return err
	}
	return ofViews(err)
}

// written waits until what was changed is written.
func (s *Store) written(ctx context.Context) error {
	if s.writing == nil {
		return nil
	}
	of := s.writing
	s.writing = nil
	if err := <-of.done; err != nil {
		return s.failed(ctx, err)
	}
	s.position.Store(&of.at.Position)
	if s.building.applied(of.events, of.at.Position) {
		s.logger.Info("views are being built", "views", s.Path(), "progress", s.building.progress().String())
	}
	if s.progress != nil {
		s.progress(of.events)
	}
	return nil
}

// writtenBefore waits for what was changed before what is in memory now. If an event of it cannot be written, it is
// read again to find out which.
func (s *Store) writtenBefore(ctx context.Context) error {
	if s.writing == nil {
		return nil
	}
	events := s.writing.events
	err := s.written(ctx)
	if s.ofEvent(ctx, err) {
		s.limit = max(1, events/2)
		return errMoved
	}
	return err
}

// commit is [Store.change] of what is written then.
func (s *Store) commit(ctx context.Context, fn func(*Tx) (applied, error)) error {
	if err := s.change(ctx, fn); err != nil {
		return err
	}
	return s.written(ctx)
}
