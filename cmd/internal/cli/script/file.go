package script

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/script/inputschema"
)

// checked is what can be said of a script in a file without running it.
type checked struct {
	File string `json:"file"`
	gate.Account
	Input *inputschema.Schema `json:"input_schema,omitempty"` // what main takes
	Types app.TypeCheck       `json:"types"`
}

func newCheckCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "check FILE", Short: "Say what a script in a file would do, and what is wrong with it, without running it", Args: terminal.Takes(1, 1),
		Long: `Say of a script in a file what can be said without running it: whether it parses and every name is
there, as when it is saved; which hosts, writes and secrets it spells out; and what TypeScript's
compiler finds with the declarations of 'kintsugi script api', if there is a tsc in PATH. Needs no
data directory. What it makes of recorded runs: kintsugi script save WORKFLOW --file FILE --check.

Exit code 0 if nothing is wrong, 2 if it cannot be saved, 1 if types do not fit.`,
		Example: `  kintsugi script check refunds.js`,
		RunE: func(c *cobra.Command, args []string) error {
			code, err := cli.ReadScript(c.Context(), args[0])
			if err != nil {
				return err
			}
			shown := checked{File: app.FileName(args[0])}
			if shown.Account, err = gate.NewAccount(code); err != nil {
				return err
			}
			shown.Input = inputschema.Of(code)
			if shown.Types, err = app.CheckTypes(c.Context(), code, args[0]); err != nil {
				return err
			}
			if err := cli.Show(shown, func(w io.Writer) { writeChecked(w, shown) }); err != nil {
				return err
			}
			if len(shown.Types.Findings) > 0 {
				return &terminal.ExitError{Code: terminal.ExitFailure}
			}
			return nil
		},
	}
}

func writeChecked(w io.Writer, shown checked) {
	fmt.Fprintf(w, "%s can be saved.\n", plain.Line(shown.File))
	var input []string
	if shown.Input != nil {
		input = shown.Input.Lines()
	}
	for _, part := range []struct {
		name  string
		lines []string
	}{{"input", input}, {"hosts", shown.Hosts}, {"writes", shown.Writes}, {"secrets", shown.Secrets}, {"unclear", shown.Unclear}, {"types", shown.Types.Findings}} {
		name := part.name
		for _, line := range part.lines {
			fmt.Fprintf(w, "  %-8s %s\n", name, plain.Line(line))
			name = ""
		}
	}
	switch {
	case shown.Types.By == "":
		fmt.Fprintln(w, "Types were not checked: there is no tsc here. To have one: npm install -g typescript")
	case len(shown.Types.Findings) == 0:
		fmt.Fprintf(w, "Types fit, says %s.\n", plain.Line(shown.Types.By))
	default:
		fmt.Fprintf(w, "Types do not fit, says %s.\n", plain.Line(shown.Types.By))
	}
}
