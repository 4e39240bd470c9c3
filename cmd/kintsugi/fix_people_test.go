package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// proposing is a program that proposes this script, whatever fails.
func (h *home) proposing(code, comment string) string {
	h.t.Helper()
	answer, err := json.Marshal(map[string]any{"candidates": []any{map[string]string{"code": h.outside.local(code), "comment": comment}}, "version": "hand/1"})
	require.NoError(h.t, err)
	return "cat " + h.file("answer.json", string(answer))
}

// mended is [orders] with another line in the place of the one that breaks.
func mended(instead string) string {
	return strings.Replace(orders, "    total += order.amount_total.value;\n", instead, 1)
}

// A corrected fix sends the maintainer back to the same task. The earlier held fix cannot be acted on any more: the
// error names the one that waits now.
func TestFixIsCorrected(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := h.hold("Orders")
	require.Contains(t, h.ends(terminal.ExitUsage, "fix", "correct", first).err, "--note")
	corrected := h.ok("fix", "correct", first, "--note", "use the gross amount")
	require.Contains(t, corrected, "status maintenance")
	require.Contains(t, corrected, "Nobody reads your note as it is: no language model is configured")
	require.Equal(t, "corrected", h.object("fix", "show", first)["state"])
	require.Contains(t, h.ok("history", "Orders"), "use the gross amount")
	h.ends(terminal.ExitConflict, "workflow", "run", "--repair", "Orders") // the maintainer comes to its end, first
	held := h.objects("fix", "list", "--state", "held")
	require.Len(t, held, 1)
	second := held[0]["proposal"].(string)
	require.NotEqual(t, first, second)
	require.Equal(t, held[0]["task"], h.object("fix", "show", first)["task"], "the original task")
	for _, args := range [][]string{{"accept", first}, {"decline", first}, {"recheck", first}, {"correct", first, "--note", "again"}} {
		r := h.ends(terminal.ExitConflict, append([]string{"fix"}, args...)...)
		require.Contains(t, r.err, "it is corrected; proposal "+second+" waits now", args)
	}
	require.Contains(t, h.ok("fix", "show", first), "Another fix of this workflow waits for you now: kintsugi fix show "+second)
	require.Equal(t, second, h.object("fix", "show", first)["held"])
	h.ok("fix", "accept", second)
}

// A recheck judges again on what is so now, and tells what still asks for a person.
func TestFixIsRechecked(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	id := h.hold("Orders")
	again := h.ok("fix", "recheck", id)
	require.Contains(t, again, "Verdict: identical: 4 of 4 recorded successes identical, 0 left out")
	require.Contains(t, again, "Still held: this workflow's mode is propose")
	h.ok("workflow", "settings", "Orders", "--auto-fix", "auto")
	success := h.objects("run", "list", "--workflow", "Orders", "--status", "succeeded")[0]["id"].(string)
	require.Contains(t, h.ok("run", "exempt", success, "--reason", "it counted twice"), "Next: kintsugi fix recheck "+id)
	again = h.ok("fix", "recheck", id)
	require.Contains(t, again, "3 of 3 recorded successes identical, 1 left out")
	require.Contains(t, again, "Nothing is left that holds it but your word.")
	require.Equal(t, "held", h.object("fix", "show", id)["state"], "it is the person who decides")
	h.ok("fix", "accept", id)
	require.Contains(t, h.ends(terminal.ExitConflict, "fix", "recheck", id).err, "it is accepted; none waits now")
}

// A fix that goes where the workflow has never been is held, and says what accepting it allows:
// the host, and the secret that it needs there. Accepted, that and nothing else is allowed.
func TestAcceptingWidensWhatTheFixNeeds(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	other := newOutside(t)
	other.answer("/amounts", 200, `{"o0":11,"o1":22}`)
	h.succeed("Orders")
	require.Equal(t, terminal.ExitOK, h.runWith("sesame", "secret", "set", "TOKEN", "--workflow", "Orders", "--host", "shop.test").code)
	code := mended(`    if (order.amount_total) {
      total += order.amount_total.value;
    } else {
      const amounts = await web.getJSON('` + other.server.URL + `/amounts', { headers: { Authorization: 'Bearer ' + secret('TOKEN') } });
      total += amounts[order.id];
    }
`)
	program := h.proposing(code, "amounts come from the other server")
	h.ok("workflow", "settings", "Orders", "--fixers", "command")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Orders", "--input", day(9), "--fixer-command", program)
	held := h.objects("fix", "list", "--state", "held")
	require.Len(t, held, 1)
	id := held[0]["proposal"].(string)
	shown := h.ok("fix", "show", id)
	require.Contains(t, shown, "Held: outside the envelope: read of GET "+other.host())
	require.Contains(t, shown, "Accepting it allows: reading from "+other.host())
	require.Contains(t, shown, "Accepting it allows: sending the secret TOKEN to "+other.host())
	require.Contains(t, shown, "made by command hand/1")
	require.Empty(t, other.requests("GET /amounts"), "nothing was asked there yet")

	accepted := h.ok("fix", "accept", id)
	require.Contains(t, accepted, "Allowed from now on: "+other.host())
	require.Contains(t, accepted, "The secret TOKEN may be sent to "+other.host()+" from now on")
	require.Contains(t, h.ok("workflow", "settings", "Orders"), other.host())
	require.Contains(t, h.ok("fix", "show", id), "Allowed by that: sending the secret TOKEN to "+other.host())
	r := h.ends(terminal.ExitOK, "workflow", "run", "--repair", "Orders", "--input", day(10))
	require.Contains(t, r.err, workflow.TypeFixConfirmed)
	require.Equal(t, "Bearer sesame", other.authorizations("GET /amounts")[0])
	require.Equal(t, []any{other.host(), "shop.test"}, h.objects("secret", "list")[0]["hosts"])
	require.Contains(t, h.ok("verify", "--deep"), "whole")
}

