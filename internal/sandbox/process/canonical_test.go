package process_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/dop251/goja"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Rule: two calls are the same if a tool could not tell their arguments apart.
func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, group := range [][]string{
		{`[]`, ` [ ] `, `[null]`, `[null,null]`},
		{`["a"]`, `["a",null]`, `["\u0061"]`, "[\n\t\"a\" ]"},
		{`[{"a":1,"b":2}]`, `[{"b":2,"a":1}]`, `[{"b":2.0,"a":1e0}]`, `[{"a":7,"b":2,"a":1}]`, `[{"a":7,"a":1,"b":2}]`},
		{`[1.5]`, `[15e-1]`, `[1.50]`},
		{`[0]`, `[-0]`, `[0.0]`, `[0e5]`},
		{`[100]`, `[1e2]`, `[1E+2]`},
		{`["/"]`, `["\/"]`},
		{`["\ud83d\ude00"]`, `["😀"]`},
		{`[{"a":null}]`},
		{`[{},{"b":{},"a":[]}]`, `[ { } , {"a":[],"b":{}}]`},
		{`[null,1]`},
		{`[[null]]`},
		{`["\ud800"]`},
		{`["\ud801"]`},
		{`["\ufffd"]`},
		{`[1e400]`},
		{`"a"`},
		{`null`},
	} {
		want := sandbox.Canonical(json.RawMessage(group[0]))
		for _, same := range group {
			require.Equal(t, want, sandbox.Canonical(json.RawMessage(same)), same)
		}
		for _, other := range []string{`["b"]`, `[2]`, `[{"a":1,"b":3}]`, `[[null],1]`, `["\udfff"]`} {
			require.NotEqual(t, want, sandbox.Canonical(json.RawMessage(other)))
		}
	}
	require.Equal(t, `[1,null]`, sandbox.CanonicalValue(json.RawMessage(` [ 1 , null ] `)), "a value keeps its nulls")
	require.Equal(t, `not json`, sandbox.Canonical(json.RawMessage(`not json`)))
	require.Equal(t, `["\u0001\b\t\n\f\r\"\\"]`, sandbox.Canonical(json.RawMessage(`["\u0001\u0008\u0009\u000a\u000c\u000d\u0022\u005c"]`)))
}

// Rule: numbers and strings are printed as JavaScript prints them, so that arguments from
// a bundle that another program wrote match those that a script makes.
func TestCanonicalPrintsLikeJavaScript(t *testing.T) {
	t.Parallel()
	vm := goja.New()
	stringify, ok := goja.AssertFunction(vm.Get("JSON").ToObject(vm).Get("stringify"))
	require.True(t, ok)
	rapid.Check(t, func(t *rapid.T) {
		value := any(rapid.Float64().Draw(t, "number"))
		if rapid.Bool().Draw(t, "text") {
			value = strings.ToValidUTF8(rapid.String().Draw(t, "string"), "")
		}
		want, err := stringify(goja.Undefined(), vm.ToValue(value))
		if err != nil {
			t.Fatal(err)
		}
		if want.String() == "null" {
			return // the infinities and NaN have no JSON
		}
		data, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if got := sandbox.CanonicalValue(data); got != want.String() {
			t.Fatalf("%s: canonical %s, JavaScript %s", data, got, want)
		}
	})
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{`[1,{"b":[],"a":"\ud800"}]`, `["\u00e9",null]`, `{"a":1,"a":2}`, "\"\xff\"", `[1e-7,1E+300]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, canonical := range []func(json.RawMessage) string{sandbox.Canonical, sandbox.CanonicalValue} {
			once := canonical(data)
			if json.Valid(data) && !json.Valid([]byte(once)) {
				t.Fatalf("%q became %q, which is not JSON", data, once)
			}
			if twice := canonical(json.RawMessage(once)); twice != once {
				t.Fatalf("%q is canonical as %q, and that as %q", data, once, twice)
			}
		}
	})
}
