package session

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

// Texts are kept up to these sizes, in bytes.
const (
	maxText = 4 << 10
	maxTail = 8 << 10
)

const maxID = 128

// name has no bound in it: a pattern that counts to 128 is as many patterns, and every process makes them.
var name = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// CheckID refuses what is no id of a session.
func CheckID(id string) error {
	if len(id) > maxID || !name.MatchString(id) {
		return fault.New(fault.Invalid, "%q is no id of a session: up to 128 letters, digits, _ or -, beginning with a letter or digit", id)
	}
	return nil
}

// Decide says what happens when a command meets a state: the events of one append, none if there is nothing to do, or a
// refusal (see package fault). It is pure.
func Decide(s State, c Command, _ time.Time) ([]event.Event, error) {
	if open, is := c.(Open); is {
		return s.open(open)
	}
	if s.ID == "" {
		return nil, fault.New(fault.NotFound, "there is no such session: see 'kintsugi healer list'")
	}
	switch c := c.(type) {
	case Invoke:
		return s.invoke(c)
	case StartSpell:
		return s.startSpell(c)
	case ApplySpell:
		return s.applySpell(c)
	case Advise:
		h, err := s.at(c.Healing)
		if err != nil || h.Advised != nil {
			return nil, err
		}
		c.Says = failure.Cut(c.Says, maxText)
		return []event.Event{c.HealerAdvised}, nil
	case ReportCheck:
		if c.Healing != 0 {
			if _, err := s.at(c.Healing); err != nil {
				return nil, err
			}
		}
		switch { // what no command checks is never well by somebody's word
		case c.CheckRan.Check.Name == CleanTree && c.CheckRan.Check.Command == "":
			c.Passed = c.Clean
		case c.CheckRan.Check.Command == "":
			c.Passed = false
		}
		c.Tail = failure.Tail(c.Tail, maxTail)
		return []event.Event{c.CheckRan}, nil
	case Conclude:
		return s.conclude(c)
	case Stop:
		h, err := s.at(c.Healing)
		if err != nil {
			return nil, nil //nolint:nilerr // it has ended
		}
		stopped := s.concluded(c.Healing, h.Failure.Subtask, Unresolved, failure.Cut(c.Reason, maxText))
		stopped.Stopped = true
		return []event.Event{stopped}, nil
	case UndoSpell:
		if why := s.undoes(c.Healing, c.Cast); why != "" {
			return nil, fault.New(fault.Conflict, "%s", why)
		}
		c.Detail = failure.Cut(c.Detail, maxText)
		return []event.Event{c.SpellUndone}, nil
	case Unblock:
		if _, blocked := s.Blocked[c.Subtask]; !blocked {
			return nil, nil // it goes on already
		}
		return []event.Event{TaskUnblocked{Subtask: c.Subtask, Reason: failure.Cut(c.Reason, maxText)}}, nil
	}
	return nil, fault.New(fault.Internal, "session: no decision for %T: add it to Decide", c)
}

func (s State) open(c Open) ([]event.Event, error) {
	if s.ID != "" {
		if s.Worktree != c.Worktree || !s.For(c.Host, c.Place) {
			return nil, fault.New(fault.Conflict, "session %s works in %s on %s: name another session", s.ID, s.Worktree, s.Host)
		}
		return nil, nil
	}
	if err := c.Policy.Check(); err != nil {
		return nil, err
	}
	if err := CheckID(c.ID); err != nil {
		return nil, err
	}
	return []event.Event{c.SessionOpened}, nil
}

func (s State) invoke(c Invoke) ([]event.Event, error) {
	if h, open := s.Open(); open {
		return nil, fault.New(fault.Conflict, "healing %d of session %s is under way: wait for its end", h.Healing, s.ID)
	}
	f := c.Failure
	f.Tail, f.Says, f.Task = failure.Tail(f.Tail, maxTail), failure.Cut(f.Says, maxText), failure.Cut(f.Task, maxText)
	before := s.before(f)
	invoked := HealerInvoked{
		Healing: len(s.Healings) + 1, Failure: f, Planner: c.Planner, Head: c.Head, Branch: c.Branch, Same: before != nil,
	}
	if why := s.refuses(f, before); why != "" {
		return []event.Event{invoked, s.concluded(invoked.Healing, f.Subtask, Skipped, why)}, nil
	}
	return []event.Event{invoked}, nil
}

