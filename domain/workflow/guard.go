package workflow

import (
	"errors"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/failure"
)

// What the guard does with a run that it suspects; see [Settings]. The default is to stop a run if there is evidence
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
	if !suspicion.Stopped || s.archived || suspicion.Info.Version != s.Active || !handedOver && !s.underWay(c.Run) {
		return events, nil
	}
	// What it stopped for is right, so it goes on where it stopped, with what it has read.
	if m := s.Maintenance; m != nil && m.Run == c.Run {
		events = append(events, s.leave(ExitTrusted, s.Active)...)
	}
	if handedOver {
		events = append(events, WorkflowActivated{})
	}
	return append(events, RetryScheduled{Run: c.Run, Attempt: 1, At: now}), nil
}

func (s State) driftSuspected(e DriftSuspected) State {
	suspicion := Suspicion{Info: RunInfo{Run: e.Run, Version: e.Version}, Stopped: e.Stopped, Suspects: e.Suspects}
	if e.Stopped {
		suspicion.Info = s.infoOf(e.Run)
	}
	s.suspected = s.suspected.Put(e.Run, suspicion)
	return s
}

func (s State) runTrusted(e RunTrusted) State {
	suspicion, _ := s.suspected.Get(e.Run)
	suspicion.Suspects = nil
	s.suspected = s.suspected.Put(e.Run, suspicion)
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
	case RunTrusted:
		_, suspected := s.Suspected(e.Run)
		return true, unless(suspected, "nothing is suspected of run %s", e.Run)
	}
	return false, nil
}
