package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A workflow from its creation to its restoration: what each status allows, and what is
// said and returned where it does not.
func TestWorkflowLife(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	script := h.file("hello.js", `function main(input) { console.log("hi\nthere"); return "hello " + (input.name || "nobody") }`)

	require.Contains(t, h.ok("workflow", "create", "Greeting", "--intent", "Say hello", "--zone", "Europe/Berlin"), "status draft")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "run", "--repair", "Greeting").err, `"Greeting" has no script: save one first`)
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "activate", "Greeting").err, "no script: save one first")
	require.Contains(t, h.ok("script", "list", "Greeting"), "No script yet")
	require.Contains(t, h.ok("script", "save", "Greeting", "--file", script), "version 1.0 is active")
	require.Contains(t, h.ok("workflow", "run", "--repair", "greeting"), `"hello nobody"`)

	require.Contains(t, h.ok("workflow", "activate", "Greeting"), "active (status active)")
	require.Contains(t, h.ok("workflow", "activate", "Greeting"), "Greeting is active already.")
	require.Contains(t, h.ok("workflow", "run", "--repair", "Greeting", "--input", `{"name":"Ann"}`), `"hello Ann"`)

	require.Contains(t, h.ok("workflow", "pause", "Greeting", "--reason", "on holiday"), "status paused")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "run", "--repair", "Greeting").err, "is paused: activate it first")
	require.Contains(t, h.ok("history", "Greeting"), "on holiday")
	h.ok("workflow", "activate", "Greeting")

	id := h.object("workflow", "show", "Greeting")["id"].(string)
	h.ok("workflow", "archive", "Greeting", "--reason", "nobody greets")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "run", id).err, "is archived: restore it first")
	require.NotContains(t, h.ok("workflow", "list"), "Greeting")
	require.Contains(t, h.ok("workflow", "list", "--archived"), "archived")
	require.Contains(t, h.ok("workflow", "list", "--status", "archived"), "Greeting")
	require.Contains(t, h.ok("workflow", "restore", "Greeting"), "status paused")

	shown := h.object("workflow", "show", "Greeting")
	require.Equal(t, "paused", shown["status"])
	require.Equal(t, "Europe/Berlin", shown["zone"])
	require.Equal(t, "Say hello", shown["intent"])
	require.InDelta(t, 2, shown["succeeded"], 0)
	id = shown["id"].(string)
	require.Contains(t, h.ok("workflow", "show", id[:8]), id, "the beginning of an id will do")
}

// Settings are shown with their defaults, changed one by one, and refused where they are wrong.
func TestWorkflowSettings(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W", "--allow-host", "10.0.0.1,10.0.0.2:8080")
	shown := h.object("workflow", "settings", "W")
	require.Equal(t, "auto", shown["auto_fix"])
	require.InDelta(t, 3, shown["budget"], 0)
	h.ok("workflow", "settings", "W", "--auto-fix", "proven", "--budget", "5", "--max-active", "2")
	shown = h.object("workflow", "settings", "W", "--allow-host", "10.0.0.3", "--disallow-host", "10.0.0.1")
	require.Equal(t, []any{"10.0.0.2:8080", "10.0.0.3"}, shown["allowed_hosts"])
	require.Equal(t, "proven", shown["auto_fix"])
	require.InDelta(t, 5, shown["budget"], 0)
	require.InDelta(t, 2, shown["max_active"], 0)
	require.Equal(t, shown, h.object("workflow", "settings", "W"), "it is stored")

	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "settings", "W", "--auto-fix", "always").err, "choose auto, proven, propose or off")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "settings", "W", "--budget", "0").err, "--auto-fix off")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "settings", "W", "--max-active", "0").err, "pause the workflow")
	require.Equal(t, shown, h.object("workflow", "settings", "W"), "what is refused changes nothing")
}

// Where a new workflow's parts come from, and what of them is refused before anything is stored.
func TestWorkflowCreate(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	r := h.runWith("function main() { return 1 }", "workflow", "create", "Piped", "--script", "-", "--id", "piped", "--draft")
	require.Equal(t, terminal.ExitOK, r.code, r.err)
	require.Contains(t, r.out, "Next: kintsugi workflow activate piped")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "create", "Other", "--id", "piped").err, `exists already: its title is "Piped"`)
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "create", "Zone", "--zone", "Mars/Olympus").err, `--zone "Mars/Olympus" is not a time zone`)
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "create", " ").err, "needs a title")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "create", "File", "--script", "nowhere.js").err, "cannot read nowhere.js")
	require.Len(t, h.objects("workflow", "list"), 1)
}

