package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// underWay makes a workflow and a run of it that stands at a request to path: of the server
// if there is one, of 'workflow run' otherwise.
func (h *home) underWay(path string) *barrier {
	h.t.Helper()
	h.outside.answer("/orders", 200, oldOrders(10, 20))
	h.create("Orders", orders)
	return h.outside.hold(h.t, path)
}

// status waits until the newest run has a status.
func (h *home) status(want string) map[string]any {
	h.t.Helper()
	var newest map[string]any
	require.Eventually(h.t, func() bool {
		newest = h.objects("run", "list", "--limit", "1")[0]
		return newest["status"] == want
	}, patience, 100*time.Millisecond, "waiting for a run that is %s", want)
	return newest
}

// once checks that the run's writes went out exactly once.
func (h *home) once() {
	h.t.Helper()
	require.Len(h.t, h.outside.requests("POST /started"), 1)
	require.Len(h.t, h.outside.requests("POST /done"), 1)
	require.Contains(h.t, h.ends(terminal.ExitOK, "history", "Orders", "--verify").err, "streams are whole")
}

// Ctrl-C in the middle of 'workflow run' ends it with 130; the run is kept, and goes on
// with the next server from its journal.
func TestInterruptedRunGoesOnWithTheServer(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.underWay("/orders")
	p := h.start("workflow", "run", "--repair", "Orders", "--input", day(1))
	gate.await(t)
	p.interrupt()
	require.Equal(t, terminal.ExitInterrupted, p.wait())
	require.Regexp(t, `kintsugi: interrupted: run \S+ is kept in its journal`, p.err.String())
	require.Empty(t, p.out.String())
	require.Equal(t, "running", h.objects("run", "list")[0]["status"])

	gate.release()
	server := h.dev()
	h.status("succeeded")
	h.once()
	server.interrupt()
	require.Equal(t, terminal.ExitOK, server.wait(), server.err.String())
}

// Without a server the next 'workflow run' goes on with what was interrupted, and then runs.
func TestInterruptedRunGoesOnWithTheNextRun(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.underWay("/orders")
	p := h.start("workflow", "run", "--repair", "Orders", "--input", day(1))
	gate.await(t)
	p.interrupt()
	require.Equal(t, terminal.ExitInterrupted, p.wait())
	gate.release()
	r := h.ends(terminal.ExitOK, "workflow", "run", "--repair", "Orders", "--input", day(2))
	require.Contains(t, r.err, "Going on with what was interrupted, first.")
	require.Equal(t, []string{`{"day":"2026-03-01"}`, `{"day":"2026-03-02"}`}, h.outside.requests("POST /started"))
	require.Len(t, h.outside.requests("POST /done"), 2)
	require.Len(t, h.objects("run", "list", "--status", "succeeded"), 2)
}

// A write that was out when Ctrl-C came may have happened: it is not sent again, and its run
// stands still until somebody has said what became of it.
func TestInterruptedWriteIsInDoubt(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.underWay("/done")
	p := h.start("workflow", "run", "--repair", "Orders", "--input", day(1))
	gate.await(t)
	p.interrupt()
	require.Equal(t, terminal.ExitInterrupted, p.wait())
	gate.release()
	h.dev()
	run := h.status("in_doubt")["id"].(string)
	require.Contains(t, h.ok("notification", "list"), "Did this happen? A write to ", "and somebody is told")
	doubts := h.objects("effect", "list")
	require.Len(t, doubts, 1)
	seq := fmt.Sprint(doubts[0]["seq"])
	require.Contains(t, h.ends(terminal.ExitConflict, "effect", "resolve", run, "1", "--happened").err, "is not in doubt")
	require.Contains(t, h.ends(terminal.ExitUsage, "effect", "resolve", run, "one", "--happened").err, "is not the number of a call")
	require.Contains(t, h.ends(terminal.ExitUsage, "effect", "resolve", run, seq).err, "at least one of the flags")
	require.Equal(t, "happened", h.object("effect", "resolve", run, seq, "--happened", "--result", "{}")["resolved"])
	h.status("succeeded")
	require.Empty(t, h.objects("effect", "list"))
	require.Contains(t, h.ok("run", "show", run), "resolved: it happened")
	require.NotContains(t, h.ok("notification", "list"), "Did this happen?")
	h.once()
}

// Ctrl-C at the server lets what is under way finish.
func TestInterruptedServerFinishesItsRuns(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.underWay("/orders")
	server := h.dev("--grace", patience.String())
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(1), "--detach")
	gate.await(t)
	server.interrupt()
	server.says("Stopping: what is under way may finish")
	gate.release()
	require.Equal(t, terminal.ExitOK, server.wait(), server.err.String())
	require.Equal(t, "succeeded", h.objects("run", "list")[0]["status"])
	h.once()
}

// A run that does not finish in time is cut short, which the exit code says; it goes on with the next server.
func TestInterruptedServerCutsRunsShort(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.underWay("/orders")
	server := h.dev("--grace", "1ms")
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(1), "--detach")
	gate.await(t)
	server.interrupt()
	require.Equal(t, terminal.ExitInterrupted, server.wait())
	require.Contains(t, server.err.String(), "kintsugi: a run was cut short; its journal is kept and it goes on at the next start")
	require.Equal(t, "running", h.objects("run", "list")[0]["status"])
	gate.release()
	h.dev()
	h.status("succeeded")
	h.once()
}

