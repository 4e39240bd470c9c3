package plan

import (
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/session"
)

// The bounds of what is kept.
const (
	maxText     = 4 << 10
	maxTail     = 16 << 10
	maxFiles    = 200
	maxIgnored  = 50
	maxGuarded  = 200
	maxPathText = 4 << 10
)

// Decide gives the events of one append that a command causes in a state: none if there is nothing to do, or a
// refusal (see package fault). The status tables are checked after the decision too, so that no command gets around
// them. It is pure.
func Decide(s State, c Command, now time.Time) ([]event.Event, error) {
	events, err := s.decide(c, now)
	if err != nil {
		return nil, err
	}
	after := s
	for _, happened := range events {
		if after, err = Follow(after, happened); err != nil {
			return nil, fault.New(fault.Conflict, "%w", err)
		}
	}
	return events, nil
}

func (s State) decide(c Command, now time.Time) ([]event.Event, error) {
	if start, is := c.(Start); is {
		return s.start(start)
	}
	if s.Status == StatusNone {
		return nil, fault.New(fault.NotFound, "there is no such plan: see 'kintsugi repo plan list'")
	}
	switch c := c.(type) {
	case Cancel:
		if s.Status == StatusCancelled {
			return nil, nil
		}
		if s.Status == StatusCompleted {
			return nil, fault.New(fault.Conflict, "the plan is completed: all is merged onto %s", s.Definition.Integration)
		}
		return []event.Event{PlanCancelled{Reason: failure.Cut(c.Reason, maxText)}}, nil
	case Accept:
		return s.accept(c)
	case Relaunch:
		return s.relaunch(c)
	case Retry:
		return s.retry(c)
	case StartJob:
		return []event.Event{JobStarted(c)}, nil
	case StartStep:
		return []event.Event{StepStarted{Job: c.Job, Attempt: s.Jobs[c.Job].Attempt, Step: c.Step, Launch: c.Launch}}, nil
	case EndStep:
		return s.endStep(c, now)
	case EndHealing:
		return s.endHealing(c)
	case FailJob:
		job := s.Jobs[c.Job]
		if job.Status != c.Status {
			return nil, fault.New(fault.Conflict, "job %q is %s, not %s any more", c.Job, job.Status, c.Status)
		}
		return []event.Event{s.held(job, JobHeld{Kind: KindJobFailed, Reason: c.Reason})}, nil
	case CheckJob:
		return s.check(c, now)
	case StartMerge:
		return s.merge(c)
	case RefuseMerge:
		return []event.Event{s.held(s.Jobs[c.Job], JobHeld{Kind: KindMergeConflict, Reason: c.Reason})}, nil
	case CompleteMerge:
		return s.completed(JobMerged(c), c.Job, c.Commit), nil
	case Stop:
		return s.stop(c)
	case Drop:
		return s.drop(c)
	case Add:
		return s.add(c)
	case Take:
		return []event.Event{PlanTaken(c)}, nil
	}
	return nil, fault.New(fault.Internal, "plan: no decision for %T: add it to Decide", c)
}

// completed is an event with which a job is over, and the end of the plan if it was the last one.
func (s State) completed(happened event.Event, id, commit string) []event.Event {
	for _, job := range s.Definition.Jobs {
		if job.ID != id && !s.Jobs[job.ID].Status.over() {
			return []event.Event{happened}
		}
	}
	return []event.Event{happened, PlanCompleted{Commit: commit}}
}

func (s State) start(c Start) ([]event.Event, error) {
	if s.Status != StatusNone {
		return nil, fault.New(fault.Conflict, "plan %s was started already", s.ID)
	}
	if faults := c.Definition.Check(); len(faults) > 0 {
		return nil, fault.New(fault.Invalid, "%s: %s", faults[0].Path, faults[0].Text)
	}
	return []event.Event{PlanStarted(c)}, nil
}

// held is a checkpoint of a job.
func (s State) held(job JobState, e JobHeld) JobHeld {
	of, _ := s.Definition.Job(job.ID)
	e.Job, e.Checkpoint, e.Attempt = job.ID, s.Checkpoints+1, job.Attempt
	e.Allowed, e.MayCreate, e.Reason = of.Touch, of.MayCreate, failure.Cut(e.Reason, maxText)
	if e.Allowed == nil {
		e.Allowed = []string{}
	}
	if e.Count = max(e.Count, len(e.Violations)); len(e.Violations) > maxFiles {
		e.Violations = e.Violations[:maxFiles]
	}
	return e
}

