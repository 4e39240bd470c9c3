package execution

import (
	"context"
	"fmt"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
)

// inTurn has one node at a time rehearse a workflow.
func (e *Executor) inTurn(ctx context.Context, id string, rehearse func(ctx context.Context, id string) error) error {
	do := func(ctx context.Context) error { return rehearse(ctx, id) }
	if e.config.Alone {
		return do(ctx)
	}
	turn := rehearsal.Turn{Commands: e.config.Commands, Now: e.config.Now, Lease: e.config.Lease, Actor: "system:executor"}
	return turn.Do(ctx, id, workflow.WorkRehearsal, do)
}

// rehearse does the rehearsal that the clock asks for, unless it was done meanwhile.
func (e *Executor) rehearse(ctx context.Context, id string) error {
	w, err := e.config.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	of, at, due := w.RehearsalDue()
	if !due || e.config.Now().Before(at) {
		return nil
	}
	works, err := e.FindWorking(ctx, id)
	if err != nil || works {
		return err
	}
	_, err = e.config.Commands.NoteRehearsal(ctx, id, workflow.NoteRehearsal{Run: of}, e.meta(of, "still fails "+at.UTC().Format(time.RFC3339Nano)))
	return err
}

// FindWorking rehearses, on the active code, the failure that a workflow was handed to a person for, or that has a fix waiting for one. If
// it works now, the workflow goes on.
func (e *Executor) FindWorking(ctx context.Context, id string) (works bool, err error) {
	w, err := e.config.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return false, err
	}
	of, _, ok := w.Rehearsable()
	if !ok {
		return false, nil
	}
	failed, err := e.config.Commands.LoadRun(ctx, of)
	if err != nil || failedAtWrite(failed) {
		return false, err
	}
	if works, err = e.worksNow(ctx, id, w, w.Active, failed); err != nil || !works {
		return false, err
	}
	_, err = e.config.Commands.FindWorking(ctx, id, workflow.FindWorking{Run: of}, e.meta(of, "works "+e.config.Now().UTC().Format(time.RFC3339)))
	return err == nil, err
}

// worksNow rehearses the failed run on its own code.
func (e *Executor) worksNow(ctx context.Context, id string, w workflow.State, version workflow.Version, failed run.State) (bool, error) {
	script, found := w.Script(version)
	if !found {
		return false, fmt.Errorf("version %s of workflow %s is not in its history", version, id)
	}
	rehearsed, err := rehearsal.Rehearse(ctx, e.config.Sandbox, rehearsal.Rehearsal{
		Code: script.Code, Run: failed, Past: rehearsal.OnlyWrites(rehearsal.PastOf(failed, rehearsal.Never)), Settings: w.Settings,
		KnownHosts: egress.KnownHosts(ctx, e.config.Recordings, id, w.Active.Major), Reach: egress.OfRun(w, version, egress.OwnPlaces(ctx, e.config.Recordings, id)), Secrets: e.config.Secrets.Of(id), Outside: e.config.Outside, Logger: e.config.Logger,
		Closed: egress.Closed(ctx, e.config.Commands, w.Owner),
	})
	if err != nil {
		return false, err
	}
	if rehearsed.Outcome.Error != nil || w.Settings.Guard == workflow.GuardOff {
		return rehearsed.Outcome.Error == nil, nil
	}
	// A run that is only not noticed to be wrong does not work.
	g, err := rehearsal.GuardOf(ctx, e.config.Commands, e.config.Sandbox, e.config.Recordings, w, script)
	if err != nil {
		return false, err
	}
	made := rehearsal.RehearsedRun(failed, rehearsed)
	findings, err := g.Look(ctx, &made)
	return !g.Stops(findings), err
}
