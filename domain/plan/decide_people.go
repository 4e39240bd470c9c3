package plan

import (
	"errors"
	"strings"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// ErrStale is what the refusal wraps of an answer to a checkpoint that is not the job's any more.
var ErrStale = errors.New("the checkpoint has moved on")

// named is a job of a plan that is running.
func (s State) named(id string) (JobState, error) {
	job, there := s.Jobs[id]
	switch {
	case !there:
		return job, fault.New(fault.NotFound, "plan %s has no job %q", s.ID, id)
	case s.Status != StatusRunning:
		return job, fault.New(fault.Conflict, "plan %s is %s", s.ID, s.Status)
	}
	return job, nil
}

func (s State) stop(c Stop) ([]event.Event, error) {
	job, err := s.named(c.Job)
	switch {
	case err != nil:
		return nil, err
	case job.Stopped != "":
		return nil, nil
	case !job.Until.IsZero():
		stopped := JobStopped{Job: c.Job, Reason: failure.Cut(c.Reason, maxText)}
		after := Evolve(s, stopped)
		return []event.Event{stopped, after.stopped(after.Jobs[c.Job], nil)}, nil
	case job.Launch == "" && !job.healing():
		return nil, fault.New(fault.Conflict, "nothing runs for job %q, it is %s: to have it not be done, drop it", c.Job, job.Status)
	}
	return []event.Event{JobStopped{Job: c.Job, Reason: failure.Cut(c.Reason, maxText)}}, nil
}

func (s State) drop(c Drop) ([]event.Event, error) {
	job, err := s.named(c.Job)
	switch {
	case err != nil:
		return nil, err
	case job.Status == JobDroppedOut:
		return nil, nil
	case job.Status == JobMergedIn:
		return nil, fault.New(fault.Conflict, "job %q is merged: take its merge %s back with git revert -m 1, on a branch of yours", c.Job, job.Merge)
	case job.Status == JobMerging:
		return nil, fault.New(fault.Conflict, "job %q is just being merged: stop it first, or wait for its end", c.Job)
	}
	if needed := s.neededBy(c.Job); needed != "" {
		return nil, fault.New(fault.Conflict, "job %q needs job %q: drop it first", needed, c.Job)
	}
	return s.completed(JobDropped{Job: c.Job, Reason: failure.Cut(c.Reason, maxText)}, c.Job, s.Head), nil
}

func (s State) add(c Add) ([]event.Event, error) {
	if s.Status != StatusRunning {
		return nil, fault.New(fault.Conflict, "plan %s is %s, and takes no more jobs: start another plan onto branch %s", s.ID, s.Status, s.Definition.Integration)
	}
	if _, there := s.Jobs[c.Job.ID]; there {
		return nil, fault.New(fault.Conflict, "plan %s has a job %q already", s.ID, c.Job.ID)
	}
	for _, need := range c.Job.Needs {
		if s.Jobs[need].Status == JobDroppedOut {
			return nil, fault.New(fault.Invalid, "job %q needs job %q, which was dropped", c.Job.ID, need)
		}
	}
	if faults := s.with(c.Job).Check(); len(faults) > 0 {
		return nil, fault.New(fault.Invalid, "job %q: %s", c.Job.ID, faults[0].Text)
	}
	return []event.Event{JobAdded{Job: c.Job.ID, Definition: c.Job}}, nil
}

// answered is the job that a person answers for.
func (s State) answered(id string, checkpoint int) (JobState, error) {
	job, there := s.Jobs[id]
	switch {
	case !there:
		return job, fault.New(fault.NotFound, "plan %s has no job %q", s.ID, id)
	case s.Status != StatusRunning:
		return job, fault.New(fault.Conflict, "plan %s is %s: no job of it waits for an answer", s.ID, s.Status)
	case checkpoint != 0 && checkpoint <= s.Checkpoints && (job.Status != JobHeldBack || job.Held.Checkpoint != checkpoint):
		return job, fault.New(fault.Conflict, "job %q is not held at checkpoint %d any more, it is %s: look at it again: %w", id, checkpoint, job.Status, ErrStale)
	case job.Status != JobHeldBack:
		return job, fault.New(fault.Conflict, "job %q did not trip a checkpoint, it is %s: only a job that is held can be answered", id, job.Status)
	case checkpoint != 0 && checkpoint != job.Held.Checkpoint:
		return job, fault.New(fault.NotFound, "plan %s has no checkpoint %d: job %q is held at %d", s.ID, checkpoint, id, job.Held.Checkpoint)
	}
	return job, nil
}

func (s State) accept(c Accept) ([]event.Event, error) {
	job, err := s.answered(c.Job, c.Checkpoint)
	if err != nil {
		return nil, err
	}
	if !job.Held.Kind.acceptable() {
		return nil, fault.New(fault.Conflict,
			"job %q is held for %s, and there is nothing to accept: only changes outside of a touch set, or no change at all, can be let pass. Relaunch it, or repair its branch and retry it", c.Job, job.Held.Kind)
	}
	if strings.TrimSpace(c.Reason) == "" {
		return nil, fault.New(fault.Invalid, "say why it may pass: the reason is recorded")
	}
	accepted := JobAccepted{Job: c.Job, Checkpoint: job.Held.Checkpoint, Commit: job.Held.Commit, Count: job.Held.Count, Reason: failure.Cut(c.Reason, maxText)}
	after := Evolve(s, accepted)
	return append([]event.Event{accepted}, after.readied(after.Jobs[c.Job])...), nil
}

func (s State) relaunch(c Relaunch) ([]event.Event, error) {
	job, err := s.answered(c.Job, c.Checkpoint)
	if err != nil {
		return nil, err
	}
	if job.From == JobPending {
		return nil, fault.New(fault.Conflict, "job %q was never launched: remove what is in the way, then retry it", c.Job)
	}
	note := failure.Cut(c.Note, maxText)
	relaunched := JobRelaunched{
		Job: c.Job, Checkpoint: job.Held.Checkpoint, Attempt: job.Attempt + 1, Note: note,
		Step: s.againAt(job, job.From), Prompt: s.correction(job, job.Held, note),
	}
	if job.mergeWasRed() {
		relaunched.Merge = job.Merge
	}
	return []event.Event{relaunched}, nil
}

// mergeWasRed says that a job is held because the verification of its merge failed.
func (j JobState) mergeWasRed() bool { return j.From == JobMerging && j.Held.Kind == KindTestFailure }

func (s State) retry(c Retry) ([]event.Event, error) {
	job, err := s.answered(c.Job, c.Checkpoint)
	if err != nil {
		return nil, err
	}
	return []event.Event{JobRetried{
		Job: c.Job, Checkpoint: job.Held.Checkpoint, Note: failure.Cut(c.Note, maxText),
		// Checked as it is, a job that has not begun would be merged with nothing done.
		Init: job.From == JobRunning && job.Last.Step.Phase == PhaseInit && !job.Last.Result.OK,
	}}, nil
}
