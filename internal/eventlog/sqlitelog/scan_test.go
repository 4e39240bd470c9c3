package sqlitelog

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// fillStreams appends so many events of type Tested, 1000 to each stream.
func fillStreams(t *testing.T, log *Log, thousands int) {
	t.Helper()
	for i := range thousands {
		batch := make([]eventlog.Event, 1000)
		for n := range batch {
			batch[n] = newEvent(0)[0]
		}
		_, err := log.Append(t.Context(), fmt.Sprintf("s%d", i), eventlog.NoStream{}, batch)
		require.NoError(t, err)
	}
}

// A long log is read in short transactions; a subscription to few of its events tells how far it has
// looked, and goes on from there.
func TestScan(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{})
	fillStreams(t, log, 10)
	requireShortReads(t, log, 10_000)
	rare := newEvent(0)
	rare[0].Type = "Rare"
	appended, err := log.Append(t.Context(), "rare", eventlog.NoStream{}, rare)
	require.NoError(t, err)

	after := eventlog.Start
	for range 3 { // resumed at each checkpoint
		var checkpoints []eventlog.Position
		found := false
		for delivery, err := range log.Scan(t.Context(), after, eventlog.Filter{Types: []string{"Rare"}}) {
			require.NoError(t, err)
			switch {
			case delivery.CaughtUp:
				require.Equal(t, eventlog.Delivery{Position: appended.Position, CaughtUp: true}, delivery)
			case delivery.Record != nil:
				require.Equal(t, appended.Position, delivery.Position)
				found = true
			default:
				require.False(t, found)
				require.Greater(t, delivery.Position, after)
				require.Less(t, delivery.Position, appended.Position)
				checkpoints = append(checkpoints, delivery.Position)
			}
		}
		require.True(t, found)
		if len(checkpoints) == 0 {
			require.Greater(t, after, eventlog.PositionOf(10_000-chunkRows))
			return
		}
		after = checkpoints[0]
	}
}

// A filtered read still checks the events that it leaves out: it finds a hole in the log.
func TestFilteredReadFindsDamage(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{})
	fillStreams(t, log, 2)
	require.NoError(t, sqlitedb.Exec(log.writer.conn, "DROP TRIGGER event_no_delete"))
	require.NoError(t, sqlitedb.Exec(log.writer.conn, "DELETE FROM event WHERE pos = 1500"))
	none := eventlog.Filter{StreamPrefixes: []string{"other"}}
	for name, records := range map[string]func(yield func(eventlog.Record, error) bool){
		"forward":  log.All(t.Context(), eventlog.Start, none),
		"backward": log.AllBackward(t.Context(), eventlog.End, none),
	} {
		var last error
		for _, err := range records {
			last = err
		}
		require.ErrorContains(t, last, "the event with pos 1500 is missing", name)
	}
}

// One read transaction is short, whatever is read: it ends with its chunk.
func requireShortReads(t *testing.T, log *Log, events int64) {
	t.Helper()
	for name, c := range map[string]struct {
		filter  eventlog.Filter
		records int
		rows    int64
	}{
		"everything": {eventlog.Everything, chunkRecords, chunkRecords},
		"nothing":    {eventlog.Filter{Types: []string{"Other"}}, 0, chunkRows},
	} {
		seen := int64(0)
		for chunk, err := range log.chunks(t.Context(), c.filter, upFrom(eventlog.Start)) {
			require.NoError(t, err)
			require.LessOrEqual(t, len(chunk.records), c.records, name)
			require.LessOrEqual(t, chunk.next-1-seen, c.rows, name)
			seen = chunk.next - 1
		}
		require.Equal(t, events, seen, name)
	}
}

// A backward read begins with small chunks, so that the newest events cost little, and gets each event once if it
// goes on to the beginning.
func TestBackwardReadBeginsSmall(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{})
	fillStreams(t, log, 2)
	for name, open := range map[string]func(conn *sqlite.Conn) (span, error){
		"stream": func(conn *sqlite.Conn) (span, error) {
			number, last, err := streamOf(conn, "s1")
			return revisions(number, last, 0, -1), err
		},
		"log": func(*sqlite.Conn) (span, error) { return positions(2000, 1, -1), nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var sizes []int
			sum := 0
			for chunk, err := range log.chunks(t.Context(), eventlog.Everything, open) {
				require.NoError(t, err)
				sizes = append(sizes, len(chunk.records))
				sum += len(chunk.records)
			}
			require.Equal(t, []int{4, 32, 256}, sizes[:3])
			require.Equal(t, map[string]int{"stream": 1000, "log": 2000}[name], sum)
		})
	}
	for chunk, err := range log.chunks(t.Context(), eventlog.Everything, upFrom(eventlog.Start)) {
		require.NoError(t, err)
		require.Len(t, chunk.records, chunkRecords)
		break
	}
}
