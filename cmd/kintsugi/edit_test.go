package main

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// edits runs 'kintsugi edit' with an editor that is a line of shell; $1 is the file.
func (h *home) edits(code int, editor, in string, args ...string) result {
	h.t.Helper()
	script := h.file("editor.sh", editor)
	h.t.Setenv("VISUAL", "sh "+script)
	r := h.runWith(in, append([]string{"edit"}, args...)...)
	require.Equal(h.t, code, r.code, "%s\n%s", r.out, r.err)
	return r
}

// Rule: what is edited is checked, tried on recorded runs, and saved as the next major. A text that is not saved is kept.
func TestEdit(t *testing.T) { // not parallel: the editor is in the environment
	h := newHome(t)
	h.create("Count", "async function main(input) { return 1 }")
	h.ok("workflow", "run", "Count")

	h.edits(terminal.ExitOK, "true", "", "Count")
	require.Len(t, h.objects("script", "list", "Count"), 1, "nothing was changed")

	h.edits(terminal.ExitOK, `sed -i 's/return 1/return 1 + 0/' "$1"`, "", "Count", "--comment", "sum")
	require.Equal(t, "2.0", h.object("script", "show", "Count")["version"])
	require.Equal(t, "sum", h.object("script", "show", "Count")["comment"])

	r := h.edits(terminal.ExitDiffers, `sed -i 's/1 + 0/2/' "$1"`, "n\n", "Count")
	kept := regexp.MustCompile(`Your text is in (\S+)`).FindStringSubmatch(r.err)
	require.NotNil(t, kept, r.err)
	text, err := os.ReadFile(kept[1])
	require.NoError(t, err)
	require.Contains(t, string(text), "return 2")
	h.edits(terminal.ExitOK, `sed -i 's/1 + 0/2/' "$1"`, "y\n", "Count")
	require.Equal(t, "3.0", h.object("script", "show", "Count")["version"])

	r = h.edits(terminal.ExitUsage, `echo ')' >> "$1"`, "n\n", "Count")
	require.Contains(t, r.err, "Your text is in")
	// Another editor writes it right the second time.
	h.edits(terminal.ExitOK, `if grep -q ')))' "$1"; then sed -i 's/)))//; s/return 2/return 1 + 1/' "$1"; else echo ')))' >> "$1"; fi`, "y\n", "Count")
	require.Equal(t, "4.0", h.object("script", "show", "Count")["version"])
	require.Contains(t, h.edits(terminal.ExitUsage, "exit 3", "", "Count").err, "ended with an error")
	require.Contains(t, h.edits(terminal.ExitNotFound, "true", "", "Nobody").err, "Nobody")
	h.t.Setenv("VISUAL", "")
	h.t.Setenv("EDITOR", "")
	require.Contains(t, h.ends(terminal.ExitUsage, "edit", "Count").err, "set EDITOR")
}

// Rule: an edit never undoes a version that it has not seen.
func TestEditOfAnOldVersion(t *testing.T) { // not parallel: the editor is in the environment
	h := newHome(t)
	h.create("Count", "async function main(input) { return 1 }")
	other := h.file("other.js", "async function main(input) { return 3 - 2 }")
	self := h.command().Path
	t.Setenv(asCommand, "1")
	r := h.edits(terminal.ExitConflict, `sed -i 's/return 1/return 1 + 0/' "$1"; '`+self+`' --data-dir '`+h.dir+`' script save Count --file `+other, "", "Count")
	require.Contains(t, r.err, "version 2.0 became active while you edited 1.0")
	require.Contains(t, r.err, "Your text is in")
	require.Contains(t, h.ok("script", "show", "Count"), "3 - 2")
}
