package eventlogtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

func readsBack(t testing.TB, log eventlog.Log) {
	everyByte := make([]byte, 256)
	for i := range everyByte {
		everyByte[i] = byte(i)
	}
	binary := event("binary")
	binary.Payload, binary.Metadata = everyByte, append([]byte{0}, everyByte...)
	empty := event("empty")
	empty.Payload, empty.Metadata = nil, []byte{}
	// Key order, number format and spaces are the writer's: hashes are made of the bytes.
	json := event("json")
	json.Payload = []byte(`{ "b": 1.0, "a": 1e2, "b": "ü\u00fc" }`)
	old := event("old")
	old.Type, old.SchemaVersion = "Übersetzt", 7

	before := time.Now().Add(-time.Hour)
	appendEvents(t, log, "run-ä/1", eventlog.NoStream{}, binary, empty)
	appendEvents(t, log, "run-ä/1", eventlog.Exact(1), json, old)

	want := []eventlog.Event{binary, empty, json, old}
	for name, records := range map[string][]eventlog.Record{"stream": readStream(t, log, "run-ä/1"), "log": readAll(t, log)} {
		require.Len(t, records, len(want), name)
		for i, record := range records {
			require.Equal(t, "run-ä/1", record.Stream, name)
			require.Equal(t, want[i].ID, record.ID, name)
			require.Equal(t, want[i].Type, record.Type, name)
			require.Equal(t, want[i].SchemaVersion, record.SchemaVersion, name)
			require.True(t, bytes.Equal(want[i].Payload, record.Payload), name)
			require.True(t, bytes.Equal(want[i].Metadata, record.Metadata), name)
			require.WithinRange(t, record.RecordedAt, before, time.Now().Add(time.Hour), name)
			require.Equal(t, time.UTC, record.RecordedAt.Location(), name)
		}
	}
}

func reportsPlace(t testing.TB, log eventlog.Log) {
	first := appendEvents(t, log, "a", eventlog.NoStream{}, events(3, "first")...)
	second := appendEvents(t, log, "a", eventlog.Exact(2), event("second"))
	records := readStream(t, log, "a")
	require.Equal(t, eventlog.Appended{First: 0, Last: 2, Position: records[2].Position}, first)
	require.Equal(t, eventlog.Appended{First: 3, Last: 3, Position: records[3].Position}, second)
}

func keepsOrder(t testing.TB, log eventlog.Log) {
	var want []string
	for i := range 30 {
		stream := fmt.Sprintf("s%d", i%3)
		batch := events(1+i%4, "order/%d", i)
		var next int64
		for _, record := range readStream(t, log, stream) {
			next = record.Revision + 1
		}
		appendEvents(t, log, stream, eventlog.At(next-1), batch...)
		want = append(want, idsOf(batch)...)
	}
	requireIDs(t, want, ids(readAll(t, log)), "the log has the events in the order of the appends")
	RequireSound(t, log)
}

func checksExpected(t testing.TB, log eventlog.Log) {
	ctx := t.Context()
	_, err := log.Append(ctx, "a", eventlog.Exact(0), events(1, "none"))
	requireConflict(t, err, "a", 0, -1)
	appendEvents(t, log, "a", eventlog.NoStream{}, events(3, "some")...)
	for expected, label := range map[eventlog.Expected]string{
		eventlog.NoStream{}: "no stream", eventlog.Exact(0): "first", eventlog.Exact(1): "behind", eventlog.Exact(3): "ahead", eventlog.Exact(99): "far ahead",
	} {
		_, err := log.Append(ctx, "a", expected, []eventlog.Event{event("%s", label)})
		requireConflict(t, err, "a", expected.Revision(), 2)
	}
	appendEvents(t, log, "a", eventlog.Exact(2), event("right"))
	appendEvents(t, log, "b", eventlog.NoStream{}, event("other stream"))
}

