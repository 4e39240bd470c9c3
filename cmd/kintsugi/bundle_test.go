package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/bundle"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// caseFile is the path of a file of one of the real API changes.
func caseFile(t testing.TB, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"..", "..", "testdata", "cases"}, parts...)...))
	require.NoError(t, err)
	return path
}

// sampled are changes of which each comes out in another way. All of them, and all their repairs, are internal/proof/gate's and
// internal/repair's to judge; here it is what the commands say.
var sampled = []string{
	"001-stripe-latest-charge", "007-stripe-billing-renamed", "010-github-no-release-404", "104-slots-iso-start", "113-order-line-total", "118-station-version-gone",
}

// Bundles of real changes reproduce, and the command leaves no data directory behind.
func TestReplayCases(t *testing.T) {
	t.Parallel()
	for _, name := range sampled {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			shown := h.object("replay", caseFile(t, name, "bundle.json"))
			require.Equal(t, shown["runs"], shown["reproduced"])
			require.Len(t, shown["results"], int(shown["runs"].(float64)))
			require.NoDirExists(t, h.dir)
		})
	}
}

// A run that does not do the same again is told with the place and both sides, and the exit code.
func TestReplaySaysWhatDiffers(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	text, err := os.ReadFile(caseFile(t, "012-twitter-v2-no-data", "bundle.json"))
	require.NoError(t, err)
	var bundle gate.Bundle
	require.NoError(t, json.Unmarshal(text, &bundle))
	bundle.Runs[1].Outcome.Output = json.RawMessage(`{"total": 3, "liked": 7}`)
	text, err = json.Marshal(bundle)
	require.NoError(t, err)

	r := h.runWith(string(text), "replay", "-")
	require.Equal(t, terminal.ExitDiffers, r.code, r.err)
	require.Contains(t, r.out, "r2           differs (succeeded)\n  run r2, output $.liked\n    want  7\n    got   2\n")
	require.Contains(t, r.out, "4 of 5 runs reproduce\n")

	r = h.runWith(string(text), "replay", "-", "-o", "jsonl")
	require.Equal(t, terminal.ExitDiffers, r.code)
	lines := strings.Split(strings.TrimSpace(r.out), "\n")
	require.Len(t, lines, 5)
	second := decodeAs[gate.Reproduction](t, lines[1])
	require.Equal(t, "r2", second.Run)
	require.False(t, second.Reproduced)
	require.Equal(t, "$.liked", second.Divergence.Path)
}

// The verdict and the exit code of a right repair of real changes, and of one of each kind of wrong one, are those of
// its label, and all promised keys are in the JSON. internal/proof/gate.TestCasesVerdicts checks every repair.
func TestProveCases(t *testing.T) {
	t.Parallel()
	for _, name := range sampled {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			var labels struct {
				Expected struct {
					Good string
					Bad  map[string]string
				}
			}
			text, err := os.ReadFile(caseFile(t, name, "case.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &labels))
			good, err := filepath.Glob(caseFile(t, name, "good", "*.js"))
			require.NoError(t, err)
			want := terminal.ExitOK
			if labels.Expected.Good != gate.Identical {
				want = terminal.ExitHeld
			}
			r := h.run("prove", caseFile(t, name, "bundle.json"), "--script", good[0], "-o", "json")
			right := judgement(t, r.out)
			if right["unproved"] != nil {
				want = terminal.ExitHeld
			}
			require.Equal(t, want, r.code, r.out)
			require.Equal(t, labels.Expected.Good, right["verdict"], good[0])
			shown := map[string]bool{"hard": true}
			for _, script := range slices.Sorted(maps.Keys(labels.Expected.Bad)) {
				label := labels.Expected.Bad[script]
				if shown[label] {
					continue
				}
				shown[label] = true
				r := h.run("prove", caseFile(t, name, "bundle.json"), "--script", caseFile(t, name, "bad", script), "-o", "json")
				judged := judgement(t, r.out)
				switch {
				case strings.Contains(r.out, `"after":`): // more is seen than the label says that replay sees
					require.Equal(t, terminal.ExitDiffers, r.code, "%s: %s", script, r.out)
				case label == "held":
					require.Equal(t, terminal.ExitHeld, r.code, "%s: %s", script, r.out)
					require.Equal(t, true, judged["held"], script)
				case label == gate.Different:
					require.Equal(t, terminal.ExitDiffers, r.code, "%s: %s", script, r.out)
					require.Equal(t, label, judged["verdict"], script)
				default:
					require.Equal(t, terminal.ExitHeld, r.code, "%s: %s", script, r.out)
					require.Equal(t, label, judged["verdict"], script)
				}
			}
		})
	}
}

func (h *home) prove(code int, name, script string) map[string]any {
	h.t.Helper()
	return judgement(h.t, h.ends(code, "prove", caseFile(h.t, name, "bundle.json"), "--script", script, "-o", "json").out)
}

// judgement reads a verdict, which has all that is promised.
func judgement(t testing.TB, text string) map[string]any {
	t.Helper()
	judged := decodeAs[map[string]any](t, text)
	for _, key := range []string{"verdict", "failing_run", "replayed", "identical", "excluded", "divergence", "held", "reasons"} {
		require.Contains(t, judged, key)
	}
	require.NotNil(t, judged["reasons"], "a list, even if there is none")
	return judged
}

