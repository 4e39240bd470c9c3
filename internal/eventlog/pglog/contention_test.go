package pglog_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestNoDeadlocks: processes that append to the same streams, in groups, never wait for each other in a circle.
func TestNoDeadlocks(t *testing.T) {
	t.Parallel()
	const processes, writers, streams, rounds = 3, 24, 12, 20
	url := pgtest.Database(t)
	var group sync.WaitGroup
	failures := make([]error, processes*writers)
	logs := make([]eventlog.Log, processes)
	for i := range logs {
		logs[i] = open(t, url)
	}
	for writer := range failures {
		log := logs[writer%processes]
		group.Go(func() { failures[writer] = race(t, log, streams, rounds) })
	}
	group.Wait()
	require.NoError(t, errors.Join(failures...))
	eventlogtest.RequireSound(t, logs[0])
	for _, log := range logs {
		require.NoError(t, log.Close()) // a server process counts when it ends
	}
	var deadlocks int
	require.NoError(t, pgtest.Connect(t, url).QueryRow(t.Context(), "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()").Scan(&deadlocks))
	require.Zero(t, deadlocks)
}

// race appends to random streams, wherever they are, until it has won some rounds.
func race(t testing.TB, log eventlog.Log, streams, rounds int) error {
	seen := make([]int64, streams)
	for i := range seen {
		seen[i] = -1
	}
	for won := 0; won < rounds; {
		n := rand.IntN(streams)
		appended, err := log.Append(t.Context(), fmt.Sprintf("s%d", n), eventlog.At(seen[n]), newEvents(1))
		if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok {
			seen[n] = conflict.Actual
			continue
		}
		if err != nil {
			return err
		}
		seen[n] = appended.Last
		won++
	}
	return nil
}
