package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
)

// NewExportCommand is 'kintsugi export'.
func NewExportCommand(cli *terminal.CLI) *cobra.Command {
	var file, version string
	var limit int
	command := &cobra.Command{
		Use: "export WORKFLOW", Annotations: terminal.RemoteOwned(installation.Read, terminal.Writes("file")), Short: "Write a workflow's script and recorded runs as a bundle",
		Long: `Write a version of a workflow's script, and the newest recorded runs of its major version up
to that one, as a bundle, which 'replay', 'prove', 'mend' and 'import' read. Failed runs of
earlier versions are left out: they would not fail on this script.`,
		Example: `  kintsugi export "Refund report" --file refunds.json
  kintsugi export "Refund report" --version 1.0 | kintsugi mend -`,
		Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				bundle, err := n.Runs.Bundle(c.Context(), id, version, limit)
				if err != nil {
					return err
				}
				return writeBundle(cli, bundle, file)
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
func writeBundle(cli *terminal.CLI, bundle *gate.Bundle, file string) error {
	if file == "-" {
		return gate.WriteBundle(cli.Out, bundle)
	}
	created, err := cli.CreateFile(file)
	if err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	if err := errors.Join(gate.WriteBundle(created, bundle), created.Close()); err != nil {
		return fmt.Errorf("write the bundle to %s: %w", file, err)
	}
	type written struct {
		File string `json:"file"`
		Runs int    `json:"runs"`
	}
	return cli.Show(written{file, len(bundle.Runs)}, func(w io.Writer) {
		fmt.Fprintf(w, "Wrote version %s and %d recorded runs to %s.\n", bundle.Script.Version, len(bundle.Runs), file)
	})
}

// NewImportCommand is 'kintsugi import'.
func NewImportCommand(cli *terminal.CLI) *cobra.Command {
	var title string
	var allow []string
	command := &cobra.Command{
		Use: "import BUNDLE", Annotations: terminal.RemoteOwned(installation.Edit, terminal.Reads("0")), Short: "Make a workflow from a bundle, its recorded runs included",
		Long: `Make a workflow from a bundle. Its script becomes version 1.0, and its recorded runs are
kept as history: a repair is proved against them. The new workflow is a draft.`,
		Example: `  kintsugi import refunds.json --title "Refund report, a copy"`,
		Args:    terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			text, err := cli.ReadFile(args[0])
			if err != nil {
				return err
			}
			bundle, err := gate.ReadBundle(strings.NewReader(text))
			if err != nil {
				return fault.New(fault.Invalid, "%s: %w", app.FileName(args[0]), err)
			}
			if err := app.CheckScript(c.Context(), bundle.Script.Code, app.FileName(args[0])+": script.code"); err != nil {
				return err
			}
			if title != "" {
				bundle.Workflow.Title = title
			}
			n, err := cli.Open(c.Context())
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, n.Close()) }()
			return importBundle(c.Context(), cli, n, bundle, allow)
		},
	}
	command.Flags().StringVar(&title, "title", "", "another title")
	command.Flags().StringSliceVar(&allow, "allow-host", nil, "a private host, or host:port, that the script may reach")
	return command
}

func importBundle(ctx context.Context, cli *terminal.CLI, n *app.Node, bundle *gate.Bundle, allow []string) error {
	id := app.NewID()
	if err := n.Workflows.CheckTitle(ctx, id, bundle.Workflow.Title, n.Owner); err != nil {
		return fmt.Errorf("%w with --title", err)
	}
	save := workflow.SaveScript{
		ScriptID: app.NewID(), Code: bundle.Script.Code, Comment: "imported, was version " + bundle.Script.Version, Origin: workflow.OriginPerson, Imported: true,
	}
	if err := n.Workflows.Begin(ctx, cli.Meta, workflow.Create{
		ID: id, Title: bundle.Workflow.Title, Intent: bundle.Workflow.Intent, Zone: bundle.Workflow.Zone,
		Owner: cli.OwnerOfNew(), Imported: true,
	}, allow, save); err != nil {
		return err
	}
	saved, err := n.Commands.SaveScript(ctx, id, save, cli.Meta())
	if err != nil {
		return err
	}
	position := saved.Position
	for i, recorded := range bundle.Runs {
		settled, err := n.Runs.Import(ctx, cli.Actor(), id, bundle.Workflow.Zone, recorded)
		if err != nil {
			return fmt.Errorf("import run %s, the %d. of %d (the workflow %s exists with those before it): %w", recorded.ID, i+1, len(bundle.Runs), id, err)
		}
		position = settled.Position
	}
	if err := n.Views.WaitFor(ctx, position); err != nil {
		return err
	}
	created, err := n.Queries.Workflow(ctx, id)
	if err != nil {
		return err
	}
	return cli.Show(created, func(w io.Writer) {
		fmt.Fprintf(w, "Imported %s (%s): version 1.0 and %d recorded runs. It is a draft.\nNext: kintsugi workflow activate %s\n", plain.Clean(created.Title), id, len(bundle.Runs), id)
	})
}
