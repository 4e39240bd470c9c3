package workflow_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

var (
	suspects = []Suspect{{Key: "shape GET api total gone", Kind: SuspectShape, Text: "total was always number, and is gone"}}
	spoilt   = []Suspect{{Key: "garbage output NaN", Kind: SuspectGarbage, Text: "output was never with NaN"}}
	stopped  = failure.Failure{Class: failure.Logic, Name: "DriftSuspected", Code: failure.CodeSuspected, Message: "total is gone", Strict: "drift", Loose: "drift"}
)

func settleStopped(run string, of []Suspect, code string) SettleRun {
	c := settleFailed(run, stopped)
	f := stopped
	f.Code = code
	c.Failure, c.Suspects, c.Write = &f, of, json.RawMessage(`{"tool":"notify","args":["Total","0.00"]}`)
	return c
}

// Rule 19: a run that was stopped goes the way of any failure of its class; its next write is kept.
func TestRule19AStoppedRunIsRepaired(t *testing.T) {
	t.Parallel()
	when := given(t, running...).When(settleStopped("r1", suspects, failure.CodeSuspected))
	when.ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeDriftSuspected, TypeMaintenanceEntered)
	suspected := scenario.The[DriftSuspected](t, when.Events())
	require.True(t, suspected.Stopped)
	require.Equal(t, suspects, suspected.Suspects)
	require.JSONEq(t, `{"tool":"notify","args":["Total","0.00"]}`, string(suspected.Write))
}

// Rule 19: if the stopped run swallowed a passing trouble of the outside, its retry reads again.
func TestRule19AStoppedRunThatMetPassingTroubleReadsAgain(t *testing.T) {
	t.Parallel()
	c := settleStopped("r1", suspects, failure.CodeSuspected)
	f := *c.Failure
	f.Class = failure.Network
	c.Failure = &f
	when := given(t, running...).When(c)
	when.ThenTypes(TypeRunFailed, TypeNetworkErrorClassified, TypeDriftSuspected, TypeRetryScheduled)
	require.True(t, scenario.The[RetryScheduled](t, when.Events()).Fresh)
}

// Rule 19: garbage alone shows nothing that a repair could begin with, so its person decides.
func TestRule19GarbageAloneIsHeldForAPerson(t *testing.T) {
	t.Parallel()
	when := given(t, running...).When(settleStopped("r1", spoilt, failure.CodeGarbage))
	g := when.ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeDriftSuspected, TypeEscalated)
	require.Equal(t, EscalatedSuspected, scenario.The[Escalated](t, when.Events()).Reason)
	goesOn := g.When(TrustRun{Run: "r1", Note: "it is NaN today"}).ThenTypes(TypeRunTrusted, TypeWorkflowActivated, TypeRetryScheduled)
	require.Equal(t, StatusActive, goesOn.State().Status)
	require.True(t, goesOn.State().Trusts("garbage output NaN"))
}

// Rule 19: the guard learns what a person calls right, and the stopped run goes on with its answers.
func TestRule19APersonSaysThatAStoppedRunIsRight(t *testing.T) {
	t.Parallel()
	g := given(t, running...).When(settleStopped("r1", suspects, failure.CodeSuspected)).
		ThenTypes(TypeRunFailed, TypeLogicErrorClassified, TypeDriftSuspected, TypeMaintenanceEntered)
	trust := g.When(TrustRun{Run: "r1"})
	right := trust.ThenTypes(TypeRunTrusted, TypeMaintenanceExited, TypeRetryScheduled)
	require.Equal(t, StatusActive, right.State().Status)
	require.False(t, scenario.The[RetryScheduled](t, trust.Events()).Fresh)
	require.True(t, right.State().Trusts(suspects[0].Key))
	right.When(TrustRun{Run: "r1"}).ThenRefused(fault.Conflict, "nothing is suspected")
	right.When(AdmitRun{Run: "r2", Trigger: TriggerRetry, Continues: "r1"}).ThenTypes(TypeRunAdmitted)
	g.When(TrustRun{Run: "r7"}).ThenRefused(fault.NotFound, "no ended run r7")
}

