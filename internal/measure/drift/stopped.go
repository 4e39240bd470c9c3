package drift

import (
	"context"
	"fmt"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/measure/automation"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/proof/guard"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// Stop is the first run of some days that the guard stopped.
type Stop struct {
	Run      gate.Run // as far as it came
	Findings []guard.Finding
	Day      automation.Run
	Later    []automation.Run
	version  guard.Version // with what was known then
}

// Mends is what the repair makes of runs that the guard stopped.
type Mends struct {
	Stopped int
	Passing int // what they swallowed is tried again later, and mends itself
	Right   int // mended without asking: right on that day and on every later one
	Partly  int // mended without asking: some later day fails by itself, or is stopped again
	Wrong   int // mended without asking: a later day comes to a wrong end
	Held    int // for a person, and right
	Others  int // for a person, and not right
	None    int // no fix was found
}

// Add sums up.
func (m *Mends) Add(other Mends) {
	m.Stopped += other.Stopped
	m.Passing += other.Passing
	m.Right += other.Right
	m.Partly += other.Partly
	m.Wrong += other.Wrong
	m.Held += other.Held
	m.Others += other.Others
	m.None += other.None
}

// stopAt is a run as far as the guard let it come: its next write did not go out.
func stopAt(run gate.Run, calls int, found []guard.Finding) gate.Run {
	run.Calls = run.Calls[:calls]
	run.Outcome = gate.Outcome{Status: "failed", Error: stopError(found)}
	return run
}

func stopError(found []guard.Finding) *gate.Error {
	var texts []string
	for _, f := range found {
		if f.Kind != guard.Garbage {
			texts = append(texts, f.Text())
		}
	}
	return &gate.Error{Class: sandbox.ClassLogic, Name: "DriftSuspected", Code: "guard.suspected", Message: strings.Join(texts, "; ")}
}

// passes says that the guard stopped a run only for trouble that it swallowed, and that does not last.
func passing(found []guard.Finding) bool {
	trouble := false
	for _, f := range found {
		switch {
		case f.Kind == guard.Shape:
			return false
		case f.HTTP >= 500 || f.HTTP == 401 || f.HTTP == 403 || f.HTTP == 429:
			trouble = true
		}
	}
	return trouble
}

// judge is what a gate asks about code on what the stopped run was given.
func (s *Scene) judge(version guard.Version) func(context.Context, string, gate.Run) (*gate.Error, error) {
	return func(ctx context.Context, code string, run gate.Run) (*gate.Error, error) {
		version := version
		version.Mended, version.Code = code != version.Code, code
		found, err := guard.Look(ctx, s.runner, guard.Learn(version), version, &run)
		if err != nil || !guard.Stops(found) {
			return nil, err
		}
		return stopError(found), nil
	}
}

// Mend lets the fixers mend what the guard stopped, as a server would, and holds what comes of it against that day
// and the later ones, all of them changed: right is what the old script did on them unchanged.
func (s *Scene) Mend(ctx context.Context, fault Fault, stop Stop, fixers ...repair.Fixer) (Mends, string, error) {
	if passing(stop.Findings) {
		return Mends{Stopped: 1, Passing: 1}, "passing", nil
	}
	if len(fixers) == 0 {
		fixers = []repair.Fixer{repair.Templates{Runner: s.runner}}
	}
	judge := s.judge(stop.version)
	a := &s.Automation
	opened, err := gate.Open(ctx, s.runner, gate.Subject{
		Code: a.Code, Version: "1.0", Zone: a.Zone, Failed: stop.Run, Successes: stop.version.Successes, Guard: judge,
	}, gate.Options{})
	if err != nil {
		return Mends{}, "", fmt.Errorf("drift: %s: %w", a.Name, err)
	}
	evidence := repair.Evidence{
		Title: a.Title, Intent: a.Intent, Code: a.Code, Version: "1.0", Zone: a.Zone, Failed: stop.Run, Successes: stop.version.Successes,
	}
	if again := opened.Failing().Outcome.Error; again != nil {
		evidence.Failure = *again
	}
	result, err := repair.Mend(ctx, opened, evidence, fixers...)
	if err != nil {
		return Mends{}, "", fmt.Errorf("drift: %s: %w", a.Name, err)
	}
	if result.Best == nil {
		return Mends{Stopped: 1, None: 1}, "none: " + strings.ReplaceAll(result.Explanation, "\n", " "), nil
	}
	best := result.Best
	told := fmt.Sprintf("%s [%s] %s", best.Candidate.Comment, best.Judgement.Verdict, strings.Join(result.Reasons, "; "))
	became, at, err := s.later(ctx, fault, stop, best.Candidate.Code)
	if err != nil {
		return Mends{}, "", err
	}
	held := result.Held
	if !held && best.Judgement.Verdict != gate.Identical {
		held, err = s.failsRehearsal(ctx, fault, stop, best.Candidate.Code)
		if err != nil {
			return Mends{}, "", err
		}
	}
	m := Mends{Stopped: 1}
	switch {
	case held && became == Right:
		m.Held = 1
		told = "held, right: " + told
	case held:
		m.Others = 1
		told = "held, not right: " + told
	case became == Right:
		m.Right = 1
		told = "mended: " + told
	case became == Incomplete:
		m.Partly = 1
		told = "mended in part: " + told + " " + at
	default:
		m.Wrong = 1
		told = "WRONG: " + told + " " + at + "\n" + best.Candidate.Code
	}
	return m, told, nil
}

// failsRehearsal makes a dry run with live reads of a fix that replay cannot verify.
func (s *Scene) failsRehearsal(ctx context.Context, fault Fault, stop Stop, code string) (bool, error) {
	run, err := live(ctx, s.runner, &s.Automation, code, stop.Run.ID, fault.On(stop.Day), s.state.Clone())
	if err != nil || run.Outcome.Status != "succeeded" {
		return true, err
	}
	found, err := s.judge(stop.version)(ctx, code, run)
	return found != nil, err
}

// later runs a mended script on the day of the stop and on the days after it. A run that the guard stops again has
// written nothing wrong.
func (s *Scene) later(ctx context.Context, fault Fault, stop Stop, code string) (Applied, string, error) {
	became, at := Right, ""
	for _, day := range append([]automation.Run{stop.Day}, stop.Later...) {
		right, err := s.on(ctx, day)
		if err != nil {
			return Nothing, "", err
		}
		run, err := live(ctx, s.runner, &s.Automation, code, right.ID, fault.On(day), s.state.Clone())
		if err != nil {
			return Nothing, "", err
		}
		switch end(run) {
		case end(right):
			continue
		case "":
			became, at = Incomplete, run.ID+": "+run.Outcome.Error.Message
			continue
		}
		found, err := s.judge(stop.version)(ctx, code, run)
		if err != nil {
			return Nothing, "", err
		}
		at = fmt.Sprintf("%s: want %s, got %s", run.ID, end(right), end(run))
		if found == nil {
			return Wrong, at, nil
		}
		became = Incomplete
	}
	return became, at, nil
}
