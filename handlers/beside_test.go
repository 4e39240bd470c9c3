package handlers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/projections"
)

// meet has runs wait for each other: each at its first GET of a path of its own below /meet, until so many are there.
func (n *node) meet(runs int) {
	var all sync.WaitGroup
	all.Add(runs)
	var met sync.Map
	n.outside.before = func(path string) {
		if _, before := met.LoadOrStore(path, true); strings.HasPrefix(path, "/meet/") && !before {
			all.Done()
			all.Wait()
		}
	}
}

// together has runs execute at the same time.
func (n *node) together(id string, inputs ...string) (runs []string) {
	n.t.Helper()
	n.meet(len(inputs))
	for _, input := range inputs {
		runs = append(runs, n.admit(id, input))
	}
	require.NoError(n.t, n.settle(context.Background()))
	return runs
}

// kept is the value of a key.
func (n *node) kept(id, key string) string {
	n.t.Helper()
	local, err := n.LocalState(context.Background(), id)
	require.NoError(n.t, err)
	value, _ := local.KV(key)
	var streams []string
	for one, err := range n.commands.History(context.Background(), []string{workflow.Stream(id)}) {
		require.NoError(n.t, err)
		if e, is := one.Event.(workflow.RunAdmitted); is {
			streams = append(streams, run.Stream(e.Run))
		}
	}
	var history []event.Recorded
	for one, err := range n.commands.History(context.Background(), append([]string{workflow.Stream(id)}, streams...)) {
		require.NoError(n.t, err)
		history = append(history, one)
	}
	folded, err := projections.LocalOf(history)
	require.NoError(n.t, err)
	require.Equal(n.t, string(value), string(folded.KV[key]), "as the views, so the history")
	return string(value)
}

var four = []string{`{"i":1}`, `{"i":2}`, `{"i":3}`, `{"i":4}`}

// Rule 4: runs at the same time come out as if one had been after the other, and nothing outside is done twice.
func TestRule04FourRunsAtOnceCountToFour(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		code  string
		posts int
		again bool // somebody has to begin again
	}{
		"get and set":          {`const n = (await kv.get('n')) || 0; await web.getJSON('BASE/meet/' + input.i); await kv.set('n', n + 1);`, 0, true},
		"a write in between":   {`const n = (await kv.get('n')) || 0; await web.postJSON('BASE/order', input.i); await web.getJSON('BASE/meet/' + input.i); await kv.set('n', n + 1);`, 4, true},
		"a write behind":       {`const n = (await kv.get('n')) || 0; await web.getJSON('BASE/meet/' + input.i); await kv.set('n', n + 1); await web.postJSON('BASE/order', input.i);`, 4, true},
		"lists":                {`const n = (await kv.list('x:')).length; await web.getJSON('BASE/meet/' + input.i); await kv.set('x:' + n, true); await kv.set('n', n + 1);`, 0, true},
		"files":                {`let n = 0; try { n = Number(await files.read('n')); } catch (e) {} await web.getJSON('BASE/meet/' + input.i); await files.write('n', String(n + 1)); await kv.set('n', Number(await files.read('n')));`, 0, true},
		"update":               {`await web.getJSON('BASE/meet/' + input.i); await kv.update('n', 1);`, 0, false},
		"update, then read":    {`await kv.update('n', 1); await web.getJSON('BASE/meet/' + input.i); await kv.set('seen', await kv.get('n'));`, 0, true},
		"what it wrote itself": {`await kv.set('mine', input.i); await web.getJSON('BASE/meet/' + input.i); if ((await kv.get('mine')) !== input.i) throw new Error('another one'); await kv.update('n', 1);`, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newWorld(t).open(nil)
			defer n.close()
			id := n.create(`async function main(input) { `+test.code+` return input.i; }`, workflow.Settings{MaxActive: 4, Guard: workflow.GuardOff})
			runs := n.together(id, four...)
			require.Equal(t, "4", n.kept(id, "n"))
			require.Equal(t, test.posts, n.outside.count("POST /order"))
			began := 0
			for _, of := range runs {
				s := n.run(of)
				require.Nil(t, s.Failure)
				require.Empty(t, s.Before)
				for one, err := range n.commands.History(t.Context(), []string{run.Stream(of)}) {
					require.NoError(t, err)
					if _, is := one.Event.(run.RunBegunAgain); is {
						began++
					}
				}
			}
			require.Equal(t, test.again, began > 0, "%d began again", began)
			for i := range four {
				require.LessOrEqual(t, n.outside.count(fmt.Sprintf("GET /meet/%d", i+1)), 1, "what was read outside is not read again")
			}
		})
	}
}

