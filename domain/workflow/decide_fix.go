package workflow

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

func (s State) proposeFix(c ProposeFix) ([]event.Event, error) {
	if c.Proposal == "" {
		return nil, invalid("a proposal needs an id")
	}
	if _, known := s.proposals.Get(c.Proposal); known {
		return nil, conflict("proposal %s was submitted already", c.Proposal)
	}
	if err := isScript(c.Proposal, c.Code, c.Comment); err != nil {
		return nil, err
	}
	proposed := FixProposed{Proposal: c.Proposal, Task: c.Task, Code: c.Code, Comment: c.Comment, Fixer: c.Fixer}
	if left, was := s.tasks.Get(c.Task); was { // rule 9: recorded even after maintenance was left
		proposed.Run, proposed.Base = left.run, left.base
		return []event.Event{proposed, FixRejectedStale{
			Proposal: c.Proposal, Base: left.base, Current: s.Active, Why: s.overtakenBy(left.why),
		}}, nil
	}
	m := s.Maintenance
	if m == nil || m.Task != c.Task {
		return nil, notFound("workflow %q has no maintainer task %s", s.Title, c.Task)
	}
	if err := s.maintainerMayAct(); err != nil {
		return nil, err
	}
	for _, id := range s.Undecided {
		if slices.Contains(m.Proposals, id) {
			return nil, conflict("proposal %s of task %s is not judged yet: hand in its verdict first", id, m.Task)
		}
	}
	if err := s.samePackages(m.Base, c.Code); err != nil {
		return nil, err
	}
	proposed.Run, proposed.Base = m.Run, m.Base
	return []event.Event{proposed}, nil
}

// maintainerMayAct holds the maintainer back while the planner is at work, rule 8, or a fix waits for a
// person, unless a better one is still looked for.
func (s State) maintainerMayAct() error {
	if s.PlannerRunning() {
		return conflict("the planner is at work on workflow %q (task %s): the maintainer waits until it is done", s.Title, s.Planner.Task)
	}
	if m := s.Maintenance; m != nil && m.Held != nil && !s.BetterWanted() {
		return conflict("proposal %s of workflow %q waits for a person: it is accepted, corrected or declined first", m.Held.Proposal, s.Title)
	}
	return nil
}

func (s State) judgeFix(c JudgeFix) ([]event.Event, error) {
	p, known := s.proposals.Get(c.Proposal)
	if !known {
		return nil, notFound("workflow %q has no proposal %s", s.Title, c.Proposal)
	}
	if p.State != ProposalProposed {
		return nil, conflict("proposal %s is judged already: it is %s", p.ID, p.State)
	}
	v := c.Verification.bounded()
	verified := FixVerified{Proposal: p.ID, Verification: v, Alternatives: cutAlternatives(c.Alternatives)}
	if why, stale := s.stale(p); stale {
		var events []event.Event
		if v.Verdict != "" {
			events = append(events, verified)
		}
		events = append(events, FixRejectedStale{Proposal: p.ID, Base: p.Base, Current: s.Active, Why: why})
		if s.Maintenance != nil && s.Maintenance.Task == p.Task {
			events = append(events, MaintenanceExited{Task: p.Task, Why: ExitStale})
		}
		return events, nil
	}
	if err := v.valid(); err != nil {
		return nil, err
	}
	if c.ScriptID == "" {
		return nil, invalid("proposal %s needs the id of the script version that it may become", p.ID)
	}
	if err := s.maintainerMayAct(); err != nil {
		return nil, err
	}
	if v.Verdict == VerdictDifferent {
		return []event.Event{verified, FixRejectedDifferent{Proposal: p.ID, Divergence: v.Divergence}}, nil
	}
	events := append([]event.Event{verified}, s.replaced()...)
	if reasons := s.Settings.WithDefaults().AutoFix.holds(v, c.Alternatives); len(reasons) > 0 {
		unheard := failure.Cut(c.Unheard, maxLine)
		return append(events, FixHeld{
			Proposal: p.ID, Reasons: withUnheard(reasons, unheard), Alternatives: verified.Alternatives, Unheard: unheard,
		}), nil
	}
	return append(events, s.applied(p, c.ScriptID)...), nil
}

