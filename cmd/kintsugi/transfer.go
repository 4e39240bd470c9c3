package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/replay"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newExportCommand(a *app) *cobra.Command {
	var file, version string
	var limit int
	command := &cobra.Command{
		Use: "export WORKFLOW", Short: "Write a workflow's script and recorded runs as a bundle",
		Long: `Write a version of a workflow's script, and the newest recorded runs of its major version up
to that one, as a bundle, which 'replay', 'prove', 'mend' and 'import' read. Failed runs of
earlier versions are left out: they would not fail on this script.`,
		Example: `  kintsugi export "Refund report" --file refunds.json
  kintsugi export "Refund report" --version 1.0 | kintsugi mend -`,
		Args: takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				bundle, err := n.bundle(c.Context(), id, version, limit)
				if err != nil {
					return err
				}
				return a.writeBundle(bundle, file)
			})
		},
	}
	command.Flags().StringVar(&file, "file", "-", "where to write; - for standard output")
	command.Flags().StringVar(&version, "version", "", "which version of the script; default the active one")
	command.Flags().IntVar(&limit, "runs", 50, "at most so many runs; 0 for all")
	return command
}

// writeBundle writes to standard output, or to a file and says so. It is a bundle whatever
// the output format.
func (a *app) writeBundle(bundle *replay.Bundle, file string) error {
	if file == "-" {
		return replay.WriteBundle(a.out, bundle)
	}
	created, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	if err := errors.Join(replay.WriteBundle(created, bundle), created.Close()); err != nil {
		return fmt.Errorf("write the bundle to %s: %w", file, err)
	}
	type written struct {
		File string `json:"file"`
		Runs int    `json:"runs"`
	}
	return a.show(written{file, len(bundle.Runs)}, func(w io.Writer) {
		fmt.Fprintf(w, "Wrote version %s and %d recorded runs to %s.\n", bundle.Script.Version, len(bundle.Runs), file)
	})
}

// bundle collects a version of a workflow's script, the active one if none is named, and
// the ended runs that belong to it, oldest first.
func (n *node) bundle(ctx context.Context, id, version string, limit int) (*replay.Bundle, error) {
	state, err := n.commands.LoadWorkflow(ctx, id)
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
	bundle := &replay.Bundle{
		Format:   replay.Format,
		Workflow: replay.Workflow{Title: state.Title, Intent: state.Intent, Zone: state.Zone},
		Script:   replay.Script{Version: script.Version.String(), Code: script.Code},
		Runs:     []replay.Run{},
	}
	for _, one := range state.Versions {
		if one.Version.Major == script.Version.Major && one.Version.Compare(script.Version) <= 0 {
			bundle.Changelog = append(bundle.Changelog, replay.Change{Version: one.Version.String(), Comment: one.Comment})
		}
	}
	runs, err := n.queries.Runs(ctx, projections.RunFilter{Workflow: id, Major: script.Version.Major, Limit: limit})
	if err != nil {
		return nil, err
	}
	for _, one := range slices.Backward(runs) {
		if !belongs(one, script.Version) || state.Exempted(one.ID) {
			continue
		}
		recorded, err := n.commands.LoadRun(ctx, one.ID)
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

func newImportCommand(a *app) *cobra.Command {
	var title string
	var allow []string
	command := &cobra.Command{
		Use: "import BUNDLE", Short: "Make a workflow from a bundle, its recorded runs included",
		Long: `Make a workflow from a bundle. Its script becomes version 1.0, and its recorded runs are
kept as history: a repair is proved against them. The new workflow is a draft.`,
		Example: `  kintsugi import refunds.json --title "Refund report, a copy"`,
		Args:    takes(1, 1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			text, err := a.readFile(args[0])
			if err != nil {
				return err
			}
			bundle, err := replay.ReadBundle(strings.NewReader(text))
			if err != nil {
				return fault.New(fault.Invalid, "%s: %w", fileName(args[0]), err)
			}
			if err := checkScript(c.Context(), bundle.Script.Code, fileName(args[0])+": script.code"); err != nil {
				return err
			}
			if title != "" {
				bundle.Workflow.Title = title
			}
			n, err := a.open(c.Context())
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, n.Close()) }()
			return a.importBundle(c.Context(), n, bundle, allow)
		},
	}
	command.Flags().StringVar(&title, "title", "", "another title")
	command.Flags().StringSliceVar(&allow, "allow-host", nil, "a private host, or host:port, that the script may reach")
	return command
}

func (a *app) importBundle(ctx context.Context, n *node, bundle *replay.Bundle, allow []string) error {
	id := newID()
	if _, err := n.commands.CreateWorkflow(ctx, workflow.Create{
		ID: id, Title: bundle.Workflow.Title, Intent: bundle.Workflow.Intent, Zone: bundle.Workflow.Zone,
		Owner: strings.TrimPrefix(actor(), "person:"), Imported: true,
	}, meta()); err != nil {
		return err
	}
	if len(allow) > 0 {
		if _, err := n.commands.ChangeSettings(ctx, id, workflow.ChangeSettings{Settings: workflow.Settings{AllowedHosts: allow}}, meta()); err != nil {
			return err
		}
	}
	saved, err := n.commands.SaveScript(ctx, id, workflow.SaveScript{
		ScriptID: newID(), Code: bundle.Script.Code, Comment: "imported, was version " + bundle.Script.Version, Origin: workflow.OriginPerson, Imported: true,
	}, meta())
	if err != nil {
		return err
	}
	position := saved.Position
	for i, recorded := range bundle.Runs {
		settled, err := n.importRun(ctx, actor(), id, bundle.Workflow.Zone, recorded)
		if err != nil {
			return fmt.Errorf("import run %s, the %d. of %d (the workflow %s exists with those before it): %w", recorded.ID, i+1, len(bundle.Runs), id, err)
		}
		position = settled.Position
	}
	if err := n.views.WaitFor(ctx, position); err != nil {
		return err
	}
	created, err := n.queries.Workflow(ctx, id)
	if err != nil {
		return err
	}
	return a.show(created, func(w io.Writer) {
		fmt.Fprintf(w, "Imported %s (%s): version 1.0 and %d recorded runs. It is a draft.\nNext: kintsugi workflow activate %s\n", clean(created.Title), id, len(bundle.Runs), id)
	})
}

// importedClock is where time stands in a run that was recorded without a clock.
var importedClock = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

// importRun writes a run that happened elsewhere into the history.
func (n *node) importRun(ctx context.Context, actor, id, zone string, recorded replay.Run) (commands.Result, error) {
	of := newID()
	if _, err := n.commands.AdmitRun(ctx, id, workflow.AdmitRun{Run: of, Trigger: workflow.TriggerImport, Input: recorded.Input}, by(actor)); err != nil {
		return commands.Result{}, err
	}
	start := run.Start{
		Run: of, Workflow: id, Version: "1.0", Trigger: string(workflow.TriggerImport), Input: recorded.Input,
		Seed: recorded.Seed, Clock: recorded.Clock, Zone: zone, Node: "import of " + recorded.ID, LeaseUntil: n.now().UTC(),
	}
	if start.Seed == "" {
		start.Seed = recorded.ID
	}
	if start.Clock.IsZero() {
		start.Clock = importedClock
	}
	journal, err := n.commands.StartRun(ctx, start, by(actor))
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
	return n.commands.SettleRun(ctx, id, workflow.SettleRun{Run: of, Failure: end.Failure, Evidence: "imported"}, by(actor))
}
