package workflow_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// outcome is a success of workflow v.
func outcome(revision int64) *Source {
	return &Source{Workflow: "v", Revision: revision, Event: fmt.Sprintf("e%d", revision), Outcome: OutcomeSucceeded, Run: "rv", Hops: 1}
}

func offered(run string) OfferInput {
	return OfferInput{Run: run, Trigger: TriggerWebhook, Input: json.RawMessage(`{"run":"` + run + `"}`)}
}

func happened(run string, revision int64) OfferInput {
	return OfferInput{Run: run, Trigger: TriggerEvent, Input: json.RawMessage(`1`), Source: outcome(revision)}
}

var onSuccess = TriggerSet{Source: "v", Outcomes: []Outcome{OutcomeSucceeded}, After: 3}

// The status table, last column: what becomes of inputs while no run can start.
func TestInputsWhileBlocked(t *testing.T) {
	t.Parallel()
	block := SettingsChanged{Settings: Settings{OnHold: OnHoldBlock}}
	for status, c := range map[string]struct {
		before history
		want   string
		why    string
	}{
		"draft": {draft, TypeInputSkipped, SkippedDraft}, "active": {active, TypeRunAdmitted, ""},
		"overlap full": {running, TypeInputQueued, "max_active"},
		"maintenance":  {maintenance, TypeInputQueued, "being repaired"},
		"held":         {held, TypeRunAdmitted, ""}, "held, block": {held.and(block), TypeInputQueued, "waits for you"},
		"waiting": {waiting, TypeInputQueued, "waits for access"}, "escalated": {escalated, TypeInputQueued, "handed to you"},
		"the continuation first": {applied, TypeInputQueued, "goes on with run r1"},
		"paused":                 {paused, TypeInputSkipped, SkippedPaused}, "archived": {archived, TypeInputSkipped, SkippedArchived},
	} {
		for _, ask := range []OfferInput{offered("n"), happened("n", 4)} {
			then := given(t, c.before.and(onSuccess)...).When(ask)
			after := then.ThenTypes(c.want)
			then = given(t, c.before.and(onSuccess)...).When(ask)
			switch e := then.Events()[0].(type) {
			case RunAdmitted:
				require.Equal(t, RunAdmitted{Run: "n", Version: v10, Trigger: ask.Trigger, Input: ask.Input, Source: ask.Source}, e, status)
			case InputQueued:
				require.Contains(t, e.Reason, c.why, status)
				e.Reason = ""
				require.Equal(t, InputQueued{Run: "n", Trigger: ask.Trigger, Input: ask.Input, Source: ask.Source}, e, status)
			case InputSkipped:
				require.Equal(t, c.why, e.Why, status)
				require.NotEmpty(t, e.Reason)
			}
			if ask.Source != nil {
				require.Equal(t, int64(4), after.State().Triggers["v"].Until, "%s: an outcome leads to something once", status)
				after.When(happened("other id", 4)).ThenNothing()
			}
			if c.want != TypeInputSkipped {
				after.When(ask).ThenNothing()
			}
		}
	}
}

// Queued inputs become runs in their order, once nothing is in their way.
func TestQueuedInputsAreAdmittedInOrder(t *testing.T) {
	t.Parallel()
	g := given(t, maintenance.and(onSuccess)...).
		When(offered("a")).ThenTypes(TypeInputQueued).
		When(happened("b", 5)).ThenTypes(TypeInputQueued).
		When(offered("c")).ThenTypes(TypeInputQueued)
	_, _, ok := g.State().NextInput(g.Now())
	require.False(t, ok, "it is being repaired")
	g = g.And(MaintenanceExited{Task: "t1", Why: ExitReplanned})
	g.When(AdmitRun{Run: "b", Trigger: TriggerEvent}).ThenRefused(fault.Conflict, "that of run a comes first")
	g.When(AdmitRun{Run: "c", Trigger: TriggerWebhook}).ThenRefused(fault.Conflict, "that of run a comes first")
	g = g.When(offered("d")).ThenTypes(TypeInputQueued) // not before those that wait
	for _, want := range []RunAdmitted{
		{Run: "a", Version: v10, Trigger: TriggerWebhook, Input: json.RawMessage(`{"run":"a"}`)},
		{Run: "b", Version: v10, Trigger: TriggerEvent, Input: json.RawMessage(`1`), Source: outcome(5)},
		{Run: "c", Version: v10, Trigger: TriggerWebhook, Input: json.RawMessage(`{"run":"c"}`)},
		{Run: "d", Version: v10, Trigger: TriggerWebhook, Input: json.RawMessage(`{"run":"d"}`)},
	} {
		admit, at, ok := g.State().NextInput(g.Now())
		require.True(t, ok && at.IsZero())
		g = g.When(admit).Then(want)
		_, _, ok = g.State().NextInput(g.Now())
		require.False(t, ok, "one at a time")
		g = g.When(SettleRun{Run: want.Run}).Given(TypeRunSucceeded)
	}
	require.Empty(t, g.State().Queue)
	g.When(offered("a")).ThenNothing()
}

