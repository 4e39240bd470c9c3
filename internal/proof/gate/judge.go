package gate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/internal/script"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// Judge replays the failing run and the recorded successes on a candidate and says what
// may be done with it. The verdict is the first of these that is true:
//
//	the candidate does not parse or has no main                    different
//	a recorded success ends with another output, error or writes   different
//	the failing run fails                                          different
//	its writes do not begin with those made before the failure     different
//	the old code does not fail as recorded                         unverifiable
//	a recorded success needs an answer that was never recorded     unverifiable, and held
//	the failing run needs one                                      unverifiable, rehearsable
//	no recorded success was replayed                               unverifiable
//	otherwise                                                      identical
//
// A success that is cut short by a missing answer is different only if the writes it made
// by then are not the beginning of the recorded ones. Reasons to hold are looked for
// unless the verdict is different. An error is the runner's or the context's.
//
// Work and processor time bound a judgement, never the clock. A candidate that needs too much of them is not judged:
// it is unverifiable, held and without a certificate.
func (g *Gate) Judge(ctx context.Context, candidate string) (Judgement, error) {
	limited, cancel := withProcessor(ctx, g.options.Limit)
	defer cancel()
	j, err := g.judge(limited, candidate)
	if err != nil && limited.Err() != nil && ctx.Err() == nil {
		j = g.blank()
		j.Verdict, j.Held = Unverifiable, true
		j.Reasons = []string{fmt.Sprintf("not judged: its replays use more than %s of processor time", g.options.Limit)}
		j.Divergence = &Divergence{Run: j.FailingRun.ID, What: inError, Want: "a judgement within " + g.options.Limit.String() + " of processor time", Got: "none"}
		return j, nil
	}
	return j, err
}

// blank is a judgement of which nothing is known yet.
func (g *Gate) blank() Judgement {
	return Judgement{
		FailingRun:  FailingRun{ID: g.subject.Failed.ID, Status: statusFailed, Reproduced: g.failing.Reproduced},
		Excluded:    g.excluded,
		Sample:      g.sample,
		Reasons:     []string{},
		Runs:        g.subject.runIDs(),
		GateVersion: GateVersion,
	}
}

func (g *Gate) judge(ctx context.Context, candidate string) (Judgement, error) {
	j := g.blank()
	failing, outcomes, err := g.replay(ctx, candidate)
	if err != nil {
		return Judgement{}, err
	}
	if !endless(&failing.Outcome) {
		// Not before it was run: some texts make a parser run for ever, which nothing bounds here.
		err := process.Check(candidate)
		if before, after := packages.LockOf(g.subject.Code), packages.LockOf(candidate); err == nil && before.String() != after.String() {
			err = &sandbox.SyntaxError{Message: "a fix changes no package: the lines that begin with //# at the end of the script stay as they are"}
		}
		if err != nil {
			return g.unrunnable(j, candidate, err), nil
		}
	}

	j.FailingRun = failingRun(j.FailingRun, &failing)
	var missing *Divergence
	for i := range outcomes {
		outcome := &outcomes[i]
		j.Replayed++
		switch {
		case outcome.parts != nil:
			j.Divergence = smaller(j.Divergence, outcome.parts)
		case isUnanswerable(outcome):
			id := g.kept[i].run.ID
			j.Unverified = append(j.Unverified, id)
			if j.Missing++; j.Missing == 1 {
				missing = &Divergence{Run: id, What: inCall, Want: "a recorded answer", Got: cut(outcome.Error.Message)}
			}
		default:
			j.Identical++
		}
	}
	j.Verdict, j.Divergence = g.verdict(&j, &failing, missing)
	if j.Verdict != Different {
		doubts, tried, err := g.oracle(ctx, candidate)
		if err != nil {
			return Judgement{}, err
		}
		q := &inquiry{
			gate: g, evidence: g.evidence(), code: candidate,
			outcome: &failing, complete: failing.Error == nil, tried: tried,
		}
		q.note(&failing)
		for i := range outcomes {
			q.note(&outcomes[i])
		}
		if q.candidate, err = script.Parse(candidate); err != nil {
			return Judgement{}, fmt.Errorf("gate: %w", err)
		}
		q.seen = q.templates.observe(g.subject.Failed.ID, g.subject.Failed.Input, &failing)
		q.words = script.NewWords(g.old, q.candidate)
		j.Unproved = q.unproved()
		q.own = newTemplates(q.candidate)
		if j.Reasons, err = q.reasons(ctx); err != nil {
			return Judgement{}, err
		}
		j.Half = q.half || len(doubts) > 0
		j.Reasons = append(j.Reasons, doubts...)
		if j.Missing > 0 {
			j.Reasons = append([]string{fmt.Sprintf("a recorded success cannot be verified: %d of %d need an answer that was never recorded", j.Missing, j.Replayed)}, j.Reasons...)
		}
		j.Held = j.Unproved != "" || len(j.Reasons) > 0
		j.Widens = q.widening()
	}
	j.Rehearsable = j.Verdict == Unverifiable && j.FailingRun.Reproduced && j.Missing == 0 && j.FailingRun.Status == statusUnanswerable
	if j.Verdict != Different || !slices.ContainsFunc(append(outcomes, failing), ranOutOfTime) {
		j.Certificate = g.certify(candidate, &j)
	}
	return j, nil
}

