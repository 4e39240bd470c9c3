package readmodel_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// tally counts the events of each stream, so that an event that is applied twice or never shows.
type tally struct {
	version int
	table   *readmodel.Table[row]              // nil for the usual one
	before  func(record eventlog.Record) error // called after the event was counted, before the checkpoint
}

func (tally) Name() string { return "tally" }

func (p tally) Version() int { return p.version }

func (p tally) Tables() []readmodel.Declared { return []readmodel.Declared{cmp.Or(p.table, tallies)} }

var tallies = readmodel.NewTable[row]("tally")

func (p tally) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	table := cmp.Or(p.table, tallies)
	if table.Get(tx, record.Stream) == nil {
		table.Insert(tx, row{Stream: record.Stream})
	}
	one := table.Edit(tx, record.Stream)
	one.Events++
	one.Last = string(record.Position)
	if p.before != nil {
		return p.before(record)
	}
	return nil
}

type row struct {
	Stream string `col:"stream,key"`
	Events int64  `col:"events"`
	Last   string `col:"last"`
}

func rows(t *testing.T, store *readmodel.Store) (all []row) {
	t.Helper()
	require.NoError(t, store.Read(t.Context(), func(q *readmodel.Query) (err error) {
		all, err = readmodel.Select(q, tallies, "ORDER BY stream")
		return err
	}))
	return all
}

// fold is what the tally must be.
func fold(t *testing.T, log eventlog.Log) []row {
	t.Helper()
	all := []row{}
	at := make(map[string]int)
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		i, known := at[record.Stream]
		if !known {
			i = len(all)
			at[record.Stream] = i
			all = append(all, row{Stream: record.Stream})
		}
		all[i].Events++
		all[i].Last = string(record.Position)
	}
	slices.SortFunc(all, func(a, b row) int { return cmp.Compare(a.Stream, b.Stream) })
	return all
}

func newLog(t *testing.T) *sqlitelog.Log {
	t.Helper()
	return openLog(t, filepath.Join(t.TempDir(), "events.db"))
}

func openLog(t *testing.T, path string) *sqlitelog.Log {
	t.Helper()
	log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close() })
	return log
}

// grow appends n events to 7 streams and returns the head.
func grow(t *testing.T, log eventlog.Log, n int) eventlog.Position {
	t.Helper()
	var head eventlog.Position
	for i := 0; i < n; {
		stream := fmt.Sprintf("s%d", i%7)
		batch := make([]eventlog.Event, min(n-i, 5))
		for n := range batch {
			batch[n] = eventlog.Event{ID: uuid.NewString(), Type: "Counted", SchemaVersion: 1, Payload: []byte("{}")}
		}
		appended, err := log.Append(t.Context(), stream, eventlog.NoStream{}, batch)
		if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok {
			appended, err = log.Append(t.Context(), stream, eventlog.At(conflict.Actual), batch)
		}
		require.NoError(t, err)
		head = appended.Position
		i += len(batch)
	}
	return head
}

func open(t *testing.T, dir string, log eventlog.Log, projections ...readmodel.Projection) *readmodel.Store {
	t.Helper()
	store, _ := openLogged(t, dir, log, projections...)
	return store
}

// openLogged gives also what the store tells its logger.
func openLogged(t *testing.T, dir string, log eventlog.Log, projections ...readmodel.Projection) (*readmodel.Store, *lockedBuffer) {
	t.Helper()
	return openInheriting(t, dir, log, nil, projections...)
}

func openInheriting(t *testing.T, dir string, log eventlog.Log, from []string, projections ...readmodel.Projection) (*readmodel.Store, *lockedBuffer) {
	t.Helper()
	if len(projections) == 0 {
		projections = []readmodel.Projection{tally{}}
	}
	said := new(lockedBuffer)
	config := at(dir)
	config.Log, config.Projections, config.Inherit = log, projections, from
	config.Logger = slog.New(slog.NewTextHandler(said, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, err := readmodel.Open(t.Context(), config)
	require.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return store, said
}

// run runs the store until the test ends or stop is called.
func run(t *testing.T, store *readmodel.Store) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	go func() { result <- store.Run(ctx) }()
	stop = sync.OnceValue(func() error {
		cancel()
		return <-result
	})
	t.Cleanup(func() { _ = stop() })
	return stop
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// at is the place of generations: a directory, or the address of a database.
func at(place string) readmodel.Config {
	if strings.HasPrefix(place, "postgres://") {
		return readmodel.Config{Database: place}
	}
	return readmodel.Config{Dir: place}
}

// onEngines runs a test on each engine, which gives it new places for generations.
func onEngines(t *testing.T, test func(t *testing.T, newPlace func() string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, t.TempDir)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, func() string { return pgtest.Database(t) })
	})
}

// upTo is a log that cannot be read further than some events.
type upTo struct {
	eventlog.Log
	events int
	err    error
}

func (l upTo) All(ctx context.Context, after eventlog.Position, filter eventlog.Filter) iter.Seq2[eventlog.Record, error] {
	return func(yield func(eventlog.Record, error) bool) {
		for record, err := range l.Log.All(ctx, after, filter) {
			if number, _ := record.Position.Number(); int(number) > l.events {
				yield(eventlog.Record{}, l.err)
				return
			}
			if !yield(record, err) {
				return
			}
		}
	}
}