// An hour that is full is waited for, with the moment known.
func TestQueuedInputsWaitForTheHour(t *testing.T) {
	t.Parallel()
	g := given(t, active.and(SettingsChanged{Settings: Settings{RunsPerHr: 1}})...)
	start := g.Now()
	g = g.When(offered("a")).ThenTypes(TypeRunAdmitted).When(SettleRun{Run: "a"}).ThenTypes(TypeRunSucceeded).
		When(offered("b")).ThenTypes(TypeInputQueued)
	_, at, ok := g.State().NextInput(g.Now())
	require.True(t, ok)
	require.Equal(t, start.Add(time.Hour), at)
	g.After(time.Hour).When(AdmitRun{Run: "b", Trigger: TriggerWebhook}).ThenTypes(TypeRunAdmitted)
}

func TestTheQueueIsBounded(t *testing.T) {
	t.Parallel()
	few := given(t, maintenance.and(SettingsChanged{Settings: Settings{QueuedInputs: 2}})...).
		When(offered("a")).ThenTypes(TypeInputQueued).When(offered("b")).ThenTypes(TypeInputQueued)
	skipped := few.When(offered("c")).ThenTypes(TypeInputSkipped)
	require.Len(t, skipped.State().Queue, 2)
	require.Contains(t, few.When(offered("c")).Events()[0].(InputSkipped).Reason, "2 inputs wait already, which is the most (setting queued_inputs)")

	byDefault := given(t, maintenance...)
	for i := range DefaultQueuedInputs {
		byDefault = byDefault.When(offered(fmt.Sprint(i))).ThenTypes(TypeInputQueued)
	}
	byDefault.When(offered("more")).ThenTypes(TypeInputSkipped)

	large := json.RawMessage(`"` + strings.Repeat("x", 500<<10) + `"`)
	heavy := given(t, maintenance...)
	for i := range 16 {
		heavy = heavy.When(OfferInput{Run: fmt.Sprint(i), Trigger: TriggerWebhook, Input: large}).ThenTypes(TypeInputQueued)
	}
	heavy.When(OfferInput{Run: "more", Trigger: TriggerWebhook, Input: large}).ThenTypes(TypeInputSkipped)
	given(t, active...).When(ChangeSettings{Settings: Settings{QueuedInputs: 2000}}).ThenRefused(fault.Invalid, "the most is 500")
}

// In the archive inputs are dropped, and that is recorded once; waiting inputs are dropped one by one. After it,
// outcomes count from the return.
func TestTheArchiveDropsInputs(t *testing.T) {
	t.Parallel()
	g := given(t, maintenance.and(onSuccess)...).When(offered("a")).ThenTypes(TypeInputQueued).When(happened("b", 4)).ThenTypes(TypeInputQueued)
	g = g.When(Archive{}).ThenTypes(TypeWorkflowArchived, TypeMaintenanceExited, TypeInputSkipped, TypeInputSkipped)
	require.Empty(t, g.State().Queue)
	require.True(t, g.State().TakesOutcomes())
	g = g.When(happened("c", 5)).ThenTypes(TypeInputSkipped)
	require.False(t, g.State().TakesOutcomes())
	g = g.When(happened("d", 6)).ThenNothing().When(offered("e")).ThenNothing()
	g = g.When(Restore{Ends: map[string]int64{"v": 9, "stranger": 4}}).
		Then(WorkflowRestored{}, TriggerSet{Source: "v", Outcomes: onSuccess.Outcomes, After: 9})
	g = g.When(Activate{}).ThenTypes(TypeWorkflowActivated)
	g.When(happened("f", 7)).ThenNothing()
	g.When(happened("f", 10)).ThenTypes(TypeRunAdmitted)
}

// A chain of workflows that start each other ends, and says so. A retry or a continuation has the hops of its run.
func TestChainsOfOutcomesEnd(t *testing.T) {
	t.Parallel()
	hop := func(n int) OfferInput {
		ask := happened("n", 4)
		ask.Source.Hops = n
		return ask
	}
	g := given(t, active.and(onSuccess)...)
	last := g.When(hop(MaxHops)).ThenTypes(TypeRunAdmitted)
	require.Equal(t, MaxHops, last.State().HopsOf("n"))
	require.Equal(t, SkippedHops, g.When(hop(MaxHops + 1)).Events()[0].(InputSkipped).Why)
	require.Equal(t, int64(4), g.When(hop(MaxHops + 1)).ThenTypes(TypeInputSkipped).State().Triggers["v"].Until)

	retried := last.When(settleFailed("n", refused)).Given(TypeRetryScheduled).After(time.Minute).
		When(AdmitRun{Run: "n2", Trigger: TriggerRetry, Continues: "n"}).ThenTypes(TypeRunAdmitted)
	require.Equal(t, MaxHops, retried.State().HopsOf("n2"))
	settled := retried.When(SettleRun{Run: "n2"}).Given(TypeRunSucceeded)
	require.Equal(t, MaxHops, settled.State().HopsOf("n2"), "also when it has ended")
	require.Zero(t, settled.State().HopsOf("another"))
}

