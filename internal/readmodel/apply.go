package readmodel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// The pauses of [Store.Run] after a trouble that may pass (no space, file busy): they double.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 30 * time.Second
)

// While another process applies: how often who waits for an event looks, and how often who stands by to take over.
const (
	followed = 3 * time.Millisecond
	takeOver = 500 * time.Millisecond
)

// While more than crowd events come in a millisecond, two passes of [Store.Run] begin at least so far apart: a row that many events
// change is written once for all of them, and most of what views cost is writing rows. A caller that waits for an event in this process applies
// it there and then; who waits in another one waits so much longer at most.
//
// Otherwise so far apart: what follows on an event within a breath is applied with one pass.
const (
	crowd  = 1
	pace   = 100 * time.Millisecond
	breath = 10 * time.Millisecond
)

// brokenTries is how often who waits for an event tries again, at once and then after longer pauses, if a connection
// broke or another transaction was first.
const brokenTries = 6

// Run applies new events as they come, until ctx ends: then it returns nil. It returns an
// error if the views or the log cannot be read; while the disk is full it tries again, and says
// that once, and once that it goes on. A stream with an event
// that a projection cannot apply is set aside ([Aside]).
func (s *Store) Run(ctx context.Context) error {
	hint, release := s.log.Wake()
	defer release()
	s.running.Store(true)
	defer s.running.Store(false)
	pause := firstPause
	var since time.Time // how many came is counted
	came, crowded := 0, false
	for {
		began := time.Now()
		if took := began.Sub(since); took >= pace {
			crowded = int64(came) > crowd*took.Milliseconds()
			since, came = began, 0
		}
		applied, err := s.applyNext(ctx)
		came += applied
		if err == nil && pause > firstPause {
			s.logger.Warn("views are written again")
			pause = firstPause
		}
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil && applied > 0 && applied < passEvents:
			pause := breath
			if crowded {
				pause = pace
			}
			select {
			case <-ctx.Done():
				return nil
			case <-s.kick:
			case <-time.After(time.Until(began.Add(pause))):
			}
		case err == nil && applied > 0:
			continue
		case err == nil:
			select {
			case <-ctx.Done():
				return nil
			case <-hint:
			case <-s.kick:
			case <-s.lookAgain(takeOver):
			}
		case s.passing(err):
			if pause == firstPause {
				s.logger.Warn("views cannot be written, trying again", "error", err)
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(pause):
			}
			pause = min(2*pause, lastPause)
		default:
			return err
		}
	}
}

// CatchUp applies everything up to the head of the log as it is now.
func (s *Store) CatchUp(ctx context.Context) error {
	head, err := s.log.Head(ctx)
	if err != nil {
		return fmt.Errorf("readmodel: catch up: %w", err)
	}
	// Apply at least once: the checkpoint may be beyond the head, if the log was replaced.
	if _, err := s.applyNext(ctx); err != nil && !s.broken(err) {
		return err
	}
	return s.WaitFor(ctx, head)
}

// WaitFor returns once the event at a position is in the views, and everything before it.
// It applies what is missing itself, so it works whether [Store.Run] is running or not.
func (s *Store) WaitFor(ctx context.Context, position eventlog.Position) error {
	var hint <-chan struct{}
	release := func() {}
	defer func() { release() }()
	tries := 0
	for s.Position() < position || !s.live.Load() || s.damaged.Load() {
		applied, err := s.applyNext(ctx)
		switch {
		case err != nil && s.broken(err) && tries < brokenTries && ctx.Err() == nil:
			select {
			case <-ctx.Done():
			case <-time.After(time.Millisecond << (2 * tries)):
			}
			tries++
		case err != nil && ctx.Err() != nil:
			return s.lag(ctx, position, ctx.Err())
		case err != nil:
			return fmt.Errorf("readmodel: wait for position %q: %w", position, err)
		case applied > 0:
		case hint == nil:
			// Ask for hints first and look once more, or an event in between would be missed.
			hint, release = s.log.Wake()
			if _, err := s.log.Head(ctx); err != nil { // a scan may not have what another process appended before
				return fmt.Errorf("readmodel: wait for position %q: %w", position, err)
			}
		default:
			select {
			case <-ctx.Done():
				return s.lag(ctx, position, ctx.Err())
			case <-hint:
			case <-s.lookAgain(followed):
			}
		}
	}
	return nil
}

// broken says that views may be reached at once if it is tried again. The log has tried that itself.
func (s *Store) broken(err error) bool {
	return errors.Is(err, errViews) && s.engine.trouble(err) == troubleBroken
}

// passing says that the same may succeed later.
func (s *Store) passing(err error) bool {
	if !errors.Is(err, errViews) {
		return sqlitedb.IsFull(err) || sqlitedb.IsBusy(err)
	}
	of := s.engine.trouble(err)
	return of == troublePassing || of == troubleBroken
}

// lookAgain is when to look how far somebody else is who applies; nil if nobody does.
func (s *Store) lookAgain(after time.Duration) <-chan time.Time {
	if !s.following.Load() {
		return nil
	}
	return time.After(after)
}

// Rebuild empties the views and applies the whole log again. Readers see the views grow meanwhile.
func (s *Store) Rebuild(ctx context.Context) error {
	err := s.alone(ctx, func() error {
		release, err := s.engine.claim(ctx, s.running.Load())
		if err != nil {
			return err
		}
		defer release()
		return s.reset(ctx)
	})
	if err != nil {
		return fmt.Errorf("readmodel: rebuild: %w", err)
	}
	return s.CatchUp(ctx)
}

// alone runs fn while nobody else in this process applies.
func (s *Store) alone(ctx context.Context, fn func() error) error {
	select {
	case <-s.applying:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { s.applying <- struct{}{} }()
	return fn()
}

// applyNext applies the next events, up to a number, and returns how many it dealt with.
// If it finds the generation damaged it begins a new one, which counts as work done.
func (s *Store) applyNext(ctx context.Context) (applied int, err error) {
	began := time.Now()
	err = s.alone(ctx, func() (err error) {
		if s.awayAt.After(began) {
			return s.away // who stood in front has tried it since: that many wait is no reason to wait that often
		}
		defer func() {
			if ctx.Err() == nil && errors.Is(err, eventlog.ErrUnavailable) {
				s.away, s.awayAt = err, time.Now()
			}
		}()
		damage := errors.New("a reader found it damaged")
		if !s.damaged.Load() {
			applied, err = s.pass(ctx)
			if !errors.Is(err, errViews) || s.engine.trouble(err) != troubleDamaged {
				return err
			}
			damage = err
		}
		s.unit.drop(eventlog.Checkpoint{})
		if err := s.engine.replace(ctx, damage); err != nil {
			return fmt.Errorf("readmodel: replace %s: %w", s.Path(), err)
		}
		s.damaged.Store(false)
		s.owned = false
		applied = 1
		return nil
	})
	return applied, err
}
