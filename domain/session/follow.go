package session

import "github.com/kintsugi-run/kintsugi/domain/event"

// Follow is [Evolve] for a history that is doubted: it returns an [*event.ImpossibleError] for an event that nobody can
// have come to in this state. So a healing that says it was resolved, where no check passed, is found.
func Follow(s State, e event.Event) (State, error) {
	if why := s.impossible(e); why != "" {
		return s, event.Impossible(e, "%s", why)
	}
	return Evolve(s, e), nil
}

func (s State) impossible(e event.Event) string {
	if _, is := e.(SessionOpened); is {
		if s.ID != "" {
			return "the session is open already"
		}
		return ""
	}
	if s.ID == "" {
		return "the session was not opened"
	}
	h, open := s.Open()
	var healing int
	switch e := e.(type) {
	case HealerInvoked:
		if open || e.Healing != len(s.Healings)+1 {
			return "another healing is under way, or it is out of order"
		}
		return ""
	case TaskUnblocked:
		if _, blocked := s.Blocked[e.Subtask]; !blocked {
			return "it was not blocked"
		}
		return ""
	case SpellUndone:
		return s.undoes(e.Healing, e.Cast)
	case CheckRan:
		if e.Healing == 0 {
			return ""
		}
		healing = e.Healing
	case SpellStarted:
		if !s.Policy.Allows(e.Spell) {
			return "the policy does not allow the spell"
		}
		if last := len(h.Casts); e.Cast != last+1 || last > 0 && h.Casts[last-1].Ended == nil {
			return "another spell is being applied, or it is out of order"
		}
		healing = e.Healing
	case SpellApplied:
		if last := len(h.Casts); last == 0 || e.Cast != last || h.Casts[last-1].Ended != nil || h.Casts[last-1].Spell != e.Spell {
			return "no such spell was started"
		}
		healing = e.Healing
	case HealerAdvised:
		healing = e.Healing
	case HealerConcluded:
		healing = e.Healing
		if e.Outcome == Skipped {
			if open && (len(h.Casts) > 0 || h.Checked != nil) {
				return "something was done, so it was not skipped"
			}
			break
		}
		outcome, _ := s.outcome(h)
		if e.Stopped {
			outcome = Unresolved
		}
		if open && outcome != e.Outcome {
			return "what was seen is " + string(outcome) + ", not " + string(e.Outcome)
		}
		if open && e.Flaky && !h.flaky() {
			return "no check was seen to pass with nothing done"
		}
	default:
		return "it does not belong in the stream of a session"
	}
	if !open || h.Healing != healing {
		return "no such healing is under way"
	}
	return ""
}
