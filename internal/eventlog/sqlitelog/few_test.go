package sqlitelog

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// newLogWithFew gives a log of 20,000 events, ten more of which are of two rare streams, all over it.
func newLogWithFew(t *testing.T) *Log {
	t.Helper()
	log := newLog(t, Options{})
	fill := make([]eventlog.Event, 2000)
	for i := range 10 {
		_, err := log.Append(t.Context(), fmt.Sprintf("rare-%d", i%2), eventlog.At(int64(i/2-1)), newEvent(10))
		require.NoError(t, err)
		for n := range fill {
			fill[n] = newEvent(0)[0]
		}
		_, err = log.Append(t.Context(), fmt.Sprintf("s%d", i), eventlog.NoStream{}, fill)
		require.NoError(t, err)
	}
	return log
}

// A filter of few events is answered as any other, and nothing else is read for it.
func TestFew(t *testing.T) {
	t.Parallel()
	log := newLogWithFew(t)
	collect := func(records func(func(eventlog.Record, error) bool)) (all []eventlog.Record) {
		for record, err := range records {
			require.NoError(t, err)
			all = append(all, record)
		}
		return all
	}
	all := collect(log.All(t.Context(), eventlog.Start, eventlog.Everything))
	for _, filter := range []eventlog.Filter{
		{StreamPrefixes: []string{"rare-"}},
		{StreamPrefixes: []string{"rare-1", "none", "rare-"}},
		{StreamPrefixes: []string{"none"}},
		{StreamPrefixes: []string{"rare-"}, Types: []string{"Other"}},
		{StreamPrefixes: []string{"rare-", "s9"}}, // too many
		{StreamPrefixes: []string{"rare-", ""}},
	} {
		for _, after := range []int64{0, 1, 2001, 2002, 4005} {
			var want []eventlog.Record
			for _, record := range all[after:] {
				if filter.Passes(record.Stream, record.Type) {
					want = append(want, record)
				}
			}
			require.Equal(t, want, collect(log.All(t.Context(), eventlog.PositionOf(after), filter)), "%v after %d", filter, after)
		}
		for _, before := range []int64{20011, 20010, 18010, 18009, 18008} {
			var want []eventlog.Record
			for _, record := range slices.Backward(all[:before-1]) {
				if filter.Passes(record.Stream, record.Type) {
					want = append(want, record)
				}
			}
			require.Equal(t, want, collect(log.AllBackward(t.Context(), eventlog.PositionOf(before), filter)), "%v before %d", filter, before)
		}
	}

	chunks := 0
	for chunk, err := range log.chunks(t.Context(), eventlog.Filter{StreamPrefixes: []string{"rare-"}}, upFrom(eventlog.Start)) {
		require.NoError(t, err)
		require.Len(t, chunk.records, 10)
		require.True(t, chunk.ended())
		chunks++
	}
	require.Equal(t, 1, chunks)
}

// An event that is missing among the few is found.
func TestFewFindsDamage(t *testing.T) {
	t.Parallel()
	log := newLogWithFew(t)
	require.NoError(t, sqlitedb.Exec(log.writer.conn, "DROP TRIGGER event_no_delete"))
	require.NoError(t, sqlitedb.Exec(log.writer.conn, "DELETE FROM event WHERE stream = (SELECT id FROM stream WHERE name = 'rare-1') AND revision = 2"))
	var last error
	for _, err := range log.All(t.Context(), eventlog.Start, eventlog.Filter{StreamPrefixes: []string{"rare-"}}) {
		last = err
	}
	require.ErrorIs(t, last, eventlog.ErrDamaged)
	require.ErrorContains(t, last, "the event with revision 2 is missing")
}
