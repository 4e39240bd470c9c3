package main

import (
	"bytes"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/demo"
)

// The demo comes to its three ends, tells them in order, and every command that it prints
// at the end does what it says.
func TestDemo(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.dir += " with a space" // the printed commands have to be quoted
	told := h.ok("demo", "--data-dir", h.dir)
	rest := told
	for _, next := range []string{
		"1 of 3", "Then the API changes", "RunFailed", "LogicErrorClassified", "MaintenanceEntered", "FixProposed", "\n" + strings.Repeat(" ", 26) + "+ ",
		"FixVerified", "verdict identical: of 5 recorded successes, 5 have the same output", "FixApplied", "version 1.1", "RunSucceeded",
		"answered by the journal of the failed run", "FixConfirmed",
		"2 of 3", "RunFailed", "Escalated", "replan", "The run fails with", "No template fits", // the whole explanation
		"3 of 3", "RunFailed", "ScriptSaved            version 2.0 by the planner", "FixProposed", "FixRejectedStale", "2.0 is active",
		"RunSucceeded           on version 2.0", "Look further",
	} {
		_, after, found := strings.Cut(rest, next)
		require.True(t, found, "%q is missing, or not in its place:\n%s", next, told)
		rest = after
	}
	commands := 0
	for line := range strings.Lines(told) {
		if !strings.Contains(line, " --data-dir ") {
			continue
		}
		commands++
		shell := h.command()
		shell.Path, shell.Args = "/bin/sh", []string{"sh", "-c", line}
		var out, errs bytes.Buffer
		shell.Stdout, shell.Stderr = &out, &errs
		require.NoError(t, shell.Run(), "%s%s", line, errs.String())
		require.NotEmpty(t, out.String(), line)
	}
	require.GreaterOrEqual(t, commands, 6)
	states := map[any]any{}
	for _, one := range h.objects("workflow", "list") {
		states[one["title"]] = one["status"].(string) + " " + one["version"].(string)
	}
	require.Equal(t, map[any]any{"Earthquake alert": "active 1.1", "Exchange-rate watch": "escalated 1.0", "Action items": "active 2.0"}, states)

	// Once more in the same directory: titles name two workflows now, so the commands give ids.
	result := decodeAs[demo.Result](t, h.ok("demo", "--data-dir", h.dir, "-o", "json"))
	require.Equal(t, h.dir, result.DataDir)
	require.Len(t, result.Workflows, 3)
	require.Equal(t, "FixConfirmed", result.Workflows[0].Ended)
	require.Len(t, h.objects("workflow", "list"), 6)
}

// Without a directory the demo makes one of its own, and says where.
func TestDemoInATemporaryDirectory(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	temporary := t.TempDir()
	command := h.command("demo", "-o", "json")
	command.Env = append(command.Env, "TMPDIR="+temporary)
	out, err := command.Output()
	require.NoError(t, err)
	result := decodeAs[demo.Result](t, string(out))
	require.True(t, strings.HasPrefix(result.DataDir, temporary), result.DataDir)
	require.NoDirExists(t, h.dir, "the usual data directory is left alone")
}

// With --web the stories stay open on the page of a server, whose address and link are said, until Ctrl-C.
func TestDemoOnThePage(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	command := h.command("demo", "--web", "--data-dir", h.dir)
	command.Env = append(command.Env, "KINTSUGI_LISTEN=127.0.0.1:0")
	p := h.started(command)
	p.says("Stop with Ctrl-C")
	require.Equal(t, 1, strings.Count(p.err.String(), "/#token="), "the link is said once")
	require.Len(t, h.objects("workflow", "list"), 3)
	p.interrupt()
	require.Zero(t, p.wait())
}

// A second server on a machine has its page at a port of its own, where nobody said which.
func TestASecondServerHasItsPage(t *testing.T) {
	t.Parallel()
	if taken, err := net.Listen("tcp", "127.0.0.1:7480"); err == nil { // else another program has it already
		defer func() { require.NoError(t, taken.Close()) }()
	}
	h := newHome(t)
	command := h.command("dev", "--data-dir", h.dir)
	command.Env = slices.DeleteFunc(command.Env, func(one string) bool { return strings.HasPrefix(one, "KINTSUGI_LISTEN=") })
	p := h.started(command)
	p.says("Stop with Ctrl-C")
	require.Contains(t, p.err.String(), "The page and the API are at http://127.0.0.1:")
	require.NotContains(t, p.err.String(), ":7480")
}
