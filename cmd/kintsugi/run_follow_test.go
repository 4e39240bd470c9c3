package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// A list of runs that is followed goes on with what comes, until Ctrl-C, and the log of a run until the run has ended.
func TestRunsAndLogsAreFollowed(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.underWay("/orders")
	h.dev()
	list := h.start("run", "list", "--follow", "-o", "jsonl")
	shows := func(text string) {
		require.Eventually(t, func() bool { return strings.Contains(list.out.String(), text) }, patience, 5*time.Millisecond, text)
	}
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(1), "--detach")
	gate.await(t)
	of := h.objects("run", "list")[0]["id"].(string)
	shows(`"status":"running"`)
	logs := h.start("run", "logs", of, "--follow")
	gate.release()
	require.Equal(t, terminal.ExitOK, logs.wait(), logs.err.String())
	require.Contains(t, logs.out.String(), "counted 2 orders")
	shows(`"status":"succeeded"`)
	list.interrupt()
	require.Equal(t, terminal.ExitOK, list.wait(), list.err.String())
	require.Contains(t, h.ends(terminal.ExitUsage, "run", "list", "--follow", "-o", "json").err, "use -o jsonl")
}
