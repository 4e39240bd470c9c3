package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// Describe is an event in one line, as people read it who are in a time zone.
func Describe(e event.Event, in *time.Location) string {
	switch e := e.(type) {
	case event.Erased:
		return e.Text
	case workflow.WorkflowCreated:
		return fmt.Sprintf("created %q for %s", e.Title, e.Owner)
	case workflow.IntentChanged:
		return "intent: " + e.Intent
	case workflow.ScriptSaved:
		return fmt.Sprintf("version %s by the %s: %s", e.Version, e.Origin, e.Comment)
	case workflow.ScheduleChanged:
		return "schedule: " + plain.Dash(e.Spec)
	case workflow.SettingsChanged:
		return fmt.Sprintf("auto-fix %s, hosts %s", e.Settings.WithDefaults().AutoFix, plain.Dash(strings.Join(e.Settings.AllowedHosts, ", ")))
	case workflow.WorkflowPaused:
		return e.Reason
	case workflow.WorkflowArchived:
		return e.Reason
	case workflow.WorkflowDeleted:
		return fmt.Sprintf("deleted for good: what %d events said, of %d runs and %d conversations", e.Payloads, e.Runs, e.Threads)
	case workflow.WorkflowErased:
		return fmt.Sprintf("what %d events said is erased", e.Payloads)
	case workflow.DraftPrompted:
		text := "nobody touched the draft since " + e.Since.In(in).Format(time.DateOnly)
		if !e.Archives.IsZero() {
			text += ", it is archived on " + e.Archives.In(in).Format(time.DateOnly)
		}
		return text
	case workflow.DecisionDelegated:
		return strings.TrimSpace("it is for " + e.To + " to decide. " + e.Note)
	case workflow.DecisionReminded:
		return fmt.Sprintf("half of the time to decide is over; at %s, then %s", e.Due.In(in).Format(time.DateTime), strings.ReplaceAll(e.OnDeadline, "_", " "))
	case workflow.DraftKept:
		return "work on the draft goes on"
	case installation.TokenCreated:
		return fmt.Sprintf("%s may %s%s", e.Person, tokenScopes(e), tokenName(e))
	case installation.TokenRevoked:
		return e.Reason
	case installation.WorkStalled:
		if e.Kind == installation.Server {
			return fmt.Sprintf("%s failed %d times, and is tried on: %s", e.Work, e.Tries, e.Problem)
		}
		return fmt.Sprintf("%s of %s %s failed %d times, and is tried on: %s", e.Work, e.Kind, e.ID, e.Tries, e.Problem)
	case installation.WorkResumed:
		if e.Kind == installation.Server {
			return e.Work + " goes on"
		}
		return fmt.Sprintf("%s of %s %s goes on", e.Work, e.Kind, e.ID)
	case installation.StoreMended:
		return "the store was changed past the program, and put back: " + strings.Join(e.Found, "; ")
	case installation.TimelineChosen:
		return e.Viewer + " looks at timelines: " + plain.Dash(strings.Join(append(slices.Clone(e.Significance), e.Kinds...), ", "))
	case installation.DraftArchivingChanged:
		if e.On {
			return "old drafts of " + e.Owner + " are archived"
		}
		return "old drafts of " + e.Owner + " stay"
	case plan.PlanStarted:
		return fmt.Sprintf("%q: %d jobs from %s onto %s", e.Definition.Title, len(e.Definition.Jobs), e.Definition.Base, e.Definition.Integration)
	case plan.PlanCompleted:
		return "all jobs are merged"
	case plan.PlanCancelled:
		return e.Reason
	case plan.JobStarted:
		return fmt.Sprintf("%s begins on %s", e.Job, e.Branch)
	case plan.StepStarted:
		return fmt.Sprintf("%s: %s %d of attempt %d begins", e.Job, e.Step.Phase, e.Step.Index+1, e.Attempt)
	case plan.StepEnded:
		return fmt.Sprintf("%s: %s %d: %s", e.Job, e.Step.Phase, e.Step.Index+1, e.Result.Says)
	case plan.JobChecked:
		return fmt.Sprintf("%s stayed inside its touch set: %d files", e.Job, e.Changed)
	case plan.JobReady:
		return e.Job + " is verified and waits for its merge"
	case plan.JobHeld:
		return fmt.Sprintf("%s is held at checkpoint %d, %s: %s", e.Job, e.Checkpoint, e.Kind, e.Reason)
	case plan.HealingStarted:
		return fmt.Sprintf("%s is healed in session %s: %s, %s", e.Job, e.Session, e.Trigger, e.Reason)
	case plan.HealingEnded:
		return fmt.Sprintf("%s: %s, %s", e.Job, e.Outcome, e.Reason)
	case plan.JobAccepted:
		return fmt.Sprintf("%d violations of %s may pass: %s", e.Count, e.Job, e.Reason)
	case plan.JobRelaunched:
		return fmt.Sprintf("%s is launched again, attempt %d", e.Job, e.Attempt)
	case plan.JobRetried:
		return e.Job + " was repaired, and is checked again"
	case plan.MergeStarted:
		return e.Job + " is merged, and verified"
	case plan.JobMerged:
		return fmt.Sprintf("%s is on the integration branch", e.Job)
	case subscription.SubscriptionAdded:
		return fmt.Sprintf("%s, %s, %s behind a dead letter", e.Target, e.Payload, e.Lanes)
	case subscription.SubscriptionPaused:
		return e.Reason
	case subscription.SubscriptionReplayed:
		return "from after position " + plain.Dash(strings.TrimLeft(e.From.Position, "0"))
	case subscription.SubscriptionAdvanced:
		return "came to position " + plain.Dash(strings.TrimLeft(e.Place.Position, "0"))
	case subscription.SubscriptionPlaceFound:
		return fmt.Sprintf("this log was restored or copied: goes on after position %s, and what was delivered after that may come again", plain.Dash(strings.TrimLeft(e.Place.Position, "0")))
	case subscription.DeadLettered:
		return fmt.Sprintf("%s %s after %d tries: %s", e.Type, e.Event.EventID, e.Attempts, e.Reason)
	case subscription.DeadLetterRetried:
		return e.EventID + " was delivered"
	case subscription.DeadLetterDropped:
		return fmt.Sprintf("%s %s", e.EventID, e.Reason)
	case subscription.TargetSecretSet:
		return "it is shown another secret"
	case installation.SecretSet:
		return fmt.Sprintf("secret %s for %s, of %s", e.Name, strings.Join(e.Hosts, ", "), cmp.Or(e.Workflow, "all workflows"))
	case installation.SecretRemoved:
		return fmt.Sprintf("secret %s of %s", e.Name, cmp.Or(e.Workflow, "all workflows"))
	case subscription.SigningKeyRotated:
		return "the key before signs, too, until " + e.Until.In(in).Format(time.DateTime)
	case workflow.RunAdmitted:
		text := fmt.Sprintf("run %s on version %s (%s)", e.Run, e.Version, e.Trigger)
		if e.Continues != "" {
			text += ", continues " + e.Continues
		}
		if e.Restarts != "" {
			text += ", starts " + e.Restarts + " again"
		}
		return text
	case workflow.RunCommitted:
		return fmt.Sprintf("run %s: what it wrote to keys and files counts, up to #%d", e.Run, e.Through)
	case workflow.RunSucceeded:
		return fmt.Sprintf("run %s on version %s", e.Run, e.Version)
	case workflow.RunFailed:
		return fmt.Sprintf("run %s on version %s: %s", e.Run, e.Version, e.Failure)
	case workflow.RunUnfinished:
		return fmt.Sprintf("run %s on version %s (writes done: %d): %s", e.Run, e.Version, e.Writes, e.Problem)
	case workflow.RunLeft:
		return fmt.Sprintf("run %s %s", e.Run, e.Note)
	case workflow.SlotSkipped:
		return e.Reason
	case workflow.TriggerSet:
		return fmt.Sprintf("on workflow %s: %s", e.Source, OutcomesText(e.Outcomes))
	case workflow.TriggerRemoved:
		return "on workflow " + e.Source
	case workflow.InputQueued:
		return fmt.Sprintf("run %s (%s) waits: %s", e.Run, e.Trigger, e.Reason)
	case workflow.InputRequeued:
		text := fmt.Sprintf("the input of run %s (%s) waits for %s", e.Run, e.Trigger, WaitsText(e.Waits))
		if e.Ready {
			text = fmt.Sprintf("the input of run %s (%s) waits for its turn", e.Run, e.Trigger)
		}
		if !e.At.IsZero() {
			text += ", and is tried again at " + e.At.In(in).Format(time.DateTime)
		}
		return text + ": " + e.Reason
	case workflow.InputSkipped:
		return fmt.Sprintf("no run %s (%s): %s", e.Run, e.Trigger, e.Reason)
	case workflow.LogicErrorClassified:
		return e.Evidence
	case workflow.NetworkErrorClassified:
		return e.Evidence
	case workflow.AuthErrorClassified:
		return e.Evidence
	case workflow.PermissionErrorClassified:
		return e.Evidence
	case workflow.LimitErrorClassified:
		return e.Evidence
	case workflow.InternalErrorClassified:
		return e.Evidence
	case workflow.NotReproduced:
		return fmt.Sprintf("run %s works now, in rehearsal", e.Run)
	case workflow.RetryScheduled:
		return fmt.Sprintf("run %s, attempt %d at %s", e.Run, e.Attempt, e.At.In(in).Format(time.DateTime))
	case workflow.RetriesExhausted:
		return fmt.Sprintf("run %s after %d attempts", e.Run, e.Attempts)
	case workflow.StillFails:
		return fmt.Sprintf("run %s was tried without writing, and does not work yet", e.Run)
	case workflow.WorkClaimed:
		if e.Until.IsZero() {
			return e.Work + " is over"
		}
		return fmt.Sprintf("%s, until %s", e.Work, e.Until.In(in).Format(time.TimeOnly))
	case workflow.OutageReported:
		return fmt.Sprintf("no answer since %s: %s", e.Since.In(in).Format(time.DateTime), e.Problem)
	case workflow.OutageEnded:
		return fmt.Sprintf("%s, after %s", e.Why, e.At.Sub(e.Since).Round(time.Second))
	case workflow.Recovered:
		return "run " + e.Run
	case workflow.MaintenanceEntered:
		return fmt.Sprintf("version %s, fix %d of %d, for run %s", e.Base, e.Attempt, e.Budget, e.Run)
	case workflow.RepairAsked:
		return fmt.Sprintf("run %s: %s", e.Run, e.Failure)
	case workflow.FailureAttached:
		return fmt.Sprintf("run %s joins task %s", e.Run, e.Task)
	case workflow.FixProposed:
		return fmt.Sprintf("%s (%s %s, based on %s)", e.Comment, e.Fixer.Kind, e.Fixer.Version, e.Base)
	case workflow.FixVerified:
		return VerdictLine(e.Verification)
	case workflow.FixApplied:
		return fmt.Sprintf("version %s", e.Version)
	case workflow.FixRejectedStale:
		return fmt.Sprintf("based on %s, %s is active: %s", e.Base, e.Current, e.Why)
	case workflow.FixRejectedDifferent:
		return e.Divergence
	case workflow.FixHeld:
		return strings.Join(e.Reasons, "; ")
	case workflow.FixAccepted:
		text := fmt.Sprintf("version %s %s", e.Version, e.Reason)
		for _, allowed := range WideningText(&workflow.Widening{Hosts: e.AllowHosts, Secrets: e.BindSecrets}) {
			text += "; allows " + allowed
		}
		return text
	case workflow.FixDeclined:
		return e.Reason
	case workflow.FixCorrectionRequested:
		return e.Note
	case workflow.FixRechecked:
		text := VerdictLine(e.Verification)
		if len(e.Reasons) > 0 {
			text += "; still held: " + strings.Join(e.Reasons, "; ")
		}
		return text
	case workflow.FixConfirmed:
		return fmt.Sprintf("version %s by run %s", e.Version, e.Run)
	case workflow.FixRegressed:
		return fmt.Sprintf("version %s by run %s", e.Version, e.Run)
	case workflow.DriftSuspected:
		what := "marked"
		if e.Stopped {
			what = "stopped"
		}
		texts := make([]string, len(e.Suspects))
		for i, one := range e.Suspects {
			texts[i] = one.Text
		}
		return fmt.Sprintf("run %s %s: %s", e.Run, what, strings.Join(texts, "; "))
	case workflow.MarkedRunsReviewed:
		return fmt.Sprintf("version %s agrees on %d marked runs, comes to something else on %d, says nothing of %d", e.Version, len(e.Agreed), len(e.Differ), len(e.Silent))
	case workflow.RunTrusted:
		return fmt.Sprintf("run %s is right: %s", e.Run, e.Note)
	case workflow.RunExempted:
		return fmt.Sprintf("run %s: %s", e.Run, e.Reason)
	case workflow.MaintenanceExited:
		return e.Why
	case workflow.Escalated:
		return fmt.Sprintf("%s: %s", e.Reason, e.Explanation)
	case workflow.PlannerTaskOpened:
		return e.Ask
	case workflow.PlannerTold:
		return e.Text
	case workflow.PlannerTaskClosed:
		return e.Outcome
	case workflow.QuestionAsked:
		return e.Text
	case workflow.QuestionAnswered:
		return e.Answer
	case workflow.NotificationAcknowledged:
		return e.Notification
	}
	return describeRun(e)
}

