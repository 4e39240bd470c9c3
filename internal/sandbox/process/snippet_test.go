package process_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// snippet is a script of a kind that models and people write, with what Node makes of it.
type snippet struct {
	Code   string          `json:"-"`
	Output json.RawMessage `json:"output"`
	Error  string          `json:"error"`
}

// readSnippets are the snippets of a folder of testdata by file and name, with what expected.mjs beside them
// wrote in expected.json.
func readSnippets(t *testing.T, folder string) map[string]snippet {
	t.Helper()
	folder = filepath.Join("..", "..", "..", "testdata", folder)
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	require.NoError(t, err)
	var all map[string]snippet
	require.NoError(t, json.Unmarshal(text, &all))
	files, err := filepath.Glob(filepath.Join(folder, "*.[jt]s"))
	require.NoError(t, err)
	read := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, part := range strings.Split("\n"+string(text), "\n//// ")[1:] {
			title, code, _ := strings.Cut(part, "\n")
			name, _, _ := strings.Cut(title, " | ")
			name = filepath.Base(file) + ": " + name
			one, ok := all[name]
			require.True(t, ok, "%s: run %s", name, filepath.Join(folder, "expected.mjs"))
			one.Code = code
			all[name] = one
			read++
		}
	}
	require.Len(t, all, read)
	return all
}

// judge compares what came of a snippet with what Node made of it.
func (s snippet) judge(t *testing.T, outcome sandbox.Outcome) {
	t.Helper()
	if s.Error != "" {
		require.NotNil(t, outcome.Error)
		require.Equal(t, s.Error, outcome.Error.Name)
		return
	}
	require.Nil(t, outcome.Error, "%+v", outcome.Error)
	require.JSONEq(t, string(s.Output), string(outcome.Output))
}

// Rule: a script means here what it means in Node.
func TestSnippets(t *testing.T) {
	t.Parallel()
	for name, one := range readSnippets(t, "snippets") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.NoError(t, engine.Check(one.Code))
			x := execution(one.Code)
			x.Input = json.RawMessage(`{}`)
			outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), x, nil)
			require.NoError(t, err)
			one.judge(t, outcome)
		})
	}
}

// Rule: an error speaks of the script as it was written, whatever was made of it.
func TestErrorsSpeakOfTheSource(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ code, stack string }{
		"types": {"interface A { b: string }\nexport default async function main(input: A): Promise<void> {\n  const x: any = null; /* é */ x.foo;\n}",
			"TypeError: Cannot read property 'foo' of undefined\n    at main (script.ts:3:35)"},
		"top level":       {"const a = await kv.get('a');\nreturn a.b.c;", "TypeError: Cannot read property 'b' of undefined\n    at main (script.js:2:10)"},
		"for await":       {"async function main() {\n  for await (const x of [{}]) {\n    x.y.z;\n  }\n}", "TypeError: Cannot read property 'z' of undefined\n    at main (script.js:3:9)"},
		"async generator": {"async function* g() {\n  yield 1;\n  null.foo;\n}\nasync function main() { for await (const x of g()); }", "TypeError: Cannot read property 'foo' of undefined\n    at script.js:3:8\n    at main (script.js:5:25)"},
		"before main":     {"const a: string = await kv.get('a');\nlet b = a.c;\nasync function main() {}", "TypeError: Cannot read property 'c' of undefined\n    at script.ts:2:11"},
		"values and causes": {"function inner() { null.foo; }\nasync function main() {\n  try { inner(); } catch (e) {\n    const mid = Object.assign(new Error('no row', { cause: e }), { status: 404, f() {} });\n    throw Object.assign(new Error('no price', { cause: mid }), { row: { sku: 'A1' }, code: 'E_PRICE' });\n  }\n}",
			"Error: no price\n    at main (script.js:5:25)\n  row: {\"sku\":\"A1\"}\n  code: \"E_PRICE\"\n  [cause]: Error: no row (line 4)\n    status: 404\n    [cause]: TypeError: Cannot read property 'foo' of undefined (line 1)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), execution(tt.code), replies(map[string]string{"kv.get": "null"}))
			require.NoError(t, err)
			require.NotNil(t, outcome.Error)
			require.Equal(t, tt.stack, outcome.Error.Stack)
			for _, call := range outcome.Calls {
				at := strings.Split(tt.code, "\n")[call.Line-1][call.Column-1:]
				require.True(t, strings.HasPrefix(at, "("), at)
			}
		})
	}
}
