package loop

import (
	"context"
	"errors"

	"github.com/kintsugi-run/kintsugi/internal/basics/panics"
)

// Stall names a piece of work that fails again and again.
type Stall struct{ Kind, ID, Work string }

// Stalls keeps, for people, the work that fails again and again. It is told once of each piece, until that goes on.
type Stalls interface {
	Stalled(ctx context.Context) ([]Stall, error)
	ReportStalled(ctx context.Context, stall Stall, problem string, tries int) error
	ReportResumed(ctx context.Context, stall Stall) error
}

// mostUntold is how often work may fail, about half a minute, before people hear of it: an outage of the log or of the
// machine ends by itself. Work that panicked does so again.
const mostUntold = 6

// Told says that people hear of what has failed so often in a row.
func Told(err error, tries int) bool {
	_, panicked := errors.AsType[*panics.Error](err)
	return panicked || tries >= mostUntold
}

// attend does a piece of work, and has people hear of it if it fails again and again, and when it does not any more.
func (l *Loop) attend(ctx context.Context, of *lane, key string, work Work) error {
	err := panics.Guard(func() error { return work.Do(ctx) })
	if ctx.Err() != nil {
		return err
	}
	stall := Stall{of.kind.name(), of.id, key}
	l.mu.Lock()
	tries, told := of.failures[key].count+1, l.stalled[stall]
	l.mu.Unlock()
	problem := err
	wait, waits := errors.AsType[*Wait](err)
	if waits {
		problem, tries = wait.Trouble, wait.Tries
	}
	if problem == nil {
		if told {
			l.resumed(ctx, stall)
		}
		return err
	}
	broken, is := errors.AsType[*panics.Error](err)
	if is {
		l.config.Logger.Error("a reaction panicked", of.kind.name(), of.id, "work", key, "panic", broken.Cause, "stack", string(broken.Stack))
		if work.Broken != nil {
			given := panics.Guard(func() error { return work.Broken(ctx, broken.Error()) })
			if given == nil {
				return nil
			}
			err = errors.Join(err, given)
			problem = err
		}
	}
	if told || l.config.Stalls == nil || !Told(err, tries) && !l.once {
		return err
	}
	if failed := l.config.Stalls.ReportStalled(ctx, stall, problem.Error(), tries); failed != nil {
		l.config.Logger.Error("nobody can be told that work fails again and again", of.kind.name(), of.id, "work", key, "error", failed)
		return err
	}
	l.mu.Lock()
	put(&l.stalled, stall, true)
	l.mu.Unlock()
	return err
}

// look ends the name of a look at a stream, which finds what is to be done and is no work itself.
const look = " look"

// blind has people hear of a panic in seeing what is to be done for a stream. The other streams go on. The views tell of a stream that cannot be read
// at all.
func (l *Loop) blind(ctx context.Context, stall Stall, err error) {
	broken, is := errors.AsType[*panics.Error](err)
	if !is {
		return
	}
	l.config.Logger.Error("it panics to see what is to be done", stall.Kind, stall.ID, "of", stall.Work, "panic", broken.Cause, "stack", string(broken.Stack))
	l.mu.Lock()
	told := l.stalled[stall] || l.config.Stalls == nil
	l.mu.Unlock()
	if told {
		return
	}
	if err := l.config.Stalls.ReportStalled(ctx, stall, broken.Error(), 1); err != nil {
		l.config.Logger.Error("nobody can be told that it panics to see what is to be done", stall.Kind, stall.ID, "error", err)
		return
	}
	l.mu.Lock()
	put(&l.stalled, stall, true)
	l.mu.Unlock()
}

// resumed records that stalled work goes on. If that cannot be recorded now it is tried when the lane is looked at again.
func (l *Loop) resumed(ctx context.Context, stall Stall) {
	if err := l.config.Stalls.ReportResumed(ctx, stall); err != nil {
		l.config.Logger.Error("it cannot be recorded that work goes on", "of", stall.ID, "work", stall.Work, "error", err)
		return
	}
	l.mu.Lock()
	delete(l.stalled, stall)
	l.mu.Unlock()
}

// remember takes up what an earlier life, or another node, has told people of.
func (l *Loop) remember(ctx context.Context) {
	if l.config.Stalls == nil {
		return
	}
	list, err := l.config.Stalls.Stalled(ctx)
	if err != nil {
		if ctx.Err() == nil {
			l.config.Logger.Error("what fails again and again is not known", "error", err)
		}
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, stall := range list {
		put(&l.stalled, stall, true)
	}
}

// vanished are the stalls of a lane whose work is not to be done any more. The lock is held.
func (l *Loop) vanished(of *lane, due map[string]bool) (gone []Stall) {
	for stall := range l.stalled {
		if stall.Kind == of.kind.name() && stall.ID == of.id && !due[stall.Work] && !of.underWay[stall.Work] {
			gone = append(gone, stall)
		}
	}
	return gone
}