// Rule 15: a run that would write something else outside than it has is half done, and its person is told; what it would have kept comes
// to nothing until they say so.
func TestRule15ARunThatCannotBeginAgainIsHalfDone(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(`async function main(input) {
  const n = ((await kv.get('n')) || 0) + 1;
  await web.postJSON('BASE/count', n);
  await web.getJSON('BASE/meet/' + input.i);
  await kv.set('n', n);
}`, workflow.Settings{MaxActive: 2, Guard: workflow.GuardOff})
	n.together(id, four[:2]...)
	require.Equal(t, []string{"1", "1"}, n.outside.bodies)
	require.Equal(t, "1", n.kept(id, "n"))
	stands := n.asked(id)
	require.Contains(t, stands.Problem, `other runs of the workflow have changed key "n"`)
	n.outside.before = nil
	_, err := n.commands.ContinueRun(t.Context(), id, workflow.ContinueRun{Run: stands.Info.Run}, person())
	require.NoError(t, err)
	_, err = n.commands.AdmitRun(t.Context(), id, workflow.AdmitRun{Run: "other", Trigger: workflow.TriggerManual, Input: []byte(`{"i":3}`)}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Empty(t, n.state(id).Unfinished)
	require.Equal(t, []string{"1", "1", "2"}, n.outside.bodies)
}

// A run that began again, and a run beside it, keep what they wrote exactly once, wherever the process is killed: at each append, before
// it is stored and after.
func TestRule04ACommitIsKeptOnceAfterAKillAnywhere(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("after %t", after), func(t *testing.T) {
			t.Parallel()
			began, died := 0, true
			for at := 0; died; at++ {
				w := newWorld(t)
				n := w.open(nil)
				id := n.create(`async function main(input) {
  const n = (await kv.get('n')) || 0;
  await web.postJSON('BASE/order', input.i);
  await web.getJSON('BASE/meet/' + input.i);
  await kv.set('n', n + 1);
  await files.append('log', input.i + '\n');
  await kv.update('sum', input.i);
}`, workflow.Settings{MaxActive: 2, Guard: workflow.GuardOff, IdempotentHosts: []string{w.outside.host()}})
				runs := []string{n.admit(id, four[0]), n.admit(id, four[1])}
				n.close()

				ctx, die := context.WithCancel(t.Context())
				doomed := &killed{kill: kill{at: at, after: after}, die: die}
				n = w.open(func(log eventlog.Log) eventlog.Log { doomed.Log = log; return doomed })
				beside := sync.OnceFunc(func() { n.does(ctx, id, runs[1]) })
				w.outside.before = func(path string) {
					if path == "/meet/1" {
						beside()
					}
				}
				n.does(ctx, id, runs[0])
				died = doomed.dead.Load()
				w.outside.before = nil
				n.close()
				die()

				n = w.open(nil)
				require.NoError(t, n.settle(t.Context()))
				require.Empty(t, n.state(id).Admitted, "killed at append %d", at)
				require.Equal(t, "2", n.kept(id, "n"), "killed at append %d", at)
				require.Equal(t, "3", n.kept(id, "sum"), "killed at append %d", at)
				local, err := n.LocalState(t.Context(), id)
				require.NoError(t, err)
				file, _ := local.File("log")
				require.ElementsMatch(t, []string{"1", "2"}, strings.Fields(file.Text), "killed at append %d", at)
				keys := slices.Clone(w.outside.keys)
				slices.Sort(keys)
				require.Len(t, slices.Compact(keys), 2, "killed at append %d", at)
				for _, of := range runs {
					for one, err := range n.commands.History(t.Context(), []string{run.Stream(of)}) {
						require.NoError(t, err)
						if _, is := one.Event.(run.RunBegunAgain); is {
							began++
						}
					}
				}
				n.close()
			}
			require.Greater(t, began, 5)
		})
	}
}

