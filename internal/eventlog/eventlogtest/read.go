package eventlogtest

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

func readsFrom(t testing.TB, log eventlog.Log) {
	batch := events(5, "stream")
	appendEvents(t, log, "a", eventlog.NoStream{}, batch...)
	appendEvents(t, log, "ab", eventlog.NoStream{}, events(5, "stream with a longer name")...)
	for from := range batch {
		requireIDs(t, idsOf(batch[from:]), ids(collect(t, log.Stream(t.Context(), "a", int64(from)))))
	}
	requireIDs(t, idsOf(batch), ids(collect(t, log.Stream(t.Context(), "a", -1))), "from before the beginning")
	require.Empty(t, collect(t, log.Stream(t.Context(), "a", 5)), "from behind the end")
	require.Empty(t, readStream(t, log, "never"), "a stream without events")
	require.Empty(t, readStream(t, log, ""), "no stream at all")
}

func readsAfter(t testing.TB, log eventlog.Log) {
	require.Empty(t, readAll(t, log))
	for i := range 10 {
		appendEvents(t, log, fmt.Sprintf("s%d", i), eventlog.NoStream{}, events(2, "all/%d", i)...)
	}
	all := readAll(t, log)
	require.Len(t, all, 20)
	for i, record := range all {
		requireIDs(t, ids(all[i+1:]), ids(collect(t, log.All(t.Context(), record.Position, eventlog.Everything))))
	}
}

func readersAreFree(t testing.TB, log eventlog.Log) {
	const streams = 10
	for i := range streams {
		appendEvents(t, log, fmt.Sprintf("s%d", i), eventlog.NoStream{}, events(3, "free/%d", i)...)
	}
	// More often than any pool has connections: a break that kept one would stop here.
	for range 100 {
		for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
			require.NoError(t, err)
			for inner, err := range log.Stream(t.Context(), record.Stream, 1) {
				require.NoError(t, err)
				require.Equal(t, int64(1), inner.Revision)
				break
			}
			break
		}
	}
	seen := 0
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		if record.Revision == 2 {
			appendEvents(t, log, record.Stream, eventlog.Exact(2), event("inside/%s", record.Stream))
		}
		if seen++; seen > streams*4 {
			break
		}
	}
	require.GreaterOrEqual(t, seen, streams*3)
	require.Len(t, readAll(t, log), streams*4)
}

func readsLong(t testing.TB, log eventlog.Log) {
	const batches, size = 13, 100 // more than two pieces of any backend's
	var want []string
	for i := range int64(batches) {
		batch := events(size, "long/%d", i)
		appendEvents(t, log, "long", eventlog.At(i*size-1), batch...)
		want = append(want, idsOf(batch)...)
	}
	requireIDs(t, want, ids(readAll(t, log)))
	requireIDs(t, want, ids(readStream(t, log, "long")))
	requireIDs(t, want[1099:], ids(collect(t, log.Stream(t.Context(), "long", 1099))))
}

func tellsHead(t testing.TB, log eventlog.Log) {
	head, err := log.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, eventlog.Start, head)
	for i := range int64(3) {
		appended := appendEvents(t, log, "a", eventlog.At(i*2-1), events(2, "head/%d", i)...)
		head, err := log.Head(t.Context())
		require.NoError(t, err)
		require.Equal(t, appended.Position, head)
	}
}

func cancels(t testing.TB, log eventlog.Log) {
	for i := range int64(20) {
		appendEvents(t, log, "a", eventlog.At(i*100-1), events(100, "cancel/%d", i)...)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := log.Append(ended, "b", eventlog.NoStream{}, events(1, "too late"))
	require.ErrorIs(t, err, context.Canceled)
	_, err = log.Head(ended)
	require.ErrorIs(t, err, context.Canceled)
	for name, records := range reads(ended, log) {
		require.ErrorIsf(t, onlyError(t, records), context.Canceled, "%s with a context that has ended", name)
	}
	require.Empty(t, readStream(t, log, "b"))

	for name := range reads(ended, log) {
		midway, cancel := context.WithCancel(t.Context())
		seen := 0
		var last error
		for _, last = range reads(midway, log)[name] {
			cancel()
			seen++
		}
		cancel()
		require.ErrorIsf(t, last, context.Canceled, "%s: a long read that is cancelled does not look like one that has come to its end", name)
		require.Less(t, seen, 2000)
	}
}

// reads are all reads of a log that has a stream a.
func reads(ctx context.Context, log eventlog.Log) map[string]iter.Seq2[eventlog.Record, error] {
	return map[string]iter.Seq2[eventlog.Record, error]{
		"All":            log.All(ctx, eventlog.Start, eventlog.Everything),
		"AllBackward":    log.AllBackward(ctx, eventlog.End, eventlog.Everything),
		"Stream":         log.Stream(ctx, "a", 0),
		"StreamBackward": log.StreamBackward(ctx, "a", eventlog.Newest),
	}
}

func wakes(t testing.TB, log eventlog.Log) {
	one, releaseOne := log.Wake()
	defer releaseOne()
	two, releaseTwo := log.Wake()
	defer releaseTwo()
	for i := range int64(3) {
		appendEvents(t, log, "a", eventlog.At(i-1), event("wake/%d", i))
		awaitHint(t, one)
		awaitHint(t, two)
	}
	// Appends never wait for a listener that does not look.
	for i := range int64(100) {
		appendEvents(t, log, "b", eventlog.At(i-1), event("unheard/%d", i))
	}
	awaitHint(t, one)
	releaseTwo()
	releaseTwo()
	appendEvents(t, log, "c", eventlog.NoStream{}, event("after a release"))
	awaitHint(t, one)
}

func awaitHint(t testing.TB, hint <-chan struct{}) {
	t.Helper()
	select {
	case <-hint:
	case <-time.After(patience(t)):
		require.Fail(t, "no hint came")
	}
}
