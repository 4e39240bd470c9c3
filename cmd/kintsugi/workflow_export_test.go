package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// told is what of a history is the same in every installation.
func (h *home) told(workflow string, flags ...string) []map[string]any {
	h.t.Helper()
	lines := h.objects(append([]string{"history", workflow, "--all", "--verify"}, flags...)...)
	for _, line := range lines {
		delete(line, "position")
	}
	return lines
}

// A workflow with everything that happened to it is taken into another installation, and goes on there.
func TestWorkflowExportAndImport(t *testing.T) {
	t.Parallel()
	h, other := newHome(t), newHome(t)
	other.outside = h.outside
	h.create("Another", "function main() { return 1 }")
	h.ok("workflow", "run", "--repair", "Another")
	h.mend("Orders")
	h.ok("workflow", "run", "--repair", "Another")
	path := filepath.Join(t.TempDir(), "orders.jsonl")
	require.Contains(t, h.ok("workflow", "export", "Orders", "--file", path), " streams to "+path)
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(written), h.ok("workflow", "export", "Orders"))
	require.NotContains(t, string(written), "Another")

	other.create("Neighbour", "function main() { return 1 }")
	said := other.ok("workflow", "import", path)
	require.Contains(t, said, "Imported Orders (")
	require.Contains(t, said, "Its status is active.")
	require.Equal(t, h.told("Orders"), other.told("Orders"))
	require.Equal(t, h.object("workflow", "show", "Orders"), other.object("workflow", "show", "Orders"))
	require.Contains(t, other.ok("workflow", "import", path), "is here already")

	require.Contains(t, other.ok("workflow", "run", "--repair", "Orders", "--input", day(9)), "succeeded on version 1.1")
	require.Contains(t, other.ok("workflow", "import", path), "is here already", "and went on")
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(8))
	r := other.runWith(h.ok("workflow", "export", "Orders"), "workflow", "import", "-")
	require.Equal(t, terminal.ExitConflict, r.code, r.err)
	require.Contains(t, r.err, "went another way here")
}

// An import that was cut short is gone on with, wherever that was.
func TestWorkflowImportGoesOn(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	lines := slices.Collect(strings.Lines(h.ok("workflow", "export", "Orders")))
	for _, cut := range []int{1, 2, len(lines) / 2, len(lines) - 1} {
		other := newHome(t)
		r := other.runWith(strings.Join(lines[:cut], ""), "workflow", "import", "-", "-o", "json")
		require.Equal(t, terminal.ExitOK, r.code, r.err)
		r = other.runWith(strings.Join(lines, ""), "workflow", "import", "-", "-o", "json")
		require.Equal(t, terminal.ExitOK, r.code, r.err)
		result := decodeAs[map[string]any](t, r.out)
		require.InDelta(t, cut, result["present"], 0)
		require.InDelta(t, len(lines), result["events"], 0)
		require.Equal(t, "Orders", result["title"])
		require.Equal(t, h.told("Orders"), other.told("Orders"))
	}
}

// A file that is not the whole and possible history of one workflow is refused before anything is written.
func TestWorkflowImportRefuses(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	h.create("W", "function main() { return 1 }")
	lines := slices.Collect(strings.Lines(h.ok("workflow", "export", "Orders")))
	whole := strings.Join(lines, "")
	without := func(i int) string { return strings.Join(lines[:i], "") + strings.Join(lines[i+1:], "") }
	for name, test := range map[string]struct {
		content string
		code    int
		says    string
	}{
		"nothing":           {"", terminal.ExitUsage, "there is no event in it"},
		"no JSON":           {"hello\n", terminal.ExitUsage, "line 1"},
		"cut in a line":     {whole[:len(whole)-20], terminal.ExitUsage, "ends in the middle of the event"},
		"another payload":   {strings.Replace(whole, `"title":"Orders"`, `"title":"0rders"`, 1), terminal.ExitBroken, "is broken at revision 0"},
		"an event missing":  {without(1), terminal.ExitBroken, "revision 1 is missing before it"},
		"the first missing": {without(0), terminal.ExitUsage, "is not of the workflow that the file begins with"},
		"another workflow":  {whole + h.ok("workflow", "export", "W"), terminal.ExitUsage, "is not of the workflow that the file begins with"},
		"another stream":    {whole + strings.Replace(lines[0], `"workflow-`, `"orders-`, 1), terminal.ExitUsage, "is not of the workflow"},
		"an event twice":    {whole + lines[len(lines)-1], terminal.ExitBroken, "is broken"},
		"a bundle":          {h.ok("export", "Orders"), terminal.ExitUsage, "line 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := newHome(t)
			r := other.runWith(test.content, "workflow", "import", "-")
			require.Equal(t, test.code, r.code, r.err)
			require.Contains(t, r.err, test.says)
			require.Contains(t, r.err, "standard input was not imported")
			require.NoDirExists(t, other.dir)
		})
	}
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "import", "nowhere.jsonl").err, "cannot read nowhere.jsonl")
	require.Contains(t, h.ends(terminal.ExitNotFound, "workflow", "export", "nothing").err, `there is no workflow "nothing"`)
	lock, err := app.LockServer(h.dir, "kintsugi dev")
	require.NoError(t, err)
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "import", h.file("w.jsonl", whole)).err, "has a server already")
	require.NoError(t, lock.Release())

	// A history that was changed is not written out either.
	h.change("UPDATE event SET payload = CAST(replace(CAST(payload AS TEXT), 'Orders', '0rders') AS BLOB) WHERE pos = 1")
	require.Contains(t, h.ends(terminal.ExitBroken, "workflow", "export", "Orders").err, "the history was changed")
}
