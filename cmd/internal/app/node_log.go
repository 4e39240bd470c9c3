package app

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// watchedLog tells when the storage has failed for good: what tries again would do so for ever. And it
// tells when the storage is full, and has room again.
type watchedLog struct {
	eventlog.Log
	failed chan error // receives the first such error
	room   *roomWatch
	took   *prometheus.HistogramVec // how long appends of this process took, by outcome
}

func watch(log eventlog.Log) watchedLog {
	return watchedLog{Log: log, failed: make(chan error, 1), room: &roomWatch{tell: func(error) {}}, took: newAppendTimes()}
}

// roomWatch tells once that the storage is full, and once that it has room again: what did not fit is
// tried again and again, by all who have something to write.
type roomWatch struct {
	mu     sync.Mutex
	tell   func(full error) // nil says that there is room again
	wanted int              // bytes of the largest append that did not fit; 0 if the storage is not full
	since  time.Time        // when it last did not fit
}

// roomAgain is how long nothing may have failed before a smaller append shows that there is room, too:
// whatever failed was tried again by then.
const roomAgain = 2 * time.Minute

// after notes what became of an append. On a full disk a small one may fit where others do not, so it
// shows nothing.
func (w *roomWatch) after(events []eventlog.Event, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err == nil && w.wanted == 0 {
		return
	}
	size := 1
	for _, e := range events {
		size += len(e.Payload)
	}
	switch {
	case errors.Is(err, eventlog.ErrFull):
		if w.wanted == 0 {
			w.tell(err)
		}
		w.wanted, w.since = max(w.wanted, size), time.Now()
	case err == nil && (size >= w.wanted || time.Since(w.since) > roomAgain):
		w.wanted = 0
		w.tell(nil)
	}
}

// isFull says whether the storage was full when it was looked at last.
func (w *roomWatch) isFull() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wanted > 0
}

// Unwrap is for [eventlog.As].
func (l watchedLog) Unwrap() eventlog.Log { return l.Log }

// Append implements [eventlog.Log].
func (l watchedLog) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	began := time.Now()
	appended, err := l.Log.Append(ctx, stream, expected, events)
	l.after(began, events, err)
	return appended, err
}

// after notes what became of an append.
func (l watchedLog) after(began time.Time, events []eventlog.Event, err error) {
	l.took.WithLabelValues(appendOutcome(err)).Observe(time.Since(began).Seconds())
	l.room.after(events, err)
	if errors.Is(err, eventlog.ErrFailed) {
		select {
		case l.failed <- err:
		default: // it was told
		}
	}
}

// AppendPair implements [eventlog.PairAppender].
func (l watchedLog) AppendPair(ctx context.Context, first, second eventlog.Batch) ([]eventlog.Appended, error) {
	began := time.Now()
	done, err := eventlog.AppendPair(ctx, l.Log, first, second)
	l.after(began, slices.Concat(first.Events, second.Events), err)
	return done, err
}

// LookAgain is how long a server waits before it looks whether the log can be reached again.
const LookAgain = time.Second

// Outlast runs something again that ended because a store cannot be reached, until ctx ends.
func Outlast(ctx context.Context, logger *slog.Logger, pause time.Duration, run func(context.Context) error) error {
	for {
		err := run(ctx)
		if err == nil || ctx.Err() != nil || !errors.Is(err, eventlog.ErrUnavailable) {
			return err
		}
		logger.Warn("the store cannot be reached, trying again", "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}
