package repair

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// expected is what the failing run must come to after a right repair.
type expected struct {
	Output json.RawMessage `json:"output"`
	Writes []gate.Write    `json:"writes"`
}

func (e expected) outcome() string {
	return outcomeOf(Judged{Judgement: gate.Judgement{FailingRun: gate.FailingRun{Output: e.Output, Writes: e.Writes}}})
}

// TestMendRecordedCases: templates mend those documented changes of real APIs in testdata that they can, and apply
// nothing wrong to any.
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
				if !about.TemplatesCouldFix && (r.Best == nil || r.Held) {
					return
				}
				require.NotNil(t, r.Best, show(r))
				if r.Held { // it may wait for want of a proof, and for nothing else
					require.Equal(t, []string{r.Best.Judgement.Unproved}, r.Reasons, show(r))
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
		"cases/001-stripe-latest-charge":  {"line 13", "pi.charges.data[0]", "data[].charges is gone", "latest_charge is new"},
		"cases/010-github-no-release-404": {"status 404", "line 5"},
		"automations/04-exchange-rates":   {"rates is gone", "error is new", "API Access Key"},
		"cases/024-pagerduty-webhook-v3":  {"input: messages is gone", "input: event is new"},
		"automations/07-release-notes":    {"commits[].author was object with login", "is null in some"},
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

// The status of web.fetch's answer is the change, although the answer has its usual shape.
func TestTheExplanationSaysWhatFetchWasAnswered(t *testing.T) {
	t.Parallel()
	const code = `async function main(input) {
  const r = await web.fetch('https://api.example.test/' + input.path);
  if (r.status !== 200) throw new Error('no list');
  return JSON.parse(r.body);
}`
	call := func(path, result string) []gate.Call {
		return []gate.Call{{Tool: "web.fetch", Args: json.RawMessage(`["https://api.example.test/` + path + `"]`), Effect: "read", Result: json.RawMessage(result)}}
	}
	run := func(id, path, result string) gate.Run {
		return gate.Run{ID: id, Trigger: "manual", Input: json.RawMessage(`{"path":"` + path + `"}`), Calls: call(path, result)}
	}
	good := run("r1", "a", `{"status":200,"headers":{},"body":"[1]"}`)
	good.Outcome = gate.Outcome{Status: "succeeded", Output: json.RawMessage(`[1]`)}
	bad := run("r2", "b", `{"status":410,"headers":{},"body":"moved to /v2"}`)
	bad.Outcome = gate.Outcome{Status: "failed", Error: &gate.Error{Class: "logic", Name: "Error", Message: "no list"}}
	r := mend(t, Evidence{Title: "List", Code: code, Version: "1.0", Successes: []gate.Run{good}, Failed: bad})
	require.Regexp(t, `^The other side says: status 410 moved to /v2\nThe run fails with `, r.Explanation, "the cause comes first")
	require.Contains(t, r.Explanation, "it was answered with status 200, and is answered with 410")
}
