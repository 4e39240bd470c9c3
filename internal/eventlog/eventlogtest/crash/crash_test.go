package crash_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

func TestMain(m *testing.M) {
	crash.Child(open)
	goleak.VerifyTestMain(m)
}

// open opens the log at "kind:path".
func open(ctx context.Context, where string) (eventlog.Log, error) {
	kind, path, _ := strings.Cut(where, ":")
	inner, err := sqlitelog.Open(ctx, path, sqlitelog.Options{})
	if err != nil {
		return nil, err
	}
	switch kind {
	case "sound":
		return inner, nil
	case "unreachable":
		return &unreachable{Log: inner}, nil
	case "early":
		return newEarly(ctx, inner)
	case "twice":
		return &twice{Log: inner, path: path}, nil
	case "deaf":
		return nil, errors.Join(errors.New("it has no ears"), inner.Close())
	}
	return nil, fmt.Errorf("unknown kind %q", kind)
}

// openSound opens the log as it is, whatever the processes do to it.
func openSound(ctx context.Context, where string) (eventlog.Log, error) {
	_, path, _ := strings.Cut(where, ":")
	return open(ctx, "sound:"+path)
}

func config(t *testing.T, kind string) crash.Config {
	return crash.Config{Open: openSound, Where: kind + ":" + filepath.Join(t.TempDir(), "events.db"), Cycles: 10, Gapless: true}
}

// A sound log passes, and the test put it to the test: processes were killed
// in the middle of appends, and events were acknowledged.
func TestSound(t *testing.T) {
	t.Parallel()
	tally, err := crash.Check(t.Context(), config(t, "sound"))
	require.NoError(t, err)
	require.Equal(t, 10, tally.Cycles)
	require.Equal(t, 15, tally.Kills)
	require.Positive(t, tally.Acknowledged)
	require.Positive(t, tally.InDoubt)
}

// Negative control: to acknowledge before the commit loses events.
func TestAcknowledgedEarly(t *testing.T) {
	t.Parallel()
	requireFault(t, "early", "was acknowledged, and is lost")
}

// Negative control: an event that is written twice is found.
func TestWrittenTwice(t *testing.T) {
	t.Parallel()
	requireFault(t, "twice", "and again at")
}

// A process that cannot open the log fails the test with the reason; nothing hangs.
func TestCannotOpen(t *testing.T) {
	t.Parallel()
	_, err := crash.Check(t.Context(), config(t, "deaf"))
	require.ErrorContains(t, err, "it has no ears")
}

// An append whose outcome got lost on the way is repeated by its process until it has one.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	tally, err := crash.Check(t.Context(), config(t, "unreachable"))
	require.NoError(t, err)
	require.Positive(t, tally.Acknowledged)
}

// While a server is disrupted, here for no time at all, the processes live on.
func TestDisrupt(t *testing.T) {
	t.Parallel()
	c := config(t, "sound")
	c.Processes = 1
	disrupted := 0
	c.Disrupt = func(context.Context) error { disrupted++; return nil }
	killed := 0
	c.AfterKill = func(context.Context, int) error { killed++; return nil }
	_, err := crash.Check(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, 10, disrupted)
	require.Equal(t, 10, killed)
}

func requireFault(t *testing.T, kind, what string) {
	t.Helper()
	c := config(t, kind)
	c.Cycles, c.Processes = 100, 1
	_, err := crash.Check(t.Context(), c)
	fault, ok := errors.AsType[*crash.FaultError](err)
	require.Truef(t, ok, "want a fault, got %v", err)
	require.Contains(t, fault.What, what)
}

// unreachable loses every third outcome.
type unreachable struct {
	eventlog.Log
	appends atomic.Int64
}

func (u *unreachable) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	appended, err := u.Log.Append(ctx, stream, expected, events)
	if err == nil && u.appends.Add(1)%3 == 0 {
		return eventlog.Appended{}, eventlog.ErrUnavailable
	}
	return appended, err
}

// early acknowledges an append as soon as it is queued: what a group commit must not do. It is
// right in all else as long as one process appends and lives.
type early struct {
	eventlog.Log
	mu    sync.Mutex
	next  map[string]int64
	head  int64
	queue chan func()
}

func newEarly(ctx context.Context, inner eventlog.Log) (*early, error) {
	e := &early{Log: inner, next: make(map[string]int64), queue: make(chan func(), 1024)}
	for record, err := range inner.All(ctx, eventlog.Start, eventlog.Everything) {
		if err != nil {
			return nil, err
		}
		e.next[record.Stream]++
		e.head++
	}
	go func() {
		for commit := range e.queue {
			commit()
		}
	}()
	return e, nil
}

func (e *early) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	last := e.next[stream] - 1
	if expected.Revision() != last {
		return eventlog.Appended{}, &eventlog.ConflictError{Stream: stream, Expected: expected.Revision(), Actual: last}
	}
	e.next[stream] += int64(len(events))
	e.head += int64(len(events))
	e.queue <- func() { _, _ = e.Log.Append(ctx, stream, expected, events) }
	return eventlog.Appended{First: last + 1, Last: last + int64(len(events)), Position: eventlog.PositionOf(e.head)}, nil
}

// twice stores the last event of each append a second time, as a repeat without a check would.
type twice struct {
	eventlog.Log
	path string
}

func (w *twice) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	appended, err := w.Log.Append(ctx, stream, expected, events)
	if err != nil {
		return appended, err
	}
	number, err := appended.Position.Number()
	if err != nil {
		return appended, err
	}
	conn, err := sqlitedb.Open(w.path)
	if err != nil {
		return appended, err
	}
	return appended, errors.Join(sqlitedb.Exec(conn, fmt.Sprintf(`INSERT INTO event
		SELECT (SELECT max(pos) + 1 FROM event), stream, (SELECT max(revision) + 1 FROM event WHERE stream = e.stream),
			schema_version, recorded_at, id, type, metadata, payload
		FROM event e WHERE pos = %d`, number)), conn.Close())
}