// Versions: each save is the next major, a rollback names what it restores, a diff compares.
func TestScripts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	one := h.file("one.js", "function main() {\n  return 1;\n}\n")
	two := h.file("two.js", "function main() {\n  return 2;\n}\n")
	h.ok("workflow", "create", "W", "--script", one)
	require.Contains(t, h.ends(terminal.ExitNotFound, "script", "diff", "W").err, "version 1.0 is the first")
	require.Contains(t, h.ok("script", "save", "W", "--file", two, "--comment", "count on"), "version 2.0 is active")
	require.Contains(t, h.ok("workflow", "run", "--repair", "W"), "succeeded on version 2.0.\n2\n")
	impact := h.ends(terminal.ExitDiffers, "script", "rollback", "W", "1.0", "--dry-run").out
	require.Contains(t, impact, "function changed: main")
	require.Contains(t, impact, "It would be saved as 3.0.")
	require.Contains(t, impact, "Checked on 1 recorded runs: 0 the same, 1 differ")
	require.Len(t, h.objects("script", "list", "W"), 2, "nothing was saved")
	require.Contains(t, h.ok("script", "rollback", "W", "1.0", "--comment", "two was wrong"), "version 3.0 is active")
	require.Contains(t, h.ok("workflow", "run", "--repair", "W"), "succeeded on version 3.0.\n1\n")

	list := h.objects("script", "list", "W")
	require.Len(t, list, 3)
	require.Equal(t, []any{"1.0", "2.0", "3.0"}, []any{list[0]["version"], list[1]["version"], list[2]["version"]})
	require.Equal(t, true, list[2]["active"])
	require.Equal(t, "rollback", list[2]["origin"])
	require.Equal(t, "1.0", list[2]["restored"])
	text := h.ok("script", "list", "W")
	require.Contains(t, text, "count on")
	require.Contains(t, text, "two was wrong")

	require.Equal(t, "function main() {\n  return 2;\n}\n", h.ok("script", "show", "W", "2.0"))
	require.Equal(t, "function main() {\n  return 1;\n}\n", h.ok("script", "show", "W"))
	require.Contains(t, h.ok("script", "diff", "W", "1.0", "2.0"), "-  return 1;\n+  return 2;\n")
	require.Contains(t, h.ok("script", "diff", "W"), "-  return 2;\n+  return 1;\n", "the active one with the one before")
	require.Contains(t, h.ok("script", "diff", "W", "1.0"), "1.0 and 3.0 are the same.")
	require.Regexp(t, `(?m)^   2    return 1;\s+\|    2    return 2;$`, h.ok("script", "diff", "W", "1.0", "2.0", "--side-by-side"))
	compared := h.object("script", "diff", "W", "1.0", "2.0")
	require.Equal(t, []any{"1 line added, 1 line removed", "function changed: main"}, compared["summary"])
	require.Equal(t, "person", compared["after"].(map[string]any)["origin"])
	require.Contains(t, h.ends(terminal.ExitNotFound, "script", "show", "W", "7.0").err, "7.0")
	require.Contains(t, h.ends(terminal.ExitUsage, "script", "show", "W", "seven").err, `"seven" is not a version`)
	require.Contains(t, h.ends(terminal.ExitNotFound, "script", "rollback", "W", "7.0").err, "7.0")
	require.Contains(t, h.ends(terminal.ExitUsage, "script", "save", "W").err, `"file" not set`)
}

