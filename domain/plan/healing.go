package plan

import (
	"fmt"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
)

// maxKept is how many references of a healing are named.
const maxKept = 20

// SessionOf is the session in which jobs of a plan are healed: one for each, as each has a worktree.
func (s State) SessionOf(job string) string { return s.ID + "-" + job }

// heals returns the call of the Healer for a job that failed. There is one only if the plan has a policy for the
// Healer and the job has a check that can show its success. A failure while a merge is prepared is not the job's, so
// the Healer is not called for it.
func (s State) heals(job JobState, held JobHeld) (HealingStarted, bool) {
	policy := s.Definition.Healer
	if policy == nil || !policy.Enabled || job.Status == JobMerging && job.Last.Step.Phase != PhaseVerify || s.failedCheck(job).Command == "" {
		return HealingStarted{}, false
	}
	return HealingStarted{
		Job: job.ID, Attempt: job.Attempt, Healing: job.Healings + 1, Session: s.SessionOf(job.ID), Trigger: s.trigger(job), Subtask: s.subtask(job),
		Kind: held.Kind, Reason: held.Reason, Commit: held.Commit,
	}, true
}

// trigger is why the Healer is called for a job.
func (s State) trigger(job JobState) session.Trigger {
	of, _ := s.Definition.Job(job.ID)
	step, why := job.Last.Step, job.Last.Result.Reason
	switch {
	case step.Phase == PhaseInit:
		return session.InitFailed
	case s.stuck(job), step.Phase == PhaseAgent && why == ReasonTimeout:
		return session.Stuck
	case step.Phase == PhaseVerify:
		return session.VerificationFailed
	case why == ReasonLost || why == ReasonUnable || why == ReasonSignaled:
		return session.RuntimeError
	case len(of.Subtasks) > 0:
		return session.SubtaskFailed
	}
	return session.JobFailed
}

// stuck says that a job fails exactly as before, again and again: another attempt would do so, too.
func (s State) stuck(job JobState) bool {
	policy := s.Definition.Healer
	return policy != nil && policy.Enabled && policy.StuckAfter > 0 && job.Same >= policy.StuckAfter
}

// subtask is what of a job failed, as its session names it.
func (s State) subtask(job JobState) string {
	of, _ := s.Definition.Job(job.ID)
	if step := job.Last.Step; step.Phase == PhaseAgent && step.Index < len(of.Subtasks) {
		return fmt.Sprintf("%s/%d", job.ID, step.Index+1)
	}
	return job.ID
}

// Failure is a failure as the Healer is told of it.
type Failure struct {
	HealingStarted
	Policy session.Policy
	Task   string
	Check  session.Check
	// Agent says that it was the agent that failed, and not the check.
	Agent  bool
	Result Outcome
}

// Failure is what a job is healed of.
func (s State) Failure(job JobState) Failure {
	of, _ := s.Definition.Job(job.ID)
	step := job.Last.Step
	return Failure{
		HealingStarted: job.Healing, Policy: s.policy(of), Task: of.limits() + "\n" + what(of, step), Check: s.failedCheck(job),
		Agent: step.Phase == PhaseAgent, Result: job.Last.Result,
	}
}

// failedCheck is what has to pass before a failure is healed: the line that failed; for an agent, what its work is verified with.
// There may be none.
func (s State) failedCheck(job JobState) session.Check {
	job.Status = job.stood()
	if job.Last.Step.Phase != PhaseAgent {
		return checkOf(s.Line(job, job.Last.Step))
	}
	of, _ := s.Definition.Job(job.ID)
	if len(of.Verify) > 0 {
		return checkOf(of.Verify...)
	}
	return checkOf(s.Definition.Verify...)
}

// what a job was to do at a step.
func what(of Job, step Step) string {
	if step.Phase == PhaseAgent && step.Index < len(of.Subtasks) {
		return of.Task + "\n" + of.Subtasks[step.Index]
	}
	return of.Task
}

// checkOf is a check that passes if all lines do; none if there are none.
func checkOf(lines ...string) session.Check {
	switch len(lines) {
	case 0:
		return session.Check{}
	case 1:
		return session.Check{Name: lines[0], Command: lines[0]}
	}
	check := session.Check{Name: "the verification of the job", Command: "set -e"}
	for _, line := range lines {
		check.Command += "\n(" + line + "\n)"
	}
	return check
}

// policy is that of the plan, for one job: its agent tries again unless the policy names another, and the progress file
// is written only where the job may write it.
func (s State) policy(of Job) session.Policy {
	policy := *s.Definition.Healer
	if len(policy.Agent.Command) == 0 {
		policy.Agent.Command = of.Agent
	}
	if !newTouchSet(of.Touch).has(policy.Progress) {
		policy.Forbidden = append(append([]session.Spell{}, policy.Forbidden...), session.UpdateProgress)
	}
	return policy
}

// endHealing has a job that was healed go on, and holds every other one.
func (s State) endHealing(c EndHealing) ([]event.Event, error) {
	job := s.Jobs[c.Job]
	if job.Healing.Session == "" || job.Healing.Session != c.Session || job.Healed.Session != "" {
		return nil, fault.New(fault.Conflict, "job %q is not being healed in session %s: its end is ignored", c.Job, c.Session)
	}
	c.Reason = failure.Cut(c.Reason, maxText)
	c.Kept = c.Kept[:min(len(c.Kept), maxKept)]
	ended := HealingEnded(c)
	switch {
	case s.Status != StatusRunning || job.Status == JobDroppedOut:
		return []event.Event{ended}, nil
	case job.Stopped != "":
		return []event.Event{ended, s.stopped(job, &ended)}, nil
	case c.Outcome == session.Resolved:
		return []event.Event{ended}, nil
	}
	of := job.Healing
	return []event.Event{ended, s.held(job, JobHeld{Kind: of.Kind, Reason: of.Reason, Commit: of.Commit, Healing: &ended})}, nil
}