// Rules 4 and 15: what a run has committed counts, also if it is killed before its end and another run changes then what it had read: only
// its end is left, so nobody is asked, and no kv.update is made a second time.
func TestRule15ARunThatHasCommittedEnds(t *testing.T) {
	t.Parallel()
	for at, died := 0, true; died; at++ {
		w := newWorld(t)
		n := w.open(nil)
		id := n.create(`async function main(input) {
  const n = (await kv.get('n')) || 0;
  await kv.update('sum', input.i);
  await files.append('log', input.i + '\n');
  await web.postJSON('BASE/order', input.i);
  await kv.set('n', n + 1);
}`, workflow.Settings{MaxActive: 2, Guard: workflow.GuardOff, IdempotentHosts: []string{w.outside.host()}})
		runs := []string{n.admit(id, four[0]), n.admit(id, four[1])}
		n.close()

		ctx, die := context.WithCancel(t.Context())
		doomed := &killed{kill: kill{at: at, after: true}, die: die}
		n = w.open(func(log eventlog.Log) eventlog.Log { doomed.Log = log; return doomed })
		n.does(ctx, id, runs[0])
		died = doomed.dead.Load()
		n.close()
		die()

		n = w.open(nil)
		n.does(t.Context(), id, runs[1])
		require.NoError(t, n.settle(t.Context()))
		require.Empty(t, n.state(id).Unfinished, "killed at append %d, nobody is asked", at)
		require.Empty(t, n.state(id).Admitted, "killed at append %d", at)
		require.Equal(t, "3", n.kept(id, "sum"), "killed at append %d", at)
		local, err := n.LocalState(t.Context(), id)
		require.NoError(t, err)
		file, _ := local.File("log")
		require.ElementsMatch(t, []string{"1", "2"}, strings.Fields(file.Text), "killed at append %d", at)
		keys := slices.Clone(w.outside.keys)
		slices.Sort(keys)
		require.Len(t, slices.Compact(keys), 2, "killed at append %d", at)
		n.close()
	}
}

// does executes one run, as far as a process comes that may be killed.
func (n *node) does(ctx context.Context, id, of string) {
	for _, work := range n.reactions[0].Due(id, n.state(id)) {
		if work.Key == of {
			_ = work.Do(ctx) // may end as a killed process does: in the middle
		}
	}
}

// nodes are lives beside each other on one log in PostgreSQL, each with views of its own.
func (w *world) nodes(many int) []*node {
	w.t.Helper()
	url := pgtest.Database(w.t)
	nodes := make([]*node, many)
	for i := range nodes {
		own := *w
		own.dir = w.t.TempDir()
		n := own.open(func(opened eventlog.Log) eventlog.Log {
			require.NoError(w.t, opened.Close())
			log, err := pglog.Open(context.Background(), url, pglog.Options{})
			require.NoError(w.t, err)
			return log
		})
		w.t.Cleanup(n.close)
		name := fmt.Sprint("node ", i)
		n.reactions[0] = execution.NewExecutor(execution.ExecutorConfig{
			Commands: n.commands, Sandbox: w.pool, Local: n, Now: w.clock.now, Node: name, Logger: slog.New(slog.DiscardHandler), Recordings: n,
			Mirror: func(string, hostcall.State, []string) error { return nil },
		})
		n.reactions[2] = maintenance.NewMaintainer(maintenance.MaintainerConfig{
			Commands: n.commands, Sandbox: n.pool, Fixers: n.fixers, Recordings: n, Logger: slog.New(slog.DiscardHandler),
			Place: agents.Place{Node: name, Now: w.clock.now},
		})
		nodes[i] = n
	}
	return nodes
}

// Rule 4: nor does it matter on which node runs execute, or in which log.
func TestRule04RunsOnSeveralNodesCountTogether(t *testing.T) {
	t.Parallel()
	nodes := newWorld(t).nodes(2)
	id := nodes[0].create(`async function main(input) {
  const n = (await kv.get('n')) || 0;
  await web.postJSON('BASE/order', input.i);
  await web.getJSON('BASE/meet/' + input.i);
  await kv.set('n', n + 1);
  await kv.update('sum', 1);
}`, workflow.Settings{MaxActive: 4, Guard: workflow.GuardOff})
	nodes[0].meet(len(four))
	var all sync.WaitGroup
	failed := make([]error, len(four))
	for i, input := range four {
		of := nodes[0].admit(id, input)
		all.Go(func() {
			n := nodes[i%2]
			state, err := n.commands.LoadWorkflow(t.Context(), id)
			for _, work := range n.reactions[0].Due(id, state) {
				if err == nil && work.Key == of {
					err = work.Do(t.Context())
				}
			}
			failed[i] = err
		})
	}
	all.Wait()
	for _, err := range failed {
		require.NoError(t, err)
	}
	require.Equal(t, "4", nodes[1].kept(id, "n"))
	require.Equal(t, "4", nodes[0].kept(id, "sum"))
	require.Equal(t, 4, nodes[0].outside.count("POST /order"))
}

