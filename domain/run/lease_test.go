package run_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/run"
)

func TestARunIsTakenOverOnlyWhenItsLeaseLapsed(t *testing.T) {
	t.Parallel()
	g := given(t)
	lease := g.Now().Add(time.Minute)
	g = g.And(RunStarted{Run: "r", Workflow: "w", Version: "1.0", Node: "a", LeaseUntil: lease})
	until := g.Now().Add(time.Hour)
	g.When(Resume{Node: "b", LeaseUntil: until}).ThenRefused(fault.Conflict, `held by node "a" until`)
	g.When(Resume{LeaseUntil: until}).ThenRefused(fault.Invalid, "none is named")
	g.When(Resume{Node: "a", LeaseUntil: until}).Then(RunResumed{Node: "a", LeaseUntil: until})
	g.When(Resume{Node: "b", LeaseUntil: until, Alone: true}).Then(RunResumed{Node: "b", LeaseUntil: until})
	lapsed := g.After(time.Minute)
	taken := lapsed.When(Resume{Node: "b", LeaseUntil: until}).Then(RunResumed{Node: "b", LeaseUntil: until})
	require.True(t, taken.State().HeldBy("a", until.Add(-time.Second)))
	require.False(t, taken.State().HeldBy("b", until.Add(-time.Second)))

	beaten := g.When(ExtendLease{Until: until}).Then(RunLeaseExtended{Until: until}).After(time.Minute)
	beaten.When(Resume{Node: "b", LeaseUntil: until}).ThenRefused(fault.Conflict, "held by node")
	given := g.When(ExtendLease{Until: g.Now()}).Then(RunLeaseExtended{Until: g.Now()})
	given.When(Resume{Node: "b", LeaseUntil: until}).ThenTypes(TypeRunResumed)
}

func TestOnlyAPersonEndsADoubt(t *testing.T) {
	t.Parallel()
	g := given(t,
		RunStarted{Run: "r", Workflow: "w", Version: "1.0", Node: "a"},
		ToolCalled{Seq: 1, Tool: "web.getJSON", Effect: EffectRead}, ToolReturned{Seq: 1, Result: json.RawMessage(`1`)},
		ToolCalled{Seq: 2, Tool: "web.postJSON", Args: json.RawMessage(`["https://api.test/x",{}]`), Effect: EffectWrite},
	)
	later := g.Now().Add(2 * time.Minute)
	g.When(DoubtEffect{Seq: 1}).ThenRefused(fault.Invalid, "no write 1")
	g.When(DoubtEffect{Seq: 3}).ThenRefused(fault.Invalid, "no write 3")
	g.When(ResolveEffect{Seq: 2, How: ResolvedHappened}).ThenRefused(fault.Conflict, "is not in doubt")
	doubt := g.When(DoubtEffect{Seq: 2, NotBefore: later, Status: 502}).
		Then(EffectInDoubt{Seq: 2, Tool: "web.postJSON", Target: "https://api.test/x", NotBefore: later, Status: 502})
	require.Len(t, doubt.State().InDoubt(), 1)
	doubt.When(DoubtEffect{Seq: 2}).ThenNothing()
	doubt.When(ResolveEffect{Seq: 2, How: ResolvedHappened}).ThenRefused(fault.Conflict, "may still be under way")

	page := g.And(ToolReturned{Seq: 2, Result: json.RawMessage(`"<html>"`)})
	page.When(DoubtEffect{Seq: 2}).ThenRefused(fault.Conflict, "is known")
	unread := page.When(DoubtEffect{Seq: 2, Status: 200}).ThenTypes(TypeEffectInDoubt).State().Calls[1]
	require.False(t, unread.Returned, "what came back says nothing")
	require.Empty(t, unread.Result)

	known := doubt.After(2 * time.Minute)
	known.When(ResolveEffect{Seq: 9, How: ResolvedHappened}).ThenRefused(fault.NotFound, "no call 9")
	known.When(ResolveEffect{Seq: 2, How: "perhaps"}).ThenRefused(fault.Invalid, "use happened, did_not or skip")
	known.When(ResolveEffect{Seq: 2, How: ResolvedSkip, Result: json.RawMessage(`1`)}).ThenRefused(fault.Invalid, "only a write that happened has a result")
	known.When(ResolveEffect{Seq: 2, How: ResolvedHappened, Result: json.RawMessage(`{`)}).ThenRefused(fault.Invalid, "not JSON")
	for how, want := range map[string]struct {
		returned bool
		result   json.RawMessage
	}{ResolvedHappened: {true, json.RawMessage("null")}, ResolvedSkip: {true, json.RawMessage("null")}, ResolvedDidNot: {false, nil}} {
		after := known.When(ResolveEffect{Seq: 2, How: how}).ThenTypes(TypeEffectResolved)
		call := after.State().Calls[1]
		require.Empty(t, after.State().InDoubt())
		require.Equal(t, want.returned, call.Returned, how)
		require.Equal(t, want.result, call.Result, how)
		after.When(ResolveEffect{Seq: 2, How: how}).ThenRefused(fault.Conflict, "is not in doubt")
		after.When(DoubtEffect{Seq: 2}).ThenRefused(fault.Conflict, "is known")
	}
	answered := known.When(ResolveEffect{Seq: 2, How: ResolvedHappened, Result: json.RawMessage(`{"id":7}`)}).ThenTypes(TypeEffectResolved)
	require.JSONEq(t, `{"id":7}`, string(answered.State().Calls[1].Result))
}

// Folding never fails, whatever a history says.
func TestAnAnswerToNothingIsFolded(t *testing.T) {
	t.Parallel()
	s := fold(started, ToolCalled{Seq: 1, Tool: "kv.get", Effect: EffectRead}, AnswerGiven{Seq: 1}, AnswerGiven{Seq: 9})
	require.True(t, s.Calls[0].Returned)
}

// A run that the machine cannot execute waits longer each time, until it has done something; meanwhile no node goes on with it.
func TestARunThatTheMachineCannotExecuteWaits(t *testing.T) {
	t.Parallel()
	g := given(t)
	began := g.Now()
	g = g.And(RunStarted{Run: "r", Workflow: "w", Version: "1.0", Node: "a", LeaseUntil: began.Add(time.Minute)})
	g = g.When(DelayRun{Problem: "busy"}).Then(RunDelayed{Problem: "busy", Since: began, Tries: 1, Until: began.Add(2 * time.Second)})
	require.True(t, g.State().HeldBy("b", began.Add(time.Second)))
	g = g.After(time.Hour).When(DelayRun{Problem: "busy"}).Then(RunDelayed{Problem: "busy", Since: began, Tries: 2, Until: began.Add(time.Hour + 4*time.Second)})
	g = g.And(ToolCalled{Seq: 1, Tool: "kv.get", Args: json.RawMessage(`["k"]`), Effect: EffectRead})
	require.Nil(t, g.State().Delay)
}
