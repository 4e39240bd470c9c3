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

// outagePause is how long an input waits whose retries are spent, if nothing shows earlier that the other side is back.
const outagePause = time.Hour

// inLine says that a run works on what was taken in for the workflow: its input or slot has an outcome only when it was
// carried out, or given up. A person who runs something by hand sees what becomes of it.
func (info RunInfo) inLine() bool {
	came := info.Origin == TriggerSchedule || info.Origin == TriggerWebhook || info.Origin == TriggerEvent
	return came && !info.Aside && info.Writes == 0
}

// notTaken says why a run failed because its input is not what the script is for; empty if it did not.
func (s State) notTaken(c SettleRun, info RunInfo, f failure.Failure) string {
	fits := info.inLine() && f.Class == failure.Logic && f.Code == "" && info.Version == s.Active && info.Fix.IsZero()
	switch {
	case !fits || s.archived || s.requeued() >= s.Settings.WithDefaults().QueuedInputs:
		return ""
	case s.newKind(info.Kind):
		return fmt.Sprintf("it is of the kind %q, of which no run has succeeded", info.Kind)
	case c.Refused != "":
		return "it is not what main takes: " + c.Refused
	}
	return ""
}

// requeuedAfter has inputs wait, rule 22, whose way on a decision has ended: their run failed before its first write, or
// was tried again, repaired or to go on with a fix until now. So no way of dropping a run has to think of it.
func (s State) requeuedAfter(after State, events []event.Event, now time.Time) []event.Event {
	lost, failures := map[string]RunInfo{}, map[string]failure.Failure{}
	for run, retry := range s.Retries {
		lost[run] = retry.Info
	}
	if s.Continuation != nil {
		lost[s.Continuation.Run] = s.Continuation.Info
	}
	if s.Maintenance != nil {
		lost[s.Maintenance.Run] = s.Maintenance.Info
	}
	var slots []time.Time
	for _, e := range events {
		switch e := e.(type) {
		case RunFailed:
			if info, admitted := s.Admitted[e.Run]; admitted {
				info.Writes = max(info.Writes, e.Writes)
				lost[e.Run], failures[e.Run] = info, e.Failure
			}
		case RunCancelled:
			delete(lost, e.Run)
		case RunLeft:
			delete(lost, e.Run)
		case RunAdmitted:
			if e.Trigger == TriggerSchedule && e.Slot != nil {
				slots = append(slots, *e.Slot)
			}
		}
	}
	if len(lost)+len(slots) == 0 {
		return nil
	}
	var more []event.Event
	for _, slot := range slots {
		more = append(more, after.dropEarlier(slot)...)
	}
	requeued := after.requeued()
	for _, info := range slices.SortedFunc(maps.Values(lost), func(a, b RunInfo) int { return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.Run, b.Run)) }) {
		if over, _ := s.runs.Get(info.Run); !info.inLine() || over.GivenUp || after.goesOn(info.Run) {
			continue
		}
		skipped := InputSkipped{Run: info.Run, Trigger: info.Origin}
		switch most := s.Settings.WithDefaults().QueuedInputs; {
		case after.archived:
			skipped.Why, skipped.Reason = SkippedArchived, "the workflow was archived before it was carried out"
			more = append(more, skipped)
		case info.Origin == TriggerSchedule && after.madeUpFor(info.Slot):
			skipped.Why, skipped.Reason = SkippedLater, "its run failed, and the catch-up policy of the schedule does not make up for it"
			more = append(more, skipped)
		case requeued >= most:
			skipped.Why, skipped.Reason = SkippedFull, fmt.Sprintf("its run failed, and %d inputs whose runs failed wait already, which is the most (setting queued_inputs)", requeued)
			more = append(more, skipped)
		default:
			requeued++
			more = append(more, after.requeue(info, failures[info.Run], now))
		}
	}
	return more
}

// withoutExhausted says nothing of spent retries where the input is tried on.
func withoutExhausted(events, requeued []event.Event) []event.Event {
	return without(events, func(e event.Event) bool {
		exhausted, is := e.(RetriesExhausted)
		return is && slices.ContainsFunc(requeued, func(other event.Event) bool {
			again, is := other.(InputRequeued)
			return is && again.Run == exhausted.Run
		})
	})
}

