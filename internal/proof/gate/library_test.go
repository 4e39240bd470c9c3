package gate_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// Rule: a fix that calls the host through a library is held for what it could do as one that calls it by name,
// however the library came to its name.
func TestAFixReachesNoFurtherThroughALibrary(t *testing.T) {
	t.Parallel()
	const code = `
import { UrlFetchApp } from 'kintsugi:apps-script';
const BASE = 'https://shop.example.test/api';
async function main(input) {
  const res = JSON.parse(UrlFetchApp.fetch(BASE + '/orders?day=' + input.day).getContentText());
  const names = res.orders.map((o) => o.customer.trim());
  return { orders: names.length };
}`
	day := func(day, orders string) hypothesis {
		return hypothesis{input: `{"day":"` + day + `"}`, web: map[string]any{"https://shop.example.test/api": `{"orders":` + orders + `}`}}
	}
	opened := openGate(t, subject(t, code, []hypothesis{
		day("1", `[{"id":"a1","customer":"Ann"}]`), day("2", `[{"id":"b2","customer":"Bob"},{"id":"c3","customer":"Cy"}]`), day("3", `[]`),
	}, day("4", `[{"id":"d4","client":"Dee"}]`)))
	right := []string{"o.customer.trim()", "(o.customer ?? o.client).trim()"}
	j := judge(t, opened, edited(t, code, right...))
	require.Equal(t, gate.Identical, j.Verdict, "%+v", j.Divergence)
	require.Empty(t, j.Reasons)

	const rare = "  if (input.day > 300) "
	add := func(imports, line string) []string {
		return []string{"\nimport", "\n" + imports + "\nimport", "  return {", rare + line + ";\n  return {"}
	}
	for _, c := range []struct {
		reason string
		edits  []string
	}{
		{"no replay came to files.write", add("", "require('fs').writeFileSync('a', 'b')")},
		{"no replay came to files.write", add("const { writeFile: put } = require('node:fs/promises');", "await put('a', 'b')")},
		{"no replay came to files.write", add("var disk = require('fs');", "disk?.promises?.['writeFile']('a', 'b')")},
		{"no replay came to files.remove", add("import * as disk from 'fs';", "disk.rmSync('a')")},
		{"no replay came to files.append", add("import disk from 'fs';", "disk.appendFileSync('a', 'b')")},
		{"no replay came to files.remove", add("import { unlink as away } from 'fs/promises';", "await away('a')")},
		{"no replay made the DELETE", add("", "UrlFetchApp.fetch(BASE + '/x', { method: 'delete' })")},
		{"no replay made the GET", add("", "UrlFetchApp.fetch(BASE + '/x')")},
		{"no replay came to web.fetch", add("", "UrlFetchApp.fetch(input.to)")},
		{"how web.fetch in line 8 asks", add("", "UrlFetchApp.fetch(BASE + '/x', input.options)")},
		{"no replay made the GET", add("", "UrlFetchApp.fetchAll([BASE + '/x'])")},
		{"no replay made the DELETE", add("", "UrlFetchApp.fetchAll(res.orders.map((o) => ({ url: BASE + '/x/' + o.id, method: 'delete' })))")},
		{"where web.fetch in line 8 goes", add("", "UrlFetchApp.fetchAll(input.list)")},
		{"no replay came to web.fetch", add("", "UrlFetchApp.fetchAll([{ url: input.to }])")},
		{"how web.fetch in line 8 asks", add("", "UrlFetchApp.fetchAll([{ url: BASE + '/x', method: input.how }])")},
		{"where web.fetch in line 8 goes", add("", "{ const all = [BASE + '/x']; all.push(input.to); UrlFetchApp.fetchAll(all) }")},
		{"where web.fetch in line 8 goes", add("", "UrlFetchApp.fetchAll({ map: () => [input.to] }.map(() => BASE + '/x'))")},
		{"new host: line 8 spells out other.example", add("", "UrlFetchApp.fetch('https://other.example/x')")},
		{"no replay came to kv.set", add("import { PropertiesService } from 'kintsugi:apps-script';", "PropertiesService.getScriptProperties().setProperty('a', 'b')")},
		{"no replay came to kv.delete", add("import { PropertiesService } from 'kintsugi:apps-script'; var kept = PropertiesService.getUserProperties();", "kept.deleteAllProperties()")},
		{"no replay came to notify", add("import { MailApp } from 'kintsugi:apps-script';", "MailApp.sendEmail('a', 'b', 'c')")},
		{"no replay came to kv.set", add("import * as wmill from 'windmill-client';", "await wmill.setState(1)")},
		{"no replay came to web.fetch", add("import { begin } from 'kintsugi:n8n';", "begin([]).request('x', [], () => ({ url: input.to }))")},
		{"no replay made the PUT", add("import { begin } from 'kintsugi:n8n';", "begin([]).request('x', [], () => ({ baseURL: BASE, url: '/x', method: 'put' }))")},
		{"no replay came to web.fetch", add("import { begin } from 'kintsugi:n8n';", "begin([]).code('x', [], false, ({ $helpers }) => $helpers.httpRequest({ url: input.to }))")},
		{"no replay made the PUT", add("import { begin } from 'kintsugi:n8n';", "begin([]).code('x', [], false, ({ $helpers }) => $helpers.httpRequest({ baseURL: BASE, url: '/x', method: 'put' }))")},
		{"no replay came to web.fetch", add("import { begin } from 'kintsugi:n8n';", "begin([]).code('x', [], false, function () { return this.helpers.httpRequest({ url: input.to }) })")},
		{"no replay made the PUT", add("import { begin } from 'kintsugi:n8n';", "begin([]).code('x', [], false, function () { return this.helpers.httpRequest({ baseURL: BASE, url: '/x', method: 'put' }) })")},
		{"where web.fetch in line 8 goes", add("import { begin } from 'kintsugi:n8n';", "begin([]).request('x', [], () => ({ url: BASE + '/x', ...input }))")},
		{"where web.fetch in line 8 goes", add("import { begin } from 'kintsugi:n8n';", "begin([]).request('x', [], () => ({ url: BASE + '/x', __proto__: input }))")},
		{"where web.fetch in line 8 goes", add("import { begin } from 'kintsugi:n8n';", "{ const o = { url: BASE + '/x' }, p = o; p.url = input.to; begin([]).request('x', [], () => o) }")},
		{"where web.fetch in line 8 goes", add("import { begin } from 'kintsugi:n8n';", "begin([]).request(input.name, [], () => ({ url: BASE + '/x' }), 1)")},
		{"apps-script handed on", add("", "[input.to].map(UrlFetchApp.fetch)")},
		{"apps-script handed on", add("", "UrlFetchApp['fe' + 'tch'](input.to)")},
		{"apps-script handed on", add("", "UrlFetchApp.valueOf().fetch(input.to)")},
		{"apps-script handed on", add("", "UrlFetchApp.fetch.call(null, input.to)")},
		{"apps-script handed on", add("const o = { UrlFetchApp };", "o.UrlFetchApp.fetch(input.to)")},
		{"node/fs handed on", add("let disk; disk = require('fs');", "disk.rmSync('a')")},
		{"node/fs handed on", add("const disk = require('fs'); const o = { disk };", "o.disk.rmSync('a')")},
		{"node/fs handed on", add("const { ...disk } = require('fs');", "disk.rmSync('a')")},
		{"node/fs handed on", add("const { ['rm' + 'Sync']: rm } = require('fs');", "rm('a')")},
		{"require handed on", add("const r = require;", "r('fs').rmSync('a')")},
		{"require handed on", add("", "require('f' + 's').rmSync('a')")},
		{"require handed on", add("", "require('kintsugi').files.remove('a')")},
	} {
		j := judge(t, opened, edited(t, code, append(right, c.edits...)...))
		require.Equal(t, gate.Identical, j.Verdict, "%s: %+v", c.edits, j.Divergence)
		require.Contains(t, strings.Join(j.Reasons, "\n"), c.reason, c.edits)
	}
}

