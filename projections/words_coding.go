package projections

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/domain/session"
)

// codingWords are the words of coding agents: their plans and sessions.
var codingWords = []row{
	of(words[plan.PlanStarted]{
		line: func(e plan.PlanStarted, _ *time.Location) string {
			return fmt.Sprintf("%q: %d jobs from %s onto %s", e.Definition.Title, len(e.Definition.Jobs), e.Definition.Base, e.Definition.Integration)
		},
	}),
	of(words[plan.PlanCompleted]{
		line:   func(_ plan.PlanCompleted, _ *time.Location) string { return "all jobs are merged or dropped" },
		notice: (*notifier).planDone,
	}),
	of(words[plan.PlanTaken]{
		line: func(e plan.PlanTaken, _ *time.Location) string {
			return fmt.Sprintf("the integration branch, %.12s, is merged into %s", e.Taken, e.Into)
		},
		resolvesThose: func(n *notifier, _ plan.PlanTaken) func(*Notification) bool { return about(aboutPlan(n.planID())) },
	}),
	of(words[plan.JobAdded]{
		line: func(e plan.JobAdded, _ *time.Location) string {
			return fmt.Sprintf("%s is one more job of the plan", e.Job)
		},
	}),
	of(words[plan.JobStopped]{
		line: func(e plan.JobStopped, _ *time.Location) string { return withReason(e.Job+" is stopped", e.Reason) },
	}),
	of(words[plan.JobDropped]{
		line: func(e plan.JobDropped, _ *time.Location) string { return withReason(e.Job+" is dropped", e.Reason) },
		resolvesThose: func(n *notifier, e plan.JobDropped) func(*Notification) bool {
			return about(aboutJob(n.planID(), e.Job))
		},
	}),
	of(words[plan.PlanCancelled]{
		line: func(e plan.PlanCancelled, _ *time.Location) string { return e.Reason },
		resolvesThose: func(n *notifier, _ plan.PlanCancelled) func(*Notification) bool {
			of := aboutJob(n.planID(), "")
			return func(one *Notification) bool { return strings.HasPrefix(one.About, of) }
		},
	}),
	of(words[plan.JobStarted]{
		line: func(e plan.JobStarted, _ *time.Location) string {
			return fmt.Sprintf("%s begins on %s", e.Job, e.Branch)
		},
	}),
	of(words[plan.StepStarted]{
		line: func(e plan.StepStarted, _ *time.Location) string {
			return fmt.Sprintf("%s: %s %d of attempt %d begins", e.Job, e.Step.Phase, e.Step.Index+1, e.Attempt)
		},
	}),
	of(words[plan.StepEnded]{
		line: func(e plan.StepEnded, _ *time.Location) string {
			line := fmt.Sprintf("%s: %s %d: %s", e.Job, e.Step.Phase, e.Step.Index+1, e.Result.Says)
			if len(e.Changed) > 0 {
				line += "; it left " + short(strings.Join(e.Changed, ", "), 120) + ", which is no change of the job's"
			}
			if len(e.Outside) > 0 {
				line += "; meanwhile your checkout changed: " + short(strings.Join(e.Outside, ", "), 120)
			}
			return line
		},
		notice: (*notifier).checkoutChanged,
	}),
	of(words[plan.JobDelayed]{
		line: func(e plan.JobDelayed, zone *time.Location) string {
			return fmt.Sprintf("%s waits until %s, then %s is launched again in the same attempt; it said: %s", e.Job, e.Until.In(zone).Format(time.DateTime), e.Ending.Agent, e.Ending.Says)
		},
	}),
	of(words[plan.JobChecked]{
		line: func(e plan.JobChecked, _ *time.Location) string {
			return fmt.Sprintf("%s stayed inside its touch set: %d files", e.Job, e.Changed)
		},
	}),
	of(words[plan.JobReady]{
		line: func(e plan.JobReady, _ *time.Location) string { return e.Job + " is verified and waits for its merge" },
	}),
	of(words[plan.JobHeld]{
		line: func(e plan.JobHeld, _ *time.Location) string {
			return fmt.Sprintf("%s is held at checkpoint %d, %s: %s", e.Job, e.Checkpoint, e.Kind, e.Reason)
		},
		resolvesThose: func(n *notifier, e plan.JobHeld) func(*Notification) bool { return about(aboutJob(n.planID(), e.Job)) },
		notice:        (*notifier).heldJob,
	}),
	of(words[plan.JobAccepted]{
		line: func(e plan.JobAccepted, _ *time.Location) string {
			if e.Count == 0 {
				return fmt.Sprintf("%s had nothing to change: %s", e.Job, e.Reason)
			}
			return fmt.Sprintf("%d violations of %s may pass: %s", e.Count, e.Job, e.Reason)
		},
		resolvesThose: func(n *notifier, e plan.JobAccepted) func(*Notification) bool {
			return about(aboutJob(n.planID(), e.Job))
		},
	}),
	of(words[plan.JobRelaunched]{
		line: func(e plan.JobRelaunched, _ *time.Location) string {
			return fmt.Sprintf("%s is launched again, attempt %d", e.Job, e.Attempt)
		},
		resolvesThose: func(n *notifier, e plan.JobRelaunched) func(*Notification) bool {
			return about(aboutJob(n.planID(), e.Job))
		},
	}),
	of(words[plan.JobRetried]{
		line: func(e plan.JobRetried, _ *time.Location) string { return e.Job + " was repaired, and is checked again" },
		resolvesThose: func(n *notifier, e plan.JobRetried) func(*Notification) bool {
			return about(aboutJob(n.planID(), e.Job))
		},
	}),
	of(words[plan.HealingStarted]{
		line: func(e plan.HealingStarted, _ *time.Location) string {
			return fmt.Sprintf("%s is healed in session %s: %s, %s", e.Job, e.Session, e.Trigger, e.Reason)
		},
	}),
	of(words[plan.HealingEnded]{
		line: func(e plan.HealingEnded, _ *time.Location) string {
			return fmt.Sprintf("%s: %s, %s", e.Job, e.Outcome, e.Reason)
		},
	}),
	of(words[plan.MergeStarted]{
		line: func(e plan.MergeStarted, _ *time.Location) string { return e.Job + " is merged, and verified" },
	}),
	of(words[plan.JobMerged]{
		line: func(e plan.JobMerged, _ *time.Location) string {
			return fmt.Sprintf("%s is on the integration branch", e.Job)
		},
	}),
	of(words[session.SessionOpened]{
		line: func(e session.SessionOpened, _ *time.Location) string { return "in " + e.Worktree },
	}),
	of(words[session.HealerInvoked]{
		line: func(e session.HealerInvoked, _ *time.Location) string {
			return short(fmt.Sprintf("%d. %s %s: %s, %s", e.Healing, e.Failure.Trigger, e.Failure.Subtask, e.Failure.Check.Name, e.Failure.Says), 120)
		},
	}),
	of(words[session.SpellStarted]{
		line: func(e session.SpellStarted, _ *time.Location) string {
			return fmt.Sprintf("%s, chosen by %s %s", e.Spell, e.By, short(e.Note, 80))
		},
	}),
	of(words[session.SpellApplied]{
		line: func(e session.SpellApplied, _ *time.Location) string {
			if !e.Applied {
				return fmt.Sprintf("%s not applied: %s", e.Spell, short(e.Detail, 100))
			}
			return fmt.Sprintf("%s: %s", e.Spell, short(e.Detail, 100))
		},
	}),
	of(words[session.HealerAdvised]{
		line: func(e session.HealerAdvised, _ *time.Location) string { return short(e.Says, 120) },
	}),
	of(words[session.CheckRan]{
		line: func(e session.CheckRan, _ *time.Location) string {
			if e.Passed {
				return cmp.Or(e.Check.Name, "the check") + " passes"
			}
			return short(cmp.Or(e.Check.Name, "the check")+" fails: "+e.Says, 120)
		},
	}),
	of(words[session.HealerConcluded]{
		line: func(e session.HealerConcluded, _ *time.Location) string {
			return short(fmt.Sprintf("%d. %s: %s", e.Healing, e.Outcome, e.Reason), 160)
		},
		resolvesThose: func(n *notifier, e session.HealerConcluded) func(*Notification) bool {
			if callerKnows(e) {
				return nil
			}
			return about(aboutHealing(n.sessionID(), e.Subtask))
		},
		notice: (*notifier).healed,
	}),
	of(words[session.SpellUndone]{
		line: func(e session.SpellUndone, _ *time.Location) string {
			return short(fmt.Sprintf("%s of healing %d: %s", e.Spell, e.Healing, e.Detail), 120)
		},
	}),
	of(words[session.TaskUnblocked]{
		line: func(e session.TaskUnblocked, _ *time.Location) string { return e.Subtask + " " + e.Reason },
		resolvesThose: func(n *notifier, e session.TaskUnblocked) func(*Notification) bool {
			return about(aboutHealing(n.sessionID(), e.Subtask))
		},
	}),
}

