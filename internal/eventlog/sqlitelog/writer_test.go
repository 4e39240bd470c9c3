package sqlitelog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

func newEvent(size int) []eventlog.Event {
	return []eventlog.Event{{ID: uuid.NewString(), Type: "Tested", SchemaVersion: 1, Payload: make([]byte, size)}}
}

func newLog(t *testing.T, options Options) *Log {
	t.Helper()
	log, err := Open(t.Context(), filepath.Join(t.TempDir(), "events.db"), options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// holdLock takes the write lock, as an append of another process would, until release.
func holdLock(t *testing.T, log *Log) (release func()) {
	t.Helper()
	conn, err := sqlitedb.Open(log.path)
	require.NoError(t, err)
	require.NoError(t, sqlitedb.Exec(conn, "BEGIN IMMEDIATE"))
	release = sync.OnceFunc(func() { require.NoError(t, errors.Join(sqlitedb.Exec(conn, "ROLLBACK"), conn.Close())) })
	t.Cleanup(release)
	return release
}

func awaitQueued(t *testing.T, log *Log, n int) {
	t.Helper()
	require.Eventually(t, func() bool {
		log.queue.mu.Lock()
		defer log.queue.mu.Unlock()
		return len(log.queue.items) == n
	}, time.Minute, time.Millisecond)
}

// Everything that waits is committed at once, and each append has its own outcome.
func TestGroupCommit(t *testing.T) {
	t.Parallel()
	var groups atomic.Int64
	log := newLog(t, Options{Now: func() time.Time { return time.UnixMicro(groups.Add(1)) }})
	release := holdLock(t, log)
	const n = 30
	outcomes := make([]error, n)
	var waiting sync.WaitGroup
	for i := range n {
		waiting.Go(func() {
			expected := eventlog.At(int64(i%3 - 1)) // only those that expect no stream are right
			_, outcomes[i] = log.Append(t.Context(), fmt.Sprintf("s%d", i), expected, newEvent(10))
		})
	}
	awaitQueued(t, log, n)
	release()
	waiting.Wait()
	for i, err := range outcomes {
		if i%3 == 0 {
			require.NoError(t, err)
			continue
		}
		conflict, ok := errors.AsType[*eventlog.ConflictError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, eventlog.ConflictError{Stream: fmt.Sprintf("s%d", i), Expected: int64(i%3 - 1), Actual: -1}, *conflict)
	}
	require.Equal(t, int64(1), groups.Load(), "one transaction")
	count := 0
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		require.Equal(t, time.UnixMicro(1).UTC(), record.RecordedAt)
		count++
	}
	require.Equal(t, n/3, count)
}

// An append that returns the error of its context has not happened, and will not.
func TestAppendWithdrawn(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{})
	release := holdLock(t, log)
	ctx, cancel := context.WithCancel(t.Context())
	withdrawn, kept := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := log.Append(ctx, "withdrawn", eventlog.NoStream{}, newEvent(10))
		withdrawn <- err
	}()
	go func() {
		_, err := log.Append(t.Context(), "kept", eventlog.NoStream{}, newEvent(10))
		kept <- err
	}()
	awaitQueued(t, log, 2)
	cancel()
	require.ErrorIs(t, <-withdrawn, context.Canceled)
	release()
	require.NoError(t, <-kept)
	require.NoError(t, log.Close())

	again, err := Open(t.Context(), log.path, Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, again.Close()) }()
	for record, err := range again.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		require.Equal(t, "kept", record.Stream)
	}
}

// A full file is [eventlog.ErrFull] for those who wait, loses nothing that was acknowledged, and is good again with more room.
func TestFullFile(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{maxPages: 100})
	acknowledged := make(map[string]bool)
	for full := false; !full; {
		event := newEvent(8 << 10)
		_, err := log.Append(t.Context(), uuid.NewString(), eventlog.NoStream{}, event)
		if full = err != nil; full {
			require.ErrorIs(t, err, eventlog.ErrFull)
			require.ErrorContains(t, err, log.path)
		} else {
			acknowledged[event[0].ID] = true
		}
	}
	require.NotEmpty(t, acknowledged)
	stored := func() map[string]bool {
		all := make(map[string]bool)
		for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
			require.NoError(t, err)
			all[record.ID] = true
		}
		return all
	}
	require.Equal(t, acknowledged, stored())

	// Nothing is appended now, so the writer's connection is at rest.
	require.NoError(t, sqlitedb.Exec(log.writer.conn, "PRAGMA max_page_count = 1000"))
	event := newEvent(8 << 10)
	_, err := log.Append(t.Context(), "more", eventlog.NoStream{}, event)
	require.NoError(t, err)
	acknowledged[event[0].ID] = true
	require.Equal(t, acknowledged, stored())
}

