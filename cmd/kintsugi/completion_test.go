package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// completes is what a shell is told for the last argument.
func (h *home) completes(args ...string) (words []string) {
	h.t.Helper()
	var out, errs bytes.Buffer
	code := execute(h.t.Context(), append([]string{"__completeNoDesc", "--data-dir", h.dir}, args...), strings.NewReader(""), &out, &errs)
	require.Equal(h.t, terminal.ExitOK, code, errs.String())
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return lines[:len(lines)-1] // the last is for the shell
}

// Shells complete titles, ids as lists show them, versions and the few words of flags.
func TestCompletion(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Refund report", "function main() { return 1 }")
	h.ok("workflow", "create", "Twin", "--id", "twin-one")
	h.ok("workflow", "create", "Twin", "--id", "twin-two")
	h.ok("workflow", "run", "--repair", "Refund report")
	run := h.objects("run", "list")[0]["id"].(string)

	require.ElementsMatch(t, []string{"Refund report", "twin-one", "twin-two"}, h.completes("workflow", "show", ""))
	require.Equal(t, []string{"Refund report"}, h.completes("run", "list", "--workflow", "ref"))
	shown := h.completes("run", "show", "")
	require.Equal(t, []string{terminal.Ending(run, terminal.LeastOfID)}, shown)
	require.Equal(t, run, h.object("run", "show", shown[0])["id"])
	require.Equal(t, []string{"1.0"}, h.completes("script", "rollback", "Refund report", ""))
	require.Empty(t, h.completes("script", "rollback", "nothing", ""))
	require.Equal(t, []string{"auto", "proven", "propose", "off"}, h.completes("workflow", "settings", "Twin", "--auto-fix", ""))
	require.Equal(t, []string{"text", "json", "jsonl"}, h.completes("run", "list", "-o", ""))
	require.Contains(t, h.completes("workflow", "trigger", "Twin", "--outcome", ""), "recovered")
	require.Contains(t, h.completes("run", "list", "--status", ""), "in_doubt")
	require.Empty(t, h.completes("fix", "show", ""))
	require.Empty(t, h.completes("notification", "ack", ""))
	h.ok("subscription", "add", "audit", "--to", "exec:/bin/true")
	require.Equal(t, []string{"audit"}, h.completes("subscription", "dead-letters", "list", "a"))
	h.ok("secret", "set", "TOKEN", "--all", "--host", "api.example.test", "--file", h.file("token", "0123456789abcdef"))
	require.Equal(t, []string{"TOKEN"}, h.completes("secret", "remove", ""))
	require.Contains(t, h.completes("view", ""), "run")
	require.Equal(t, []string{"text", "json"}, h.completes("dev", "--log-format", ""))
}

// Where there is no store, nothing is completed, said or made.
func TestCompletionMakesNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Empty(t, h.completes("workflow", "show", ""))
	require.NoDirExists(t, h.dir)
}

// Elsewhere, what is completed is what the server has, as far as the token may see it.
func TestCompletionElsewhere(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Refund report", "function main() { return 1 }")
	h.ok("secret", "set", "TOKEN", "--all", "--host", "api.example.test", "--file", h.file("token", "0123456789abcdef"))
	e := h.serveRemote()
	completed := func(token string, args ...string) []string {
		t.Helper()
		r := e.process(token, "", append([]string{"__complete"}, args...)...)
		require.Equal(t, terminal.ExitOK, r.code, r.err)
		lines := strings.Split(strings.TrimSpace(r.out), "\n")
		return lines[:len(lines)-1]
	}
	require.Equal(t, []string{"Refund report\tactive"}, completed(e.token, "workflow", "show", ""))
	require.Equal(t, []string{"Refund report\tactive"}, completed(e.token, "run", "list", "--server", e.url, "--workflow", "ref"))
	require.Equal(t, []string{"TOKEN\tapi.example.test"}, completed(e.token, "secret", "remove", ""))
	reader := strings.TrimSpace(h.object("token", "create", "--scope", "read")["token"].(string))
	require.Equal(t, []string{"Refund report\tactive"}, completed(reader, "workflow", "show", ""))
	require.Empty(t, completed(reader, "secret", "remove", ""))
	require.Empty(t, completed("kin_pat_nobody", "workflow", "show", ""))
}
