package eventlogtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// These are the promises of [eventlog.OrderedAppender], which [eventlog.AppendInOrder] has to keep with every log.

func batch(stream string, expected int64, all ...eventlog.Event) eventlog.Batch {
	return eventlog.Batch{Stream: stream, Expected: eventlog.At(expected), Events: all}
}

func appendInOrder(t testing.TB, log eventlog.Log, batches ...eventlog.Batch) {
	t.Helper()
	require.NoError(t, eventlog.AppendInOrder(t.Context(), log, batches))
}

func keepsGivenOrder(t testing.TB, log eventlog.Log) {
	var want []string
	heads := map[string]int64{}
	for round := range 4 {
		var batches []eventlog.Batch
		for i := range 30 {
			stream := fmt.Sprintf("s%d", 6-(i*i+round)%7) // by turns, twice in a row too, and not in the order of names
			all := events(1+i%3, "in order/%d/%d", round, i)
			batches = append(batches, batch(stream, heads[stream]-1, all...))
			heads[stream] += int64(len(all))
			want = append(want, idsOf(all)...)
		}
		appendInOrder(t, log, batches...)
		single := event("alone/%d", round)
		appendEvents(t, log, "s0", eventlog.At(heads["s0"]-1), single)
		heads["s0"]++
		want = append(want, single.ID)
	}
	requireIDs(t, want, ids(readAll(t, log)))
	RequireSound(t, log)
}

func endsAtRefusal(t testing.TB, log eventlog.Log) {
	stored := event("stored")
	appendEvents(t, log, "b", eventlog.NoStream{}, stored)
	other := stored
	other.Payload = []byte("other")
	want := []string{stored.ID}
	for i, refused := range []eventlog.Batch{batch("b", -1, event("behind")), batch("b", 1, event("ahead")), batch("b", -1, other)} {
		before := events(2, "before/%d", i)
		err := eventlog.AppendInOrder(t.Context(), log, []eventlog.Batch{
			batch(fmt.Sprintf("a%d", i), -1, before...), refused, batch("c", -1, event("after")),
		})
		if refused.Events[0].ID == stored.ID {
			content, ok := errors.AsType[*eventlog.ContentError](err)
			require.Truef(t, ok, "want a content error, got %v", err)
			require.Equal(t, eventlog.ContentError{Stream: "b", ID: stored.ID}, *content)
		} else {
			requireConflict(t, err, "b", refused.Expected.Revision(), 0)
		}
		want = append(want, idsOf(before)...)
		requireIDs(t, want, ids(readAll(t, log)))
	}
	RequireSound(t, log)
}

func repeatsInOrder(t testing.TB, log eventlog.Log) {
	batches := []eventlog.Batch{
		batch("a", -1, events(2, "a")...), batch("b", -1, events(3, "b")...), batch("a", 1, event("a2")), batch("c", -1, event("c")),
	}
	var want []string
	for _, b := range batches {
		want = append(want, idsOf(b.Events)...)
	}
	appendInOrder(t, log, batches[:2]...) // as after a crash: a beginning is there
	for range 2 {
		appendInOrder(t, log, batches...)
		requireIDs(t, want, ids(readAll(t, log)))
	}
	appendEvents(t, log, "b", eventlog.Exact(2), event("later"))
	appendInOrder(t, log, batches...)
	requireIDs(t, append(want, event("later").ID), ids(readAll(t, log)))
	RequireSound(t, log)
}

func refusesInOrder(t testing.TB, log eventlog.Log) {
	ctx := t.Context()
	require.ErrorIs(t, eventlog.AppendInOrder(ctx, log, nil), eventlog.ErrEmptyBatch)
	good := batch("a", -1, event("good"))
	require.ErrorIs(t, eventlog.AppendInOrder(ctx, log, []eventlog.Batch{good, batch("b", -1)}), eventlog.ErrEmptyBatch)
	invalid := event("invalid")
	invalid.ID = "1"
	half, much := event("half"), event("much")
	half.Payload, much.Payload = make([]byte, eventlog.MaxAppendBytes/2), make([]byte, eventlog.MaxAppendBytes/2)
	many := events(eventlog.MaxAppendEvents, "many")
	for i := range many {
		many[i].Payload, many[i].Metadata = nil, nil
	}
	for name, bad := range map[string][]eventlog.Batch{
		"an id":                    {good, batch("b", -1, invalid)},
		"a name":                   {good, batch("b c", -1, event("bad"))},
		"nothing expected":         {good, {Stream: "b", Events: events(1, "bad")}},
		"too large, all together":  {good, batch("b", -1, half), batch("c", -1, much)},
		"too many, all together":   {good, batch("b", -1, many...)},
		"too large, one of itself": {good, batch("b", -1, half, much)},
	} {
		err := eventlog.AppendInOrder(ctx, log, bad)
		requireInvalid(t, err, bad[len(bad)-1].Stream)
		require.Emptyf(t, readAll(t, log), "stored: %s", name)
	}
}

func takesTheLimitInOrder(t testing.TB, log eventlog.Log) {
	const streams, each = 128, 8
	payload := bytes.Repeat([]byte{1}, eventlog.MaxAppendBytes/streams/each)
	var batches []eventlog.Batch
	for stream := range streams {
		all := events(each, "limit/%d", stream)
		for i := range all {
			all[i].Payload, all[i].Metadata = payload, nil
		}
		batches = append(batches, batch(fmt.Sprintf("s%d", stream), -1, all...))
	}
	appendInOrder(t, log, batches...)
	requireCount(t, streams*each, readAll(t, log))
}

// ordersAmongOthers lets some append in order while others append as always.
func ordersAmongOthers(t testing.TB, log eventlog.Log) {
	const writers, rounds = 4, 8
	inOrder := make([][]string, writers)
	failures := make([]error, 2*writers)
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			for round := range rounds {
				var batches []eventlog.Batch
				for i := range 5 {
					all := events(2, "%d/%d/%d", w, round, i)
					batches = append(batches, batch(fmt.Sprintf("ordered-%d-%d", w, 5-i), 2*int64(round)-1, all...))
					inOrder[w] = append(inOrder[w], idsOf(all)...)
				}
				if failures[w] = eventlog.AppendInOrder(t.Context(), log, batches); failures[w] != nil {
					return
				}
			}
		})
		group.Go(func() {
			for round := range int64(rounds) {
				_, err := log.Append(t.Context(), fmt.Sprintf("plain-%d", w), eventlog.At(round-1), events(1, "plain %d/%d", w, round))
				if failures[writers+w] = err; err != nil {
					return
				}
			}
		})
	}
	group.Wait()
	require.NoError(t, errors.Join(failures...))
	got := make([][]string, writers)
	for _, record := range readAll(t, log) {
		var w, stream int
		if n, _ := fmt.Sscanf(record.Stream, "ordered-%d-%d", &w, &stream); n == 2 {
			got[w] = append(got[w], record.ID)
		}
	}
	for w := range writers {
		requireIDs(t, inOrder[w], got[w])
	}
	RequireSound(t, log)
}

func endsInOrder(t testing.TB, log eventlog.Log) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	batches := []eventlog.Batch{batch("a", -1, event("a")), batch("b", -1, event("b"))}
	require.ErrorIs(t, eventlog.AppendInOrder(ctx, log, batches), context.Canceled)
	require.Empty(t, readAll(t, log))
	require.NoError(t, log.Close())
	require.ErrorIs(t, eventlog.AppendInOrder(t.Context(), log, batches), eventlog.ErrClosed)
}
