package repair

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/replay"
)

// BenchmarkMend is the time from a recorded failure to a proven fix, with 20 recorded runs,
// and how much of it went by before the first candidate that passed.
func BenchmarkMend(b *testing.B) {
	for _, name := range []string{"007-stripe-billing-renamed", "012-twitter-v2-no-data", "014-openai-fenced-json"} {
		b.Run(name, func(b *testing.B) {
			e := loadBundle(b, filepath.Join("..", "..", "testdata", "cases", name, "bundle.json"))
			for own := len(e.Successes); len(e.Successes) < 20; {
				e.Successes = append(e.Successes, e.Successes[len(e.Successes)%own])
			}
			candidates := 0
			for b.Loop() {
				gate, err := replay.Open(b.Context(), runner(), replay.Subject{Code: e.Code, Failed: e.Failed, Successes: e.Successes}, replay.Options{})
				require.NoError(b, err)
				r, err := Mend(b.Context(), gate, e, Templates{Runner: runner()})
				require.NoError(b, err)
				require.NotNil(b, r.Best)
				candidates += len(r.Tried)
			}
			b.ReportMetric(float64(candidates)/float64(b.N), "candidates/op")
		})
	}
}

// BenchmarkPropose is the same without the gate: what it takes to find the candidate.
func BenchmarkPropose(b *testing.B) {
	e := loadBundle(b, filepath.Join("..", "..", "testdata", "cases", "007-stripe-billing-renamed", "bundle.json"))
	for b.Loop() {
		_, err := Templates{Runner: runner()}.Propose(b.Context(), e, func(context.Context, Candidate) (replay.Judgement, error) {
			return replay.Judgement{Verdict: replay.Identical, FailingRun: replay.FailingRun{Status: "succeeded"}}, nil
		})
		require.NoError(b, err)
	}
}