// applied makes a fix the next minor version, without a person.
func (s State) applied(p Proposal, scriptID string) []event.Event {
	saved := s.fixedScript(p, scriptID, p.Code, p.Comment)
	return []event.Event{FixApplied{Proposal: p.ID, Version: saved.Version}, saved, MaintenanceExited{Task: p.Task, Why: ExitFixed}}
}

// replaced overtakes the fix that waits for a person: a better one is here before they answered.
func (s State) replaced() []event.Event {
	m := s.Maintenance
	if m.Held == nil {
		return nil
	}
	return []event.Event{FixRejectedStale{Proposal: m.Held.Proposal, Base: m.Base, Current: s.Active, Why: StaleReplaced}}
}

// withUnheard tells the person among the reasons that somebody was not heard.
func withUnheard(reasons []string, unheard string) []string {
	if unheard == "" {
		return reasons
	}
	return append(slices.Clip(reasons), unheard)
}

func (v Verification) valid() error {
	switch v.Verdict {
	case VerdictIdentical, VerdictDifferent, VerdictUnverifiable:
		return nil
	}
	return invalid("%q is not a verdict: it is identical, different or unverifiable", v.Verdict)
}

// stale says whether a fix was overtaken, rule 9: maintenance was left (every save and
// rollback leaves it), or the active version is not the one it was based on.
func (s State) stale(p Proposal) (why string, stale bool) {
	if s.Maintenance == nil || s.Maintenance.Task != p.Task {
		left, _ := s.tasks.Get(p.Task)
		return s.overtakenBy(left.why), true
	}
	if s.Active != p.Base {
		return s.overtakenBy(""), true
	}
	return "", false
}

// overtakenBy says why a fix is stale, from why its task was left.
func (s State) overtakenBy(exit string) string {
	if why := staleBecause(exit); why != "" {
		return why
	}
	for _, script := range slices.Backward(s.Versions) {
		switch script.Origin {
		case OriginRollback:
			return StaleRolledBack
		case OriginPlanner, OriginPerson, OriginAgent, OriginProgram:
			return StaleReplanned
		}
	}
	return StaleReplanned
}

// staleBecause is what leaving a task makes of its fixes; empty if the exit does not say.
func staleBecause(exit string) string {
	switch exit {
	case ExitReplanned:
		return StaleReplanned
	case ExitRolledBack:
		return StaleRolledBack
	case ExitEscalated:
		return StaleEscalated
	case ExitArchived:
		return StaleArchived
	case ExitFixed:
		return StaleFixed
	case ExitTrusted:
		return StaleTrusted
	case ExitWorks:
		return StaleWorks
	}
	return ""
}

// holds is the mode table: why a fix that is not different needs a person. None means that it is applied.
func (m Mode) holds(v Verification, alternatives []Alternative) []string {
	reasons := slices.Clone(v.Reasons)
	for _, doubt := range v.Doubts {
		if !slices.Contains(reasons, doubt) {
			reasons = append(reasons, doubt)
		}
	}
	if len(alternatives) > 0 && len(reasons) == 0 {
		reasons = append(reasons, "other candidates pass as well and lead to another outcome")
	}
	if m == ModePropose {
		reasons = append(reasons, "this workflow's mode is propose: a person accepts every fix")
	}
	if m == ModeOff { // switched off while the repair was under way
		reasons = append(reasons, "automatic fixes are off for this workflow")
	}
	if v.Verdict == VerdictUnverifiable {
		switch {
		case v.Missing > 0:
			reasons = append(reasons, fmt.Sprintf("%d recorded successes could not be verified", v.Missing))
		case v.Rehearsal != nil && !v.Rehearsal.Succeeded:
			reasons = append(reasons, "it could not be verified and its rehearsal failed: "+cmp.Or(v.Rehearsal.Problem, "no reason given"))
		case m == ModeProven:
			reasons = append(reasons, "it could not be verified, and this workflow's mode is proven")
		case v.Rehearsal == nil && v.Replayed+v.Excluded > 0:
			reasons = append(reasons, fmt.Sprintf("it could not be verified: %d of %d recorded runs were replayed and it was not rehearsed",
				v.Replayed, v.Replayed+v.Excluded))
		}
	}
	if v.Rehearsal != nil {
		reasons = append(reasons, v.Rehearsal.Invented...)
	}
	return cutReasons(reasons)
}