// Rule 19: a marked success is no evidence, and confirms no fix, until a person says that it is right.
func TestRule19AMarkedSuccessIsNoEvidence(t *testing.T) {
	t.Parallel()
	g := given(t, running...).When(SettleRun{Run: "r1", Suspects: spoilt}).
		Then(RunSucceeded{Run: "r1", Version: v10}, DriftSuspected{Run: "r1", Version: v10, Suspects: spoilt})
	_, suspected := g.State().Suspected("r1")
	require.True(t, suspected)
	right := g.When(TrustRun{Run: "r1", Note: "there was nothing"}).Then(RunTrusted{Run: "r1", Keys: []string{spoilt[0].Key}, Note: "there was nothing"})
	_, suspected = right.State().Suspected("r1")
	require.False(t, suspected)
}

// Rule 19: a later version that comes to the same on what a marked success was answered makes it count again. A mend
// keeps what it does not touch, so its word says nothing about garbage; a major is somebody's.
func TestRule19ALaterVersionAgrees(t *testing.T) {
	t.Parallel()
	marked := running.and(RunSucceeded{Run: "r1", Version: v10}, DriftSuspected{Run: "r1", Version: v10, Suspects: spoilt},
		admitted("r2", v10), RunSucceeded{Run: "r2", Version: v10}, DriftSuspected{Run: "r2", Version: v10, Suspects: suspects},
		admitted("r3", v10), RunSucceeded{Run: "r3", Version: v10}, DriftSuspected{Run: "r3", Version: v10, Suspects: suspects})
	require.Empty(t, given(t, marked...).State().ToReview(), "no later version")
	major := marked.and(ScriptSaved{ScriptID: "s2", Version: v20, Code: codeV1, Origin: OriginPerson})
	g := given(t, major...)
	require.Equal(t, []Marked{{Run: "r1", Version: v10}, {Run: "r2", Version: v10}, {Run: "r3", Version: v10}}, g.State().ToReview())
	differ := []Reviewed{{Run: "r3", Text: "output: 5, not NaN"}}
	after := g.When(ReviewMarkedRuns{Version: v20, Agreed: []string{"r1", "r2"}, Differ: differ}).
		Then(MarkedRunsReviewed{Version: v20, Agreed: []string{"r1", "r2"}, Differ: differ})
	require.Empty(t, after.State().ToReview(), "each version is asked once")
	require.True(t, after.State().IsEvidence("r1"))
	require.True(t, after.State().IsEvidence("r2"))
	require.False(t, after.State().IsEvidence("r3"))
	g.When(ReviewMarkedRuns{Version: v10, Agreed: []string{"r1"}}).ThenRefused(fault.Conflict, "not the active one")

	minor := given(t, marked.and(ScriptSaved{ScriptID: "s2", Version: v11, Code: codeV1, Origin: OriginMaintainer})...)
	minor.When(ReviewMarkedRuns{Version: v11, Agreed: []string{"r1", "r2"}, Silent: []string{"r3"}}).
		Then(MarkedRunsReviewed{Version: v11, Agreed: []string{"r2"}, Silent: []string{"r1", "r3"}})
}

// Rules 15 and 19: only the continued run confirms a fix, also when a person says that what it came to is right.
func TestRule19ATrustedSuccessConfirmsTheFixThatItTried(t *testing.T) {
	t.Parallel()
	tried := given(t, continuing...).When(SettleRun{Run: "r2", Suspects: spoilt}).ThenTypes(TypeRunSucceeded, TypeRecovered, TypeDriftSuspected)
	tried.When(TrustRun{Run: "r2"}).ThenTypes(TypeRunTrusted, TypeFixConfirmed)

	other := given(t, continuing.and(admitted("r3", v11))...).When(SettleRun{Run: "r3", Suspects: spoilt}).ThenTypes(TypeRunSucceeded, TypeRecovered, TypeDriftSuspected)
	other.When(TrustRun{Run: "r3"}).ThenTypes(TypeRunTrusted)
}

// Rule 19: evidence stops by default, garbage alone does only if the setting says so.
func TestRule19TheSettingGuard(t *testing.T) {
	t.Parallel()
	for setting, stops := range map[string][2]bool{"": {true, false}, GuardStop: {true, true}, GuardNotice: {false, false}, GuardOff: {false, false}} {
		settings := Settings{Guard: setting}
		got := [2]bool{settings.Stops(suspects), settings.Stops(spoilt)}
		require.Equal(t, stops, got, setting)
	}
	given(t, active...).When(ChangeSettings{Settings: Settings{Guard: "on"}}).ThenRefused(fault.Invalid, "setting guard is")
}
