package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// What an owner may spend is set, paid and shown; a payment is counted once.
func TestOwnersHaveALimitAndABalance(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	require.Contains(t, h.ok("usage", "balance", "ann"), "This month  $0.00, no limit\nBalance     none")
	require.Contains(t, h.ends(terminal.ExitUsage, "usage", "limit", "ann").err, "name the limit")
	require.Contains(t, h.ends(terminal.ExitUsage, "usage", "limit", "ann", "--per-month", "1e3").err, "is not an amount")
	require.Contains(t, h.ok("usage", "limit", "ann", "--per-month", "20"), "limit $20.00")
	require.Contains(t, h.ends(terminal.ExitUsage, "usage", "top-up", "ann", "5").err, "--reference")
	topped := h.object("usage", "top-up", "ann", "5", "--reference", "invoice 1")
	require.InDelta(t, 5_000_000, topped["left_micros"], 0)
	require.InDelta(t, 5_000_000, h.object("usage", "top-up", "ann", "5", "--reference", "invoice 1")["left_micros"], 0)
	require.Contains(t, h.ends(terminal.ExitConflict, "usage", "top-up", "ann", "6", "--reference", "invoice 1").err, "counted already")
	require.Contains(t, h.ok("usage", "balance", "ann"), "Balance     $5.00: $5.00 paid, $0.00 spent since")
	require.InDelta(t, 20_000_000, h.object("usage", "balance", "ann")["limit_micros"], 0)
	require.NotContains(t, h.ok("usage", "limit", "ann", "--per-month", "0"), "limit $")
	require.Contains(t, h.ok("verify", "--deep"), "whole")
}
