package folder_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/script/folder"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

var options = folder.Options{Has: func(module string) bool { return process.CheckModule(module) == nil }}

// write makes a folder of files.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "app")
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(at), 0o700))
		require.NoError(t, os.WriteFile(at, []byte(text), 0o600))
	}
	return dir
}

// with adds packages as npm installs them: name and version, and their files.
func with(files map[string]string, installed map[string]map[string]string) map[string]string {
	type entry struct {
		Version string `json:"version"`
	}
	locked := map[string]entry{"": {}}
	for named, of := range installed {
		name, version, _ := strings.Cut(named, " ")
		locked["node_modules/"+name] = entry{version}
		about := of["package.json"]
		if about == "" {
			about = fmt.Sprintf(`{"name":%q,"version":%q,"main":"index.js"}`, name, version)
		}
		files["node_modules/"+name+"/package.json"] = about
		for file, text := range of {
			if file != "package.json" {
				files["node_modules/"+name+"/"+file] = text
			}
		}
	}
	text, _ := json.Marshal(map[string]any{"lockfileVersion": 3, "packages": locked})
	if files["package-lock.json"] == "" {
		files["package-lock.json"] = string(text)
	}
	return files
}

func run(t *testing.T, made *folder.Made, input string) sandbox.Outcome {
	t.Helper()
	require.NoError(t, process.Check(made.Code), made.Code)
	require.NoError(t, hostcall.Lint(made.Code), made.Code)
	if made.Text != "" {
		packages.Keep(made.Text)
	}
	outcome, err := process.InProcess{Bindings: hostcall.Bindings()}.Run(t.Context(), sandbox.Execution{
		Code: made.Code, Seed: "r", Clock: time.Unix(0, 0), Input: json.RawMessage(input), Overlap: true, Limits: sandbox.Limits{Wall: time.Minute},
	}, nil)
	require.NoError(t, err)
	return outcome
}

// Rule: files that import each other are one code, as their author wrote them, and run as in Node: a file once, with its own names.
func TestFilesRunTogether(t *testing.T) {
	t.Parallel()
	dir := write(t, map[string]string{
		"main.ts": "import { line, type Row } from './lib/line';\nimport total, { rate as factor } from './lib/total.js';\nimport * as all from './lib';\nconst c = require('./lib/c.cjs');\n" +
			"const made = 'main';\nexport default async function main(input: { rows?: Row[] }) {\n\tconst rows: Row[] = input.rows ?? [{ n: 1 }, { n: 2 }];\n" +
			"\treturn [rows.map(line).join(''), total(rows), factor, Object.keys(all).sort(), c.twice(4), made, all.count(), all.count()];\n}\n",
		"lib/line.ts":  "export interface Row { n: number }\nconst made = 'line';\nexport const line = (row: Row): string => {\n\tif (row.n > 100) throw new Error('too large: ' + row.n);\n\treturn `${row.n}\\n`;\n};\nexport class Thing<T> { constructor(public value: T) {} }\nexport enum Color { Red, Green }\n",
		"lib/total.ts": "import type { Row } from './line';\nimport { line, Row as Other } from './line';\nexport const rate = 2, other = 3;\nexport default function (rows: Row[]) { return rows.reduce((sum, row) => sum + row.n * rate, 0) + line({ n: 1 }).length; }\n",
		"lib/index.ts": "export * from './line';\nexport { default as total, rate } from './total';\nlet calls = 0;\nexport function count() { return ++calls; }\n",
		"lib/c.cjs":    "const twice = (n) => n * 2;\nmodule.exports = { twice };\n",
	})
	for _, at := range []string{dir, filepath.Join(dir, "main.ts")} {
		made, err := folder.Read(at, options)
		require.NoError(t, err)
		require.Contains(t, made.Code, "export const line = (row: Row): string => {")
		outcome := run(t, made, `{}`)
		require.Nil(t, outcome.Error)
		require.JSONEq(t, `["1\n2\n", 8, 2, ["Color","Thing","count","line","rate","total"], 8, "main", 1, 2]`, string(outcome.Output))

		failed := run(t, made, `{"rows":[{"n":200}]}`).Error
		require.Equal(t, "too large: 200", failed.Message)
		require.Contains(t, failed.Stack, ", which is ./lib/line.ts:4:")
		require.Contains(t, failed.Stack, "at main (script.ts:8:")
		name, line := packages.Place(made.Code, failed.Frames[0].Line)
		require.Equal(t, "./lib/line.ts 4", fmt.Sprint(name, " ", line))
	}
}

