package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// invoices is another hand's script for the same API: it stumbles over the same change.
const invoices = `async function main(input) {
  const page = await web.getJSON('BASE/orders');
  const rows = page.orders.map(function (o) { return o.id + ';' + o.amount_total.value; });
  await files.write('invoices/' + input.day + '.csv', rows.join('\n') + '\n');
  return rows.length;
}`

// Many workflows, one cause: the fix that was confirmed on one is offered first to the others,
// proved by each one's own runs, and says where it was taken from.
func TestAConfirmedFixIsOfferedToTheOthersFirst(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	h.create("Invoices", invoices)
	for i, amounts := range [][]int{{10, 20}, {5}, {7, 8, 9}} {
		h.outside.answer("/orders", 200, oldOrders(amounts...))
		h.ok("workflow", "run", "--repair", "Invoices", "--input", day(i+1))
	}
	h.outside.answer("/orders", 200, newOrders(11, 22))
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(9))
	first := h.objects("fix", "list")[0]
	require.Equal(t, "templates", first["fixer"].(map[string]any)["kind"])
	require.Equal(t, "confirmed", first["state"])

	h.ok("workflow", "run", "--repair", "Invoices", "--input", day(9))
	second := h.objects("fix", "list", "--workflow", "Invoices")[0]
	require.Equal(t, "confirmed", second["state"])
	fixer := second["fixer"].(map[string]any)
	require.Equal(t, "group", fixer["kind"])
	require.Contains(t, fixer["detail"], "taken from fix "+first["proposal"].(string)+", version 1.1 of workflow ")
	require.Contains(t, fixer["detail"], "(Orders)")
	shown := h.ok("fix", "show", second["proposal"].(string))
	require.Contains(t, shown, "made by group templates ")
	require.Contains(t, shown, "Verdict: identical: 3 of 3 recorded successes identical", "through its own gate")
	require.Contains(t, shown, "attempt 1 of 3")

	groups := h.objects("fix", "list", "--group")
	require.Len(t, groups, 1)
	require.Equal(t, h.outside.host(), groups[0]["host"])
	require.InDelta(t, 0, groups[0]["open"], 0)
	require.Len(t, groups[0]["members"], 2)
	text := h.ok("fix", "list", "--group")
	require.Contains(t, text, "Invoices")
	require.Contains(t, text, "0 of 2 workflows have not recovered")
	require.Contains(t, h.ends(terminal.ExitUsage, "fix", "list", "--group", "--workflow", "Orders").err, "group")

	// One that was handed to a person meanwhile is offered it with its next failure.
	h.create("Third", invoices)
	h.outside.answer("/orders", 200, oldOrders(1))
	h.ok("workflow", "run", "--repair", "Third", "--input", day(1))
	h.ok("workflow", "settings", "Third", "--fixers", "person")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Third", "--input", day(2))
	require.Regexp(t, "is offered the fix of (Orders|Invoices) first, after: kintsugi workflow activate ", h.ok("fix", "list", "--group"))
	h.ok("workflow", "settings", "Third", "--fixers", "templates")
	h.ok("workflow", "activate", "Third")
	h.ok("workflow", "run", "--repair", "Third", "--input", day(3))
	require.Equal(t, "group", h.objects("fix", "list", "--workflow", "Third")[0]["fixer"].(map[string]any)["kind"])
}

// People hear once of what several workflows wait for with one cause, and say once that they did.
func TestOneCauseIsToldOnce(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.hold("Orders")
	h.create("More", orders)
	h.outside.answer("/orders", 200, oldOrders(3, 4))
	h.ok("workflow", "run", "--repair", "More", "--input", day(1))
	h.ok("workflow", "settings", "More", "--auto-fix", "propose")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "More", "--input", day(9))
	open := h.objects("notification", "list")
	require.Len(t, open, 1)
	require.Equal(t, "More", open[0]["workflow_title"])
	require.Len(t, open[0]["also"], 1)
	require.Contains(t, h.ok("notification", "list"), "The same cause in other workflows (1): kintsugi fix list --group")
	require.Contains(t, h.ok("workflow", "show", "Orders"), "fix_waiting")
	cause := open[0]["cause"].(map[string]any)
	require.Contains(t, cause["sentence"], ", in 2 workflows")
	require.Equal(t, []any{"accept", "decline"}, cause["actions"])
	require.Len(t, h.objects("notification", "list", "--all"), 2)
	h.ok("notification", "ack", cause["id"].(string))
	require.Len(t, h.objects("notification", "list"), 1, "what waits for a decision stays told")
	require.Len(t, h.objects("fix", "list", "--state", "held"), 2, "both still wait")
}

// Where one error stopped several workflows, each keeps its own reason and what its maintainer said; and what was tried
// is to be opened, also of a repair that handed nothing in.
func TestEachOfACauseKeepsItsReason(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.outside.answer("/orders", 200, `{"closed":true}`)
	for _, title := range []string{"Tried", "Off"} {
		h.create(title, invoices)
	}
	h.ok("workflow", "settings", "Off", "--auto-fix", "off")
	for _, title := range []string{"Tried", "Off"} {
		h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", title, "--input", day(1))
	}
	open := h.objects("notification", "list")
	require.Len(t, open, 1)
	require.Equal(t, "It broke, and fixes are off", open[0]["title"])
	require.Equal(t, "2 workflows need you because of one error", open[0]["cause"].(map[string]any)["sentence"])
	other := open[0]["also"].([]any)[0].(map[string]any)
	require.Equal(t, []any{"Tried", "No fix was found"}, []any{other["workflow_title"], other["title"]})
	text := h.ok("notification", "list")
	require.Contains(t, text, "    Tried: No fix was found\n")
	require.Contains(t, strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(other["text"].(string)), " "))

	one := h.ok("notification", "list", "--workflow", "Tried")
	tried := regexp.MustCompile(`kintsugi (fix thread \S+)\n`).FindStringSubmatch(one)
	require.NotNil(t, tried, one)
	require.Contains(t, h.ok(strings.Fields(tried[1])...), "Repair of Tried, version 1.0: escalated")
	require.Contains(t, h.ok("workflow", "show", "Tried"), "kintsugi "+tried[1]+"\n")
}
