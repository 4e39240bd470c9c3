package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/internal/importer"
)

func newImportCommand(cli *terminal.CLI) *cobra.Command {
	var file string
	var prove bool
	command := &cobra.Command{
		Use: "import KIND FILE", Short: "Make a script of one from n8n, Windmill, GitHub Actions and others",
		Long: `Make a script of one from elsewhere. KIND is n8n (an exported workflow, or the code of a Code node),
windmill, apps-script, node, github-script (a workflow of GitHub Actions), pipedream, cloudflare or
lambda; FILE is - for standard input. The script is written, and said on standard error is what of
it is kept, what does something else here, and what is not possible.
Nothing is saved. Exit code 0, or 3 if something is not possible: write that anew.

--prove runs an n8n workflow with the items that are pinned in its export: nodes that reach outside
give them, and of the others it says whether they make the same. Exit code 3 if one does not.`,
		Example: `  kintsugi script import n8n orders.json > orders.js
  kintsugi script import n8n orders.json --prove
  kintsugi script import apps-script Code.gs --file report.js`,
		Args: terminal.Takes(2, 2),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return importer.Kinds, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(c *cobra.Command, args []string) error {
			kind, name := args[0], args[1]
			if !slices.Contains(importer.Kinds, kind) {
				return fault.New(fault.Invalid, "there is no kind %q: wanted is one of %s", kind, strings.Join(importer.Kinds, ", "))
			}
			text, err := cli.ReadFile(name)
			if err != nil {
				return err
			}
			if prove {
				return proveImport(c.Context(), cli, kind, app.FileName(name), text)
			}
			brought, err := importer.Script(kind, text)
			if err != nil {
				return fault.New(fault.Invalid, "%s: %w", app.FileName(name), err)
			}
			if brought.Notes == nil {
				brought.Notes = []importer.Note{}
			}
			if err := app.CheckScript(c.Context(), brought.Script, app.FileName(name)+", as a script"); err != nil {
				brought.Notes = slices.Insert(brought.Notes, 0, importer.Note{Fate: importer.Impossible, Text: err.Error()})
			}
			if err := writeBrought(cli, brought, file); err != nil {
				return err
			}
			if slices.ContainsFunc(brought.Notes, func(note importer.Note) bool { return note.Fate == importer.Impossible }) {
				return &terminal.ExitError{Code: terminal.ExitHeld}
			}
			return nil
		},
	}
	command.Flags().StringVar(&file, "file", "-", "where to write; - for standard output")
	command.Flags().BoolVar(&prove, "prove", false, "compare what an n8n workflow makes with the items that are pinned in it")
	return command
}

// proveImport says of each node whose items are pinned whether it makes the same.
func proveImport(ctx context.Context, cli *terminal.CLI, kind, name, text string) error {
	if kind != "n8n" {
		return fault.New(fault.Invalid, "--prove needs items that are pinned in an export of n8n; a script of %s has none", kind)
	}
	proofs, err := importer.Prove(ctx, text)
	if err != nil {
		return fault.New(fault.Invalid, "%s: %w", name, err)
	}
	if err := cli.Show(proofs, func(w io.Writer) {
		for _, one := range proofs {
			fmt.Fprintf(w, "%-12s %s\n", one.Says+":", plain.Clean(strings.TrimSuffix(one.Node+": "+one.Text, ": ")))
		}
	}); err != nil {
		return err
	}
	if slices.ContainsFunc(proofs, func(one importer.Proof) bool { return one.Says == importer.Differs }) {
		return &terminal.ExitError{Code: terminal.ExitHeld}
	}
	return nil
}

// writeBrought writes the script to standard output or a file, and beside it what became of its parts.
func writeBrought(cli *terminal.CLI, brought importer.Brought, file string) error {
	if file != "-" {
		created, err := cli.CreateFile(file)
		if err != nil {
			return fmt.Errorf("write the script: %w", err)
		}
		_, err = io.WriteString(created, brought.Script)
		if err := errors.Join(err, created.Close()); err != nil {
			return fmt.Errorf("write the script to %s: %w", file, err)
		}
	}
	if cli.Format == terminal.FormatText {
		tellNotes(cli.Err, brought)
	}
	return cli.Show(brought, func(w io.Writer) {
		if file == "-" {
			fmt.Fprint(w, strings.TrimSuffix(brought.Script, "\n")+"\n")
			return
		}
		fmt.Fprintf(w, "Wrote the script to %s.\n", file)
	})
}

func tellNotes(w io.Writer, brought importer.Brought) {
	for _, note := range brought.Notes {
		at := ""
		if note.Line > 0 {
			at = fmt.Sprintf("line %d: ", note.Line)
		}
		if note.Node != "" {
			at += note.Node + ": "
		}
		fmt.Fprintf(w, "%-13s %s\n", note.Fate+":", plain.Clean(at+note.Text))
	}
	if len(brought.Input) > 0 {
		fmt.Fprintf(w, "Input of main: %s\n", plain.Clean(string(brought.Input)))
	}
	if cron := brought.Cron; cron != "" {
		fmt.Fprintf(w, "It ran at %s: kintsugi workflow schedule sets that.\n", plain.Clean(cron))
	}
}
