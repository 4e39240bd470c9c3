package kurrentlog_test

import (
	"sync"
	"testing"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
)

// Every promise of the port holds through the protocol.
func TestSuite(t *testing.T) {
	t.Parallel()
	var connections sync.Map // by log
	openAt := func(t testing.TB, connection string) eventlog.Log {
		log := open(t, connection, kurrentlog.Options{})
		connections.Store(log, connection)
		return log
	}
	again := func(t testing.TB, log eventlog.Log) eventlog.Log {
		connection, _ := connections.Load(log)
		return openAt(t, connection.(string))
	}
	eventlogtest.Run(t, eventlogtest.Abilities{Reopen: again, Second: again}, func(t testing.TB) eventlog.Log {
		return openAt(t, startServer(t).connection(""))
	})
}
