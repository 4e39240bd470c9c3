package hashchain_test

import (
	"strings"
	"testing"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/hashchain"
)

// BenchmarkCheck is one event of a run, with the payload and metadata such events have.
func BenchmarkCheck(b *testing.B) {
	payloads := make([]string, 1000)
	for i := range payloads {
		payloads[i] = `{"seq":1,"result":"` + strings.Repeat("x", 300) + `"}`
	}
	records := stream("run-0190a1b2-0000-7000-8000-000000000001", payloads...)
	b.SetBytes(int64(len(records[0].Payload) + len(records[0].Metadata)))
	n := len(records)
	var verifier hashchain.Verifier
	for b.Loop() {
		if n == len(records) {
			n, verifier = 0, hashchain.Verifier{}
		}
		if err := verifier.Check(records[n]); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
