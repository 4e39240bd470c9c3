package handlers_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// forgery makes a history wrong from one of its events on: it gives what stands there instead.
type forgery struct {
	rule string
	make func(l *ledger, one moment) []moment // nil: not here
}

// forge is a forgery of the events of one type.
func forge[E event.Event](rule string, change func(l *ledger, e E) []event.Event) forgery {
	return forgery{rule, func(l *ledger, one moment) []moment {
		e, is := one.happened.(E)
		if !is {
			return nil
		}
		var changed []moment
		for _, happened := range change(l, e) {
			changed = append(changed, moment{one.at, happened})
		}
		return changed
	}}
}

var forgeries = []forgery{
	forge("a slot has no outcome", func(l *ledger, e workflow.RunAdmitted) []event.Event {
		if e.Trigger != workflow.TriggerSchedule {
			return nil
		}
		next, there := l.due.Next(*e.Slot)
		if e.Slot = &next; !there {
			return nil
		}
		return []event.Event{e}
	}),
	forge("a slot has two outcomes", func(_ *ledger, e workflow.SlotSkipped) []event.Event {
		if e.Slot == nil {
			return nil
		}
		return []event.Event{e, e}
	}),
	forge("two runs at once", func(_ *ledger, e workflow.RunAdmitted) []event.Event {
		return []event.Event{e, workflow.RunAdmitted{Run: "other", Version: e.Version, Trigger: workflow.TriggerManual}}
	}),
	forge("a run beside one that waits for its retry", func(l *ledger, e workflow.RetryScheduled) []event.Event {
		return []event.Event{e, workflow.RunAdmitted{Run: "other", Version: l.active, Trigger: workflow.TriggerManual}}
	}),
	forge("a run of an old version", func(_ *ledger, e workflow.RunAdmitted) []event.Event {
		e.Version = workflow.Version{Major: 999}
		return []event.Event{e}
	}),
	forge("a run while paused", func(l *ledger, e workflow.WorkflowPaused) []event.Event {
		return []event.Event{e, workflow.RunAdmitted{Run: "other", Version: l.active, Trigger: workflow.TriggerManual}}
	}),
	forge("a run in maintenance", func(l *ledger, e workflow.MaintenanceEntered) []event.Event {
		return []event.Event{e, workflow.RunAdmitted{Run: "other", Version: l.active, Trigger: workflow.TriggerManual}}
	}),
	forge("a run while escalated", func(_ *ledger, e workflow.Escalated) []event.Event {
		return []event.Event{e, workflow.RunAdmitted{Run: "other", Version: e.Active, Trigger: workflow.TriggerManual}}
	}),
	forge("another run before the one that goes on with the fix", func(_ *ledger, e workflow.FixApplied) []event.Event {
		return []event.Event{e, workflow.RunAdmitted{Run: "other", Version: e.Version, Trigger: workflow.TriggerManual}}
	}),
	forge("a retry without backoff", func(l *ledger, e workflow.RetryScheduled) []event.Event {
		e.At = l.at.Add(time.Second)
		return []event.Event{e}
	}),
	forge("a retry before its time", func(_ *ledger, e workflow.RetryScheduled) []event.Event {
		e.At = e.At.Add(time.Hour)
		return []event.Event{e}
	}),
	forge("a retry that is not counted", func(_ *ledger, e workflow.RetryScheduled) []event.Event {
		e.Attempt++
		return []event.Event{e}
	}),
	forge("a run is settled twice", func(_ *ledger, e workflow.RunFailed) []event.Event { return []event.Event{e, e} }),
	forge("a run is lost", func(_ *ledger, e workflow.RunSucceeded) []event.Event {
		return []event.Event{workflow.IntentChanged{}}
	}),
	forge("maintenance for a network error", func(l *ledger, e workflow.RunFailed) []event.Event {
		if !e.Failure.Class.Repairable() || l.byHand[e.Run] {
			return nil
		}
		e.Failure.Class = failure.Network
		return []event.Event{e}
	}),
	forge("two tasks for a failure", func(_ *ledger, e workflow.MaintenanceEntered) []event.Event { return []event.Event{e, e} }),
	forge("maintenance beyond the budget", func(l *ledger, e workflow.MaintenanceEntered) []event.Event {
		if l.fixes == 0 {
			return nil
		}
		l.settings.Budget = l.fixes
		return []event.Event{e}
	}),
	forge("a fix while the planner is at work", func(_ *ledger, e workflow.FixProposed) []event.Event {
		return []event.Event{workflow.PlannerTaskOpened{}, e}
	}),
	forge("a stale fix is applied", func(l *ledger, e workflow.FixApplied) []event.Event {
		replanned := workflow.ScriptSaved{Version: workflow.Version{Major: l.active.Major + 1}, Origin: workflow.OriginPlanner}
		return []event.Event{replanned, e}
	}),
	forge("a declined fix is applied", func(l *ledger, e workflow.FixDeclined) []event.Event {
		return []event.Event{e, workflow.FixApplied{Proposal: e.Proposal, Version: l.active}}
	}),
	forge("a number is used twice", func(_ *ledger, e workflow.ScriptSaved) []event.Event { return []event.Event{e, e} }),
	forge("a number is left out", func(_ *ledger, e workflow.ScriptSaved) []event.Event {
		e.Version.Major++
		return []event.Event{e}
	}),
	forge("a fix is called stale and is not", func(_ *ledger, e workflow.FixVerified) []event.Event {
		return []event.Event{e, workflow.FixRejectedStale{Proposal: e.Proposal}}
	}),
	forge("a stale fix is escalated", func(l *ledger, e workflow.FixVerified) []event.Event {
		task := l.proposals[e.Proposal].Task
		return []event.Event{
			workflow.MaintenanceExited{Task: task}, workflow.FixRejectedStale{Proposal: e.Proposal},
			workflow.Escalated{Reason: workflow.EscalatedUnfixable, Task: task, Actions: []string{workflow.ActionReplan}, Active: l.active},
		}
	}),
	forge("the same error after a fix is mended again", func(l *ledger, e workflow.MaintenanceEntered) []event.Event {
		l.unproved[l.ran[e.Run]] = "fix"
		l.proposals["fix"] = workflow.FixProposed{Run: e.Run}
		return []event.Event{e}
	}),
	forge("a fix has no verdict", func(_ *ledger, e workflow.FixDeclined) []event.Event {
		return []event.Event{workflow.IntentChanged{}}
	}),
	forge("a fix changes more than code", func(_ *ledger, e workflow.ScriptSaved) []event.Event {
		if e.Origin != workflow.OriginMaintainer {
			return nil
		}
		e.Summary = "another"
		return []event.Event{e}
	}),
	forge("an escalation without re-plan", func(_ *ledger, e workflow.Escalated) []event.Event {
		e.Actions = nil
		return []event.Event{e}
	}),
	forge("two escalations", func(_ *ledger, e workflow.Escalated) []event.Event { return []event.Event{e, e} }),
}