func conflictStoresNothing(t testing.TB, log eventlog.Log) {
	appendEvents(t, log, "a", eventlog.NoStream{}, event("there"))
	head, err := log.Head(t.Context())
	require.NoError(t, err)
	_, err = log.Append(t.Context(), "a", eventlog.NoStream{}, events(5, "refused"))
	requireConflict(t, err, "a", -1, 0)
	_, err = log.Append(t.Context(), "new", eventlog.Exact(4), events(5, "refused"))
	requireConflict(t, err, "new", 4, -1)
	require.Len(t, readAll(t, log), 1)
	require.Empty(t, readStream(t, log, "new"))
	after, err := log.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, head, after)
}

func repeats(t testing.TB, log eventlog.Log) {
	before := events(2, "before")
	batch := events(3, "batch")
	appendEvents(t, log, "a", eventlog.NoStream{}, before...)
	first := appendEvents(t, log, "a", eventlog.Exact(1), batch...)
	require.False(t, first.Repeated)

	again := first
	again.Repeated = true
	require.Equal(t, again, appendEvents(t, log, "a", eventlog.Exact(1), batch...), "at once")

	appendEvents(t, log, "a", eventlog.Exact(4), events(2, "after")...)
	appendEvents(t, log, "b", eventlog.NoStream{}, events(2, "elsewhere")...)
	require.Equal(t, again, appendEvents(t, log, "a", eventlog.Exact(1), batch...), "when the stream has gone on")

	for i := range batch {
		batch[i].Metadata = []byte("later")
	}
	require.Equal(t, again, appendEvents(t, log, "a", eventlog.Exact(1), batch...), "metadata is not content")

	require.Len(t, readStream(t, log, "a"), 7)
	RequireSound(t, log)
}

func partialRepeat(t testing.TB, log eventlog.Log) {
	batch := events(3, "batch")
	appendEvents(t, log, "a", eventlog.NoStream{}, batch...)
	for name, attempt := range map[string]struct {
		expected eventlog.Expected
		events   []eventlog.Event
	}{
		"with more":                 {eventlog.NoStream{}, append(events(0, ""), batch[0], batch[1], batch[2], event("more"))},
		"the end with more":         {eventlog.Exact(1), []eventlog.Event{batch[2], event("more")}},
		"in another order":          {eventlog.NoStream{}, []eventlog.Event{batch[1], batch[0], batch[2]}},
		"elsewhere":                 {eventlog.Exact(0), []eventlog.Event{batch[0]}},
		"at the end, again":         {eventlog.Exact(2), []eventlog.Event{batch[2]}},
		"at the end, with new ones": {eventlog.Exact(2), []eventlog.Event{event("new"), batch[0]}},
	} {
		_, err := log.Append(t.Context(), "a", attempt.expected, attempt.events)
		conflict, ok := errors.AsType[*eventlog.ConflictError](err)
		require.Truef(t, ok, "%s: want a conflict, got %v", name, err)
		require.Equal(t, eventlog.ConflictError{Stream: "a", Expected: attempt.expected.Revision(), Actual: 2}, *conflict, name)
	}
	requireIDs(t, idsOf(batch), ids(readStream(t, log, "a")))
}

func bindsContent(t testing.TB, log eventlog.Log) {
	stored := events(2, "stored")
	appendEvents(t, log, "a", eventlog.NoStream{}, stored...)
	payload, eventType, version := stored[1], stored[1], stored[1]
	payload.Payload = []byte("other")
	eventType.Type = "Other"
	version.SchemaVersion++
	for name, changed := range map[string]eventlog.Event{"payload": payload, "type": eventType, "schema version": version} {
		for _, expected := range []eventlog.Expected{eventlog.NoStream{}, eventlog.Exact(0), eventlog.Exact(1)} {
			_, err := log.Append(t.Context(), "a", expected, []eventlog.Event{event("new %s", name), changed})
			content, ok := errors.AsType[*eventlog.ContentError](err)
			require.Truef(t, ok, "%s: want a content error, got %v", name, err)
			require.Equal(t, eventlog.ContentError{Stream: "a", ID: changed.ID}, *content)
		}
	}
	requireIDs(t, idsOf(stored), ids(readAll(t, log)))
}

