package workflow

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/internal/persistent"
)

// Unfinished is a failed run that had made writes, and that nothing has gone on with: it is half done.
// It is tried again, repaired, continued when access is there again, or its person decides.
type Unfinished struct {
	Info    RunInfo // of the run; Info.Writes says how many it, and the runs that it continues, had made
	Class   failure.Class
	Code    string // of its failure
	Problem string // its failure, in a line
	Asked   bool   // its person is asked what is to become of it
}

// Outcomes of an unfinished run that nothing continues by itself; see [Settings].
const (
	UnfinishedAsk      = "ask"
	UnfinishedContinue = "continue" // on a newer version, which must repeat what was written
	UnfinishedLeave    = "leave"
)

// unfinishedAfter asks, after a decision, about the runs that it leaves half done: a run that failed and is not
// tried again, or one whose retry, continuation or repair has just ended. So no way of dropping a run
// has to think of it.
func (s State) unfinishedAfter(now time.Time) []event.Event {
	var more []event.Event
	for _, run := range sortedNames(s.Unfinished) {
		u := s.Unfinished[run]
		// Also one that failed for want of access, and its workflow still waits for that: it goes on then.
		if u.Asked || s.underWay(run) || s.awaitsAccess(u) {
			continue
		}
		more = append(more, RunUnfinished{Run: run, Version: u.Info.Version, Writes: u.Info.Writes, Problem: u.Problem})
		switch setting := s.Settings.WithDefaults().Unfinished; {
		case setting == UnfinishedLeave:
			more = append(more, RunLeft{Run: run, Note: "The setting unfinished is leave."})
		case setting == UnfinishedContinue && !s.archived && s.Active.Compare(u.Info.Version) > 0:
			more = append(more, s.goOn(u, now))
		}
	}
	return more
}

// waitsForRetry says that a failed run is to be tried again.
func (s State) waitsForRetry(run string) bool {
	_, waits := s.Retries[run]
	return waits
}

// underWay says that a failed run is tried again, goes on with a fix, or is among what is repaired.
func (s State) underWay(run string) bool {
	m := s.Maintenance
	return s.waitsForRetry(run) || s.Continuation != nil && s.Continuation.Run == run || m != nil && (m.Run == run || slices.Contains(m.Attached, run))
}

// awaitsAccess says that a run failed because of access that the workflow still waits for.
func (s State) awaitsAccess(u Unfinished) bool {
	return s.Waiting != nil && (u.Class == failure.Auth || u.Class == failure.Permission) && s.isActive(u.Info.Version)
}

// isActive says that a version has the code that runs now.
func (s State) isActive(v Version) bool {
	ran, known := s.Script(v)
	active, _ := s.Script(s.Active)
	return known && ran.SHA256 == active.SHA256
}

// goOn has a half-done run continue on the active version, rule 15. If the same code failed by itself, its answers
// were the cause, so it reads again. Its writes are answered from the journal.
func (s State) goOn(u Unfinished, now time.Time) RetryScheduled {
	return RetryScheduled{Run: u.Info.Run, Attempt: 1, At: now, Fresh: u.Class.Repairable() && s.isActive(u.Info.Version)}
}

// goOnUnchanged continues what the same code left half done because of what a person's activation
// answers: no access, or an error that was handed to them.
func (s State) goOnUnchanged(now time.Time) []event.Event {
	var events []event.Event
	for _, run := range sortedNames(s.Unfinished) {
		u := s.Unfinished[run]
		handedOver := s.Escalation != nil && u.Class.Repairable() && u.Code != failure.CodeDiverged && u.Code != failure.CodeOvertaken
		if !s.underWay(run) && (s.awaitsAccess(u) || handedOver && s.isActive(u.Info.Version)) {
			events = append(events, s.goOn(u, now))
		}
	}
	return events
}

// undecided gives an unfinished run that a person can decide about.
func (s State) undecided(run string) (Unfinished, error) {
	u, unfinished := s.Unfinished[run]
	switch _, settled := s.runs.Get(run); {
	case s.waitsForRetry(run):
		return u, conflict("run %s waits for its retry: have it try now or leave it", run)
	case unfinished && s.underWay(run):
		return u, conflict("run %s waits for the repair: nothing is to be decided about it now", run)
	case unfinished:
		return u, nil
	case settled || s.knows(run):
		return u, conflict("run %s is not unfinished: it is under way, came to its end, was continued, or is answered already", run)
	}
	return u, notFound("workflow %q has no run %s", s.Title, run)
}

