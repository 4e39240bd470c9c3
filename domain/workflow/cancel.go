package workflow

import (
	"cmp"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/internal/persistent"
)

// cancelRun ends a run that is under way, or gives up one that waits. A repair that the run led to goes on, for the script is as it was:
// only the run does not go on with the fix.
func (s State) cancelRun(c CancelRun) ([]event.Event, error) {
	cancelled := RunCancelled{Run: c.Run, Reason: failure.Cut(c.Reason, maxText)}
	if info, admitted := s.Admitted[c.Run]; admitted {
		switch {
		case info.Trigger == TriggerImport:
			return nil, conflict("run %s happened elsewhere: nothing of it is under way here", c.Run)
		case c.Ended:
			return nil, conflict("run %s has ended, and what follows from that is being decided: look at it again in a moment", c.Run)
		}
		cancelled.Version, cancelled.Writes = info.Version, max(info.Writes, c.Writes)
		return []event.Event{cancelled}, nil
	}
	over, settled := s.runs.Get(c.Run)
	if place, waits := s.queued(c.Run); waits && !settled {
		q := s.Queue[place]
		return []event.Event{InputSkipped{Run: q.Run, Trigger: q.Trigger, Source: q.Source, Why: SkippedLeft, Reason: cmp.Or(cancelled.Reason, "a person cancelled it")}}, nil
	}
	switch next := s.goneOnAs(c.Run); {
	case !settled:
		return nil, notFound("workflow %q has no run %s", s.Title, c.Run)
	case over.Cancelled:
		return nil, conflict("run %s was cancelled already", c.Run)
	case over.Succeeded:
		return nil, conflict("run %s has succeeded: there is nothing to cancel", c.Run)
	case next != "":
		return nil, conflict("run %s has ended, and run %s goes on with it: cancel that one", c.Run, next)
	case !s.waitsForMore(c.Run):
		return nil, conflict("run %s has failed, and nothing goes on with it: there is nothing to cancel", c.Run)
	}
	cancelled.Version, cancelled.Writes, cancelled.Waited = over.Version, over.Writes, true
	return []event.Event{cancelled}, nil
}

// goneOnAs is the run under way that goes on with a failed one, or starts it again; empty for none.
func (s State) goneOnAs(run string) string {
	for _, id := range sortedNames(s.Admitted) {
		if s.Admitted[id].Continues == run {
			return id
		}
	}
	return ""
}

// waitsForMore says of a run that has failed that something goes on with it, or that its person is asked.
func (s State) waitsForMore(run string) bool {
	_, unfinished := s.Unfinished[run]
	_, waits := s.queued(run)
	return unfinished || waits || s.underWay(run)
}

// cancelled folds what becomes of a run that was cancelled.
func (s State) cancelled(e RunCancelled) State {
	if _, admitted := s.Admitted[e.Run]; admitted {
		s, _ = s.settled(e.Run, Settled{Version: e.Version, Writes: e.Writes})
	}
	over, _ := s.runs.Get(e.Run)
	over.Cancelled, over.GivenUp = true, true
	s.runs = s.runs.Put(e.Run, over)
	s.Unfinished, s.Retries = persistent.Without(s.Unfinished, e.Run), persistent.Without(s.Retries, e.Run)
	if s.Continuation != nil && s.Continuation.Run == e.Run {
		s.Continuation = nil
	}
	if m := s.Maintenance; m != nil && slices.Contains(m.Attached, e.Run) {
		s = s.onTask(m.Task, func(m *Maintenance) {
			m.Attached = without(m.Attached, func(run string) bool { return run == e.Run })
		})
	}
	return s.unqueued(e.Run)
}

// isCancelled says that a person has cancelled a run.
func (s State) isCancelled(run string) bool {
	over, _ := s.runs.Get(run)
	return over.Cancelled
}

// cancelledFollows is about a run that was cancelled: it was under way, or had failed.
func (s State) cancelledFollows(e RunCancelled) error {
	over, settled := s.runs.Get(e.Run)
	if !settled {
		return s.settledFollows(e.Run, e.Version)
	}
	return unless(e.Waited && !over.Succeeded && !over.Cancelled, "run %s has succeeded, or was cancelled already", e.Run)
}
