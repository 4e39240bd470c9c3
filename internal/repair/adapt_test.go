package repair

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A confirmed change is found again in a script of another hand: other names, another layout, more
// around it. Properties are what has to be the same.
func TestAdaptFindsTheSamePlace(t *testing.T) {
	t.Parallel()
	const base = `async function main(input) {
  const list = await web.getJSON('https://shop.test/orders');
  let total = 0;
  for (const order of list.orders) {
    total += order.amount_total.value;
  }
  return total;
}`
	fallback := `async function main(input) {
  const list = await web.getJSON('https://shop.test/orders');
  let total = 0;
  for (const order of list.orders) {
    total += (order.amount_total ?? order.total_amount).value;
  }
  return total;
}`
	renamed := `async function main(input) {
  const list = await web.getJSON('https://shop.test/orders');
  let total = 0;
  for (const order of list.orders) {
    total += order.total_amount.value;
  }
  return total;
}`
	guarded := `async function main(input) {
  const list = await web.getJSON('https://shop.test/orders');
  let total = 0;
  for (const order of list.orders) {
    if (!order.amount_total) continue;
    total += order.amount_total.value;
  }
  return total;
}`
	for name, tt := range map[string]struct{ fixed, code, want string }{
		"the same script": {renamed, base, renamed},
		"another name": {fallback,
			`async function main() { const o = await web.getJSON('https://shop.test/o/1'); return o.amount_total.value; }`,
			`async function main() { const o = await web.getJSON('https://shop.test/o/1'); return (o.amount_total ?? o.total_amount).value; }`},
		"renamed": {renamed,
			"const x = list.map((o) => o.amount_total.value); // amount_total",
			"const x = list.map((o) => o.total_amount.value); // amount_total"},
		"two places": {renamed,
			"f(a.amount_total.value, b.amount_total.value)",
			"f(a.total_amount.value, b.total_amount.value)"},
		"added before": {guarded,
			"for (const o of page.orders) {\n  sum += o.amount_total.value;\n}",
			"for (const o of page.orders) {\n    if (!o.amount_total) continue;\n    sum += o.amount_total.value;\n}"},
	} {
		got, ok := Adapt(base, tt.fixed, tt.code)
		require.True(t, ok, name)
		require.Equal(t, compact(tt.want), compact(got), name)
	}
}

// compact leaves the layout out.
func compact(code string) (text string) {
	for _, t := range lexemes(code) {
		text += t.text + " "
	}
	return text
}

// Where the place is not found, nothing is proposed.
func TestAdaptSaysNo(t *testing.T) {
	t.Parallel()
	const base, fixed = "return o.amount_total.value", "return o.total_amount.value"
	for name, code := range map[string]string{
		"another property":  "return o.amount_paid.value",
		"mended already":    fixed,
		"nothing":           "",
		"only in a comment": "// o.amount_total.value\nreturn 1",
		"only in a string":  "return 'o.amount_total.value'",
	} {
		_, ok := Adapt(base, fixed, code)
		require.False(t, ok, name)
	}
	_, ok := Adapt(base, base, "return o.amount_total.value")
	require.False(t, ok, "no change")
	_, ok = Adapt("let a = 0", "let a = 1", "let b = 2")
	require.False(t, ok, "nothing tells the place")
}

// Rule: Adapt ends for every input, and gives another text whenever it says yes.
func FuzzAdapt(f *testing.F) {
	f.Add("return o.amount_total.value", "return o.total_amount.value", "f(a.amount_total.value)")
	f.Add("a", "b", "'")
	f.Add("x.y", "x.é", "/* x.y")
	f.Fuzz(func(t *testing.T, base, fixed, code string) {
		adapted, ok := Adapt(base, fixed, code)
		if ok {
			require.NotEqual(t, code, adapted)
		}
	})
}
