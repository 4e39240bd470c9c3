package logcopy_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/logcopy"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

func TestMain(m *testing.M) {
	if source := os.Getenv(sourceVariable); source != "" {
		copyAsProcess(source, os.Getenv(targetVariable))
		return
	}
	goleak.VerifyTestMain(m)
}

// chained are the streams of a [history] that have hash chains, as those of the program have.
func chained(stream string) bool { return strings.HasPrefix(stream, "chained-") }

var options = logcopy.Options{Chained: chained}

func newLog(t testing.TB) *sqlitelog.Log {
	t.Helper()
	return openLog(t, filepath.Join(t.TempDir(), "events.db"))
}

func openLog(t testing.TB, path string) *sqlitelog.Log {
	t.Helper()
	log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// history writes events into a log: of several streams by turns, some of them chained, with
// payloads that no text format would keep.
type history struct {
	t      testing.TB
	log    eventlog.Log
	random *rand.Rand
	heads  map[string]head
}

type head struct {
	next int64
	hash hashchain.Hash
}

func newHistory(t testing.TB, log eventlog.Log) *history {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return &history{t: t, log: log, random: rand.New(rand.NewPCG(seed, 0)), heads: map[string]head{}}
}

// grow appends about n events.
func (h *history) grow(n int) {
	h.t.Helper()
	for n > 0 {
		kind := []string{"chained", "foreign"}[h.random.IntN(2)]
		size := 1 + h.random.IntN(5)
		h.append(fmt.Sprintf("%s-%d", kind, h.random.IntN(5)), size)
		n -= size
	}
}

// append appends n events to a stream at once.
func (h *history) append(stream string, n int) {
	h.t.Helper()
	at := h.heads[stream]
	first := at.next
	events := make([]eventlog.Event, n)
	for i := range events {
		payload := make([]byte, h.random.IntN(60))
		for i := range payload {
			payload[i] = byte(h.random.Uint32())
		}
		event := eventlog.Event{
			ID: uuid.NewString(), Type: "Tested" + strconv.Itoa(h.random.IntN(3)), SchemaVersion: 1 + h.random.IntN(9),
			Payload: payload, Metadata: fmt.Appendf(nil, `{"b":1e3,  "a":%q}`, string(payload)),
		}
		if chained(stream) {
			at.hash = hashchain.Next(at.hash, hashchain.Link{
				Stream: stream, Revision: at.next, ID: event.ID, Type: event.Type, SchemaVersion: event.SchemaVersion,
				Payload: event.Payload, Metadata: event.Metadata,
			})
			event.Metadata = hashchain.Seal(event.Metadata, at.hash)
		}
		at.next++
		events[i] = event
	}
	_, err := h.log.Append(h.t.Context(), stream, eventlog.At(first-1), events)
	require.NoError(h.t, err)
	h.heads[stream] = at
}

// content is what of a log is the same in every copy.
func content(t testing.TB, log eventlog.Log) []eventlog.Record {
	t.Helper()
	var all []eventlog.Record
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		all = append(all, portable(record))
	}
	return all
}

// requireBeginning asserts that what is there is the beginning of what is wanted, perhaps nothing.
func requireBeginning(t testing.TB, want, there []eventlog.Record) {
	t.Helper()
	require.LessOrEqual(t, len(there), len(want))
	for i := range there {
		require.Equal(t, want[i], there[i])
	}
}

func portable(record eventlog.Record) eventlog.Record {
	record.Position = eventlog.Start
	record.RecordedAt = time.Time{}
	if len(record.Payload) == 0 {
		record.Payload = nil
	}
	return record
}

// hooked calls a function before each append of a log.
type hooked struct {
	eventlog.Log
	before func(n int) error
	calls  int
}

func (l *hooked) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	l.calls++
	if l.before != nil {
		if err := l.before(l.calls); err != nil {
			return eventlog.Appended{}, err
		}
	}
	return l.Log.Append(ctx, stream, expected, events)
}

// together is a log that takes appends in order, a few at a time, and calls a function before each time. It keeps the
// promise of the port, which is a beginning, and can be stopped in the middle of what it is given.
type together struct {
	eventlog.Log
	few    int // appends at a time
	before func(n int) error
	calls  int
}

func (l *together) AppendInOrder(ctx context.Context, batches []eventlog.Batch) error {
	for some := range slices.Chunk(batches, l.few) {
		l.calls++
		if l.before != nil {
			if err := l.before(l.calls); err != nil {
				return err
			}
		}
		if err := eventlog.AppendInOrder(ctx, l.Log, some); err != nil {
			return err
		}
	}
	return nil
}

// altered is a log whose events a test changes as they are read.
type altered struct {
	eventlog.Log
	change func(record *eventlog.Record) (keep bool)
}

func (l altered) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range l.Log.All(ctx, after, filter) {
			if (err != nil || l.change(&record)) && !yield(record, err) {
				return
			}
		}
	}
}

func openPath(ctx context.Context, path string) (*sqlitelog.Log, error) {
	return sqlitelog.Open(ctx, path, sqlitelog.Options{})
}
