package projections

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// AgentStatus is what is under way for a workflow. Nobody sets it: it follows from what has begun and not ended.
type AgentStatus string

// Kinds of work under way. Work that goes on by itself comes before what waits: a workflow waits for its person
// only when nothing else of it moves.
const (
	AgentPlanning AgentStatus = "planning"
	AgentMending  AgentStatus = "mending"
	AgentRunning  AgentStatus = "running"
	AgentRetrying AgentStatus = "retrying" // the other side does not answer, and is asked again by itself
	AgentTrying   AgentStatus = "trying"   // the run that was refused is tried with the access that a person gave
	AgentWaiting  AgentStatus = "waiting_for_you"
	AgentSilent   AgentStatus = "unanswered" // the other side did not answer the last run, and is asked by the next one only
	AgentIdle     AgentStatus = "idle"
)

// agent derives it.
func (w *Workflow) agent() AgentStatus {
	standing := map[string]bool{} // runs under way that wait for a person
	for _, one := range w.Waits {
		if of, is := strings.CutPrefix(one, waitsInRun); is {
			standing[of[:strings.IndexByte(of, ' ')]] = true
		}
	}
	switch {
	case w.Planner != "" && !w.PlannerWaits:
		return AgentPlanning
	case w.OpenTask != "" && w.HeldFix == "" && !slices.ContainsFunc(w.Waits, func(one string) bool { return strings.HasPrefix(one, waitsForAnswer+w.OpenTask+" ") }):
		return AgentMending
	case w.Tried != "" && !standing[w.Tried]:
		return AgentTrying
	case w.Running > len(standing):
		return AgentRunning
	case len(w.Retrying) > 0 && (w.Status == workflow.StatusActive || w.Status == workflow.StatusDraft): // else nothing is tried
		return AgentRetrying
	case w.Status == workflow.StatusArchived:
		return AgentIdle
	case len(w.Waits) > 0 || w.Planner != "" || w.HeldFix != "" || w.Waiting || w.Escalated:
		return AgentWaiting
	case w.Unanswered != "" && w.Unanswered == w.LastRun && (w.Status == workflow.StatusActive || w.Status == workflow.StatusDraft):
		return AgentSilent
	}
	return AgentIdle
}

// Kinds of [Workflow.Waits], each with enough to find the awaited thing again.
const (
	waitsForAnswer = "question " // of an agent: task, question
	waitsInRun     = "run "      // a call of it: run, number
	waitsHalfDone  = "half "     // run
)

// awaits keeps what a workflow waits for a person for.
func (w *Workflow) awaits(recorded event.Recorded) {
	begins := func(what string) {
		if !slices.Contains(w.Waits, what) {
			w.Waits = append(slices.Clip(w.Waits), what)
		}
	}
	ends := func(prefix string) {
		if slices.ContainsFunc(w.Waits, func(one string) bool { return strings.HasPrefix(one, prefix) }) {
			w.Waits = slices.DeleteFunc(slices.Clone(w.Waits), func(one string) bool { return strings.HasPrefix(one, prefix) })
		}
	}
	inCall := func(seq int) string { return fmt.Sprintf("%s%s %d ", waitsInRun, runOf(recorded), seq) }
	switch e := recorded.Event.(type) {
	case workflow.PlannerTaskOpened:
		w.Planner, w.PlannerWaits = e.Task, false
	case workflow.PlannerTaskWaiting:
		w.PlannerWaits = w.Planner == e.Task
	case workflow.PlannerTold:
		w.PlannerWaits = w.PlannerWaits && w.Planner != e.Task
	case workflow.PlannerTaskClosed:
		if w.Planner == e.Task {
			w.Planner, w.PlannerWaits = "", false
		}
		ends(waitsForAnswer + e.Task + " ")
	case workflow.QuestionAsked:
		begins(waitsForAnswer + e.Task + " " + e.Question + " ")
	case workflow.QuestionAnswered:
		w.answered(e.Question)
	case workflow.MaintenanceExited:
		ends(waitsForAnswer + e.Task + " ")
	case workflow.RunUnfinished:
		begins(waitsHalfDone + e.Run + " ")
	case workflow.RunLeft:
		ends(waitsHalfDone + e.Run + " ")
	case workflow.RunCancelled:
		ends(waitsHalfDone + e.Run + " ")
	case workflow.RetryScheduled:
		ends(waitsHalfDone + e.Run + " ")
	case workflow.RunAdmitted:
		ends(waitsHalfDone + e.Continues + " ")
		ends(waitsHalfDone + e.Restarts + " ")
	case run.AnswerAwaited:
		begins(inCall(e.Seq))
	case run.AnswerGiven:
		ends(inCall(e.Seq))
	case run.EffectInDoubt:
		if e.LookUpAt.IsZero() { // else the other side is asked first
			begins(inCall(e.Seq))
		}
	case run.EffectLookedUp:
		if e.Found == run.LookedUpNothing && e.Next.IsZero() {
			begins(inCall(e.Seq))
		}
	case run.EffectResolved:
		ends(inCall(e.Seq))
	case run.RunEnded, run.ExecutionCancelled:
		ends(waitsInRun + runOf(recorded) + " ")
	}
}

