package eventlogtest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

func closes(t testing.TB, log eventlog.Log) {
	appendEvents(t, log, "a", eventlog.NoStream{}, event("before"))
	hint, release := log.Wake()
	defer release()
	all := reads(t.Context(), log)
	waiting, catchingUp := follow(t.Context(), t, log, eventlog.Start, eventlog.Everything), follow(t.Context(), t, log, eventlog.Start, eventlog.Everything)
	waiting.untilCaughtUp(t)
	catchingUp.record(t)
	closeInTime(t, log)
	awaitHint(t, hint)

	_, err := log.Append(t.Context(), "a", eventlog.Exact(0), events(1, "after"))
	require.ErrorIs(t, err, eventlog.ErrClosed)
	_, err = log.Head(t.Context())
	require.ErrorIs(t, err, eventlog.ErrClosed)
	for name, records := range all {
		require.ErrorIsf(t, onlyError(t, records), eventlog.ErrClosed, "%s, asked for before the end", name)
	}
	for name, records := range reads(t.Context(), log) {
		require.ErrorIsf(t, onlyError(t, records), eventlog.ErrClosed, "%s", name)
	}
	require.ErrorIs(t, waiting.end(t), eventlog.ErrClosed, "a subscription that waits")
	require.ErrorIs(t, catchingUp.end(t), eventlog.ErrClosed, "a subscription whose consumer is slow")
	require.ErrorIs(t, follow(t.Context(), t, log, eventlog.Start, eventlog.Everything).end(t), eventlog.ErrClosed, "a new subscription")
	late, releaseLate := log.Wake()
	defer releaseLate()
	awaitHint(t, late)
	require.ErrorIs(t, log.Close(), eventlog.ErrClosed)
}

// closeInTime closes a log that others use: nobody who waits, or looks at a record, may hold it up.
func closeInTime(t testing.TB, log eventlog.Log) {
	t.Helper()
	closed := make(chan error, 1)
	go func() { closed <- log.Close() }()
	select {
	case err := <-closed:
		require.NoError(t, err)
	case <-time.After(patience(t)):
		require.Fail(t, "Close does not return")
	}
}

type opener = func(t testing.TB, log eventlog.Log) eventlog.Log

func reopens(t testing.TB, log eventlog.Log, reopen opener) {
	for i := range int64(3) {
		appendEvents(t, log, "a", eventlog.At(i*4-1), events(4, "reopen/%d", i)...)
		appendEvents(t, log, fmt.Sprintf("b%d", i), eventlog.NoStream{}, event("reopen/b/%d", i))
		before := readAll(t, log)
		require.NoError(t, log.Close())
		log = reopen(t, log)
		requireRecords(t, before, readAll(t, log))
	}
	RequireSound(t, log)
}

func repeatsAfterReopen(t testing.TB, log eventlog.Log, reopen opener) {
	batch := events(3, "batch")
	first := appendEvents(t, log, "a", eventlog.NoStream{}, batch...)
	appendEvents(t, log, "a", eventlog.Exact(2), event("more"))
	require.NoError(t, log.Close())
	log = reopen(t, log)
	first.Repeated = true
	require.Equal(t, first, appendEvents(t, log, "a", eventlog.NoStream{}, batch...))
	batch[1].Payload = nil
	_, err := log.Append(t.Context(), "a", eventlog.Exact(3), batch[1:2])
	_, ok := errors.AsType[*eventlog.ContentError](err)
	require.Truef(t, ok, "want a content error, got %v", err)
	require.Len(t, readAll(t, log), 4)
}

func closeDrains(t testing.TB, log eventlog.Log, reopen opener) {
	const writers = 50
	outcomes := make([]error, writers)
	acknowledged := make([]int64, writers)
	var ready, group sync.WaitGroup
	ready.Add(writers)
	for writer := range writers {
		group.Go(func() {
			running := sync.OnceFunc(ready.Done)
			defer running()
			stream := fmt.Sprintf("s%d", writer)
			for {
				next := acknowledged[writer]
				_, err := log.Append(t.Context(), stream, eventlog.At(next-1), events(1, "drain/%d/%d", writer, next))
				if err != nil {
					outcomes[writer] = err
					return
				}
				acknowledged[writer]++
				if next == 5 {
					running()
				}
			}
		})
	}
	ready.Wait()
	require.NoError(t, log.Close())
	group.Wait()
	log = reopen(t, log)
	for writer, err := range outcomes {
		require.ErrorIs(t, err, eventlog.ErrClosed)
		require.Len(t, readStream(t, log, fmt.Sprintf("s%d", writer)), int(acknowledged[writer]))
	}
}

func shares(t testing.TB, log eventlog.Log, second opener) {
	other := second(t, log)
	contend(t, func(writer int) eventlog.Log {
		if writer/4%2 == 0 { // each stream is written through both
			return log
		}
		return other
	})
	requireRecords(t, readAll(t, log), readAll(t, other))
	RequireSound(t, other)
}

func repeatsElsewhere(t testing.TB, log eventlog.Log, second opener) {
	other := second(t, log)
	batch := events(3, "batch")
	appendEvents(t, log, "a", eventlog.NoStream{}, event("first"))
	appendEvents(t, other, "a", eventlog.Exact(0), event("second"))
	first := appendEvents(t, log, "a", eventlog.Exact(1), batch...)
	first.Repeated = true
	require.Equal(t, first, appendEvents(t, other, "a", eventlog.Exact(1), batch...))
	_, err := other.Append(t.Context(), "a", eventlog.Exact(4), batch[:1])
	requireConflict(t, err, "a", 4, 4)
	batch[2].Type = "Other"
	_, err = other.Append(t.Context(), "a", eventlog.Exact(4), batch[2:])
	_, ok := errors.AsType[*eventlog.ContentError](err)
	require.Truef(t, ok, "want a content error, got %v", err)
}

func wakesElsewhere(t testing.TB, log eventlog.Log, second opener) {
	other := second(t, log)
	hint, release := other.Wake()
	defer release()
	for i := range int64(3) {
		appended := appendEvents(t, log, "a", eventlog.At(i-1), event("wake/%d", i))
		for {
			awaitHint(t, hint)
			head, err := other.Head(t.Context())
			require.NoError(t, err)
			if head == appended.Position {
				break
			}
		}
	}
}