func (s State) endStep(c EndStep, now time.Time) ([]event.Event, error) {
	job := s.Jobs[c.Job]
	if job.Launch == "" || job.Launch != c.Launch {
		return nil, fault.New(fault.Conflict, "launch %s of job %q is not under way any more: its end is ignored", c.Launch, c.Job)
	}
	c.Result.Tail, c.Result.Says = failure.Tail(c.Result.Tail, maxTail), failure.Cut(c.Result.Says, maxText)
	if !c.Result.OK {
		c.Result.Fingerprint = session.Fingerprint(session.Failure{
			Check: session.Check{Name: fmt.Sprint(job.Running.Phase, job.Running.Index)}, Says: c.Result.Says, Tail: c.Result.Tail,
		})
	}
	ended := StepEnded{Job: c.Job, Step: job.Running, Launch: c.Launch, Result: c.Result, After: c.After}
	for _, path := range c.Changed[:min(len(c.Changed), maxIgnored)] {
		ended.Changed = append(ended.Changed, failure.Cut(path, maxPathText))
	}
	for _, path := range c.Outside[:min(len(c.Outside), maxIgnored)] {
		ended.Outside = append(ended.Outside, failure.Cut(path, maxPathText))
	}
	if s.Status != StatusRunning || job.Status == JobDroppedOut {
		return []event.Event{ended}, nil
	}
	after := Evolve(s, ended)
	if job.Stopped != "" {
		return []event.Event{ended, after.stopped(after.Jobs[c.Job], nil)}, nil
	}
	if !c.Result.OK {
		return append([]event.Event{ended}, after.failed(after.Jobs[c.Job], now)), nil
	}
	return append([]event.Event{ended}, after.readied(after.Jobs[c.Job])...), nil
}

// stopped holds a job that a person had stopped.
func (s State) stopped(job JobState, healed *HealingEnded) JobHeld {
	return s.held(job, JobHeld{Kind: KindStopped, Reason: "it was stopped: " + job.Stopped, Commit: job.Commit, Healing: healed})
}

// denied is how programs say that they were kept from a file.
var denied = regexp.MustCompile(`(?i)permission denied|EACCES`)

// failed is what follows from a step that failed: the next attempt, the Healer, or a checkpoint.
func (s State) failed(job JobState, now time.Time) event.Event {
	if delayed, is := s.delay(job, now); is {
		return delayed
	}
	of, _ := s.Definition.Job(job.ID)
	kind, what := KindJobFailed, "the agent"
	switch step := job.Last.Step; step.Phase {
	case PhaseInit:
		what = fmt.Sprintf("init, %q,", s.Definition.Init)
	case PhaseVerify:
		kind, what = KindTestFailure, fmt.Sprintf("%q", s.Line(job, step))
	}
	if job.Status == JobMerging {
		kind, what = KindTestFailure, what+" after the merge"
	}
	reason := fmt.Sprintf("%s failed: %s", what, job.Last.Result.Says)
	if job.Last.Result.Walled && denied.MatchString(job.Last.Result.Tail) {
		reason += "; the wall may have kept it from a file that it needs: the plan can open it, under 'wall'"
	}
	held := s.held(job, JobHeld{Kind: kind, Reason: reason, Commit: job.Commit})
	if ending := job.Last.Result.Ending; ending != nil {
		if held.Reason = failure.Cut(ending.String(), maxText); ending.Kind.needsPerson() || ending.Kind.waits() {
			return held
		}
	}
	if job.Status == JobMerging || job.Last.Step.Phase == PhaseInit || job.Attempt >= max(of.Attempts, 1) || s.stuck(job) {
		if healing, is := s.heals(job, held); is {
			return healing
		}
		return held
	}
	return JobRelaunched{Job: job.ID, Attempt: job.Attempt + 1, Step: s.againAt(job, job.Status), Prompt: s.correction(job, held, "")}
}

// againAt is where a job goes on that is launched again: where it failed, or if it had done all, with the last of it.
func (s State) againAt(job JobState, stood JobStatus) int {
	if stood == JobRunning {
		return job.Step
	}
	job.Status = JobRunning
	return len(s.steps(job)) - 1
}

