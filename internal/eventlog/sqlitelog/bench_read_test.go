package sqlitelog_test

import (
	"encoding/json"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// decoded is what a projection makes of an event.
type decoded struct {
	payload struct {
		Seq    int             `json:"seq"`
		Result json.RawMessage `json:"result"`
		MS     int64           `json:"ms"`
		Text   string          `json:"text"`
	}
	metadata struct {
		Subject    string    `json:"subject"`
		Actor      string    `json:"actor"`
		RecordedAt time.Time `json:"recorded_at"`
		CommandID  string    `json:"command_id"`
		Hash       string    `json:"hash"`
	}
}

func decode(b *testing.B, record eventlog.Record) (d decoded) {
	if err := json.Unmarshal(record.Payload, &d.payload); err != nil {
		b.Error(err)
	}
	if err := json.Unmarshal(record.Metadata, &d.metadata); err != nil {
		b.Error(err)
	}
	return d
}

// BenchmarkAll measures reading the whole log in order: as it is, with a filter that nothing passes, and decoded by
// encoding/json, payload and metadata of every event, on the reader's goroutine
// and ahead of it on all processors.
func BenchmarkAll(b *testing.B) {
	const events = 200_000
	log := benchLog(b, sqlitelog.Options{})
	fillLog(b, log, events)
	run := func(name string, want int, read func(b *testing.B) int) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if n := read(b); n != want {
					b.Fatalf("read %d events, want %d", n, want)
				}
			}
			b.ReportMetric(float64(b.N*events)/b.Elapsed().Seconds(), "events/s")
		})
	}
	count := func(b *testing.B, filter eventlog.Filter, use func(eventlog.Record)) (n int) {
		for record, err := range log.All(b.Context(), eventlog.Start, filter) {
			if err != nil {
				b.Fatal(err)
			}
			use(record)
			n++
		}
		return n
	}
	run("raw", events, func(b *testing.B) int {
		return count(b, eventlog.Everything, func(eventlog.Record) {})
	})
	run("filtered", 0, func(b *testing.B) int {
		return count(b, eventlog.Filter{Types: []string{"Other"}}, func(eventlog.Record) {})
	})
	run("decoded", events, func(b *testing.B) int {
		return count(b, eventlog.Everything, func(record eventlog.Record) { decode(b, record) })
	})
	run("decoded-ahead", events, func(b *testing.B) int { return decodeAhead(b, log) })
}

// decodeAhead decodes on all processors, and takes the results in order.
func decodeAhead(b *testing.B, log eventlog.Log) (n int) {
	type batch struct {
		records []eventlog.Record
		done    chan []decoded
	}
	const size = 256
	work, inOrder := make(chan batch), make(chan batch, 8)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for w := range work {
				all := make([]decoded, len(w.records))
				for i, record := range w.records {
					all[i] = decode(b, record)
				}
				w.done <- all
			}
		})
	}
	workers.Go(func() {
		defer close(inOrder)
		defer close(work)
		next := batch{done: make(chan []decoded, 1)}
		send := func() {
			inOrder <- next
			work <- next
			next = batch{done: make(chan []decoded, 1)}
		}
		for record, err := range log.All(b.Context(), eventlog.Start, eventlog.Everything) {
			if err != nil {
				b.Error(err)
				return
			}
			if next.records = append(next.records, record); len(next.records) == size {
				send()
			}
		}
		send()
	})
	for w := range inOrder {
		n += len(<-w.done)
	}
	workers.Wait()
	return n
}

// BenchmarkHead measures what somebody who waits for a hint costs ten times a second: one look for events
// of other processes.
func BenchmarkHead(b *testing.B) {
	log := benchLog(b, sqlitelog.Options{})
	fillLog(b, log, 10_000)
	for b.Loop() {
		if _, err := log.Head(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
