package gate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// A fix is held for what it could do beyond what a replay has shown, and for nothing that the old code does as
// well, however it is written now. The transcripts of reach-* show what is held with a model that obeys.
func TestAFixReachesNoFurtherThanItsProof(t *testing.T) {
	t.Parallel()
	const code = `
const BASE = 'https://shop.example.test/api';
const call = (path, options) => web.fetch(BASE + path, options);
async function main(input) {
  const res = await web.getJSON(BASE + '/orders?day=' + input.day);
  const names = res.orders.map((o) => o.customer.trim());
  if (res.orders.length > 1000) await notify('Many orders', names.join());
  for (const o of res.orders) if (o.lost === true) await web.postJSON(BASE + '/lost/' + o.id, { name: o.customer });
  for (const o of res.orders) await call('/told/' + o.id, { method: 'PUT', body: o.customer });
  return { orders: names.length };
}`
	day := func(day, orders string) hypothesis {
		return hypothesis{input: `{"day":"` + day + `"}`, web: map[string]any{"https://shop.example.test/api": `{"orders":` + orders + `}`}}
	}
	opened := openGate(t, subject(t, code, []hypothesis{
		day("1", `[{"id":"a1","customer":"Ann"}]`), day("2", `[{"id":"b2","customer":"Bob"},{"id":"c3","customer":"Cy"}]`), day("3", `[]`),
	}, day("4", `[{"id":"d4","client":"Dee"}]`)))
	right := []string{"o.customer.trim()", "(o.customer ?? o.client).trim()", "{ name: o.customer }", "{ name: o.customer ?? o.client }", "body: o.customer }", "body: o.customer ?? o.client }"}
	for name, edits := range map[string][]string{
		"as it was":                {},
		"a guard with other names": {"if (res.orders.length > 1000)", "if ((res.orders ?? []).length > 1000)"},
		"a list of its own":        {"const names = res", "const { orders } = res;\n  const names = res", "for (const o of res.orders) if", "for (const o of orders) if"},
		"a count of pages":         {"for (const o of res.orders) await call('/told/' + o.id, {", "let page = 1;\n  for (const o of res.orders) await call('/told/' + (page + 1 > 1 ? o.id : page + 1), {"},
		"a branch for each shape":  {"await call('/told/' + o.id, {", "await call('/told/' + (o.id ?? o.uid), {"},
	} {
		j := judge(t, opened, edited(t, code, append(right, edits...)...))
		require.Equal(t, gate.Identical, j.Verdict, "%s: %+v", name, j.Divergence)
		require.Empty(t, j.Reasons, name)
	}
	for reason, edits := range map[string][]string{
		"unproven call: no replay came to notify":                 {"  return {", "  if (input.day > 300) await notify('x', 'y');\n  return {"},
		"unproven call: no replay came to web.postJSON":           {"o.lost === true", "o.id === 'zz'"},
		"new host: line 7 spells out other.example":               {"  if (res.orders.length > 1000)", "  const mirror = 'https://other.example/x';\n  if (res.orders.length > 1000)"},
		"method not spelled out: how web.fetch in line 3 asks":    {"{ method: 'PUT',", "{ method: o.method ?? 'PUT',"},
		"address not spelled out: where web.fetch in line 3 goes": {"web.fetch(BASE + path,", "web.fetch(path.length > 400 ? path.slice(1) : BASE + path,"},
		"unproven call: no replay made the DELETE":                {"{ method: 'PUT',", "{ method: o.id > 'y' ? 'DELETE' : 'PUT',"},
		"built-in changed: line 10":                               {"  return {", "  if (input.day > 300) Object.prototype.method = 'DELETE';\n  return {"},
		"built-in changed: line 11":                               {"  return {", "  // for the rare day\n  if (input.day > 300) String = () => input.to;\n  return {"},
		"built-in changed: line 12":                               {"  return {", "\n\n  if (input.day > 300) Object.defineProperty({}.constructor, 'a', {});\n  return {"},
		"built-in changed: line 13":                               {"  return {", "\n\n\n  if (input.day > 300) JSON.stringify = () => '';\n  return {"},
		"built-in changed: line 14":                               {"  return {", "\n\n\n\n  if (input.day > 300) String['proto' + 'type'].trim = () => '';\n  return {"},
		"Request handed on":                                       {"  return {", "  class Asked extends Request {}\n  return {"},
		"no replay made the POST":                                 {"  return {", "  if (input.day > 300) await fetch(new Request(BASE + '/x', { method: 'POST' }));\n  return {"},
		"web handed on":                                           {"  return {", "  const w = web;\n  return {"},
		"fetch handed on":                                         {"  return {", "  const w = fetch;\n  return {"},
		"no replay made the PATCH":                                {"  return {", "  if (input.day > 300) await fetch(BASE + '/x', { method: 'PATCH' });\n  return {"},
		"not spelled out: where web.fetch in line 10":             {"  return {", "  if (input.day > 300) await fetch(res.to, { method: 'POST' });\n  return {"},
	} {
		j := judge(t, opened, edited(t, code, append(right, edits...)...))
		require.Equal(t, gate.Identical, j.Verdict, "%s: %+v", reason, j.Divergence)
		require.Contains(t, strings.Join(j.Reasons, "\n"), reason)
	}
}

