package logcopy_test

import (
	"context"
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/logcopy"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

func newPostgres(t testing.TB) eventlog.Log {
	t.Helper()
	log, err := pglog.Open(t.Context(), pgtest.Database(t), pglog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// newKurrent is a log behind the protocol of EventStoreDB: our own listener is the server.
func newKurrent(t testing.TB) eventlog.Log {
	t.Helper()
	server, err := esdbapi.New(esdbapi.Config{Log: newLog(t), AllowAppend: true})
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx, listener) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-served) })
	log, err := kurrentlog.Open(t.Context(), "esdb://"+listener.Addr().String()+"?tls=false", kurrentlog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// Once around all backends nothing is lost or changed, and each copy is refused, resumed and picked
// up as any other.
func TestAroundTheBackends(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	first := newLog(t)
	h := newHistory(t, first)
	h.grow(400)
	middle, err := first.Head(ctx)
	require.NoError(t, err)
	checkpoint, err := eventlog.CheckpointAt(ctx, first, middle)
	require.NoError(t, err)
	h.grow(100)
	want := content(t, first)

	from := eventlog.Log(first)
	for _, backend := range []struct {
		name string
		log  eventlog.Log
	}{{"postgres", newPostgres(t)}, {"kurrent", newKurrent(t)}, {"sqlite", newLog(t)}} {
		// In two parts: the first one is stopped.
		stopped, cancel := context.WithCancel(ctx)
		to := &together{Log: backend.log, few: 5, before: func(n int) error {
			if n == 10 {
				cancel()
			}
			return nil
		}}
		_, err := logcopy.Copy(stopped, from, to, options)
		require.ErrorIs(t, err, context.Canceled, backend.name)
		result, err := logcopy.Copy(ctx, from, backend.log, options)
		require.NoError(t, err, backend.name)
		require.Positive(t, result.Present, backend.name)
		require.Equal(t, want, content(t, backend.log), backend.name)

		position, err := eventlog.Resolve(ctx, backend.log, checkpoint)
		require.NoError(t, err, backend.name)
		var after []string
		for record, err := range backend.log.All(ctx, position, eventlog.Everything) {
			require.NoError(t, err)
			after = append(after, record.ID)
		}
		require.Equal(t, idsAfter(want, checkpoint), after, backend.name)
		from = backend.log
	}
}

// idsAfter are the events that come after that of a checkpoint.
func idsAfter(records []eventlog.Record, checkpoint eventlog.Checkpoint) (ids []string) {
	found := false
	for _, record := range records {
		if found {
			ids = append(ids, record.ID)
		}
		found = found || record.ID == checkpoint.EventID
	}
	return ids
}