// counts says that a healing came to something by itself: one that was skipped, or stopped before its end, says nothing of
// the next.
func (h Healing) counts() bool {
	return h.Ended != nil && h.Ended.Outcome != Skipped && !h.Ended.Stopped
}

// before is the newest healing of the same failure.
func (s State) before(f Failure) *Healing {
	for i := len(s.Healings) - 1; i >= 0; i-- {
		if h := s.Healings[i]; h.counts() && h.Failure.Subtask == f.Subtask && h.Failure.Fingerprint == f.Fingerprint {
			return &h
		}
	}
	return nil
}

// refuses is why the policy lets nothing be done, nothing if it does.
func (s State) refuses(f Failure, before *Healing) string {
	p := s.Policy
	session, subtask := 0, 0
	for _, h := range s.Healings {
		if !h.counts() {
			continue
		}
		session++
		if f.Subtask != "" && h.Failure.Subtask == f.Subtask && h.Ended.Outcome != Resolved {
			subtask++
		}
	}
	followup, blocked := s.Blocked[f.Subtask]
	switch {
	case !p.Enabled:
		return "the Healer is switched off (enabled: false)"
	case slices.Contains(p.Off, f.Trigger):
		return fmt.Sprintf("the scenario %s is switched off", f.Trigger)
	case blocked:
		return fmt.Sprintf("%s is blocked until a person unblocks it: %s", subtaskText(f.Subtask), followup)
	case before != nil && before.Ended.Outcome == Unresolved:
		return fmt.Sprintf("it failed exactly like this before, and healing %d could not resolve it", before.Healing)
	case session >= p.PerSession:
		return fmt.Sprintf("this session has had its %d healings", p.PerSession)
	case f.Subtask != "" && subtask >= p.PerSubtask:
		return fmt.Sprintf("%s has had its %d healings", subtaskText(f.Subtask), p.PerSubtask)
	}
	return ""
}

// at is the healing that is under way, if it is the one that is meant.
func (s State) at(healing int) (Healing, error) {
	h, open := s.Open()
	if !open || h.Healing != healing {
		return h, fault.New(fault.Conflict, "healing %d of session %s is not under way", healing, s.ID)
	}
	return h, nil
}

// undoes is why a spell cannot be undone, nothing if it can.
func (s State) undoes(healing, cast int) string {
	if h, open := s.Open(); open {
		return fmt.Sprintf("healing %d of session %s is under way: wait for its end", h.Healing, s.ID)
	}
	if healing < 1 || healing > len(s.Healings) || cast < 1 || cast > len(s.Healings[healing-1].Casts) {
		return fmt.Sprintf("session %s has no spell %d.%d: see 'kintsugi healer show %s'", s.ID, healing, cast, s.ID)
	}
	switch one := s.Healings[healing-1].Casts[cast-1]; {
	case one.Undone:
		return fmt.Sprintf("spell %d.%d was undone already", healing, cast)
	case one.Ended == nil || !one.Ended.Applied || one.Ended.Undo.Kind == UndoNothing || one.Ended.Undo.Kind != UndoBlock && one.Ended.Undo.Ref == "":
		return fmt.Sprintf("spell %d.%d changed nothing that could be undone", healing, cast)
	}
	return ""
}

// Undoable is the spell that is meant by its healing and its place in it, or a refusal.
func (s State) Undoable(healing, cast int) (SpellApplied, error) {
	if s.ID == "" {
		return SpellApplied{}, fault.New(fault.NotFound, "there is no such session: see 'kintsugi healer list'")
	}
	if why := s.undoes(healing, cast); why != "" {
		return SpellApplied{}, fault.New(fault.Conflict, "%s", why)
	}
	return *s.Healings[healing-1].Casts[cast-1].Ended, nil
}

