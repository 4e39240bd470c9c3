package kurrentlog_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// server is a listener of our own over an SQLite log: what speaks the protocol where no EventStoreDB is at hand.
type server struct {
	log     *sqlitelog.Log
	config  esdbapi.Config
	address string

	mu   sync.Mutex
	stop func()
}

func startServer(t testing.TB, change ...func(*esdbapi.Config)) *server {
	t.Helper()
	log, err := sqlitelog.Open(context.Background(), filepath.Join(t.TempDir(), "events.db"), sqlitelog.Options{WatchInterval: 5 * time.Millisecond})
	require.NoError(t, err)
	s := &server{log: log, config: esdbapi.Config{Log: log, AllowAppend: true}}
	for _, c := range change {
		c(&s.config)
	}
	t.Cleanup(func() {
		s.end()
		require.NoError(t, log.Close())
	})
	s.start(t)
	return s
}

// start listens, at the same port if it did before.
func (s *server) start(t testing.TB) {
	t.Helper()
	listener, err := s.listen()
	require.NoError(t, err)
	s.address = listener.Addr().String()
	api, err := esdbapi.New(s.config)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- api.Serve(ctx, listener) }()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// listen takes, the first time, a port below those that systems assign by themselves: it is still free when the
// server comes back.
func (s *server) listen() (listener net.Listener, err error) {
	if s.address != "" {
		return net.Listen("tcp", s.address)
	}
	for range 5 {
		if listener, err = net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(12_000))); err == nil {
			break
		}
	}
	return listener, err
}

func (s *server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
}

func (s *server) connection(settings string) string {
	return fmt.Sprintf("esdb://%s?tls=false%s", s.address, settings)
}

func open(t testing.TB, connection string, options kurrentlog.Options) *kurrentlog.Log {
	t.Helper()
	log, err := kurrentlog.Open(t.Context(), connection, options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

func newEvent(payload string) eventlog.Event {
	return eventlog.Event{
		ID: uuid.NewString(), Type: "Tested", SchemaVersion: 1,
		Payload: []byte(payload), Metadata: []byte(`{"schema_version":1,"actor":"system:test"}`),
	}
}
