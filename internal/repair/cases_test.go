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

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, into))
}
