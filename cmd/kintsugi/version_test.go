package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/man"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// A program says which one it is.
func TestVersion(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Regexp(t, `^kintsugi \S+ \(go1\.\S+, \w+/\w+\)\n$`, h.ok("version"))
	told := decodeAs[built](t, h.ok("version", "--json"))
	require.NotEmpty(t, told.Version)
	require.Equal(t, gate.GateVersion, told.Gate)
	h.ok("workflow", "create", "W")
	require.Equal(t, h.objects("projection", "list")[0]["name"], told.Schema, "the views that it reads")
}

// Each command has a man page, which says nothing of the machine that it was made on.
func TestManPages(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	dir := filepath.Join(t.TempDir(), "man1")
	written := h.command("man", "--dir", dir, "-o", "json")
	out, err := written.Output()
	require.NoError(t, err)
	host, err := os.Hostname()
	require.NoError(t, err)
	pages := decodeAs[man.Written](t, string(out)).Pages
	for path := range leaves() {
		page := filepath.Join(dir, strings.ReplaceAll("kintsugi "+path, " ", "-")+".1")
		require.Contains(t, pages, page)
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		require.Contains(t, string(text), ".TH \"KINTSUGI-")
		require.NotContains(t, string(text), h.dir)
		require.NotContains(t, string(text), host+"/")
	}
	require.Contains(t, h.ends(terminal.ExitUsage, "man").err, "--dir")
}

// Machines that ask for JSON get it also when something goes wrong: one object, with the exit code.
func TestErrorsAsJSON(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", "function main() { return 1 }")
	for _, format := range []string{"json", "jsonl"} {
		failed := h.ends(terminal.ExitNotFound, "workflow", "show", "Nothing", "-o", format)
		require.Empty(t, failed.out)
		told := decodeAs[map[string]any](t, failed.err)
		require.Contains(t, told["error"], "Nothing")
		require.InDelta(t, terminal.ExitNotFound, told["exit_code"], 0)
		told = decodeAs[map[string]any](t, h.ends(terminal.ExitUsage, "workflow", "show", "-o", format).err)
		require.InDelta(t, terminal.ExitUsage, told["exit_code"], 0)
	}
}

// Words of other programs lead on.
func TestOtherNames(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", "function main() { return 1 }")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "rm", "Orders").err, "did you mean archive or run?")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "start", "Orders").err, "activate")
	require.Contains(t, h.ends(terminal.ExitUsage, "secret", "rm", "A").err, "did you mean remove?")
	require.Contains(t, h.ok("workflow", "ls"), "Orders")
	require.Contains(t, h.ok("workflow", "set", "Orders", "--input", `{"a":1}`), `{"a":1}`)
}
