package gate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// Rule: a fix is held for a call of a package that may call the host, unless the old code makes it as well: the text of such a call does
// not say what it asks for. One that reads the answers otherwise is not held, and none of packages that call nothing.
func TestAFixCallsNoPackageOtherwise(t *testing.T) {
	t.Parallel()
	const plain = `import api from 'api';
const BASE = 'https://shop.example.test/api';
const get = (path) => api.get(BASE + path);
async function main(input) {
  const res = await get('/orders?day=' + input.day);
  const names = res.orders.map((o) => o.customer.trim());
  return { orders: names.length, first: api.pad(names[0] ?? '', 5) };
}
`
	day := func(day, orders string) hypothesis {
		return hypothesis{input: `{"day":"` + day + `"}`, web: map[string]any{"https://shop.example.test/api": `{"orders":` + orders + `}`}}
	}
	open := func(t *testing.T, text string) (*gate.Gate, string) {
		t.Helper()
		kept, digest, err := (&packages.Text{Modules: map[string]map[string]string{"api": {"default": "n0"}}, Code: text}).Encode()
		require.NoError(t, err)
		packages.Keep(kept)
		code := plain + "//# packages sha256 " + digest + "\n//# api 1.0.0: default\n"
		return openGate(t, subject(t, code, []hypothesis{day("1", `[{"id":"a1","customer":"Ann"}]`), day("2", `[{"id":"b2","customer":"Bob"}]`), day("3", `[]`)}, day("4", `[{"id":"d4","client":"Dee"}]`))), code
	}
	right := []string{"o.customer.trim()", "(o.customer ?? o.client).trim()"}
	wrong := map[string][]string{
		"another address":         {"  return {", "  if (input.day > 300) await api.get(res.next);\n  return {"},
		"another method":          {"  return {", "  if (input.day > 300) await api.del(BASE + '/x');\n  return {"},
		"by another name":         {"  return {", "  const other = api;\n  if (input.day > 300) await other.del(BASE + '/x');\n  return {"},
		"by a function":           {"  return {", "  if (input.day > 300) await get('/../other');\n  return {"},
		"by what it is handed":    {"  return {", "  const drop = (client) => client.del(BASE + '/x');\n  if (input.day > 300) await drop(api);\n  return {"},
		"in a function of a list": {"o.client).trim()", "o.client).trim() + (input.day > 300 ? api.del(BASE + '/x') : '')"},
	}
	asks, code := open(t, `exports.n0 = { get: (url) => fetch(url).then((r) => r.json()), del: (url) => fetch(url, { method: 'DELETE' }), pad: (text, n) => text.padEnd(n) };`)
	j := judge(t, asks, edited(t, code, right...))
	require.Equal(t, gate.Identical, j.Verdict, "%+v", j.Divergence)
	require.Empty(t, j.Reasons)
	for name, edits := range wrong {
		j := judge(t, asks, edited(t, code, append(right, edits...)...))
		require.Equal(t, gate.Identical, j.Verdict, "%s: %+v", name, j.Divergence)
		require.Contains(t, strings.Join(j.Reasons, "\n"), "call of a package: line", name)
	}

	asks, code = open(t, `const all = Function('return this')(); exports.n0 = { get: (url) => all.fetch(url).then((r) => r.json()), pad: (text, n) => text.padEnd(n) };`)
	require.NotEmpty(t, judge(t, asks, edited(t, code, append(right, wrong["another address"]...)...)).Reasons)
	asks, code = open(t, `const h = require('node:https'); exports.n0 = { get: (url) => new Promise((done) => h.get(url, (r) => r.on('data', (d) => done(JSON.parse(d))))), pad: (text, n) => text.padEnd(n) };`)
	require.NotEmpty(t, judge(t, asks, edited(t, code, append(right, "names[0] ?? '', 5", "names[0] ?? '', res.width ?? 5")...)).Reasons)
}

// Rule: packages that call nothing may be called otherwise by a fix.
func TestAFixCallsHarmlessPackages(t *testing.T) {
	t.Parallel()
	kept, digest, err := (&packages.Text{Modules: map[string]map[string]string{"pad": {"default": "n0"}}, Code: `exports.n0 = (text, n) => String(text).padEnd(n);`}).Encode()
	require.NoError(t, err)
	packages.Keep(kept)
	code := "import pad from 'pad';\nasync function main(input) { const res = await web.getJSON('https://shop.example.test/api'); return res.orders.map((o) => pad(o.customer.trim(), 5)); }\n//# packages sha256 " + digest + "\n//# pad 1.0.0: default\n"
	day := func(orders string) hypothesis {
		return hypothesis{input: `{}`, web: map[string]any{"https://shop.example.test/api": `{"orders":` + orders + `}`}}
	}
	opened := openGate(t, subject(t, code, []hypothesis{day(`[{"customer":"Ann"}]`), day(`[{"customer":"Bob"}]`), day(`[{"customer":"Cy"}]`)}, day(`[{"client":"Dee"}]`)))
	j := judge(t, opened, edited(t, code, "pad(o.customer.trim(), 5)", "pad((o.customer ?? o.client).trim(), 5)"))
	require.Equal(t, gate.Identical, j.Verdict, "%+v", j.Divergence)
	require.Empty(t, j.Reasons)
}
