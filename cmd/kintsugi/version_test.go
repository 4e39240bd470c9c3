package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A program says which one it is.
func TestVersion(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Regexp(t, `^kintsugi \S+ \(go1\.\S+, \w+/\w+\)\n$`, h.ok("version"))
	require.NotEmpty(t, h.object("version")["version"])
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
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "delete", "Orders").err, "did you mean archive?")
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "start", "Orders").err, "activate")
	require.Contains(t, h.ends(terminal.ExitUsage, "secret", "rm", "A").err, "did you mean remove?")
	require.Contains(t, h.ok("workflow", "ls"), "Orders")
	require.Contains(t, h.ok("workflow", "set", "Orders", "--input", `{"a":1}`), `{"a":1}`)
}
