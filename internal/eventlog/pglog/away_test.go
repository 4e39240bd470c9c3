package pglog_test

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestAwayIsSaid: a warning says that the database is away while it is tried again, not only when that is given up.
func TestAwayIsSaid(t *testing.T) {
	t.Parallel()
	proxy, url := newProxy(t, pgtest.Database(t))
	said, told := io.Pipe()
	log := openWith(t, url, pglog.Options{Logger: slog.New(slog.NewTextHandler(told, &slog.HandlerOptions{Level: slog.LevelWarn}))})
	mustAppend(t, log, "a", -1, 1)
	proxy.refuse(true)
	proxy.cut()
	read := make(chan error, 1)
	go func() {
		_, err := log.Head(context.Background())
		read <- err
	}()
	line := make([]byte, 1000)
	n, err := said.Read(line)
	require.NoError(t, err)
	require.Contains(t, string(line[:n]), "the database cannot be reached, trying again")
	require.NoError(t, said.Close()) // what else is said is not read
	proxy.refuse(false)
	require.NoError(t, <-read, "it was still tried")
}
