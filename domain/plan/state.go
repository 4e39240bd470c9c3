package plan

import (
	"cmp"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/internal/persistent"
	"github.com/kintsugi-run/kintsugi/domain/session"
)

// State is a plan, folded from its stream. The zero State is a plan that nobody has started.
type State struct {
	ID          string
	Definition  Definition
	Status      Status
	Place       string
	Head        string // where the integration branch has to be
	Jobs        map[string]JobState
	Checkpoints int
	Readied     int // how often a job became ready
}

// JobState is where a job is.
type JobState struct {
	ID       string
	Status   JobStatus
	Attempt  int
	Base     string
	Branch   string
	Worktree string
	Guarded  map[string]string

	Setup        string   // what init left, as a commit after what was there before
	SetupChanged []string // … the first of its files

	Step     int    // how many of the steps of its status have ended well
	Launches int    // so far
	Launch   string // that is under way
	Running  Step   // what it is
	Prompt   string // what the agent is told instead of its task, since it was relaunched
	Corrects int    // … at this step

	Commit   string // what was checked last
	Accepted string // the commit whose violations a person let pass
	Ready    int    // its place in the merge train
	Merge    string // the commit that is verified, or was merged
	Mends    string // the merge that was red, which the worktree gets before the agent is launched again
	Held     JobHeld
	From     JobStatus // where it was held
	Last     StepEnded // the newest step that ended
	Failed   string    // what the newest failure looks like
	Same     int       // … and how often it was seen, one after the other
	Healings int       // so far
	Healing  HealingStarted
	Healed   HealingEnded // what that came to; nothing while it is under way
	Until    time.Time    // before which the agent is not launched, as it said itself
	Delays   int          // how often that was so, one after the other
	Stopped  string       // why a person has what runs for it end; nothing else is done with it then
	// Answered says that a person answered for what was not healed, and that nothing has happened since.
	Answered bool
}

// NextStep is the step of a job that is to be run next; there is none if its status has no more.
func (s State) NextStep(job JobState) (Step, bool) {
	steps := s.steps(job)
	if job.Step >= len(steps) {
		return Step{}, false
	}
	return steps[job.Step], true
}

func (s State) steps(job JobState) []Step {
	of, _ := s.Definition.Job(job.ID)
	var steps []Step
	add := func(phase Phase, count int) {
		for i := range count {
			steps = append(steps, Step{Phase: phase, Index: i})
		}
	}
	setup := 0
	if s.Definition.Init != "" {
		setup = 1
	}
	switch job.Status {
	case JobRunning:
		add(PhaseInit, setup)
		add(PhaseAgent, max(1, len(of.Subtasks)))
	case JobVerifying:
		add(PhaseVerify, len(of.Verify))
	case JobMerging:
		if checks := len(s.Definition.Verify) + len(of.Verify); checks > 0 {
			add(PhaseInit, setup)
			add(PhaseVerify, checks)
		}
	}
	return steps
}

// Line is the command line of a step of a job; none for an agent's.
func (s State) Line(job JobState, step Step) string {
	of, _ := s.Definition.Job(job.ID)
	checks := of.Verify
	if job.Status == JobMerging {
		checks = append(append([]string{}, s.Definition.Verify...), of.Verify...)
	}
	switch {
	case step.Phase == PhaseInit:
		return s.Definition.Init
	case step.Phase == PhaseVerify && step.Index < len(checks):
		return checks[step.Index]
	}
	return ""
}

// missing is a job that has to be merged before, nothing if all are.
func (s State) missing(id string) string {
	job, _ := s.Definition.Job(id)
	for _, need := range job.Needs {
		if s.Jobs[need].Status != JobMergedIn {
			return need
		}
	}
	return ""
}

// first is the job whose turn it is to be merged; empty for none.
func (s State) first() (id string) {
	for _, job := range s.Definition.Jobs {
		of := s.Jobs[job.ID]
		if of.Status == JobMerging {
			return job.ID
		}
		if of.Status == JobReadied && (id == "" || of.Ready < s.Jobs[id].Ready) {
			id = job.ID
		}
	}
	return id
}

// neededBy is a job that cannot begin without another; empty for none.
func (s State) neededBy(id string) string {
	for _, job := range s.Definition.Jobs {
		if slices.Contains(job.Needs, id) && !s.Jobs[job.ID].Status.over() {
			return job.ID
		}
	}
	return ""
}

