package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// Each view of a half-done run offers the commands that decide about it, and each of them works; the keys and files
// of the workflow can be read, also as they were.
func TestAHalfDoneRunIsDecidedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Count", `async function main() {
		await kv.set("n", ((await kv.get("n")) || 0) + 1);
		await files.append("log.txt", "x");
		return (undefined).no;
	}`)
	h.ok("workflow", "settings", "Count", "--auto-fix", "off")
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Count")
	failed := h.objects("run", "list")[0]["id"].(string)
	require.Contains(t, h.ok("run", "show", failed), "half done, after 2 writes on version 1.0")
	repaired := h.file("repaired.js", `async function main() {
		await kv.set("n", ((await kv.get("n")) || 0) + 1);
		await files.append("log.txt", "x");
		await kv.set("n", 40);
	}`)
	require.Contains(t, h.ok("script", "save", "Count", "--file", repaired), "kintsugi run continue, restart or leave "+failed)
	told := h.ok("notification", "list")
	for _, offered := range []string{"kintsugi run continue " + failed, "kintsugi run restart " + failed, "kintsugi run leave " + failed} {
		require.Contains(t, told, offered)
	}
	require.Contains(t, h.ok("workflow", "show", "Count"), failed)

	require.Contains(t, h.ok("run", "continue", failed), "succeeded on version 2.0")
	require.NotContains(t, h.ok("notification", "list"), "half done")
	h.ends(terminal.ExitConflict, "run", "leave", failed)

	require.Equal(t, "40\n", h.ok("workflow", "keys", "Count", "n"))
	require.Equal(t, "1\n", h.ok("workflow", "keys", "Count", "n", "--at", "2.0"))
	require.Contains(t, h.ok("workflow", "files", "Count"), "log.txt")
	require.Equal(t, "x", h.ok("workflow", "files", "Count", "log.txt"))
	require.Contains(t, h.ok("workflow", "files", "Count", "--at", "1.0"), "No files.")
	h.ends(terminal.ExitNotFound, "workflow", "keys", "Count", "m")
	require.Contains(t, h.ok("history", "Count", "--at", "2.0"), "n = 1, log.txt (1 bytes)")
}

// To start a half-done run again writes what it had written again: that is listed first. A person who types is asked, and a pipe has
// to say --yes.
func TestARestartSaysWhatIsWrittenAgain(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Count", `async function main() {
		await kv.set("n", ((await kv.get("n")) || 0) + 1);
		await notify("Counted", "once more");
		return (undefined).no;
	}`)
	h.ok("workflow", "settings", "Count", "--auto-fix", "off")
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Count")
	failed := h.objects("run", "list")[0]["id"].(string)
	repaired := h.file("repaired.js", `async function main() { await kv.set("n", ((await kv.get("n")) || 0) + 1); }`)
	h.ok("script", "save", "Count", "--file", repaired)

	refused := h.ends(terminal.ExitConflict, "run", "restart", failed)
	for _, want := range []string{`kv.set ["n",1]`, `notify ["Counted","once more"]`, "Nothing was done", "--yes", "kintsugi run continue " + failed} {
		require.Contains(t, refused.err, want)
	}
	again := h.object("run", "show", failed)["unfinished"].(map[string]any)["again"].([]any)
	require.Len(t, again, 2)
	typing := func(types string) result {
		var out, errs bytes.Buffer
		cli := terminal.New(strings.NewReader(types), &out, &errs)
		cli.Typed = true
		code := cli.Run(t.Context(), newRootCommand(cli), []string{"--data-dir", h.dir, "--store", h.store, "run", "restart", failed})
		return result{code: code, out: out.String(), err: errs.String()}
	}
	for _, no := range []string{"", "\n", "n\n"} {
		said := typing(no)
		require.Equal(t, terminal.ExitConflict, said.code)
		require.Contains(t, said.err, `notify ["Counted","once more"]`)
		require.Contains(t, said.err, "write all of that again? [y/N]")
	}
	require.Equal(t, "1\n", h.ok("workflow", "keys", "Count", "n"))
	yes := typing("y\n")
	require.Equal(t, terminal.ExitOK, yes.code, yes.err)
	require.Equal(t, "2\n", h.ok("workflow", "keys", "Count", "n"))
	require.Contains(t, h.ends(terminal.ExitConflict, "run", "restart", failed).err, "is not unfinished")
}