// goesOn says that something goes on with a failed run, or waits to.
func (s State) goesOn(run string) bool {
	over, _ := s.runs.Get(run)
	_, waits := s.queued(run)
	m, c := s.Maintenance, s.Continuation
	return over.Continued || over.Succeeded || waits || s.waitsForRetry(run) || c != nil && c.Run == run || m != nil && m.Run == run
}

// madeUpFor says that nothing more is to become of a slot: all slots are made up for, or the newest, or none.
func (s State) madeUpFor(slot *time.Time) bool {
	if s.Schedule.CatchUp == CatchUpAll {
		return false
	}
	return s.Schedule.CatchUp == CatchUpNone || slot != nil && s.laterSlotRan(*slot)
}

// laterSlotRan says that a later slot has become a run, which is under way or waits.
func (s State) laterSlotRan(slot time.Time) bool {
	for _, info := range s.Admitted {
		if info.Slot != nil && info.Slot.After(slot) {
			return true
		}
	}
	return slices.ContainsFunc(s.Queue, func(q QueuedInput) bool { return q.Slot != nil && q.Slot.After(slot) })
}

// dropEarlier gives up slots that wait when a later one takes their place.
func (s State) dropEarlier(slot time.Time) []event.Event {
	var more []event.Event
	for _, q := range s.Queue {
		if q.Slot != nil && q.Slot.Before(slot) && s.Schedule.CatchUp != CatchUpAll {
			more = append(more, InputSkipped{Run: q.Run, Trigger: q.Trigger, Why: SkippedLater, Reason: "a later slot takes its place"})
		}
	}
	return more
}

// requeue says what an input waits for.
func (s State) requeue(info RunInfo, f failure.Failure, now time.Time) InputRequeued {
	again := InputRequeued{Run: info.Run, Trigger: info.Origin, Slot: info.Slot, Source: info.Source, Kind: info.Kind, Number: info.Number, Waits: WaitsFix, Reason: failure.Cut(f.String(), maxLine)}
	if s.Status == StatusActive { // nobody is asked to mend anything
		again.At = now.Add(outagePause)
	}
	switch {
	case info.Version != s.Active:
		again.Ready, again.Reason, again.At = true, fmt.Sprintf("it was begun on version %s, and version %s is active", info.Version, s.Active), time.Time{}
	case f.Class == failure.Network:
		again.Waits = WaitsOutage
	case f.Class == failure.Auth || f.Class == failure.Permission:
		again.Waits = WaitsAccess
	case f.Class == failure.Internal:
		again.Waits = WaitsProgram
	case f.Class == "": // what was known of the failure is over with its repair
		again.Reason = "no fix of its failure is in force"
	}
	return again
}

// retryInputs has everything that waits be tried again, at a person's word.
func (s State) retryInputs(now time.Time) ([]event.Event, error) {
	if row := statusTable[s.Status]; row.admits == admitNone || row.admits == admitOnEscalation && s.Settings.OnEscalation != OnHoldContinue {
		return nil, s.refused(row.meanwhile)
	}
	var events []event.Event
	for _, q := range s.Queue {
		if q.Waits == "" || q.Ready {
			continue
		}
		events = append(events, InputRequeued{
			Run: q.Run, Trigger: q.Trigger, Slot: q.Slot, Source: q.Source, Kind: q.Kind, Number: q.Number, Waits: q.Waits, Reason: "a person has it tried again", Ready: true,
		})
	}
	for _, run := range sortedNames(s.Retries) {
		if retry := s.Retries[run]; retry.At.After(now) {
			events = append(events, RetryScheduled{Run: run, Attempt: retry.Attempt, At: now, Fresh: retry.Fresh, Regardless: retry.Regardless})
		}
	}
	return events, nil
}