// The writer does not remember events that were rolled back.
func TestForgetsRollback(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{maxPages: 40})
	_, err := log.Append(t.Context(), "a", eventlog.NoStream{}, newEvent(10))
	require.NoError(t, err)
	batch := append(newEvent(10), newEvent(300<<10)...) // the second has no room
	_, err = log.Append(t.Context(), "a", eventlog.Exact(0), batch)
	require.ErrorIs(t, err, eventlog.ErrFull)

	// Another process takes the revision with an event that this one has not seen.
	other, err := Open(t.Context(), log.path, Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	theirs := newEvent(10)
	_, err = other.Append(t.Context(), "a", eventlog.Exact(0), theirs)
	require.NoError(t, err)
	theirs[0].Payload = nil
	_, err = log.Append(t.Context(), "a", eventlog.Exact(1), theirs)
	_, ok := errors.AsType[*eventlog.ContentError](err)
	require.True(t, ok, "%v", err)

	require.NoError(t, sqlitedb.Exec(log.writer.conn, "PRAGMA max_page_count = 1000"))
	appended, err := log.Append(t.Context(), "a", eventlog.Exact(1), batch)
	require.NoError(t, err)
	require.Equal(t, eventlog.Appended{First: 2, Last: 3, Position: eventlog.PositionOf(4)}, appended)
}

// Acknowledged is durable only if SQLite syncs at each commit.
func TestSyncsAtEachCommit(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{})
	for pragma, want := range map[string]string{"synchronous": "2", "journal_mode": "wal", "fullfsync": "1"} {
		have, err := sqlitedb.Text(log.writer.conn, "PRAGMA "+pragma)
		require.NoError(t, err)
		require.Equal(t, want, have, pragma)
	}
}

// Ids that share the remembered half are told apart.
func TestKnownIDsCollide(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{})
	event, twin := newEvent(10), newEvent(20)
	event[0].ID = "00000000-0000-0001-0000-000000000002"
	twin[0].ID = "00000000-0000-0002-0000-000000000001"
	require.Equal(t, parseID(event[0].ID).short(), parseID(twin[0].ID).short())
	_, err := log.Append(t.Context(), "a", eventlog.NoStream{}, event)
	require.NoError(t, err)
	_, err = log.Append(t.Context(), "a", eventlog.Exact(0), twin)
	require.NoError(t, err)
}

// In a stream longer than what is remembered of it, every id is known and every repeat gives the first
// result, whichever process appended, indexed or asks.
func TestKnownIDsOfALongStream(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{})
	other, err := Open(t.Context(), log.path, Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, other.Close()) }()
	const size, batches = 1000, 3*maxTail/1000 + 2
	var appends [][]eventlog.Event
	for i := range int64(batches) {
		batch := make([]eventlog.Event, size)
		for n := range batch {
			batch[n] = newEvent(10)[0]
		}
		appends = append(appends, batch)
		by := log
		if i%3 == 1 {
			by = other
		}
		_, err := by.Append(t.Context(), "long", eventlog.At(i*size-1), batch)
		require.NoError(t, err)
	}
	late, err := Open(t.Context(), log.path, Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, late.Close()) }()
	for _, asked := range []*Log{log, other, late} {
		for i, batch := range appends {
			if i%6 != 0 {
				continue
			}
			at := int64(i * size)
			appended, err := asked.Append(t.Context(), "long", eventlog.At(at-1), batch)
			require.NoError(t, err)
			require.Equal(t, eventlog.Appended{First: at, Last: at + size - 1, Position: eventlog.PositionOf(at + size), Repeated: true}, appended)

			elsewhere := []eventlog.Event{batch[i], newEvent(10)[0]}
			_, err = asked.Append(t.Context(), "long", eventlog.At(batches*size-1), elsewhere)
			_, ok := errors.AsType[*eventlog.ConflictError](err)
			require.True(t, ok, "%v", err)
			elsewhere[0].Payload = nil
			_, err = asked.Append(t.Context(), "long", eventlog.At(batches*size-1), elsewhere)
			_, ok = errors.AsType[*eventlog.ContentError](err)
			require.True(t, ok, "%v", err)
		}
		known := asked.writer.known.young["long"]
		require.Greater(t, known.indexed, int64(batches*size-maxTail-size))
	}
	require.LessOrEqual(t, len(late.writer.known.young["long"].ids), maxRead, "a long stream is not read when it comes into use")
	indexed, err := sqlitedb.Int(log.writer.conn, "SELECT count(*) FROM indexed_id")
	require.NoError(t, err)
	require.GreaterOrEqual(t, indexed, int64(2*maxTail))
}

