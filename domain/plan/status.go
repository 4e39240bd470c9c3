package plan

import (
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// Status is where a plan stands. One that does not exist has none.
type Status string

// The statuses of a plan.
const (
	StatusNone      Status = ""
	StatusRunning   Status = "running"
	StatusCompleted Status = "completed"
	StatusCancelled Status = "cancelled"
)

// JobStatus is where a job stands.
type JobStatus string

// The statuses of a job.
const (
	JobPending    JobStatus = "pending"        // waits for what it needs
	JobRunning    JobStatus = "running"        // its agent is at work, or about to be
	JobChecking   JobStatus = "checking"       // what it changed is to be looked at
	JobVerifying  JobStatus = "verifying"      // its verification runs
	JobReadied    JobStatus = "ready_to_merge" // it waits for its turn in the merge train
	JobMerging    JobStatus = "merging"        // its merge is verified
	JobHealing    JobStatus = "healing"        // it failed, and the Healer is at work
	JobMergedIn   JobStatus = "merged"
	JobHeldBack   JobStatus = "held" // a person has to answer
	JobCancelled  JobStatus = "cancelled"
	JobDroppedOut JobStatus = "dropped" // a person took it out of the plan
)

// jobTable is which events a job may have in which status. There are no others: a decision that led to one is
// refused, and a history that has one is impossible.
var jobTable = map[JobStatus][]string{
	JobPending:    {TypeJobStarted, TypeJobHeld, TypeJobDropped},
	JobRunning:    {TypeStepStarted, TypeStepEnded, TypeJobHeld, TypeJobRelaunched, TypeJobDelayed, TypeHealingStarted, TypeJobStopped, TypeJobDropped},
	JobChecking:   {TypeJobChecked, TypeJobHeld, TypeJobDelayed, TypeJobDropped},
	JobVerifying:  {TypeStepStarted, TypeStepEnded, TypeJobReady, TypeJobHeld, TypeJobRelaunched, TypeHealingStarted, TypeJobStopped, TypeJobDropped},
	JobReadied:    {TypeMergeStarted, TypeJobHeld, TypeJobDropped},
	JobMerging:    {TypeStepStarted, TypeStepEnded, TypeJobMerged, TypeJobHeld, TypeHealingStarted, TypeJobStopped},
	JobHealing:    {TypeHealingEnded, TypeJobHeld, TypeJobStopped, TypeJobDropped},
	JobHeldBack:   {TypeJobAccepted, TypeJobRelaunched, TypeJobRetried, TypeJobDropped},
	JobMergedIn:   {},
	JobCancelled:  {TypeStepEnded, TypeHealingEnded},
	JobDroppedOut: {TypeStepEnded, TypeHealingEnded},
}

// over says that nothing more is to be done for a job of a plan that runs.
func (s JobStatus) over() bool { return s == JobMergedIn || s == JobDroppedOut }

// planTable is which events a plan may have in which status; those of its jobs stand for all.
var planTable = map[Status][]string{
	StatusNone:      {TypePlanStarted},
	StatusRunning:   {jobEvent, TypePlanCompleted, TypePlanCancelled, TypePlanTaken, TypeJobAdded},
	StatusCompleted: {TypeStepEnded, TypeHealingEnded, TypePlanTaken}, // the ends are of jobs that were dropped
	StatusCancelled: {TypeStepEnded, TypeHealingEnded, TypePlanTaken},
}

const jobEvent = "of a job"

// Follow is [Evolve] for a history that is doubted: it returns an [*event.ImpossibleError] for an event that nobody can
// have come to in this state.
func Follow(s State, e event.Event) (State, error) {
	if why := s.refuses(e); why != "" {
		return s, event.Impossible(e, "%s", why)
	}
	return Evolve(s, e), nil
}

// refuses says why an event cannot happen now, nothing if it can.
func (s State) refuses(e event.Event) string {
	id, ofJob := jobOf(e)
	kind := e.EventType()
	allowed := planTable[s.Status]
	if !slices.Contains(allowed, kind) && (!ofJob || !slices.Contains(allowed, jobEvent)) {
		if s.Status == StatusNone {
			return "the plan was not started"
		}
		return fmt.Sprintf("the plan is %s", s.Status)
	}
	if !ofJob {
		return s.refusesOfPlan(e)
	}
	job, there := s.Jobs[id]
	if !there {
		return fmt.Sprintf("the plan has no job %q", id)
	}
	if !slices.Contains(jobTable[job.Status], kind) {
		return fmt.Sprintf("job %q is %s", id, job.Status)
	}
	return s.refusesOfJob(job, e)
}

func (s State) refusesOfPlan(e event.Event) string {
	switch e := e.(type) {
	case PlanStarted:
		if faults := e.Definition.Check(); e.ID == "" || len(faults) > 0 {
			return fmt.Sprintf("its definition has %d faults", len(faults))
		}
	case PlanCompleted:
		for id, job := range s.Jobs {
			if !job.Status.over() {
				return fmt.Sprintf("job %q is %s", id, job.Status)
			}
		}
	case JobAdded:
		if faults := s.with(e.Definition).Check(); e.Job != e.Definition.ID || len(faults) > 0 {
			return fmt.Sprintf("job %q has %d faults", e.Job, len(faults))
		}
	}
	return ""
}

func (s State) refusesOfJob(job JobState, e event.Event) string {
	switch e := e.(type) {
	case JobStarted:
		if missing := s.missing(job.ID); missing != "" {
			return fmt.Sprintf("job %q needs %q, which is not merged", job.ID, missing)
		}
	case StepStarted:
		next, there := s.NextStep(job)
		switch {
		case job.Launch != "":
			return fmt.Sprintf("launch %s of job %q has not ended", job.Launch, job.ID)
		case !there || next != e.Step || e.Attempt != job.Attempt || e.Launch == "":
			return fmt.Sprintf("step %s %d of attempt %d is not the next of job %q", e.Step.Phase, e.Step.Index, e.Attempt, job.ID)
		}
	case StepEnded:
		if job.Launch == "" || e.Launch != job.Launch || e.Step != job.Running {
			return fmt.Sprintf("launch %s of job %q is not under way", e.Launch, job.ID)
		}
	case JobDelayed:
		if job.Launch != "" || !job.Until.IsZero() || e.Attempt != job.Attempt || e.Until.IsZero() {
			return fmt.Sprintf("job %q waits already, or its agent is at work", job.ID)
		}
	case JobReady:
		if _, more := s.NextStep(job); more || job.Launch != "" || e.Commit != job.Commit {
			return fmt.Sprintf("job %q is not verified", job.ID)
		}
	case JobHeld:
		if job.Launch != "" || e.Checkpoint != s.Checkpoints+1 || e.Attempt != job.Attempt {
			return fmt.Sprintf("it is not checkpoint %d of attempt %d", s.Checkpoints+1, job.Attempt)
		}
	case HealingStarted:
		if job.Launch != "" || e.Healing != job.Healings+1 || e.Attempt != job.Attempt || s.Definition.Healer == nil {
			return fmt.Sprintf("it is not healing %d of attempt %d of job %q", job.Healings+1, job.Attempt, job.ID)
		}
	case HealingEnded:
		if e.Session != job.Healing.Session || job.Healed.Session != "" {
			return fmt.Sprintf("job %q is not healed in session %s", job.ID, e.Session)
		}
	case JobAccepted:
		if e.Checkpoint != job.Held.Checkpoint || !job.Held.Kind.acceptable() || e.Commit != job.Held.Commit {
			return fmt.Sprintf("job %q is not held at checkpoint %d for that", job.ID, e.Checkpoint)
		}
	case JobStopped:
		if job.Launch == "" && !job.healing() && job.Until.IsZero() || job.Stopped != "" {
			return fmt.Sprintf("nothing runs for job %q that is not being stopped", job.ID)
		}
	case JobDropped:
		if needed := s.neededBy(job.ID); needed != "" {
			return fmt.Sprintf("job %q needs job %q", needed, job.ID)
		}
	case JobRetried:
		if e.Checkpoint != job.Held.Checkpoint {
			return fmt.Sprintf("job %q is not held at checkpoint %d", job.ID, e.Checkpoint)
		}
	case JobRelaunched:
		if e.Attempt != job.Attempt+1 || job.Status == JobHeldBack && e.Checkpoint != job.Held.Checkpoint || job.Launch != "" {
			return fmt.Sprintf("attempt %d does not follow attempt %d of job %q", e.Attempt, job.Attempt, job.ID)
		}
	case MergeStarted:
		if s.first() != job.ID || e.Onto != s.Head {
			return fmt.Sprintf("it is not the turn of job %q on %s", job.ID, e.Onto)
		}
	case JobMerged:
		if _, more := s.NextStep(job); more || job.Launch != "" || e.Commit != job.Merge {
			return fmt.Sprintf("the merge of job %q is not verified", job.ID)
		}
	}
	return ""
}

// jobOf is the job that an event is about.
func jobOf(e event.Event) (id string, is bool) {
	switch e := e.(type) {
	case JobStarted:
		return e.Job, true
	case StepStarted:
		return e.Job, true
	case StepEnded:
		return e.Job, true
	case JobChecked:
		return e.Job, true
	case JobDelayed:
		return e.Job, true
	case JobReady:
		return e.Job, true
	case JobHeld:
		return e.Job, true
	case JobAccepted:
		return e.Job, true
	case JobRelaunched:
		return e.Job, true
	case JobRetried:
		return e.Job, true
	case JobStopped:
		return e.Job, true
	case JobDropped:
		return e.Job, true
	case HealingStarted:
		return e.Job, true
	case HealingEnded:
		return e.Job, true
	case MergeStarted:
		return e.Job, true
	case JobMerged:
		return e.Job, true
	}
	return "", false
}
