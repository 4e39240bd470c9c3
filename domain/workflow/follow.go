package workflow

import (
	"errors"
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/event"
)

// Follow is [Evolve] for a history that is doubted: it returns an [*event.ImpossibleError] for an
// event that no decision can have led to in this state. It knows what is true under every
// policy (what is applied was proposed, no version is used twice, what is settled was
// admitted) and leaves out what a policy decides, which changes from program to program: budgets,
// limits, waiting times, and which status lets which run start.
func Follow(s State, e event.Event) (State, error) {
	if err := s.follows(e); err != nil {
		return s, event.Impossible(e, "%v", err)
	}
	return Evolve(s, e), nil
}

// follows says why an event cannot have happened, without naming it.
func (s State) follows(e event.Event) error {
	if created, is := e.(WorkflowCreated); is {
		return unless(!s.Exists() && created.ID != "", "the workflow %s exists already", s.ID)
	}
	if !s.Exists() {
		return errors.New("the workflow was never created")
	}
	if handled, err := s.deletedFollows(e); handled {
		return err
	}
	if s.Deleted != nil {
		return errors.New("the workflow was deleted for good")
	}
	if s.archived && !happensInArchive(e) {
		return errors.New("the workflow is archived")
	}
	switch e := e.(type) {
	case IntentChanged, ScheduleChanged, SettingsChanged, SlotSkipped, NotificationAcknowledged:
		return nil
	case WorkClaimed:
		return unless(e.Work != "" && e.By != "", "it does not say what is done, or by whom")
	case WorkflowActivated:
		return unless(!s.Active.IsZero(), "there is no script")
	case WorkflowPaused:
		return unless(!s.paused, "it is paused already")
	case WorkflowArchived:
		return nil
	case WorkflowRestored:
		return unless(s.archived, "it is not archived")
	case ScriptSaved:
		return s.savedFollows(e)
	case PackagesKept:
		return unless(!slices.Contains(s.Packages, e.SHA256) && len(e.Packed) > 0, "these packages are kept already, or there is no text of them")
	case RunAdmitted:
		return s.admittedFollows(e)
	case RunCommitted:
		info, admitted := s.Admitted[e.Run]
		if !admitted || !info.Beside {
			return fmt.Errorf("run %s is not active, or does not hold its writes back", e.Run)
		}
		return unless(e.Through > info.Committed, "run %s has committed its calls up to %d already", e.Run, info.Committed)
	case RunSucceeded:
		return s.settledFollows(e.Run, e.Version)
	case RunFailed:
		return s.settledFollows(e.Run, e.Version)
	case RunCancelled:
		return s.cancelledFollows(e)
	}
	if handled, err := s.inputFollows(e); handled {
		return err
	}
	if handled, err := s.unfinishedFollows(e); handled {
		return err
	}
	if handled, err := s.failureFollows(e); handled {
		return err
	}
	if handled, err := s.fixFollows(e); handled {
		return err
	}
	if handled, err := s.outageFollows(e); handled {
		return err
	}
	if handled, err := s.guardFollows(e); handled {
		return err
	}
	if handled, err := s.plannerFollows(e); handled {
		return err
	}
	if handled, err := s.draftFollows(e); handled {
		return err
	}
	return errors.New("it does not belong in the stream of a workflow")
}

// happensInArchive says that an event may end what was under way when the workflow was archived.
func happensInArchive(e event.Event) bool {
	switch e.(type) {
	case WorkflowRestored, IntentChanged, RunCommitted, RunSucceeded, RunFailed, RunCancelled, RunExempted, DriftSuspected, RunTrusted, MarkedRunsReviewed, RunUnfinished, RunLeft, SlotSkipped, InputSkipped, NotificationAcknowledged,
		LogicErrorClassified, NetworkErrorClassified, AuthErrorClassified, PermissionErrorClassified, LimitErrorClassified, InternalErrorClassified,
		FixConfirmed, FixRegressed, Recovered, RetriesExhausted, OutageEnded,
		FixProposed, FixVerified, FixRejectedStale, MaintenanceExited, WorkClaimed,
		PlannerTaskWaiting, PlannerTaskClosed, QuestionAsked, QuestionAnswered:
		return true
	}
	return false
}

