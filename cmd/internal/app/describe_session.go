package app

import (
	"cmp"
	"fmt"

	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/session"
)

// describeSession is an event of a coding agent's session in one line.
func describeSession(e event.Event) string {
	switch e := e.(type) {
	case session.SessionOpened:
		return "in " + e.Worktree
	case session.HealerInvoked:
		return plain.Short(fmt.Sprintf("%d. %s %s: %s, %s", e.Healing, e.Failure.Trigger, e.Failure.Subtask, e.Failure.Check.Name, e.Failure.Says), 120)
	case session.SpellStarted:
		return fmt.Sprintf("%s, chosen by %s %s", e.Spell, e.By, plain.Short(e.Note, 80))
	case session.SpellApplied:
		if !e.Applied {
			return fmt.Sprintf("%s not applied: %s", e.Spell, plain.Short(e.Detail, 100))
		}
		return fmt.Sprintf("%s: %s", e.Spell, plain.Short(e.Detail, 100))
	case session.HealerAdvised:
		return plain.Short(e.Says, 120)
	case session.CheckRan:
		if e.Passed {
			return cmp.Or(e.Check.Name, "the check") + " passes"
		}
		return plain.Short(cmp.Or(e.Check.Name, "the check")+" fails: "+e.Says, 120)
	case session.HealerConcluded:
		return plain.Short(fmt.Sprintf("%d. %s: %s", e.Healing, e.Outcome, e.Reason), 160)
	case session.SpellUndone:
		return plain.Short(fmt.Sprintf("%s of healing %d: %s", e.Spell, e.Healing, e.Detail), 120)
	case session.TaskUnblocked:
		return e.Subtask + " " + e.Reason
	}
	return ""
}
