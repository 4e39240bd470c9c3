package projections

import (
	"context"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/money"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Counts over all workflows.
const (
	TallyRun         = "run"          // that ended here, by outcome
	TallyFailure     = "failure"      // runs that failed here, by class
	TallyVerdict     = "verdict"      // of the gate, by verdict
	TallyFix         = "fix"          // by what became of it
	TallyMaintenance = "maintenance"  // entered, and escalated
	TallyTokens      = "model_tokens" // of models, by agent and direction: planner_input
	TallyMicros      = "model_micros" // that agents cost, in millionths of a US dollar, by agent
)

// Tally is how often something happened since the log began. Each kind has a few labels, whatever is in the log: what
// reads all of them takes as long in any installation.
type Tally struct {
	Kind  string `col:"kind,key"`
	Label string `col:"label,key"`
	Count int64  `col:"count"`
}

var tallies = readmodel.NewTable[Tally]("tally")

// tallyLabels are all labels of each kind: what has not happened is counted, too, or nobody could see it begin.
var tallyLabels = map[string][]string{
	TallyRun:         {string(RunSucceeded), string(RunFailed), string(RunCancelled)},
	TallyFailure:     {string(failure.Logic), string(failure.Limit), string(failure.Network), string(failure.Auth), string(failure.Permission), string(failure.Internal)},
	TallyVerdict:     {string(workflow.VerdictIdentical), string(workflow.VerdictDifferent), string(workflow.VerdictUnverifiable)},
	TallyFix:         {string(FixProposed), string(FixHeld), string(FixApplied), string(FixAccepted), string(FixDeclined), string(FixStale), string(FixDifferent), string(FixConfirmed), string(FixRegressed)},
	TallyMaintenance: {"entered", "escalated"},
	TallyTokens:      {KindPlanner + "_input", KindPlanner + "_output", KindMaintainer + "_input", KindMaintainer + "_output"},
	TallyMicros:      {KindPlanner, KindMaintainer},
}

func applyTally(tx *readmodel.Tx, recorded event.Recorded) error {
	add := func(kind, label string, count int64) {
		if count == 0 {
			return
		}
		if one := tallies.Edit(tx, kind, label); one != nil {
			one.Count += count
		} else {
			tallies.Insert(tx, Tally{Kind: kind, Label: label, Count: count})
		}
	}
	agent := func() string {
		if of := threads.Get(tx, threadOf(recorded)); of != nil && of.Kind == KindPlanner {
			return KindPlanner
		}
		return KindMaintainer
	}
	used := func(usage *thread.Usage) {
		if usage != nil {
			of := agent()
			add(TallyTokens, of+"_input", usage.Input)
			add(TallyTokens, of+"_output", usage.Output)
			add(TallyMicros, of, money.FromUSD(usage.CostUSD))
		}
	}
	switch e := recorded.Event.(type) {
	case run.RunEnded:
		if of := runs.Get(tx, runOf(recorded)); of != nil && of.Trigger == workflow.TriggerImport {
			return nil // it ran elsewhere
		}
		if e.Failure == nil {
			add(TallyRun, string(RunSucceeded), 1)
			return nil
		}
		add(TallyRun, string(RunFailed), 1)
		add(TallyFailure, string(e.Failure.Class), 1)
	case run.ExecutionCancelled:
		add(TallyRun, string(RunCancelled), 1)
	case workflow.MaintenanceEntered:
		add(TallyMaintenance, "entered", 1)
	case workflow.Escalated:
		add(TallyMaintenance, "escalated", 1)
	case workflow.FixVerified:
		add(TallyVerdict, string(e.Verification.Verdict), 1)
	case workflow.FixProposed:
		add(TallyFix, string(FixProposed), 1)
	case workflow.FixHeld:
		add(TallyFix, string(FixHeld), 1)
	case workflow.FixApplied:
		add(TallyFix, string(FixApplied), 1)
	case workflow.FixAccepted:
		add(TallyFix, string(FixAccepted), 1)
	case workflow.FixDeclined:
		add(TallyFix, string(FixDeclined), 1)
	case workflow.FixRejectedStale:
		add(TallyFix, string(FixStale), 1)
	case workflow.FixRejectedDifferent:
		add(TallyFix, string(FixDifferent), 1)
	case workflow.FixConfirmed:
		add(TallyFix, string(FixConfirmed), 1)
	case workflow.FixRegressed:
		add(TallyFix, string(FixRegressed), 1)
	case thread.MessageAppended:
		used(e.Usage)
	case thread.ModelUnavailable:
		used(e.Usage)
	case thread.ThreadClosed:
		counted := 0.0
		if total := spentTotals.Get(tx, threadOf(recorded)); total != nil { // as it was: spend is folded after this
			counted = total.CostUSD
		}
		add(TallyMicros, agent(), max(money.FromUSD(e.CostUSD-counted), 0))
	}
	return nil
}

// Tallies are all counts, of every label that there can be.
func (q *Queries) Tallies(ctx context.Context) (map[string]map[string]int64, error) {
	kept, err := selected(ctx, q, tallies, "ORDER BY kind, label")
	if err != nil {
		return nil, err
	}
	all := map[string]map[string]int64{}
	for kind, labels := range tallyLabels {
		all[kind] = map[string]int64{}
		for _, label := range labels {
			all[kind][label] = 0
		}
	}
	for _, one := range kept {
		all[one.Kind][one.Label] = one.Count
	}
	return all, nil
}

// Waiting is how much waits, or goes on, just now.
type Waiting struct {
	Runs      map[RunStatus]int64       // that have not ended
	Inputs    int64                     // that wait to become a run
	Tasks     map[InboxState]int64      // of agents, that are not done
	Workflows map[workflow.Status]int64 // that do not run as they should
}

// Waiting counts what has not come to its end: what has is not looked at, however much of it there is.
func (q *Queries) Waiting(ctx context.Context) (Waiting, error) {
	found := Waiting{Runs: map[RunStatus]int64{}, Tasks: map[InboxState]int64{}, Workflows: map[workflow.Status]int64{}}
	questions, args, put := []string{}, []any{}, []func(int64){}
	ask := func(into func(int64), from, where string, values ...any) {
		questions = append(questions, "(SELECT count(*) FROM "+from+where+")")
		args, put = append(args, values...), append(put, into)
	}
	for _, status := range []RunStatus{RunAdmitted, RunRunning, RunAsking, RunInDoubt} {
		ask(func(n int64) { found.Runs[status] = n }, "run", " WHERE status = ?", status)
	}
	for _, state := range []InboxState{InboxQueued, InboxWorking, InboxWaiting} {
		ask(func(n int64) { found.Tasks[state] = n }, "inbox", " WHERE state = ?", state)
	}
	for _, status := range []workflow.Status{workflow.StatusMaintenance, workflow.StatusHeld, workflow.StatusWaiting, workflow.StatusEscalated} {
		ask(func(n int64) { found.Workflows[status] = n }, "workflow", " WHERE status = ?", status)
	}
	ask(func(n int64) { found.Inputs = n }, "queued_input", "")
	for i := range questions {
		questions[i] += " AS c" + string(rune('a'+i))
	}
	_, err := one(ctx, q, nil, func(row readmodel.Row) (bool, error) {
		for i, into := range put {
			into(row.Int64("c" + string(rune('a'+i))))
		}
		return true, nil
	}, "SELECT "+strings.Join(questions, ", "), args...)
	return found, err
}
