package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
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
		h.ok("workflow", "run", "--repair", name)
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

// Rule: a script that is watched is tested again whenever its file has another content, however it is saved and
// whatever was wrong with it before, until Ctrl-C.
func TestWatchedScript(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	const right = "function main() { return { sum: 3 }; }"
	file := h.file("sum.js", right)
	h.ok("workflow", "create", "Sum", "--script", file)
	h.ok("workflow", "run", "--repair", "Sum")
	p := h.start("script", "test", "Sum", "--file", file, "--watch")
	tested := func(stream *lockedBuffer, found string) {
		t.Helper()
		require.Eventually(t, func() bool {
			_, after, told := strings.Cut(stream.String()+p.err.String(), found)
			return told && strings.Contains(after, "Watching")
		}, patience, 5*time.Millisecond, found)
		p.out.take()
		p.err.take()
	}
	tested(p.out, "1 the same")
	require.NoError(t, os.WriteFile(file, []byte("function main() { return { sum: 4 }; }"), 0o600))
	tested(p.out, "1 differ")
	require.NoError(t, os.WriteFile(file, []byte("function main() { return ( }"), 0o600))
	tested(p.err, "Unexpected token }")
	require.NoError(t, os.Rename(h.file("saved.js", right+"\n"), file))
	tested(p.out, "1 the same")
	p.interrupt()
	require.Equal(t, terminal.ExitInterrupted, p.wait(), p.err.String())
	require.Empty(t, p.err.String())
	require.Contains(t, h.ends(terminal.ExitUsage, "script", "test", "Sum", "--file", "-", "--watch").err, "not standard input")
}