// savedFollows holds rules 1 and 2: majors rise by one, minors of a major by one, and no
// number comes twice. A fix's version was announced by the event that applied it.
func (s State) savedFollows(e ScriptSaved) error {
	if e.SHA256 != digest(e.Code) {
		return fmt.Errorf("the code of version %s is not that of its SHA-256", e.Version)
	}
	if named, _ := packagesOf(e.Code); named != "" && !slices.Contains(s.Packages, named) {
		return fmt.Errorf("the packages of version %s were never kept", e.Version)
	}
	switch e.Origin {
	case OriginPlanner, OriginPerson, OriginAgent, OriginProgram:
		return s.numbered(e.Version, s.nextMajor())
	case OriginRollback:
		if e.Restored == nil {
			return fmt.Errorf("version %s is a rollback and does not say to which version", e.Version)
		}
		restored, there := s.Script(*e.Restored)
		if !there {
			return fmt.Errorf("version %s restores version %s, which was never saved", e.Version, e.Restored)
		}
		if restored.Code != e.Code {
			return fmt.Errorf("version %s restores version %s and has other code", e.Version, e.Restored)
		}
		return s.numbered(e.Version, s.nextMajor())
	case OriginMaintainer:
		if err := s.numbered(e.Version, s.nextMinor(e.Version.Major)); err != nil {
			return err
		}
		if n := len(s.Fixes); n == 0 || s.Fixes[n-1].Version != e.Version || s.Fixes[n-1].Proposal != e.Proposal {
			return fmt.Errorf("no fix was applied that became version %s", e.Version)
		}
		return nil
	}
	return fmt.Errorf("version %s is from %q, who saves no scripts", e.Version, e.Origin)
}

// numbered says what is wrong with the number of a new version.
func (s State) numbered(v, want Version) error {
	if v == want {
		return nil
	}
	if _, used := s.Script(v); used {
		return fmt.Errorf("version %s is used twice", v)
	}
	newest := Version{}
	for _, script := range s.Versions {
		if script.Version.Compare(newest) > 0 {
			newest = script.Version
		}
	}
	if v.Compare(newest) < 0 {
		return fmt.Errorf("version %s goes back: %s is there already, and the next is %s", v, newest, want)
	}
	return fmt.Errorf("version %s is not the next one, which is %s", v, want)
}

func (s State) admittedFollows(e RunAdmitted) error {
	if _, admitted := s.Admitted[e.Run]; admitted {
		return fmt.Errorf("run %s is admitted already", e.Run)
	}
	if _, settled := s.runs.Get(e.Run); settled {
		return fmt.Errorf("run %s has ended already", e.Run)
	}
	if _, saved := s.Script(e.Version); !saved {
		return fmt.Errorf("run %s is of version %s, which was never saved", e.Run, e.Version)
	}
	if e.Trigger != TriggerImport && e.Version != s.Active {
		return fmt.Errorf("run %s is of version %s, and %s is active", e.Run, e.Version, s.Active)
	}
	if err := s.outcomeFollows(e.Run, e.Source); err != nil {
		return err
	}
	switch e.Trigger {
	case TriggerRetry:
		_, queued := s.queued(e.Continues)
		return unless(queued || s.waitsForRetry(e.Continues), "run %s does not wait to be tried again", e.Continues)
	case TriggerContinuation:
		return unless(s.Continuation != nil && s.Continuation.Run == e.Continues, "run %s does not wait to go on with a fixed version", e.Continues)
	}
	if e.Restarts != "" {
		if err := s.isUnfinished(e.Restarts); err != nil {
			return err
		}
	}
	return unless(e.Continues == "", "a %s run continues none", e.Trigger)
}

func (s State) settledFollows(run string, v Version) error {
	info, admitted := s.Admitted[run]
	if !admitted {
		_, settled := s.runs.Get(run)
		if settled {
			return fmt.Errorf("run %s is settled already", run)
		}
		return fmt.Errorf("run %s was never admitted", run)
	}
	return unless(v == info.Version, "run %s was admitted on version %s, not on %s", run, info.Version, v)
}

