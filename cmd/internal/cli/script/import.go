package script

import (
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
	command := &cobra.Command{
		Use: "import KIND FILE", Short: "Make a script of one from n8n, Windmill, Apps Script or Node",
		Long: `Make a script of one from elsewhere. KIND is n8n (an exported workflow, or the code of a Code node),
windmill, apps-script or node; FILE is - for standard input. The script is written, and said on
standard error is what of it is kept, what does something else here, and what is not possible.
Nothing is saved. Exit code 0, or 3 if something is not possible: write that anew.`,
		Example: `  kintsugi script import n8n orders.json > orders.js
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
	return command
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
