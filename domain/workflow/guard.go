package workflow

import (
	"errors"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// The guard's reactions to a run that it suspects; see [Settings]. The default is to stop a run if there is evidence
// beside garbage, and to mark it otherwise.
const (
	GuardOff    = "off"
	GuardNotice = "notice" // only mark
	GuardStop   = "stop"   // stop for garbage alone, too: such a run is held for its person
)

// Suspicion is what was suspected of a run.
type Suspicion struct {
	Info     RunInfo
	Stopped  bool
	Suspects []Suspect
}

// Marked is a success that counts for nothing until a person says that it is right, or a later version agrees.
type Marked struct {
	Run      string
	Version  Version
	Reviewed Version // the newest version that was asked, zero for none
}

const (
	maxMarked   = 1_000 // marked successes that later versions are asked about: the newest
	reviewBatch = 100   // that are reviewed at once
)

// maxTrusted bounds how many suspects that people called right are kept.
const maxTrusted = 1_000

// Stops says whether the guard stops a run before it writes, for these suspects.
func (s Settings) Stops(suspects []Suspect) bool {
	switch s.Guard {
	case GuardOff, GuardNotice:
		return false
	case GuardStop:
		return len(suspects) > 0
	}
	return !garbageOnly(suspects)
}

func garbageOnly(suspects []Suspect) bool {
	return !slices.ContainsFunc(suspects, func(one Suspect) bool { return one.Kind != SuspectGarbage })
}

// Suspected gives what is suspected of a run and that no person has answered: such a success is no evidence.
func (s State) Suspected(run string) (Suspicion, bool) {
	suspicion, was := s.suspected.Get(run)
	return suspicion, was && len(suspicion.Suspects) > 0
}

// IsEvidence says that a recorded success may show what is right: no person called it wrong, and nothing is suspected
// of it.
func (s State) IsEvidence(run string) bool {
	_, suspected := s.Suspected(run)
	return !suspected && !s.Exempted(run)
}

// Trusts says that a person has called right what has this key.
func (s State) Trusts(key string) bool { return slices.Contains(s.Trusted, key) }

func (c SettleRun) suspected(info RunInfo) []event.Event {
	if len(c.Suspects) == 0 {
		return nil
	}
	suspected := DriftSuspected{Run: info.Run, Version: info.Version, Stopped: c.Failure != nil, Write: cutValue(c.Write)}
	for _, one := range c.Suspects[:min(len(c.Suspects), maxReasons)] {
		one.Key, one.Text = failure.Cut(one.Key, maxLine), failure.Cut(one.Text, maxLine)
		suspected.Suspects = append(suspected.Suspects, one)
	}
	return []event.Event{suspected}
}

func (s State) trustRun(c TrustRun, now time.Time) ([]event.Event, error) {
	suspicion, suspected := s.Suspected(c.Run)
	if !suspected {
		if _, settled := s.runs.Get(c.Run); settled {
			return nil, conflict("nothing is suspected of run %s, or it was answered already", c.Run)
		}
		return nil, notFound("workflow %q has no ended run %s", s.Title, c.Run)
	}
	trusted := RunTrusted{Run: c.Run, Note: failure.Cut(c.Note, maxText)}
	for _, one := range suspicion.Suspects {
		trusted.Keys = append(trusted.Keys, one.Key)
	}
	events := []event.Event{trusted}
	became, _ := s.runs.Get(c.Run)
	if !suspicion.Stopped && s.triesFix(RunInfo{Version: became.Version, Fix: became.Fix}) {
		events = append(events, FixConfirmed{Version: suspicion.Info.Version, Run: c.Run})
	}
	handedOver := s.Escalation != nil && s.Escalation.Run == c.Run
	if !suspicion.Stopped || became.Cancelled || s.archived || suspicion.Info.Version != s.Active || !handedOver && !suspicion.Info.Aside && !s.underWay(c.Run) {
		return events, nil
	}
	// The person says that the answers which the guard stopped it for are right, so the run goes on where it stopped,
	// with these answers.
	if m := s.Maintenance; m != nil && m.Run == c.Run {
		events = append(events, s.leave(ExitTrusted, s.Active)...)
	}
	if handedOver {
		events = append(events, WorkflowActivated{})
	}
	return append(events, RetryScheduled{Run: c.Run, Attempt: 1, At: now}), nil
}

// ToReview are marked successes that the active version may be asked about, the oldest first: it came after them, and
// nothing about it is open.
func (s State) ToReview() []Marked {
	if s.Maintenance != nil || s.archived || len(s.Unconfirmed()) > 0 {
		return nil
	}
	var due []Marked
	for _, one := range s.marked {
		if one.Version.Compare(s.Active) < 0 && one.Reviewed.Compare(s.Active) < 0 && len(due) < reviewBatch {
			due = append(due, one)
		}
	}
	return due
}

func (s State) reviewMarkedRuns(c ReviewMarkedRuns) ([]event.Event, error) {
	due := s.ToReview()
	at := func(run string) int { return slices.IndexFunc(due, func(one Marked) bool { return one.Run == run }) }
	if c.Version != s.Active {
		return nil, conflict("version %s is not the active one any more", c.Version)
	}
	reviewed := MarkedRunsReviewed{Version: c.Version}
	for _, run := range c.Agreed {
		suspicion, _ := s.Suspected(run)
		switch i := at(run); {
		case i < 0: // answered meanwhile
		case due[i].Version.Major == c.Version.Major && garbageOnly(suspicion.Suspects):
			// A mend keeps what it does not touch, garbage among it.
			reviewed.Silent = append(reviewed.Silent, run)
		default:
			reviewed.Agreed = append(reviewed.Agreed, run)
		}
	}
	for _, one := range c.Differ {
		if at(one.Run) >= 0 {
			one.Text = failure.Cut(one.Text, maxLine)
			reviewed.Differ = append(reviewed.Differ, one)
		}
	}
	for _, run := range c.Silent {
		if at(run) >= 0 {
			reviewed.Silent = append(reviewed.Silent, run)
		}
	}
	if len(reviewed.Agreed)+len(reviewed.Differ)+len(reviewed.Silent) == 0 {
		return nil, nil
	}
	return []event.Event{reviewed}, nil
}

func (s State) markedRunsReviewed(e MarkedRunsReviewed) State {
	for _, run := range e.Agreed {
		s = s.cleared(run)
	}
	asked := map[string]bool{}
	for _, one := range e.Differ {
		asked[one.Run] = true
	}
	for _, run := range e.Silent {
		asked[run] = true
	}
	s.marked = slices.Clone(s.marked)
	for i, one := range s.marked {
		if asked[one.Run] {
			s.marked[i].Reviewed = e.Version
		}
	}
	return s
}

// cleared takes back what was suspected of a run.
func (s State) cleared(run string) State {
	suspicion, _ := s.suspected.Get(run)
	suspicion.Suspects = nil
	s.suspected = s.suspected.Put(run, suspicion)
	return s.unmarked(run)
}

// unmarked says that nothing is asked about a marked run any more.
func (s State) unmarked(run string) State {
	s.marked = without(s.marked, func(one Marked) bool { return one.Run == run })
	return s
}

func (s State) driftSuspected(e DriftSuspected) State {
	suspicion := Suspicion{Info: RunInfo{Run: e.Run, Version: e.Version}, Stopped: e.Stopped, Suspects: e.Suspects}
	if e.Stopped {
		suspicion.Info = s.infoOf(e.Run)
	}
	s.suspected = s.suspected.Put(e.Run, suspicion)
	if !e.Stopped {
		s.marked = added(s.marked, Marked{Run: e.Run, Version: e.Version})
		s.marked = s.marked[max(len(s.marked)-maxMarked, 0):]
	}
	return s
}

func (s State) runTrusted(e RunTrusted) State {
	s = s.cleared(e.Run)
	for _, key := range e.Keys {
		if !slices.Contains(s.Trusted, key) {
			s.Trusted = added(s.Trusted, key)
		}
	}
	s.Trusted = s.Trusted[max(len(s.Trusted)-maxTrusted, 0):]
	return s
}

// guardFollows is about what the guard suspects.
func (s State) guardFollows(e event.Event) (isAbout bool, err error) {
	switch e := e.(type) {
	case DriftSuspected:
		_, twice := s.suspected.Get(e.Run)
		return true, errors.Join(s.ended(e.Run, !e.Stopped), unless(!twice, "run %s is suspected already", e.Run), unless(len(e.Suspects) > 0, "nothing is suspected of run %s", e.Run))
	case MarkedRunsReviewed:
		for _, run := range e.Agreed {
			_, suspected := s.Suspected(run)
			err = errors.Join(err, unless(suspected, "nothing is suspected of run %s", run))
		}
		return true, err
	case RunTrusted:
		_, suspected := s.Suspected(e.Run)
		return true, unless(suspected, "nothing is suspected of run %s", e.Run)
	}
	return false, nil
}