// nextInLine is the most urgent input of the queue that waits only for its turn and that the status admits, the first of those that are
// equally urgent, and else the one that is tried first by the clock, with when. Those about the same keep their order.
func (s State) nextInLine(now time.Time) (next QueuedInput, at time.Time, waits bool) {
	ready, passed := false, map[string]bool{}
	for _, q := range s.Queue {
		switch {
		case s.aboutTheSame(q.Key, q.Run) != "" || passed[q.Key]: // its turn comes after that one
		case !s.statusAdmits(q.admission()) && q.Waits != "":
		case q.Ready || (q.Waits == "" || !q.At.IsZero()) && !now.Before(q.At):
			if s.Settings.PriorityKey == "" {
				return q, time.Time{}, true
			}
			passed[q.Key] = q.Key != ""
			if !ready || q.Priority > next.Priority {
				next, at, waits, ready = q, time.Time{}, true, true
			}
		case !ready && !q.At.IsZero() && (!waits || q.At.Before(at)):
			next, at, waits = q, q.At, true
		}
	}
	return next, at, waits
}

// admission asks for the run that an input becomes. One that goes on with a failed run has no id yet.
func (q QueuedInput) admission() AdmitRun {
	if q.Waits != "" {
		return AdmitRun{Trigger: TriggerRetry, Continues: q.Run}
	}
	return AdmitRun{Run: q.Run, Trigger: q.Trigger}
}

// info is what is known of the failed run.
func (q QueuedInput) info() RunInfo {
	return RunInfo{Run: q.Run, Trigger: q.Trigger, Origin: q.Trigger, Slot: q.Slot, Source: q.Source, Kind: q.Kind, Number: q.Number, Fix: q.Fix, Labels: q.Labels, Key: q.Key, Priority: q.Priority}
}

// continued is what is known of the run that a retry goes on with.
func (s State) continued(c AdmitRun) RunInfo {
	if place, waits := s.queued(c.Continues); waits {
		return s.Queue[place].info()
	}
	return s.Retries[c.Continues].Info
}

// requeued counts the inputs whose runs failed.
func (s State) requeued() int {
	count := 0
	for _, q := range s.Queue {
		if q.Waits != "" {
			count++
		}
	}
	return count
}

// hasWaitingInput says that a run waits in the queue, or has failed and something may become of its input again.
func (s State) hasWaitingInput(run string) error {
	_, waits := s.queued(run)
	over, settled := s.runs.Get(run)
	return unless(waits || settled && !over.Succeeded && !over.Continued, "the input of run %s became one, or has its outcome", run)
}

// The folds.

// arrived numbers what was taken in, in the order in which it came; what goes on with a run keeps its number.
func (s State) arrived(e RunAdmitted) (State, int) {
	for _, run := range []string{e.Run, e.Continues} {
		if place, waits := s.queued(run); waits {
			return s, s.Queue[place].Number
		}
	}
	if retry, waits := s.Retries[e.Continues]; waits {
		return s, retry.Info.Number
	}
	if c := s.Continuation; c != nil && c.Run == e.Continues {
		return s, c.Info.Number
	}
	if e.Trigger != TriggerSchedule && e.Trigger != TriggerWebhook && e.Trigger != TriggerEvent {
		return s, 0
	}
	s.arrivals++
	return s, s.arrivals
}

func (s State) inputRequeued(e InputRequeued) State {
	again := QueuedInput{Run: e.Run, Trigger: e.Trigger, Source: e.Source, Number: e.Number, Slot: e.Slot, Kind: e.Kind, Waits: e.Waits, Ready: e.Ready, At: e.At, Fix: s.infoOf(e.Run).Fix, Labels: s.infoOf(e.Run).Labels, Key: s.infoOf(e.Run).Key, Priority: s.infoOf(e.Run).Priority}
	s = s.unqueued(e.Run)
	place, _ := slices.BinarySearchFunc(s.Queue, again.Number+1, func(q QueuedInput, number int) int { return cmp.Compare(q.Number, number) })
	s.Queue = slices.Insert(slices.Clone(s.Queue), place, again)
	return s
}

func anyInput(QueuedInput) bool { return true }

func waitsFor(what string) func(QueuedInput) bool {
	return func(q QueuedInput) bool { return q.Waits == what }
}

// ready says that what some inputs wait for is here.
func (s State) ready(chosen func(QueuedInput) bool) State {
	if !slices.ContainsFunc(s.Queue, func(q QueuedInput) bool { return q.Waits != "" && !q.Ready && chosen(q) }) {
		return s
	}
	s.Queue = slices.Clone(s.Queue)
	for i, q := range s.Queue {
		s.Queue[i].Ready = q.Ready || q.Waits != "" && chosen(q)
	}
	return s
}
