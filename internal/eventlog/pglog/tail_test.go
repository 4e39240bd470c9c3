package pglog_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

func scan(t testing.TB, log eventlog.Log, after eventlog.Position) (ids []string, end eventlog.Position) {
	t.Helper()
	for delivery, err := range eventlog.Scan(t.Context(), log, after, eventlog.Everything) {
		require.NoError(t, err)
		if delivery.Record != nil {
			ids = append(ids, delivery.Record.ID)
		}
		end = delivery.Position
	}
	return ids, end
}

// TestFollowersShareAScan: events that one follower got cost the others no query.
func TestFollowersShareAScan(t *testing.T) {
	t.Parallel()
	proxy, through := newProxy(t, pgtest.Database(t))
	log := open(t, through)
	_, end := scan(t, log, eventlog.Start)
	events := newEvents(3)
	_, err := log.Append(t.Context(), "a", eventlog.NoStream{}, events)
	require.NoError(t, err)
	told, newest := scan(t, log, end)
	require.Equal(t, idsOf(events...), told)

	proxy.refuse(true)
	proxy.cut()
	again, at := scan(t, log, end)
	require.Equal(t, told, again)
	require.Equal(t, newest, at)
	nothing, at := scan(t, log, newest)
	require.Empty(t, nothing)
	require.Equal(t, newest, at)
}

// TestScanFromAnywhere: a scan has every event after its place once, from memory or not, also where events are many
// or large, or were appended by another process.
func TestScanFromAnywhere(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	log, other := open(t, url), open(t, url)
	scan(t, log, eventlog.Start)
	var ids []string
	for round, n := range []int{1, 600, 600, 3000, 2, 1100, 700, 700, 900, 900, 1} {
		of, large := log, 0
		if round%3 == 2 {
			of = other
		}
		if round > 4 {
			large = 2000
		}
		events := newEvents(n)
		for i := range events {
			events[i].Payload = fmt.Appendf(nil, `{"text":"%0*d"}`, large, i)
		}
		for i := 0; i < n; i += 500 {
			part := events[i:min(i+500, n)]
			_, err := of.Append(t.Context(), fmt.Sprintf("s%d", round), eventlog.At(int64(i)-1), part)
			require.NoError(t, err)
		}
		ids = append(ids, idsOf(events...)...)
		_, err := log.Head(t.Context()) // sees what the other appended
		require.NoError(t, err)
		all := idsAfter(t, log, eventlog.Start)
		require.Len(t, all, len(ids))
		scanned, _ := scan(t, log, eventlog.Start)
		require.Equal(t, all, scanned, "round %d", round)
	}
	n := 0
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		if n++; n%997 == 0 || n > len(ids)-3 {
			after, _ := scan(t, log, record.Position)
			require.Len(t, after, len(ids)-n, "after event %d", n)
		}
	}
}