func idsAreOfAStream(t testing.TB, log eventlog.Log) {
	one := event("one")
	appendEvents(t, log, "a", eventlog.NoStream{}, one)
	one.Payload = []byte("other")
	require.False(t, appendEvents(t, log, "b", eventlog.NoStream{}, one).Repeated)
	require.Len(t, readAll(t, log), 2)
}

func concurrentWriters(t testing.TB, log eventlog.Log) {
	contend(t, func(int) eventlog.Log { return log })
	RequireSound(t, log)
}

// contend lets 16 writers append to 4 streams, each at the revision it has seen, until each has won
// some rounds, and asserts that each won revision is won once and holds the winner's event.
func contend(t testing.TB, logOf func(writer int) eventlog.Log) {
	t.Helper()
	const writers, streams, rounds = 16, 4, 12
	type place struct {
		stream   string
		revision int64
	}
	var mu sync.Mutex
	winners := make(map[place]string)
	win := func(at place, id string) error {
		mu.Lock()
		defer mu.Unlock()
		if other, taken := winners[at]; taken {
			return fmt.Errorf("revision %d of %s was won by %s and %s", at.revision, at.stream, other, id)
		}
		winners[at] = id
		return nil
	}
	write := func(writer int) error {
		log, stream := logOf(writer), fmt.Sprintf("hot-%d", writer%streams)
		seen := int64(-1)
		for won := 0; won < rounds; {
			batch := events(1+won%2, "contend/%d/%d", writer, won)
			appended, err := log.Append(t.Context(), stream, eventlog.At(seen), batch)
			if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok {
				if conflict.Actual <= seen {
					return fmt.Errorf("conflict at revision %d though %s was seen at %d", conflict.Actual, stream, seen)
				}
				seen = conflict.Actual
				continue
			}
			if err != nil {
				return err
			}
			if appended.First != seen+1 || appended.Last != seen+int64(len(batch)) {
				return fmt.Errorf("%d events after revision %d are at %d to %d", len(batch), seen, appended.First, appended.Last)
			}
			for i, event := range batch {
				if err := win(place{stream, appended.First + int64(i)}, event.ID); err != nil {
					return err
				}
			}
			seen = appended.Last
			won++
		}
		return nil
	}
	failures := make([]error, writers)
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() { failures[writer] = write(writer) })
	}
	group.Wait()
	require.NoError(t, errors.Join(failures...))
	records := readAll(t, logOf(0))
	requireCount(t, len(winners), records)
	for _, record := range records {
		require.Equal(t, winners[place{record.Stream, record.Revision}], record.ID)
	}
}

func appendsAtOnce(t testing.TB, log eventlog.Log) {
	const batches, size = 40, 5
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result := make(chan error, 1)
	go func() {
		defer close(result)
		for i := range int64(batches) {
			if _, err := log.Append(ctx, "a", eventlog.At(i*size-1), events(size, "batch/%d", i)); err != nil {
				result <- err
				return
			}
		}
	}()
	for done := false; !done; {
		select {
		case err := <-result:
			require.NoError(t, err)
			done = true
		default:
		}
		require.Zero(t, len(readStream(t, log, "a"))%size, "the stream has a part of an append")
		require.Zero(t, len(readAll(t, log))%size, "the log has a part of an append")
	}
	requireCount(t, batches*size, readAll(t, log))
}

