package workflow

import (
	"cmp"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/internal/persistent"
)

// repairRun makes a failure that was its run's alone the workflow's, at a person's word.
func (s State) repairRun(c RepairRun, now time.Time) ([]event.Event, error) {
	if err := s.editable(); err != nil {
		return nil, err
	}
	became, settled := s.runs.Get(c.Run)
	settings := s.Settings.WithDefaults()
	c.Failure.Class = cmp.Or(became.Class, c.Failure.Class) // as it was judged
	switch {
	case !settled && s.knows(c.Run):
		return nil, conflict("run %s has not ended: wait for it", c.Run)
	case !settled:
		return nil, notFound("workflow %q has no run %s", s.Title, c.Run)
	case became.Succeeded:
		return nil, conflict("run %s succeeded: if that is wrong, declare it wrong, and nothing will be proved on it", c.Run)
	case became.Trigger == TriggerFork:
		return nil, conflict("run %s is a fork, and its keys and files are its own: run the workflow by hand with the same input, and have that repaired if it fails", c.Run)
	case s.waitsForRetry(c.Run):
		return nil, conflict("run %s waits for its retry: have it try now or leave it", c.Run)
	case s.underWay(c.Run):
		return nil, conflict("run %s is being repaired already", c.Run)
	case !became.byHand():
		return nil, conflict("what run %s failed with was taken up already: what followed is in the history of workflow %q", c.Run, s.Title)
	case became.Continued:
		return nil, conflict("another run has gone on with run %s: ask for a repair of that one", c.Run)
	case became.Version != s.Active:
		return nil, conflict("run %s failed on version %s, and version %s is active: run the workflow again", c.Run, became.Version, s.Active)
	case !c.Failure.Class.Repairable():
		return nil, conflict("run %s failed with a %s error, which no change of the script mends: %s", c.Run, c.Failure.Class, c.Failure)
	case settings.AutoFix == ModeOff:
		return nil, s.refused("has automatic fixes off: save the script, or change the setting auto_fix")
	case s.FixCount >= settings.Budget:
		return nil, conflict("workflow %q has spent %d of %d fixes, and none was confirmed: save or roll back the script, or activate it as it is", s.Title, s.FixCount, settings.Budget)
	case c.Task == "" || c.Thread == "" || c.Item == "":
		return nil, invalid("a repair of run %s needs the ids of a task, a thread and an item", c.Run)
	}
	if err := isInput(c.Input); err != nil {
		return nil, err
	}
	asked := RepairAsked{Run: c.Run, Version: became.Version, Failure: c.Failure.Bounded(), Writes: c.Writes, Input: c.Input}
	if m := s.Maintenance; m != nil {
		return []event.Event{asked, FailureAttached{Task: m.Task, Run: c.Run}}, nil
	}
	return []event.Event{asked, MaintenanceEntered{
		Task: c.Task, Thread: c.Thread, Item: c.Item, Run: c.Run, Base: s.Active, Attempt: s.FixCount + 1, Budget: settings.Budget, At: now,
	}}, nil
}

// byHand says that a failure of the run is nobody else's.
func (became Settled) byHand() bool { return became.Aside || became.Trigger == TriggerImport }

// MayRepair says that a run failed by hand and alone, on the active version, and that nothing has gone on with it: its
// person may ask for a repair, see [RepairRun].
func (s State) MayRepair(run string) bool {
	became, settled := s.runs.Get(run)
	return settled && became.byHand() && !became.Succeeded && !became.Continued && became.Version == s.Active && !s.archived && !s.underWay(run)
}

// repairAsked makes a run what has just failed: the events after it are about it.
func (s State) repairAsked(e RepairAsked) State {
	info := RunInfo{Run: e.Run, Version: e.Version, Trigger: TriggerManual, Origin: TriggerManual, Input: e.Input, Writes: e.Writes}
	if became, settled := s.runs.Get(e.Run); settled {
		info.Trigger = became.Trigger
		became.Aside = false
		s.runs = s.runs.Put(e.Run, became)
	}
	if u, unfinished := s.Unfinished[e.Run]; unfinished {
		u.Info.Aside = false
		info = u.Info
		s.Unfinished = persistent.With(s.Unfinished, e.Run, u)
	}
	s.lastFailed = &failedRun{failure: e.Failure, info: info}
	return s
}
