package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What becomes of a half-done run is said in JSON where that is asked for: it goes on, starts again, or stays.
func TestHalfDoneRunsAreDecidedInJSON(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	half := "async function main() { await web.postJSON('BASE/a', {}); null.x }"
	whole := h.file("whole.js", h.outside.local("async function main() { await web.postJSON('BASE/a', {}); await web.postJSON('BASE/b', {}); return 1 }"))
	for _, what := range []string{"continue", "restart", "leave"} {
		h.create(what, half)
		h.ok("workflow", "settings", what, "--auto-fix", "off")
		h.run("workflow", "run", what)
		h.ok("script", "save", what, "--file", whole)
		run := h.objects("run", "list", "--workflow", what)[0]["id"].(string)
		require.NotEmpty(t, h.object("run", what, run)["run"], what)
	}
	require.Len(t, h.outside.requests("POST /a"), 4, "what went on and what was left wrote it once, what began again twice")
	require.Len(t, h.outside.requests("POST /b"), 2)
}