// aboutCustomers makes a workflow of which one run is under way about each customer, and gives it inputs about three of them.
func (n *node) aboutCustomers(inputs int) (id string) {
	n.t.Helper()
	id = n.create(`async function main(input) {
  await web.postJSON('BASE/order', { customer: input.customer, n: input.n, what: 'begins' });
  await kv.update('sum', 1);
  await web.postJSON('BASE/order', { customer: input.customer, n: input.n, what: 'ends' });
}`, workflow.Settings{ConcurrencyKey: "customer", MaxActive: 3, Guard: workflow.GuardOff, IdempotentHosts: []string{n.outside.host()}})
	for i := range inputs {
		_, err := n.commands.OfferInput(context.Background(), id, workflow.OfferInput{
			Run: fmt.Sprint(id, i), Trigger: workflow.TriggerWebhook, Input: fmt.Appendf(nil, `{"customer":"c%d","n":%d}`, i%3, i),
		}, person())
		require.NoError(n.t, err)
	}
	return id
}

// requireInTurn holds that of the runs about a customer each began when the one before it had ended, in the order of their inputs. A write that
// was sent again is one write.
func (n *node) requireInTurn(id string, inputs int) {
	n.t.Helper()
	require.Empty(n.t, n.state(id).Queue)
	require.Empty(n.t, n.state(id).Admitted)
	require.Equal(n.t, fmt.Sprint(inputs), n.kept(id, "sum"))
	got, seen := map[string][]string{}, map[string]bool{}
	for i, body := range n.outside.bodies {
		var said struct {
			Customer, What string
			N              int
		}
		require.NoError(n.t, json.Unmarshal([]byte(body), &said))
		if key := n.outside.keys[i]; !seen[key] {
			seen[key] = true
			got[said.Customer] = append(got[said.Customer], fmt.Sprint(said.What, " ", said.N))
		}
	}
	want := map[string][]string{}
	for i := range inputs {
		of := fmt.Sprint("c", i%3)
		want[of] = append(want[of], fmt.Sprint("begins ", i), fmt.Sprint("ends ", i))
	}
	require.Equal(n.t, want, got)
}

// Rule 4: runs about the same come one after the other also on several nodes that look at the same time.
func TestRule04KeysHoldOnSeveralNodes(t *testing.T) {
	t.Parallel()
	const inputs = 12
	w := newWorld(t)
	n := w.open(nil)
	id := n.aboutCustomers(inputs)
	nodes := []*node{n, w.open(nil), w.open(nil)}
	for i, one := range nodes {
		one.beside(fmt.Sprint(i), time.Hour).inputs()
	}
	ctx, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	ended := make([]error, len(nodes))
	for i, one := range nodes {
		group.Go(func() { ended[i] = one.loop().Run(ctx) })
	}
	require.Eventually(t, func() bool { state := n.state(id); return len(state.Queue)+len(state.Admitted) == 0 }, time.Minute, 5*time.Millisecond)
	stop()
	group.Wait()
	n.requireInTurn(id, inputs)
	for i, one := range nodes {
		require.NoError(t, ended[i])
		one.close()
	}
}

// Rule 4: runs about the same come one after the other wherever the process is killed: at appends, before they are stored and after.
func TestRule04KeysHoldAfterAKillAnywhere(t *testing.T) {
	t.Parallel()
	const inputs = 4
	for _, after := range []bool{false, true} {
		t.Run(fmt.Sprintf("after %t", after), func(t *testing.T) {
			t.Parallel()
			died := true
			for at := 0; died; at += 3 {
				w := newWorld(t)
				n := w.open(nil)
				id := n.aboutCustomers(inputs)
				n.close()

				ctx, die := context.WithCancel(t.Context())
				doomed := &killed{kill: kill{at: at, after: after}, die: die}
				n = w.open(func(log eventlog.Log) eventlog.Log { doomed.Log = log; return doomed }).inputs()
				_ = n.settle(ctx) // it may die on the way
				died = doomed.dead.Load()
				n.close()
				die()

				n = w.open(nil).inputs()
				require.NoError(t, n.settle(t.Context()), "killed at append %d", at)
				n.requireInTurn(id, inputs)
				n.close()
			}
		})
	}
}
