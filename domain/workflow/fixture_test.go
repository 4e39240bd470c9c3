package workflow_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/internal/scenario"
	. "github.com/kintsugi-run/kintsugi/domain/workflow"
)

// The tests of this package import it by dot: they read as the domain speaks.

var (
	v10 = Version{Major: 1}
	v11 = Version{Major: 1, Minor: 1}
	v12 = Version{Major: 1, Minor: 2}
	v13 = Version{Major: 1, Minor: 3}
	v20 = Version{Major: 2}
)

type history []event.Event

func (h history) and(more ...event.Event) history { return append(slices.Clip(h), more...) }

// given starts a scenario about a workflow.
func given(t *testing.T, events ...event.Event) scenario.Given[State, Command] {
	t.Helper()
	return scenario.Of(t, Decide, Evolve).Given(events...)
}

func fold(events ...event.Event) State {
	var s State
	for _, e := range events {
		s = Evolve(s, e)
	}
	return s
}

// sha is the digest of the fixtures' code, worked out elsewhere (sha256sum).
const (
	codeV1  = "async function main() { return 1 }"
	shaV1   = "6ee009cfd6b7fe83b5a192a30795d936caa43d0e573abec6e21966017a3ab0c6"
	codeV11 = "async function main() { return 1.1 }"
	shaV11  = "c90375a40d099f1cb974b93ad16b9be933c70b1ac40afcbcdbde55992a384e74"
)

var (
	created = WorkflowCreated{ID: "w", Title: "Refund report", Owner: "ada", Zone: "Europe/Vienna", Intent: "List refunds."}
	draft   = history{created, ScriptSaved{
		ScriptID: "s1", Version: v10, Code: codeV1, SHA256: shaV1, Comment: "first version",
		Summary: "lists refunds", Diagram: "graph LR", Origin: OriginPlanner, Task: "plan-1",
	}}
	active = draft.and(WorkflowActivated{})
)

func admitted(run string, v Version) RunAdmitted {
	return RunAdmitted{Run: run, Version: v, Trigger: TriggerManual, Input: json.RawMessage(`{"day":1}`)}
}

// beside is a run that others may be beside.
func beside(run string) RunAdmitted {
	e := admitted(run, v10)
	e.Beside = true
	return e
}

// The failures of the fixtures.
var (
	typeError  = failure.Failure{Class: failure.Logic, Name: "TypeError", Message: "Cannot read property 'map' of undefined", Strict: "S1", Loose: "L1"}
	otherError = failure.Failure{Class: failure.Logic, Name: "TypeError", Message: "Cannot read property 'id' of undefined", Strict: "S2", Loose: "L2"}
	thirdError = failure.Failure{Class: failure.Logic, Name: "RangeError", Message: "Invalid date", Strict: "S3", Loose: "L3"}
	timeLimit  = failure.Failure{Class: failure.Limit, Name: "LimitError", Code: "limit.wall", Message: "took too long", Strict: "SL", Loose: "LL"}
	refused    = failure.Failure{Class: failure.Network, Name: "NetworkError", Message: "connection refused", Strict: "SN", Loose: "LN"}
	signedOut  = failure.Failure{Class: failure.Auth, Name: "AuthError", Message: "status 401", Strict: "SA", Loose: "LA"}
	notAllowed = failure.Failure{Class: failure.Permission, Name: "PermissionError", Message: "status 403", Strict: "SP", Loose: "LP"}
	hostBroke  = failure.Failure{Class: failure.Internal, Name: "InternalError", Message: "worker did not start", Strict: "SI", Loose: "LI"}
	diverged   = failure.Failure{Class: failure.Logic, Name: "ContinuationError", Code: failure.CodeDiverged, Message: "another write", Strict: "SD", Loose: "LD"}
)

func logicFailed(run string, v Version, f failure.Failure) history {
	return history{
		RunFailed{Run: run, Version: v, Failure: f},
		LogicErrorClassified{Classified{Run: run, Strict: f.Strict, Loose: f.Loose}},
	}
}

