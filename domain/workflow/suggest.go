package workflow

import (
	"fmt"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// Suggestible gives the failure that a fix from outside is judged on, as the task that it would be of: the open one,
// or, with an empty Task, one that is opened again for what was handed to a person. The error says why there is none.
func (s State) Suggestible(now time.Time) (Maintenance, error) {
	if err := s.editable(); err != nil {
		return Maintenance{}, err
	}
	if s.PlannerRunning() {
		return Maintenance{}, conflict("the planner is at work on workflow %q (task %s): suggest the fix when it is done", s.Title, s.Planner.Task)
	}
	if s.Maintenance != nil {
		return *s.Maintenance, nil
	}
	e := s.Escalation
	if e == nil {
		return Maintenance{}, s.refused("has no failure that is being repaired or was handed to a person: save the script, which makes it the next major version")
	}
	if !e.Failure.Class.Repairable() || e.Info.Version != s.Active {
		return Maintenance{}, s.refused("was handed to a person, and there is no failed run of version " + s.Active.String() +
			" that a fix could be proved on: save or roll back the script, or activate it and suggest the fix when it fails")
	}
	if _, halfDone := s.Unfinished[e.Run]; e.Info.Writes > 0 && !halfDone {
		return Maintenance{}, conflict("run %s was left as it is, so no fix goes on with it: activate workflow %q, and suggest the fix when it fails again", e.Run, s.Title)
	}
	settings := s.Settings.WithDefaults()
	if s.FixCount >= settings.Budget {
		return Maintenance{}, s.refused(fmt.Sprintf("has spent %d of %d fixes, and none was confirmed: save or roll back the script, or activate it as it is", s.FixCount, settings.Budget))
	}
	if s.repairsSince(now.Add(-repairWindow)) >= settings.RepairsPerHr {
		return Maintenance{}, s.refused("had as many repairs in the last hour as its settings allow: suggest the fix later, or save the script")
	}
	return Maintenance{
		Run: e.Run, Base: s.Active, Attempt: s.FixCount + 1, Budget: settings.Budget, Failure: e.Failure, Info: e.Info,
	}, nil
}

func (s State) suggestFix(c SuggestFix, now time.Time) ([]event.Event, error) {
	if c.Proposal == "" || c.ScriptID == "" || c.Task == "" || c.Thread == "" || c.Item == "" {
		return nil, invalid("a suggested fix needs ids: of the proposal, of the script that it may become, and of a task, a thread and an item")
	}
	if _, known := s.proposals.Get(c.Proposal); known {
		return nil, conflict("proposal %s was submitted already", c.Proposal)
	}
	if err := isScript(c.Proposal, c.Code, c.Comment); err != nil {
		return nil, err
	}
	if err := c.Verification.valid(); err != nil {
		return nil, err
	}
	task, err := s.Suggestible(now)
	if err != nil {
		return nil, err
	}
	if base, _ := s.Script(task.Base); c.Base != task.Base {
		return nil, conflict("the fix was made of version %s, and version %s is what fails now: read that one, and make the fix of it", c.Base, task.Base)
	} else if strings.TrimSpace(base.Code) == strings.TrimSpace(c.Code) {
		return nil, invalid("the fix is version %s unchanged", task.Base)
	}
	if err := s.samePackages(task.Base, c.Code); err != nil {
		return nil, err
	}
	if c.Run != task.Run {
		return nil, conflict("the fix was judged on run %s, and run %s is what failed now: suggest it again", c.Run, task.Run)
	}
	v := c.Verification.bounded()
	if v.Verdict == VerdictDifferent {
		return nil, conflict("the fix changes what used to work: %s", v.Divergence)
	}
	var events []event.Event
	if task.Task == "" {
		task.Task = c.Task
		events = append(events, MaintenanceEntered{
			Task: c.Task, Thread: c.Thread, Item: c.Item, Run: task.Run, Base: task.Base, Attempt: task.Attempt, Budget: task.Budget, At: now,
		})
	}
	events = append(events,
		FixProposed{
			Proposal: c.Proposal, Task: task.Task, Run: task.Run, Base: task.Base, Code: c.Code, Comment: c.Comment,
			Fixer: Fixer{Kind: FixerSuggested, Version: failure.Cut(c.By, maxLine)},
		},
		FixVerified{Proposal: c.Proposal, Verification: v},
	)
	for _, e := range events {
		s = Evolve(s, e)
	}
	reasons := s.Settings.WithDefaults().AutoFix.holds(v, nil)
	if len(reasons) > 0 && task.Held != nil {
		return nil, conflict("proposal %s of workflow %q waits for a person, and this one would wait, too: %s. It is accepted, corrected or declined first",
			task.Held.Proposal, s.Title, reasons[0])
	}
	events = append(events, s.replaced()...)
	if len(reasons) > 0 {
		return append(events, FixHeld{Proposal: c.Proposal, Reasons: reasons}), nil
	}
	p, _ := s.proposals.Get(c.Proposal)
	return append(events, s.applied(p, c.ScriptID)...), nil
}