// mostTold is how many of the files that trouble a job a notification names.
const mostTold = 10

// heldJob tells that a job of a plan stands still until a person answers, and with what.
func (n *notifier) heldJob(e plan.JobHeld) Notification {
	id := n.planID()
	var text strings.Builder
	fmt.Fprintf(&text, "%s (attempt %d)", e.Reason, e.Attempt)
	for i, one := range e.Violations {
		if i == mostTold {
			fmt.Fprintf(&text, "\n  and %d more", max(e.Count, len(e.Violations))-i)
			break
		}
		fmt.Fprintf(&text, "\n  %s (%s): %s", one.Path, one.Change, one.Why)
	}
	if e.Healing != nil {
		fmt.Fprintf(&text, "\nThe Healer: %s, %s\nLook: kintsugi healer show %s", e.Healing.Outcome, e.Healing.Reason, e.Healing.Session)
	}
	if allowed := append(append([]string{}, e.Allowed...), e.MayCreate...); e.Kind == plan.KindTouchset && len(allowed) > 0 {
		fmt.Fprintf(&text, "\nIt may touch %s", strings.Join(allowed, ", "))
	}
	var actions []string
	for _, answer := range e.Answers() {
		actions = append(actions, string(answer))
		fmt.Fprintf(&text, "\nTo %s: kintsugi %s", e.Does(answer), answer.Command(id, e.Job, e.Checkpoint))
	}
	return Notification{
		Type: NotifyHeldJob, Title: "A coding agent's job is held: " + e.Job, Text: text.String(), Actions: actions,
		Plan: id, Job: e.Job, Checkpoint: e.Checkpoint, About: aboutJob(id, e.Job),
	}
}

