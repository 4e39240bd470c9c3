package workflow

import (
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/internal/persistent"
	"github.com/kintsugi-run/kintsugi/domain/workflow/internal/table"
)

// Evolve is the state after an event. It never fails and never validates; an event
// that makes no sense in a state changes what it can. The given state stays as it was:
// whatever a State refers to is copied before it changes.
func Evolve(s State, e event.Event) State {
	switch e := e.(type) {
	case WorkflowCreated:
		s.ID, s.Title, s.Owner, s.Zone, s.Intent, s.IntentImported = e.ID, e.Title, e.Owner, e.Zone, e.Intent, e.Imported
	case IntentChanged:
		if e.Title != "" {
			s.Title = e.Title
		}
		s.Intent, s.IntentImported = e.Intent, e.ByAgent
	case ScheduleChanged:
		s.Schedule = scheduleOf(e)
	case SettingsChanged:
		s.Settings = e.Settings
	case WorkflowActivated:
		s = s.roomForRepairs().ready(anyInput)
		s.activated, s.paused = true, false
		s.Waiting, s.Escalation = nil, nil
		s.FixCount = 0
	case WorkflowPaused:
		s.paused = true
	case WorkflowArchived:
		s.archived = true
		s.Retries, s.Continuation = nil, nil
	case WorkflowRestored:
		s.archived, s.paused, s.dropNoted = false, s.activated, false // a draft is a draft again
	case WorkflowDeleted:
		s = State{ID: e.ID, Owner: e.Owner, Deleted: &e}
	case WorkflowErased:
		s.Erased = true
	case ScriptSaved:
		s = s.saved(e)
	case PackagesKept:
		s.Packages = added(s.Packages, e.SHA256)

	case RunAdmitted:
		s = s.admitted(e).slotsUntil(e.Slot).unqueued(e.Run).unqueued(e.Continues).handled(e.Source)
	case RunUnfinished:
		s = s.asked(e.Run, true)
	case RunCommitted:
		s.Commits++
		if info, admitted := s.Admitted[e.Run]; admitted {
			info.Committed = e.Through
			s.Admitted = persistent.With(s.Admitted, e.Run, info)
		}
	case RunCancelled:
		s = s.cancelled(e)
	case RunLeft:
		s.Unfinished, s.Retries = persistent.Without(s.Unfinished, e.Run), persistent.Without(s.Retries, e.Run)
	case SlotSkipped:
		s = s.slotsUntil(e.Slot).slotsUntil(e.Through)
	case TriggerSet:
		s = s.triggerSet(e)
	case TriggerRemoved:
		s.Triggers = persistent.Without(s.Triggers, e.Source)
	case InputQueued:
		s = s.inputQueued(e)
	case InputRequeued:
		s = s.inputRequeued(e)
	case InputSkipped:
		s = s.inputSkipped(e)
	case RunSucceeded:
		info := s.Admitted[e.Run]
		s, _ = s.settled(e.Run, Settled{Version: e.Version, Succeeded: true, Fix: info.Fix})
		s = s.kindSucceeded(info.Kind)
	case RunFailed:
		s = s.failed(e)
	case LogicErrorClassified:
		s = s.classified(e.Classified)
	case LimitErrorClassified:
		s = s.classified(e.Classified)
	case NetworkErrorClassified:
		s = s.classified(e.Classified)
	case InternalErrorClassified:
		s = s.classified(e.Classified)
	case AuthErrorClassified:
		s = s.classified(e.Classified).waits(e.Run, failure.Auth)
	case PermissionErrorClassified:
		s = s.classified(e.Classified).waits(e.Run, failure.Permission)
	case RetryScheduled:
		retry := Retry{Run: e.Run, Attempt: e.Attempt, At: e.At, Fresh: e.Fresh, Regardless: e.Regardless, Info: s.infoOf(e.Run)}
		s.Retries = persistent.With(s.Retries, e.Run, retry)
		s = s.asked(e.Run, false).unqueued(e.Run)
	case NotReproduced:
		if s = s.ready(waitsFor(WaitsFix)); s.Escalation != nil && s.Escalation.Run == e.Run {
			s.Escalation = nil
		}
	case StillFails:
		s = s.stillFails(e)
	case WorkClaimed:
		s = s.workClaimed(e)
	case RetriesExhausted:
		s.told = persistent.With(s.told, e.Strict, true)
	case Recovered:
		s.Failing, s.told = 0, nil
		s = s.ready(waitsFor(WaitsOutage))

	case MaintenanceEntered:
		s = s.entered(e)
	case RepairAsked:
		s = s.repairAsked(e)
	case FailureAttached:
		s = s.onTask(e.Task, func(m *Maintenance) { m.Attached = added(m.Attached, e.Run) })
	case FixProposed:
		s.proposals = s.proposals.Put(e.Proposal, Proposal{
			ID: e.Proposal, Task: e.Task, Run: e.Run, Base: e.Base, Code: e.Code, Comment: e.Comment,
			Fixer: e.Fixer, State: ProposalProposed,
		})
		s.Undecided = added(s.Undecided, e.Proposal)
		s = s.onTask(e.Task, func(m *Maintenance) { m.Proposals = added(m.Proposals, e.Proposal) })
	case FixVerified:
		s = s.verified(e.Proposal, e.Verification)
	case FixApplied:
		s = s.decided(e.Proposal, ProposalApplied).fixed(e.Proposal, e.Version)
	case FixAccepted:
		s = s.decided(e.Proposal, ProposalAccepted).fixed(e.Proposal, e.Version)
	case FixRejectedStale:
		s = s.decided(e.Proposal, ProposalStale)
	case FixRejectedDifferent:
		s = s.decided(e.Proposal, ProposalDifferent)
	case FixDeclined:
		s = s.decided(e.Proposal, ProposalDeclined)
	case FixHeld:
		s = s.decided(e.Proposal, ProposalHeld)
		s = s.onTaskOf(e.Proposal, func(m *Maintenance) {
			m.Held = &Held{Proposal: e.Proposal, Reasons: e.Reasons, Alternatives: e.Alternatives, Unheard: e.Unheard}
		})
	case FixCorrectionRequested:
		s = s.decided(e.Proposal, ProposalCorrected)
		s = s.onTaskOf(e.Proposal, func(m *Maintenance) { m.Corrections = added(m.Corrections, Correction(e)) })
	case FixRechecked:
		s = s.verified(e.Proposal, e.Verification)
		s = s.onHeld(e.Proposal, func(held *Held) {
			held.Reasons, held.Unheard = e.Reasons, e.Unheard
			if e.Alternatives != nil {
				held.Alternatives = e.Alternatives
			}
			if held.Reasons == nil {
				held.Reasons = e.Verification.Reasons // as earlier programs recorded it
			}
		})
	case FixConfirmed:
		s = s.confirmed(e.Version).ready(anyInput)
	case FixRegressed:
		s.Fixes = slices.Clone(s.Fixes)
		for i := range s.Fixes {
			if s.Fixes[i].Version == e.Version {
				s.Fixes[i].Regressed = true
			}
		}
	case RunExempted:
		s.exempted = s.exempted.Put(e.Run, struct{}{})
		s = s.unmarked(e.Run)
	case DriftSuspected:
		s = s.driftSuspected(e)
	case RunTrusted:
		s = s.runTrusted(e)
	case MarkedRunsReviewed:
		s = s.markedRunsReviewed(e)
	case MaintenanceExited:
		s = s.exited(e)
	case Escalated:
		s = s.escalated(e)

	case PlannerTaskOpened:
		s.Planner = &Planner{Task: e.Task, Thread: e.Thread, Ask: e.Ask, Chat: e.Chat}
	case PlannerTaskWaiting:
		s = s.plannerWaits(e.Task, true)
	case PlannerTold:
		s = s.plannerTold(e)
	case PlannerTaskClosed:
		if s.Planner != nil && s.Planner.Task == e.Task {
			s.Planner = nil
		}
		s = s.asksNoMore(e.Task)
	case QuestionAsked:
		s.Questions = added(s.Questions, Question{ID: e.Question, Task: e.Task, Text: e.Text, Options: e.Options})
	case QuestionAnswered:
		s = s.answered(e)
	case DecisionDelegated:
		s = s.delegated(e)
	case DecisionReminded:
		s = s.onHeld(e.Proposal, func(held *Held) { held.Reminded = true })
	case DraftPrompted:
		s.Draft.Prompts, s.Draft.Prompted, s.Draft.Archives = s.Draft.Prompts+1, e.At, e.Archives
	}
	s = s.outage(e)
	if s.Status = s.status(); s.Status != StatusDraft {
		s.Draft = Draft{}
	}
	return s
}