// The verdict is told to people with counts, the smallest divergence and the reasons.
func TestProveTellsPeople(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	bundle := caseFile(t, "012-twitter-v2-no-data", "bundle.json")

	proved := caseFile(t, "112-deploys-order", "bundle.json")
	r := h.ends(terminal.ExitOK, "prove", proved, "--script", caseFile(t, "112-deploys-order", "good", "newest.js"))
	require.Contains(t, r.out, "Verdict: identical\n  failing run ")
	require.Contains(t, r.out, " identical, 0 excluded\n")

	r = h.ends(terminal.ExitDiffers, "prove", bundle, "--script", caseFile(t, "012-twitter-v2-no-data", "bad", "drop-write.js"))
	require.Contains(t, r.out, "Verdict: different\n")
	require.Contains(t, r.out, "smallest divergence:\n")
	require.Contains(t, r.out, "writes[1]\n")
	require.Contains(t, r.out, `want  kv.set("mentions:last"`)

	r = h.ends(terminal.ExitHeld, "prove", bundle, "--script", caseFile(t, "012-twitter-v2-no-data", "bad", "early-return.js"))
	require.Contains(t, r.out, "Verdict: identical, held\n")
	require.Contains(t, r.out, "- not proved: no recorded run tells what a right fix makes of what is given now")
}

// A script that does not parse, or has no main, is different and says where; nothing else is run.
func TestProveScriptThatCannotRun(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	bundle := caseFile(t, "012-twitter-v2-no-data", "bundle.json")
	for text, want := range map[string]string{
		"async function main(input) {\n  return );\n}": "line 2, column 10",
		"function other() {}":                          "there is no main",
	} {
		r := h.runWith(text, "prove", bundle, "--script", "-", "-o", "json")
		require.Equal(t, terminal.ExitDiffers, r.code, r.err)
		judged := decodeAs[gate.Judgement](t, r.out)
		require.Equal(t, gate.Different, judged.Verdict)
		require.Contains(t, judged.Divergence.Got, want)
	}
}

// Wrong usage and files that cannot be used end with exit code 2 and say what is wrong.
func TestBundleCommandsWithBadInput(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	bundle := caseFile(t, "012-twitter-v2-no-data", "bundle.json")
	text, err := os.ReadFile(bundle)
	require.NoError(t, err)
	broken := strings.Replace(string(text), `"effect": "read"`, `"effect": "look"`, 1)
	require.NotEqual(t, string(text), broken)
	corrupt := h.file("corrupt.json", broken)
	cut := h.file("cut.json", string(text[:len(text)/2]))
	var only gate.Bundle
	require.NoError(t, json.Unmarshal(text, &only))
	only.Runs = only.Runs[:4]
	rest, err := json.Marshal(only)
	require.NoError(t, err)
	successes := h.file("successes.json", string(rest))
	script := caseFile(t, "012-twitter-v2-no-data", "good", "guard-both.js")

	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"replay"}, "wanted: kintsugi replay BUNDLE"},
		{[]string{"replay", "there-is-none.json"}, "there-is-none.json"},
		{[]string{"replay", corrupt}, `runs[0].calls[0].effect: must be "read" or "write", is "look"`},
		{[]string{"replay", cut}, "bundle is not JSON: line "},
		{[]string{"prove", bundle}, "--script FILE"},
		{[]string{"prove", bundle, "--script", "there-is-none.js"}, "there-is-none.js"},
		{[]string{"prove", corrupt, "--script", script}, "runs[0].calls[0].effect"},
		{[]string{"prove", successes, "--script", script}, "the bundle has no failed run"},
		{[]string{"prove", bundle, "--script", script, "-o", "yaml"}, "choose text, json or jsonl"},
		{[]string{"mend", successes}, "the bundle has no failed run"},
		{[]string{"mend", bundle, "--fixer", "magic"}, `there is no fixer "magic"`},
		{[]string{"mend", corrupt}, "runs[0].calls[0].effect"},
	} {
		r := h.ends(terminal.ExitUsage, c.args...)
		require.Contains(t, r.err, c.want, "kintsugi %v", c.args)
		require.Empty(t, r.out)
	}
}

// Mend repairs what the templates can, saves a script that then proves, and says by its
// exit code whether a person has to look.
func TestMendCases(t *testing.T) {
	t.Parallel()
	for _, name := range sampled {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			var labels struct {
				Could bool `json:"templates_could_fix"`
			}
			text, err := os.ReadFile(caseFile(t, name, "case.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &labels))
			saved := filepath.Join(t.TempDir(), "mended.js")
			r := h.run("mend", caseFile(t, name, "bundle.json"), "--write", saved, "-o", "json")
			found := decodeAs[bundle.MendResult](t, r.out)
			if r.code != terminal.ExitOK {
				require.Contains(t, []int{terminal.ExitDiffers, terminal.ExitHeld}, r.code, r.err)
				require.False(t, labels.Could, "%s\n%v", found.Diff, found.Reasons)
				return
			}
			// A repair that gets through has to be right, expected or not.
			require.True(t, found.Found)
			require.Empty(t, found.Reasons)
			var expected struct{ Output, Writes any }
			text, err = os.ReadFile(caseFile(t, name, "good", "expected.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &expected))
			judged := h.prove(terminal.ExitOK, name, saved)
			failing, ok := judged["failing_run"].(map[string]any)
			require.True(t, ok)
			require.Equal(t, expected.Output, failing["output"])
			require.Equal(t, expected.Writes, failing["writes"])
		})
	}
}

// The difference and the verdict of a repair are shown to people.
func TestMendTellsPeople(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	r := h.ends(terminal.ExitOK, "mend", caseFile(t, "007-stripe-billing-renamed", "bundle.json"))
	require.Contains(t, r.out, "+++ mended")
	require.Contains(t, r.out, "collection_method")
	require.Contains(t, r.out, "Verdict: identical\n")
	r = h.ends(terminal.ExitDiffers, "mend", caseFile(t, "010-github-no-release-404", "bundle.json"), "--fixer", "templates")
	require.Contains(t, r.out, "No fix found")
}