// fixedScript is the version that a fix becomes: the next minor of its base. Code and
// comment are the fix's; everything else is carried over untouched, rule 11.
func (s State) fixedScript(p Proposal, id, code, comment string) ScriptSaved {
	base, _ := s.Script(p.Base)
	return ScriptSaved{
		ScriptID: id, Version: s.nextMinor(p.Base.Major), Code: code, SHA256: digest(code), Comment: comment,
		Summary: base.Summary, Diagram: base.Diagram, Origin: OriginMaintainer, Task: p.Task, Proposal: p.ID,
	}
}

func (s State) endMaintenance(c EndMaintenance) ([]event.Event, error) {
	if left, was := s.tasks.Get(c.Task); was {
		return nil, conflict("maintainer task %s was left already: %s", c.Task, left.why)
	}
	if s.Maintenance == nil || s.Maintenance.Task != c.Task {
		return nil, notFound("workflow %q has no maintainer task %s", s.Title, c.Task)
	}
	if err := s.maintainerMayAct(); err != nil {
		return nil, err
	}
	if s.Maintenance.Held != nil {
		return nil, conflict("proposal %s of workflow %q waits for a person: it is for them to decide", s.Maintenance.Held.Proposal, s.Title)
	}
	explanation := cmp.Or(c.Explanation, "The maintainer found no fix and did not say why.")
	reason := EscalatedUnfixable
	if c.Broken {
		reason = EscalatedInternal
	}
	return s.escalate(reason, explanation, s.Maintenance.Run), nil
}

// held gives the fix that waits for a person, if it is this one.
func (s State) held(proposal string) (Proposal, *Held, error) {
	p, known := s.proposals.Get(proposal)
	if !known {
		return p, nil, notFound("workflow %q has no proposal %s", s.Title, proposal)
	}
	if s.Maintenance == nil || s.Maintenance.Held == nil || s.Maintenance.Held.Proposal != proposal {
		now := "none waits now"
		if m := s.Maintenance; m != nil && m.Held != nil {
			now = fmt.Sprintf("proposal %s waits now", m.Held.Proposal)
		}
		return p, nil, conflict("proposal %s does not wait for a person: it is %s; %s", proposal, p.State, now)
	}
	return p, s.Maintenance.Held, nil
}

func (s State) acceptFix(c AcceptFix) ([]event.Event, error) {
	p, held, err := s.held(c.Proposal)
	if err != nil {
		return nil, err
	}
	if c.ScriptID == "" {
		return nil, invalid("proposal %s needs the id of the script version that it becomes", p.ID)
	}
	code, comment := p.Code, p.Comment
	var widens *Widening
	if v := p.Verification; v != nil {
		widens = v.Widens
		if v.Verdict == VerdictDifferent && c.Alternative == 0 { // it was rechecked
			return nil, conflict("proposal %s changes what used to work: %s. Declare that run wrong and recheck, correct the fix, or decline it", p.ID, v.Divergence)
		}
	}
	if c.Alternative != 0 {
		if c.Alternative < 0 || c.Alternative > len(held.Alternatives) {
			return nil, invalid("proposal %s has %d alternatives: there is none numbered %d", p.ID, len(held.Alternatives), c.Alternative)
		}
		chosen := held.Alternatives[c.Alternative-1]
		code, comment, widens = chosen.Code, chosen.Comment, chosen.Widens
		if err := isScript(c.ScriptID, code, comment); err != nil {
			return nil, err
		}
	}
	if why, stale := s.stale(p); stale {
		return []event.Event{
			FixRejectedStale{Proposal: p.ID, Base: p.Base, Current: s.Active, Why: why},
			MaintenanceExited{Task: p.Task, Why: ExitStale},
		}, nil
	}
	saved := s.fixedScript(p, c.ScriptID, code, comment)
	accepted := FixAccepted{
		Proposal: p.ID, Version: saved.Version, Reason: failure.Cut(c.Reason, maxText), Alternative: c.Alternative,
	}
	settings := s.Settings
	allow := slices.Clone(c.AllowHosts)
	if widens != nil {
		allow = append(allow, widens.Hosts...)
		accepted.BindSecrets = widens.Secrets
	}
	for _, host := range allow {
		if !slices.Contains(settings.AllowedHosts, host) && !slices.Contains(accepted.AllowHosts, host) {
			accepted.AllowHosts = append(accepted.AllowHosts, host)
		}
	}
	events := []event.Event{accepted}
	if len(accepted.AllowHosts) > 0 {
		settings.AllowedHosts = slices.Concat(settings.AllowedHosts, accepted.AllowHosts)
		if err := settings.Validate(); err != nil {
			return nil, err
		}
		events = append(events, SettingsChanged{Settings: settings})
	}
	return append(events, saved, MaintenanceExited{Task: p.Task, Why: ExitFixed}), nil
}

