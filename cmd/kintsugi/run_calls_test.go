package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// 'run show --calls' is the waterfall of a run, for people and as JSON.
func TestTheCallsOfARunAreShownAsAWaterfall(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", `async function main() {
		const orders = await web.getJSON('BASE/orders?day=3');
		await kv.set('last', orders);
		await web.postJSON('BASE/done', orders);
	}`)
	h.outside.answer("/orders", 200, `[1,2,3]`)
	h.ok("workflow", "run", "--repair", "Orders")
	id := h.objects("run", "list")[0]["id"].(string)
	text := h.ok("run", "show", id, "--calls")
	require.Regexp(t, `^Run `+id+`, ended: 3 calls in `, text)
	require.Regexp(t, `(?m)^ ?1 +GET `+h.outside.host()+`/orders\?day=3 +ok +7 B +\+[0-9.]+m?s +[0-9.]+m?s +█`, text)
	require.Regexp(t, `(?m)^ ?2 +kv.set last +ok `, text)
	calls := h.object("run", "show", id, "--calls")
	require.Equal(t, id, calls["run"])
	require.Equal(t, true, calls["ended"])
	last := calls["calls"].([]any)[2].(map[string]any)
	require.Equal(t, "POST", last["method"])
	require.Equal(t, "/done", last["path"])
	require.Equal(t, "answered", last["state"])
}
