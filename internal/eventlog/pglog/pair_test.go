package pglog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestAppendPairIsOneTransaction: a pair takes one commit, and one that met a lost answer is there once.
func TestAppendPairIsOneTransaction(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	proxy, through := newProxy(t, url)
	log := open(t, through)
	pair := func(round int64) {
		batches, _ := batchesOf(2, 2*round-1, "a", "b")
		done, err := log.AppendPair(t.Context(), batches[0], batches[1])
		require.NoError(t, err)
		require.Len(t, done, 2)
	}
	pair(0)
	var transactions int
	require.NoError(t, pgtest.Connect(t, url).QueryRow(t.Context(), "SELECT count(DISTINCT xmin::text) FROM kintsugi.event").Scan(&transactions))
	require.Equal(t, 1, transactions)

	eaten := proxy.loseAnswerAfter(0)
	pair(1)
	<-eaten
	require.Len(t, idsAfter(t, log, eventlog.Start), 8)
	eventlogtest.RequireSound(t, log)
}
