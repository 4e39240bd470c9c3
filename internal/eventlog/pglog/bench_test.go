package pglog_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// benchEvent is of a usual size: 300 bytes of payload and 150 of metadata.
func benchEvent(n uint64) eventlog.Event {
	return eventlog.Event{
		ID:            fmt.Sprintf("00000000-0000-7000-8000-%012x", n),
		Type:          "ToolReturned",
		SchemaVersion: 1,
		Payload:       make([]byte, 300),
		Metadata:      make([]byte, 150),
	}
}

// BenchmarkAppend measures durable appends/s with 1, 16 and 256 writers, each on its own stream, beside what one would
// write without this package: one INSERT per transaction, on 16 connections, into a table with the same indexes.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 16, 256} {
		for _, batch := range []int{1, 10} {
			name := fmt.Sprintf("writers=%d/batch=%d", writers, batch)
			b.Run(name+"/pglog", func(b *testing.B) {
				log := open(b, pgtest.Database(b))
				next := make([]int64, writers)
				measure(b, writers, batch, func(writer int, events []eventlog.Event) error {
					appended, err := log.Append(b.Context(), fmt.Sprintf("run-%d", writer), eventlog.At(next[writer]-1), events)
					next[writer] = appended.Last + 1
					return err
				})
			})
			b.Run(name+"/inserts", func(b *testing.B) {
				table := newPlainTable(b)
				next := make([]int64, writers)
				measure(b, writers, batch, func(writer int, events []eventlog.Event) error {
					err := table.append(b.Context(), fmt.Sprintf("run-%d", writer), next[writer], events)
					next[writer] += int64(len(events))
					return err
				})
			})
		}
	}
}

