package sqlitelog_test

import (
	"testing"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// BenchmarkAll measures reading the whole log in order: as it is, and with a filter that nothing passes. With
// decoding it is measured where events have types, by BenchmarkDecode of package projections.
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
