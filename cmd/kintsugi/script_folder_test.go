package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// folder is [orders] as people have it: in two files, with a package of npm.
func (h *home) folder() string {
	h.t.Helper()
	dir := filepath.Join(h.t.TempDir(), "orders")
	for name, text := range map[string]string{
		"main.ts": "import pad from 'left-pad';\nimport { total, type Order } from './lib/total';\n\nexport default async function main(input: { day: string }) {\n" +
			"  const list: { orders: Order[] } = await web.getJSON('BASE/orders');\n  const sum = total(list.orders);\n" +
			"  await files.write('orders/' + input.day + '.txt', pad(sum, 6));\n  return { orders: list.orders.length, total: sum, padded: pad(sum, 6) };\n}\n",
		"lib/total.ts":                       "export interface Order { amount_total: { value: number } }\n\nexport function total(orders: Order[]): number {\n  let sum = 0;\n  for (const order of orders) {\n    sum += order.amount_total.value;\n  }\n  return sum;\n}\n",
		"package.json":                       `{"dependencies":{"left-pad":"^1.0.0"}}`,
		"package-lock.json":                  `{"lockfileVersion":3,"packages":{"":{},"node_modules/left-pad":{"version":"1.3.0"}}}`,
		"node_modules/left-pad/package.json": `{"name":"left-pad","version":"1.3.0","main":"index.js"}`,
		"node_modules/left-pad/index.js":     "module.exports = function (text, n) { return String(text).padStart(n, '" + canary + "'.slice(0, 1)); };\n",
	} {
		at := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(h.t, os.MkdirAll(filepath.Dir(at), 0o700))
		require.NoError(h.t, os.WriteFile(at, []byte(h.outside.local(text)), 0o600))
	}
	return dir
}

// Rule: a folder with files and packages is a script: it is checked, saved, run, mended, diffed, exported, proved, imported and erased as any
// other one, and a fix changes the author's file and no package.
func TestAFolderIsAScript(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dir := h.folder()
	require.Contains(t, h.ok("script", "check", dir), "can be saved")
	require.Contains(t, h.ok("workflow", "create", "Orders", "--script", filepath.Join(dir, "main.ts"), "--allow-host", h.outside.host()), "active")
	h.outside.answer("/orders", 200, oldOrders(10, 20))
	require.JSONEq(t, `{"orders":2,"total":30,"padded":"cccc30"}`, text(t, h.object("workflow", "dry-run", "Orders", "--input", day(1))["output"]))
	for i, amounts := range [][]int{{10, 20}, {5}, {7, 8, 9}, {100, 3}} {
		h.outside.answer("/orders", 200, oldOrders(amounts...))
		h.ok("workflow", "run", "--repair", "Orders", "--input", day(i+1))
	}
	require.Contains(t, h.ok("history", "Orders"), "packages: left-pad 1.3.0")

	h.outside.answer("/orders", 200, newOrders(11, 22))
	require.Contains(t, h.ok("workflow", "run", "--repair", "Orders", "--input", day(9)), "succeeded on version 1.1")
	shown := h.ok("script", "show", "Orders")
	require.Contains(t, shown, "//# left-pad 1.3.0: default")
	require.NotContains(t, shown, "sum += order.amount_total.value;")
	diff := h.ok("script", "diff", "Orders")
	require.Contains(t, diff, "-    sum += order.amount_total.value;")
	require.NotContains(t, diff, "-//#")
	require.NotContains(t, diff, "+//#")

	// The output of show can be edited and saved: its packages are kept.
	require.Contains(t, h.ok("script", "save", "Orders", "--file", h.file("edited.ts", shown+"\n")), "2.0")
	require.Equal(t, 1, strings.Count(h.ok("history", "Orders"), "PackagesKept"))
	require.Contains(t, h.ok("script", "save", "Orders", "--file", dir), "3.0")
	require.Equal(t, 1, strings.Count(h.ok("history", "Orders"), "PackagesKept"))
	require.Contains(t, h.ok("script", "rollback", "Orders", "1.1"), "4.0")

	bundle := filepath.Join(t.TempDir(), "bundle.json")
	h.ok("export", "Orders", "--version", "1.1", "--file", bundle)
	written, err := os.ReadFile(bundle)
	require.NoError(t, err)
	require.Contains(t, string(written), `"packages": "{\"format\":\"kintsugi.packages/1\"`)
	other := newHome(t)
	require.Contains(t, other.ok("replay", bundle), "reproduce")
	// A fix that changes a package is none.
	broken := filepath.Join(t.TempDir(), "broken.json")
	h.ok("export", "Orders", "--version", "1.0", "--file", broken)
	require.Contains(t, other.ok("prove", broken, "--script", other.file("mended.ts", shown)), "identical")
	require.Contains(t, other.ends(terminal.ExitFailure, "prove", broken, "--script", other.file("fix.ts", strings.Replace(shown, "left-pad 1.3.0", "left-pad 1.3.1", 1))).out, "a fix changes no package")
	other.ok("import", bundle, "--title", "Imported", "--allow-host", h.outside.host())
	require.Equal(t, shown, other.ok("script", "show", "Imported"))
	require.JSONEq(t, `{"orders":2,"total":33,"padded":"cccc33"}`, text(t, other.object("workflow", "dry-run", "Imported", "--input", day(9))["output"]))
	require.Contains(t, other.ends(terminal.ExitUsage, "import", other.file("bad.json", strings.Replace(string(written), "String(text)", "String(other)", 1)), "--title", "Bad").err, "must be the text of the packages that the code names")

	// Without its packages at hand a script is refused when it is saved.
	require.Contains(t, other.ends(terminal.ExitUsage, "workflow", "create", "Bare", "--script", other.file("bare.ts", strings.Replace(shown, "packages sha256 ", "packages sha256 0", 1))).err, "are not kept with this workflow")

	h.ok("workflow", "archive", "Orders")
	h.ok("workflow", "delete", "Orders", "--yes")
	require.Contains(t, h.ok("verify", "--deep"), "whole")
}

