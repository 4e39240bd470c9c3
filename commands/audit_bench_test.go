package commands_test

import (
	"path/filepath"
	"testing"

	"github.com/kintsugi-run/kintsugi/commands"
)

// BenchmarkAudit is one event of a stored history of a repair, decoded, folded and doubted.
func BenchmarkAudit(b *testing.B) {
	records := stored(b, filepath.Join(histories, "good", "repaired.jsonl"))
	codec := newCodec()
	n, audit := len(records), commands.NewAudit(codec)
	for b.Loop() {
		if n == len(records) {
			n, audit = 0, commands.NewAudit(codec)
		}
		if err := audit.Check(records[n]); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
