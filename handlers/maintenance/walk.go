package maintenance

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

// mostWalked is how often a repair goes on, for real, behind the end of the recording.
const mostWalked = 24

// walk is the gate of one repair. The failed run ended at the first thing that had changed, so a candidate that mends it comes to
// calls that nobody recorded. They are made for real, without a write, and what was read is part of the evidence from then on: the
// gate asks of the whole run what it asks of one that was recorded to its end, and if the candidate fails there, the fixer sees the
// next failure, and one candidate mends the whole chain.
type walk struct {
	*gate.Gate
	job       *job
	rehearsed map[string]*workflow.Rehearsal // by code
	live      []rehearsal.Entry              // that were read so far
	steps     int
	judged    map[string]gate.Judgement // by evidence and code, also in earlier tries of this task
}

var _ repair.Walker = (*walk)(nil)

func (j *job) openGate(ctx context.Context) error {
	opened, err := gate.Open(ctx, j.config.Sandbox, j.subject, gate.Options{})
	if err != nil {
		return fmt.Errorf("maintenance.Maintainer: task %s: %w", j.open.Task, err)
	}
	if j.walk == nil {
		j.walk = &walk{job: j, rehearsed: map[string]*workflow.Rehearsal{}, judged: j.kept(j.id+mending, j.open.Task).judged}
	}
	j.walk.Gate = opened
	return nil
}

// Judge implements [repair.Gate]: nothing is judged once repairs are stopped.
func (w *walk) Judge(ctx context.Context, code string) (gate.Judgement, error) {
	if err := w.job.allowed(ctx); err != nil {
		return gate.Judgement{}, err
	}
	of := w.Evidence() + " " + code
	if known, found := w.judged[of]; found {
		return known, nil
	}
	judged, err := w.Gate.Judge(ctx, code)
	if err == nil {
		w.judged[of] = judged
	}
	return judged, err
}

// Walk implements [repair.Walker].
func (w *walk) Walk(ctx context.Context, code string) (repair.Evidence, bool, error) {
	j := w.job
	if w.steps >= mostWalked || j.open.Held != nil {
		return j.evidence, false, nil
	}
	w.steps++
	_, read, err := w.rehearse(ctx, code)
	if err != nil || len(read) == 0 {
		return j.evidence, false, err
	}
	return j.evidence, true, w.grow(ctx, read)
}

// grow takes in what was read for real.
func (w *walk) grow(ctx context.Context, read []gate.Call) error {
	j := w.job
	j.subject.Failed.Calls = append(append([]gate.Call{}, j.subject.Failed.Calls...), read...)
	j.evidence.Failed = j.subject.Failed
	return j.openGate(ctx)
}

// prove judges a candidate by itself, and with a rehearsal if only reads that nobody recorded are missing. The gate
// judges the candidate on the rehearsal's reads, too, unless the rehearsal fails: then it says so itself.
func (w *walk) prove(ctx context.Context, code string) (judged gate.Judgement, made *workflow.Rehearsal, err error) {
	if judged, err = w.Gate.Judge(ctx, code); err != nil || !judged.Rehearsable {
		return judged, nil, err
	}
	made, read, err := w.rehearse(ctx, code)
	if err != nil || len(read) == 0 || !made.Succeeded {
		return judged, made, err
	}
	if err = w.grow(ctx, read); err == nil {
		judged, err = w.Gate.Judge(ctx, code)
	}
	return judged, made, err
}

// rehearse runs a candidate with live reads, and gives those reads that are not known yet, unless a host refused one.
func (w *walk) rehearse(ctx context.Context, code string) (*workflow.Rehearsal, []gate.Call, error) {
	if known := w.rehearsed[code]; known != nil {
		return known, nil, nil
	}
	j := w.job
	past := rehearsal.WithoutPassing(rehearsal.PastOf(j.failed, rehearsal.Never), j.failed, j.state.Settings)
	rehearsed, err := rehearsal.Rehearse(ctx, j.config.Sandbox, rehearsal.Rehearsal{
		Code: code, Run: j.failed, Past: append(past, w.live...), Settings: j.state.Settings,
		KnownHosts: egress.KnownHosts(ctx, j.config.Recordings, j.id, j.base.Version.Major), Secrets: j.config.Secrets.Of(j.id),
		Closed: egress.Closed(ctx, j.config.Commands, j.state.Owner), Outside: j.config.Outside, Logger: j.config.Logger,
		// The gate has not seen the calls that follow an unrecorded one, and nobody has approved them.
		Reach: j.reach(ctx, gate.NewEnvelope(j.subject)), Reads: rehearsal.AsRecorded(code, append(slices.Clone(j.subject.Successes), j.subject.Failed)...),
		Assumed: gate.Assume(j.subject.Successes, j.subject.Code, code),
	})
	if err != nil {
		return nil, nil, err
	}
	writes, err := json.Marshal(rehearsed.Writes)
	if err != nil {
		return nil, nil, fmt.Errorf("maintenance.Maintainer: captured writes: %w", err)
	}
	made := &workflow.Rehearsal{Succeeded: rehearsed.Outcome.Error == nil, Output: rehearsed.Outcome.Output, Writes: writes}
	made.Assumed, made.Invented = rehearsed.AssumedTexts()
	if e := rehearsed.Outcome.Error; e != nil {
		if wait := j.waitsFor(e); wait != nil {
			return nil, nil, wait
		}
		made.Problem = e.Name + ": " + e.Message
		if failure.Class(e.Class) == failure.Logic && e.Status == 0 {
			return made, w.read(rehearsed.Outcome.Calls), nil // behind the answers it fails by itself
		}
		w.rehearsed[code] = made
		return made, nil, nil // what a host refuses a person decides about
	}
	w.rehearsed[code] = made
	return made, w.read(rehearsed.Outcome.Calls), nil
}

// read are the reads of the outside that were made for real.
func (w *walk) read(calls []sandbox.TracedCall) (read []gate.Call) {
	known := rehearsal.NewPast(append(rehearsal.PastOf(w.job.failed, rehearsal.Never), w.live...))
	for _, call := range calls {
		if call.Effect == sandbox.Write || hostcall.Of(call.Tool).Local || call.Opaque {
			continue
		}
		if _, found, _ := known.Take(call.Call); found {
			continue
		}
		w.live = append(w.live, rehearsal.Entry{Entry: sandbox.Entry{Tool: call.Tool, Args: call.Args, Effect: call.Effect, Result: call.Result, Error: call.Error, MS: call.MS}})
		read = append(read, gate.CallOf(call))
	}
	return read
}
