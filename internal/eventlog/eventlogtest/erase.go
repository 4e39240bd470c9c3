package eventlogtest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// sayings are payloads of every kind.
func sayings() []eventlog.Event {
	texts := []string{
		"", "7", "{}", `{"a":1}`, "\xff\xfe\x00", strings.Repeat("x", 82), string(eventlog.Erased([]byte("before"))),
		`"erased, SHA-256 ` + strings.Repeat("F", 64) + `"`, `"erased, SHA-256 ` + strings.Repeat("g", 64) + `"`, strings.Repeat("long ", 60_000), `{"last":true}`,
	}
	all := make([]eventlog.Event, len(texts))
	for i, text := range texts {
		all[i] = event("saying %d", i)
		all[i].Payload = []byte(text)
	}
	return all
}

func eraser(t testing.TB, log eventlog.Log) eventlog.Eraser {
	t.Helper()
	of, is := eventlog.As[eventlog.Eraser](log)
	require.True(t, is)
	return of
}

// without is records as they are when those that a predicate chooses are erased.
func without(records []eventlog.Record, gone func(eventlog.Record) bool) []eventlog.Record {
	records = slices.Clone(records)
	for i := range records {
		if gone(records[i]) {
			records[i].Payload = eventlog.Erased(records[i].Payload)
		}
	}
	return records
}

func erases(t testing.TB, log eventlog.Log) {
	all := sayings()
	last := int64(len(all)) - 1
	for _, stream := range []string{"a", "b", "c"} {
		appendEvents(t, log, stream, eventlog.NoStream{}, all...)
	}
	before := readAll(t, log)
	n, err := eraser(t, log).Erase(t.Context(), []eventlog.Part{
		{Stream: "b", Last: eventlog.Newest}, {Stream: "c", First: 2, Last: 4}, {Stream: "none", Last: 7}, {Stream: "c", First: last + 1, Last: last + 9},
	})
	require.NoError(t, err)
	require.Equal(t, last+3, n, "one was erased before")
	want := without(before, func(record eventlog.Record) bool {
		return record.Stream == "b" || record.Stream == "c" && record.Revision >= 2 && record.Revision <= 4
	})
	requireReads(t, log, want)
	again, err := eraser(t, log).Erase(t.Context(), []eventlog.Part{{Stream: "b", Last: last}})
	require.NoError(t, err)
	require.Zero(t, again)
	requireReads(t, log, want)

	repeated := appendEvents(t, log, "b", eventlog.NoStream{}, all...)
	require.Equal(t, eventlog.Appended{Last: last, Position: before[2*len(all)-1].Position, Repeated: true}, repeated)
	other := slices.Clone(all)
	other[3].Payload = []byte("another")
	_, err = log.Append(t.Context(), "b", eventlog.NoStream{}, other)
	require.ErrorAs(t, err, new(*eventlog.ContentError))
	appendEvents(t, log, "b", eventlog.Exact(last), event("goes on"))
	requireCount(t, len(want)+1, readAll(t, log))
	RequireSound(t, log)
}

// requireReads asserts what a log gives back, whichever way it is read.
func requireReads(t testing.TB, log eventlog.Log, want []eventlog.Record) {
	t.Helper()
	requireRecords(t, want, readAll(t, log), "all")
	requireRecords(t, reversed(want), collect(t, log.AllBackward(t.Context(), eventlog.End, eventlog.Everything)), "all backward")
	var followed []eventlog.Record
	for delivery, err := range log.Subscribe(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		if delivery.Record != nil {
			followed = append(followed, *delivery.Record)
		}
		if delivery.CaughtUp {
			break
		}
	}
	requireRecords(t, want, followed, "a subscription")
	byStream := map[string][]eventlog.Record{}
	for _, record := range want {
		byStream[record.Stream] = append(byStream[record.Stream], record)
	}
	for stream, want := range byStream {
		requireRecords(t, want, readStream(t, log, stream), stream)
		requireRecords(t, reversed(want), collect(t, log.StreamBackward(t.Context(), stream, eventlog.Newest)), stream+" backward")
	}
}

