package bundle

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/script/packages"
)

// NewExportCommand is 'kintsugi export'.
func NewExportCommand(cli *terminal.CLI) *cobra.Command {
	var file, version, form, folder string
	var limit int
	command := &cobra.Command{
		Use: "export WORKFLOW", Annotations: terminal.RemoteOwned(installation.Read, terminal.Writes("file"), terminal.WritesTo("to")), Short: "Write a workflow's script and recorded runs as a bundle, or the workflow as files",
		Long: `Write a version of a workflow's script, and the newest recorded runs of its major version up
to that one, as a bundle, which 'replay', 'prove', 'mend' and 'import' read. Failed runs of
earlier versions are left out: they would not fail on this script.

With --as files the workflow itself is written into a folder, as 'kintsugi apply' reads it: ` + app.WorkflowFileName + `
and the active version of the script, without recorded runs.`,
		Example: `  kintsugi export "Refund report" --file refunds.json
  kintsugi export "Refund report" --version 1.0 | kintsugi mend -
  kintsugi export "Refund report" --as files --to workflows/refund-report`,
		Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			switch asFiles := form == asFiles; {
			case asFiles && folder == "":
				return fault.New(fault.Invalid, "--as files writes into a folder: name it with --to")
			case !asFiles && folder != "":
				return fault.New(fault.Invalid, "--to is the folder of --as files: a bundle is written to --file")
			case asFiles && (c.Flags().Changed("file") || c.Flags().Changed("version") || c.Flags().Changed("runs")):
				return fault.New(fault.Invalid, "--file, --version and --runs are of a bundle: leave them out with --as files")
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				if form == asFiles {
					return writeFiles(c.Context(), cli, n, id, folder)
				}
				bundle, err := n.Runs.Bundle(c.Context(), id, version, limit)
				if err != nil {
					return err
				}
				return writeBundle(cli, bundle, file)
			})
		},
	}
	terminal.Choose(command.Flags(), &form, "as", "a bundle (default), or files", "bundle", asFiles)
	command.Flags().StringVar(&folder, "to", "", "the folder of --as files; it is made if it is not there")
	command.Flags().StringVar(&file, "file", "-", "where to write; - for standard output")
	command.Flags().StringVar(&version, "version", "", "which version of the script; default the active one")
	command.Flags().IntVar(&limit, "runs", 50, "at most so many runs; 0 for all")
	return command
}

// asFiles is the form of a workflow that 'kintsugi apply' reads.
const asFiles = "files"

// writeFiles writes a workflow into a folder. A file of it that is there keeps what a person wrote: then only the script is written,
// to where that file has it.
func writeFiles(ctx context.Context, cli *terminal.CLI, n *app.Node, id, folder string) error {
	written, err := n.WriteWorkflow(ctx, id)
	if err != nil {
		return err
	}
	there, err := cli.ReadWorkflowFolder(folder)
	if err != nil && fault.KindOf(err) != fault.NotFound {
		return err
	}
	names := []string{}
	put := func(name string, content []byte) error {
		names = append(names, path.Join(folder, name))
		if err := cli.WriteInto(folder, name, content); err != nil {
			return fmt.Errorf("write %s into %s: %w", name, folder, err)
		}
		return nil
	}
	if own, is := there[app.WorkflowFileName]; is {
		if written.Script, err = app.ScriptOfFile(folder, own, id); err != nil {
			return err
		}
	} else if err := put(app.WorkflowFileName, written.File); err != nil {
		return err
	}
	if written.Script != "" && written.Code != "" {
		for _, one := range packages.Split(written.Code) {
			if err := put(path.Join(path.Dir(written.Script), cmp.Or(one.Name, path.Base(written.Script))), []byte(written.Code[one.Start:one.End])); err != nil {
				return err
			}
		}
	}
	return cli.Show(names, func(w io.Writer) {
		fmt.Fprintf(w, "Wrote %s.\nNext: kintsugi apply %s --dry-run shows whether anything else is different.\n", strings.Join(names, " and "), plain.Quoted(folder))
	})
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
	create := workflow.Create{ID: id, Title: bundle.Workflow.Title, Intent: bundle.Workflow.Intent, Zone: bundle.Workflow.Zone, Owner: cli.OwnerOfNew()}
	if err := n.Workflows.CheckTitle(ctx, id, create.Title, n.Owner); err != nil {
		return fmt.Errorf("%w with --title", err)
	}
	if _, err := n.ImportBundle(ctx, cli.Meta, create, app.NewID(), bundle, allow); err != nil {
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
