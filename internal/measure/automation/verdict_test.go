package automation_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

func readBundle(t *testing.T, slug string) *gate.Bundle {
	t.Helper()
	file, err := os.Open(filepath.Join(root, slug, "bundle.json"))
	require.NoError(t, err)
	defer file.Close()
	bundle, err := gate.ReadBundle(file)
	require.NoError(t, err)
	return bundle
}

// Every recorded run, the failed one too, does the same again on its own script.
func TestRunsReproduce(t *testing.T) {
	t.Parallel()
	for _, a := range loadAll(t) {
		t.Run(a.Slug, func(t *testing.T) {
			t.Parallel()
			bundle := readBundle(t, a.Slug)
			require.Equal(t, a.Code, bundle.Script.Code)
			for i := range bundle.Runs {
				again, err := gate.Reproduce(t.Context(), runner(t), bundle.Script.Code, bundle.Workflow.Zone, &bundle.Runs[i])
				require.NoError(t, err)
				require.True(t, again.Reproduced, "%s: %+v", again.Run, again.Divergence)
				require.False(t, again.LogDiffers, again.Run)
			}
		})
	}
}

// The gate finds every correct repair identical with nothing to hold, and lets no wrong
// one through, each for the reason that its label gives. Verdicts that nothing recorded can
// tell are counted.
func TestVerdicts(t *testing.T) {
	t.Parallel()
	for _, a := range loadAll(t) {
		t.Run(a.Slug, func(t *testing.T) {
			t.Parallel()
			opened := openGate(t, a)
			for _, name := range sortedNames(scripts(t, a.Slug, "good")) {
				judged, err := opened.Judge(t.Context(), scripts(t, a.Slug, "good")[name])
				require.NoError(t, err)
				requireVerdict(t, "good/"+name, a.Case.Expected.Good, judged)
			}
			hard, caught := 0, 0
			for _, name := range sortedNames(a.Case.Expected.Bad) {
				judged, err := opened.Judge(t.Context(), scripts(t, a.Slug, "bad")[name])
				require.NoError(t, err)
				label := a.Case.Expected.Bad[name]
				t.Logf("%s, labelled %s: %s", name, label, said(judged))
				if label == "hard" {
					hard++
					if judged.Verdict != gate.Identical || judged.Held {
						caught++
					}
					continue
				}
				requireVerdict(t, "bad/"+name, label, judged)
			}
			t.Logf("%d hard ones, %d of them caught", hard, caught)
		})
	}
}

func openGate(t *testing.T, a *automation.Automation) *gate.Gate {
	t.Helper()
	bundle := readBundle(t, a.Slug)
	last := len(bundle.Runs) - 1
	opened, err := gate.Open(t.Context(), runner(t), gate.Subject{
		Code:      bundle.Script.Code,
		Version:   bundle.Script.Version,
		Zone:      bundle.Workflow.Zone,
		Failed:    bundle.Runs[last],
		Successes: bundle.Runs[:last],
	}, gate.Options{})
	require.NoError(t, err)
	return opened
}

func requireVerdict(t *testing.T, name, label string, judged gate.Judgement) {
	t.Helper()
	said := said(judged)
	switch label {
	case gate.Identical:
		require.Equal(t, gate.Identical, judged.Verdict, "%s: %s: %+v", name, said, judged.Divergence)
		require.Empty(t, judged.Reasons, name)
		require.Zero(t, judged.Excluded, name)
	case gate.Different:
		require.Equal(t, gate.Different, judged.Verdict, "%s: %s", name, said)
		require.NotNil(t, judged.Divergence, name)
	case gate.Unverifiable:
		require.Equal(t, gate.Unverifiable, judged.Verdict, "%s: %s", name, said)
	case "held":
		require.True(t, judged.Held, "%s: %s", name, said)
	default:
		require.Fail(t, "unknown label", "%s: %s", name, label)
	}
}

func said(judged gate.Judgement) string {
	if judged.Held {
		return judged.Verdict + ", held: " + strings.Join(judged.Reasons, "; ")
	}
	return judged.Verdict
}

func sortedNames(m map[string]string) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
