package session

import "slices"

// Step is what is to be done next for a healing.
type Step string

// The steps.
const (
	StepAsk      Step = "ask" // the model, which spell
	StepCast     Step = "cast"
	StepCheck    Step = "check"
	StepConclude Step = "conclude"
)

// Next is a step of a healing. Started is the number of the cast, for a spell that was started already.
type Next struct {
	Step    Step
	Spell   Spell
	Started int
}

// Next is what is to be done for the healing that is under way.
func (s State) Next() (Next, bool) {
	h, open := s.Open()
	if !open {
		return Next{}, false
	}
	if last := len(h.Casts); last > 0 && h.Casts[last-1].Ended == nil {
		return Next{Step: StepCast, Spell: h.Casts[last-1].Spell, Started: last}, true
	}
	switch {
	case h.unchecked(), h.again():
		return Next{Step: StepCheck}, true
	case h.passed():
		return Next{Step: StepConclude}, true
	case h.Planner == Model && h.Advised == nil:
		return Next{Step: StepAsk}, true
	}
	prescribed := s.prescription(h)
	if done := h.castBy(Rules); done < len(prescribed) {
		return Next{Step: StepCast, Spell: prescribed[done]}, true
	}
	if h.Checked == nil {
		return Next{Step: StepCheck}, true
	}
	return Next{Step: StepConclude}, true
}

// unchecked says that something was done that the check may see, and that it has not been run since.
func (h Healing) unchecked() bool {
	return slices.ContainsFunc(h.Casts[h.seen:], func(cast Cast) bool {
		return cast.Ended != nil && cast.Ended.Applied && !bookkeeping(cast.Spell)
	})
}

// again says that the check that failed is to be run once more before anything is done: one that passes by itself is
// flaky, and no work is to be taken away for it. Where an agent failed its check alone shows nothing.
func (h Healing) again() bool {
	return len(h.Casts) == 0 && h.Checked == nil && h.Failure.Check.Command != "" && !h.Failure.Agent
}

// flaky says that the check passed when it was run again, and that nothing had been done in between.
func (h Healing) flaky() bool {
	return len(h.Casts) == 0 && h.passed() && h.Failure.Check.Command != ""
}

// bookkeeping changes nothing that a check is about.
func bookkeeping(spell Spell) bool { return spell == MarkBlocked || spell == UpdateProgress }

// passed says that the check that failed passes, with the work.
func (h Healing) passed() bool {
	return h.Checked != nil && h.Checked.Passed && h.Checked.Check == h.Failure.Check && !h.unchecked() && !h.setAside() && h.agentEnded()
}

// agentEnded says that, where it was an agent that failed, one was launched since and ended well.
func (h Healing) agentEnded() bool {
	ended := !h.Failure.Agent
	for _, cast := range h.Casts {
		if launches(cast.Spell) && cast.Ended != nil && cast.Ended.Applied {
			ended = ended || !cast.Ended.Failed
		}
	}
	return ended
}

// launches says that a spell launches an agent.
func launches(spell Spell) bool {
	return spell == RetryMinimal || spell == RetryResume || spell == FixTypecheck
}

// setAside says that what passes the check is not the work: that was taken out of the tree, and nothing was done since.
// Where the failure was what lay about before the work began, there is no such work.
func (h Healing) setAside() bool {
	if h.Failure.Trigger == LeftDirty || h.Failure.Trigger == InitFailed {
		return false
	}
	aside := false
	for _, cast := range h.Casts {
		if cast.Ended == nil || !cast.Ended.Applied || !cast.Ended.Changed {
			continue
		}
		switch cast.Spell {
		case RewindUncommitted, RewindToGreen:
			aside = true
		case RetryMinimal, RetryResume, FixTypecheck:
			aside = false
		}
	}
	return aside
}

func (h Healing) castBy(by Planner) int {
	count := 0
	for _, cast := range h.Casts {
		if cast.By == by {
			count++
		}
	}
	return count
}

// prescription is what the rules have done, in this order, as far as it is needed: first what may mend, then what contains.
func (s State) prescription(h Healing) []Spell {
	contain := []Spell{RewindUncommitted, MarkBlocked, UpdateProgress}
	all := contain
	if h.Planner == Rules || h.Advised != nil && h.Advised.Unavailable {
		all = append(cures(h.Failure, s.Policy.Mode), contain...)
	}
	return slices.DeleteFunc(slices.Clone(all), func(spell Spell) bool { return !s.Policy.Allows(spell) })
}

// cures are the spells that may mend a failure. One whose precondition does not hold does nothing.
func cures(f Failure, mode Mode) []Spell {
	bold := mode == Aggressive
	var all []Spell
	switch f.Trigger {
	case LeftDirty:
		return []Spell{RunDoctor, RewindUncommitted}
	case InitFailed:
		all = append(all, RunDoctor)
		if f.Kind == KindTypecheck {
			all = append(all, FixTypecheck)
		}
		all = append(all, RewindUncommitted)
		if bold {
			all = append(all, RewindToGreen, RetryMinimal)
		}
		return all
	case Stuck:
		if bold {
			all = append(all, RewindUncommitted)
		}
		return append(all, RetryMinimal)
	}
	if f.Kind == KindTypecheck {
		all = append(all, FixTypecheck)
	}
	if f.Kind == KindEnvironment {
		all = append(all, RunDoctor)
	}
	if f.AgentSession != "" {
		all = append(all, RetryResume)
	}
	if bold || len(all) == 0 {
		all = append(all, RetryMinimal)
	}
	if bold {
		all = append(all, RewindToGreen, RetryMinimal)
	}
	return all
}