// A second Ctrl-C does not wait for anything, and loses nothing either.
func TestSecondInterruptEndsTheServer(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.underWay("/orders")
	server := h.dev("--grace", patience.String())
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(1), "--detach")
	gate.await(t)
	server.interrupt()
	server.says("Ctrl-C again does not wait")
	server.interrupt()
	require.Equal(t, terminal.ExitInterrupted, server.wait())
	gate.release()
	h.dev()
	h.status("succeeded")
	h.once()
}

// Beside a server 'workflow run' only follows; Ctrl-C ends the following and not the run.
func TestRunBesideAServerFollows(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.underWay("/orders")
	server := h.dev()
	first := h.start("workflow", "run", "--repair", "Orders", "--input", day(1))
	gate.await(t)
	first.interrupt()
	require.Equal(t, terminal.ExitInterrupted, first.wait())
	require.Contains(t, first.err.String(), "a server goes on with it")
	gate.release()
	h.status("succeeded")
	h.once()

	r := h.ends(terminal.ExitOK, "workflow", "run", "--repair", "Orders", "--input", day(2))
	require.Contains(t, r.out, "succeeded on version 1.0.\n{\"orders\":2,\"total\":30}\n")
	require.Contains(t, r.err, "RunSucceeded", "the server's doing is told here")
	for _, one := range h.objects("run", "list") {
		require.Contains(t, one["node"], "/"+strconv.Itoa(server.command.Process.Pid), "the server executed it")
	}

	h.outside.answer("/orders", 200, newOrders(1, 2, 3, 4))
	r = h.ends(terminal.ExitOK, "workflow", "run", "--repair", "Orders", "--input", day(3))
	require.Contains(t, r.out, "succeeded on version 1.1", "the repair is followed too")
	require.Contains(t, r.err, "FixConfirmed")
}

// If the server that was followed dies, the follower takes its place.
func TestFollowerTakesOver(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.underWay("/orders")
	server := h.dev()
	p := h.start("workflow", "run", "--repair", "Orders", "--input", day(1))
	gate.await(t)
	require.NoError(t, server.command.Process.Kill())
	require.Equal(t, 128+int(syscall.SIGKILL), server.wait())
	gate.release()
	require.Equal(t, terminal.ExitOK, p.wait(), p.err.String())
	require.Contains(t, p.out.String(), "succeeded on version 1.0")
	h.once()
}

// A paused workflow's failed run waits for its person, and nobody waits for it.
func TestRunOfAWorkflowThatIsPausedMeanwhile(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	gate := h.outside.hold(t, "/orders")
	h.dev()
	p := h.start("workflow", "run", "--repair", "Orders", "--input", day(9))
	gate.await(t)
	h.ok("workflow", "pause", "Orders")
	gate.release()
	require.Equal(t, terminal.ExitRunFailed, p.wait(), p.err.String())
	require.Contains(t, p.out.String(), "The workflow is paused now")
	require.Contains(t, h.ok("workflow", "activate", "Orders"), "status active")
	require.Eventually(t, func() bool {
		return h.objects("fix", "list")[0]["state"] == "confirmed"
	}, patience, 100*time.Millisecond)
	require.Len(t, h.outside.requests("POST /done"), 5)
}

// A signal that is not from the terminal asks for the same.
func TestTerminatedServerFinishes(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := h.dev()
	require.NoError(t, server.command.Process.Signal(syscall.SIGTERM))
	require.Equal(t, terminal.ExitOK, server.wait())
	require.NotContains(t, server.err.String(), "Stopping", "there was nothing to wait for")
	require.ErrorIs(t, syscall.Kill(server.command.Process.Pid, 0), syscall.ESRCH)
}

// A command that waits for a run waits for its repair, at every moment of it, and no longer.
func TestSettledFor(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.mend("Orders")
	codec, err := app.NewCodec()
	require.NoError(t, err)
	log, err := sqlitelog.Open(t.Context(), filepath.Join(h.dir, app.LogFile), sqlitelog.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	id := h.objects("workflow", "list")[0]["id"].(string)
	var state workflow.State
	failed, confirmed := "", false
	for record, err := range log.Stream(t.Context(), "workflow-"+id, 0) {
		require.NoError(t, err)
		happened, err := codec.Decode(record.Type, record.SchemaVersion, record.Payload)
		require.NoError(t, err)
		state = workflow.Evolve(state, happened)
		switch e := happened.(type) {
		case workflow.RunFailed:
			failed = e.Run
			continue // nobody sees a part of an append
		case workflow.LogicErrorClassified:
			continue
		case workflow.RunSucceeded:
			confirmed = failed != ""
		}
		if failed != "" {
			require.Equal(t, confirmed, app.SettledFor(state, failed, time.Now()), "after %s", record.Type)
		}
	}
	require.True(t, confirmed)
}

// Without a server one 'workflow run' works at a time; the next takes its turn, and says
// what it waits for.
func TestRunsTakeTurns(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	gate := h.underWay("/orders")
	h.ok("workflow", "create", "Other", "--script", h.file("s.js", "function main() { return 'my turn' }"))
	first := h.start("workflow", "run", "--repair", "Orders", "--input", day(1))
	gate.await(t)
	second := h.start("workflow", "run", "--repair", "Other")
	second.says("Another 'kintsugi workflow run' is at work here (process " + strconv.Itoa(first.command.Process.Pid) + ")")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "run", "--repair", "Orders").err, "wait for one to end")
	gate.release()
	require.Equal(t, terminal.ExitOK, first.wait(), first.err.String())
	require.Equal(t, terminal.ExitOK, second.wait(), second.err.String())
	require.Contains(t, second.out.String(), `"my turn"`)
	h.once()
}
