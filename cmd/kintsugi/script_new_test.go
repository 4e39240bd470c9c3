package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/automation"
	"github.com/kintsugi-run/kintsugi/testdata"
)

// Rule: every example runs on what 'kintsugi example' serves, says itself what it reaches and takes, and is the same when
// its own run is its test; a change of it is told as a difference.
func TestExamplesOfScripts(t *testing.T) {
	t.Parallel()
	served := httptest.NewServer(&automation.Refunds{})
	t.Cleanup(served.Close)
	at := strings.TrimPrefix(served.URL, "http://")
	h := newHome(t)
	for name, change := range map[string][2]string{"refunds": {"reason", "order"}, "rss": {"fresh: fresh.length", "fresh: 0"}, "weather": {"rain = 2", "rain = 6"}} {
		code := strings.ReplaceAll(h.ok("script", "new", "--example", name), testdata.RefundAddress, at)
		file := h.file(name+".ts", code)
		require.NotContains(t, h.ok("script", "check", file), "unclear", name)
		h.ok("workflow", "create", name, "--script", file, "--allow-host", at)
		h.ok("workflow", "run", name)
		h.ends(terminal.ExitOK, "script", "test", name, "--file", file)
		changed := h.file(name+"-changed.ts", strings.Replace(code, change[0], change[1], 1))
		tested := h.ends(terminal.ExitDiffers, "script", "test", name, "--file", changed)
		require.Contains(t, tested.out, "1 differ", name)
	}
	require.Contains(t, h.ends(terminal.ExitUsage, "script", "new", "--example", "none").err, "refunds, rss, weather")

	file := filepath.Join(t.TempDir(), "mine.ts")
	h.ok("script", "new", "--example", "rss", "--file", file)
	require.NoError(t, os.WriteFile(file, []byte("mine"), 0o600))
	h.ends(terminal.ExitConflict, "script", "new", "--example", "rss", "--file", file)
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, "mine", string(kept), "what is there stays")
}