// readied is what follows when a job has nothing left to be verified.
func (s State) readied(job JobState) []event.Event {
	if _, more := s.NextStep(job); more || job.Status != JobVerifying {
		return nil
	}
	return []event.Event{JobReady{Job: job.ID, Commit: job.Commit}}
}

func (s State) check(c CheckJob, now time.Time) ([]event.Event, error) {
	job := s.Jobs[c.Job]
	of, there := s.Definition.Job(c.Job)
	if !there || job.Status != JobChecking {
		return nil, fault.New(fault.Conflict, "job %q is not to be checked now: it is %s", c.Job, job.Status)
	}
	found := of.Violations(c.Changes)
	found = append(found, guarded(job.Guarded, c.Guarded)...)
	for _, ref := range c.Moved {
		why := "a job commits to its own branch only"
		if ref.Was != "" {
			why += fmt.Sprintf("; put it back to %s: git update-ref %s %s", ref.Was, ref.Ref, ref.Was)
		}
		found = append(found, Violation{Path: ref.Ref, Change: "moved", Why: why})
	}
	if len(found) > 0 {
		return []event.Event{s.held(job, JobHeld{
			Kind: KindTouchset, Reason: outside(found), Violations: found, Commit: c.Commit, Since: c.Since, Guarded: c.Guarded,
		})}, nil
	}
	if len(c.Changes) == 0 && !of.MayChangeNothing && job.Accepted != c.Commit {
		if delayed, is := s.delay(job, now); is {
			return []event.Event{delayed}, nil
		}
		return []event.Event{s.held(job, JobHeld{Kind: KindNoChange, Reason: nothing(job.Last), Commit: c.Commit, Since: c.Since})}, nil
	}
	checked := JobChecked{Job: c.Job, Attempt: job.Attempt, Commit: c.Commit, Changed: len(c.Changes), Ignored: c.Ignored[:min(len(c.Ignored), maxIgnored)]}
	for _, change := range c.Changes[:min(len(c.Changes), maxFiles)] {
		checked.Files = append(checked.Files, failure.Cut(change.Path, maxPathText))
	}
	after := Evolve(s, checked)
	return append([]event.Event{checked}, after.readied(after.Jobs[c.Job])...), nil
}

func (s State) merge(c StartMerge) ([]event.Event, error) {
	job := s.Jobs[c.Job]
	if len(c.Conflicts) > 0 {
		held := JobHeld{Kind: KindMergeConflict, Commit: job.Commit, Since: c.Onto, Reason: fmt.Sprintf("its work cannot be merged onto %s without a decision", s.Definition.Integration)}
		for _, path := range c.Conflicts {
			held.Violations = append(held.Violations, Violation{Path: failure.Cut(path, maxPathText), Change: "conflict", Why: "both sides changed it"})
		}
		return []event.Event{s.held(job, held)}, nil
	}
	// The job's commit was checked before; the merge may bring other changes, so these are checked, too.
	of, _ := s.Definition.Job(c.Job)
	if found := of.Violations(c.Changes); len(found) > 0 {
		return []event.Event{s.held(job, JobHeld{Kind: KindTouchset, Reason: "merged, " + outside(found), Violations: found, Commit: job.Commit, Since: c.Onto})}, nil
	}
	return []event.Event{MergeStarted{Job: c.Job, Onto: c.Onto, Commit: c.Commit}}, nil
}

// maxLastWords is how much of the end of an output is in the reason of a checkpoint.
const maxLastWords = 300

// nothing says that an agent changed nothing, with its last words: they mostly say why.
func nothing(last StepEnded) string {
	if last.Step.Phase == PhaseAgent && last.Result.Ending != nil {
		return "it changed nothing: " + last.Result.Ending.String()
	}
	reason := "it changed nothing"
	if last.Step.Phase == PhaseAgent && last.Result.OK {
		reason = "it ended well and changed nothing"
	}
	if words := strings.Join(strings.Fields(last.Result.Tail), " "); words != "" {
		return reason + "; the end of its output: " + failure.Tail(words, maxLastWords)
	}
	return reason + ", and it wrote nothing"
}

func outside(found []Violation) string {
	if len(found) == 1 {
		return fmt.Sprintf("it changed %s, which it was not to", found[0].Path)
	}
	return fmt.Sprintf("it changed %s and %d more that it was not to", found[0].Path, len(found)-1)
}
