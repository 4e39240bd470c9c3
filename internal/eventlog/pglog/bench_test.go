package pglog_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
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
	n := 2
	if s := os.Getenv("K"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	for _, writers := range []int{1, 16, 256} {
		for _, batch := range []int{1, 10} {
			name := fmt.Sprintf("writers=%d/batch=%d", writers, batch)
			b.Run(name+"/pglog", func(b *testing.B) {
				log, err := pglog.Open(b.Context(), pgtest.Database(b), pglog.Committers(n))
				require.NoError(b, err)
				defer log.Close()
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

func (t *plainTable) append(ctx context.Context, stream string, revision int64, events []eventlog.Event) error {
	var sql strings.Builder
	sql.WriteString("INSERT INTO event (stream, revision, id, type, schema_version, metadata, payload) VALUES ")
	args := make([]any, 0, 1+6*len(events))
	args = append(args, stream)
	for i, event := range events {
		if i > 0 {
			sql.WriteString(", ")
		}
		n := len(args)
		fmt.Fprintf(&sql, "($1, $%d, $%d, $%d, $%d, $%d, $%d)", n+1, n+2, n+3, n+4, n+5, n+6)
		args = append(args, revision+int64(i), event.ID, event.Type, event.SchemaVersion, event.Metadata, event.Payload)
	}
	sql.WriteString(" RETURNING position")
	rows, err := t.pool.Query(ctx, sql.String(), args...)
	if err != nil {
		return err
	}
	_, err = pgx.CollectRows(rows, pgx.RowTo[int64])
	return err
}
