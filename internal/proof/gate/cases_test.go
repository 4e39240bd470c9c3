package gate_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

var casesDir = filepath.Join("..", "..", "..", "testdata", "cases")

func readBundle(t testing.TB, path string) *gate.Bundle {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	bundle, err := gate.ReadBundle(file)
	require.NoError(t, err)
	return bundle
}

func subjectOf(b *gate.Bundle) gate.Subject {
	last := len(b.Runs) - 1
	return gate.Subject{
		Code: b.Script.Code, Version: b.Script.Version, Zone: b.Workflow.Zone,
		Failed: b.Runs[last], Successes: b.Runs[:last],
	}
}

func caseDirs(t testing.TB) []string {
	t.Helper()
	bundles, err := filepath.Glob(filepath.Join(casesDir, "*", "bundle.json"))
	require.NoError(t, err)
	require.Len(t, bundles, 28)
	for i, path := range bundles {
		bundles[i] = filepath.Dir(path)
	}
	return bundles
}

// Every recorded run of the cases does the same again, log and error
// message included.
func TestCasesReproduce(t *testing.T) {
	t.Parallel()
	for _, dir := range caseDirs(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			b := readBundle(t, filepath.Join(dir, "bundle.json"))
			for i := range b.Runs {
				again, err := gate.Reproduce(t.Context(), runner(), b.Script.Code, b.Workflow.Zone, &b.Runs[i])
				require.NoError(t, err)
				require.True(t, again.Reproduced, "%s: %+v", again.Run, again.Divergence)
				require.False(t, again.LogDiffers, again.Run)
			}
		})
	}
}

// Every right repair gets its verdict with nothing to hold and the expected outcome; every
// wrong one is what its label says. Hard ones are counted: nothing recorded can tell.
func TestCasesVerdicts(t *testing.T) {
	t.Parallel()
	golden := openGolden(t)
	for _, dir := range caseDirs(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			var expected struct {
				Expected struct {
					Good string            `json:"good"`
					Bad  map[string]string `json:"bad"`
				} `json:"expected"`
			}
			readJSON(t, filepath.Join(dir, "case.json"), &expected)
			var outcome struct {
				Output json.RawMessage `json:"output"`
				Writes []gate.Write    `json:"writes"`
			}
			readJSON(t, filepath.Join(dir, "good", "expected.json"), &outcome)
			opened := openGate(t, subjectOf(readBundle(t, filepath.Join(dir, "bundle.json"))))

			good, err := filepath.Glob(filepath.Join(dir, "good", "*.js"))
			require.NoError(t, err)
			require.NotEmpty(t, good)
			for _, path := range good {
				judged := judge(t, opened, readText(t, path))
				golden.note(filepath.Base(dir)+"/good/"+filepath.Base(path), judged)
				require.Equal(t, expected.Expected.Good, judged.Verdict, "%s: %+v", path, judged.Divergence)
				require.Empty(t, judged.Reasons, path)
				require.Equal(t, judged.Replayed, judged.Identical, path)
				require.Zero(t, judged.Excluded, path)
				if judged.Verdict == gate.Identical {
					require.JSONEq(t, string(outcome.Output), string(judged.FailingRun.Output), path)
					require.Equal(t, asJSON(t, outcome.Writes), asJSON(t, judged.FailingRun.Writes), path)
				} else {
					require.True(t, judged.Rehearsable, path)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(expected.Expected.Bad)) {
				judged := judge(t, opened, readText(t, filepath.Join(dir, "bad", name)))
				golden.note(filepath.Base(dir)+"/bad/"+name, judged)
				label := expected.Expected.Bad[name]
				switch label {
				case "hard":
					t.Logf("%s is hard: %s", name, said(judged))
				case "held":
					require.True(t, judged.Held, "%s: %s", name, judged.Verdict)
				default:
					require.Equal(t, label, judged.Verdict, "%s: %q", name, judged.Reasons)
					require.NotNil(t, judged.Divergence, name)
				}
			}
		})
	}
}

// A certificate does not depend on when or how often a candidate is judged.
func TestCasesCertificatesRepeat(t *testing.T) {
	t.Parallel()
	for _, dir := range caseDirs(t) {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			subject := subjectOf(readBundle(t, filepath.Join(dir, "bundle.json")))
			bad, err := filepath.Glob(filepath.Join(dir, "bad", "*.js"))
			require.NoError(t, err)
			code := readText(t, bad[len(bad)-1])
			first := judge(t, openGate(t, subject), code)
			again := judge(t, openGate(t, subject), code)
			require.Equal(t, asJSON(t, first), asJSON(t, again))
		})
	}
}

func readText(t testing.TB, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

func readJSON(t testing.TB, path string, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(readText(t, path)), into))
}

// asJSON is a value as JSON with its keys sorted, so that layout does not count.
func asJSON(t testing.TB, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	var plain any
	require.NoError(t, json.Unmarshal(text, &plain))
	text, err = json.Marshal(plain)
	require.NoError(t, err)
	return strings.TrimSpace(string(text))
}
