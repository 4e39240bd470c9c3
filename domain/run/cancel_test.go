package run_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/run"
)

// Nothing goes out after a run was cancelled. The answer to what was under way is kept, for people.
func TestACancelledRunTakesOnlyTheAnswerToWhatWasUnderWay(t *testing.T) {
	t.Parallel()
	cancel := Cancel{Run: "r1", Workflow: "w1", Reason: "not needed"}
	cancelled := ExecutionCancelled{Run: "r1", Workflow: "w1", Reason: "not needed", Calls: 2}
	g := given(t, started, called(1, "web.postJSON", `["u"]`, EffectWrite), called(2, "kv.get", `["k"]`, EffectRead), returned(2, `1`)).When(cancel).Then(cancelled)
	require.Equal(t, &Cancelled{Reason: "not needed"}, g.State().Cancelled)
	require.True(t, g.State().Ended)
	require.Equal(t, 1, g.State().Writes(), "it may have happened")
	for _, command := range []Command{
		RecordCall{Seq: 3, Tool: "x", Effect: EffectRead}, RecordAnswered{Call: RecordCall{Seq: 3, Tool: "x", Effect: EffectRead}}, WriteLog{}, End{}, ExtendLease{},
		Resume{Node: "n2", Alone: true}, DelayRun{}, DoubtEffect{Seq: 1}, AwaitAnswer{Seq: 2}, RecordReturn{Seq: 2}, RecordReturn{Seq: 3}, Start(started),
	} {
		g.When(command).ThenRefused(fault.Conflict, "")
	}
	g.When(cancel).ThenRefused(fault.Conflict, "run r1 was cancelled already")
	answered := g.When(RecordReturn{Seq: 1, Result: json.RawMessage(`2`)}).Then(returned(1, `2`))
	require.JSONEq(t, `2`, string(answered.State().Calls[0].Result))
}

// A run that nobody has started yet cannot be started once it was cancelled.
func TestARunIsCancelledBeforeItStarts(t *testing.T) {
	t.Parallel()
	g := given(t).When(Cancel{Run: "r1", Workflow: "w1"}).Then(ExecutionCancelled{Run: "r1", Workflow: "w1"})
	g.When(Start(started)).ThenRefused(fault.Conflict, "")
	given(t).When(Cancel{Run: "r1"}).ThenRefused(fault.Invalid, "a workflow")
	_, err := Follow(State{}, ExecutionCancelled{Run: "r1"})
	require.ErrorContains(t, err, "names no run or no workflow")
}

// A run that stands still is cancelled, and waits for nobody then; one that has ended is not.
func TestARunThatStandsStillIsCancelled(t *testing.T) {
	t.Parallel()
	cancel := Cancel{Run: "r1", Workflow: "w1"}
	asks := given(t, started, called(1, "ask", `["?"]`, EffectRead), AnswerAwaited{Seq: 1, Question: "?"}).When(cancel).ThenTypes(TypeExecutionCancelled)
	require.False(t, asks.State().StandsStill())
	asks.When(GiveAnswer{Answer: "x"}).ThenRefused(fault.Conflict, "has ended")
	doubts := given(t, started, called(1, "web.postJSON", `["u"]`, EffectWrite), EffectInDoubt{Seq: 1}).When(cancel).ThenTypes(TypeExecutionCancelled)
	require.False(t, doubts.State().StandsStill())
	doubts.When(ResolveEffect{Seq: 1, How: ResolvedHappened}).ThenRefused(fault.Conflict, "has ended")
	given(t, started, RunEnded{}).When(cancel).ThenRefused(fault.Conflict, "run r1 has ended: there is nothing to cancel")
}
