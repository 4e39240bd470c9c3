package transpile_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dop251/goja/ast"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/script/transpile"
)

// snippets are scripts of the kinds that models and people write.
func snippets(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "testdata", "snippets", "*.[jt]s"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, part := range strings.Split("\n"+string(text), "\n//// ")[1:] {
			_, code, _ := strings.Cut(part, "\n")
			all = append(all, code)
		}
	}
	return all
}

// names calls visit for each name in a tree.
func names(v reflect.Value, seen map[uintptr]bool, visit func(*ast.Identifier)) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		if v.Kind() == reflect.Pointer {
			if seen[v.Pointer()] || !strings.HasSuffix(v.Type().Elem().PkgPath(), "goja/ast") {
				return
			}
			seen[v.Pointer()] = true
			if name, ok := v.Interface().(*ast.Identifier); ok {
				visit(name)
				return
			}
		}
		names(v.Elem(), seen, visit)
	case reflect.Slice:
		for i := range v.Len() {
			names(v.Index(i), seen, visit)
		}
	case reflect.Struct:
		if !strings.HasSuffix(v.Type().PkgPath(), "goja/ast") {
			return
		}
		if v.CanAddr() {
			if name, ok := v.Addr().Interface().(*ast.Identifier); ok {
				visit(name)
				return
			}
		}
		for i := range v.NumField() {
			names(v.Field(i), seen, visit)
		}
	}
}

// Rule: every name of the tree stands where the script spells it, whatever was taken out of the script
// or added; only what was added stands elsewhere.
func TestNamesStandWhereTheyAreWritten(t *testing.T) {
	t.Parallel()
	spelled, added := 0, 0
	for _, code := range snippets(t) {
		s, err := transpile.Read(code)
		require.NoError(t, err, code)
		require.Len(t, s.Plain, len(code))
		names(reflect.ValueOf(s.Tree), map[uintptr]bool{}, func(name *ast.Identifier) {
			at := int(name.Idx) - 1
			require.GreaterOrEqual(t, at, 0)
			require.LessOrEqual(t, at, len(code))
			if strings.HasPrefix(strings.TrimPrefix(code[at:], "#"), string(name.Name)) {
				spelled++
				return
			}
			added++
		})
	}
	require.Greater(t, spelled, 1000)
	require.Less(t, added*20, spelled, "main and input of a top level, fields of parameters, enums")
}

