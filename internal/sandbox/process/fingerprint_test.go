package process_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// fail is the error of a script that fails.
func fail(t *testing.T, code string) sandbox.Error {
	t.Helper()
	outcome := inProcess(t, code, attackHost)
	require.NotNil(t, outcome.Error)
	return *outcome.Error
}

// Rule: strict is the same error at the same statement, however lines move; it changes
// when the statement, the function or the kind of error does. Loose does not look at the
// place.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	const base = `async function main(input) {
  const r = { data: null };
  for (const row of r.data.items) {
    console.log(row);
  }
}`
	original := fail(t, base)
	require.NotEmpty(t, original.Strict)
	require.NotEqual(t, original.Strict, original.Loose)
	for _, tt := range []struct {
		name          string
		code          string
		strict, loose bool // stays the same
	}{
		{"again", base, true, true},
		{"lines and comments above", "// a comment\n\n" + strings.Replace(base, "const r", "let n = 1;\n\n  const r", 1), true, true},
		{"white space and comments inside", strings.Replace(base, "(const row of r.data.items)", "( const row  of\n\tr.data /* all */ .items )", 1), true, true},
		{"body of the loop", strings.Replace(base, "console.log(row)", "console.log('row', row)", 1), true, true},
		{"statement before", strings.Replace(base, "data: null", "data: null, more: 1", 1), true, true},
		{"the statement", strings.Replace(base, "r.data.items", "(r.data).items.slice()", 1), false, true},
		{"the function", strings.Replace(base, "async function main(input)", "globalThis.main = async function work(input)", 1), false, true},
		{"the property", strings.Replace(base, "items", "rows", 1), false, false},
		{"undefined instead of null", strings.Replace(base, "data: null", "data: undefined", 1), true, true},
		{"moved elsewhere", strings.Replace(base, "for (const row of r.data.items) {", "const items = r.data.items;\n  for (const row of items) {", 1), false, true},
		{"another kind", strings.Replace(base, "r.data.items", "missing.items", 1), false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := fail(t, tt.code)
			require.Equal(t, tt.strict, got.Strict == original.Strict, "strict\n%s", got.Stack)
			require.Equal(t, tt.loose, got.Loose == original.Loose, "loose: %s", got.Message)
		})
	}
}

// Rule: what differs from one occurrence to the next is not part of a fingerprint, names
// of properties are.
func TestFingerprintOfMessages(t *testing.T) {
	t.Parallel()
	strict := func(message string) string {
		e := sandbox.Error{Class: sandbox.ClassLogic, Name: "Error", Message: message}
		engine.Fingerprint("", &e)
		return e.Strict
	}
	for _, same := range [][]string{
		{"GET https://api.example.test/v1/x?day=2026-03-01: status 404", "GET https://api.example.test/v1/y/17: status 404"},
		{"no order 1234", "no order 5"},
		{"row 3 of 10 is 1.5", "row 12 of 99 is -0.25"},
		{"no customer 8f14e45f-ceea-467f-a0e6-4b4a3bd1a1f5", "no customer 00000000-0000-4000-8000-000000000000"},
		{"commit 1a2b3c4d5e6f7a8b9c0d", "commit ffeeddccbbaa99887766"},
		{"mail to ann@example.test bounced", "mail to bob@mail.example.test bounced"},
		{"from 2026-03-01T07:00:00Z", "from 2025-12-31"},
		{"10.0.0.1:443 refused", "192.168.1.20:80 refused"},
		{"took 10ms", "took 1.5s"},
		{"Cannot read property 'x' of undefined", "Cannot read property 'x' of null", "Cannot read property 'x' of undefined or null"},
	} {
		for _, other := range same[1:] {
			require.Equal(t, strict(same[0]), strict(other), other)
		}
	}
	different := []string{
		"Cannot read property 'x' of undefined", "Cannot read property 'y' of undefined", "Object has no member 'x'",
		"no order 1", "no orders 1", "facade", "decade",
	}
	seen := map[string]string{}
	for _, message := range different {
		require.Empty(t, seen[strict(message)], message)
		seen[strict(message)] = message
	}
	a := sandbox.Error{Class: sandbox.ClassLogic, Name: "Error", Message: "x", Status: 404}
	b := a
	b.Status = 410
	engine.Fingerprint("", &a)
	engine.Fingerprint("", &b)
	require.NotEqual(t, a.Strict, b.Strict)
	require.Equal(t, a.Loose, b.Loose)
}

// Rule: where a script happened to be when its time was up does not make it another error.
func TestFingerprintOfLimits(t *testing.T) {
	t.Parallel()
	e := sandbox.Error{Class: sandbox.ClassLimit, Name: "LimitError", Code: sandbox.LimitWall, Message: "the script ran longer than 1s"}
	const code = "function main() {\n  for (;;) {\n    f();\n  }\n}\nfunction f() {}"
	first := e
	first.Frames = []sandbox.Frame{{Function: "main", Line: 3, Column: 5}}
	second := e
	second.Frames = []sandbox.Frame{{Function: "f", Line: 6, Column: 1}}
	engine.Fingerprint(code, &first)
	engine.Fingerprint(code, &second)
	require.Equal(t, first.Strict, second.Strict)
	// Nor does which of the two limits of time the load let it meet first.
	third := sandbox.Error{Class: sandbox.ClassLimit, Name: "LimitError", Code: sandbox.LimitCPU, Message: "the script used more than 500ms of processor time"}
	engine.Fingerprint(code, &third)
	require.Equal(t, first.Strict, third.Strict)
	require.Equal(t, first.Loose, third.Loose)
	fourth := e
	fourth.Code = sandbox.LimitMemory
	engine.Fingerprint(code, &fourth)
	require.NotEqual(t, first.Strict, fourth.Strict)
	// Memory is noticed by the run, by the runtime, or by the kernel, who ends the worker.
	fifth := fourth
	fourth.Message, fourth.Frames = "the script used more than 64 MiB of memory", first.Frames
	fifth.Message = "the worker was ended from outside (signal: killed), the machine is probably short of memory"
	engine.Fingerprint(code, &fourth)
	engine.Fingerprint("", &fifth)
	require.Equal(t, fourth.Strict, fifth.Strict)
	require.Equal(t, fourth.Loose, fifth.Loose)
}

// Rule: the stack says where in the script, with nothing of the engine in it, and columns
// count bytes.
func TestStack(t *testing.T) {
	t.Parallel()
	e := fail(t, `function inner(o) { return 'é' + o.a.b }
