package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A suspected run is shown with what it would have written, and a person says whether it is right. Runs that were
// wrong for days are exempted in one go, with their writes.
func TestARunThatLooksWrongIsDecidedFromTheCommandLine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	var answer atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer.Load().(string))
	}))
	t.Cleanup(server.Close)
	h.create("Sum", `async function main() {
		const { rows } = await web.getJSON('`+server.URL+`/rows');
		await kv.set('sum', rows.reduce((sum, row) => sum + (row.total || 0), 0));
	}`)
	h.ok("workflow", "settings", "Sum", "--auto-fix", "off", "--allow-host", strings.TrimPrefix(server.URL, "http://"))
	for _, rows := range []string{`{"total":4},{"total":5}`, `{"total":7}`, `{"total":1},{"total":2}`} {
		answer.Store(`{"rows":[` + rows + `]}`)
		h.ok("workflow", "run", "--repair", "Sum")
	}
	answer.Store(`{"rows":[{"amount":4},{"amount":8}]}`)
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Sum")
	stopped := h.objects("run", "list")[0]["id"].(string)
	shown := h.ok("run", "show", stopped)
	require.Contains(t, shown, "It was stopped before it wrote, because it looks wrong")
	require.Contains(t, shown, "rows[].total was always number, and is gone")
	require.Contains(t, shown, `"args":["sum",0]`)
	require.Contains(t, shown, "kintsugi run trust "+stopped)
	require.Equal(t, "3\n", h.ok("workflow", "keys", "Sum", "sum"))
	require.Contains(t, h.ok("notification", "list"), "kintsugi run trust "+stopped, "tried again, it would be stopped again")

	require.Contains(t, h.ok("workflow", "settings", "Sum", "--guard", "notice"), "guard          notice")
	h.ok("workflow", "activate", "Sum")
	h.ok("workflow", "run", "--repair", "Sum")
	marked := h.objects("run", "list")[0]["id"].(string)
	require.Contains(t, h.ok("run", "list"), "looks wrong: ")
	require.Contains(t, h.ok("run", "show", marked), "It succeeded, and looks wrong")
	told := h.ok("notification", "list")
	require.Contains(t, told, "kintsugi run trust "+marked)
	require.Contains(t, told, "kintsugi run exempt "+marked)
	require.NotContains(t, h.ok("export", "Sum"), marked, "a bundle holds no success that may be wrong")
	require.Contains(t, h.ok("run", "trust", marked, "--note", "nothing was sold"), "is known from now on")
	require.Contains(t, h.ok("export", "Sum"), marked)
	h.ends(terminal.ExitConflict, "run", "trust", marked)
	require.NotContains(t, h.ok("run", "list"), "looks wrong: ")

	h.ends(terminal.ExitUsage, "run", "exempt", "--since", "2020-01-01", "--reason", "r")
	h.ends(terminal.ExitUsage, "run", "exempt", "--workflow", "Sum", "--since", "someday", "--reason", "r")
	exempted := h.ok("run", "exempt", "--workflow", "Sum", "--since", "2020-01-01", "--reason", "the sums were 0")
	require.Contains(t, exempted, "kv.set")
	require.Contains(t, exempted, `["sum",0]`)
	require.Contains(t, h.ok("run", "exempt", "--workflow", "Sum", "--since", "2020-01-01", "--reason", "again"), "No run of Sum")
	require.Contains(t, h.ok("run", "list"), "left out of proofs: the sums were 0")
}

// The fix of a run that the guard stopped is judged again as it was judged: without the guard it would not fail.
func TestTheProofOfAStoppedRunHolds(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	var answer atomic.Value
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer.Load().(string))
	}))
	t.Cleanup(server.Close)
	h.create("Sum", `async function main() {
		const { rows } = await web.getJSON('`+server.URL+`/rows');
		await kv.set('sum', rows.reduce((sum, row) => sum + (row.total || 0), 0));
	}`)
	h.ok("workflow", "settings", "Sum", "--allow-host", strings.TrimPrefix(server.URL, "http://"))
	for _, rows := range []string{`{"total":4},{"total":5}`, `{"total":7}`, `{"total":7}`, `{"total":1},{"total":2}`} {
		answer.Store(`{"rows":[` + rows + `]}`)
		h.ok("workflow", "run", "--repair", "Sum")
	}
	answer.Store(`{"rows":[{"total_amount":4},{"total_amount":8}]}`)
	h.ok("workflow", "run", "--repair", "Sum")
	require.Equal(t, "12\n", h.ok("workflow", "keys", "Sum", "sum"))
	fix := h.objects("fix", "list")[0]["proposal"].(string)
	require.Contains(t, h.ok("fix", "verify", fix), "holds")
}
