package repair

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
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
				opened, err := gate.Open(b.Context(), runner(), gate.Subject{Code: e.Code, Failed: e.Failed, Successes: e.Successes}, gate.Options{})
				require.NoError(b, err)
				r, err := Mend(b.Context(), opened, e, Templates{Runner: runner()})
				require.NoError(b, err)
				require.NotNil(b, r.Best)
				candidates += len(r.Tried)
			}
			b.ReportMetric(float64(candidates)/float64(b.N), "candidates/op")
		})
	}
}

// BenchmarkPropose is the same without the gate: the cost of finding the candidate.
func BenchmarkPropose(b *testing.B) {
	e := loadBundle(b, filepath.Join("..", "..", "testdata", "cases", "007-stripe-billing-renamed", "bundle.json"))
	for b.Loop() {
		_, err := Templates{Runner: runner()}.Propose(b.Context(), e, func(context.Context, Candidate) (gate.Judgement, error) {
			return gate.Judgement{Verdict: gate.Identical, FailingRun: gate.FailingRun{Status: "succeeded"}}, nil
		})
		require.NoError(b, err)
	}
}