func TestTriggersAreSetAndRemoved(t *testing.T) {
	t.Parallel()
	g := given(t, active...)
	set := g.When(SetTrigger{Source: "v", Outcomes: []Outcome{OutcomeSucceeded, OutcomeFailed, OutcomeFailed}, After: 5}).
		Then(TriggerSet{Source: "v", Outcomes: []Outcome{OutcomeFailed, OutcomeSucceeded}, After: 5})
	set.When(SetTrigger{Source: "v", Outcomes: []Outcome{OutcomeFailed, OutcomeSucceeded}, After: 9}).ThenNothing()
	set.When(SetTrigger{Source: "v", Outcomes: []Outcome{OutcomeRecovered}, After: 2}).
		Then(TriggerSet{Source: "v", Outcomes: []Outcome{OutcomeRecovered}, After: 5})
	g.When(happened("n", 9)).ThenRefused(fault.Conflict, "does not start on it")
	given(t, active.and(TriggerSet{Source: "v", Outcomes: []Outcome{OutcomeFailed}})...).When(happened("n", 9)).ThenRefused(fault.Conflict, "does not start on it")
	set.When(RemoveTrigger{Source: "v"}).Then(TriggerRemoved{Source: "v"}).When(RemoveTrigger{Source: "v"}).ThenRefused(fault.NotFound, "does not start on")
	for says, c := range map[string]Command{
		"name the workflow":       SetTrigger{Outcomes: []Outcome{OutcomeFailed}},
		"say which outcomes":      SetTrigger{Source: "v"},
		`"late" is not an`:        SetTrigger{Source: "v", Outcomes: []Outcome{"late"}},
		"needs the id of the run": OfferInput{Trigger: TriggerWebhook},
		`"manual" brings no`:      OfferInput{Run: "n", Trigger: TriggerManual},
		"has a source if":         OfferInput{Run: "n", Trigger: TriggerEvent},
		"and only then":           OfferInput{Run: "n", Trigger: TriggerWebhook, Source: outcome(1)},
		"not JSON":                OfferInput{Run: "n", Trigger: TriggerWebhook, Input: json.RawMessage(`{`)},
	} {
		g.When(c).ThenRefused(fault.Invalid, says)
	}
}

// Events about inputs that Decide never decides cannot follow.
func TestImpossibleEventsOfInputsDoNotFollow(t *testing.T) {
	t.Parallel()
	queued := InputQueued{Run: "a", Trigger: TriggerEvent, Source: outcome(4)}
	for name, c := range map[string]struct {
		before history
		then   event.Event
		why    string
	}{
		"a trigger on nothing":     {active, TriggerSet{}, "names no workflow"},
		"removed, not set":         {active, TriggerRemoved{Source: "v"}, "starts nothing here"},
		"queued without a trigger": {active, queued, "outcomes of workflow v start nothing here"},
		"queued twice":             {active.and(onSuccess, queued), queued, "came before"},
		"an outcome twice":         {active.and(onSuccess, queued), InputQueued{Run: "b", Trigger: TriggerEvent, Source: outcome(4)}, "dealt with before"},
		"a run of it as well":      {active.and(onSuccess, queued), RunAdmitted{Run: "b", Version: v10, Trigger: TriggerEvent, Source: outcome(4)}, "dealt with before"},
		"skipped, running":         {running, InputSkipped{Run: "r1"}, "became one"},
		"queued in the archive":    {archived.and(onSuccess), queued, "is archived"},
	} {
		_, err := Follow(fold(c.before...), c.then)
		require.ErrorContains(t, err, c.why, name)
	}
}

func TestReconcileSettingsAreChecked(t *testing.T) {
	t.Parallel()
	good := Reconcile{Host: "api.example.test", Lookup: "https://api.example.test/orders?key={key}", Result: "/data/0"}
	given(t, active...).When(ChangeSettings{Settings: Settings{Reconcile: []Reconcile{good}}}).ThenTypes(TypeSettingsChanged)
	for says, change := range map[string]func(*Reconcile){
		`has the host "https://x"`:       func(r *Reconcile) { r.Host = "https://x" },
		`has the lookup "ftp://x/{key}"`: func(r *Reconcile) { r.Lookup = "ftp://x/{key}" },
		"does not have {key} in it":      func(r *Reconcile) { r.Lookup = "https://x/" },
		"is not a JSON pointer":          func(r *Reconcile) { r.Result = "data" },
		"the lookup has":                 func(r *Reconcile) { r.Lookup += strings.Repeat("x", 2000) },
	} {
		wrong := good
		change(&wrong)
		given(t, active...).When(ChangeSettings{Settings: Settings{Reconcile: []Reconcile{wrong}}}).ThenRefused(fault.Invalid, says)
	}
}