// A run that fails for good: what is told, what is stored, and how much of it people see.
func TestFailedRun(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.outside.answer("/orders", 401, `{"error":"expired"}`)
	h.create("Orders", orders)
	r := h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Orders", "--input", "@"+h.file("input.json", day(1)))
	require.Contains(t, r.out, "failed (auth): AuthError")
	require.Contains(t, r.out, "The workflow is waiting now")
	require.Contains(t, r.err, "AuthErrorClassified")

	runs := h.objects("run", "list", "--workflow", "Orders", "--status", "failed")
	require.Len(t, runs, 1)
	require.Empty(t, h.objects("run", "list", "--status", "succeeded"))
	shown := h.object("run", "show", runs[0]["id"].(string))
	require.Equal(t, map[string]any{"day": "2026-03-01"}, shown["input"])
	calls := shown["calls"].([]any)
	require.Len(t, calls, 2)
	require.Equal(t, "write", calls[0].(map[string]any)["effect"])
	require.Equal(t, "AuthError", calls[1].(map[string]any)["error"].(map[string]any)["name"])
	require.Contains(t, h.ok("run", "show", runs[0]["id"].(string)), "AuthError: ")

	list := h.objects("notification", "list")
	require.Len(t, list, 1)
	require.Equal(t, "error", list[0]["type"])
	require.Contains(t, h.ok("notification", "list"), "kintsugi workflow activate "+shown["workflow"].(string))
}

// A retry needs a server, and people are told so.
func TestRetryNeedsTheServer(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.outside.answer("/orders", 503, `{}`)
	h.create("Orders", orders)
	r := h.ends(terminal.ExitRunFailed, "workflow", "run", "--repair", "Orders", "--input", day(1))
	require.Contains(t, r.out, "failed (network)")
	require.Contains(t, r.out, "if 'kintsugi dev' runs then")
}