// A fix that changes what a recorded run did is rejected. The person sees the best candidate and
// which run is in its way, and may declare that run wrong.
func TestAWrongRecordedRunIsExempted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders") // the totals are 30, 5, 24 and 103
	h.create("Other", orders)
	program := h.proposing(mended(`    total += (order.amount_total ?? order.total_amount).value;
  }
  if (total === 30) {
    total = 29;
`), "30 was never right")
	h.ok("workflow", "settings", "Orders", "--fixers", "command")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	told := h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Orders", "--input", day(9), "--fixer-command", program)
	require.Contains(t, told.out, "The best candidate was different: 30 was never right")
	runs := h.objects("run", "list", "--workflow", "Orders")
	wrong, failed := runs[len(runs)-1]["id"].(string), runs[0]["id"].(string)
	offered := "kintsugi run exempt " + wrong + " --workflow "
	listed := h.ok("notification", "list")
	require.Contains(t, listed, "The best candidate was different: 30 was never right (command hand/1)")
	require.Contains(t, listed, "run "+wrong)
	require.Contains(t, listed, offered)
	require.Contains(t, h.ok("workflow", "show", "Orders"), offered)

	require.Contains(t, h.ends(terminal.ExitConflict, "run", "exempt", failed, "--reason", "r").err, "only a recorded success")
	require.Contains(t, h.ends(terminal.ExitUsage, "run", "exempt", wrong).err, "say why run")
	require.Contains(t, h.ends(terminal.ExitUsage, "run", "exempt", wrong, "--workflow", "Other", "--reason", "r").err, "is one of workflow")
	require.Contains(t, h.ends(terminal.ExitNotFound, "run", "exempt", "nope", "--reason", "r").err, `there is no run "nope"`)
	require.Contains(t, h.ok("run", "exempt", wrong, "--workflow", "Orders", "--reason", "it counted twice"), "Next: kintsugi workflow activate ")
	h.ok("run", "exempt", wrong, "--reason", "said again") // nothing more comes of it
	require.NotContains(t, h.ok("notification", "list"), offered)

	h.ok("workflow", "activate", "Orders")
	h.run("workflow", "run", "--repair", "Orders", "--input", day(9), "--fixer-command", program)
	fix := h.objects("fix", "list", "--workflow", "Orders")[0]
	require.NotEqual(t, "different", fix["state"])
	verified := fix["verification"].(map[string]any)
	require.InDelta(t, 1, verified["exempted"], 0)
	require.InDelta(t, 3, verified["identical"], 0)
}

// Unconfirmed fixes are taken back at a person's word at any time: the last confirmed version is
// active again.
func TestFixesAreWithdrawn(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	id := h.hold("Orders")
	require.Contains(t, h.ends(terminal.ExitConflict, "fix", "withdraw", id).err, "it is held: nothing can be withdrawn")
	h.ok("fix", "accept", id)
	require.Contains(t, h.ok("fix", "withdraw", id, "--reason", "the totals are wrong"), "Withdrawn: 1.1. Version 1.0 is active again, status escalated.")
	require.Equal(t, "withdrawn", h.object("fix", "show", id)["state"])
	require.Contains(t, h.ok("history", "Orders"), "the totals are wrong")
	require.Contains(t, h.ends(terminal.ExitConflict, "fix", "withdraw", "Orders").err, "no unconfirmed fix")
	require.Contains(t, h.ends(terminal.ExitNotFound, "fix", "withdraw", "nope").err, `no fix and no workflow "nope"`)
	other := newHome(t)
	other.mend("Orders")
	confirmed := other.objects("fix", "list")[0]["proposal"].(string)
	require.Contains(t, other.ends(terminal.ExitConflict, "fix", "withdraw", confirmed).err, "kintsugi script rollback")
}