// Rule: a right fix of a script from n8n is held for nothing, also where it writes its request otherwise: it asks for no more.
func TestAFixOfAScriptFromN8nIsNotHeld(t *testing.T) {
	t.Parallel()
	const code = `
import { begin } from 'kintsugi:n8n';
const BASE = 'https://shop.example.test/api';
export default async function main(input) {
  const n8n = begin(input);
  await n8n.code('Orders', [], false, async function ({ $json }) {
    const res = await this.helpers.httpRequest({ url: BASE + '/orders?day=' + $json.day, json: true });
    return [{ json: { names: res.orders.map((o) => o.customer.trim()).join() } }];
  });
  return n8n.result();
}`
	day := func(day, orders string) hypothesis {
		return hypothesis{input: `{"day":"` + day + `"}`, web: map[string]any{"https://shop.example.test/api": `{"orders":` + orders + `}`}}
	}
	opened := openGate(t, subject(t, code, []hypothesis{
		day("1", `[{"id":"a1","customer":"Ann"}]`), day("2", `[{"id":"b2","customer":"Bob"},{"id":"c3","customer":"Cy"}]`), day("3", `[]`),
	}, day("4", `[{"id":"d4","client":"Dee"}]`)))
	right := []string{"o.customer.trim()", "(o.customer ?? o.client).trim()"}
	for name, edits := range map[string][]string{
		"as it was":           {},
		"with options before": {"await this.helpers.httpRequest({ url: BASE + '/orders?day=' + $json.day, json: true })", "await this.helpers.httpRequest({ method: 'GET', url: BASE + ('/orders?day=' + $json.day), json: true })"},
	} {
		j := judge(t, opened, edited(t, code, append(right, edits...)...))
		require.Equal(t, gate.Identical, j.Verdict, "%s: %+v", name, j.Divergence)
		require.Empty(t, j.Reasons, name)
	}
	j := judge(t, opened, edited(t, code, append(right, "{ url: BASE", "{ method: $json.day > 300 ? 'DELETE' : 'GET', url: BASE")...))
	require.Contains(t, strings.Join(j.Reasons, "\n"), "no replay made the DELETE")
}