// measure runs b.N appends, shared by the writers, and reports events/s and latencies.
func measure(b *testing.B, writers, batch int, appendEvents func(writer int, events []eventlog.Event) error) {
	latencies := make([][]time.Duration, writers)
	var group sync.WaitGroup
	b.ResetTimer()
	for writer := range writers {
		mine := b.N / writers
		if writer < b.N%writers {
			mine++
		}
		group.Go(func() {
			events := make([]eventlog.Event, batch)
			id := uint64(writer) << 32
			for range mine {
				for i := range events {
					id++
					events[i] = benchEvent(id)
				}
				start := time.Now()
				if err := appendEvents(writer, events); err != nil {
					b.Error(err)
					return
				}
				latencies[writer] = append(latencies[writer], time.Since(start))
			}
		})
	}
	group.Wait()
	b.StopTimer()
	all := slices.Concat(latencies...)
	slices.Sort(all)
	b.ReportMetric(float64(b.N*batch)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(all[len(all)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(all[len(all)*99/100].Microseconds())/1000, "p99-ms")
}

// plainTable is a table of events into which each append is one INSERT. Its key refuses a revision that is taken.
type plainTable struct {
	pool *pgxpool.Pool
}

func newPlainTable(b *testing.B) *plainTable {
	config, err := pgxpool.ParseConfig(pgtest.Database(b))
	require.NoError(b, err)
	config.MaxConns = 16
	pool, err := pgxpool.NewWithConfig(b.Context(), config)
	require.NoError(b, err)
	b.Cleanup(pool.Close)
	_, err = pool.Exec(b.Context(), `CREATE TABLE event (
		position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, revision bigint NOT NULL,
		recorded_at timestamptz NOT NULL DEFAULT now(), id uuid NOT NULL, schema_version integer NOT NULL,
		stream text COLLATE "C" NOT NULL, type text COLLATE "C" NOT NULL, metadata bytea NOT NULL, payload bytea NOT NULL,
		UNIQUE (stream, revision), UNIQUE (stream, id))`)
	require.NoError(b, err)
	return &plainTable{pool}
}

// append keeps the promise of the log about expected revisions: the key refuses one that is taken, the
// condition one that is ahead.
func (t *plainTable) append(ctx context.Context, stream string, revision int64, events []eventlog.Event) error {
	var sql strings.Builder
	sql.WriteString("INSERT INTO event (stream, revision, id, type, schema_version, metadata, payload) SELECT $1, e.* FROM (VALUES ")
	args := make([]any, 0, 2+6*len(events))
	args = append(args, stream, revision-1)
	for i, event := range events {
		if i > 0 {
			sql.WriteString(", ")
		}
		n := len(args)
		fmt.Fprintf(&sql, "($%d::bigint, $%d::uuid, $%d, $%d::integer, $%d::bytea, $%d::bytea)", n+1, n+2, n+3, n+4, n+5, n+6)
		args = append(args, revision+int64(i), event.ID, event.Type, event.SchemaVersion, event.Metadata, event.Payload)
	}
	sql.WriteString(") AS e WHERE coalesce((SELECT max(revision) FROM event WHERE stream = $1), -1) = $2 RETURNING position")
	rows, err := t.pool.Query(ctx, sql.String(), args...)
	if err != nil {
		return err
	}
	positions, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err == nil && len(positions) != len(events) {
		err = fmt.Errorf("%s is not at revision %d", stream, revision-1)
	}
	return err
}

// BenchmarkAll measures reading the whole log in order, without decoding anything, and with a filter that one event
// in a hundred passes.
func BenchmarkAll(b *testing.B) {
	const events = 200_000
	log := open(b, pgtest.Database(b))
	fillLog(b, log, events)
	for name, read := range map[string]struct {
		filter eventlog.Filter
		want   int
	}{
		"everything": {eventlog.Everything, events},
		"one in 100": {eventlog.Filter{StreamPrefixes: []string{"run-7."}}, events / 100},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				n := 0
				for _, err := range log.All(b.Context(), eventlog.Start, read.filter) {
					require.NoError(b, err)
					n++
				}
				require.Equal(b, read.want, n)
			}
			b.ReportMetric(float64(b.N*events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// fillLog appends events to a hundred streams by turns, in batches of 100.
func fillLog(b *testing.B, log eventlog.Log, events int) {
	b.Helper()
	const streams, batch, writers = 100, 100, 4
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() {
			all := make([]eventlog.Event, batch)
			for n := writer * batch; n < events; n += writers * batch {
				for i := range all {
					all[i] = benchEvent(uint64(n + i))
				}
				turn := n / batch
				if _, err := log.Append(b.Context(), fmt.Sprintf("run-%d.", turn%streams), eventlog.At(int64(turn/streams*batch)-1), all); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}

// BenchmarkLarge measures what the length of the log costs: a single append, and reading a stream of a hundred
// events. The longest log is only made when KINTSUGI_BENCH_LARGE is set: it takes minutes and 10 GB.
func BenchmarkLarge(b *testing.B) {
	sizes := []int{10_000, 1_000_000}
	if os.Getenv("KINTSUGI_BENCH_LARGE") != "" {
		sizes = append(sizes, 10_000_000)
	}
	var round atomic.Int64 // a benchmark is run several times
	for _, size := range sizes {
		log := open(b, pgtest.Database(b))
		fillLog(b, log, size)
		stream := make([]eventlog.Event, 100)
		for i := range stream {
			stream[i] = benchEvent(uint64(i))
		}
		_, err := log.Append(b.Context(), "read", eventlog.NoStream{}, stream)
		require.NoError(b, err)
		b.Run(fmt.Sprintf("events=%d/append", size), func(b *testing.B) {
			name, next := fmt.Sprintf("appended-%d", round.Add(1)), int64(0)
			measure(b, 1, 1, func(_ int, events []eventlog.Event) error {
				appended, err := log.Append(b.Context(), name, eventlog.At(next-1), events)
				next = appended.Last + 1
				return err
			})
		})
		b.Run(fmt.Sprintf("events=%d/stream", size), func(b *testing.B) {
			for b.Loop() {
				n := 0
				for _, err := range log.Stream(b.Context(), "read", 0) {
					require.NoError(b, err)
					n++
				}
				require.Equal(b, len(stream), n)
			}
		})
		require.NoError(b, log.Close())
	}
}
