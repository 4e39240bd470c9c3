package pglog_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestFull: when the server has no room, an append says so and stores nothing; acknowledged events are kept and can
// be read, and with room again the log goes on.
func TestFull(t *testing.T) {
	t.Parallel()
	server := pgtest.StartFull(t)
	log := open(t, server.Database(t))
	var acknowledged []string
	last := int64(-1)
	fill := func() error {
		batch := newEvents(20)
		for i := range batch {
			batch[i].Payload = bytes.Repeat([]byte{byte(i)}, 1500)
		}
		appended, err := log.Append(t.Context(), "a", eventlog.At(last), batch)
		if err == nil {
			last = appended.Last
			acknowledged = append(acknowledged, idsOf(batch...)...)
		}
		return err
	}
	var err error
	for range 1000 {
		if err = fill(); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, eventlog.ErrFull)
	require.NotEmpty(t, acknowledged)
	require.ErrorIs(t, fill(), eventlog.ErrFull)
	require.Equal(t, acknowledged, idsAfter(t, log, eventlog.Start))

	server.MakeRoom(t)
	for err = fill(); errors.Is(err, eventlog.ErrUnavailable); err = fill() {
		t.Log(err)
	}
	require.NoError(t, err)
	require.Equal(t, acknowledged, idsAfter(t, log, eventlog.Start))
	eventlogtest.RequireSound(t, log)
}