func (s State) continueRun(c ContinueRun, now time.Time) ([]event.Event, error) {
	var scheduled RetryScheduled
	if retry, waits := s.Retries[c.Run]; waits { // the same try, now
		if !now.Before(retry.At) && s.statusAdmits(AdmitRun{Trigger: TriggerRetry, Continues: c.Run}) {
			return nil, nil
		}
		scheduled = RetryScheduled{Run: c.Run, Attempt: retry.Attempt, At: now, Fresh: retry.Fresh, Regardless: retry.Regardless}
	} else if over, failed := s.Retriable(c.Run); failed {
		// If its code is at fault, it can only come otherwise with other answers.
		scheduled = RetryScheduled{Run: c.Run, Attempt: 1, At: now, Fresh: over.Class.Repairable() && s.isActive(over.Version)}
	} else {
		u, err := s.undecided(c.Run)
		if err != nil {
			return nil, err
		}
		scheduled = s.goOn(u, now)
		if u.Code == failure.CodeOvertaken {
			scheduled.Fresh, scheduled.Regardless = u.Info.Fresh, true // they were told what has changed
		}
	}
	if !Evolve(s, scheduled).statusAdmits(AdmitRun{Trigger: TriggerRetry, Continues: c.Run}) {
		return nil, s.refused(statusTable[s.Status].meanwhile)
	}
	return []event.Event{scheduled}, nil
}

// Retriable gives a run that failed and is over: it had written nothing, or was left as it is. Its person may have it tried again.
func (s State) Retriable(run string) (Settled, bool) {
	over, settled := s.runs.Get(run)
	_, unfinished := s.Unfinished[run]
	return over, settled && !over.Succeeded && over.Class != "" && !over.Continued && !over.Cancelled && !over.Trigger.isolated() && !unfinished && !s.underWay(run)
}

func (s State) leaveRun(c LeaveRun) ([]event.Event, error) {
	if place, waits := s.queued(c.Run); waits {
		left := s.Queue[place]
		return []event.Event{InputSkipped{Run: left.Run, Trigger: left.Trigger, Source: left.Source, Why: SkippedLeft, Reason: failure.Cut(cmp.Or(c.Note, "a person gave it up"), maxText)}}, nil
	}
	if _, err := s.undecided(c.Run); err != nil && !s.waitsForRetry(c.Run) {
		return nil, err
	}
	return []event.Event{RunLeft{Run: c.Run, Note: failure.Cut(c.Note, maxText)}}, nil
}

// restarts gives what a run that starts an unfinished one again begins with.
func (s State) restarts(c AdmitRun) (RunInfo, error) {
	if c.Trigger != TriggerManual || len(c.Input) > 0 {
		return RunInfo{}, invalid("an unfinished run is started again by hand, with the input that it had")
	}
	u, err := s.undecided(c.Restarts)
	return u.Info, err
}

// The folds.

// broke notes a failed run that is half done.
func (s State) broke(info RunInfo, f failure.Failure) State {
	if info.Writes == 0 || info.Trigger == TriggerFork {
		return s
	}
	s.Unfinished = persistent.With(s.Unfinished, info.Run, Unfinished{
		Info: info, Class: f.Class, Code: f.Code, Problem: failure.Cut(f.String(), maxLine),
	})
	return s
}

func (s State) asked(run string, asked bool) State {
	if u, unfinished := s.Unfinished[run]; unfinished {
		u.Asked = asked
		s.Unfinished = persistent.With(s.Unfinished, run, u)
	}
	return s
}

// unfinishedFollows is about what becomes of half-done runs.
func (s State) unfinishedFollows(e event.Event) (isAbout bool, err error) {
	switch e := e.(type) {
	case RunUnfinished:
		u, unfinished := s.Unfinished[e.Run]
		return true, errors.Join(unless(unfinished, "run %s is not half done", e.Run), unless(!u.Asked, "run %s is asked about already", e.Run))
	case RunLeft:
		if s.waitsForRetry(e.Run) {
			return true, nil
		}
		return true, s.isUnfinished(e.Run)
	}
	return false, nil
}

func (s State) isUnfinished(run string) error {
	if _, unfinished := s.Unfinished[run]; !unfinished {
		return fmt.Errorf("run %s is not half done", run)
	}
	return nil
}
