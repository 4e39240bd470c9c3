package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Bundle collects a version of a workflow's script, the active one if none is named, and
// the ended runs that belong to it, oldest first.
func (r *Runs) Bundle(ctx context.Context, id, version string, limit int) (*gate.Bundle, error) {
	state, err := r.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return nil, err
	}
	if state.Active.IsZero() {
		return nil, fault.New(fault.Conflict, "workflow %q has no script: save one first", state.Title)
	}
	of := state.Active
	if version != "" {
		if of, err = workflow.ParseVersion(version); err != nil {
			return nil, fault.New(fault.Invalid, "%w", err)
		}
	}
	script, found := state.Script(of)
	if !found {
		return nil, fault.New(fault.NotFound, "workflow %q has no version %s: see 'kintsugi script list'", state.Title, of)
	}
	bundle := &gate.Bundle{
		Format:   gate.Format,
		Workflow: gate.Workflow{Title: state.Title, Intent: state.Intent, Zone: state.Zone},
		Script:   gate.Script{Version: script.Version.String(), Code: script.Code},
		Runs:     []gate.Run{},
	}
	if lock := packages.LockOf(script.Code); lock != nil {
		if err := packages.Fetch(ctx, script.Code); err != nil {
			return nil, err
		}
		bundle.Script.Packages = packages.Known(lock.Digest)
	}
	for _, one := range state.Versions {
		if one.Version.Major == script.Version.Major && one.Version.Compare(script.Version) <= 0 {
			bundle.Changelog = append(bundle.Changelog, gate.Change{Version: one.Version.String(), Comment: one.Comment})
		}
	}
	runs, err := r.Queries.Runs(ctx, projections.RunFilter{Workflow: id, Major: script.Version.Major, Limit: limit})
	if err != nil {
		return nil, err
	}
	for _, one := range slices.Backward(runs) {
		if !belongs(one, script.Version) || one.Status == projections.RunSucceeded && !state.IsEvidence(one.ID) {
			continue
		}
		recorded, err := r.Commands.LoadRun(ctx, one.ID)
		if err != nil {
			return nil, err
		}
		bundle.Runs = append(bundle.Runs, rehearsal.RecordedRun(recorded))
	}
	return bundle, nil
}

// belongs says that a run is evidence for a version of the script: a success of it or of an
// earlier minor, or a failure of just it.
func belongs(one projections.Run, version workflow.Version) bool {
	of, err := workflow.ParseVersion(one.Version)
	if err != nil {
		return false
	}
	switch one.Status {
	case projections.RunSucceeded:
		return of.Compare(version) <= 0
	case projections.RunFailed:
		return of == version
	}
	return false
}

// importedClock is where time stands in a run that was recorded without a clock.
var importedClock = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// ImportBundle makes a draft of a bundle: its script is version 1.0, and its recorded runs are history. Asked again for the same
// workflow it makes what is not there yet.
func (n *Node) ImportBundle(ctx context.Context, meta func() commands.Meta, create workflow.Create, scriptID string, bundle *gate.Bundle, hosts []string) (result commands.Result, err error) {
	create.Imported = true
	save := workflow.SaveScript{ScriptID: scriptID, Code: bundle.Script.Code, Comment: "imported, was version " + bundle.Script.Version, Origin: workflow.OriginPerson, Imported: true}
	if save.Packages, err = PackagesOf(ctx, save.Code); err != nil {
		return result, err
	}
	if err := n.Workflows.Begin(ctx, meta, create, hosts, save); err != nil {
		return result, err
	}
	if result, err = n.Commands.SaveScript(ctx, create.ID, save, meta()); err != nil {
		return result, err
	}
	for i, recorded := range bundle.Runs {
		of := commands.DerivedID("import", create.ID, recorded.ID)
		if _, err := n.Queries.Run(ctx, of); err == nil {
			continue // it was written the first time
		}
		if result, err = n.Runs.imported(ctx, meta().Actor, create.ID, of, bundle.Workflow.Zone, recorded); err != nil {
			return result, fmt.Errorf("import run %s, the %d. of %d (the workflow %s exists with those before it): %w", recorded.ID, i+1, len(bundle.Runs), create.ID, err)
		}
	}
	return result, n.Views.WaitFor(ctx, result.Position)
}

// imported writes a run that happened elsewhere into the history.
func (r *Runs) imported(ctx context.Context, actor, id, of, zone string, recorded gate.Run) (commands.Result, error) {
	if _, err := r.Commands.AdmitRun(ctx, id, workflow.AdmitRun{Run: of, Trigger: workflow.TriggerImport, Input: recorded.Input}, By(actor)); err != nil {
		return commands.Result{}, err
	}
	start := run.Start{
		Run: of, Workflow: id, Version: "1.0", Trigger: string(workflow.TriggerImport), Input: recorded.Input,
		Seed: recorded.Seed, Clock: recorded.Clock, Overlap: recorded.Overlap, Zone: zone, Node: "import of " + recorded.ID, LeaseUntil: r.Now().UTC(),
	}
	if start.Seed == "" {
		start.Seed = recorded.ID
	}
	if start.Clock.IsZero() {
		start.Clock = importedClock
	}
	journal, err := r.Commands.StartRun(ctx, start, By(actor))
	if err != nil {
		return commands.Result{}, err
	}
	for i, call := range recorded.Calls {
		if err := journal.Record(ctx, run.RecordCall{Seq: i + 1, Tool: call.Tool, Args: call.Args, Effect: call.Effect}); err != nil {
			return commands.Result{}, err
		}
		returned := run.RecordReturn{Seq: i + 1, Result: call.Result, MS: call.MS}
		if e := call.Error; e != nil {
			returned.Error = &run.CallError{Class: failure.Class(e.Class), Name: e.Name, Code: e.Code, Message: e.Message, Status: e.Status, Body: e.Body}
		} else if len(returned.Result) == 0 {
			returned.Result = json.RawMessage("null")
		}
		if err := journal.Record(ctx, returned); err != nil {
			return commands.Result{}, err
		}
	}
	if len(recorded.Log) > 0 {
		lines := make([]run.LogLine, len(recorded.Log))
		for i, line := range recorded.Log {
			lines[i] = run.LogLine(line)
		}
		if err := journal.Record(ctx, run.WriteLog{Lines: lines}); err != nil {
			return commands.Result{}, err
		}
	}
	end := run.End{Output: recorded.Outcome.Output, Usage: run.Usage{Calls: len(recorded.Calls)}}
	if e := recorded.Outcome.Error; e != nil {
		end.Output = nil
		end.Failure = &failure.Failure{Class: failure.Class(e.Class), Name: e.Name, Code: e.Code, Message: e.Message, Stack: e.Stack, Status: e.Status, Body: e.Body}
		if recorded.Local != nil {
			end.Local = &run.Local{KV: recorded.Local.KV, Files: recorded.Local.Files}
		}
	}
	if _, err := journal.End(ctx, end); err != nil {
		return commands.Result{}, err
	}
	return r.Commands.SettleRun(ctx, id, workflow.SettleRun{Run: of, Failure: end.Failure, Evidence: "imported"}, By(actor))
}