// failureFollows is about what follows from the run that has just ended.
func (s State) failureFollows(e event.Event) (handled bool, err error) {
	switch e := e.(type) {
	case LogicErrorClassified:
		return true, s.justFailed(e.Run)
	case NetworkErrorClassified:
		return true, s.justFailed(e.Run)
	case AuthErrorClassified:
		return true, s.justFailed(e.Run)
	case PermissionErrorClassified:
		return true, s.justFailed(e.Run)
	case LimitErrorClassified:
		return true, s.justFailed(e.Run)
	case InternalErrorClassified:
		return true, s.justFailed(e.Run)
	case NotReproduced:
		if run, _, ok := s.Rehearsable(); ok && run == e.Run {
			return true, nil
		}
		return true, s.justFailed(e.Run)
	case StillFails:
		run, _, ok := s.Rehearsable()
		return true, unless(ok && run == e.Run, "run %s is nothing that waits for a person and is rehearsed", e.Run)
	case RetryScheduled:
		if s.waitsForRetry(e.Run) || s.isUnfinished(e.Run) == nil {
			return true, nil
		}
		if suspicion, known := s.suspected.Get(e.Run); known && suspicion.Stopped {
			return true, nil
		}
		if _, over := s.Retriable(e.Run); over {
			return true, nil
		}
		return true, s.justFailed(e.Run)
	case RetriesExhausted:
		return true, s.justFailed(e.Run)
	case Recovered:
		return true, errors.Join(s.ended(e.Run, true), unless(s.Failing > 0, "nothing had failed"))
	case RunExempted:
		return true, errors.Join(s.ended(e.Run, true), unless(!s.Exempted(e.Run), "run %s is exempted already", e.Run))
	case FixConfirmed:
		return true, errors.Join(s.ended(e.Run, true), s.inForce(e.Version))
	case FixRegressed:
		return true, errors.Join(s.ended(e.Run, false), s.inForce(e.Version))
	case RepairAsked:
		return true, errors.Join(s.ended(e.Run, false), unless(e.Version == s.Active, "run %s is of version %s, and %s is active", e.Run, e.Version, s.Active))
	case FailureAttached:
		return true, errors.Join(s.justFailed(e.Run), s.openTask(e.Task))
	case MaintenanceEntered:
		return true, s.enteredFollows(e)
	case MaintenanceExited:
		return true, s.openTask(e.Task)
	case Escalated:
		return true, s.escalatedFollows(e)
	}
	return false, nil
}

func (s State) justFailed(run string) error {
	return unless(s.lastFailed != nil && s.lastFailed.info.Run == run, "run %s has not just failed", run)
}

func (s State) ended(run string, succeeded bool) error {
	became, settled := s.runs.Get(run)
	how := "succeeded"
	if !succeeded {
		how = "failed"
	}
	return unless(settled && became.Succeeded == succeeded, "run %s has not %s", run, how)
}

func (s State) inForce(v Version) error {
	return unless(slices.Contains(s.Unconfirmed(), v), "version %s is no fix that waits to be confirmed", v)
}

func (s State) openTask(task string) error {
	return unless(s.Maintenance != nil && s.Maintenance.Task == task, "there is no open maintainer task %s", task)
}

func (s State) enteredFollows(e MaintenanceEntered) error {
	if s.Maintenance != nil {
		return fmt.Errorf("the maintainer task %s is open", s.Maintenance.Task)
	}
	if _, was := s.tasks.Get(e.Task); was {
		return fmt.Errorf("the maintainer task %s was left already", e.Task)
	}
	handedOver := s.Escalation != nil && s.Escalation.Run == e.Run
	if err := s.justFailed(e.Run); err != nil && !handedOver {
		return err
	}
	return unless(e.Base == s.Active, "its base is version %s, and %s is active", e.Base, s.Active)
}

// escalatedFollows holds where the active version goes: nowhere, or back to the last confirmed one.
func (s State) escalatedFollows(e Escalated) error {
	if s.Maintenance != nil && e.Task != s.Maintenance.Task {
		return fmt.Errorf("it names the task %q, and %s is open", e.Task, s.Maintenance.Task)
	}
	if !slices.Equal(e.Withdrawn, s.Unconfirmed()) {
		return fmt.Errorf("it withdraws the versions %v, and %v wait to be confirmed", e.Withdrawn, s.Unconfirmed())
	}
	want := s.Active
	if len(e.Withdrawn) > 0 {
		want = s.LastConfirmed
	}
	return unless(e.Active == want, "it makes version %s active, and it can only be %s", e.Active, want)
}

