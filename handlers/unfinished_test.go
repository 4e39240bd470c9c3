package handlers_test

import (
	"context"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// The script writes one, stumbles, and would have written two.
const (
	stumbling = `async function main(input) {
	const a = await web.getJSON("BASE/a");
	await web.postJSON("BASE/one", { a: a.v });
	await web.postJSON("BASE/two", { b: a.w.x });
}`
	stumblesNot = `async function main(input) {
	const a = await web.getJSON("BASE/a");
	await web.postJSON("BASE/one", { a: a.v });
	await web.postJSON("BASE/two", { b: 2 });
}`
	writesTwoFirst = `async function main(input) {
	await web.postJSON("BASE/two", { b: 2 });
	await web.postJSON("BASE/one", { a: 1 });
}`
)

func (n *node) save(id, code string) {
	n.t.Helper()
	_, err := n.commands.SaveScript(context.Background(), id, workflow.SaveScript{ScriptID: uuid.NewString(), Code: n.outside.local(code), Comment: "next", Origin: workflow.OriginPerson}, person())
	require.NoError(n.t, err)
}

// halfDone is a workflow with a run that wrote one, and not two, and other code since.
func (n *node) halfDone(code string) (id, of string) {
	n.t.Helper()
	n.outside.answer("/a", 200, `{"v":1}`)
	id = n.create(stumbling, workflow.Settings{AutoFix: workflow.ModeOff})
	of = n.admit(id, `{}`)
	require.NoError(n.t, n.settle(context.Background()))
	require.Equal(n.t, 1, n.outside.count("POST /one"))
	require.Equal(n.t, workflow.StatusEscalated, n.state(id).Status)
	n.save(id, code)
	require.NoError(n.t, n.settle(context.Background()))
	require.True(n.t, n.state(id).Unfinished[of].Asked, "a save does not answer it")
	return id, of
}

// Rule 17: on the repaired code the run goes on where it stopped, once its person says so.
func TestAHalfDoneRunGoesOnWithTheRepairedCode(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id, of := n.halfDone(stumblesNot)
	require.Zero(t, n.outside.count("POST /two"), "nothing is chosen for the person")
	_, err := n.commands.ContinueRun(t.Context(), id, workflow.ContinueRun{Run: of}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, 1, n.outside.count("POST /one"))
	require.Equal(t, 1, n.outside.count("POST /two"))
	require.Empty(t, n.state(id).Unfinished)
	n.audited()
}

// Rule 17: code that does not repeat what was written sends nothing, stops nothing, and is asked about again.
func TestAHalfDoneRunDoesNotGoOnWithCodeThatWritesOtherwise(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id, of := n.halfDone(writesTwoFirst)
	_, err := n.commands.ContinueRun(t.Context(), id, workflow.ContinueRun{Run: of}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, 1, n.outside.count("POST /one"))
	require.Zero(t, n.outside.count("POST /two"))
	state := n.state(id)
	require.Equal(t, workflow.StatusActive, state.Status)
	require.Len(t, state.Unfinished, 1)
	for next, u := range state.Unfinished {
		require.NotEqual(t, of, next)
		require.True(t, u.Asked)
		require.Equal(t, 1, u.Info.Writes)
		of = next
	}
	// It is started again instead.
	_, err = n.commands.AdmitRun(t.Context(), id, workflow.AdmitRun{Run: uuid.NewString(), Trigger: workflow.TriggerManual, Restarts: of}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, 2, n.outside.count("POST /one"))
	require.Equal(t, 1, n.outside.count("POST /two"))
	require.Empty(t, n.state(id).Unfinished)
}

// Rule 17: with access renewed, the run goes on by itself, and writes nothing twice.
func TestAHalfDoneRunGoesOnOnceThereIsAccess(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.outside.answer("/a", 200, `{"v":1}`)
	n.outside.answer("/two", 401, `{}`)
	id := n.create(stumblesNot, workflow.Settings{})
	n.runs(id, `{}`)
	require.Equal(t, workflow.StatusWaiting, n.state(id).Status)
	n.outside.answer("/two", 200, `{}`)
	_, err := n.commands.ActivateWorkflow(t.Context(), id, workflow.Activate{}, person())
	require.NoError(t, err)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, 1, n.outside.count("POST /one"))
	require.Equal(t, 2, n.outside.count("POST /two"), "refused, and taken")
	require.Empty(t, n.state(id).Unfinished)
}

// Rule 17: the process ends at every append from the decision to the end of the run, before and after it
// is stored; the run comes to its end, and nothing is written twice.
func TestADecisionAboutAHalfDoneRunOutlastsCrashes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	lives := 0
	for _, at := range []kill{{}, {after: true}} {
		for died := true; died; at.at++ {
			m := &matrix{t: t, world: w, safe: w.outside, alone: true}
			m.fresh()
			n := m.open(0, nil)
			id, of := n.halfDone(stumblesNot)
			n.close()

			ctx, die := context.WithCancel(t.Context())
			doomed := &killed{kill: at, die: die}
			n = m.open(1, doomed)
			once := person()
			_, _ = n.commands.ContinueRun(ctx, id, workflow.ContinueRun{Run: of}, once)
			_ = n.settle(ctx)
			died = doomed.dead.Load()
			n.close()
			die()

			n = m.open(2, nil)
			_, err := n.commands.ContinueRun(t.Context(), id, workflow.ContinueRun{Run: of}, once)
			require.NoError(t, err, "asked again, it is answered as the first time")
			require.NoError(t, n.settle(t.Context()))
			for _, info := range n.state(id).Admitted {
				for _, call := range n.run(info.Run).InDoubt() {
					how := run.ResolvedDidNot
					if w.outside.count("POST "+pathOf(call)) > 0 {
						how = run.ResolvedHappened
					}
					require.NoError(t, n.commands.ResolveEffect(t.Context(), info.Run, run.ResolveEffect{Seq: call.Seq, How: how}, person()))
				}
			}
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, 1, w.outside.count("POST /one"), at)
			require.Equal(t, 1, w.outside.count("POST /two"), at)
			require.Empty(t, n.state(id).Unfinished, at)
			n.audited()
			n.close()
			lives++
		}
	}
	require.Greater(t, lives, 8, "it was ended at too few moments")
}
