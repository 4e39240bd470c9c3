package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// watchedLog tells when the storage has failed for good: what tries again would do so for ever.
type watchedLog struct {
	eventlog.Log
	failed chan error // receives the first such error
}

func watch(log eventlog.Log) watchedLog {
	return watchedLog{Log: log, failed: make(chan error, 1)}
}

// Append implements [eventlog.Log].
func (l watchedLog) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	appended, err := l.Log.Append(ctx, stream, expected, events)
	if errors.Is(err, eventlog.ErrFailed) {
		select {
		case l.failed <- err:
		default: // it was told
		}
	}
	return appended, err
}

// lookAgain is how long a server waits before it looks whether the log can be reached again.
const lookAgain = time.Second

// outlast runs something again that ended because the log cannot be reached, until ctx ends.
func outlast(ctx context.Context, logger *slog.Logger, pause time.Duration, run func(context.Context) error) error {
	for {
		err := run(ctx)
		if err == nil || ctx.Err() != nil || !errors.Is(err, eventlog.ErrUnavailable) {
			return err
		}
		logger.Warn("the event log cannot be reached, trying again", "error", err)
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
	}
}