// fixFollows is about what becomes of a proposal.
func (s State) fixFollows(e event.Event) (handled bool, err error) {
	switch e := e.(type) {
	case FixProposed:
		return true, s.proposedFollows(e)
	case FixVerified:
		p, err := s.inState(e.Proposal, ProposalProposed)
		if err == nil && p.Verification != nil {
			err = fmt.Errorf("proposal %s is verified already", p.ID)
		}
		return true, err
	case FixApplied:
		return true, s.appliedFollows(e)
	case FixHeld:
		p, err := s.judged(e.Proposal)
		if err == nil {
			err = errors.Join(
				s.openTask(p.Task),
				unless(p.Verification.Verdict != VerdictDifferent, "proposal %s was found different", p.ID),
			)
		}
		return true, err
	case FixRejectedDifferent:
		p, err := s.judged(e.Proposal)
		if err == nil {
			err = unless(p.Verification.Verdict == VerdictDifferent, "proposal %s was found %s", p.ID, p.Verification.Verdict)
		}
		return true, err
	case FixRejectedStale:
		_, err := s.inState(e.Proposal, ProposalProposed, ProposalHeld)
		return true, err
	case FixAccepted:
		p, err := s.inState(e.Proposal, ProposalHeld)
		if err == nil {
			err = errors.Join(s.openTask(p.Task), s.fixes(p, e.Version))
		}
		return true, err
	case FixDeclined:
		_, err := s.inState(e.Proposal, ProposalHeld)
		return true, err
	case FixCorrectionRequested:
		_, err := s.inState(e.Proposal, ProposalHeld)
		return true, err
	case FixRechecked:
		_, err := s.inState(e.Proposal, ProposalHeld)
		return true, err
	}
	return false, nil
}

func (s State) proposedFollows(e FixProposed) error {
	if _, known := s.proposals.Get(e.Proposal); known {
		return fmt.Errorf("proposal %s was submitted already", e.Proposal)
	}
	task, was := s.tasks.Get(e.Task)
	if !was {
		if err := s.openTask(e.Task); err != nil {
			return err
		}
		task = leftTask{run: s.Maintenance.Run, base: s.Maintenance.Base}
	}
	return unless(e.Run == task.run && e.Base == task.base, "task %s is about run %s on version %s", e.Task, task.run, task.base)
}

func (s State) appliedFollows(e FixApplied) error {
	p, err := s.judged(e.Proposal)
	if err != nil {
		return err
	}
	return errors.Join(
		unless(p.Verification.Verdict != VerdictDifferent, "proposal %s was found different", p.ID),
		s.openTask(p.Task),
		s.fixes(p, e.Version),
	)
}

// fixes says whether a proposal can become a version: the next minor of what it is based on, which is active.
func (s State) fixes(p Proposal, v Version) error {
	return errors.Join(
		unless(s.Active == p.Base, "proposal %s is based on version %s, and %s is active", p.ID, p.Base, s.Active),
		s.numbered(v, s.nextMinor(p.Base.Major)),
	)
}

// inState gives a proposal that is in one of these states.
func (s State) inState(proposal string, states ...ProposalState) (Proposal, error) {
	p, known := s.proposals.Get(proposal)
	if !known {
		return p, fmt.Errorf("proposal %s was never submitted", proposal)
	}
	return p, unless(slices.Contains(states, p.State), "proposal %s is %s", p.ID, p.State)
}

// judged gives a proposal that has its verdict and waits for what follows from it.
func (s State) judged(proposal string) (Proposal, error) {
	p, err := s.inState(proposal, ProposalProposed)
	if err == nil && p.Verification == nil {
		err = fmt.Errorf("proposal %s was never verified", p.ID)
	}
	return p, err
}

// plannerFollows is about the planner's task and what is asked.
func (s State) plannerFollows(e event.Event) (handled bool, err error) {
	switch e := e.(type) {
	case PlannerTaskOpened:
		return true, unless(s.Planner == nil, "another planner task is open")
	case PlannerTaskWaiting:
		_, err := s.planner(e.Task)
		return true, err
	case PlannerTold:
		planner, err := s.planner(e.Task)
		if err == nil {
			err = unless(planner.Waiting, "the planner is at work: nobody can tell it anything")
		}
		return true, err
	case PlannerTaskClosed:
		_, err := s.planner(e.Task)
		return true, err
	case QuestionAsked:
		return true, unless(!s.open(e.Question), "question %s is open already", e.Question)
	case QuestionAnswered:
		return true, unless(s.open(e.Question), "there is no open question %s", e.Question)
	case DecisionDelegated:
		if e.Question != "" && !s.open(e.Question) {
			return true, fmt.Errorf("there is no open question %s", e.Question)
		}
		return true, s.isHeld(e.Proposal)
	case DecisionReminded:
		return true, s.isHeld(e.Proposal)
	}
	return false, nil
}

// unless is an error if something does not hold.
func unless(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// isHeld says that a fix, if one is named, waits for a person.
func (s State) isHeld(proposal string) error {
	if proposal == "" {
		return nil
	}
	_, err := s.inState(proposal, ProposalHeld)
	return err
}
