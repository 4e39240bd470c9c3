package hostcall_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// Rule: a name that is nowhere is found when a script is saved, with what there is in its place.
func TestLint(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]string{
		"const rules = new Intl.DisplayNames('en'); function main() { return rules.of('a') }": "Intl.DisplayNames is not there: Intl has",
		"function main(Intl) { return new Intl.PluralRules('en') }":                           "",
		"async function main() { return document.title }":                                     "line 1, column 32: document is not defined: there is no DOM",
		"async function main() { const total = 1; return totl }":                              "line 1, column 49: totl is not defined: is it total?",
		"async function main() { return JSNO.parse('1') }":                                    "is it JSON?",
		"async function main() { return noSuchThing(1) }":                                     "noSuchThing is not defined: declare it",
		"export default async (x: number) => $input.all()":                                    "line 1, column 37: $input is not defined: this is n8n's",
		"function main() { if (typeof lodash !== 'undefined') return lodash; return 1 }":      "",
		"function main() { total = 1; [a, b] = [1, 2]; for (k in {}) ; return total + a }":    "",
		"globalThis.limit = 3; function main() { return limit }":                              "",
		"function main() { return arguments.length + this.x }":                                "",
		"import { web } from 'kintsugi'; export default () => web":                            "",
		"enum Level { Low }\nexport default () => Level.Low":                                  "",
		"class A { #p = 1; static s = A.name; m() { return new.target ?? this.#p } }\nfunction main() { x: for (;;) break x; try { } catch { } return new A() }": "",
		"async function main() { return { key: 1, method() {}, get g() { return 1 } }.key }":                                                                     "",
		"async function main(input) {}\nmain();":                                                          "line 2, column 1: main is called here and then once more",
		"async function main(input) {}\nmain().catch((e) => console.error(e)).finally(() => {});":         "main is called here",
		"const main = async (input) => 1;\nawait main();":                                                 "main is called here",
		"async function main() { return main.name }\nfunction again() { main() }":                         "",
		"async function run() { return await web.getJSON('https://x.test/') }\nreturn run()":              "",
		"const { parse } = require('kintsugi:csv');\nconst fs = require('fs-extra');\nfunction main() {}": "line 2, column 12: there is no module \"fs-extra\"",
		"const m = require('kintsugi:cvs'); function main() {}":                                           "kintsugi:csv, kintsugi:dates",
		"const name = 'x'; function main(require) { return [require(name), require('y')] }":               "",
		"this is no script": "",
		"async function main() {}\nmain().catch(console.error);":                                                          "",
		"function main() { return [toString.call([]), hasOwnProperty.call({ a: 1 }, 'a')] }":                              "",
		"/* global window, document */\nfunction main() { try { return window.title } catch { return document } }":        "",
		"/* global window */\nfunction main() { return widow }":                                                           "widow is not defined",
		"```js\nasync function main() { return 1 }\n```":                                                                  "line 1, column 1: ``` is how Markdown marks code",
		"async function main() { return await web.get('https://x.test/') }":                                               "line 1, column 38: web.get is not there: use web.getJSON",
		"async function main() { await kv.put('a', 1) }":                                                                  "kv.put is not there: kv has delete, get, list, set",
		"async function main() { return await web.getJson('https://x.test/') }":                                           "is it web.getJSON?",
		"function main() { return process.stdin.read() }":                                                                 "process.stdin is not there: what a script is given is input",
		"function main() { try { process.abort() } catch { return crypto.subtle.encrypt() } }":                            "process.abort is not there",
		"const fs = require('fs'); function main() { fs.createReadStream('x') }":                                          "fs.createReadStream is not there",
		"import * as p from 'path'; export default () => p.matchesGlob('a', 'b')":                                         "p.matchesGlob is not there",
		"function main() { return Array.fromAsync ? Array.fromAsync([]) : web.get?.('x') }":                               "",
		"function main(web) { if (kv.put) kv.put('a', 1); Math.extra = () => 1; return web.get('x') + Math.extra() }":     "",
		"function main() { return [Promise.withResolvers(), Object.groupBy([], (x) => x), Buffer.from('a').toString()] }": "",
		"async function main() { const r = await web.fetch('https://x.test/'); if (!r.ok) return; return r.body }":        "without ok: write r.status < 400, or use fetch",
		"async function main() { const r = await fetch('https://x.test/'); return r.ok && r.json() }":                     "",
		"async function main() { const r = await web.fetch('https://x.test/'); r.json = () => 1; return r.json() }":       "",
	} {
		err := hostcall.Lint(code)
		if want == "" {
			require.NoError(t, err, code)
			continue
		}
		require.ErrorContains(t, err, want, code)
	}
}

// Rule: there is no false alarm about a script that works.
func TestLintOfScriptsThatWork(t *testing.T) {
	t.Parallel()
	looked := 0
	for _, pattern := range []string{"cases/*/good/*.js", "automations/*/automation.js", "automations/*/good/*.js", "automations/*/bad/*.js", "example/*.js"} {
		files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			code, err := os.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, hostcall.Lint(string(code)), file)
			looked++
		}
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "snippets", "*.[jt]s"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, part := range strings.Split("\n"+string(text), "\n//// ")[1:] {
			title, code, _ := strings.Cut(part, "\n")
			require.NoError(t, hostcall.Lint(code), title)
			looked++
		}
	}
	require.Greater(t, looked, 250)
	require.Contains(t, engine.Globals(), "console")
}