// saved adds a version. A fix keeps everything that a new major starts afresh.
func (s State) saved(e ScriptSaved) State {
	s.Versions = added(s.Versions, Script(e))
	s.Active = e.Version
	if e.Origin == OriginMaintainer {
		return s
	}
	s = s.roomForRepairs().ready(anyInput)
	s.LastConfirmed = e.Version
	s.Fixes, s.FixCount, s.Escalation = nil, 0, nil
	// A new script is another automation: what the old one left half done is not its to finish.
	s.Retries, s.Continuation = nil, nil
	s.seen, s.told = table.Table[int]{}, nil
	return s
}

// roomForRepairs begins the hour of repairs anew where a person answers that it was full: else what
// they are offered leads straight back to them.
func (s State) roomForRepairs() State {
	if s.Escalation != nil && s.Escalation.Reason == EscalatedRateLimit {
		s.RepairTimes = nil
	}
	return s
}

func (s State) admitted(e RunAdmitted) State {
	info := RunInfo{
		Run: e.Run, Version: e.Version, Trigger: e.Trigger, Origin: e.Trigger, Input: e.Input, Slot: e.Slot, Fork: e.Fork, Source: e.Source,
		Continues: e.Continues, Attempt: e.Attempt, Fresh: e.Fresh, Regardless: e.Regardless, Aside: e.Aside, Beside: e.Beside, Kind: e.Kind, Labels: e.Labels, Key: e.Key, Priority: e.Priority,
	}
	s, info.Number = s.arrived(e)
	if place, waits := s.queued(e.Continues); waits {
		info.Origin, info.Fix, info.Source, info.Kind = s.Queue[place].Trigger, s.Queue[place].Fix, s.Queue[place].Source, s.Queue[place].Kind
	}
	if retry, waits := s.Retries[e.Continues]; waits {
		info.Origin, info.Fix, info.Source, info.Aside, info.Kind = retry.Info.Origin, retry.Info.Fix, retry.Info.Source, retry.Info.Aside, retry.Info.Kind
		s.Retries = persistent.Without(s.Retries, e.Continues)
	}
	if c := s.Continuation; c != nil && c.Run == e.Continues {
		info.Origin, info.Fix, info.Source, info.Kind = c.Info.Origin, c.Version, c.Info.Source, c.Info.Kind
		s.Continuation = nil
	}
	for _, before := range []string{e.Continues, e.Restarts} {
		if over, failed := s.runs.Get(before); failed && !over.Succeeded && !over.Continued {
			over.Continued = true
			s.runs = s.runs.Put(before, over)
		}
	}
	if over, failed := s.runs.Get(e.Continues); failed {
		info.Writes = over.Writes
	}
	if u, unfinished := s.Unfinished[e.Continues]; unfinished {
		info.Writes = u.Info.Writes
	}
	s.Unfinished = persistent.Without(persistent.Without(s.Unfinished, e.Continues), e.Restarts)
	s.Admitted = persistent.With(s.Admitted, e.Run, info)
	if most := s.Settings.RunsPerHr; most > 0 && e.Trigger.counted() {
		s.AdmittedAt = added(s.AdmittedAt, e.At)
		s.AdmittedAt = s.AdmittedAt[max(len(s.AdmittedAt)-most, 0):]
	}
	return s
}