func (s State) startSpell(c StartSpell) ([]event.Event, error) {
	h, err := s.at(c.Healing)
	if err != nil {
		return nil, err
	}
	next, _ := s.Next()
	switch {
	case !s.Policy.Allows(c.Spell):
		return nil, fault.New(fault.Forbidden, "the policy of session %s does not allow %s", s.ID, c.Spell)
	case c.By == Model && next.Step != StepAsk, c.By == Rules && (next.Step != StepCast || next.Spell != c.Spell || next.Started != 0):
		return nil, fault.New(fault.Conflict, "%s is not what is next for healing %d", c.Spell, c.Healing)
	}
	return []event.Event{SpellStarted{Healing: c.Healing, Cast: len(h.Casts) + 1, Spell: c.Spell, By: c.By, Note: failure.Cut(c.Note, maxText), Call: c.Call}}, nil
}

func (s State) applySpell(c ApplySpell) ([]event.Event, error) {
	h, err := s.at(c.Healing)
	if err != nil {
		return nil, err
	}
	if last := len(h.Casts); last == 0 || c.Cast != last || h.Casts[last-1].Spell != c.Spell || h.Casts[last-1].Ended != nil {
		return nil, fault.New(fault.Conflict, "no spell %s is being applied as cast %d of healing %d", c.Spell, c.Cast, c.Healing)
	}
	c.Detail, c.Followup = failure.Cut(c.Detail, maxText), failure.Cut(c.Followup, maxText)
	return []event.Event{c.SpellApplied}, nil
}

func (s State) conclude(c Conclude) ([]event.Event, error) {
	h, err := s.at(c.Healing)
	if err != nil {
		return nil, err
	}
	if next, _ := s.Next(); next.Step != StepConclude {
		return nil, fault.New(fault.Conflict, "healing %d is not at its end: next is %s %s", c.Healing, next.Step, next.Spell)
	}
	outcome, reason := s.outcome(h)
	ended := s.concluded(c.Healing, h.Failure.Subtask, outcome, reason)
	ended.Flaky = h.flaky()
	return []event.Event{ended}, nil
}

func (s State) concluded(healing int, subtask string, outcome Outcome, reason string) HealerConcluded {
	return HealerConcluded{Healing: healing, Outcome: outcome, Reason: reason, Continue: outcome == Resolved, Subtask: subtask, Plan: s.Plan, Job: s.Job}
}

// outcome is what a healing came to, by what the server saw and by nothing else.
func (s State) outcome(h Healing) (Outcome, string) {
	switch {
	case h.flaky():
		return Resolved, fmt.Sprintf("%s is flaky: it failed, and it passed when the server ran it again. Nothing was changed in between, and the work is where it was", checkText(h.Failure.Check))
	case h.passed():
		return Resolved, fmt.Sprintf("%s passes: the server ran it again", checkText(h.Failure.Check))
	}
	saw := h.Checked
	if saw == nil {
		return Unresolved, "the check was not run again"
	}
	var lacks []string
	if !saw.Clean {
		lacks = append(lacks, "the tree is not clean")
	}
	if len(saw.Lost) > 0 {
		lacks = append(lacks, "what was kept is not where it was kept: "+strings.Join(saw.Lost, ", "))
	}
	if !h.blocked() {
		lacks = append(lacks, subtaskText(h.Failure.Subtask)+" is not blocked")
	}
	why := checkText(h.Failure.Check) + " still fails"
	switch {
	case saw.Passed && !h.agentEnded():
		why = "the check passes, but it was the agent that failed, and none has ended well since"
	case saw.Passed:
		why = "the check passes without the work, which was set aside"
	}
	if len(lacks) == 0 {
		return Contained, why + "; the tree is clean, the work is kept, and " + subtaskText(h.Failure.Subtask) + " is blocked"
	}
	return Unresolved, why + "; " + strings.Join(lacks, "; ")
}

// blocked says that this healing blocked its subtask.
func (h Healing) blocked() bool {
	for _, cast := range h.Casts {
		if cast.Spell == MarkBlocked && cast.Ended != nil && cast.Ended.Applied {
			return true
		}
	}
	return false
}

func subtaskText(subtask string) string {
	if subtask == "" {
		return "the session"
	}
	return subtask
}

func checkText(c Check) string {
	if c.Name == "" && c.Command == "" {
		return "there is no check: nothing"
	}
	return c.Name
}
