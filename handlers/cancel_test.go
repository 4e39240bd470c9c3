package handlers_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

const twoWrites = `async function main(input) {
  await web.getJSON("BASE/a");
  await web.postJSON("BASE/first", {});
  await web.getJSON("BASE/b");
  await web.postJSON("BASE/second", {});
  await kv.set("done", true);
}`

// cancel cancels a run as a person does.
func (n *node) cancel(id, of string) (commands.Result, error) {
	return n.commands.CancelRun(context.Background(), id, workflow.CancelRun{Run: of, Reason: "not needed"}, person())
}

// cancelledAs says what is to be so of a run that was cancelled: it ended, without a failure, and nothing follows.
func (n *node) cancelledAs(t *testing.T, id, of string) {
	t.Helper()
	s := n.state(id)
	over, settled := s.Run(of)
	require.True(t, settled && over.Cancelled)
	require.Empty(t, s.Admitted)
	require.Equal(t, workflow.StatusActive, s.Status)
	require.Equal(t, []string{workflow.TypeRunAdmitted, workflow.TypeRunCancelled}, n.events(id, workflow.TypeRunAdmitted))
	require.NotNil(t, n.run(of).Cancelled)
}

// at has something done once while the outside is asked for a path, before it answers.
func (o *outside) at(path string, do func()) {
	var once sync.Once
	o.mu.Lock()
	defer o.mu.Unlock()
	o.before = func(asked string) {
		if asked == path {
			once.Do(do)
		}
	}
}

// A run that is cancelled ends before its next write, wherever it is; what it had written is said.
func TestRule25ACancelledRunEndsBeforeItsNextWrite(t *testing.T) {
	t.Parallel()
	for path, c := range map[string]struct{ writes, first, second int }{
		"/a":      {writes: 0, first: 0},
		"/first":  {writes: 1, first: 1},
		"/b":      {writes: 1, first: 1},
		"/second": {writes: 2, first: 1, second: 1},
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			n := w.open(nil)
			defer n.close()
			id := n.create(twoWrites, workflow.Settings{})
			of := n.admit(id, `{}`)
			var result commands.Result
			w.outside.at(path, func() {
				var err error
				result, err = n.cancel(id, of)
				require.NoError(t, err)
			})
			require.NoError(t, n.settle(t.Context()))
			n.cancelledAs(t, id, of)
			require.Equal(t, c.writes, result.Events[0].Event.(workflow.RunCancelled).Writes)
			require.Equal(t, c.first, w.outside.count("POST /first"))
			require.Equal(t, c.second, w.outside.count("POST /second"))
			local, err := n.LocalState(t.Context(), id)
			require.NoError(t, err)
			require.Empty(t, local.Keys(""))
			for _, call := range n.run(of).Calls {
				require.True(t, call.Returned || call.Effect == "read", "the answer to %s, which was under way, is lost", call.Args)
			}
			_, err = n.cancel(id, of)
			require.Equal(t, fault.Conflict, fault.KindOf(err))
			w.outside.at("", nil)
			next := n.admit(id, `{}`)
			require.NoError(t, n.settle(t.Context()))
			require.Nil(t, n.run(next).Failure)
			require.True(t, n.run(next).Ended)
		})
	}
}

// A script that computes, or waits for an answer that does not come, is stopped, too.
func TestRule25AScriptThatMakesNoCallIsStopped(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil)
	defer n.close()
	id := n.create(`async function main() { await web.postJSON("BASE/first", {}); for (;;) {} }`, workflow.Settings{Limits: workflow.Limits{WallMS: 10 * time.Minute.Milliseconds()}})
	of := n.admit(id, `{}`)
	hint, release := n.log.Wake()
	defer release()
	done := make(chan error, 1)
	go func() { done <- n.settle(t.Context()) }()
	for { // until it computes
		state, err := n.commands.LoadRun(t.Context(), of)
		if err == nil && len(state.Calls) == 1 && state.Calls[0].Returned {
			break
		}
		<-hint
	}
	_, err := n.cancel(id, of)
	require.NoError(t, err)
	require.NoError(t, <-done)
	n.cancelledAs(t, id, of)
}

// A run that has not started, or waits for its person, is cancelled; a question is open for nobody then.
func TestRule25ARunThatStandsStillIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil)
	defer n.close()
	id := n.create(`async function main() { return await ask("Go on?"); }`, workflow.Settings{})
	early := n.admit(id, `{}`)
	_, err := n.cancel(id, early)
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	n.cancelledAs(t, id, early)
	require.Empty(t, n.run(early).Calls)

	asks := n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))
	require.NotNil(t, n.run(asks).Awaiting())
	_, err = n.cancel(id, asks)
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.False(t, n.run(asks).StandsStill())
	require.Empty(t, n.state(id).Admitted)
}

// The process that cancels may die after any of its appends, and the one that executes: what was acknowledged stays so, and no write
// comes after it.
func TestRule25ACancellationSurvivesEachCrash(t *testing.T) {
	t.Parallel()
	shared := newWorld(t)
	for survived := range int64(3) {
		w := &world{t: t, dir: t.TempDir(), outside: newOutside(t), clock: &clock{}, pool: shared.pool}
		n := w.open(nil)
		id := n.create(twoWrites, workflow.Settings{})
		of := n.admit(id, `{}`)
		var doomed *mortal
		ctx, die := context.WithCancel(t.Context())
		cancels := w.open(func(log eventlog.Log) eventlog.Log {
			doomed = &mortal{Log: log, die: die}
			doomed.left.Store(survived)
			return doomed
		})
		var acknowledged error
		w.outside.at("/b", func() {
			_, acknowledged = cancels.commands.CancelRun(ctx, id, workflow.CancelRun{Run: of}, person())
		})
		require.NoError(t, n.settle(t.Context()))
		die()
		cancels.close()
		n.close()

		n = w.open(nil)
		require.NoError(t, n.settle(t.Context()))
		cancelled := n.run(of).Cancelled != nil
		require.True(t, cancelled || acknowledged != nil, "an acknowledged cancellation is gone")
		require.Equal(t, cancelled, w.outside.count("POST /second") == 0, "after %d appends", survived)
		require.Empty(t, n.state(id).Admitted)
		if cancelled {
			n.cancelledAs(t, id, of)
		}
		n.close()
	}
}

// Another node executes the run than the one that is asked to cancel it: it is fenced, and hears of it.
func TestRule25ARunOfAnotherNodeIsCancelled(t *testing.T) {
	t.Parallel()
	nodes := newWorld(t).nodes(2)
	id := nodes[0].create(twoWrites, workflow.Settings{})
	of := nodes[0].admit(id, `{}`)
	nodes[0].outside.at("/b", func() {
		_, err := nodes[1].cancel(id, of)
		require.NoError(t, err)
	})
	require.NoError(t, nodes[0].settle(t.Context()))
	nodes[0].cancelledAs(t, id, of)
	require.Equal(t, 1, nodes[0].outside.count("POST /first"))
	require.Zero(t, nodes[0].outside.count("POST /second"))
	require.NoError(t, nodes[1].settle(t.Context()))
	nodes[1].cancelledAs(t, id, of)
	var actors []string
	for one, err := range nodes[1].commands.History(t.Context(), []string{workflow.Stream(id)}) {
		require.NoError(t, err)
		if _, is := one.Event.(workflow.RunCancelled); is {
			actors = append(actors, one.Metadata.Actor)
		}
	}
	require.Equal(t, []string{"person:ann"}, actors)
}