// Rule: a file of JSON is imported, with attributes and without, and required, as in Node.
func TestFilesOfJSON(t *testing.T) {
	t.Parallel()
	made, err := folder.Read(write(t, map[string]string{
		"main.mjs": "import rates from './rates.json' with { type: 'json' };\nimport { names } from './lib/names.js';\nimport again from './rates.json'\n" +
			"export default () => [rates.eur, names, again === rates, require('./lib/list.json').length];\n",
		"rates.json":     "\ufeff{ \"eur\": 1.08,\n \"text\": \"\u2028//\" }\n",
		"lib/names.js":   "import list from './list.json';\nexport const names = list.map((one) => one.name);\n",
		"lib/list.json":  "[{\"name\": \"a\"}, {\"name\": \"b\"}]",
		"unrelated.json": "{",
	}), options)
	require.NoError(t, err)
	require.Contains(t, made.Code, "//# file ./rates.json\nmodule.exports = { \"eur\": 1.08,\n")
	outcome := run(t, made, `{}`)
	require.Nil(t, outcome.Error)
	require.JSONEq(t, `[1.08, ["a", "b"], true, 2]`, string(outcome.Output))
}

// Rule: what could not go well is refused, with the file and what to do.
func TestFilesThatAreRefused(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret.ts")
	require.NoError(t, os.WriteFile(outside, []byte("export const a = 1;"), 0o600))
	const main = "export default () => a;\n"
	for _, one := range []struct {
		name  string
		files map[string]string
		says  string
	}{
		{"out of the folder", map[string]string{"main.ts": "import { a } from '../../secret.ts';\n" + main}, "outside the folder"},
		{"absolute", map[string]string{"main.ts": "import { a } from '" + outside + "';\n" + main}, "neither a file beside it nor a package"},
		{"data", map[string]string{"main.ts": "import a from 'data:text/javascript,export default 1';\n" + main}, "neither a file beside it nor a package"},
		{"from the net", map[string]string{"main.ts": "import a from 'https://x.test/a.js';\n" + main}, "neither a file beside it nor a package"},
		{"nowhere", map[string]string{"main.ts": "import { a } from './a';\n" + main}, "main.ts, line 1: there is no file ./a"},
		{"json", map[string]string{"main.ts": "import a from './a.json';\n" + main, "a.json": "{\n\"a\": 1,\n}"}, "a.json, line 3: it is no JSON"},
		{"json with __proto__", map[string]string{"main.ts": "import a from './a.json';\n" + main, "a.json": `{"__proto__": 1}`}, "a.json has a member __proto__"},
		{"wasm", map[string]string{"main.ts": "import a from './a.wasm';\n" + main, "a.wasm": "1"}, "neither JavaScript, TypeScript nor JSON"},
		{"round", map[string]string{"main.ts": "import { b } from './a.ts';\nexport default () => b;\n", "a.ts": "import { c } from './b.ts';\nexport const b = c;", "b.ts": "import { b } from './a.ts';\nexport const c = b;"}, "imports what imports it"},
		{"the first", map[string]string{"main.ts": "import { a } from './a.ts';\n" + main, "a.ts": "import m from './main.ts';\nexport const a = m;"}, "imports the file that runs"},
		{"no such name", map[string]string{"main.ts": "import { a } from './a.ts';\n" + main, "a.ts": "export const b = 1;"}, "./a.ts exports no a"},
		{"let", map[string]string{"main.ts": "import { a } from './a.ts';\n" + main, "a.ts": "export let a = 1;"}, "export let is not supported"},
		{"marks", map[string]string{"main.ts": "import { a } from './a.ts';\n" + main, "a.ts": "export const a = `\n//# file ./b.ts\n`;"}, "a.ts, line 2 begins as those lines do"},
		{"nothing runs", map[string]string{"other.ts": main}, "no file that runs"},
		{"no lock", map[string]string{"main.ts": "import a from 'left-pad';\n" + main}, "run npm install left-pad there"},
		{"not locked", with(map[string]string{"main.ts": "import a from 'left-pad';\n" + main, "package-lock.json": `{"lockfileVersion":3,"packages":{}}`}, nil), "left-pad is not in package-lock.json"},
		{"old lock", with(map[string]string{"main.ts": "import a from 'left-pad';\n" + main, "package-lock.json": `{"lockfileVersion":1}`}, nil), "format of version 1"},
		{"not installed", with(map[string]string{"main.ts": "import a from 'left-pad';\n" + main, "package-lock.json": `{"lockfileVersion":3,"packages":{"node_modules/left-pad":{"version":"1.0.0"}}}`}, nil), "run npm ci"},
		{"another version", with(map[string]string{"main.ts": "import a from 'left-pad';\n" + main, "package-lock.json": `{"lockfileVersion":3,"packages":{"node_modules/left-pad":{"version":"1.0.1"}}}`},
			map[string]map[string]string{"left-pad 1.0.0": {"index.js": "module.exports = 1"}}), "node_modules has left-pad 1.0.0, and package-lock.json has 1.0.1: run npm ci"},
		{"a package goes out", with(map[string]string{"main.ts": "import a from 'p';\n" + main, "other.js": "module.exports = 1"},
			map[string]map[string]string{"p 1.0.0": {"index.js": "module.exports = require('../../other.js')"}}), "no file of a package"},
		{"a package of data", with(map[string]string{"main.ts": "import a from 'p';\n" + main},
			map[string]map[string]string{"p 1.0.0": {"index.js": "import x from 'data:text/javascript,export default 1'; export default x"}}), "neither a file of the package nor another package"},
		{"a package that is absolute", with(map[string]string{"main.ts": "import a from 'p';\n" + main},
			map[string]map[string]string{"p 1.0.0": {"index.js": "module.exports = require('/etc/hostname')"}}), "neither a file of the package nor another package"},
		{"native", with(map[string]string{"main.ts": "import a from 'p';\n" + main},
			map[string]map[string]string{"p 1.0.0": {"index.js": "module.exports = require('./x.node')", "x.node": "\x7fELF"}}), "x.node is neither JavaScript nor JSON"},
		{"wasm of a package", with(map[string]string{"main.ts": "import a from 'p';\n" + main},
			map[string]map[string]string{"p 1.0.0": {"index.js": "module.exports = require('./x.wasm')", "x.wasm": "\x00asm"}}), "x.wasm is neither JavaScript nor JSON"},
		{"a name that is not exported", with(map[string]string{"main.ts": "import { a } from 'p';\n" + main},
			map[string]map[string]string{"p 1.0.0": {"package.json": `{"version":"1.0.0","type":"module","main":"index.js"}`, "index.js": "export const b = 1"}}), `main.ts, line 1: No matching export`},
	} {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			made, err := folder.Read(write(t, one.files), options)
			if err == nil {
				err = process.Check(made.Code)
			}
			require.ErrorContains(t, err, one.says)
		})
	}
}

