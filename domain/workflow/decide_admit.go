package workflow

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// admitRun is the one place that decides whether a run may start, rule 4.
func (s State) admitRun(c AdmitRun, now time.Time) ([]event.Event, error) {
	if c.Run == "" {
		return nil, invalid("a run needs an id")
	}
	if _, running := s.Admitted[c.Run]; running {
		return nil, conflict("run %s is admitted already", c.Run)
	}
	if _, settled := s.runs.Get(c.Run); settled {
		return nil, conflict("run %s has ended already: a new run needs a new id", c.Run)
	}
	if err := cmp.Or(isInput(c.Input), c.Labels.Validate()); err != nil {
		return nil, err
	}
	var source *Source
	var again *QueuedInput // that is tried again
	for _, run := range []string{c.Run, c.Continues} {
		if _, queued := s.queued(run); !queued || run == c.Continues && (c.Trigger != TriggerRetry || s.waitsForRetry(run)) {
			continue
		}
		first, at, waits := s.nextInLine(now)
		switch {
		case !waits || first.Run != run && at.After(now):
			return nil, conflict("the input of run %s waits, and not only for its turn", run)
		case first.Run != run || first.admission().Trigger != c.Trigger:
			return nil, conflict("the input of run %s waits, and that of run %s comes first", run, first.Run)
		case at.After(now):
			return nil, conflict("the input of run %s is to be tried again at %s", run, at.Format(time.RFC3339))
		}
		if again = &first; run == c.Run {
			c.Input, source, again = first.Input, first.Source, nil
		}
	}
	if c.Trigger == TriggerSchedule {
		if err := s.slotOpen(c.Slot, c.FoundBy); err != nil {
			return nil, err
		}
	}
	if s.Active.IsZero() {
		return nil, s.refused("has no script: save one first")
	}
	admitted := RunAdmitted{Run: c.Run, Version: s.Active, Trigger: c.Trigger, Input: c.Input, Slot: c.Slot, Continues: c.Continues, Fork: c.Fork, Source: source}
	if c.Trigger == TriggerWebhook {
		admitted.Kind = kindOf(c.Input)
	}
	admitted.Key, admitted.Priority = s.keyFor(c), s.priorityFor(c)
	if s.Settings.RunsPerHr > 0 && c.Trigger.counted() {
		admitted.At = now
	}
	admitted.Labels = s.Settings.Labels.with(s.labelsOf(c), c.Labels)
	admitted.Beside = !c.Trigger.isolated() && s.Settings.MaxActive > 1
	if (c.Fork != nil) != (c.Trigger == TriggerFork) {
		return nil, invalid("a run forks another one if its trigger is fork, and only then")
	}
	switch c.Trigger {
	case TriggerImport:
		return s.admitImport(c, admitted)
	case TriggerFork:
		if err := c.Fork.valid(); err != nil {
			return nil, err
		}
	case TriggerManual, TriggerSchedule, TriggerWebhook, TriggerEvent:
		if c.Restarts != "" {
			info, err := s.restarts(c)
			if err != nil {
				return nil, err
			}
			admitted.Input, admitted.Restarts, admitted.Aside = info.Input, c.Restarts, info.Aside
		} else {
			admitted.Aside = c.Trigger == TriggerManual && !c.Repair
		}
		if len(admitted.Input) == 0 {
			admitted.Input = s.Settings.DefaultInput()
		}
		if c.Continues != "" {
			return nil, invalid("a %s run starts afresh: only a retry and a continuation go on with another run", c.Trigger)
		}
	case TriggerRetry:
		retry, waits := s.Retries[c.Continues]
		if again != nil { // what it read was the trouble, or is long ago
			admitted.Attempt, admitted.Fresh, admitted.Slot = 1, true, again.Slot
			break
		}
		if !waits {
			return nil, conflict("run %s does not wait to be tried again", c.Continues)
		}
		if now.Before(retry.At) {
			return nil, conflict("run %s is to be tried again at %s", c.Continues, retry.At.Format(time.RFC3339))
		}
		admitted.Attempt, admitted.Fresh, admitted.Regardless = retry.Attempt, retry.Fresh, retry.Regardless
		admitted.Input, admitted.Slot = retry.Info.Input, retry.Info.Slot
	case TriggerContinuation:
		if s.Continuation == nil || s.Continuation.Run != c.Continues {
			return nil, conflict("run %s does not wait to go on with a fixed version", c.Continues)
		}
		admitted.Input, admitted.Slot = s.Continuation.Info.Input, s.Continuation.Info.Slot
	default:
		return nil, invalid("%q is not a trigger: use manual, fork, schedule, webhook, event, retry, continuation or import", c.Trigger)
	}
	if !c.Version.IsZero() {
		return nil, invalid("a run starts on the active version: only an imported run names its own")
	}
	if err := s.admits(c, now); err != nil {
		return nil, err
	}
	return []event.Event{admitted}, nil
}

