package projections

import (
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// repairWords are the words of repairs, fixes and the planner.
var repairWords = []row{
	of(words[workflow.MaintenanceEntered]{
		line: func(e workflow.MaintenanceEntered, _ *time.Location) string {
			return fmt.Sprintf("version %s, fix %d of %d, for run %s", e.Base, e.Attempt, e.Budget, e.Run)
		},
		label: "mending",
		kind:  "repair", matters: Notable,
		entry: func(e workflow.MaintenanceEntered, t *telling) string {
			t.Run, t.Version = e.Run, e.Base.String()
			return fmt.Sprintf("A repair of version %s began, attempt %d of %d.", e.Base, e.Attempt, e.Budget)
		},
		resolves: []NotificationType{NotifyEscalated, NotifyMaintenanceFailed}, // it is worked on again
	}),
	of(words[workflow.RepairAsked]{
		line: func(e workflow.RepairAsked, _ *time.Location) string {
			return fmt.Sprintf("run %s: %s", e.Run, e.Failure)
		},
		kind: "repair", matters: Notable,
		entry: func(e workflow.RepairAsked, t *telling) string {
			t.Run, t.Version = e.Run, e.Version.String()
			return fmt.Sprintf("%s asked for a repair of what a run by hand failed with.", t.who)
		},
	}),
	of(words[workflow.FailureAttached]{
		line: func(e workflow.FailureAttached, _ *time.Location) string {
			return fmt.Sprintf("run %s joins task %s", e.Run, e.Task)
		},
		kind: "repair", matters: Routine,
		entry: func(e workflow.FailureAttached, t *telling) string {
			t.Run = e.Run
			return "A further failure joined the repair."
		},
	}),
	of(words[workflow.FixProposed]{
		line: func(e workflow.FixProposed, _ *time.Location) string {
			return fmt.Sprintf("%s (%s %s, based on %s)", e.Comment, e.Fixer.Kind, e.Fixer.Version, e.Base)
		},
		kind: "fix", matters: Notable,
		entry: func(e workflow.FixProposed, t *telling) string {
			if e.Fixer.Kind != workflow.FixerSuggested {
				return ""
			}
			t.Fix = e.Proposal
			return fmt.Sprintf("%s suggested a fix: %s", t.who, e.Comment)
		},
	}),
	of(words[workflow.FixVerified]{
		line: func(e workflow.FixVerified, _ *time.Location) string { return VerdictLine(e.Verification) },
	}),
	of(words[workflow.FixApplied]{
		line:  func(e workflow.FixApplied, _ *time.Location) string { return fmt.Sprintf("version %s", e.Version) },
		label: "fix applied",
		kind:  "fix", matters: Notable,
		entry: func(e workflow.FixApplied, t *telling) string {
			t.Fix, t.Version = e.Proposal, e.Version.String()
			return fmt.Sprintf("A fix was applied as version %s.", e.Version)
		},
	}),
	of(words[workflow.FixRejectedStale]{
		line: func(e workflow.FixRejectedStale, _ *time.Location) string {
			return fmt.Sprintf("based on %s, %s is active: %s", e.Base, e.Current, e.Why)
		},
		kind: "fix", matters: Notable,
		entry: func(e workflow.FixRejectedStale, t *telling) string {
			t.Fix = e.Proposal
			return fmt.Sprintf("A fix was overtaken (%s) and is not applied.", e.Why)
		},
		resolvesThose: func(_ *notifier, e workflow.FixRejectedStale) func(*Notification) bool {
			return func(one *Notification) bool { return one.Type == NotifyFixWaiting && one.Proposal == e.Proposal }
		},
	}),
	of(words[workflow.FixRejectedDifferent]{
		line: func(e workflow.FixRejectedDifferent, _ *time.Location) string { return e.Divergence },
		kind: "fix", matters: Notable,
		entry: func(e workflow.FixRejectedDifferent, t *telling) string {
			t.Fix = e.Proposal
			return withReason("A fix was rejected, as it changes what used to work", e.Divergence)
		},
	}),
	of(words[workflow.FixHeld]{
		line:  func(e workflow.FixHeld, _ *time.Location) string { return strings.Join(e.Reasons, "; ") },
		label: "a fix waits for you",
		kind:  "fix", matters: PersonFacing,
		entry: func(e workflow.FixHeld, t *telling) string {
			t.Fix = e.Proposal
			return withReason("A fix waits for its person", strings.Join(e.Reasons, "; "))
		},
		notice: (*notifier).held,
	}),
	of(words[workflow.FixAccepted]{
		line: func(e workflow.FixAccepted, _ *time.Location) string {
			text := fmt.Sprintf("version %s %s", e.Version, e.Reason)
			for _, allowed := range WideningText(&workflow.Widening{Hosts: e.AllowHosts, Secrets: e.BindSecrets}) {
				text += "; allows " + allowed
			}
			return text
		},
		kind: "fix", matters: Notable,
		entry: func(e workflow.FixAccepted, t *telling) string {
			t.Fix, t.Version = e.Proposal, e.Version.String()
			return withReason(fmt.Sprintf("%s accepted a fix, as version %s", t.who, e.Version), e.Reason)
		},
	}),
	of(words[workflow.FixDeclined]{
		line: func(e workflow.FixDeclined, _ *time.Location) string { return e.Reason },
		kind: "fix", matters: Notable,
		entry: func(e workflow.FixDeclined, t *telling) string {
			t.Fix = e.Proposal
			return withReason(t.who+" declined a fix", e.Reason)
		},
	}),
	of(words[workflow.FixCorrectionRequested]{
		line: func(e workflow.FixCorrectionRequested, _ *time.Location) string { return e.Note },
		kind: "fix", matters: Notable,
		entry: func(e workflow.FixCorrectionRequested, t *telling) string {
			t.Fix = e.Proposal
			return withReason(t.who+" asked for another fix", e.Note)
		},
		resolves: []NotificationType{NotifyFixWaiting},
	}),
	of(words[workflow.FixRechecked]{
		line: func(e workflow.FixRechecked, _ *time.Location) string {
			text := VerdictLine(e.Verification)
			if len(e.Reasons) > 0 {
				text += "; still held: " + strings.Join(e.Reasons, "; ")
			}
			return text
		},
		also: (*notifier).rechecked,
	}),
	of(words[workflow.FixConfirmed]{
		line: func(e workflow.FixConfirmed, _ *time.Location) string {
			return fmt.Sprintf("version %s by run %s", e.Version, e.Run)
		},
		label: "fixed",
		kind:  "fix", matters: Notable,
		entry: func(e workflow.FixConfirmed, t *telling) string {
			t.Run, t.Version = e.Run, e.Version.String()
			return fmt.Sprintf("The run that failed succeeded on version %s: the fix is confirmed.", e.Version)
		},
		notice: func(n *notifier, e workflow.FixConfirmed) Notification { return n.fixed(e.Version) },
	}),
	of(words[workflow.FixRegressed]{
		line: func(e workflow.FixRegressed, _ *time.Location) string {
			return fmt.Sprintf("version %s by run %s", e.Version, e.Run)
		},
		label: "the fix did not help",
		kind:  "fix", matters: Notable,
		entry: func(e workflow.FixRegressed, t *telling) string {
			t.Run, t.Version = e.Run, e.Version.String()
			return fmt.Sprintf("The run that failed failed again on version %s: the fix does not do.", e.Version)
		},
	}),
	of(words[workflow.MaintenanceExited]{
		line: func(e workflow.MaintenanceExited, _ *time.Location) string { return e.Why },
		resolvesThose: func(_ *notifier, e workflow.MaintenanceExited) func(*Notification) bool {
			return func(one *Notification) bool {
				return one.Type == NotifyFixWaiting || one.Type == NotifyQuestion && one.Task == e.Task
			}
		},
		notice: func(_ *notifier, e workflow.MaintenanceExited) Notification {
			if e.Why == workflow.ExitWorks {
				return worksAgain("")
			}
			return Notification{}
		},
	}),
	of(words[workflow.Escalated]{
		line: func(e workflow.Escalated, _ *time.Location) string {
			return fmt.Sprintf("%s: %s", e.Reason, e.Explanation)
		},
		label: "handed to you",
		kind:  "repair", matters: PersonFacing,
		entry: func(e workflow.Escalated, t *telling) string {
			t.Run, t.Version = e.Run, versionText(e.Active)
			return fmt.Sprintf("It was handed to its person, %s.", reasonText(e.Reason))
		},
		resolvesThose: func(_ *notifier, e workflow.Escalated) func(*Notification) bool {
			if e.Reason == workflow.EscalatedSameError { // the run that was told to be mended is not
				return ofType(NotifyFixed)
			}
			return nil
		},
		notice: (*notifier).escalated,
	}),
	of(words[workflow.PlannerTaskOpened]{
		line: func(e workflow.PlannerTaskOpened, _ *time.Location) string { return e.Ask },
		kind: "planner", matters: Notable,
		entry: func(e workflow.PlannerTaskOpened, t *telling) string {
			return fmt.Sprintf("%s asked the planner: %s", t.who, brieflySaid(e.Ask))
		},
		resolves: []NotificationType{NotifyDraft, NotifyPlannerStopped},
	}),
	of(words[workflow.PlannerTaskWaiting]{}),
	of(words[workflow.PlannerTold]{
		line: func(e workflow.PlannerTold, _ *time.Location) string { return e.Text },
		kind: "planner", matters: Notable,
		entry: func(e workflow.PlannerTold, t *telling) string {
			return fmt.Sprintf("%s told the planner: %s", t.who, brieflySaid(e.Text))
		},
	}),
	of(words[workflow.PlannerTaskClosed]{
		line: func(e workflow.PlannerTaskClosed, _ *time.Location) string { return e.Outcome },
		kind: "planner", matters: Notable,
		entry: func(e workflow.PlannerTaskClosed, t *telling) string {
			if e.Stopped {
				t.Significance = PersonFacing
				return withReason("The planner stopped before it was done", e.Outcome)
			}
			return withReason("The planner is done", e.Outcome)
		},
		resolvesThose: func(_ *notifier, e workflow.PlannerTaskClosed) func(*Notification) bool {
			return func(one *Notification) bool { return one.Type == NotifyQuestion && one.Task == e.Task }
		},
		notice: func(n *notifier, e workflow.PlannerTaskClosed) Notification {
			if !e.Stopped {
				return Notification{}
			}
			return Notification{
				Type: NotifyPlannerStopped, Title: "The planner stopped", Task: e.Task,
				Text: e.Outcome + "\nAsk again: kintsugi plan " + n.workflow + " \"what you want\"",
			}
		},
	}),
	of(words[workflow.QuestionAsked]{
		line:  func(e workflow.QuestionAsked, _ *time.Location) string { return e.Text },
		label: "asks you",
		kind:  "question", matters: PersonFacing,
		entry: func(e workflow.QuestionAsked, t *telling) string {
			return fmt.Sprintf("A question to its person, from %s: %s", t.who, brieflySaid(e.Text))
		},
		notice: func(_ *notifier, e workflow.QuestionAsked) Notification {
			asked := question(e.Text, e.Options)
			asked.Task, asked.Question, asked.About = e.Task, e.Question, aboutQuestion+e.Question
			return asked
		},
	}),
	of(words[workflow.QuestionAnswered]{
		line: func(e workflow.QuestionAnswered, _ *time.Location) string { return e.Answer },
		kind: "question", matters: Notable,
		entry: func(e workflow.QuestionAnswered, t *telling) string {
			return fmt.Sprintf("%s answered: %s", t.who, brieflySaid(e.Answer))
		},
		resolvesThose: func(_ *notifier, e workflow.QuestionAnswered) func(*Notification) bool {
			return about(aboutQuestion + e.Question)
		},
	}),
}

// VerdictLine is a verdict of the gate in one line.
func VerdictLine(v workflow.Verification) string {
	text := fmt.Sprintf("%s: %d of %d recorded successes identical, %d left out; failing run %s", v.Verdict, v.Identical, v.Replayed, v.Excluded, v.FailingRun)
	if v.Divergence != "" {
		text += "; " + v.Divergence
	}
	return text
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
