package gate_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// Reproduce finds every difference from the record that counts, and no other.
func TestReproduce(t *testing.T) {
	t.Parallel()
	code := `
async function main(input) {
  console.log('day', input.day);
  await kv.set('a', { x: 1, y: 2.50 });
  if (input.day === 'bad') null.x;
  return { list: [1, 2], text: 'long ' + 'x'.repeat(200), n: 1.0 };
}`
	success := record(t, code, "r1", hypothesis{input: `{"day":"good"}`})
	failure := record(t, code, "r2", hypothesis{input: `{"day":"bad"}`})
	for name, c := range map[string]struct {
		of         gate.Run
		change     func(r *gate.Run)
		path       string // of the divergence, empty if there is none
		want, got  string
		logDiffers bool
	}{
		"as recorded":            {of: success, change: func(*gate.Run) {}},
		"a failure as recorded":  {of: failure, change: func(*gate.Run) {}},
		"order of keys":          {of: success, change: func(r *gate.Run) { r.Calls[0].Args = json.RawMessage(`["a",{"y":2.5e0,"x":1}]`) }},
		"trailing null argument": {of: success, change: func(r *gate.Run) { r.Calls[0].Args = json.RawMessage(`["a",{"x":1,"y":2.5},null]`) }},
		"no stack":               {of: failure, change: func(r *gate.Run) { e := *r.Outcome.Error; e.Stack = ""; r.Outcome.Error = &e }},
		"a stack of another engine": {of: failure, change: func(r *gate.Run) {
			e := *r.Outcome.Error
			e.Stack = "at Object.main (/x/y.js:1:2)"
			r.Outcome.Error = &e
		}},
		"another log":             {of: success, change: func(r *gate.Run) { r.Log = []gate.LogLine{{Level: "warn", Text: "day good"}} }, logDiffers: true},
		"no log recorded":         {of: success, change: func(r *gate.Run) { r.Log = nil }},
		"a longer list":           {of: success, change: output(`{"list":[1,2,3],"n":1}`), path: "$.list[2]", want: "3", got: "(absent)"},
		"a shorter list":          {of: success, change: output(`{"list":[1],"n":1}`), path: "$.list[1]", want: "(absent)", got: "2"},
		"another kind":            {of: success, change: output(`{"list":{"0":1},"n":1}`), path: "$.list", want: `{"0":1}`, got: "[1,2]"},
		"a key that needs quotes": {of: success, change: output(`{"list":[1,2],"n":1,"a b":1}`), path: `$["a b"]`, want: "1", got: "(absent)"},
		"null and absent":         {of: success, change: output(`null`), path: "$", want: "null", got: `{"list":[1,2],"n":1,"text":`},
		"another failure":         {of: failure, change: func(r *gate.Run) { e := *r.Outcome.Error; e.Message = "other"; r.Outcome.Error = &e }, path: "", want: "TypeError: other", got: "TypeError: Cannot read property 'x'"},
		"it succeeds now": {of: success, change: func(r *gate.Run) {
			r.Outcome = gate.Outcome{Status: "failed", Error: &gate.Error{Class: "logic", Name: "TypeError", Message: "m"}}
		}, want: "TypeError: m", got: "the run succeeds"},
		"a write less recorded": {of: failure, change: func(r *gate.Run) { r.Calls = nil }, path: "writes[0]", want: "no further write", got: `kv.set("a"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := c.of
			run.Calls = append([]gate.Call(nil), run.Calls...)
			c.change(&run)
			found, err := gate.Reproduce(t.Context(), runner(), code, "", &run)
			require.NoError(t, err)
			require.Equal(t, run.ID, found.Run)
			require.Equal(t, c.logDiffers, found.LogDiffers)
			if c.want == "" {
				require.True(t, found.Reproduced, "%+v", found.Divergence)
				require.Nil(t, found.Divergence)
				return
			}
			require.False(t, found.Reproduced)
			require.Equal(t, c.path, found.Divergence.Path)
			require.Contains(t, found.Divergence.Want, c.want)
			require.Contains(t, found.Divergence.Got, c.got)
			require.Less(t, len(found.Divergence.Got), 120, "short enough to read")
		})
	}
}

func output(text string) func(*gate.Run) {
	return func(r *gate.Run) { r.Outcome.Output = json.RawMessage(text) }
}

// Long texts are shown where they part, not from their beginning.
func TestDivergenceOfLongTexts(t *testing.T) {
	t.Parallel()
	code := `function main() { return 'é'.repeat(300) + 'B' + 'z'.repeat(300) }`
	run := record(t, `function main() { return 'é'.repeat(300) + 'A' + 'z'.repeat(300) }`, "r", hypothesis{})
	found, err := gate.Reproduce(t.Context(), runner(), code, "", &run)
	require.NoError(t, err)
	require.Contains(t, found.Divergence.Want, "éA")
	require.Contains(t, found.Divergence.Got, "éB")
	require.Less(t, len(found.Divergence.Got), 120)
}

// A run that failed with an error of its own for what web.fetch answered reproduces with the class of that
// answer. One that was recorded when there was only logic still does, and a write that got a 502 as a result is
// answered with it, as it was.
func TestReproduceKeepsTheClassOfAnAnswer(t *testing.T) {
	t.Parallel()
	code := `async function main() {
  const made = await web.fetch('https://api.test/x', { method: 'POST', body: '{}' });
  if (made.status !== 502) throw new Error('another answer');
  return JSON.parse((await web.fetch('https://api.test/y')).body);
}`
	run := gate.Run{ID: "r", Trigger: "manual", Input: json.RawMessage(`{}`), Calls: []gate.Call{
		{Tool: "web.fetch", Args: json.RawMessage(`["https://api.test/x",{"method":"POST","body":"{}"}]`), Effect: "write", Result: json.RawMessage(`{"status":502,"headers":{},"body":""}`)},
		{Tool: "web.fetch", Args: json.RawMessage(`["https://api.test/y"]`), Effect: "read", Result: json.RawMessage(`{"status":503,"headers":{},"body":"<html>"}`)},
	}}
	first, err := gate.Reproduce(t.Context(), runner(), code, "", &run)
	require.NoError(t, err)
	failed := first.Outcome.Error
	require.Equal(t, []any{"network", "SyntaxError", 503}, []any{failed.Class, failed.Name, failed.Status})
	for class, reproduced := range map[string]bool{"network": true, "logic": true, "auth": false} {
		run.Outcome = gate.Outcome{Status: "failed", Error: &gate.Error{Class: class, Name: failed.Name, Message: failed.Message, Stack: failed.Stack}}
		again, err := gate.Reproduce(t.Context(), runner(), code, "", &run)
		require.NoError(t, err)
		require.Equal(t, reproduced, again.Reproduced, "%s: %+v", class, again.Divergence)
	}
}

// A person who saves another script reads all that it does otherwise: a write that is no longer made is named also where
// the result is another one.
func TestReproduceTellsAllDifferences(t *testing.T) {
	t.Parallel()
	recorded := record(t, `async function main() { await kv.set('a', 1); await kv.set('b', { n: 1 }); await kv.set('c', 3); return { n: 1, m: 2 }; }`, "r1", hypothesis{input: `{}`})
	for code, told := range map[string][]gate.Difference{
		`async function main() { await kv.set('b', { n: 2 }); await kv.set('c', 3); await notify('Done'); return { n: 1 }; }`: {
			{What: "output", Path: "$.m", Was: "2"},
			{What: "write", Path: "$[0]", Was: `kv.set("a", 1)`, Now: `kv.set("b", {"n":2})`},
			{What: "write", Was: `kv.set("b", {"n":1})`},
			{What: "write", Now: `notify("Done")`},
		},
		`async function main() { await kv.set('b', { n: 1 }); await kv.set('a', 1); await kv.set('c', 3); return { n: 1, m: 2 }; }`: {{What: "order"}},
		`async function main() { null.x; }`: {
			{What: "error", Now: "TypeError: Cannot read property 'x' of undefined"},
		},
		`async function main() { await kv.set('a', 1); return kv.get('z'); }`: {{What: "call", Now: `kv.get("z") was never recorded`}},
	} {
		found, err := gate.Reproduce(t.Context(), runner(), code, "", &recorded)
		require.NoError(t, err)
		require.Equal(t, told, found.Differences, code)
	}
}
