package pglog_test

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
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
	eventlogtest.Run(t, eventlogtest.Abilities{Reopen: openAgain, Second: openAgain}, func(t testing.TB) eventlog.Log {
		return openURL(t, pgtest.Database(t))
	})
}

func open(t testing.TB, url string) *pglog.Log {
	t.Helper()
	log, err := pglog.Open(t.Context(), url, pglog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}