// counted says that runs of this trigger count against the setting runs_per_hr. A retry or a continuation does not: a
// limit would leave its failed run half done.
func (t Trigger) counted() bool {
	return t != TriggerRetry && t != TriggerContinuation && t != TriggerImport
}

// isolated says that what becomes of a run of this trigger concerns only the run: it happened elsewhere, or
// is a person's look at another course of things.
func (t Trigger) isolated() bool { return t == TriggerImport || t == TriggerFork }

// settled takes a run out of the admitted ones and gives what was known of it.
func (s State) settled(run string, became Settled) (State, RunInfo) {
	info, known := s.Admitted[run]
	if !known {
		info = RunInfo{Run: run, Version: became.Version}
	}
	s.settledRuns++
	became.Trigger, became.Aside = info.Trigger, info.Aside
	if info.Source != nil {
		became.Hops = info.Source.Hops
	}
	s.Admitted = persistent.Without(s.Admitted, run)
	s.runs = s.runs.Put(run, became)
	return s, info
}

func (s State) failed(e RunFailed) State {
	s, info := s.settled(e.Run, Settled{Version: e.Version, Class: e.Failure.Class})
	if info.Trigger == TriggerImport {
		return s
	}
	info.Writes = max(info.Writes, e.Writes)
	over, _ := s.runs.Get(e.Run)
	over.Origin, over.Writes = info.Origin, info.Writes
	s.runs = s.runs.Put(e.Run, over)
	s.lastFailed = &failedRun{failure: e.Failure, info: info}
	return s.broke(info, e.Failure)
}