// retries keeps which failed runs wait to be tried again because the other side does not answer.
func (w *Workflow) retries(happened event.Event) {
	ends := func(run string) {
		if w.Unanswered == run {
			w.Unanswered = ""
		}
		if is := func(one RetryingRun) bool { return one.Run == run }; slices.ContainsFunc(w.Retrying, is) {
			w.Retrying = slices.DeleteFunc(slices.Clone(w.Retrying), is)
		}
	}
	begins := func(run string, at time.Time) {
		ends(run)
		w.Retrying = append(slices.Clip(w.Retrying), RetryingRun{Run: run, At: at})
	}
	switch e := happened.(type) {
	case workflow.RunFailed:
		w.Unanswered = ""
		if e.Failure.Class == failure.Network {
			w.Unanswered, w.Silent = e.Run, e.Failure.Host
		}
	case workflow.RetryScheduled: // in the append of the failure, or of a person who has the same try now
		if e.Run == w.Unanswered || slices.ContainsFunc(w.Retrying, func(one RetryingRun) bool { return one.Run == e.Run }) {
			begins(e.Run, e.At)
		}
	case workflow.InputRequeued:
		if e.Waits == workflow.WaitsOutage {
			begins(e.Run, e.At)
		}
	case workflow.RunAdmitted:
		ends(e.Continues)
	case workflow.RunLeft:
		ends(e.Run)
	case workflow.RunCancelled:
		ends(e.Run)
	case workflow.InputSkipped:
		ends(e.Run)
	case workflow.MaintenanceEntered:
		ends(e.Run)
	case workflow.ScriptSaved:
		if e.Origin != workflow.OriginMaintainer { // what failed of another script is not tried again
			w.Retrying, w.Unanswered = nil, ""
		}
	case workflow.WorkflowArchived:
		w.Retrying = nil
	}
}

// tries keeps the run that is tried with the access that it lacked, from the word of its person until it is known what became of it.
func (w *Workflow) tries(happened event.Event) {
	switch e := happened.(type) {
	case workflow.AuthErrorClassified:
		w.Refused = e.Run
	case workflow.PermissionErrorClassified:
		w.Refused = e.Run
	case workflow.RetryScheduled:
		if e.Run == w.Refused {
			w.Tried, w.Refused = e.Run, ""
		}
	case workflow.RunAdmitted:
		if e.Continues != "" && e.Continues == w.Tried {
			w.Tried = e.Run
		}
	case workflow.RunSucceeded:
		w.triedIn(e.Run)
	case workflow.RunFailed:
		w.triedIn(e.Run)
	case workflow.RunCancelled:
		w.triedIn(e.Run)
	case workflow.WorkflowPaused, workflow.WorkflowArchived, workflow.ScriptSaved:
		w.Tried, w.Refused = "", ""
	}
}

func (w *Workflow) triedIn(run string) {
	if w.Tried == run {
		w.Tried = ""
	}
}

// answered ends the wait for an answer. A planner goes on when nothing is left to be answered.
func (w *Workflow) answered(question string) {
	i := slices.IndexFunc(w.Waits, func(one string) bool {
		return strings.HasPrefix(one, waitsForAnswer) && strings.HasSuffix(one, " "+question+" ")
	})
	if i < 0 {
		return
	}
	task := strings.Fields(w.Waits[i])[1]
	w.Waits = slices.Delete(slices.Clone(w.Waits), i, i+1)
	if task == w.Planner && !slices.ContainsFunc(w.Waits, func(one string) bool { return strings.HasPrefix(one, waitsForAnswer+task+" ") }) {
		w.PlannerWaits = false
	}
}

// draft keeps how old a draft is, as [workflow.EvolveAt] does.
func (w *Workflow) draft(happened event.Event, at time.Time) {
	prompted, is := happened.(workflow.DraftPrompted)
	switch {
	case w.Status != workflow.StatusDraft:
		w.Touched, w.Prompted, w.Archives = time.Time{}, time.Time{}, time.Time{}
	case is:
		w.Prompted, w.Archives = prompted.At, prompted.Archives
	case workflow.TouchesDraft(happened):
		w.Touched, w.Prompted, w.Archives = at, time.Time{}, time.Time{}
	}
}