// with is what is still to be done, and one more job: nothing that is over stands in its way.
func (s State) with(more Job) Definition {
	definition := s.Definition
	definition.Jobs = nil
	for _, job := range append(slices.Clip(s.Definition.Jobs), more) {
		if job.ID != more.ID && s.Jobs[job.ID].Status.over() {
			continue
		}
		job.Needs = slices.DeleteFunc(slices.Clone(job.Needs), func(id string) bool { return s.Jobs[id].Status == JobMergedIn })
		definition.Jobs = append(definition.Jobs, job)
	}
	return definition
}

// Held are the jobs that wait for a person, in the order of the plan.
func (s State) Held() []JobState {
	var held []JobState
	for _, job := range s.Definition.Jobs {
		if of := s.Jobs[job.ID]; of.Status == JobHeldBack {
			held = append(held, of)
		}
	}
	return held
}

// Need is what is to be done for a job.
type Need string

// The needs.
const (
	NeedStart Need = "start" // a worktree, and what it begins with
	NeedStep  Need = "step"  // the next program launched
	NeedEnd   Need = "end"   // the end of the one that is under way
	NeedCheck Need = "check" // its changes looked at
	NeedMerge Need = "merge" // the merge made
	NeedLand  Need = "land"  // the integration branch moved to the merge
	NeedHeal  Need = "heal"  // the Healer called, and its end seen
	NeedKill  Need = "kill"  // the program that is under way, or its healing, ended
)

// Due is something that is to be done.
type Due struct {
	Need Need
	Job  JobState
}

// Due is all that is to be done now.
func (s State) Due() []Due {
	var due []Due
	turn := s.first()
	free := s.Definition.Parallel
	if free == 0 {
		free = DefaultParallel
	}
	for _, job := range s.Jobs {
		if job.Status == JobRunning || job.Status == JobChecking || job.Status == JobVerifying || job.Status == JobHealing {
			free--
		}
	}
	for _, job := range s.Definition.Jobs {
		of := s.Jobs[job.ID]
		_, more := s.NextStep(of)
		switch {
		case (s.Status == StatusCancelled || of.Status == JobDroppedOut || of.Stopped != "") && (of.Launch != "" || of.healing()):
			due = append(due, Due{NeedKill, of})
		case s.Status != StatusRunning:
		case of.Launch != "":
			due = append(due, Due{NeedEnd, of})
		case more:
			due = append(due, Due{NeedStep, of})
		case of.Status == JobPending && s.missing(job.ID) == "":
			if free--; free >= 0 {
				due = append(due, Due{NeedStart, of})
			}
		case of.Status == JobHealing:
			due = append(due, Due{NeedHeal, of})
		case of.Status == JobChecking:
			due = append(due, Due{NeedCheck, of})
		case of.Status == JobReadied && turn == job.ID:
			due = append(due, Due{NeedMerge, of})
		case of.Status == JobMerging:
			due = append(due, Due{NeedLand, of})
		}
	}
	return due
}

// Evolve is the state after an event. It never fails and never validates; the given state stays as it was.
func Evolve(s State, e event.Event) State {
	switch e := e.(type) {
	case PlanStarted:
		s = State{
			ID: e.ID, Definition: e.Definition, Status: StatusRunning, Place: e.Place, Head: e.IntegrationCommit,
			Jobs: map[string]JobState{},
		}
		for _, job := range e.Definition.Jobs {
			s.Jobs[job.ID] = JobState{ID: job.ID, Status: JobPending}
		}
		return s
	case PlanCompleted:
		s.Status = StatusCompleted
		return s
	case PlanCancelled:
		s.Status = StatusCancelled
		for id, job := range s.Jobs {
			if !job.Status.over() {
				job.Status = JobCancelled
				s.Jobs = persistent.With(s.Jobs, id, job)
			}
		}
		return s
	}
	if added, is := e.(JobAdded); is {
		s.Definition.Jobs = append(slices.Clip(s.Definition.Jobs), added.Definition)
		s.Jobs = persistent.With(s.Jobs, added.Job, JobState{ID: added.Job, Status: JobPending})
		return s
	}
	id, is := jobOf(e)
	if !is {
		return s
	}
	job := evolveJob(s.Jobs[id], e)
	switch e := e.(type) {
	case JobReady:
		s.Readied++
		job.Ready = s.Readied
	case JobHeld:
		s.Checkpoints = e.Checkpoint
	case JobMerged:
		s.Head = e.Commit
	}
	s.Jobs = persistent.With(s.Jobs, id, job)
	// A status is left when its last step has ended well; the outcome of the last verification is an event of its
	// own.
	if stepsOn(e) && job.Status == JobRunning {
		if _, more := s.NextStep(job); !more {
			job.Status, job.Step = JobChecking, 0
			s.Jobs[id] = job
		}
	}
	return s
}

