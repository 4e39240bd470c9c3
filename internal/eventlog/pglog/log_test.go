package pglog_test

import (
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance(t, pgtest.Database)
}

// conformance runs the suite on databases that are new each time.
func conformance(t *testing.T, database func(t testing.TB) string) {
	var urls sync.Map // log -> its database
	openURL := func(t testing.TB, url string) eventlog.Log {
		log := open(t, url)
		urls.Store(log, url)
		return log
	}
	openAgain := func(t testing.TB, log eventlog.Log) eventlog.Log {
		url, _ := urls.Load(log)
		return openURL(t, url.(string))
	}
	eventlogtest.Run(t, eventlogtest.Abilities{Reopen: openAgain, Second: openAgain, Erases: true}, func(t testing.TB) eventlog.Log {
		return openURL(t, database(t))
	})
}

// TestLinearizable: concurrent calls through two processes' logs can be explained by calls one after the other.
func TestLinearizable(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	eventlogtest.Linearizable(t, 6, open(t, url), open(t, url))
}

func open(t testing.TB, url string) *pglog.Log {
	t.Helper()
	return openWith(t, url, pglog.Options{})
}

func openWith(t testing.TB, url string, options pglog.Options) *pglog.Log {
	t.Helper()
	log, err := pglog.Open(t.Context(), url, options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// newEvents makes events with random ids.
func newEvents(n int) []eventlog.Event {
	all := make([]eventlog.Event, n)
	for i := range all {
		all[i] = eventlog.Event{ID: uuid.NewString(), Type: "Tested", SchemaVersion: 1, Payload: []byte(`{"n":1}`)}
	}
	return all
}

// mustAppend appends n events and gives them and their place.
func mustAppend(t testing.TB, log eventlog.Log, stream string, after int64, n int) ([]eventlog.Event, eventlog.Appended) {
	t.Helper()
	events := newEvents(n)
	appended, err := log.Append(t.Context(), stream, eventlog.At(after), events)
	require.NoError(t, err)
	return events, appended
}

func idsAfter(t testing.TB, log eventlog.Log, after eventlog.Position) []string {
	t.Helper()
	ids := []string{}
	for record, err := range log.All(t.Context(), after, eventlog.Everything) {
		require.NoError(t, err)
		ids = append(ids, record.ID)
	}
	return ids
}

func idsOf(events ...eventlog.Event) []string {
	ids := make([]string, len(events))
	for i, event := range events {
		ids[i] = event.ID
	}
	return ids
}