// labelsOf are the labels of the run that one goes on with, or starts again.
func (s State) labelsOf(c AdmitRun) Labels {
	switch c.Trigger {
	case TriggerRetry:
		return s.continued(c).Labels
	case TriggerContinuation:
		if s.Continuation != nil {
			return s.Continuation.Info.Labels
		}
	case TriggerManual:
		return s.Unfinished[c.Restarts].Info.Labels
	}
	return nil
}

func (f *Fork) valid() error {
	switch {
	case f.Run == "":
		return invalid("name the run that is forked")
	case f.FromCall < 1:
		return invalid("a run is forked from a call on, counted from 1, not from %d", f.FromCall)
	}
	return isInput(f.Result)
}

// statusAdmits puts a run to the status table.
func (s State) statusAdmits(c AdmitRun) bool {
	switch statusTable[s.Status].admits {
	case admitAll:
		return true
	case admitByHand:
		return c.Trigger == TriggerManual || c.Trigger == TriggerFork || c.Trigger == TriggerRetry || c.Trigger == TriggerContinuation
	case admitContinuation:
		return s.triesNewestFix(c)
	case admitOnHold:
		return s.triesNewestFix(c) || s.onHold(c) == OnHoldContinue
	case admitOnEscalation:
		return s.Settings.OnEscalation == OnHoldContinue
	case admitNone:
	}
	return false
}

// admits puts a run to the status table, and then to what is under way.
func (s State) admits(c AdmitRun, now time.Time) error {
	if !s.statusAdmits(c) {
		return s.refused(statusTable[s.Status].meanwhile)
	}
	// The run after a fix continues the failed run, rule 15: none may slip in before it.
	if s.Continuation != nil && c.Trigger != TriggerContinuation {
		return s.refused("goes on with run " + s.Continuation.Run + " on the fixed version first: try again when that has started")
	}
	if err := s.hasRoom(c); err != nil {
		return err
	}
	if again, full := s.hourFull(now); full && c.Trigger.counted() {
		return conflict("workflow %q has started %d runs within an hour, which its setting runs_per_hr allows: the next may start at %s", s.Title, s.Settings.RunsPerHr, again.Format(time.RFC3339))
	}
	return nil
}

// triesNewestFix says that this run is the one that confirms or regresses the active version.
func (s State) triesNewestFix(c AdmitRun) bool {
	switch c.Trigger {
	case TriggerContinuation:
		return true
	case TriggerRetry:
		fix := s.continued(c).Fix
		return !fix.IsZero() && fix == s.Active
	}
	return false
}

// onHold is what runs of a trigger do while a fix is held. A schedule comes again, and a
// person can look first; an event that nobody takes is lost.
func (s State) onHold(c AdmitRun) string {
	if s.Settings.OnHold != "" {
		return s.Settings.OnHold
	}
	trigger := c.Trigger
	if trigger == TriggerRetry {
		trigger = s.continued(c).Origin
	}
	if trigger == TriggerWebhook || trigger == TriggerEvent {
		return OnHoldContinue
	}
	return OnHoldBlock
}