// VerdictLine is a verdict of the gate in one line.
func VerdictLine(v workflow.Verification) string {
	text := fmt.Sprintf("%s: %d of %d recorded successes identical, %d left out; failing run %s", v.Verdict, v.Identical, v.Replayed, v.Excluded, v.FailingRun)
	if v.Divergence != "" {
		text += "; " + v.Divergence
	}
	return text
}

// describeRun describes what stands on run and thread streams.
func describeRun(e event.Event) string {
	switch e := e.(type) {
	case run.RunStarted:
		return fmt.Sprintf("version %s on %s, input %s", e.Version, e.Node, plain.Short(string(e.Input), 60))
	case run.ToolAnswered:
		parts := e.Parts()
		return describeRun(parts[0]) + " → " + strings.TrimPrefix(describeRun(parts[1]), fmt.Sprintf("#%d ", e.Seq))
	case run.ToolCalled:
		text := fmt.Sprintf("#%d %s %s", e.Seq, e.Tool, plain.Short(string(e.Args), 80))
		if e.From != "" {
			text += "  (answered by run " + e.From + ")"
		}
		return text
	case run.ToolReturned:
		switch {
		case e.Error != nil:
			return fmt.Sprintf("#%d %s: %s", e.Seq, e.Error.Name, e.Error.Message)
		case e.Text != "":
			return fmt.Sprintf("#%d part %d, %d bytes", e.Seq, e.Part, len(e.Text))
		}
		return fmt.Sprintf("#%d %s", e.Seq, plain.Short(cmp.Or(string(e.Result), "nothing"), 80))
	case run.LogWritten:
		return fmt.Sprintf("%d lines", len(e.Lines))
	case run.RunEnded:
		if e.Failure != nil {
			return fmt.Sprintf("failed (%s): %s", e.Failure.Class, e.Failure)
		}
		return fmt.Sprintf("output %s, %d calls, %d ms", plain.Short(string(e.Output), 60), e.Usage.Calls, e.Usage.WallMS)
	case run.RunBegunAgain:
		return fmt.Sprintf("other runs have changed %s; %d calls made outside are kept", strings.Join(e.Moved, ", "), len(e.Keep))
	case run.RunResumed:
		return "by " + e.Node
	case run.RunDelayed:
		return fmt.Sprintf("%s: tried again at %s (try %d)", e.Problem, e.Until.Format(time.RFC3339), e.Tries+1)
	case run.EffectInDoubt:
		if e.Status != 0 {
			return fmt.Sprintf("#%d, status %d", e.Seq, e.Status)
		}
		return fmt.Sprintf("#%d", e.Seq)
	case run.EffectLookedUp:
		return fmt.Sprintf("#%d, attempt %d: %s (%s)", e.Seq, e.Attempt, e.Found, e.Detail)
	case run.AnswerAwaited:
		return "asks: " + e.Question
	case run.AnswerGiven:
		if e.TimedOut {
			return fmt.Sprintf("nobody answered in time: %s", plain.Dash(string(e.Answer)))
		}
		return "answer: " + string(e.Answer)
	case run.EffectResolved:
		return fmt.Sprintf("#%d %s", e.Seq, e.How)
	case thread.ThreadOpened:
		return e.Kind + ": " + e.Title
	case thread.ThreadClaimed:
		return fmt.Sprintf("by %s until %s", e.Node, e.LeaseUntil.Format(time.TimeOnly))
	case thread.ThreadLeaseExtended:
		return "until " + e.Until.Format(time.TimeOnly)
	case thread.MessageAppended:
		if e.Usage != nil {
			cost := "" // unknown, or nothing
			if e.Usage.CostUSD > 0 {
				cost = fmt.Sprintf(", $%.4f", e.Usage.CostUSD)
			}
			return fmt.Sprintf("%s, %d tokens%s: %s", e.Usage.Model, e.Usage.Input+e.Usage.Output, cost, plain.Short(e.Text, 100))
		}
		return e.Role + ": " + plain.Short(e.Text, 100)
	case thread.ModelUnavailable:
		return fmt.Sprintf("%s: %s %s, try %d, again at %s", e.Model, e.Kind, e.Code, e.Try, e.RetryAt.Format(time.TimeOnly))
	case thread.ToolInvoked:
		return e.Tool + " " + plain.Short(string(e.Args), 80)
	case thread.ToolResulted:
		return plain.Short(e.Error+string(e.Result), 80)
	case thread.CandidateJudged:
		return fmt.Sprintf("%d. %s: %s", e.Candidate, e.Verdict, e.Comment)
	case thread.ThreadClosed:
		return e.Outcome
	}
	return describeSession(e)
}

// WideningText names what a fix is allowed that its workflow was not.
func WideningText(widens *workflow.Widening) []string {
	if widens == nil {
		return nil
	}
	var text []string
	for _, host := range widens.Hosts {
		text = append(text, "reading from "+host)
	}
	for _, place := range widens.Writes {
		text = append(text, "writing by "+place)
	}
	for _, use := range widens.Secrets {
		text = append(text, fmt.Sprintf("sending the secret %s to %s", use.Name, use.Host))
	}
	return text
}

// OutcomesText names outcomes of runs.
func OutcomesText(outcomes []workflow.Outcome) string {
	names := make([]string, len(outcomes))
	for i, outcome := range outcomes {
		names[i] = string(outcome)
	}
	return strings.Join(names, ", ")
}
