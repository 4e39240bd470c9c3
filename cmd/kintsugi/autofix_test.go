package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Rule 7: the kill switch stops all repairs. A failure is recorded and opens its task, which waits
// without spending anything, and is worked on as soon as repairs go on.
func TestRepairsAreStoppedAndGoOn(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Contains(t, h.ends(terminal.ExitNotFound, "autofix", "off", "--all").err, "is not a data directory")
	h.succeed("Orders")
	require.Contains(t, h.ends(terminal.ExitUsage, "autofix", "off").err, "say --all")
	require.Contains(t, h.ends(terminal.ExitUsage, "autofix", "on").err, "--auto-fix")
	require.Contains(t, h.ok("autofix", "off", "--all", "--reason", "the shop moves"), "Repairs are off on all workflows")
	h.ok("autofix", "off", "--all") // nothing more comes of it

	h.outside.answer("/orders", 200, newOrders(11, 22))
	failed := h.ends(terminal.ExitRunFailed, "workflow", "run", "--repair", "Orders", "--input", day(9))
	require.Contains(t, failed.out, "Its repair waits: all repairs are switched off: the shop moves")
	require.Contains(t, failed.err, workflow.TypeMaintenanceEntered)
	require.Equal(t, "maintenance", h.object("workflow", "show", "Orders")["status"])
	require.Contains(t, h.ok("workflow", "show", "Orders"), "Its repair waits: all repairs are switched off: the shop moves")
	require.Empty(t, h.objects("fix", "list"))
	status := h.object("autofix", "status")
	require.Equal(t, "off", status["repairs"])
	require.Equal(t, "the shop moves", status["reason"])
	require.Contains(t, status["by"], "person:")
	require.Len(t, status["waiting"], 1)
	require.Contains(t, h.ok("autofix", "status"), "Waits: workflow ")

	// The operator hears of it once, and may say that he has.
	told := h.objects("notification", "list", "--type", "internal")
	require.Len(t, told, 1)
	require.Equal(t, "Repairs are switched off on all workflows", told[0]["title"])
	require.Contains(t, h.ok("notification", "list"), "kintsugi autofix on --all")
	h.ok("notification", "ack", told[0]["id"].(string))
	require.Empty(t, h.objects("notification", "list", "--type", "internal"))

	require.Contains(t, h.ok("autofix", "on", "--all"), "Repairs are on.")
	r := h.ends(terminal.ExitOK, "workflow", "run", "--repair", "Orders", "--input", day(10))
	require.Contains(t, r.err, workflow.TypeFixConfirmed)
	require.Len(t, h.outside.requests("POST /done"), 6, "4 successes, the mended run, the new one")
	require.Empty(t, h.object("autofix", "status")["waiting"])
}

// A running server hears at once of the switch that another process sets.
func TestARunningServerObeysTheSwitch(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	h.dev()
	h.ok("autofix", "off", "--all")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	failed := h.ends(terminal.ExitRunFailed, "workflow", "run", "--repair", "Orders", "--input", day(9))
	require.Contains(t, failed.out, "Its repair waits: all repairs are switched off")
	h.ok("autofix", "on", "--all")
	require.Eventually(t, func() bool {
		fixes := h.objects("fix", "list")
		return len(fixes) == 1 && fixes[0]["state"] == "confirmed"
	}, patience, 100*time.Millisecond)
}

// Caps are amounts, and each stays as it is until it is named.
func TestSpendIsCapped(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	require.Contains(t, h.ends(terminal.ExitUsage, "autofix", "cap").err, "name a cap")
	require.Contains(t, h.ends(terminal.ExitUsage, "autofix", "cap", "--per-day", "-1").err, "is none")
	require.Contains(t, h.ok("autofix", "cap", "--per-day", "5"), "Spent today       $0.00 of $5.00\nSpent this month  $0.00, no cap")
	status := h.object("autofix", "cap", "--per-month", "60")
	require.InDelta(t, 5, status["per_day_usd"], 0)
	require.InDelta(t, 60, status["per_month_usd"], 0)
	require.Equal(t, "on", status["repairs"])
	require.Contains(t, h.ok("autofix", "cap", "--per-day", "0", "--per-month", "0"), "Spent today       $0.00, no cap")
	require.Contains(t, h.ok("autofix", "cap", "--per-fix", "0.5"), "In one fix        $0.50 at most")
	require.InDelta(t, 0.5, h.object("autofix", "cap", "--per-day", "3")["per_fix_usd"], 0)
	require.NotContains(t, h.ok("autofix", "cap", "--per-fix", "0"), "In one fix")
	require.Contains(t, h.ok("verify", "--deep"), "whole")
}

// A cap does not hold a model whose price is unknown. Setting a cap, looking at it and starting the server say so.
func TestACapSaysWhatItDoesNotCount(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	own := []string{"--model", "own-model", "--llm-base-url", "http://127.0.0.1:1/v1"}
	const says = "the price of the model own-model is unknown: caps in money do not count what it uses"
	require.Contains(t, h.ok(append(own, "autofix", "cap", "--per-day", "5")...), says)
	require.Contains(t, h.ok(append(own, "autofix", "status")...), says)
	priced := append([]string{"--llm-prices", h.file("prices.json", `{"own-model":{"input":1,"output":2}}`)}, own...)
	require.NotContains(t, h.ok(append(priced, "autofix", "status")...), "own-model")
	require.NotContains(t, h.ok("autofix", "status"), "unknown")
	require.Equal(t, []any{}, h.object("autofix", "status")["uncounted"])
	p := h.dev(own...)
	p.says(says)
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait())
}
