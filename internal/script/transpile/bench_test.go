package transpile_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/script/transpile"
)

// BenchmarkRead is what it takes to read a script when it is saved, over all snippets that are read: the median, and the
// slowest but one of twenty, in milliseconds.
func BenchmarkRead(b *testing.B) {
	var took []time.Duration
	all := snippets(b)
	for b.Loop() {
		for _, code := range all {
			began := time.Now()
			if _, err := transpile.Read(strings.Clone(code)); err == nil {
				took = append(took, time.Since(began))
			}
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*19/20].Microseconds())/1000, "p95-ms")
}
