package sqlitelog

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

func walBytes(t *testing.T, log *Log) int64 {
	t.Helper()
	info, err := os.Stat(log.path + "-wal")
	require.NoError(t, err)
	return info.Size()
}

// appendPages appends events of about so many pages, and gives the longest that the write-ahead log was.
func appendPages(t *testing.T, log *Log, stream string, from, pages int64) (next, longest int64) {
	t.Helper()
	const each = 10
	for next = from; next < from+pages/each; next++ {
		_, err := log.Append(t.Context(), stream, eventlog.At(next-1), newEvent(each*pageBytes))
		require.NoError(t, err)
		longest = max(longest, walBytes(t, log))
	}
	return next, longest
}

// The write-ahead log stays under twice the length at which it is begun anew, while this process reads without
// a pause and another one begins each read before the one before has ended.
func TestWALUnderConstantReaders(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{})
	log.writer.wal.at = 200         // nothing is appended now, so the writer is at rest
	log.writer.wal.wait = time.Hour // a reader of this test may have to wait for a processor
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	group.Go(func() {
		for ctx.Err() == nil {
			for _, err := range log.All(ctx, eventlog.Start, eventlog.Everything) {
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		}
	})
	reading := make(chan struct{})
	group.Go(func() {
		if err := overlap(ctx, log.path, sync.OnceFunc(func() { close(reading) })); err != nil {
			t.Error(err)
		}
	})
	<-reading
	_, longest := appendPages(t, log, "a", 0, 20*200)
	cancel()
	group.Wait()
	require.Less(t, longest, int64(2*200*pageBytes))
}

// overlap reads in two connections, so that there is a read transaction at every moment.
func overlap(ctx context.Context, path string, begun func()) error {
	defer begun()
	one, err := sqlitedb.Open(path)
	if err != nil {
		return err
	}
	defer one.Close()
	two, err := sqlitedb.Open(path)
	if err != nil {
		return err
	}
	defer two.Close()
	begin := func(conn *sqlite.Conn) error {
		if err := sqlitedb.Do(conn, "BEGIN"); err != nil {
			return err
		}
		_, err := headOf(conn)
		return err
	}
	if err := begin(one); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := begin(two); err != nil {
			return err
		}
		if err := sqlitedb.Do(one, "COMMIT"); err != nil {
			return err
		}
		one, two = two, one
		begun()
	}
	return sqlitedb.Do(one, "COMMIT")
}

// A transaction that reads for long lets the write-ahead log grow, and when it ends the room is given back.
func TestWALAfterALongReader(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{})
	require.NoError(t, sqlitedb.Exec(log.writer.conn, "PRAGMA journal_size_limit = 819200"))
	log.writer.wal.at = 200
	reader, err := sqlitedb.Open(log.path)
	require.NoError(t, err)
	defer func() { require.NoError(t, reader.Close()) }()
	next, _ := appendPages(t, log, "a", 0, 10)
	require.NoError(t, sqlitedb.Snapshot(reader, func() error {
		before, err := sqlitedb.Int(reader, "SELECT count(*) FROM event")
		require.NoError(t, err)
		var longest int64
		next, longest = appendPages(t, log, "a", next, 1000)
		require.Greater(t, longest, int64(1000*pageBytes))
		after, err := sqlitedb.Int(reader, "SELECT count(*) FROM event")
		require.NoError(t, err)
		require.Equal(t, before, after, "still reading")
		return nil
	}))
	appendPages(t, log, "a", next, 1000)
	require.Less(t, walBytes(t, log), int64(2*200*pageBytes))
}

// Processes that append little each do not leave the write-ahead log to grow between them.
func TestWALOfShortProcesses(t *testing.T) {
	t.Parallel()
	server := newLog(t, Options{}) // has the file open, and appends nothing
	longest := int64(0)
	for i := range 100 {
		log, err := Open(t.Context(), server.path, Options{})
		require.NoError(t, err)
		log.writer.wal.at = 640
		_, err = log.Append(t.Context(), fmt.Sprintf("s%d", i), eventlog.NoStream{}, newEvent(30*pageBytes))
		require.NoError(t, err)
		longest = max(longest, walBytes(t, log))
		require.NoError(t, log.Close())
	}
	require.Less(t, longest, int64(2*640*pageBytes))
}