// A script's log and result reach the terminal without characters that could move its cursor or look like a line of
// ours.
func TestOutputOfScriptsIsCleaned(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Rude\x1b[2J", `function main() {
  console.warn("first\nerror   forged \x1b[31mred\u202e");
  notify("\x1b]0;title\x07", "body\x1b[1A");
  throw new Error("bad \x1b[2J thing\nRun r1 succeeded");
}`)
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Rude\x1b[2J")
	runs := h.objects("run", "list")
	id := runs[0]["id"].(string)
	for _, args := range [][]string{
		{"workflow", "list"}, {"workflow", "show", "Rude\x1b[2J"}, {"run", "list"}, {"run", "show", id}, {"run", "logs", id},
		{"notification", "list"}, {"history", "Rude\x1b[2J", "--all"}, {"script", "show", "Rude\x1b[2J"}, {"fix", "list"},
	} {
		text := h.ok(args...)
		require.NotContains(t, text, "\x1b", args)
		require.NotContains(t, text, "\u202e", args)
		require.NotContains(t, text, "\x07", args)
	}
	require.Equal(t, "warn  first\n      error   forged \ufffd[31mred\ufffd\n", h.ok("run", "logs", id))
	for one := range strings.Lines(h.ok("run", "show", id)) {
		require.False(t, strings.HasPrefix(one, "Run r1 succeeded"), "what a script says stands under our line")
	}
}

// The output of a run is shown whole, however long it is.
func TestLongOutput(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "Long", "--script", h.file("s.js", "function main() { return 'x'.repeat(100000) }"))
	require.Contains(t, h.ok("workflow", "run", "--repair", "Long"), `"`+strings.Repeat("x", 100000)+`"`)
	final := h.object("workflow", "run", "--repair", "Long")["final"].(map[string]any)
	require.Len(t, final["output"], 100000)
	require.Contains(t, h.ok("run", "show", final["id"].(string)), strings.Repeat("x", 100000))
}

// Drafts: listed by age, kept or archived many at once, and only what was asked for.
func TestDrafts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	script := h.file("one.js", "function main() {\n  return 1;\n}\n")
	h.ok("workflow", "create", "Live", "--script", script)
	for _, title := range []string{"First", "Second"} {
		h.ok("workflow", "create", title, "--script", script, "--draft")
	}
	list := h.objects("workflow", "drafts")
	require.Equal(t, []any{"First", "Second"}, []any{list[0]["title"], list[1]["title"]})
	require.Equal(t, "fresh", list[0]["age"])
	require.Empty(t, h.objects("workflow", "drafts", "--stale"))
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "drafts", "--archive").err, "say which drafts")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "drafts", "--stale", "--archive", "--keep").err, "exclude each other")
	require.Contains(t, h.ok("workflow", "drafts", "--abandoned", "--archive", "--auto-archive", "on"), "No such drafts.")
	kept := h.objects("workflow", "drafts", "Second", "--keep")
	require.Equal(t, []any{"Second", "kept"}, []any{kept[0]["title"], kept[0]["done"]})
	require.Equal(t, "archived", h.objects("workflow", "drafts", "First", "--archive")[0]["done"])
	require.Len(t, h.objects("workflow", "drafts"), 1)
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "drafts", "Live", "--keep").err, "is no such draft")
	require.Contains(t, h.ok("workflow", "list"), "idle")
	require.Contains(t, h.ok("workflow", "show", "Live"), "Now       idle")
}

// A title is one workflow's. An archived workflow's title is free for others; it is named by its id, and restored by
// either.
func TestATitleThatAnotherOneHas(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "Orders", "--id", "orders-one")
	refused := h.ends(terminal.ExitConflict, "workflow", "create", " orders").err
	require.Contains(t, refused, "kintsugi script save orders-one --file")
	require.Contains(t, refused, "--id")
	require.Len(t, h.objects("workflow", "list"), 1)
	h.ok("workflow", "archive", "Orders")
	require.Contains(t, h.ends(terminal.ExitNotFound, "workflow", "show", "Orders").err, "named by its id: orders-one")
	require.Equal(t, "archived", h.object("workflow", "show", "orders-one")["status"])
	h.ok("workflow", "create", "Orders")
	require.Equal(t, "draft", h.object("workflow", "show", "Orders")["status"])
	refused = h.ends(terminal.ExitConflict, "workflow", "restore", "orders-one").err
	require.Contains(t, refused, "kintsugi workflow edit orders-one --title TITLE")
	h.ok("workflow", "edit", "orders-one", "--title", "Old orders")
	require.Contains(t, h.ok("workflow", "restore", "Old orders"), "status draft")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "edit", "Old orders", "--title", " orders").err, "is called")
	h.ok("workflow", "edit", "Old orders", "--title", "Old orders", "--intent", "What was ordered")
	h.succeed("Bundled")
	bundle := h.file("bundle.json", "")
	h.ok("export", "Bundled", "--file", bundle)
	require.Contains(t, h.ends(terminal.ExitConflict, "import", bundle).err, "--title")
	h.ok("import", bundle, "--title", "Copied")
	before := len(h.objects("workflow", "list"))
	h.ends(terminal.ExitUsage, "import", bundle, "--title", "Nowhere", "--allow-host", "no host")
	require.Len(t, h.objects("workflow", "list"), before, "what is refused leaves no draft")
}

// A script that cannot be saved is refused before a workflow is made, in the words of script check.
func TestAWorkflowThatCannotBeMadeLeavesNoDraft(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	good := h.file("good.js", "function main() {}")
	h.ok("workflow", "create", "W", "--script", good)
	for name, code := range map[string]string{
		"latin1.js": "function main() { return 'caf\xe9' }",
		"long.js":   "function main() {} // " + strings.Repeat("x", 256<<10),
	} {
		file := h.file(name, code)
		checked := h.ends(terminal.ExitUsage, "script", "check", file)
		require.Contains(t, checked.err, file+": the script ")
		require.Equal(t, checked.err, h.ends(terminal.ExitUsage, "workflow", "create", "New", "--script", file).err)
		require.Equal(t, checked.err, h.ends(terminal.ExitUsage, "script", "save", "W", "--file", file).err)
	}
	h.ends(terminal.ExitUsage, "workflow", "create", "New", "--script", good, "--allow-host", "http://a b")
	require.Len(t, h.objects("workflow", "list"), 1)
}

// A person says where the input has how urgent it is, and how long an input waits for a newer one.
func TestPriorityAndDebounceAreChosen(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	require.Contains(t, h.ok("workflow", "settings", "W", "--priority-key", "order.priority", "--debounce", "10s"), "priority       order.priority\ndebounce       10s\n")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "settings", "W", "--priority-key", "a..b").err, "setting priority_key")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "settings", "W", "--debounce", "2h").err, "setting debounce_ms")
	shown := h.object("workflow", "settings", "W", "--priority-key", "", "--debounce", "0s")
	require.NotContains(t, shown, "priority_key")
	require.NotContains(t, shown, "debounce_ms")
}

// A person says where the input has what a run is about, and can take it back.
func TestAConcurrencyKeyIsChosen(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	require.Contains(t, h.ok("workflow", "settings", "W", "--concurrency-key", "customer.id", "--max-active", "3"), "one at a time  customer.id\n")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "settings", "W", "--concurrency-key", "a..b").err, "like customer.id")
	require.NotContains(t, h.object("workflow", "settings", "W", "--concurrency-key", "", "--max-active", "1"), "concurrency_key")
}
