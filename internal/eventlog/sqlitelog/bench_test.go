package sqlitelog_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
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

// BenchmarkAppend measures durable appends/s with 1, 16 and 256 writers, each on its own stream, beside the
// least that durability can cost on this disk: a plain file with the same group commit and one
// sync for each group.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 16, 256} {
		for _, batch := range []int{1, 10} {
			name := fmt.Sprintf("writers=%d/batch=%d", writers, batch)
			b.Run(name+"/sqlite", func(b *testing.B) {
				log, err := sqlitelog.Open(b.Context(), filepath.Join(b.TempDir(), "events.db"), sqlitelog.Options{})
				require.NoError(b, err)
				defer log.Close()
				next := make([]int64, writers)
				measure(b, writers, batch, func(writer int, events []eventlog.Event) error {
					appended, err := log.Append(b.Context(), fmt.Sprintf("run-%d", writer), eventlog.At(next[writer]-1), events)
					next[writer] = appended.Last + 1
					return err
				})
			})
			b.Run(name+"/file", func(b *testing.B) {
				file := newPlainFile(b)
				measure(b, writers, batch, func(_ int, events []eventlog.Event) error { return file.append(events) })
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

// plainFile is an append-only file with the group commit of the log and nothing else.
type plainFile struct {
	file  *os.File
	queue chan plainAppend
}

type plainAppend struct {
	events []eventlog.Event
	done   chan error
}

func newPlainFile(b *testing.B) *plainFile {
	file, err := os.Create(filepath.Join(b.TempDir(), "events.log"))
	require.NoError(b, err)
	p := &plainFile{file: file, queue: make(chan plainAppend, 1024)}
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

func (p *plainFile) append(events []eventlog.Event) error {
	done := make(chan error, 1)
	p.queue <- plainAppend{events, done}
	return <-done
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
		if err == nil {
			err = p.file.Sync()
		}
		for _, done := range waiting {
			done <- err
		}
	}
}

// BenchmarkAll measures reading the whole log in order, without decoding anything.
func BenchmarkAll(b *testing.B) {
	const events = 200_000
	log, err := sqlitelog.Open(b.Context(), filepath.Join(b.TempDir(), "events.db"), sqlitelog.Options{})
	require.NoError(b, err)
	defer log.Close()
	batch := make([]eventlog.Event, 1000)
	for n := 0; n < events; n += len(batch) {
		for i := range batch {
			batch[i] = benchEvent(uint64(n + i))
		}
		_, err := log.Append(b.Context(), fmt.Sprintf("run-%d", n), eventlog.NoStream{}, batch)
		require.NoError(b, err)
	}
	for b.Loop() {
		n := 0
		for _, err := range log.All(b.Context(), eventlog.Start, eventlog.Everything) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != events {
			b.Fatalf("read %d events, want %d", n, events)
		}
	}
	b.ReportMetric(float64(b.N*events)/b.Elapsed().Seconds(), "events/s")
}