// Rule: a folder of one machine is saved on the server of another one, which reads no file of its own for anybody.
func TestAFolderIsSavedElsewhere(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	far := h.serveRemote()
	near := newHome(t)
	dir := near.folder()
	require.Contains(t, far.ends(terminal.ExitOK, "workflow", "create", "Orders", "--script", dir).out, "active")
	require.Contains(t, far.ends(terminal.ExitOK, "script", "show", "Orders").out, "//# left-pad 1.3.0: default")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.ts"), []byte("import pad from 'left-pad';\nexport default () => pad(7, 3);\n"), 0o600))
	require.Contains(t, far.ends(terminal.ExitOK, "script", "save", "Orders", "--file", filepath.Join(dir, "main.ts")).out, "2.0")
	require.Contains(t, far.ends(terminal.ExitOK, "workflow", "run", "Orders").out, "cc7")
}

// Rule: packages run for the owner whose workflows keep them. Another owner who knows the code, and so the digest of its packages, can
// neither save nor try it with them.
func TestPackagesAreTheirOwners(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dir := h.folder()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.ts"), []byte("import pad from 'left-pad';\nexport default () => pad(7, 3);\n"), 0o600))
	h.ok("workflow", "create", "Orders", "--script", dir)
	known := map[string][]byte{"known.ts": []byte(h.ok("script", "show", "Orders")), "s.js": []byte("function main() { return 1 }")}
	e := h.serveRemote()
	ann := h.object("token", "create", "ann", "--person", "ann", "--owner", h.object("workflow", "show", "Orders")["owner"].(string), "--scope", "read,run,edit,decide")["token"].(string)
	bob := h.object("token", "create", "bob", "--person", "bob", "--owner", "bob", "--scope", "read,run,edit,decide")["token"].(string)
	require.Contains(t, e.givenWith(ann, known, "workflow", "dry-run", "Orders", "--script", "known.ts").out, "cc7")
	require.Equal(t, terminal.ExitOK, e.givenWith(bob, known, "workflow", "create", "Mine", "--script", "s.js").code)
	require.Equal(t, terminal.ExitOK, e.givenWith(bob, known, "workflow", "run", "Mine").code)
	for _, args := range [][]string{{"workflow", "create", "Taken", "--script", "known.ts"}, {"script", "save", "Mine", "--file", "known.ts"}} {
		require.Contains(t, e.givenWith(bob, known, args...).err, "are not kept with this workflow", args)
	}
	for _, args := range [][]string{{"workflow", "dry-run", "Mine", "--script", "known.ts"}, {"workflow", "what-if", "Mine", "--script", "known.ts"}} {
		tried := e.givenWith(bob, known, args...)
		require.NotEqual(t, terminal.ExitOK, tried.code, args)
		require.NotContains(t, tried.out, "cc7", args)
		require.Contains(t, tried.err, "keeps the packages", args)
	}
}

func text(t *testing.T, value any) string {
	t.Helper()
	made, err := json.Marshal(value)
	require.NoError(t, err)
	return string(made)
}
