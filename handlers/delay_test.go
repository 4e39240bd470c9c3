//go:build unix

package handlers_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// workers are processes that a test can keep from starting, and stop.
type workers struct {
	t           *testing.T
	broken, ids string // files: workers do not start while the first is there, and the second has their process ids
}

// inStoppable has scripts run in such workers.
func (w *world) inStoppable(t *testing.T, start time.Duration) *workers {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	dir := t.TempDir()
	of := &workers{t: t, broken: filepath.Join(dir, "broken"), ids: filepath.Join(dir, "ids")}
	pool := process.NewPool(process.PoolConfig{
		Bindings: hostcall.Bindings(), Size: 4, StartTime: start, Logger: slog.New(slog.DiscardHandler),
		Command: []string{"/bin/sh", "-c", fmt.Sprintf(`[ -e %q ] && exec sleep 600; echo $$ >> %q; exec %q`, of.broken, of.ids, program)},
	})
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	w.pool = pool
	return of
}

func (w *workers) breaks(broken bool) {
	w.t.Helper()
	if broken {
		require.NoError(w.t, os.WriteFile(w.broken, nil, 0o600))
	} else {
		require.NoError(w.t, os.Remove(w.broken))
	}
}

// stop stops all workers that there are, as a machine that is paused does.
func (w *workers) stop() {
	text, _ := os.ReadFile(w.ids)
	for _, id := range strings.Fields(string(text)) {
		if pid, err := strconv.Atoi(id); err == nil {
			_ = syscall.Kill(pid, syscall.SIGSTOP) // it may be gone
		}
	}
}

// later is when the machine has been tried again often enough.
func (n *node) later(id string) {
	n.t.Helper()
	require.Eventually(n.t, func() bool {
		require.NoError(n.t, n.settle(n.t.Context()))
		n.clock.advance(10 * time.Minute)
		return len(n.state(id).Admitted) == 0
	}, 5*time.Minute, time.Millisecond)
}

// A machine on which no worker starts ends no run: the run waits, says since when, why and until when, and is tried again as often as it
// takes. Then it goes on as if nothing had been.
func TestARunWaitsForAMachineThatCannotStartIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	workers := w.inStoppable(t, 200*time.Millisecond)
	workers.breaks(true)
	n := w.open(nil)
	defer n.close()
	id := n.create(`async function main(input) { await web.postJSON('BASE/one', input); return input.k; }`, workflow.Settings{})
	of := n.admit(id, `{"k":7}`)
	require.NoError(t, n.settle(t.Context()))
	first := n.run(of).Delay
	require.NotNil(t, first)
	require.Equal(t, 1, first.Tries)
	require.Equal(t, "this machine was too busy to start the script", first.Problem)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, 1, n.run(of).Delay.Tries, "it is not tried before its time")
	for range 3 {
		n.clock.advance(10 * time.Minute)
		require.NoError(t, n.settle(t.Context()))
	}
	delay := n.run(of).Delay
	require.Equal(t, 4, delay.Tries)
	require.Equal(t, first.Since, delay.Since)
	require.Greater(t, delay.Until.Sub(n.clock.now()), first.Until.Sub(first.Since), "less and less often")
	require.NoError(t, n.views.CatchUp(t.Context()))
	row, err := n.queries.Run(t.Context(), of)
	require.NoError(t, err)
	require.WithinDuration(t, first.Since, row.DelayedSince, time.Second)
	require.Equal(t, first.Problem, row.DelayedBy)
	require.Equal(t, workflow.StatusActive, n.state(id).Status)

	workers.breaks(false)
	n.later(id)
	require.Nil(t, n.run(of).Failure)
	require.JSONEq(t, `7`, string(n.run(of).Output))
	require.Equal(t, 1, n.outside.count("POST /one"))
	require.Empty(t, n.events(id, workflow.TypeRunFailed))
	n.audited()
}

// A worker that is stopped in the middle of a run, as with a machine that is paused, is neither the script's fault nor the end: the run
// goes on from its journal, and what it had written is not written again.
func TestARunGoesOnAfterItsWorkerWasStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	workers := w.inStoppable(t, time.Minute)
	n := w.open(nil)
	defer n.close()
	id := n.create(`async function main() {
  await web.postJSON('BASE/one', {});
  await kv.set('n', ((await kv.get('n')) ?? 0) + 1);
  const a = await web.getJSON('BASE/a');
  await web.postJSON('BASE/two', { v: a.v });
  return a.v;
}`, workflow.Settings{})
	n.outside.answer("/a", 200, `{"v":5}`)
	var stopped atomic.Bool
	n.outside.setBefore(func(path string) {
		if path == "/a" && stopped.CompareAndSwap(false, true) {
			workers.stop()
		}
	})
	of := n.admit(id, `{}`)
	n.later(id)
	require.True(t, stopped.Load())
	require.Nil(t, n.run(of).Failure, "%+v", n.run(of).Failure)
	require.Equal(t, 1, n.outside.count("POST /one"))
	require.Equal(t, 1, n.outside.count("POST /two"))
	require.Equal(t, []string{"1"}, n.cursors(id, "n"))
	require.Empty(t, n.events(id, workflow.TypeRunFailed))
	n.audited()
}

// A run that failed and is over can be tried again by its person: it goes on with its input and its journal.
func TestAnyRunThatFailedCanBeTriedAgain(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(`async function main(input) {
  const a = await web.getJSON('BASE/a');
  if (a.v !== 1) throw new Error('not yet ' + a.v);
  await web.postJSON('BASE/one', input);
}`, workflow.Settings{AutoFix: workflow.ModeOff})
	n.outside.answer("/a", 200, `{"v":2}`)
	of := n.admit(id, `{"k":7}`)
	require.NoError(t, n.settle(t.Context()))
	_, retriable := n.state(id).Retriable(of)
	require.True(t, retriable)
	_, err := n.commands.ContinueRun(t.Context(), id, workflow.ContinueRun{Run: of}, person())
	require.ErrorContains(t, err, "handed to you")
	n.save(id, `async function main(input) {
  const a = await web.getJSON('BASE/a');
  await web.postJSON('BASE/one', { k: input.k, v: a.v });
}`)
	_, err = n.commands.ContinueRun(t.Context(), id, workflow.ContinueRun{Run: of}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, []string{`{"k":7,"v":2}`}, n.outside.bodies, "with its input, and with what it had read")
	_, err = n.commands.ContinueRun(t.Context(), id, workflow.ContinueRun{Run: of}, person())
	require.ErrorContains(t, err, "is not unfinished")
}
