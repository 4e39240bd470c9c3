package eventlogtest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

func reversed[T any](all []T) []T {
	out := slices.Clone(all)
	slices.Reverse(out)
	return out
}

func readsStreamBackward(t testing.TB, log eventlog.Log) {
	ctx := t.Context()
	appendEvents(t, log, "a", eventlog.NoStream{}, events(5, "backward")...)
	appendEvents(t, log, "ab", eventlog.NoStream{}, events(5, "a longer name")...)
	forward := readStream(t, log, "a")
	require.Len(t, forward, 5)
	for from := range int64(5) {
		requireRecords(t, reversed(forward[:from+1]), collect(t, log.StreamBackward(ctx, "a", from)), "from revision %d", from)
	}
	for _, from := range []int64{5, 6, 1 << 40, eventlog.Newest} {
		requireRecords(t, reversed(forward), collect(t, log.StreamBackward(ctx, "a", from)), "from %d, beyond the end", from)
	}
	for _, from := range []int64{-1, -2, -eventlog.Newest} {
		require.Emptyf(t, collect(t, log.StreamBackward(ctx, "a", from)), "from %d, before the beginning", from)
	}
	require.Empty(t, collect(t, log.StreamBackward(ctx, "never", eventlog.Newest)), "a stream without events")
	require.Empty(t, collect(t, log.StreamBackward(ctx, "", eventlog.Newest)), "no stream at all")
}

func readsAllBackward(t testing.TB, log eventlog.Log) {
	ctx := t.Context()
	require.Empty(t, collect(t, log.AllBackward(ctx, eventlog.End, eventlog.Everything)), "an empty log")
	for i := range 10 {
		appendEvents(t, log, fmt.Sprintf("s%d", i%4), eventlog.At(int64(i/4*2)-1), events(2, "back/%d", i)...)
	}
	forward := readAll(t, log)
	require.Len(t, forward, 20)
	requireRecords(t, reversed(forward), collect(t, log.AllBackward(ctx, eventlog.End, eventlog.Everything)), "from the end")
	for i, record := range forward {
		requireIDs(t, ids(reversed(forward[:i])), ids(collect(t, log.AllBackward(ctx, record.Position, eventlog.Everything))),
			"strictly before event %d", i)
	}
	require.Empty(t, collect(t, log.AllBackward(ctx, eventlog.Start, eventlog.Everything)), "before the start")
}

func readsLongBackward(t testing.TB, log eventlog.Log) {
	const batches, size = 13, 100 // more than two pieces of any backend's
	for i := range int64(batches) {
		appendEvents(t, log, "long", eventlog.At(i*size-1), events(size, "long/%d", i)...)
	}
	ctx := t.Context()
	forward := readAll(t, log)
	requireCount(t, batches*size, forward)
	want := ids(reversed(forward))
	requireIDs(t, want, ids(collect(t, log.AllBackward(ctx, eventlog.End, eventlog.Everything))))
	requireIDs(t, want, ids(collect(t, log.StreamBackward(ctx, "long", eventlog.Newest))))
	requireIDs(t, want[batches*size-1100:], ids(collect(t, log.StreamBackward(ctx, "long", 1099))))
	requireIDs(t, want[batches*size-1100:], ids(collect(t, log.AllBackward(ctx, forward[1100].Position, eventlog.Everything))))
}

func readersBackwardAreFree(t testing.TB, log eventlog.Log) {
	const streams = 10
	for i := range streams {
		appendEvents(t, log, fmt.Sprintf("s%d", i), eventlog.NoStream{}, events(3, "free/%d", i)...)
	}
	// More often than any pool has connections: a break that kept one would stop here.
	for range 100 {
		for record, err := range log.AllBackward(t.Context(), eventlog.End, eventlog.Everything) {
			require.NoError(t, err)
			for inner, err := range log.StreamBackward(t.Context(), record.Stream, 1) {
				require.NoError(t, err)
				require.Equal(t, int64(1), inner.Revision)
				break
			}
			break
		}
	}
	// Events that are appended meanwhile are newer than those that are read.
	seen := 0
	for record, err := range log.AllBackward(t.Context(), eventlog.End, eventlog.Everything) {
		require.NoError(t, err)
		if record.Revision == 2 {
			appendEvents(t, log, record.Stream, eventlog.Exact(2), event("inside/%s", record.Stream))
		}
		require.Less(t, record.Revision, int64(3))
		seen++
	}
	require.Equal(t, streams*3, seen)
	require.Len(t, readAll(t, log), streams*4)
}

// beyondHead is a position that no event of the log has yet.
func beyondHead(t testing.TB, log eventlog.Log) eventlog.Position {
	t.Helper()
	head, err := log.Head(t.Context())
	require.NoError(t, err)
	number, err := head.Number()
	require.NoErrorf(t, err, "the head %q is a number, as on every backend", head)
	return eventlog.PositionOf(number + 1_000_000)
}

func readsBeyondHead(t testing.TB, log eventlog.Log) {
	ctx := t.Context()
	require.Empty(t, collect(t, log.All(ctx, beyondHead(t, log), eventlog.Everything)), "an empty log")
	appendEvents(t, log, "a", eventlog.NoStream{}, events(3, "beyond")...)
	beyond := beyondHead(t, log)
	require.Empty(t, collect(t, log.All(ctx, beyond, eventlog.Everything)))
	require.Empty(t, collect(t, log.All(ctx, eventlog.End, eventlog.Everything)))
	requireRecords(t, reversed(readAll(t, log)), collect(t, log.AllBackward(ctx, beyond, eventlog.Everything)))
	follower := follow(ctx, t, log, beyond, eventlog.Everything)
	require.Empty(t, follower.untilCaughtUp(t))
	follower.stop(t)
}

func refusesPositions(t testing.TB, log eventlog.Log) {
	appendEvents(t, log, "a", eventlog.NoStream{}, events(3, "position")...)
	ctx := t.Context()
	for _, bad := range []eventlog.Position{"no position of any log", "-1", "1", "9999999999999999999", "000000000000000000x", " "} {
		requireOnlyError(t, log.All(ctx, bad, eventlog.Everything), "All after %q", bad)
		requireOnlyError(t, log.AllBackward(ctx, bad, eventlog.Everything), "AllBackward before %q", bad)
		require.Errorf(t, follow(ctx, t, log, bad, eventlog.Everything).end(t), "Subscribe after %q", bad)
	}
}