// Rule: nothing outside the folder is read, also not through a symbolic link.
func TestLinksOutOfTheFolder(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "secret.ts")
	require.NoError(t, os.WriteFile(outside, []byte("export const a = 'secret';"), 0o600))

	dir := write(t, map[string]string{"main.ts": "import { a } from './a.ts';\nexport default () => a;\n"})
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "a.ts")))
	_, err := folder.Read(dir, options)
	require.ErrorContains(t, err, "leads out of the folder")

	dir = write(t, with(map[string]string{"main.ts": "import a from 'p';\nexport default () => a;\n"}, map[string]map[string]string{"p 1.0.0": {"index.js": "module.exports = require('./x.js')"}}))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "node_modules", "p", "x.js")))
	_, err = folder.Read(dir, options)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "'secret'")

	dir = write(t, map[string]string{"main.ts": "import { a } from './a.ts';\nexport default () => a;\n", "b.ts": "export const a = 1;"})
	require.NoError(t, os.Symlink("b.ts", filepath.Join(dir, "a.ts"))) // it stays inside
	made, err := folder.Read(dir, options)
	require.NoError(t, err)
	require.JSONEq(t, "1", string(run(t, made, "{}").Output))
}

// Rule: packages run in the versions of the lock, shaken, with what a script may reach, and nothing of them is looked at as a script is.
func TestPackagesRun(t *testing.T) {
	t.Parallel()
	files := with(map[string]string{
		"main.mjs": "import left, { second } from 'left-pad';\nimport { used } from '@some/tree/part';\nimport * as all from 'common';\nconst again = require('common');\n" +
			"import { createHash } from 'crypto';\nconst left2 = left;\nexport default () => [left('x', 3), second, used(), all.default === again, all.a, createHash('md5').update('x').digest('hex'), again.self, again.missing(), left2 === left, again.odd, typeof unknownName, {}.polluted];\n",
	}, map[string]map[string]string{
		"left-pad 1.3.0": {"package.json": `{"version":"1.3.0","type":"module","exports":"./index.js"}`, "index.js": "import { deep } from 'deep';\nexport default function leftPad(text, n) { return text.padStart(n, deep); }\nexport const second = 2;\nexport const unused = 'SHAKEN';\n"},
		"deep 2.0.0":     {"index.js": "exports.deep = '-';"},
		"@some/tree 0.1.0": {"package.json": `{"version":"0.1.0","type":"module","sideEffects":false,"exports":{"./part":"./part.js"}}`,
			"part.js": "export { used } from './used.js';\nexport { never } from './never.js';\n", "used.js": "export const used = () => [..._()].length;\nfunction* _() { yield 1; yield 2; }\n", "never.js": "export const never = 'SHAKEN';\nthrow new Error('never');\n"},
		"common 1.0.0": {"index.js": "var root = Function('return this')();\nexports.a = 1;\nexports.self = root === globalThis && typeof root.unknownName;\nexports.missing = function () { try { require('net').connect(); } catch (e) { return e.message; } };\n" +
			"exports.odd = /* 2000 deep, as minifiers write it */ " + strings.Repeat("(", 500) + "'ok'" + strings.Repeat(")", 500) + ";\nvar left = typeof left2, _ = root.left;\nObject.prototype.polluted = undefined;\n"},
		"crypto 9.9.9": {"index.js": "throw new Error('a package is never meant by the name of a module of Node');"},
	})
	made, err := folder.Read(write(t, files), options)
	require.NoError(t, err)
	require.NotContains(t, made.Text, "SHAKEN")
	require.Regexp(t, `(?s)\n//# packages sha256 [0-9a-f]{64}\n//# @some/tree/part 0.1.0: used\n//# common 1.0.0: \*\n//# left-pad 1.3.0: default, second\n//# with deep 2.0.0\n$`, made.Code)
	require.Equal(t, []string{"common requires Node's net, which is not here: what needs it fails"}, made.Absent)
	outcome := run(t, made, "{}")
	require.Nil(t, outcome.Error)
	require.JSONEq(t, `["--x", 2, 2, true, 1, "9dd4e461268c8034f5c8564e155c67a6", "undefined", "connect of Node's module net, which a package uses, is not here", true, "ok", "undefined", null]`, string(outcome.Output))

	again, err := folder.Read(write(t, files), options)
	require.NoError(t, err)
	require.Equal(t, made, again, "the same folder gives the same text")
}

// Rule: a failure in a package is told at the place of the script that called it, and code is never made of text.
func TestPackagesThatFail(t *testing.T) {
	t.Parallel()
	made, err := folder.Read(write(t, with(map[string]string{"main.js": "import { fail, make } from 'p';\n\nexport default ({ how }) => how === 'make' ? make() : fail();\n"}, map[string]map[string]string{
		"p 1.0.0": {"index.js": "\n\n\n\n\nexports.fail = () => { throw new RangeError('in the package') };\nexports.make = () => new Function('return 1')();\n"},
	})), options)
	require.NoError(t, err)
	failed := run(t, made, `{}`).Error
	require.Equal(t, "RangeError: in the package", failed.Name+": "+failed.Message)
	require.Equal(t, 3, failed.Frames[0].Line)
	require.NotContains(t, failed.Stack, "packages.js")
	require.Contains(t, run(t, made, `{"how":"make"}`).Error.Message, "no code is made of text here")
}