// stepsOn says that an event may end the last step of a status.
func stepsOn(e event.Event) bool {
	switch e := e.(type) {
	case StepEnded:
		return e.Result.OK
	case HealingEnded:
		return e.Outcome == session.Resolved
	}
	return false
}

func evolveJob(job JobState, e event.Event) JobState {
	job.Answered = false
	switch e := e.(type) {
	case JobStarted:
		job.Status, job.Attempt, job.Step = JobRunning, 1, 0
		job.Base, job.Branch, job.Worktree, job.Guarded = e.Base, e.Branch, e.Worktree, e.Guarded
	case StepStarted:
		job.Launch, job.Running, job.Launches, job.Until = e.Launch, e.Step, job.Launches+1, time.Time{}
	case StepEnded:
		job.Launch, job.Last = "", e
		if e.Result.Ending == nil {
			job.Delays = 0
		}
		if e.Step.Phase == PhaseInit && job.Status == JobRunning {
			job.Setup, job.SetupChanged = e.After, e.Changed
		}
		switch same := e.Result.Fingerprint == job.Failed; {
		case e.Result.OK:
			job.Step++
		case same && job.Failed != "":
			job.Same++
		default:
			job.Failed, job.Same = e.Result.Fingerprint, 1
		}
	case JobDelayed:
		job.Status, job.Step, job.Until, job.Delays = JobRunning, e.Step, e.Until, job.Delays+1
	case JobChecked:
		job.Status, job.Step, job.Commit, job.Mends = JobVerifying, 0, e.Commit, ""
	case JobReady:
		job.Status, job.Step = JobReadied, 0
	case JobStopped:
		job.Stopped = cmp.Or(e.Reason, "no reason was given")
	case JobDropped:
		job.Status, job.Step = JobDroppedOut, 0
	case JobHeld:
		job.Stopped, job.Until = "", time.Time{}
		if job.Status == JobChecking {
			job.Mends = ""
		}
		if job.Status != JobHealing { // else it is from where that began
			job.From = job.Status
		}
		job.Status, job.Held = JobHeldBack, e
		if e.Commit != "" {
			job.Commit = e.Commit
		}
	case HealingStarted:
		job.From, job.Status, job.Healings, job.Healing, job.Healed = job.Status, JobHealing, e.Healing, e, HealingEnded{}
	case HealingEnded:
		if job.Healed = e; e.Outcome != session.Resolved || job.Status != JobHealing {
			break
		}
		switch job.Status = job.From; {
		case job.Status != JobRunning:
			job.Status, job.Step = JobChecking, 0
		case job.Last.Step.Phase == PhaseAgent: // an init is run again
			job.Step++
		}
	case JobAccepted:
		job.Status, job.Step, job.Accepted, job.Commit, job.Mends = JobVerifying, 0, e.Commit, e.Commit, ""
		if job.Held.Guarded != nil {
			job.Guarded = job.Held.Guarded
		}
	case JobRelaunched:
		job.answered(e.Checkpoint)
		job.Status, job.Step, job.Attempt, job.Prompt, job.Corrects = JobRunning, e.Step, e.Attempt, e.Prompt, e.Step
		if e.Merge != "" {
			job.Mends = e.Merge
		}
	case JobRetried:
		job.answered(e.Checkpoint)
		switch job.Status = JobChecking; {
		case job.From == JobPending:
			job.Status = JobPending
		case e.Init:
			job.Status = JobRunning
		}
		job.Step = 0
	case MergeStarted:
		job.Status, job.Step, job.Merge = JobMerging, 0, e.Commit
	case JobMerged:
		job.Status, job.Step, job.Merge = JobMergedIn, 0, e.Commit
	}
	return job
}

// answered takes what a person said of a checkpoint as a new beginning; 0 is nobody's answer.
func (j *JobState) answered(checkpoint int) {
	if checkpoint != 0 {
		j.Failed, j.Same, j.Delays, j.Answered = "", 0, 0, j.Held.Healing != nil
	}
}

// healing says that the Healer was called and has not ended.
func (j JobState) healing() bool { return j.Healing.Session != "" && j.Healed.Session == "" }

// stood is where a job is, or was before it was held.
func (j JobState) stood() JobStatus {
	if j.Status == JobHeldBack || j.Status == JobHealing {
		return j.From
	}
	return j.Status
}
