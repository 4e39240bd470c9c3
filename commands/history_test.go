package commands_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// The history of several streams is all their events in the order of the log, however they overlap.
func TestHistoryMergesByPosition(t *testing.T) {
	t.Parallel()
	ctx, log := t.Context(), openLog(t)
	c := on(log)
	number := 0
	rapid.Check(t, func(r *rapid.T) {
		number++
		begin, err := log.Head(ctx)
		require.NoError(t, err)
		var streams []string
		for i := range rapid.IntRange(1, 12).Draw(r, "appends") {
			id := fmt.Sprintf("w%d-%d", number, rapid.IntRange(1, 5).Draw(r, "workflow"))
			if slices.Contains(streams, "workflow-"+id) {
				_, err = c.SkipSlot(ctx, id, workflow.SkipSlot{Reason: fmt.Sprint(i)}, ann)
			} else {
				streams = append(streams, "workflow-"+id)
				_, err = c.CreateWorkflow(ctx, workflow.Create{ID: id, Title: id}, ann)
			}
			require.NoError(t, err)
		}
		var want, got []string
		for record, err := range log.All(ctx, begin, eventlog.Everything) {
			require.NoError(t, err)
			want = append(want, record.ID)
		}
		for recorded, err := range c.History(ctx, append(streams, "workflow-none")) {
			require.NoError(t, err)
			got = append(got, recorded.Metadata.EventID)
		}
		require.Equal(t, want, got)
		require.NoError(t, c.VerifyChains(ctx, streams))
	})
}

// counting counts how many streams are being read at the same time.
type counting struct {
	eventlog.Log
	open, most int
}

func (l *counting) Stream(ctx context.Context, stream string, from int64) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		l.open++
		l.most = max(l.most, l.open)
		defer func() { l.open-- }()
		l.Log.Stream(ctx, stream, from)(yield)
	}
}

// Streams are read when their time comes: a thousand runs one after the other are not held in
// memory at once.
func TestHistoryOpensWhatOverlaps(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	log := &counting{Log: openLog(t)}
	c := on(log)
	var streams []string
	for i := range 30 {
		id := fmt.Sprintf("w%d", i)
		streams = append(streams, "workflow-"+id)
		create(t, c, id)
	}
	log.most = 0
	events := 0
	for _, err := range c.History(ctx, streams) {
		require.NoError(t, err)
		events++
	}
	require.Equal(t, 90, events)
	require.Equal(t, 2, log.most)

	for range c.History(ctx, streams) {
		break
	}
	require.Zero(t, log.open, "breaking out lets go of everything")
}

// An event that cannot be read ends the history with its place.
func TestHistoryNamesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	log := openLog(t)
	c := on(log)
	create(t, c, "w1")
	appendRaw(t, log, "workflow-w1", 2, "FromTheFuture", `{}`)
	events := 0
	for _, err := range c.History(t.Context(), []string{"workflow-w1"}) {
		if events < 3 {
			require.NoError(t, err)
			events++
			continue
		}
		_, unknown := errors.AsType[*event.UnknownTypeError](err)
		require.True(t, unknown, "got %v", err)
		require.ErrorContains(t, err, "workflow-w1 revision 3 (FromTheFuture)")
		events++
	}
	require.Equal(t, 4, events)
}
