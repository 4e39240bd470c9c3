package kurrentlog_test

import (
	"os"
	"sync"
	"testing"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
)

// Every promise of the port holds through the protocol: with our own listener, and with a server that has
// the peculiarities of EventStoreDB.
func TestSuite(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB) string{
		"listener": func(t testing.TB) string { return startServer(t).connection("") },
		"model":    func(t testing.TB) string { return startFake(t, newDatabase()).connection("") },
	} {
		t.Run(name, func(t *testing.T) {
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
				return openAt(t, start(t))
			})
		})
	}
}

// TestSuiteOnServer holds the promises against a real server, which others may be using, if
// KINTSUGI_TEST_KURRENTDB=esdb://… names one; it leaves streams kintsugi-test-… there. In a campaign without one, the
// model of one stands in for it, so that the test itself is known to be sound.
func TestSuiteOnServer(t *testing.T) {
	t.Parallel()
	connection := os.Getenv(serverVariable)
	if connection == "" {
		if crash.Rounds(1) == 1 {
			t.Logf("%s is not set: no real server was tested", serverVariable)
			return
		}
		connection = startFake(t, newDatabase()).connection("")
	}
	again := func(t testing.TB, log eventlog.Log) eventlog.Log {
		r := log.(*room)
		return r.with(open(t, r.connection, kurrentlog.Options{}))
	}
	eventlogtest.Run(t, eventlogtest.Abilities{Reopen: again, Second: again}, func(t testing.TB) eventlog.Log {
		return newRoom(open(t, connection, kurrentlog.Options{}), connection)
	})
}