func refuses(t testing.TB, log eventlog.Log) {
	ctx := t.Context()
	_, err := log.Append(ctx, "a", eventlog.NoStream{}, nil)
	require.ErrorIs(t, err, eventlog.ErrEmptyBatch)

	for _, name := range []string{"", strings.Repeat("a", 201), "a b", "a\tb", "a\nb", "a\x00b", "a\x7f", "a\u00a0b", "\xff"} {
		_, err := log.Append(ctx, name, eventlog.NoStream{}, events(1, "name"))
		requireInvalid(t, err, name)
	}
	with := func(change func(*eventlog.Event)) []eventlog.Event {
		batch := events(2, "with")
		change(&batch[1])
		return batch
	}
	for name, batch := range map[string][]eventlog.Event{
		"too large":         with(func(e *eventlog.Event) { e.Payload = make([]byte, eventlog.MaxAppendBytes) }),
		"metadata counts":   with(func(e *eventlog.Event) { e.Metadata = make([]byte, eventlog.MaxAppendBytes) }),
		"no id":             with(func(e *eventlog.Event) { e.ID = "" }),
		"an id of a kind":   with(func(e *eventlog.Event) { e.ID = "event-1" }),
		"an id in capitals": with(func(e *eventlog.Event) { e.ID = strings.ToUpper(e.ID) }),
		"an id in braces":   with(func(e *eventlog.Event) { e.ID = "{" + e.ID + "}" }),
		"one id twice":      with(func(e *eventlog.Event) { e.ID = event("with/0").ID }),
		"no type":           with(func(e *eventlog.Event) { e.Type = "" }),
		"a type with space": with(func(e *eventlog.Event) { e.Type = "run ended" }),
		"no schema version": with(func(e *eventlog.Event) { e.SchemaVersion = 0 }),
	} {
		_, err := log.Append(ctx, "a", eventlog.NoStream{}, batch)
		requireInvalid(t, err, "a")
		require.Emptyf(t, readAll(t, log), "stored: %s", name)
	}
	_, err = log.Append(ctx, "a", nil, events(1, "nothing expected"))
	requireInvalid(t, err, "a")
	_, err = log.Append(ctx, "a", eventlog.Exact(-1), events(1, "negative"))
	requireInvalid(t, err, "a")
	require.Empty(t, readAll(t, log))
}

func takesTheLimit(t testing.TB, log eventlog.Log) {
	batch := events(2, "limit")
	batch[0].Metadata, batch[1].Metadata = []byte("12"), []byte("34")
	batch[0].Payload = bytes.Repeat([]byte{1}, eventlog.MaxAppendBytes/2)
	batch[1].Payload = bytes.Repeat([]byte{2}, eventlog.MaxAppendBytes/2-4)
	name := strings.Repeat("n", eventlog.MaxNameBytes)
	for i := range int64(3) {
		for n := range batch {
			batch[n].ID = event("limit/%d/%d", i, n).ID
		}
		appendEvents(t, log, name, eventlog.At(i*2-1), batch...)
	}
	records := readAll(t, log)
	require.Len(t, records, 6)
	require.Equal(t, batch[1].Payload, records[5].Payload)
	RequireSound(t, log)

	batch[1].Payload = append(batch[1].Payload, 3)
	_, err := log.Append(t.Context(), "more", eventlog.NoStream{}, batch)
	requireInvalid(t, err, "more")
	require.Len(t, readAll(t, log), 6)
}

func takesManyEvents(t testing.TB, log eventlog.Log) {
	batch := events(eventlog.MaxAppendEvents+1, "many")
	for i := range batch {
		batch[i].Payload = []byte{1} // the events of other cases would be more than 1 MiB
	}
	_, err := log.Append(t.Context(), "a", eventlog.NoStream{}, batch)
	requireInvalid(t, err, "a")
	require.Empty(t, readAll(t, log))

	batch = batch[:eventlog.MaxAppendEvents]
	appended := appendEvents(t, log, "a", eventlog.NoStream{}, batch...)
	require.Equal(t, int64(eventlog.MaxAppendEvents-1), appended.Last)
	requireIDs(t, idsOf(batch), ids(readStream(t, log, "a")))
}