func entered(task, run string, base Version, attempt int) MaintenanceEntered {
	return MaintenanceEntered{
		Task: task, Thread: "thread-" + task, Item: "item-" + task, Run: run, Base: base,
		Attempt: attempt, Budget: 3, At: scenario.Start,
	}
}

func proposed(proposal, task, run string, base Version) FixProposed {
	return FixProposed{
		Proposal: proposal, Task: task, Run: run, Base: base, Code: codeV11, Comment: "reads latest_charge",
		Fixer: Fixer{Kind: "templates", Version: "renamed-field/1"},
	}
}

var (
	identical   = Verification{Verdict: VerdictIdentical, FailingRun: "succeeded", Replayed: 3, Identical: 3, GateVersion: "1", Certificate: "c0"}
	different   = Verification{Verdict: VerdictDifferent, Divergence: "run r0, output $.count: want 2, got 3", GateVersion: "1"}
	unverified  = Verification{Verdict: VerdictUnverifiable, Replayed: 3, GateVersion: "1"}
	heldReasons = []string{"swallowed error"}
)

// fixed is what turns a version: verified, applied, saved, exited.
func fixed(proposal, task string, v Version) history {
	return history{
		FixVerified{Proposal: proposal, Verification: identical},
		FixApplied{Proposal: proposal, Version: v},
		ScriptSaved{
			ScriptID: "s-" + proposal, Version: v, Code: codeV11, SHA256: shaV11, Comment: "reads latest_charge",
			Summary: "lists refunds", Diagram: "graph LR", Origin: OriginMaintainer, Task: task, Proposal: proposal,
		},
		MaintenanceExited{Task: task, Why: ExitFixed},
	}
}

func continues(run, failed string, v Version) RunAdmitted {
	return RunAdmitted{Run: run, Version: v, Trigger: TriggerContinuation, Input: json.RawMessage(`{"day":1}`), Continues: failed}
}

// The milestones of the main job, each built on the one before.
var (
	running     = active.and(admitted("r1", v10))
	maintenance = running.and(logicFailed("r1", v10, typeError)...).and(entered("t1", "r1", v10, 1))
	judging     = maintenance.and(proposed("p1", "t1", "r1", v10))
	held        = judging.and(
		FixVerified{Proposal: "p1", Verification: identical},
		FixHeld{Proposal: "p1", Reasons: heldReasons, Alternatives: []Alternative{{Code: "async function main() { return 7 }", Comment: "another way"}}})
	applied    = judging.and(fixed("p1", "t1", v11)...)
	continuing = applied.and(continues("r2", "r1", v11))
	confirmed  = continuing.and(RunSucceeded{Run: "r2", Version: v11}, FixConfirmed{Version: v11, Run: "r2"}, Recovered{Run: "r2"})
	escalated  = maintenance.and(
		Escalated{Reason: EscalatedUnfixable, Explanation: "no idea", Run: "r1", Task: "t1", Actions: []string{ActionReplan}, Active: v10},
		MaintenanceExited{Task: "t1", Why: ExitEscalated})
	waiting = running.and(
		RunFailed{Run: "r1", Version: v10, Failure: signedOut},
		AuthErrorClassified{Classified{Run: "r1", Strict: "SA", Loose: "LA"}})
	paused   = active.and(WorkflowPaused{Reason: "holiday"})
	archived = active.and(WorkflowArchived{})
)

// settleFailed settles a run with a failure and ids for a task that may follow.
func settleFailed(run string, f failure.Failure) SettleRun {
	return SettleRun{Run: run, Failure: &f, Rehearsed: RehearsedReproduced, Evidence: "thrown by the script", Task: "t-" + run, Thread: "th-" + run, Item: "it-" + run}
}

func at(d time.Duration) time.Time { return scenario.Start.Add(d) }
