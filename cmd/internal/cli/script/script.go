// Package script has the commands on the versions of a workflow's script.
package script

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/projections"
)

// NewCommand is 'kintsugi script'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	group := terminal.Group("script", "Write, check, test, save, compare and restore scripts",
		newSaveCommand(cli), newListCommand(cli), newShowCommand(cli), newDiffCommand(cli), newRollbackCommand(cli), newNewCommand(cli), newCheckCommand(cli), newTestCommand(cli), newAPICommand(cli), newImportCommand(cli))
	group.Long = `Write, check, test, save, compare and restore scripts. The day of somebody who writes
one, after 'kintsugi example --script ""' in another terminal:

  kintsugi script new --example weather --file w.ts   begin with an example
  kintsugi script api web.fetch                       look up what it may call
  kintsugi script check w.ts                          see what is wrong with it
  kintsugi workflow create Weather --script w.ts --allow-host 127.0.0.1:8091
  kintsugi workflow dry-run Weather                   what it would do now
  kintsugi workflow run Weather                       for real
  kintsugi script test Weather --file w.ts            what a change alters
  kintsugi script save Weather --file w.ts            the next version`
	return group
}

func newSaveCommand(cli *terminal.CLI) *cobra.Command {
	var file, comment, summary string
	var check bool
	command := &cobra.Command{
		Use: "save WORKFLOW", Annotations: terminal.RemoteOwned(installation.Edit, terminal.Reads("file")), Short: "Save a new version of the script: the next major, active from now on",
		Long: `Save a new version of the script: the next major, active from now on.

Files that it imports by ./ are saved with it, and packages of npm in the versions of package-lock.json, taken from
node_modules. --file may also be the folder: main.ts, index.ts or what package.json calls main is what runs.

--check saves nothing. It replays the newest recorded successes on the script, those of earlier majors
where the active one has few, as after a rollback, and says of each whether output and writes would
be the same. A script may change behaviour; this is to see where. Exit code 0 if every run is the same, 1 if some differ, 3 if some cannot be told, because
they would have made a call that was never recorded.`,
		Example: `  kintsugi script save "Refund report" --file refunds.js --check
  kintsugi script save "Refund report" --file refunds.js --comment "also file refunds in euro"`,
		Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			code, err := cli.ReadScript(c.Context(), file)
			if err != nil {
				return err
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				if check {
					return checkSave(c.Context(), cli, n, id, code)
				}
				result, err := n.Scripts.Save(c.Context(), cli.Logger(slog.LevelError), id, workflow.SaveScript{
					ScriptID: app.NewID(), Code: code, Comment: comment, Summary: summary, Origin: workflow.OriginPerson,
				}, cli.Meta())
				if err != nil {
					return err
				}
				return showActive(c.Context(), cli, n, id, result.Position, "Saved")
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&file, "file", "", "the script, or its folder; - for standard input")
	flags.StringVar(&comment, "comment", "", "what changed, in one line")
	flags.StringVar(&summary, "summary", "", "what the script does, for people")
	flags.BoolVar(&check, "check", false, "save nothing: say which recorded runs would change")
	_ = command.MarkFlagRequired("file") // the flag is there
	return command
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{Use: "list WORKFLOW", Annotations: terminal.RemoteOwned(installation.Read), Short: "List a workflow's script versions", Args: terminal.Takes(1, 1), RunE: func(c *cobra.Command, args []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			id, err := n.Resolve.Workflow(c.Context(), args[0])
			if err != nil {
				return err
			}
			list, err := n.Scripts.Versions(c.Context(), id)
			if err != nil {
				return err
			}
			return cli.Show(list, func(w io.Writer) {
				if len(list) == 0 {
					fmt.Fprintf(w, "No script yet. Save one with 'kintsugi script save %s --file FILE'.\n", id)
					return
				}
				now := terminal.Local(w, time.Now())
				rows := make([][]string, len(list))
				for i, one := range list {
					rows[i] = []string{one.Version, mark(one.Script), string(one.Origin), terminal.BriefActor(one.Author), plain.Ago(one.Saved, now), proofText(one.Proof), one.Comment}
				}
				terminal.Table(w, []string{"VERSION", "", "ORIGIN", "BY", "SAVED", "PROOF", "COMMENT"}, rows)
			})
		})
	}}
}

// proofText is a fix's proof as it fits a column.
func proofText(proof *app.VersionProof) string {
	if proof == nil {
		return ""
	}
	return fmt.Sprintf("%s %d/%d", proof.Verdict, proof.Identical, proof.Replayed)
}

func mark(one projections.Script) string {
	switch {
	case one.Active && one.Confirmed:
		return "active, confirmed"
	case one.Active:
		return "active"
	case one.Withdrawn:
		return "withdrawn"
	case one.Confirmed:
		return "confirmed"
	}
	return ""
}

func newShowCommand(cli *terminal.CLI) *cobra.Command {
	var input bool
	command := &cobra.Command{
		Use: "show WORKFLOW [VERSION]", Annotations: terminal.RemoteOwned(installation.Read), Short: "Show a script: the active version, or the one named",
		Long: `Show a script: the active version, or the one named.

--input shows what main takes instead: what follows from its types, or from JSDoc, as a JSON schema.`,
		Args: terminal.Takes(1, 2), RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				script, err := n.Scripts.Read(c.Context(), id, args[1:])
				if err != nil {
					return err
				}
				return cli.Show(script, func(w io.Writer) {
					if input {
						writeInput(w, script)
						return
					}
					fmt.Fprintln(w, strings.TrimSuffix(plain.Clean(script.Code), "\n"))
				})
			})
		}}
	command.Flags().BoolVar(&input, "input", false, "show what main takes, as a JSON schema, instead of the code")
	return command
}

func writeInput(w io.Writer, script app.ReadScript) {
	if len(script.Input) == 0 {
		fmt.Fprintf(w, "Version %s does not say what main takes: any input may be given. Types, or JSDoc, say it.\n", script.Version)
		return
	}
	var shown bytes.Buffer
	if json.Indent(&shown, script.Input, "", "  ") == nil {
		fmt.Fprintln(w, plain.Clean(shown.String()))
	}
}

// showActive prints the version that is active after a change.
func showActive(ctx context.Context, cli *terminal.CLI, n *app.Node, id string, position eventlog.Position, done string) error {
	if err := n.Views.WaitFor(ctx, position); err != nil {
		return err
	}
	script, err := n.Queries.ActiveScript(ctx, id)
	if err != nil {
		return err
	}
	state, err := n.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return err
	}
	return cli.Show(script, func(w io.Writer) {
		fmt.Fprintf(w, "%s: version %s is active.\n", done, script.Version)
		terminal.WriteUnfinished(w, app.UnfinishedOf(state))
	})
}
