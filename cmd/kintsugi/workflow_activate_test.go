package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// The program shows the account of a script before it runs by itself: after a plan, and at activation, which refuses
// hosts that an agent wrote until a person names them.
func TestActivationShowsTheAccount(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t,
		llmtest.Call("save", map[string]any{"code": `async function main(input) {
  const list = await web.getJSON('https://orders.example/list', { headers: { authorization: secret('SHOP') } });
  await web.postJSON('https://other.example/x/' + input.day, list);
  return list;
}`, "comment": "reads orders"}),
		llmtest.Call("schedule", map[string]any{"spec": "0 7 * * *", "zone": "Europe/Berlin"}),
		llmtest.Text("It lists orders."),
	)
	h.ok("workflow", "create", "Orders", "--intent", "Look after orders")
	said := h.ends(terminal.ExitOK, h.asks(server, "plan", "Orders", "list what orders.example has")...).out
	for _, want := range []string{
		"What version 1.0 does:\n  hosts    orders.example\n           other.example (nobody has named it)\n",
		"  writes   POST other.example/x/*\n", "  secrets  SHOP\n", "  runs     0 7 * * *, zone Europe/Berlin, next ",
		"--allow-host other.example\n",
	} {
		require.Contains(t, said, want)
	}
	refused := h.ends(terminal.ExitForbidden, "workflow", "activate", "Orders")
	require.Contains(t, refused.err, "nobody has named other.example")
	_, command, _ := strings.Cut(refused.err, "may go there: kintsugi ")
	require.Equal(t, "workflow activate Orders --allow-host other.example\n", command)
	require.Equal(t, "draft", h.object("workflow", "show", "Orders")["status"])

	active := h.object(strings.Fields(command)...)
	require.Equal(t, "active", active["status"])
	require.Equal(t, []any{
		map[string]any{"host": "orders.example", "named": true}, map[string]any{"host": "other.example", "named": true},
	}, active["switched_on"].(map[string]any)["hosts"])
	h.ok("workflow", "pause", "Orders")
	require.Contains(t, h.ok("workflow", "activate", "Orders"), "Orders: active")
}

// A bundle's script is nobody's word here; a person's own file names its hosts by itself.
func TestAPersonsOwnScriptNamesItsHosts(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	script := h.file("s.js", "async function main(input) { return web.getJSON('https://orders.example/' + input.x) }")
	said := h.ok("workflow", "create", "Own", "--script", script)
	require.Contains(t, said, "  hosts    orders.example\n  writes   none\n  secrets  none\n  runs     by hand only\n")
	h.ok("workflow", "pause", "Own")
	require.Contains(t, h.ok("workflow", "activate", "Own"), "active (status active)")

	bundle := h.ok("export", "Own")
	h.ok("import", h.file("own.json", strings.ReplaceAll(bundle, "orders.example", "stranger.example")), "--title", "Theirs")
	require.Contains(t, h.ends(terminal.ExitForbidden, "workflow", "activate", "Theirs").err, "workflow activate Theirs --allow-host stranger.example")
	require.NoError(t, os.WriteFile(script, []byte("async function main(input) { return web.getJSON('https://stranger.example/') }"), 0o600))
	h.ok("script", "save", "Theirs", "--file", script)
	h.ok("workflow", "activate", "Theirs")
}

// A plan that saved nothing did not do what was wanted.
func TestAPlanThatSavedNothing(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("W", "function main() { return 1 }")
	nothing := llmtest.Serve(t, llmtest.Text("That cannot be done."))
	require.Contains(t, h.ends(terminal.ExitFailure, h.asks(nothing, "plan", "W", "do it")...).out, "Nothing was saved.")
	scheduled := llmtest.Serve(t, llmtest.Call("schedule", map[string]any{"spec": "0 8 * * *"}), llmtest.Text("At eight from now on."))
	h.ends(terminal.ExitOK, h.asks(scheduled, "plan", "W", "run it at eight")...)
}
