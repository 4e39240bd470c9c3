package repair

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/replay"
)

// expected is what the failing run must come to after a right repair.
type expected struct {
	Output json.RawMessage `json:"output"`
	Writes []replay.Write  `json:"writes"`
}

func (e expected) outcome() string {
	return outcomeOf(Judged{Judgement: replay.Judgement{FailingRun: replay.FailingRun{Output: e.Output, Writes: e.Writes}}})
}

// TestMendRecordedCases: of the documented changes of real APIs in testdata, those that
// templates can mend are mended, and nothing wrong is applied to any.
func TestMendRecordedCases(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"cases", "automations"} {
		bundles, err := filepath.Glob(filepath.Join("..", "..", "testdata", folder, "*", "bundle.json"))
		require.NoError(t, err)
		require.NotEmpty(t, bundles)
		for _, bundle := range bundles {
			dir := filepath.Dir(bundle)
			t.Run(filepath.Base(dir), func(t *testing.T) {
				t.Parallel()
				var about struct {
					TemplatesCouldFix bool `json:"templates_could_fix"`
				}
				readJSON(t, filepath.Join(dir, "case.json"), &about)
				r := mend(t, loadBundle(t, bundle))
				require.NotEmpty(t, r.Explanation)
				if r.Best == nil || r.Held {
					require.False(t, about.TemplatesCouldFix, show(r))
					return
				}
				var want expected
				readJSON(t, filepath.Join(dir, "good", "expected.json"), &want)
				require.Equal(t, want.outcome(), outcomeOf(*r.Best), show(r))
			})
		}
	}
}

// TestExplanations: when nothing can be mended, the explanation says where it failed, what
// changed and what the other side said.
func TestExplanations(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"cases/001-stripe-latest-charge":  {"line 13", "pi.charges.data[0]", "charges is missing in data[]", "latest_charge"},
		"cases/010-github-no-release-404": {"status 404", "line 5"},
		"automations/04-exchange-rates":   {"rates is missing", "new there: error", "API Access Key"},
		"cases/024-pagerduty-webhook-v3":  {"messages is missing in the input", "new there: event"},
		"automations/07-release-notes":    {"author is null in commits[]"},
	} {
		r := mend(t, loadBundle(t, filepath.Join("..", "..", "testdata", name, "bundle.json")))
		for _, part := range want {
			require.Contains(t, r.Explanation, part, name)
		}
	}
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}
