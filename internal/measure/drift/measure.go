package drift

import (
	"context"
	"fmt"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Effect is what a change does to the script.
type Effect string

// The effects of a change.
const (
	Harmless Effect = "harmless" // the same end as before
	Silent   Effect = "silent"   // another end, and no error: nothing can detect it
	Detected Effect = "detected" // an error of class logic, which starts a repair
	Other    Effect = "other"    // an error of another class
)

// Applied is what became of a script that was applied.
type Applied string

// Outcomes of an applied script, over the failing run and all days held aside.
const (
	Nothing    Applied = ""           // nothing was applied
	Right      Applied = "right"      // every run comes to the end it had without the change
	Incomplete Applied = "incomplete" // some fail, none comes to a wrong end
	Wrong      Applied = "wrong"      // some run comes to a wrong end
)

// Measured is what the repair makes of one fault.
type Measured struct {
	Effect Effect
	// Applied is what mode auto applies without asking.
	Applied Applied
	// Held is what the best candidate would have been, if a person has to decide about it.
	Held Applied
	// Ungated is what applying the first candidate that lets the failing run pass comes to.
	Ungated Applied
	Result  repair.Result
	Failed  gate.Run
	// Gate is what judged the fixes, for more of them.
	Gate *gate.Gate
}

// Measure breaks the day, lets the fixers mend the script as a server would, and holds
// what comes of it against the days held aside. Without fixers it is the templates.
func (s *Scene) Measure(ctx context.Context, fault Fault, fixers ...repair.Fixer) (Measured, error) {
	if len(fixers) == 0 {
		fixers = []repair.Fixer{repair.Templates{Runner: s.runner}}
	}
	day, _ := fault.apply(s.day.day)
	var m Measured
	failed, err := live(ctx, s.runner, &s.Automation, s.Automation.Code, s.day.id, day, s.day.state.Clone())
	if err != nil {
		return m, err
	}
	m.Failed = failed
	if m.Effect = effect(failed, s.day.end); m.Effect != Detected {
		return m, nil
	}
	subject := gate.Subject{Code: s.Automation.Code, Version: "1.0", Zone: s.Automation.Zone, Failed: failed, Successes: s.Successes}
	opened, err := gate.Open(ctx, s.runner, subject, gate.Options{})
	if err != nil {
		return m, fmt.Errorf("drift: %s: %w", s.Automation.Name, err)
	}
	m.Gate = opened
	m.Result, err = repair.Mend(ctx, opened, repair.Evidence{
		Title: s.Automation.Title, Intent: s.Automation.Intent, Code: s.Automation.Code, Version: "1.0", Zone: s.Automation.Zone,
		Failed: failed, Successes: s.Successes, Failure: sandbox.Error{Class: failed.Outcome.Error.Class, Name: failed.Outcome.Error.Name, Message: failed.Outcome.Error.Message},
	}, fixers...)
	if err != nil {
		return m, fmt.Errorf("drift: %s: %w", s.Automation.Name, err)
	}
	if best := m.Result.Best; best != nil {
		became, err := s.try(ctx, fault, best.Candidate.Code)
		if err != nil {
			return m, err
		}
		// An unverifiable fix is rehearsed: a dry run on the failing input with live reads.
		rehearsed := best.Judgement.Verdict == gate.Identical
		if !rehearsed && !m.Result.Held {
			again, err := live(ctx, s.runner, &s.Automation, best.Candidate.Code, s.day.id, day, s.day.state.Clone())
			if err != nil {
				return m, err
			}
			rehearsed = again.Outcome.Status == "succeeded"
		}
		if m.Result.Held || !rehearsed {
			m.Held = became
		} else {
			m.Applied = became
		}
	}
	for _, one := range m.Result.Tried {
		if one.Judgement.FailingRun.Status == "succeeded" || one.Judgement.Rehearsable {
			m.Ungated, err = s.try(ctx, fault, one.Candidate.Code)
			return m, err
		}
	}
	return m, nil
}

// try runs a script on the failing day and on the days held aside, all of them changed.
func (s *Scene) try(ctx context.Context, fault Fault, code string) (Applied, error) {
	became := Right
	for _, one := range append([]heldOutDay{s.day}, s.heldOut...) {
		day, _ := fault.apply(one.day)
		run, err := live(ctx, s.runner, &s.Automation, code, one.id, day, one.state.Clone())
		if err != nil {
			return Nothing, err
		}
		switch end(run) {
		case one.end:
		case "":
			became = Incomplete
		default:
			return Wrong, nil
		}
	}
	return became, nil
}

// Effect is what a change does to the script, without a repair.
func (s *Scene) Effect(ctx context.Context, fault Fault) (Effect, error) {
	day, _ := fault.apply(s.day.day)
	run, err := live(ctx, s.runner, &s.Automation, s.Automation.Code, s.day.id, day, s.day.state.Clone())
	return effect(run, s.day.end), err
}

func effect(run gate.Run, want string) Effect {
	switch {
	case run.Outcome.Status == "succeeded" && end(run) == want:
		return Harmless
	case run.Outcome.Status == "succeeded":
		return Silent
	case run.Outcome.Error.Class != sandbox.ClassLogic:
		return Other
	}
	return Detected
}
