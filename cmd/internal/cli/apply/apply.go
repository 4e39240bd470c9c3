// Package apply has the command that makes workflows what files say.
package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// ExitDifferent is how --dry-run ends if workflows are not what their files say.
const ExitDifferent = 3

// NewCommand is 'kintsugi apply'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	var dryRun, overwrite, schema bool
	var environment string
	var prune []string
	command := &cobra.Command{
		Use: "apply FOLDER...", Annotations: terminal.Remote(installation.Edit, terminal.ReadsFolders()), Short: "Make workflows what the files in a folder say",
		Long: `Make workflows what the files in a folder say. Each workflow has a file ` + app.WorkflowFileName + `, in the folder or
below it, with its script beside it:

  title: Refund report
  intent: Tell the team every morning which refunds came in
  script: refunds.js
  schedule: 30 7 * * mon-fri
  zone: Europe/Berlin
  secrets: [SHOP_TOKEN]

A workflow is the one with the id that the file has, by default the name of its folder. A part that
the file leaves out stays as it is. All files are checked before anything is changed, and applying
them again changes nothing. Values of secrets are in no file: those that are not set are named.

A fix changes the script here, and not in the folder. An older file does not undo it: the fixed
version stays active, and 'kintsugi export WORKFLOW --as files' writes it down. The same holds for
what was changed on the page.

An environment has its differences in files of its own, as kintsugi.prod.yaml beside ` + app.WorkflowFileName + ` for
--env prod: members that are there replace those of the file, and null takes one out.

A workflow whose file was deleted stays, unless --prune names a label that all workflows of the folder
have: those that have it and no file are archived. 'kintsugi workflow restore' brings one back.

Exit code ` + fmt.Sprint(ExitDifferent) + ` of --dry-run: there are differences.`,
		Example: `  kintsugi apply workflows --dry-run
  kintsugi apply workflows
  kintsugi apply workflows --env prod --prune team=sales
  kintsugi apply --schema > kintsugi.schema.json`,
		Args: func(c *cobra.Command, args []string) error {
			if schema {
				return terminal.Takes(0, 0)(c, args)
			}
			return terminal.Takes(1, mostFolders)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error {
			if schema {
				_, err := cli.Out.Write(app.WorkflowSchema)
				return err
			}
			labels, err := workflow.ParseLabels(prune)
			if err != nil {
				return fault.New(fault.Invalid, "--prune: %w", err)
			}
			return run(c.Context(), cli, args, environment, &app.FileApplier{Overwrite: overwrite, Prune: labels}, dryRun)
		},
	}
	flags := command.Flags()
	flags.BoolVar(&dryRun, "dry-run", false, "change nothing: show the differences")
	flags.BoolVar(&overwrite, "overwrite", false, "save code that lacks what was changed here since")
	flags.StringVar(&environment, "env", "", "the environment, like prod: what kintsugi.prod.yaml has is different there")
	flags.StringArrayVar(&prune, "prune", nil, "archive the workflows with this label, like team=sales, that nothing in the folders describes; several choose those that have all")
	flags.BoolVar(&schema, "schema", false, "print the JSON Schema, for editors")
	return command
}

// mostFolders bounds the folders of one command.
const mostFolders = 100

func run(ctx context.Context, cli *terminal.CLI, folders []string, environment string, applier *app.FileApplier, dryRun bool) error {
	var files []app.WorkflowFile
	for _, folder := range folders {
		read, err := cli.ReadWorkflowFolder(folder)
		if err != nil {
			return err
		}
		some, err := app.ReadWorkflowFiles(ctx, folder, environment, read)
		if err != nil {
			return err
		}
		files = append(files, some...)
	}
	open := cli.Open // which makes the data directory, if there is none
	if dryRun {
		open = cli.OpenExisting
	}
	n, err := open(ctx)
	if err != nil {
		return err
	}
	return errors.Join(applyTo(ctx, cli, n, files, applier, dryRun), n.Close())
}

func applyTo(ctx context.Context, cli *terminal.CLI, n *app.Node, files []app.WorkflowFile, applier *app.FileApplier, dryRun bool) error {
	applier.Node, applier.Meta, applier.Logger = n, cli.Meta, cli.Logger(slog.LevelError)
	plans, err := applier.Plan(ctx, files)
	if err != nil {
		return err
	}
	changes := 0
	for _, p := range plans {
		changes += len(p.Changes)
	}
	if !dryRun {
		if err := applier.Carry(ctx, files, plans); err != nil {
			return err
		}
	}
	if err := cli.Show(plans, func(w io.Writer) { write(w, plans, changes, dryRun) }); err != nil {
		return err
	}
	if dryRun && changes > 0 {
		return &terminal.ExitError{Code: ExitDifferent}
	}
	return nil
}

func write(w io.Writer, plans []app.FilePlan, changes int, dryRun bool) {
	for _, p := range plans {
		if len(p.Changes)+len(p.Notes) == 0 {
			continue
		}
		fmt.Fprintf(w, "%s (%s)\n", plain.Line(p.Title), plain.Line(cmp.Or(p.File, "no file")))
		for _, one := range p.Changes {
			text := one.To
			if one.From != "" {
				text = one.From + " → " + one.To
			}
			fmt.Fprintf(w, "  %-12s %s\n", one.Part, plain.Short(text, 200))
		}
		for _, note := range p.Notes {
			fmt.Fprintf(w, "  %-12s %s\n", "note", note)
		}
	}
	switch {
	case changes == 0:
		fmt.Fprintf(w, "%s as its file says. Nothing was changed.\n", count(len(plans), "workflow is", "workflows are each"))
	case dryRun:
		fmt.Fprintf(w, "%s. Nothing was changed: this was a dry run.\n", count(changes, "difference", "differences"))
	default:
		fmt.Fprintf(w, "%s made.\n", count(changes, "change was", "changes were"))
	}
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}
