package session

import (
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/internal/persistent"
)

// State is a session, folded from its stream. The zero State is one that nobody has opened.
type State struct {
	SessionOpened
	Healings []Healing
	// Blocked are the follow-ups of subtasks that do not go on, by subtask.
	Blocked map[string]string
	// Green are commits on which a check passed with a clean tree, newest last.
	Green []CheckRan
}

// Healing is one call of the Healer.
type Healing struct {
	HealerInvoked
	Casts   []Cast
	Advised *HealerAdvised
	Checked *CheckRan // the newest
	seen    int       // casts that ended before it
	Ended   *HealerConcluded
}

// Cast is a spell that was started.
type Cast struct {
	SpellStarted
	Ended *SpellApplied
	// Undone says that a person had it undone.
	Undone bool
}

// For says that a session is for the node of a machine that has a data directory.
func (s State) For(host, place string) bool {
	return s.Host == host && (s.Place == "" || s.Place == place)
}

// Open is the healing that is under way.
func (s State) Open() (Healing, bool) {
	if last := len(s.Healings) - 1; last >= 0 && s.Healings[last].Ended == nil {
		return s.Healings[last], true
	}
	return Healing{}, false
}

// LastGreen is the newest commit that is known to be good.
func (s State) LastGreen() (commit string, known bool) {
	if len(s.Green) == 0 {
		return "", false
	}
	return s.Green[len(s.Green)-1].Head, true
}

// greenKept is how many green commits are remembered.
const greenKept = 50

// Evolve is the state after an event. It never fails and never validates; the given state stays as it was.
func Evolve(s State, e event.Event) State {
	switch e := e.(type) {
	case SessionOpened:
		return State{SessionOpened: e}
	case HealerInvoked:
		s.Healings = append(slices.Clone(s.Healings), Healing{HealerInvoked: e})
	case TaskUnblocked:
		s.Blocked = persistent.Without(s.Blocked, e.Subtask)
	case SpellStarted:
		return s.edit(e.Healing, func(h *Healing) { h.Casts = append(slices.Clone(h.Casts), Cast{SpellStarted: e}) })
	case SpellApplied:
		if e.Spell == MarkBlocked && e.Applied {
			s.Blocked = persistent.With(s.Blocked, s.subtask(e.Healing), e.Followup)
		}
		return s.edit(e.Healing, func(h *Healing) {
			h.Casts = slices.Clone(h.Casts)
			if e.Cast >= 1 && e.Cast <= len(h.Casts) {
				h.Casts[e.Cast-1].Ended = &e
			}
		})
	case SpellUndone:
		return s.edit(e.Healing, func(h *Healing) {
			h.Casts = slices.Clone(h.Casts)
			if e.Cast >= 1 && e.Cast <= len(h.Casts) {
				h.Casts[e.Cast-1].Undone = true
			}
		})
	case HealerAdvised:
		return s.edit(e.Healing, func(h *Healing) { h.Advised = &e })
	case CheckRan:
		if e.Passed && e.Clean && e.Check.Command != "" {
			s.Green = append(slices.Clone(s.Green), e)
			s.Green = s.Green[max(0, len(s.Green)-greenKept):]
		}
		return s.edit(e.Healing, func(h *Healing) { h.Checked, h.seen = &e, len(h.Casts) })
	case HealerConcluded:
		if e.Outcome == Resolved {
			s.Blocked = persistent.Without(s.Blocked, s.subtask(e.Healing))
		}
		return s.edit(e.Healing, func(h *Healing) { h.Ended = &e })
	}
	return s
}

func (s State) edit(healing int, change func(*Healing)) State {
	if healing < 1 || healing > len(s.Healings) {
		return s
	}
	s.Healings = slices.Clone(s.Healings)
	change(&s.Healings[healing-1])
	return s
}

func (s State) subtask(healing int) string {
	if healing < 1 || healing > len(s.Healings) {
		return ""
	}
	return s.Healings[healing-1].Failure.Subtask
}