// infoOf is what was known of a run that has just failed, waits for its retry, or is half done.
func (s State) infoOf(run string) RunInfo {
	if s.lastFailed != nil && s.lastFailed.info.Run == run {
		return s.lastFailed.info
	}
	if retry, waits := s.Retries[run]; waits {
		return retry.Info
	}
	if u, unfinished := s.Unfinished[run]; unfinished {
		return u.Info
	}
	if suspicion, stopped := s.suspected.Get(run); stopped {
		return suspicion.Info
	}
	if place, waits := s.queued(run); waits {
		return s.Queue[place].info()
	}
	over, _ := s.runs.Get(run)
	return RunInfo{Run: run, Version: over.Version, Trigger: over.Trigger, Origin: over.Origin, Writes: over.Writes, Aside: over.Aside}
}

func (s State) classified(e Classified) State {
	s.Failing++ // here, as nothing is classified of a run that concerns only itself
	if became, known := s.runs.Get(e.Run); known && became.Version.Major != s.Active.Major {
		return s
	}
	count, _ := s.seen.Get(e.Strict)
	s.seen = s.seen.Put(e.Strict, count+1)
	return s
}

// waits records that a person's access is needed, unless it was for a version that is gone.
func (s State) waits(run string, class failure.Class) State {
	if became, known := s.runs.Get(run); known && became.Version != s.Active {
		return s
	}
	s.Waiting = &Waiting{Run: run, Class: class}
	return s
}

func (s State) entered(e MaintenanceEntered) State {
	s.Maintenance = &Maintenance{
		Task: e.Task, Thread: e.Thread, Item: e.Item, Run: e.Run, Base: e.Base,
		Attempt: e.Attempt, Budget: e.Budget, Info: s.infoOf(e.Run),
	}
	if s.lastFailed != nil && s.lastFailed.info.Run == e.Run {
		s.Maintenance.Failure = s.lastFailed.failure
	}
	if over := s.Escalation; over != nil && over.Run == e.Run { // it was handed to a person, and is worked on again
		s.Maintenance.Failure, s.Maintenance.Info = over.Failure, over.Info
	}
	s = s.unqueued(e.Run)
	s.Escalation = nil
	recent := without(s.RepairTimes, func(at time.Time) bool { return at.Before(e.At.Add(-repairWindow)) })
	s.RepairTimes = added(recent, e.At)
	return s
}

// exited leaves a task. It remembers what the task's fixes were based on, so that a verdict that comes later can be
// called stale.
func (s State) exited(e MaintenanceExited) State {
	left := leftTask{why: e.Why}
	if s.Maintenance != nil && s.Maintenance.Task == e.Task {
		left.base, left.run = s.Maintenance.Base, s.Maintenance.Run
		s.Over = &TaskOver{Task: e.Task, Thread: s.Maintenance.Thread, Run: s.Maintenance.Run, Outcome: s.outcome(*s.Maintenance, e.Why)}
		s.Maintenance = nil
	}
	s.tasks = s.tasks.Put(e.Task, left)
	return s.asksNoMore(e.Task)
}

// outcome is what a task came to that is left.
func (s State) outcome(m Maintenance, why string) string {
	if why == ExitEscalated {
		return "unfixable"
	}
	if len(m.Proposals) == 0 {
		return why
	}
	newest, _ := s.proposals.Get(m.Proposals[len(m.Proposals)-1])
	if newest.Verification != nil && newest.State != ProposalDifferent {
		return string(newest.Verification.Verdict)
	}
	return why
}

func (s State) verified(proposal string, v Verification) State {
	if p, known := s.proposals.Get(proposal); known {
		p.Verification = &v
		s.proposals = s.proposals.Put(proposal, p)
	}
	return s
}

// decided records what became of a proposal. Only FixHeld makes it the held one.
func (s State) decided(proposal string, became ProposalState) State {
	if p, known := s.proposals.Get(proposal); known {
		p.State = became
		s.proposals = s.proposals.Put(proposal, p)
	}
	s.Undecided = without(s.Undecided, func(id string) bool { return id == proposal })
	return s.onTaskOf(proposal, func(m *Maintenance) {
		if m.Held != nil && m.Held.Proposal == proposal {
			m.Held = nil
		}
	})
}

