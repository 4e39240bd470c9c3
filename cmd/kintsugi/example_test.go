package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// The example serves this machine alone, changes on request, leaves files as they are, and opens
// nothing: its script is refused until a person allows its address.
func TestTheExample(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	require.Contains(t, h.ends(terminal.ExitUsage, "example", "--listen", "0.0.0.0:0").err, "not a host:port of this machine alone")
	require.Contains(t, h.ends(terminal.ExitConflict, "example", "--change", "--listen", "127.0.0.1:1").err, "nothing serves at 127.0.0.1:1: start it")
	require.Contains(t, h.ends(terminal.ExitConflict, "example", "--change", "--listen", h.outside.host()).err, "is not 'kintsugi example'")

	command := h.command("example", "--listen", "127.0.0.1:0")
	folder := command.Dir
	serves := h.started(command)
	serves.says("Stop with Ctrl-C")
	require.Contains(t, serves.err.String(), "Wrote refunds.js")
	at := regexp.MustCompile(`127\.0\.0\.1:\d+`).FindString(serves.err.String())
	script := filepath.Join(folder, "refunds.js")
	require.Equal(t, map[string]any{"amount": "refund_amount"}, h.object("example", "--change", "--listen", at))
	require.Equal(t, map[string]any{"amount": "amount"}, h.object("example", "--change", "--listen", at))

	h.ok("workflow", "create", "Refunds", "--script", script)
	require.Contains(t, h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Refunds").out, "is not a public address")
	h.ok("workflow", "create", "Allowed", "--script", script, "--allow-host", at)
	require.Contains(t, h.ok("workflow", "run", "--repair", "Allowed"), "succeeded on version 1.0")
	serves.interrupt()
	require.Equal(t, terminal.ExitOK, serves.wait())

	require.NoError(t, os.WriteFile(script, []byte("mine"), 0o600))
	again := h.command("example", "--listen", "127.0.0.1:0")
	again.Dir = folder
	h.started(again).says("is there already and stays as it is")
	kept, err := os.ReadFile(script)
	require.NoError(t, err)
	require.Equal(t, "mine", string(kept))
}