// hasRoom holds the setting max_active. A failed run that is to go on is as active as one that is
// executing: a run that began meanwhile would do again what that one did already. Those that go on
// have their place: they wait only for what is executing, so none waits for the other.
func (s State) hasRoom(c AdmitRun) error {
	most, executing, retrying := s.Settings.WithDefaults().MaxActive, s.executing(), s.retrying()
	if most > 1 && s.executesAlone() {
		return conflict("workflow %q has an active run that began when only one was allowed at a time: wait for it to end", s.Title)
	}
	if other := s.aboutTheSame(s.keyFor(c), c.Continues); other != "" {
		return conflict("workflow %q has run %s under way, which is about the same (setting concurrency_key: %s): wait for it to end", s.Title, other, s.Settings.ConcurrencyKey)
	}
	switch goesOn := c.Trigger == TriggerRetry && s.waitsForRetry(c.Continues) || c.Trigger == TriggerContinuation; {
	case executing >= most:
		return conflict("workflow %q has %s and its setting max_active is %d: wait for one to end, or allow more", s.Title, count(executing, "active run"), most)
	case !goesOn && executing+retrying >= most:
		next := s.nextRetry()
		return conflict("workflow %q goes on with run %s at %s, and until then its setting max_active (%d) leaves no room: wait for it, or 'kintsugi run continue %[2]s' tries it now, 'kintsugi run leave %[2]s' gives it up",
			s.Title, next.Run, next.At.Format(time.RFC3339), most)
	}
	return nil
}

// executesAlone says that a run began when only one was allowed. Its writes to keys and files count at once, so nobody may
// be beside it.
func (s State) executesAlone() bool {
	for _, info := range s.Admitted {
		if !info.Beside && !info.Trigger.isolated() {
			return true
		}
	}
	return false
}

// commitRun holds that runs beside each other come out as if one had been after the other: the run's reads are
// compared with the commits of all others.
func (s State) commitRun(c CommitRun) ([]event.Event, error) {
	info, admitted := s.Admitted[c.Run]
	switch {
	case !admitted || !info.Beside:
		return nil, notFound("workflow %q has no active run %s that holds back what it writes", s.Title, c.Run)
	case info.Committed >= c.Through:
		return nil, nil
	case s.Commits != c.Seen:
		return nil, conflict("other runs of workflow %q have changed its keys and files: compare what run %s has read", s.Title, c.Run)
	}
	return []event.Event{RunCommitted{Run: c.Run, Through: c.Through}}, nil
}

// executing counts the runs that are admitted and have not ended.
func (s State) executing() int {
	active := len(s.Admitted)
	for _, info := range s.Admitted {
		if info.Trigger == TriggerImport {
			active--
		}
	}
	return active
}

// retrying counts the failed runs that are to be tried again and that others wait for. A run that a person started by
// hand is left out: nobody waits for it.
func (s State) retrying() int {
	waiting := len(s.Retries)
	for _, retry := range s.Retries {
		if retry.Info.Aside {
			waiting--
		}
	}
	return waiting
}

// nextRetry is the one of those that is due first.
func (s State) nextRetry() Retry {
	waiting := slices.DeleteFunc(slices.Collect(maps.Values(s.Retries)), func(retry Retry) bool { return retry.Info.Aside })
	if len(waiting) == 0 {
		return Retry{}
	}
	return slices.MinFunc(waiting, func(a, b Retry) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Run, b.Run))
	})
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// admitImport takes a run that happened elsewhere: it is history, so neither status nor overlap matter.
func (s State) admitImport(c AdmitRun, admitted RunAdmitted) ([]event.Event, error) {
	if err := s.editable(); err != nil {
		return nil, err
	}
	if c.Continues != "" {
		return nil, invalid("an imported run is whole: it continues none")
	}
	if !c.Version.IsZero() {
		if _, there := s.Script(c.Version); !there {
			return nil, notFound("workflow %q has no version %s for the imported run %s", s.Title, c.Version, c.Run)
		}
		admitted.Version = c.Version
	}
	return []event.Event{admitted}, nil
}

func (s State) exemptRun(c ExemptRun) ([]event.Event, error) {
	became, settled := s.runs.Get(c.Run)
	switch {
	case !settled:
		return nil, notFound("workflow %q has no ended run %s", s.Title, c.Run)
	case !became.Succeeded:
		return nil, conflict("run %s failed: only a recorded success can be declared wrong", c.Run)
	case c.Reason == "":
		return nil, invalid("say why run %s was wrong though it succeeded: the gate will leave it out", c.Run)
	case s.Exempted(c.Run):
		return nil, nil
	}
	return []event.Event{RunExempted{Run: c.Run, Reason: failure.Cut(c.Reason, maxText)}}, nil
}
