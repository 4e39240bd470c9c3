package sample_test

import (
	"testing"

	"github.com/kintsugi-run/kintsugi/commands/sample"
)

// BenchmarkWrite is making up a log of twenty thousand events.
func BenchmarkWrite(b *testing.B) {
	events := 0
	for b.Loop() {
		events += len(write(b, sample.Config{Seed: 1, Events: 20_000}))
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