// fixed counts a fix and lets the failed run go on with it. Its ScriptSaved comes next.
func (s State) fixed(proposal string, v Version) State {
	p, _ := s.proposals.Get(proposal)
	fix := Fix{Version: v, Proposal: proposal, Run: p.Run}
	info := RunInfo{Run: p.Run}
	if m := s.Maintenance; m != nil && m.Task == p.Task {
		fix.Strict, fix.Loose, info = m.Failure.Strict, m.Failure.Loose, m.Info
	}
	s.Fixes = added(s.Fixes, fix)
	s.FixCount++
	if !s.isCancelled(p.Run) {
		s.Continuation = &Continuation{Run: p.Run, Version: v, Info: info}
	}
	return s
}

// confirmed takes a fix, and those it is built on, as good.
func (s State) confirmed(v Version) State {
	s.Fixes = slices.Clone(s.Fixes)
	for i := range s.Fixes {
		if s.Fixes[i].Version.Compare(v) <= 0 {
			s.Fixes[i].Confirmed = true
		}
	}
	s.LastConfirmed = v
	s.FixCount = 0
	return s
}

func (s State) escalated(e Escalated) State {
	s.Escalation = &Escalation{Reason: e.Reason, Explanation: e.Explanation, Run: e.Run, Task: e.Task}
	if m := s.Maintenance; m != nil && m.Run == e.Run {
		s.Escalation.Failure, s.Escalation.Info = m.Failure, m.Info
	} else if last := s.lastFailed; last != nil && last.info.Run == e.Run {
		s.Escalation.Failure, s.Escalation.Info = last.failure, last.info
	}
	s.Fixes = without(s.Fixes, func(fix Fix) bool { return slices.Contains(e.Withdrawn, fix.Version) })
	if !e.Active.IsZero() {
		s.Active = e.Active
	}
	s.Continuation = nil
	return s
}

func (s State) plannerWaits(task string, waiting bool) State {
	if s.Planner != nil && s.Planner.Task == task {
		planner := *s.Planner
		planner.Waiting = waiting
		s.Planner = &planner
	}
	return s
}

func (s State) plannerTold(e PlannerTold) State {
	if s.Planner != nil && s.Planner.Task == e.Task {
		planner := *s.Planner
		planner.Waiting, planner.Told = false, added(planner.Told, e.Text)
		s.Planner = &planner
	}
	return s
}

// asksNoMore forgets what a task that is over asked, and what was answered.
func (s State) asksNoMore(task string) State {
	s.Questions = without(s.Questions, func(q Question) bool { return q.Task == task })
	s.Answers = without(s.Answers, func(a Answer) bool { return a.Task == task })
	return s
}

// answered sets a planner to work again when nothing is left to be answered.
func (s State) answered(e QuestionAnswered) State {
	var task string
	for _, q := range s.Questions {
		if q.ID == e.Question {
			task = q.Task
			answer := Answer{Question: q.ID, Task: task, Text: e.Answer}
			if slices.ContainsFunc(q.Options, func(option string) bool { return strings.TrimSpace(option) == strings.TrimSpace(e.Answer) }) {
				answer.Offered = q.Text
			}
			s.Answers = added(s.Answers, answer)
		}
	}
	s.Questions = without(s.Questions, func(q Question) bool { return q.ID == e.Question })
	if slices.ContainsFunc(s.Questions, func(q Question) bool { return q.Task == task }) {
		return s
	}
	return s.plannerWaits(task, false)
}

// onTask changes the open task if it is this one.
func (s State) onTask(task string, change func(*Maintenance)) State {
	if s.Maintenance != nil && s.Maintenance.Task == task {
		m := *s.Maintenance
		change(&m)
		s.Maintenance = &m
	}
	return s
}

// onTaskOf changes the open task if the proposal is one of it.
func (s State) onTaskOf(proposal string, change func(*Maintenance)) State {
	if s.Maintenance != nil && slices.Contains(s.Maintenance.Proposals, proposal) {
		return s.onTask(s.Maintenance.Task, change)
	}
	return s
}

// The helpers below copy what they change: an earlier State keeps its own.

func added[T any](list []T, item T) []T { return append(slices.Clip(list), item) }

func without[T any](list []T, gone func(T) bool) []T {
	if !slices.ContainsFunc(list, gone) {
		return list
	}
	return slices.DeleteFunc(slices.Clone(list), gone)
}