// The writer remembers the streams in use, and reads a forgotten one again.
func TestKnownStreamsAreBounded(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{})
	used := newEvent(10)
	_, err := log.Append(t.Context(), "used", eventlog.NoStream{}, used)
	require.NoError(t, err)
	known := log.writer.known // nothing is appended now, so the writer is at rest
	const bound = maxYoung / emptyStream
	for i := range 3 * bound {
		known.remembered(fmt.Sprintf("s%d", i))
		if i%1000 == 0 {
			known.remembered("used")
			require.LessOrEqual(t, len(known.young)+len(known.old), 2*bound+2)
		}
	}
	remembered := func(stream string) bool { return known.young[stream] != nil || known.old[stream] != nil }
	require.True(t, remembered("used"), "what is in use")
	require.False(t, remembered("s0"), "what was used long ago")
	known.forget()
	used[0].Payload = nil
	_, err = log.Append(t.Context(), "used", eventlog.Exact(0), used)
	_, ok := errors.AsType[*eventlog.ContentError](err)
	require.True(t, ok, "%v", err)
}

// One stream that is always in use takes no more than its share.
func TestKnownIDsOfAStreamAreBounded(t *testing.T) {
	t.Parallel()
	log := newLog(t, Options{})
	_, err := log.Append(t.Context(), "a", eventlog.NoStream{}, newEvent(10))
	require.NoError(t, err)
	id := func(i int64) (id eventID) {
		binary.LittleEndian.PutUint64(id[:], uint64(i))
		return id
	}
	const batch = 1000
	for i := int64(1); i < 2*maxIDs; i += batch {
		known, err := log.writer.known.stream("a") // nothing is appended now, so the writer is at rest
		require.NoError(t, err)
		require.LessOrEqual(t, len(known.ids), maxIDs+maxTail+batch)
		require.LessOrEqual(t, known.last-known.indexed, int64(maxTail))
		require.LessOrEqual(t, len(known.tail), maxTail)
		for revision := i; revision < i+batch; revision++ {
			log.writer.known.add(known, id(revision), revision)
		}
	}
	require.LessOrEqual(t, log.writer.known.size, maxIDs+maxTail+batch+emptyStream)
}

func TestEventID(t *testing.T) {
	t.Parallel()
	for range 100 {
		text := uuid.NewString()
		require.Equal(t, uuid.MustParse(text), uuid.UUID(parseID(text)))
		require.Equal(t, text, parseID(text).String())
	}
}

// A lock that somebody holds for ever is an error that names the file; other errors say what failed.
func TestWriterExplains(t *testing.T) {
	t.Parallel()
	w := &writer{path: "/data/events.db"}
	require.ErrorContains(t, w.explain(sqlite.ResultBusy.ToError()), "another process has held /data/events.db locked")
	require.ErrorIs(t, w.explain(sqlite.ResultFull.ToError()), eventlog.ErrFull)
	require.ErrorIs(t, w.explain(sqlite.ResultCorrupt.ToError()), eventlog.ErrDamaged)
	require.NoError(t, w.failed)
	require.ErrorIs(t, w.explain(sqlite.ResultIOErrFsync.ToError()), eventlog.ErrFailed)
	require.ErrorIs(t, w.explain(nil), eventlog.ErrFailed, "for ever")
}
