package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// The main job on the command line: a failing run is mended, proved and continued while the
// command waits, and it ends as the success that it became. No write is made twice.
func TestRunIsMendedWhileTheCommandWaits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	r := h.ends(terminal.ExitOK, "workflow", "run", "--repair", "Orders", "--input", day(9))
	require.Contains(t, r.out, "succeeded on version 1.1.\n{\"orders\":2,\"total\":33}\n")
	for _, name := range []string{
		workflow.TypeRunFailed, workflow.TypeLogicErrorClassified, workflow.TypeMaintenanceEntered, workflow.TypeFixProposed,
		workflow.TypeFixVerified, workflow.TypeFixApplied, workflow.TypeScriptSaved, workflow.TypeFixConfirmed,
	} {
		require.Contains(t, r.err, name, "what happens is told")
	}
	require.Len(t, h.outside.requests("POST /started"), 5, "4 successes and one failed run: the continuation does not post again")
	require.Len(t, h.outside.requests("POST /done"), 5)

	fixes := h.objects("fix", "list", "--workflow", "Orders")
	require.Len(t, fixes, 1)
	require.Equal(t, "confirmed", fixes[0]["state"])
	require.Equal(t, "1.1", fixes[0]["version"])
	id := fixes[0]["proposal"].(string)
	shown := h.ok("fix", "show", id)
	require.Contains(t, shown, "Verdict: identical: 4 of 4 recorded successes identical")
	require.Contains(t, shown, "+    total += ")
	require.Contains(t, h.object("fix", "show", id)["diff"], "-    total += order.amount_total.value;")
	require.Contains(t, h.ok("fix", "list"), "confirmed")
	require.Contains(t, h.ok("workflow", "show", "Orders"), "1.0 → 1.1")
	require.Contains(t, h.ok("notification", "list", "--type", "fixed"), "Fixed: ")
	require.Contains(t, h.ends(terminal.ExitConflict, "fix", "accept", id).err, "it is applied")
}

// A fix that waits for a person blocks the workflow until it is accepted; then the failed
// run goes on with it.
func TestFixIsAccepted(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	id := h.hold("Orders")
	require.Contains(t, h.ok("workflow", "show", "Orders"), "kintsugi fix show "+id)
	require.Contains(t, h.ok("notification", "list"), "kintsugi fix accept "+id)
	require.Contains(t, h.ok("fix", "show", id), "kintsugi fix accept "+id)
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "run", "--repair", "Orders").err, "has a fix that waits for you")
	require.Contains(t, h.ends(terminal.ExitUsage, "fix", "accept", id, "--alternative", "7").err, "alternative")
	require.Contains(t, h.ends(terminal.ExitUsage, "fix", "accept", id, "--alternative", "0").err, "counted from 1")

	require.Contains(t, h.ok("fix", "accept", id, "--reason", "the name is right"), "Version 1.1 is active, status active")
	require.Contains(t, h.ok("history", "Orders"), "the name is right")
	require.Contains(t, h.ends(terminal.ExitConflict, "fix", "accept", id).err, "accepted")

	// The failed run goes on before anything new.
	r := h.ends(terminal.ExitOK, "workflow", "run", "--repair", "Orders", "--input", day(10))
	require.Contains(t, r.err, "Going on with what was interrupted, first.")
	require.Contains(t, r.err, workflow.TypeFixConfirmed)
	require.Len(t, h.outside.requests("POST /started"), 6)
	require.Len(t, h.outside.requests("POST /done"), 6)
	require.Equal(t, "confirmed", h.object("fix", "show", id)["state"])
}

// A declined fix is never applied, and the workflow is the person's.
func TestFixIsDeclined(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	id := h.hold("Orders")
	require.Contains(t, h.ok("fix", "decline", id, "--reason", "I call them"), "Version 1.0 is active, status escalated")
	require.Equal(t, "declined", h.object("fix", "show", id)["state"])
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "run", "--repair", "Orders").err, "was handed to you")
	require.Contains(t, h.ends(terminal.ExitConflict, "fix", "accept", id).err, "declined")
	require.Contains(t, h.ok("workflow", "activate", "Orders"), "status active")
}

// A failure that no fixer can mend is handed to a person with the explanation, and the exit code says so.
func TestRunIsEscalated(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Quota", `function main() { throw new Error("the quota is used up") }`)
	r := h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Quota")
	require.Contains(t, r.out, "failed (logic): Error: the quota is used up\n  The run fails with")
	require.Contains(t, r.out, "The workflow is escalated now")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "run", "--repair", "Quota").err, "was handed to you")
	require.Contains(t, h.ok("notification", "list"), "kintsugi plan ", "re-plan")
	h.ok("workflow", "activate", "Quota")
	result := decodeAs[map[string]any](t, h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Quota", "-o", "json").out)
	require.Equal(t, "escalated", result["status"])
	require.NotEmpty(t, result["explanation"])
}

