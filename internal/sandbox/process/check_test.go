package process_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// Rule: a script that cannot run says so before it runs, with line and column.
func TestCheck(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 2)
	for _, tt := range []struct {
		name, code   string
		line, column int
		message      string
	}{
		{"function", "async function main(input) { return 1 }", 0, 0, ""},
		{"constant", "const main = async (input) => 1", 0, 0, ""},
		{"variable", "var a, main = function () {}", 0, 0, ""},
		{"assigned", "globalThis.main = () => 1", 0, 0, ""},
		{"assigned to a name", "main = () => 1", 0, 0, ""},
		{"byte order of modern syntax", "class A { #x = 1; static { } get y() { return this.#x ?? 2 } }\nasync function main() { return `${new A().y}`?.length ** 2 }", 0, 0, ""},
		{"many brackets", "function main() { return " + strings.Repeat("[", 300) + strings.Repeat("]", 300) + " }", 0, 0, ""},
		{"empty", "", 0, 0, "there is no main"},
		{"other name", "function run() {}", 0, 0, "there is no main"},
		{"main inside", "function f() { function main() {} }", 0, 0, "there is no main"},
		{"unfinished", "function main() {\n  return (1 +\n}", 3, 1, "Unexpected token }"},
		{"after text that is not ASCII", "function main() { return 'é' + ] }", 1, 33, "Unexpected token ]"},
		{"declared twice", "let a\nlet a\nfunction main() {}", 2, 5, "already been declared"},
		{"import", "import x from 'x'\nfunction main() {}", 1, 1, "there is no module"},
		{"import of what is known by another name", "import axios from 'axios'\nfunction main() {}", 1, 1, "use web.fetch"},
		{"import of a module that is a global here", "import { createHash } from 'node:crypto'\nfunction main() {}", 0, 0, ""},
		{"export", "export default async function main() {}", 0, 0, ""},
		{"for await", "async function main() {\n  for await (const x of []) {}\n}", 0, 0, ""},
		{"types", "export async function main(input: { day: string }): Promise<number> {\n  return 1\n}", 0, 0, ""},
		{"fault behind types", "async function main(day: string) {\n  const a: number = ;\n}", 2, 21, "Unexpected"},
		{"export to nobody", "function main() {}\nexport * from 'x'", 2, 1, "nobody to export to"},
		{"exports and no main", "export async function other(input: string) { return 1 }", 0, 0, "there is no main"},
		{"top level", "const k = await kv.get('k');\nreturn k", 0, 0, ""},
		{"top level that only declares", "const k = { a: 1 };\nfunction f() {}", 0, 0, "there is no main"},
		{"await outside", "function main() {\n  await 1\n}", 2, 9, "await needs an async function"},
		{"regular expression", "function main() { return /(/ }", 1, 26, "Unterminated group"},
		{"two groups of a name", "function main() {\n  return /(?<a>.)|(?<a>b)/ }", 2, 10, "two groups are named a"},
		{"a group once, and texts like groups", `function main() { return [/(?<a>[(?<a>])\(?<a>[(?<a>\]](?<b>.)(?<=b)(?<!b)\k<a>/, /(?<a>.)/] }`, 0, 0, ""},
		{"what the last match gave", "function main() { /(a)/.test('a'); return RegExp.$1 }", 1, 43, "there is no RegExp.$1"},
		{"what the last match gave, by a text", "function main() { return RegExp['$&'] }", 1, 26, "there is no RegExp.$&"},
		{"a property of another class", "function main(RegExp2) { return [RegExp2.$1, RegExp.prototype.flags] }", 0, 0, ""},
		{"deep", "function main() { return " + strings.Repeat("(", 1000) + " }", 0, 0, "nested more than"},
		{"long", "//" + strings.Repeat("x", sandbox.MaxCodeBytes), 0, 0, "bytes"},
		{"lists in lists, side by side", strings.Repeat("f((a = (b) => 1) => (c) => g((d = (e = 1) => 1) => 1));", 300) + "function main() {}", 0, 0, ""},
		// Each of these takes a parser that begins parameter lists anew for ever.
		{"lists in lists", nested("(a=", ")=>1"), 0, 0, "parameter lists"},
		{"with comments between", nested("(a=", ")/**/=>1"), 0, 0, "parameter lists"},
		{"with much space between", nested("(a=", ")"+strings.Repeat(" ", 99)+"=>1"), 0, 0, "parameter lists"},
		{"with odd space between", nested("async (a=", ")\u00a0\ufeff=>1"), 0, 0, "parameter lists"},
		{"in objects", nested("({a=", "})/**/=>1"), 0, 0, "parameter lists"},
		{"in templates", nested("(a=`${", "}`)/**/=>1"), 0, 0, "parameter lists"},
		{"that are none in the end", nested("(a=", ")+b=>1"), 0, 0, "parameter lists"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for where, check := range map[string]func(string) error{
				"here":        engine.Check,
				"in a worker": func(code string) error { return pool.Check(t.Context(), code) },
			} {
				err := check(tt.code)
				if tt.message == "" {
					require.NoError(t, err, where)
					continue
				}
				syntax, ok := errors.AsType[*sandbox.SyntaxError](err)
				require.True(t, ok, "%s: %v", where, err)
				require.Contains(t, syntax.Message, tt.message)
				require.Equal(t, []int{tt.line, tt.column}, []int{syntax.Line, syntax.Column}, where)
			}
		})
	}
}

func nested(open, end string) string {
	return "const f = " + strings.Repeat(open, 28) + "1" + strings.Repeat(end, 28) + "; function main() {}"
}

// Rule: no script keeps the parser busy for ever, or ends the process that asks for it.
func TestCheckOfHostileSource(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 2)
	for name, code := range map[string]string{
		"parameters inside parameters": strings.Repeat("(a = ", 60) + "1" + strings.Repeat(") => 1", 60),
		// Brackets in strings hide the nesting from the cheap look, not from the worker.
		"hidden nesting":    strings.Repeat(`(")",`, 40_000),
		"arrows":            strings.Repeat("a=>", 80_000) + "1",
		"labels":            strings.Repeat("a:", 120_000) + "1",
		"operators":         "1" + strings.Repeat("+1", 120_000),
		"hidden parameters": strings.Repeat(`(a=")",b=`, 60) + "1" + strings.Repeat(`,c="(")=>1`, 60) + "]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := pool.Check(t.Context(), code)
			_, ok := errors.AsType[*sandbox.SyntaxError](err)
			require.True(t, ok, "%v", err)
		})
	}
}