function outer(o) { return [o].map((x) => inner(x)) }
async function main() { return outer({}) }`)
	require.Equal(t, "TypeError", e.Name)
	require.Equal(t, "Cannot read property 'b' of undefined", e.Message)
	require.Equal(t, []sandbox.Frame{{Function: "inner", Line: 1, Column: 39}, {Line: 2, Column: 48}, {Function: "outer", Line: 2, Column: 35}, {Function: "main", Line: 3, Column: 37}}, e.Frames)
	require.Equal(t, `TypeError: Cannot read property 'b' of undefined
    at inner (script.js:1:39)
    at script.js:2:48
    at outer (script.js:2:35)
    at main (script.js:3:37)`, e.Stack)

	e = fail(t, "async function main() {\n  const f = async () => { await web.getJSON('down') };\n  await f();\n}")
	require.Equal(t, []sandbox.Frame{{Function: "f", Line: 2, Column: 44}, {Function: "main", Line: 3, Column: 10}}, e.Frames, "a failed call has the place of the call")

	e = fail(t, "async function main() {\n  await null;\n  return web.getJSON('denied');\n}")
	require.Equal(t, []sandbox.Frame{{Function: "main", Line: 3, Column: 21}}, e.Frames, "so has one that ends the run")
}

// Rule: a comment in a script neither opens a file of this machine nor moves its errors
// elsewhere.
func TestSourceMaps(t *testing.T) {
	t.Parallel()
	const sourceMap = `{"version":3,"sources":["elsewhere.js"],"names":[],"mappings":"AAAA;AACA;AAwCA;AACA;AACA"}`
	file := filepath.Join(t.TempDir(), "script.js.map")
	require.NoError(t, os.WriteFile(file, []byte(sourceMap), 0o600))
	for _, url := range []string{"data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(sourceMap)), file, "file://" + file} {
		e := fail(t, "function main() {\n  const o = null;\n  return o.x;\n}\n//# sourceMappingURL="+url)
		require.Equal(t, []sandbox.Frame{{Function: "main", Line: 3, Column: 12}}, e.Frames, url)
	}
}

// Rule: recursion counts once, however deep it went.
func TestFingerprintOfRecursion(t *testing.T) {
	t.Parallel()
	const code = "function down(n) { return n ? down(n - 1) : null.x }\nconst main = () => down(%s)"
	shallow := fail(t, strings.Replace(code, "%s", "3", 1))
	deep := fail(t, strings.Replace(code, "%s", "30", 1))
	require.Equal(t, shallow.Strict, deep.Strict)
	require.NotEqual(t, shallow.Frames, deep.Frames)
}