// replay runs a candidate on the failing run and on the recorded successes that the old code reproduces. Where the failing run
// is endless that is enough: each of the others could take as long.
func (g *Gate) replay(ctx context.Context, candidate string) (failing replayed, successes []replayed, err error) {
	runs := []*Run{&g.subject.Failed}
	for i := range g.kept {
		runs = append(runs, g.kept[i].run)
	}
	enough, stop := context.WithCancel(ctx)
	defer stop()
	outcomes, err := g.replayAll(enough, candidate, runs, func(run *Run, outcome *sandbox.Outcome) {
		if run == runs[0] && endless(outcome) {
			failing.Outcome = *outcome
			stop()
		}
	})
	if endless(&failing.Outcome) {
		return failing, nil, ctx.Err()
	}
	if err != nil {
		return failing, nil, err
	}
	failing, err = g.guarded(ctx, candidate, outcomes[0])
	return failing, outcomes[1:], err
}

// endless says that an execution looped, or grew without end.
func endless(outcome *sandbox.Outcome) bool {
	return outcome.Error != nil && outcome.Error.Class == sandbox.ClassLimit
}

// ranOutOfTime says that an execution was stopped by a limit that is met sooner on a loaded machine.
func ranOutOfTime(outcome replayed) bool {
	return outcome.Error != nil && outcome.Error.Class == sandbox.ClassLimit && (outcome.Error.Code == sandbox.LimitWall || outcome.Error.Code == sandbox.LimitCPU)
}

// Outcomes of the failing run.
const (
	statusSucceeded    = "succeeded"
	statusFailed       = "failed"
	statusUnanswerable = "unanswerable"
)

func failingRun(f FailingRun, outcome *replayed) FailingRun {
	f.Writes, f.Assumed = writesOf(outcome), outcome.assumed
	switch {
	case isUnanswerable(outcome):
		f.Status, f.Error = statusUnanswerable, ErrorOf(outcome.Error)
	case outcome.Error != nil:
		f.Status, f.Error = statusFailed, ErrorOf(outcome.Error)
	default:
		f.Status, f.Output = statusSucceeded, orNull(outcome.Output)
	}
	return f
}

// verdict applies the table of [Gate.Judge]. The divergence is what to tell about it;
// missing is of the first success that was cut short.
func (g *Gate) verdict(j *Judgement, failing *replayed, missing *Divergence) (string, *Divergence) {
	run := &g.subject.Failed
	switch {
	case j.Divergence != nil:
		return Different, j.Divergence
	case j.FailingRun.Status == statusFailed:
		return Different, &Divergence{Run: run.ID, What: inError, Want: "the run succeeds", Got: showError(failing.Error)}
	}
	if d := comparePrefix(run, failing); d != nil {
		return Different, d
	}
	switch {
	case !j.FailingRun.Reproduced:
		return Unverifiable, g.failing.Divergence
	case missing != nil:
		return Unverifiable, missing
	case j.FailingRun.Status == statusUnanswerable:
		return Unverifiable, &Divergence{Run: run.ID, What: inCall, Want: "a recorded answer", Got: cut(failing.Error.Message)}
	case j.Replayed == 0:
		return Unverifiable, nil
	}
	return Identical, nil
}

// unrunnable is the judgement of a candidate that cannot be run at all.
func (g *Gate) unrunnable(j Judgement, candidate string, cause error) Judgement {
	j.Verdict = Different
	message := cause.Error()
	if syntax, ok := errors.AsType[*sandbox.SyntaxError](cause); ok {
		message = syntax.Error()
	}
	j.FailingRun.Error = &Error{Class: sandbox.ClassLogic, Name: "SyntaxError", Message: message}
	j.Divergence = &Divergence{Run: g.subject.Failed.ID, What: inError, Want: "a script that defines main", Got: cut(message)}
	j.Certificate = g.certify(candidate, &j)
	return j
}

// note keeps the calls of a replay.
func (q *inquiry) note(outcome *replayed) {
	for i := range outcome.Calls {
		q.made = append(q.made, outcome.Calls[i].Call)
	}
	if outcome.missed != nil {
		q.missed = append(q.missed, *outcome.missed)
		q.made = append(q.made, *outcome.missed)
	}
}

// runIDs are the recorded successes that the gate was given, oldest first.
func (s *Subject) runIDs() []string {
	ids := make([]string, len(s.Successes))
	for i := range s.Successes {
		ids[i] = s.Successes[i].ID
	}
	return ids
}