// planDone tells that a plan has ended, and how its work is taken.
func (n *notifier) planDone(e plan.PlanCompleted) Notification {
	id := n.planID()
	of := repoPlans.Get(n.tx, id)
	if of == nil || e.Commit == of.BaseCommit { // nothing was merged
		return Notification{}
	}
	return Notification{
		Type: NotifyPlanDone, Title: "A plan is done: " + of.Title, Plan: id, Actions: []string{}, About: aboutPlan(id),
		Text: fmt.Sprintf("All of its jobs are merged onto %s or dropped.\nTo take it into %s: kintsugi repo plan take %s\nThen remove its worktrees: kintsugi repo plan clean %s", of.Integration, of.Base, id, id),
	}
}

// checkoutChanged tells that files of the person's own checkout changed while an agent was at work that no wall kept from them.
func (n *notifier) checkoutChanged(e plan.StepEnded) Notification {
	if len(e.Outside) == 0 {
		return Notification{}
	}
	id := n.planID()
	of := repoPlans.Get(n.tx, id)
	if of == nil {
		return Notification{}
	}
	return Notification{
		Type: NotifyCheckoutChanged, Title: "Your checkout changed while a coding agent was at work: " + e.Job, Plan: id, Job: e.Job, Actions: []string{}, About: aboutPlan(id) + " checkout",
		Text: fmt.Sprintf("The agent of job %s was to work in its worktree. In %s these files are different since it began:\n  %s\nIf it was not you: git -C %s diff, then git restore.", e.Job, of.Repository, strings.Join(e.Outside, "\n  "), of.Repository),
	}
}

func aboutPlan(id string) string { return "plan " + id }

func (n *notifier) planID() string { return strings.TrimPrefix(n.recorded.Stream, plan.StreamPrefix) }

func aboutJob(id, job string) string { return "job " + id + " " + job }

// callerKnows says that people are told otherwise: of a job of a plan when it is held, and of a healing that was skipped by the caller.
func callerKnows(e session.HealerConcluded) bool { return e.Plan != "" || e.Outcome == session.Skipped }

// healed tells that the Healer could not resolve a failure: contained or not, a person has to look. The newest of a subtask
// stands for those before it.
func (n *notifier) healed(e session.HealerConcluded) Notification {
	if callerKnows(e) || e.Outcome == session.Resolved {
		return Notification{}
	}
	id := n.sessionID()
	what := id
	if e.Subtask != "" {
		what += ", " + e.Subtask
	}
	told := Notification{
		Type: NotifyHealing, Title: "A coding agent's session is blocked: " + what, Text: e.Reason, Actions: []string{ActionUnblock},
		Job: e.Subtask, Session: id, Healing: e.Healing, About: aboutHealing(id, e.Subtask),
	}
	if e.Outcome == session.Unresolved {
		told.Title = "A coding agent's session could not be healed: " + what
	}
	if healing := healings.Get(n.tx, id, e.Healing); healing != nil {
		if healing.Missing {
			told.Text += "\nNo model helped: " + healing.Advice
		}
		if healing.Followup != "" {
			told.Text += "\n" + healing.Followup
		}
	}
	told.Text += "\nLook: kintsugi healer show " + id
	return told
}

func aboutHealing(id, subtask string) string { return "healing " + id + " " + subtask }

func (n *notifier) sessionID() string {
	return strings.TrimPrefix(n.recorded.Stream, session.StreamPrefix)
}
