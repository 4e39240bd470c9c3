package pglog

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kintsugi-run/kintsugi/internal/database/pgschema"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// SQLSTATEs, from the appendix of PostgreSQL's manual. Those that begin with KT are the log's own.
const (
	uniqueViolation = "23505"
	diskFull        = "53100"
	notYetHere      = "KT001" // the log has not been written to in this cluster yet
)

func hasState(err error, states ...string) bool {
	fault, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains(states, fault.Code)
}

func isUniqueViolation(err error) bool { return hasState(err, uniqueViolation) }
func isElsewhere(err error) bool       { return hasState(err, notYetHere) }

// isPassing says whether the same may succeed when it is tried again: the connection was lost, the server
// is going down, coming up or being replaced by another, or two transactions were in each other's way.
func isPassing(err error) bool {
	if errors.Is(err, errAgain) {
		return true
	}
	return !isOurs(err) && (pgschema.IsAway(err) || hasState(err,
		"40001", "40P01", "55P03", // serialization, deadlock, lock not available
		"25P03",    // idle in transaction for too long
		notYetHere, // another cluster took over in this moment
	))
}

// isOurs says whether an error is no matter of the connection.
func isOurs(err error) bool {
	for _, own := range []error{eventlog.ErrClosed, eventlog.ErrUnavailable, eventlog.ErrFull, context.Canceled, errDamaged} {
		if errors.Is(err, own) {
			return true
		}
	}
	_, conflict := errors.AsType[*eventlog.ConflictError](err)
	_, content := errors.AsType[*eventlog.ContentError](err)
	return conflict || content
}

// errDamaged says that rows are missing that must be there.
var errDamaged = fmt.Errorf("%w; restore it from a backup", eventlog.ErrDamaged)

// isDamage says whether the server itself finds what it stores broken, or not what the log is made of.
func isDamage(err error) bool {
	return hasState(err, "XX001", "XX002", // data or index corrupted
		"42P01", "42703", "42883", "3F000") // no such table, column, function, schema
}

// explain translates an error into one of package eventlog.
func (l *Log) explain(ctx context.Context, doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case l.closed.Load() && !isOurs(err):
		return eventlog.ErrClosed
	case isOurs(err) && !errors.Is(err, errDamaged):
		return err
	case isDamage(err):
		return fmt.Errorf("pglog: %s: %w: %w", doing, errDamaged, withHint(err))
	case hasState(err, diskFull):
		return fmt.Errorf("%w (pglog: %s: %w)", eventlog.ErrFull, doing, err)
	case isPassing(err):
		err = fmt.Errorf("%w (pglog: %s: %w)", eventlog.ErrUnavailable, doing, err)
		if ctx.Err() != nil {
			err = fmt.Errorf("%w: %w", ctx.Err(), err)
		}
		return err
	}
	return fmt.Errorf("pglog: %s: %w", doing, withHint(err))
}

// withHint adds what the server advises.
func withHint(err error) error {
	if fault, ok := errors.AsType[*pgconn.PgError](err); ok && fault.Hint != "" {
		return fmt.Errorf("%w. %s", err, fault.Hint)
	}
	return err
}

// The waits between attempts: they double, and vary so that those who failed together do not come back together.
const (
	firstBackoff = 2 * time.Millisecond
	lastBackoff  = time.Second
)

// backoff spaces the attempts at one thing, for a bounded time.
type backoff struct {
	until time.Time
	next  time.Duration
	cause error // the last error
	// tell is called once, with the error, when the thing has not been done for a while: somebody waits for it.
	tell   func(error)
	tellAt time.Time
}

// tellAfter is how long is tried without a word.
const tellAfter = time.Second

func newBackoff(most time.Duration, tell func(error)) *backoff {
	now := time.Now()
	return &backoff{until: now.Add(most), next: firstBackoff, tell: tell, tellAt: now.Add(tellAfter)}
}

// after waits before the next attempt. It returns false if there is to be none.
func (b *backoff) after(ctx context.Context, err error) bool {
	b.cause = err
	if !isPassing(err) || !time.Now().Before(b.until) {
		return false
	}
	if b.tell != nil && time.Now().After(b.tellAt) {
		b.tell(err)
		b.tell = nil
	}
	timer := time.NewTimer(b.next/2 + rand.N(b.next))
	defer timer.Stop()
	b.next = min(2*b.next, lastBackoff)
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