// Rule: the standard's fetch reaches what web.fetch reaches, and a script that passes it on passes on the web.
func TestReachOfStandardFetch(t *testing.T) {
	t.Parallel()
	account, err := gate.NewAccount(`
const { MAIL_KEY } = process.env;
async function main(input) {
  await fetch('https://api.example.test/x', { method: 'DELETE', headers: { authorization: process.env.API_KEY, 'x-mail': MAIL_KEY } });
  await fetch(input.url);
  setTimeout(fetch, 1, input.url);
  const own = (fetch) => fetch(input.other);
  return process.env[input.name];
}`)
	require.NoError(t, err)
	require.Equal(t, gate.Account{
		Hosts: []string{"api.example.test"}, Writes: []string{"DELETE api.example.test/x"}, Secrets: []string{"API_KEY", "MAIL_KEY"},
		Unclear: []string{
			"line 5: web.fetch goes to an address that the code puts together",
			"line 6: fetch is used otherwise than by a call of its own, so that what becomes of it cannot be told",
			"line 8: process is used otherwise than by a call of its own, so that what becomes of it cannot be told",
		},
	}, account)
}

// Rule: every way of a script to the web is told if the script spells it out: where it goes, and whether it writes. A
// way that only a run can tell is called unclear, and never taken for less.
func TestEveryWayToTheWeb(t *testing.T) {
	t.Parallel()
	const open = "an address that the code puts together"
	const n8n = "import { begin } from 'kintsugi:n8n'; const n = begin(input); await n."
	const gas = "import { UrlFetchApp } from 'kintsugi:apps-script'; "
	const https = "import https from 'https'; "
	for _, c := range []struct {
		code  string
		write string // empty: it reads
		open  bool
	}{
		{"web.fetch('https://a.test/x')", "", false},
		{"web.fetch('https://a.test/x', { method: 'PUT' })", "PUT a.test/x", false},
		{"web.getJSON('https://a.test/x')", "", false},
		{"web.postJSON('https://a.test/x', {})", "POST a.test/x", false},
		{"web.postJSON('https://a.test/x', {}, { method: 'PATCH' })", "PATCH a.test/x", false},
		{"fetch('https://a.test/x')", "", false},
		{"const o = { method: 'post' }; fetch('https://a.test/x', o)", "POST a.test/x", false},
		{"const o = { method: 'post' }, p = o; p.method = 'delete'; fetch('https://a.test/x', o)", "* a.test/x", false},
		{"const o = { method: 'post' }, p = [o]; p[0].method = 'delete'; fetch('https://a.test/x', o)", "* a.test/x", false},
		{"const o = { method: 'post' }; Object.assign(o, input); fetch('https://a.test/x', o)", "* a.test/x", false},
		{"const o = {}; o.__proto__ = input; fetch('https://a.test/x', o)", "* a.test/x", false},
		{"fetch('https://a.test/x', { __proto__: input })", "* a.test/x", false},
		{"fetch('https://a.test/x', { ...input })", "* a.test/x", false},
		{"fetch('https://a.test/x', { get method() { return input.how } })", "* a.test/x", false},
		{"fetch('https://a.test/x', { ['met' + 'hod']: 'PUT' })", "* a.test/x", false},
		{"fetch(new Request('https://a.test/x'))", "", false},
		{"fetch(new Request('https://a.test/x', { method: 'DELETE' }))", "DELETE a.test/x", false},
		{"const r = new Request('https://a.test/x', { method: 'DELETE' }); fetch(r)", "DELETE a.test/x", false},
		{"const r = [new Request('https://a.test/x', { method: 'DELETE' })]; fetch(r[0])", "* " + open + "|DELETE a.test/x", true},
		{"const r = new Request('https://a.test/x'); fetch(new Request(r, { method: 'PUT' }))", "* " + open, true},
		{"const r = new Request('https://a.test/x'); fetch(new r.constructor('https://a.test/y', { method: 'PUT' }))", "* " + open, true},
		{"fetch(new Request('https://a.test/x'), { method: 'PUT' })", "* " + open, true},
		{"fetch(new URL('https://a.test/x'))", "", false},
		{"fetch(new URL('/x', 'https://a.test'), { method: 'PUT' })", "PUT a.test/x", false},
		{"fetch(new URL('x/' + input.id, 'https://a.test/v1/'), { method: 'PUT' })", "PUT a.test/v1/x/*", false},
		{"const u = new URL('/x', 'https://a.test'); u.searchParams.set('q', input.q); fetch(u, { method: 'PUT' })", "PUT a.test/x", false},
		{"const u = new URL('/x', 'https://a.test'); fetch(u.href, { method: 'PUT' })", "PUT a.test/x", false},
		{"const u = new URL('/x', 'https://a.test'); fetch(u.toString(), { method: 'PUT' })", "PUT a.test/x", false},
		{"const u = new URL('/x', 'https://a.test'); fetch(String(u), { method: 'PUT' })", "PUT a.test/x", false},
		{"const u = new URL('/x', 'https://a.test'); fetch(`${u}`, { method: 'PUT' })", "PUT a.test/x", false},
		{"const u = new URL('/x', 'https://a.test'); u.host = input.host; fetch(u)", "", true},
		{"const u = new URL('/x', 'https://a.test'), v = u; v.host = input.host; fetch(u)", "", true},
		{"const u = new URL('/x', 'https://a.test'); [u][0].host = input.host; fetch(u)", "", true},
		{"const u = new URL('/x', 'https://a.test'); Object.assign(u, input); fetch(u)", "", true},
		{"const u = new URL('/x', 'https://a.test'); (() => { u['ho' + 'st'] = input.host })(); fetch(u)", "", true},
		{"fetch(new URL(input.path, 'https://a.test'))", "", true},
		{"fetch(new URL('/' + input.path, 'https://a.test'))", "", true},
		{"fetch(new URL('//b.test/x', 'https://a.test'))", "", true},
		{"fetch(new URL('x' + input.rest, 'https://a.test'))", "", true},
		{"fetch(new URL('/\\\\b.test/x', 'https://a.test'))", "", true},
		{"fetch(new URL('/x', input.base))", "", true},
		{"fetch(new URL('https://a.test' + input.rest))", "", true},
		{"class URL { toString() { return input.to } }; fetch(new URL('https://a.test/x'))", "", true},
		{"String = () => input.to; fetch(String('https://a.test/x'))", "", true},
		{"class Request { }; fetch(new Request('https://a.test/x'))", "", true},
		{n8n + "request('x', [], () => ({ url: 'https://a.test/x' }))", "", false},
		{n8n + "request('x', [], ({ $json }) => ({ url: 'https://a.test/x/' + $json.id, method: 'POST', body: {} }))", "POST a.test/x/*", false},
		{n8n + "request('x', [], ({ $json }) => ({ url: `https://a.test/x?q=${$json.q}`, method: 'PUT', qs: { 'a': 1 } }))", "PUT a.test/x", false},
		{n8n + "code('x', [], false, async function () { return this.helpers.httpRequest({ url: 'https://a.test/x', method: 'post' }) })", "POST a.test/x", false},
		{n8n + "code('x', [], false, async function ({ $helpers }) { return await $helpers.httpRequest({ baseURL: 'https://a.test', url: '/x', method: 'PUT' }) })", "PUT a.test/x", false},
		{n8n + "code('x', [], false, async function () { const o = { method: 'PUT', url: 'https://a.test/x' }; return this.helpers.httpRequest(o) })", "PUT a.test/x", false},
		{n8n + "code('x', [], false, async function () { const o = { method: 'PUT', url: 'https://a.test/x' }; o.url = input.to; return this.helpers.httpRequest(o) })", "* " + open, true},
		{n8n + "code('x', [], false, async function () { return this.helpers.request({ method: 'PUT', uri: 'https://a.test/x' }) })", "PUT a.test/x", false},
		{n8n + "code('x', [], false, async function () { return this.helpers.httpRequest({ baseURL: 'https://a.test', method: 'PUT' }) })", "PUT " + open, true},
		{n8n + "code('x', [], false, async function () { return this.helpers.httpRequest({ url: 'https://a.test/x', ...input }) })", "* " + open, true},
		{n8n + "code('x', [], false, async function () { return this.helpers.httpRequest(...input.all) })", "* " + open, true},
		{gas + "UrlFetchApp.fetch('https://a.test/x')", "", false},
		{gas + "UrlFetchApp.fetch('https://a.test/x', { method: 'post' })", "POST a.test/x", false},
		{gas + "UrlFetchApp.fetchAll(['https://a.test/x', { url: 'https://a.test/y', method: 'put' }])", "PUT a.test/y", false},
		{gas + "const all = input.ids.map((id) => ({ url: 'https://a.test/x/' + id, method: 'put' })); UrlFetchApp.fetchAll(all)", "PUT a.test/x/*", false},
		{gas + "const all = []; for (const id of input.ids) all.push({ url: 'https://a.test/x' }); UrlFetchApp.fetchAll(all)", "* " + open, true},
		{gas + "UrlFetchApp.fetchAll([...input.all])", "* " + open, true},
		{https + "https.get('https://a.test/x', (res) => res.on('data', console.log))", "", false},
		{https + "https.get({ hostname: 'a.test', path: '/x' }, () => {})", "", false},
		{https + "const r = https.request('https://a.test/x', { method: 'POST' }, () => {}); r.write('x'); r.end()", "POST a.test/x", false},
		{https + "const r = https.request({ host: 'a.test', port: 8443, path: '/x/' + input.id, method: 'PUT' }); r.end()", "PUT a.test:8443/x/*", false},
		{https + "https.request({ hostname: input.host, path: '/x' }).end()", "", true},
		{https + "https.request({ hostname: 'a.test', path: input.path }).end()", "", true},
		{https + "https.request('https://a.test/x', { method: input.how }).end()", "* a.test/x", false},
		{https + "https.request('https://a.test/x', { hostname: 'b.test' }).end()", "", false}, // it throws
		{https + "const o = { hostname: 'a.test', path: '/x' }; o.host = input.host; https.request(o).end()", "* " + open, true},
	} {
		imports, body := "", c.code
		for strings.HasPrefix(body, "import ") {
			first, rest, _ := strings.Cut(body, "; ")
			imports, body = imports+first+";\n", rest
		}
		account, err := gate.NewAccount(imports + "export default async function main(input) { " + body + " }")
		require.NoError(t, err, c.code)
		require.Equal(t, c.write, strings.Join(account.Writes, "|"), c.code)
		require.Equal(t, c.open, len(account.Unclear) > 0, "%s: %v", c.code, account.Unclear)
	}
}
