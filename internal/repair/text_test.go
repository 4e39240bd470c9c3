package repair

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// evaluate runs an expression over a value v in the sandbox.
func evaluate(t *testing.T, expression string, v any) any {
	t.Helper()
	input, err := json.Marshal(v)
	require.NoError(t, err)
	outcome, err := runner().Run(t.Context(), sandbox.Execution{Code: "function main(v) { return " + expression + "; }", Input: input, Seed: "x"}, nil)
	require.NoError(t, err)
	require.Nil(t, outcome.Error, "%s: %+v", expression, outcome.Error)
	var result any
	require.NoError(t, json.Unmarshal(outcome.Output, &result))
	return result
}

// TestTextChanges: texts come out as they used to be, and those that still are so stay.
func TestTextChanges(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after, want string }{
		"byte order mark":  {"a;b\n1;2\n", "\ufeffa;b\n3;4\n", "a;b\n3;4\n"},
		"line ends":        {"a,b\n1,2\n", "a,b\r\n3,4\r\n", "a,b\n3,4\n"},
		"separator":        {"a,b\n1,2\n", "a;b\n3;4\n", "a,b\n3,4\n"},
		"tabs":             {"a;b\n1;2\n", "a\tb\n3\t4\n", "a;b\n3;4\n"},
		"column":           {"sku,unit_price\nx,1.5\n", "sku,UnitPrice\ny,2.5\n", "sku,unit_price\ny,2.5\n"},
		"all three":        {"sku,unit_price\nx,1\n", "\ufeffsku;unitPrice\r\ny;2\r\n", "sku,unit_price\ny,2\n"},
		"nothing to mend":  {"a,b\n1,2\n", "a,b\n5,6\n", ""},
		"no table":         {"Dear Ada, hello", "Dear Ken; hello", ""},
		"commas in values": {"a,b\n1,2\n", "a;b\n1,5;2,5\n", ""},
		"column gone":      {"sku,unit_price\nx,1.5\n", "sku,colour\ny,red\n", ""},
	} {
		got := textChange([]string{c.before}, []string{c.after})
		if c.want == "" {
			require.Nil(t, got, name)
			continue
		}
		require.NotNil(t, got, name)
		require.Empty(t, got.doubts, name)
		expression := got.on("v", true)
		require.Equal(t, c.want, evaluate(t, expression, c.after), "%s: %s", name, expression)
		require.Equal(t, c.before, evaluate(t, expression, c.before), "%s: %s", name, expression)
	}
}

// TestConversions: a value of the new kind becomes one of the old kind, and one that is of
// the old kind already stays as it is.
func TestConversions(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after, want string }{
		"number from text":   {`[1.5,20]`, `["3","4.5"]`, `[3,4.5]`},
		"list from one":      {`[[{"a":1,"b":2}]]`, `[{"a":3,"b":4}]`, `[[{"a":3,"b":4}]]`},
		"list from wrapped":  {`[[{"a":1}]]`, `[{"object":"list","data":[{"a":3}]}]`, `[[{"a":3}]]`},
		"list from values":   {`[[{"a":1,"b":2}]]`, `[{"x":{"a":3,"b":4},"y":{"a":5,"b":6}}]`, `[[{"a":3,"b":4},{"a":5,"b":6}]]`},
		"list from text":     {`[["a","b"]]`, `["c, d"]`, `[["c","d"]]`},
		"text from list":     {`["a, b","c"]`, `[["d","e"]]`, `["d, e"]`},
		"object from text":   {`[{"a":1}]`, `["{\"a\":3}"]`, `[{"a":3}]`},
		"text from object":   {`["Ada Byron","Ken Ito"]`, `[{"name":"Bea Li","id":7}]`, `["Bea Li"]`},
		"number from object": {`[12.5,3]`, `[{"amount":4.5,"currency":"EUR"}]`, `[4.5]`},
	} {
		before, after := values(t, c.before), values(t, c.after)
		found := conversions(payload.ProfileOf(before), payload.ProfileOf(after), "field")
		require.NotEmpty(t, found, name)
		require.Empty(t, found[0].doubts, name)
		for _, twice := range []bool{true, false} {
			expression := "v.map((v) => " + found[0].on("v", twice) + ")"
			var now any
			require.NoError(t, json.Unmarshal([]byte(c.after), &now))
			got, err := json.Marshal(evaluate(t, expression, now))
			require.NoError(t, err)
			require.JSONEq(t, c.want, string(got), "%s: %s", name, expression)
			require.NoError(t, json.Unmarshal([]byte(c.before), &now))
			got, err = json.Marshal(evaluate(t, expression, now))
			require.NoError(t, err)
			require.JSONEq(t, c.before, string(got), "%s: %s", name, expression)
		}
	}
}

func values(t *testing.T, text string) []any {
	t.Helper()
	list, ok := payload.Decode(json.RawMessage(text)).([]any)
	require.True(t, ok)
	return list
}

// TestQuoteJS: any key can be written into a script.
func TestQuoteJS(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"plain", "two words", `it's`, `"quoted"`, `back\slash`, "new\nline", "é", "", `\'`, "</script>"} {
		require.Equal(t, key, evaluate(t, script.Quote(key), nil), key)
		got := evaluate(t, "({ "+script.QuoteKey(key)+": 1 })"+script.Chain(key), nil)
		require.InDelta(t, 1, got, 0, strings.TrimSpace(key))
	}
}