func (s State) declineFix(c DeclineFix) ([]event.Event, error) {
	p, _, err := s.held(c.Proposal)
	if err != nil {
		return nil, err
	}
	declined := FixDeclined{Proposal: p.ID, Reason: failure.Cut(c.Reason, maxText)}
	explanation := "The fix was declined."
	if c.Reason != "" {
		explanation = "The fix was declined: " + c.Reason
	}
	// The fix is answered; leaving its task must not call it stale as well.
	answered := Evolve(s, declined)
	return append([]event.Event{declined}, answered.escalate(EscalatedDeclined, explanation, p.Run)...), nil
}

func (s State) correctFix(c CorrectFix) ([]event.Event, error) {
	p, _, err := s.held(c.Proposal)
	if err != nil {
		return nil, err
	}
	return []event.Event{FixCorrectionRequested{Proposal: p.ID, Note: failure.Cut(c.Note, maxText)}}, nil
}

func (s State) recheckFix(c RecheckFix) ([]event.Event, error) {
	p, held, err := s.held(c.Proposal)
	if err != nil {
		return nil, err
	}
	if err := c.Verification.valid(); err != nil {
		return nil, err
	}
	v := c.Verification.bounded()
	if p.Verification != nil {
		v.Doubts = p.Verification.Doubts
	}
	rechecked := FixRechecked{Proposal: p.ID, Verification: v, Unheard: held.Unheard}
	alternatives := held.Alternatives
	if c.Heard {
		rechecked.Unheard = ""
		alternatives = moreAlternatives(held.Alternatives, c.Alternatives)
		rechecked.Alternatives = alternatives
	}
	reasons := s.Settings.WithDefaults().AutoFix.holds(v, alternatives)
	if v.Verdict == VerdictDifferent {
		reasons = append([]string{"it changes what used to work: " + v.Divergence}, reasons...)
	}
	rechecked.Reasons = withUnheard(cutReasons(reasons), rechecked.Unheard)
	return []event.Event{rechecked}, nil
}

// moreAlternatives adds those that are new at the end: a person may be about to take one by its number.
func moreAlternatives(known, found []Alternative) []Alternative {
	all := slices.Clip(known)
	for _, one := range found {
		if !slices.ContainsFunc(all, func(other Alternative) bool { return other.Code == one.Code }) {
			all = append(all, one)
		}
	}
	return cutAlternatives(all)
}

func (s State) withdrawFixes(c WithdrawFixes) ([]event.Event, error) {
	if err := s.editable(); err != nil {
		return nil, err
	}
	if len(s.Unconfirmed()) == 0 {
		return nil, s.refused("has no unconfirmed fix to withdraw: roll back to go to an earlier version")
	}
	explanation := "A person withdrew the fixes."
	if c.Reason != "" {
		explanation = "A person withdrew the fixes: " + c.Reason
	}
	return s.escalate(EscalatedWithdrawn, explanation, ""), nil
}