// erasesBesideWriters: who appends and who reads meanwhile notices nothing.
func erasesBesideWriters(t testing.TB, log eventlog.Log) {
	appendEvents(t, log, "old", eventlog.NoStream{}, events(1200, "old")...)
	var all sync.WaitGroup
	for w := range 4 {
		all.Go(func() {
			for i := range 40 {
				if _, err := log.Append(t.Context(), fmt.Sprintf("w%d", w), eventlog.At(int64(i)-1), events(1, "%d/%d", w, i)); err != nil {
					t.Errorf("an append beside an erasing: %v", err)
				}
			}
		})
	}
	var parts []eventlog.Part
	for first := range int64(600) {
		parts = append(parts, eventlog.Part{Stream: "old", First: 2 * first, Last: 2 * first})
	}
	n, err := eraser(t, log).Erase(t.Context(), parts)
	require.NoError(t, err)
	require.Equal(t, int64(600), n)
	all.Wait()
	records := readAll(t, log)
	requireCount(t, 1200+4*40, records)
	for _, record := range records {
		require.Equal(t, record.Stream == "old" && record.Revision%2 == 0, eventlog.IsErased(record.Payload))
	}
	RequireSound(t, log)
}

// erasesElsewhere: what another process erased is gone here, too, at the latest when this one forgets.
func erasesElsewhere(t testing.TB, log eventlog.Log, second func(testing.TB, eventlog.Log) eventlog.Log) {
	appendEvents(t, log, "a", eventlog.NoStream{}, events(20, "a")...)
	before := readAll(t, log)
	_, err := eraser(t, second(t, log)).Erase(t.Context(), []eventlog.Part{{Stream: "a", Last: 9}})
	require.NoError(t, err)
	eraser(t, log).Forget()
	requireReads(t, log, without(before, func(record eventlog.Record) bool { return record.Revision < 10 }))
	appendEvents(t, log, "a", eventlog.Exact(19), event("goes on"))
}

func erasedAfterReopen(t testing.TB, log eventlog.Log, reopen func(testing.TB, eventlog.Log) eventlog.Log) {
	appendEvents(t, log, "a", eventlog.NoStream{}, events(20, "a")...)
	before := readAll(t, log)
	_, err := eraser(t, log).Erase(t.Context(), []eventlog.Part{{Stream: "a", First: 3, Last: 3}})
	require.NoError(t, err)
	require.NoError(t, log.Close())
	log = reopen(t, log)
	requireReads(t, log, without(before, func(record eventlog.Record) bool { return record.Revision == 3 }))
	if examiner, is := eventlog.As[eventlog.Examiner](log); is {
		require.NoError(t, examiner.Examine(t.Context()))
		require.Empty(t, examiner.Restored())
	}
}

// erasesLarge: an erasing of many events is done in pieces, and ends with all of them.
func erasesLarge(t testing.TB, log eventlog.Log) {
	var parts []eventlog.Part
	for i := range 40 {
		stream := fmt.Sprintf("s%d", i)
		batch := make([]eventlog.Event, 50)
		for j := range batch {
			batch[j] = eventlog.Event{ID: uuid.NewString(), Type: "Tested", SchemaVersion: 1, Payload: bytes.Repeat([]byte("payload "), 400)}
		}
		appendEvents(t, log, stream, eventlog.NoStream{}, batch...)
		if i%2 == 0 {
			parts = append(parts, eventlog.Part{Stream: stream, Last: 49})
		}
	}
	n, err := eraser(t, log).Erase(t.Context(), parts)
	require.NoError(t, err)
	require.Equal(t, int64(20*50), n)
	for _, record := range readAll(t, log) {
		require.Equal(t, slices.ContainsFunc(parts, func(part eventlog.Part) bool { return part.Stream == record.Stream }), eventlog.IsErased(record.Payload))
	}
}