// Rule: the account tells a script's writes, places and secrets, whether it calls the host by name or through a
// library.
func TestAccountOfLibraries(t *testing.T) {
	t.Parallel()
	account, err := gate.NewAccount(`
import { UrlFetchApp, PropertiesService, MailApp, Utilities, Logger } from 'kintsugi:apps-script';
import * as wmill from 'windmill-client';
import { writeFile } from 'node:fs/promises';
import { env } from 'process';
import { begin } from 'kintsugi:n8n';
const fs = require('fs');
const { unlinkSync: away } = fs;
const path = require('path');
async function main(input) {
  UrlFetchApp.fetch('https://api.example.test/x', { method: 'post', payload: input });
  UrlFetchApp.fetch('https://api.example.test/read');
  UrlFetchApp.fetch(input.url);
  PropertiesService.getScriptProperties().setProperty('last', 'x').setProperty('more', 'y');
  MailApp.sendEmail('a@b.test', 'hi', 'there');
  fs.writeFileSync('reports/' + input.day + '.csv', Utilities.formatDate(new Date(), 'GMT', 'yyyy'));
  fs.readFileSync(path.join('a', 'b'), 'utf8');
  await writeFile('b.txt', env.API_KEY);
  away('old.txt');
  Logger.log([Utilities, path].length);
  await wmill.setState(await wmill.getVariable('u/ann/key'));
  const n8n = begin(input);
  await n8n.code('x', [], false, async function ({ $input, $env, $helpers }) {
    return $helpers.httpRequest({ url: $env.TO, body: $input.all() });
  });
  Object.keys(fs);
}`)
	require.NoError(t, err)
	require.Equal(t, gate.Account{
		Hosts: []string{"api.example.test"},
		Writes: []string{
			"POST api.example.test/x", "files.remove old.txt", "files.write b.txt", "files.write reports/*.csv",
			"kv.set by setProperty last", "kv.set by setProperty more", "kv.set by setState *", "notify: a message to you",
		},
		Secrets: []string{"API_KEY", "TO", "u.ann.key"},
		Unclear: []string{
			"line 13: web.fetch goes to an address that the code puts together",
			"line 24: web.fetch goes to an address that the code puts together",
			"line 26: node/fs is used otherwise than by a call of its own, so that what becomes of it cannot be told",
		},
	}, account)
}
