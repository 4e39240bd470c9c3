package pglog_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestKill: an acknowledged event is there after a kill -9 of the process that appended it, and nothing
// is there twice; one or two processes append. Each of ten logs is killed six times, in a
// campaign hundreds of times, the first time while it is made.
func TestKill(t *testing.T) {
	t.Parallel()
	for i := range 10 {
		t.Run(fmt.Sprintf("log %d", i), func(t *testing.T) {
			t.Parallel()
			crash.Run(t, crash.Config{
				Open:   openForCrash,
				Where:  pgtest.Database(t),
				Cycles: 30,
				// The next processes also open the logs that killed processes left, so they are verified seldom.
				VerifyEvery: 3,
				Patience:    30 * time.Second,
			})
		})
	}
}

// TestServerCrash: an acknowledged event is there after the server crashed, or one of its processes was
// killed, which makes it restart. The processes that append go on when it is back.
func TestServerCrash(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	url := server.Database(t)
	cycle := 0
	crash.Run(t, crash.Config{
		Open:     openForCrash,
		Where:    url,
		Cycles:   6,
		Patience: 30 * time.Second,
		Disrupt: func(ctx context.Context) error {
			cycle++
			if cycle%2 == 0 {
				return killBackend(ctx, server)
			}
			server.Stop(t, "immediate")
			server.Restart(t)
			return nil
		},
	})
}

// killBackend kills a server process of an appender, as soon as there is one: they come back one by one.
func killBackend(ctx context.Context, server *pgtest.Server) error {
	conn, err := pgx.Connect(ctx, server.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for {
		var pid int
		err := conn.QueryRow(ctx, "SELECT pid FROM pg_stat_activity WHERE application_name = 'kintsugi' AND query LIKE '%kintsugi.append%' LIMIT 1").Scan(&pid)
		if err == nil {
			return syscall.Kill(pid, syscall.SIGKILL)
		}
		if !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// hasty at the end of an address has every commit acknowledged before it is on disk.
const hasty = "application_name=hasty"

// acknowledgeEarly changes a log that is open: at each opening the program puts its schema right.
func acknowledgeEarly(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, `CREATE OR REPLACE FUNCTION kintsugi.first_position() RETURNS bigint LANGUAGE plpgsql AS $$
	BEGIN
		PERFORM set_config('synchronous_commit', 'off', true);
		RETURN kintsugi.base() + (pg_current_xact_id()::text::bigint << 15);
	END $$`)
	return err
}

// TestServerCrashFindsEarlyAcknowledgement is the control: a server that acknowledges before the commit is on
// disk, which the log neither opens nor allows, loses acknowledged events.
func TestServerCrashFindsEarlyAcknowledgement(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t, "wal_writer_delay = 10s", "max_wal_size = 4GB")
	url := server.Database(t) + "&" + hasty
	_, err := crash.Check(t.Context(), crash.Config{
		Open:      openForCrash,
		Where:     url,
		Cycles:    20,
		Processes: 1, // two would put right and change the schema at the same time
		Patience:  10 * time.Second,
		Disrupt: func(context.Context) error {
			server.Stop(t, "immediate")
			server.Restart(t)
			return nil
		},
	})
	_, found := errors.AsType[*crash.FaultError](err)
	// An appender that lives through the crash finds the loss by itself, and ends.
	noticed := err != nil && strings.Contains(err.Error(), eventlog.ErrDamaged.Error())
	require.Truef(t, found || noticed, "acknowledged before it is on disk, and nothing was lost: %v", err)
}