// A notification is open until it is seen; seeing it twice is seeing it.
func TestNotifications(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Contains(t, h.ends(terminal.ExitNotFound, "notification", "list").err, "is not a data directory")
	h.ok("workflow", "create", "W")
	require.Equal(t, "Nothing needs you.\n", h.ok("notification", "list"))
	h.mend("Orders")
	list := h.objects("notification", "list", "--workflow", "Orders")
	require.Len(t, list, 1)
	id := list[0]["id"].(string)
	require.Contains(t, h.ok("notification", "ack", id), "Acknowledged: Fixed: ")
	require.Contains(t, h.ok("notification", "ack", id[:13]), "Acknowledged: Fixed: ")
	require.Empty(t, h.objects("notification", "list"))
	all := h.objects("notification", "list", "--all")
	require.Len(t, all, 1)
	require.NotEmpty(t, all[0]["acknowledger"])
	require.Contains(t, h.ends(terminal.ExitNotFound, "notification", "ack", "nope").err, `there is no notification "nope"`)
	require.Contains(t, h.ends(terminal.ExitUsage, "notification", "list", "--type", "frob").err, "choose error, fixed")
}

// JSON output has the names that docs/cli.md promises, and nothing that only the text needs.
func TestFieldsAreNamedForMachines(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	fix := h.hold("Orders")
	require.Contains(t, h.ok("fix", "show", fix), "of version 1.0 of Orders, held")
	run := h.objects("run", "list")[0]["id"].(string)
	for _, args := range [][]string{{"fix", "show", fix}, {"run", "show", run}, {"workflow", "show", "Orders"}, {"history", "Orders", "--at", "1.0"}} {
		for name := range h.object(args...) {
			require.Equal(t, strings.ToLower(name), name, args)
		}
	}
	h.create("Plain", "function main() { return 1; }")
	for name := range h.object("workflow", "run", "--repair", "Plain") {
		require.Equal(t, strings.ToLower(name), name)
	}
}

// A person suggests a fix of a failure that was handed to them: the gate judges it, and the failed run goes on with
// it.
func TestAFixIsSuggested(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	right := h.file("right.js", h.handOver("Orders"))
	source := h.ok("script", "show", "Orders")

	// A fix that changes what used to work is refused, and changes nothing: nobody is told anew.
	revision := h.object("workflow", "show", "Orders")["revision"]
	wrong := h.file("wrong.js", strings.ReplaceAll(source, "order.amount_total.value", "(order.amount_total ? 1 : order.total_amount.value)"))
	r := h.ends(terminal.ExitDiffers, "fix", "suggest", "Orders", "--file", wrong)
	require.Contains(t, r.out, "Refused: version 1.0 stays as it is.")
	require.Contains(t, r.out, "Verdict: different")
	require.Equal(t, revision, h.object("workflow", "show", "Orders")["revision"])
	require.Contains(t, h.ends(terminal.ExitUsage, "fix", "suggest", "Orders", "--file", h.file("same.js", source)).err, "is version 1.0 unchanged")

	require.Contains(t, h.ends(terminal.ExitConflict, "fix", "suggest", "Orders", "--file", right, "--of", "1.7").err, "version 1.0 is what fails now")
	require.Contains(t, h.ok("fix", "suggest", "Orders", "--file", right, "--comment", "totals are total_amount now"), "Applied: version 1.1 is active")
	require.Empty(t, h.objects("notification", "list", "--type", "maintenance_failed"))
	r = h.ends(terminal.ExitOK, "workflow", "run", "--repair", "Orders", "--input", day(10))
	require.Contains(t, r.err, workflow.TypeFixConfirmed, "the failed run went on first")
	fix := h.objects("fix", "list")[0]
	require.Equal(t, "confirmed", fix["state"])
	require.Contains(t, h.ok("fix", "show", fix["proposal"].(string)), "suggested by person:")
	require.Contains(t, h.ok("workflow", "timeline", "Orders"), "suggested a fix: totals are total_amount now")
	require.Len(t, h.outside.requests("POST /started"), 6, "nothing is done twice")

	require.Contains(t, h.ends(terminal.ExitConflict, "fix", "suggest", "Orders", "--file", right).err, "no failure that is being repaired")
}
