package sqlitelog_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// BenchmarkAppend measures durable appends with 1, 16 and 256 writers, each on its own stream, beside a plain file with
// the same group commit, which is the least that durability can cost on this disk, and
// beside the same engine with a transaction for each append.
func BenchmarkAppend(b *testing.B) {
	for _, batch := range []int{1, 10} {
		var single float64 // what one writer makes
		for _, writers := range []int{1, 16, 256} {
			b.Run(fmt.Sprintf("writers=%d/batch=%d", writers, batch), func(b *testing.B) {
				var commits atomic.Int64
				log := onLog(b, benchLog(b, counting(&commits)), writers, batch)
				file := newPlainFile(b, true).subject(writers, batch)
				each := newEachAlone(b).subject(writers, batch)
				race(b, log, file, each)
				if writers == 1 {
					single = log.eventsPerSecond()
				}
				b.ReportMetric(log.eventsPerSecond(), "events/s")
				b.ReportMetric(log.quantile(0.5), "p50-ms")
				b.ReportMetric(log.quantile(0.99), "p99-ms")
				b.ReportMetric(float64(len(log.latencies)*batch)/float64(commits.Load()), "events/commit")
				b.ReportMetric(file.eventsPerSecond(), "file-events/s")
				b.ReportMetric(file.quantile(0.5), "file-p50-ms")
				b.ReportMetric(file.quantile(0.99), "file-p99-ms")
				b.ReportMetric(each.eventsPerSecond(), "alone-events/s")
				b.ReportMetric(log.eventsPerSecond()/file.eventsPerSecond(), "x-file")
				b.ReportMetric(log.eventsPerSecond()/each.eventsPerSecond(), "x-alone")
				b.ReportMetric(log.eventsPerSecond()/single, "x-1-writer")
			})
		}
	}
}

// BenchmarkAppendDistance divides the distance to the plain file into its parts, in microseconds for an event: both
// with their syncs and without. The rest of the log without syncs is the engine's work: rows and index pages, and
// twice the bytes, as whole pages go to the write-ahead log.
func BenchmarkAppendDistance(b *testing.B) {
	for _, writers := range []int{1, 16, 256} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			var commits, unsyncedCommits atomic.Int64
			log := onLog(b, benchLog(b, counting(&commits)), writers, 1)
			unsynced := onLog(b, benchLog(b, sqlitelog.WithPragma(counting(&unsyncedCommits), "synchronous = off")), writers, 1)
			plain, unsyncedPlain := newPlainFile(b, true), newPlainFile(b, false)
			file, unsyncedFile := plain.subject(writers, 1), unsyncedPlain.subject(writers, 1)
			race(b, log, unsynced, file, unsyncedFile)
			for name, s := range map[string]*subject{"log": log, "log-unsynced": unsynced, "file": file, "file-unsynced": unsyncedFile} {
				b.ReportMetric(1e6/s.eventsPerSecond(), name+"-µs")
			}
			b.ReportMetric(float64(b.N)/float64(commits.Load()), "events/commit")
			b.ReportMetric(float64(b.N)/float64(plain.groups.Load()), "file-events/sync")
		})
	}
}

// counting counts the transactions: each asks once for the time.
func counting(commits *atomic.Int64) sqlitelog.Options {
	return sqlitelog.Options{Now: func() time.Time {
		commits.Add(1)
		return time.Now()
	}}
}

// plainFile is an append-only file with the group commit of the log and nothing else.
type plainFile struct {
	file   *os.File
	sync   bool
	queue  chan plainAppend
	groups atomic.Int64
}

type plainAppend struct {
	events []eventlog.Event
	done   chan error
}

func newPlainFile(b *testing.B, sync bool) *plainFile {
	file, err := os.Create(filepath.Join(b.TempDir(), "events.log"))
	require.NoError(b, err)
	p := &plainFile{file: file, sync: sync, queue: make(chan plainAppend, 1024)}
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		p.run(ctx)
	}()
	b.Cleanup(func() {
		cancel()
		<-stopped
		_ = file.Close()
	})
	return p
}

func (p *plainFile) subject(writers, batch int) *subject {
	return &subject{writers: writers, batch: batch, append: func(_ int, events []eventlog.Event) error {
		done := make(chan error, 1)
		p.queue <- plainAppend{events, done}
		return <-done
	}}
}

func (p *plainFile) run(ctx context.Context) {
	var buffer []byte
	var waiting []chan error
	add := func(a plainAppend) {
		for _, event := range a.events {
			buffer = binary.AppendUvarint(buffer, uint64(len(event.Payload)+len(event.Metadata)))
			buffer = append(append(append(buffer, event.ID...), event.Metadata...), event.Payload...)
		}
		waiting = append(waiting, a.done)
	}
	for {
		buffer, waiting = buffer[:0], waiting[:0]
		select {
		case <-ctx.Done():
			return
		case a := <-p.queue:
			add(a)
		}
		for more := true; more; {
			select {
			case a := <-p.queue:
				add(a)
			default:
				more = false
			}
		}
		_, err := p.file.Write(buffer)
		if err == nil && p.sync {
			err = p.file.Sync()
		}
		p.groups.Add(1)
		for _, done := range waiting {
			done <- err
		}
	}
}

// eachAlone is a table of events in the same engine with the same settings, to which each append goes alone.
type eachAlone struct {
	mu   sync.Mutex
	conn *sqlite.Conn
	next map[int]int
}

func newEachAlone(b *testing.B) *eachAlone {
	conn, err := sqlitedb.Open(filepath.Join(b.TempDir(), "alone.db"))
	require.NoError(b, err)
	b.Cleanup(func() { require.NoError(b, conn.Close()) })
	require.NoError(b, sqlitedb.EnableWAL(b.Context(), conn))
	for _, statement := range []string{
		"PRAGMA synchronous = full",
		"PRAGMA cache_size = -16384",
		"CREATE TABLE event (pos INTEGER PRIMARY KEY, stream INTEGER NOT NULL, revision INTEGER NOT NULL, id BLOB NOT NULL, type TEXT NOT NULL, metadata BLOB NOT NULL, payload BLOB NOT NULL, UNIQUE (stream, revision)) STRICT",
	} {
		require.NoError(b, sqlitedb.Exec(conn, statement))
	}
	return &eachAlone{conn: conn, next: make(map[int]int)}
}

func (e *eachAlone) subject(writers, batch int) *subject {
	return &subject{writers: writers, batch: batch, append: func(writer int, events []eventlog.Event) error {
		e.mu.Lock()
		defer e.mu.Unlock()
		return sqlitedb.Immediate(e.conn, func() error {
			for _, event := range events {
				err := sqlitedb.Do(e.conn, "INSERT INTO event (stream, revision, id, type, metadata, payload) VALUES (?, ?, ?, ?, ?, ?)",
					writer, e.next[writer], []byte(event.ID), event.Type, event.Metadata, event.Payload)
				if err != nil {
					return err
				}
				e.next[writer]++
			}
			return nil
		})
	}}
}