// Rule: what a script needs is found in it, and what cannot be done is said where it stands.
func TestReadModule(t *testing.T) {
	t.Parallel()
	read := func(code string) *transpile.Script {
		s, err := transpile.Read(code)
		require.NoError(t, err, code)
		return s
	}
	s := read("import a, { b as c, type D } from 'm';\nimport * as all from \"n\"\nimport 'side'\nimport type { T } from 't'\nexport default (x: T) => a(c, all)\n")
	require.True(t, s.Module)
	require.Equal(t, []transpile.Import{
		{Module: "m", Name: "default", Local: "a"}, {Module: "m", Name: "b", Local: "c"},
		{Module: "n", Name: "*", Local: "all", At: 39}, {Module: "side", At: 64},
	}, s.Imports)
	require.NotContains(t, s.Plain, "import")
	require.NotContains(t, s.Plain, ": T")

	require.Empty(t, read("import { T } from './types'; export default (x: T) => 1").Imports, "a type by its use")
	require.True(t, read("#!/usr/bin/env node\nexport default () => 1").Main)
	require.True(t, read("const a = await b()\nfunction main() {}").Waits)
	require.False(t, read("const a = 1; function f() {}").Main)
	require.True(t, read("for await (const x of y) z(x)").Lowered)
	require.True(t, read("const f = (a: { d: number | null }) => `${a.d! / 60} min`\nif (!/x/.test(y)) !/export/.test(y)\nexport const main = () => f({ d: 3 })").Main, "a slash behind an assertion divides")

	for code, plain := range map[string]string{ // of what esbuild writes otherwise
		"const a: string = 'b' + 'c' +\n  `d`; x(a)":                  "const a         = 'b' + 'c' +\n  `d`; x(a)",
		"x(1 as any); y(); function y(): string { return 'a' + 'b' }": "x(1       ); y(); function y()         { return 'a' + 'b' }",
		"const a: number = 1 + +b - -c + 2":                           "const a         = 1 + +b - -c + 2",
	} {
		require.Equal(t, plain, read(code).Plain)
	}
	for code, want := range map[string]transpile.Error{
		"export * from 'x'":                                                 {Offset: 0, Message: "nobody to export to"},
		"const a = 1; export { a } from 'x'":                                {Offset: 13, Message: "nobody to export to"},
		"export default 1; export default 2":                                {Offset: 18, Message: "second default"},
		"import x from 'y' with { type: 'json' }":                           {Offset: 18, Message: "attributes"},
		"import x from './y.json' with { type: 'text' }":                    {Offset: 25, Message: "attributes"},
		"export default interface X {}":                                     {Offset: 0, Message: "must be a function"},
		"const a: number = ;":                                               {Offset: 18, Message: "Unexpected"},
		"class A { @log run() {} }\nfunction main() {}":                     {Offset: 10, Message: "decorators are not supported: write out what @log does"},
		"const a: number = 1; class A { @log run() {} }":                    {Offset: 31, Message: "decorators are not supported"},
		"function main() { { using r = open() } }":                          {Offset: 20, Message: "using is not supported"},
		"async function main(a: string) { await using r = open(a) }":        {Offset: 39, Message: "using is not supported"},
		"async function main() { return import('kintsugi:csv') }":           {Offset: 31, Message: "behind await"},
		"async function main() { return (await import(name)) }":             {Offset: 38, Message: "name of a module in quotes"},
		"async function main() { return import.meta.env }":                  {Offset: 31, Message: "of import.meta there are"},
		"export default { async fetch() {} }":                               {Offset: 0, Message: "must be a function"},
		"export default class { run() {} }":                                 {Offset: 0, Message: "must be a function"},
		"const x = 1\nnamespace N { export const a = 1 }\nconsole.log(x)":   {Offset: 12, Message: "put that code into main, or write const N"},
		"let a: number;\n{ function f() { return a } }\nfunction main() {}": {Offset: 26, Message: "this TypeScript cannot be told"},
	} {
		_, err := transpile.Read(code)
		var failed *transpile.Error
		require.ErrorAs(t, err, &failed, code)
		require.Contains(t, failed.Message, want.Message, code)
		require.Equal(t, want.Offset, failed.Offset, code)
	}
}

// Rule: the same script gives the same text, however often it is read: runs are replayed by it.
func TestReadIsDeterministic(t *testing.T) {
	t.Parallel()
	for _, code := range snippets(t) {
		first, err := transpile.Read(code)
		require.NoError(t, err)
		again, err := transpile.Read(code)
		require.NoError(t, err)
		require.Equal(t, first.Text, again.Text)
	}
}

// Rule: no text makes reading panic, and what is read keeps its places inside the script.
func FuzzRead(f *testing.F) {
	for _, code := range snippets(f) {
		f.Add(code)
	}
	f.Add("export default")
	f.Add("import {")
	f.Add("`${`")
	f.Fuzz(func(t *testing.T, code string) {
		if len(code) > 2000 || strings.Count(code, "(") > 60 {
			return // the sandbox refuses what is nested before it is read
		}
		s, err := transpile.Read(code)
		if err != nil {
			return
		}
		require.Len(t, s.Plain, len(code))
		names(reflect.ValueOf(s.Run), map[uintptr]bool{}, func(name *ast.Identifier) {
			require.LessOrEqual(t, int(name.Idx), len(code)+1)
		})
	})
}

var update = flag.Bool("update", false, "write testdata/snippets/compiled.json anew")

// Rule: another version of the compiler that makes something else of a script is noticed before it is
// used: look at the diff, and at the replays of testdata/automations. go test ./internal/script/transpile -update
func TestCompiledIsAsBefore(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "..", "testdata", "snippets", "compiled.json")
	have := map[string]string{"": transpile.Version}
	for _, code := range snippets(t) {
		s, err := transpile.Read(code)
		require.NoError(t, err)
		have[digest(code)] = digest(s.Text)
	}
	text, err := json.MarshalIndent(have, "", " ")
	require.NoError(t, err)
	if *update {
		require.NoError(t, os.WriteFile(path, append(text, '\n'), 0o600))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(text))
	build, err := os.ReadFile(filepath.Join("..", "..", "..", "go.mod"))
	require.NoError(t, err)
	require.Contains(t, string(build), strings.Replace(strings.Split(transpile.Version, ",")[0], "esbuild ", "github.com/evanw/esbuild v", 1))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