// The second opinion sees every rule broken: of histories that are sound, each forgery is found.
func TestLedgerFindsForgeries(t *testing.T) {
	t.Parallel()
	open := slices.Clone(forgeries)
	for seed := uint64(1); len(open) > 0 && seed < 200; seed++ {
		s := simulate(t, seed, sound)
		require.Empty(t, s.wrong)
		history, err := s.history()
		require.NoError(t, err)
		open = slices.DeleteFunc(open, func(f forgery) bool {
			blamed := &sim{}
			l := newLedger(blamed)
			done := false
			for _, one := range history {
				l.at = one.at
				forged := []moment{one}
				if !done {
					if changed := f.make(l, one); changed != nil {
						forged, done = changed, true
					}
				}
				l.read(forged)
			}
			l.end()
			if done {
				require.NotEmpty(t, blamed.wrong, "not found: %s", f.rule)
			} else {
				require.Empty(t, blamed.wrong)
			}
			return done
		})
	}
	require.Empty(t, open, "no world had what these forge")
}

// The simulation finds what is planted. Most worlds show each of these faults, a third at least, so
// that sixty are plenty and a few are seen.
func TestSimulationFindsBugs(t *testing.T) {
	t.Parallel()
	for name, planted := range map[string]bug{
		"early acknowledgement": earlyAck, "silent skip": silentSkip, "every node alone": allAlone, "amnesia": amnesia, "own keys": ownKeys,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := uint64(1); seed <= 60; seed++ {
				if s := simulate(t, seed, planted); len(s.wrong) > 0 {
					t.Logf("seed %d: %s", seed, s.wrong[0])
					return
				}
			}
			require.Fail(t, "not found")
		})
	}
}

// lyingLog acknowledges what it appends to runs before it is there: a crash takes it away.
type lyingLog struct {
	*simLife
	held map[string][]eventlog.Event
}

func (l *lyingLog) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if !strings.HasPrefix(stream, "run-") || expected.Revision() < 0 {
		return l.simLife.Append(ctx, stream, expected, events)
	}
	l.mu.Lock()
	held := l.held[stream]
	l.mu.Unlock()
	ends := slices.ContainsFunc(events, func(e eventlog.Event) bool { return e.Type == run.TypeRunEnded })
	before := expected.Revision() - int64(len(held))
	held = append(held, events...)
	l.mu.Lock()
	l.held[stream] = held
	if ends {
		delete(l.held, stream)
	}
	l.mu.Unlock()
	if ends {
		return l.simLife.Append(ctx, stream, eventlog.At(before), held)
	}
	if err := l.met(stream, true); err != nil {
		return eventlog.Appended{}, err
	}
	return eventlog.Appended{First: expected.Revision() + 1, Last: expected.Revision() + int64(len(events))}, nil
}

// forgetful knows the events of a node with [amnesia]: what a run called, and what came back, says nothing to it.
func forgetful() *event.Registry {
	codec := event.NewRegistry()
	workflow.Register(codec)
	thread.Register(codec)
	event.Register[run.RunStarted](codec, 1)
	event.Register[forgottenCall](codec, 1)
	event.Register[forgottenReturn](codec, 1)
	event.Register[run.LogWritten](codec, 1)
	event.Register[run.RunEnded](codec, 1)
	event.Register[run.RunLeaseExtended](codec, 1)
	event.Register[run.RunResumed](codec, 1)
	event.Register[run.EffectInDoubt](codec, 1)
	event.Register[run.EffectLookedUp](codec, 1)
	event.Register[run.EffectResolved](codec, 1)
	event.Register[run.AnswerAwaited](codec, 1)
	event.Register[run.AnswerGiven](codec, 1)
	return codec
}

type (
	forgottenCall   struct{}
	forgottenReturn struct{}
)

func (forgottenCall) EventType() string   { return run.TypeToolCalled }
func (forgottenReturn) EventType() string { return run.TypeToolReturned }
