// Package doctor has the command that says what is wrong with an installation, and what to do about it.
package doctor

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
)

// NewCommand is 'kintsugi doctor'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	var online, asJSON bool
	command := &cobra.Command{
		Use: "doctor", Short: "Look at the installation, and say what is wrong and what to do",
		Long: `Looks at the data directory, the store and a sample of its hash chains, the views, the disk, the clock,
the secrets, the language model, the server and its runs, and the subscriptions. It needs no server, works
beside one, and says so if a directory is missing or damaged. It makes no events.

Exit code 1 if something does not work; what only may not work later is a warning.`,
		Example: `  kintsugi doctor
  kintsugi doctor --online --json`,
		Args: terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if asJSON {
				cli.Format = terminal.FormatJSON
			}
			address, err := cli.Address()
			if err != nil {
				return err
			}
			logger := slog.New(slog.DiscardHandler) // what opening would log is said by the checks
			checks := app.Doctor{
				Dir: cli.DataDir, Address: address, Logger: logger, Now: time.Now, Model: cli.LLM, Online: online,
				Open: func(ctx context.Context) (*app.Node, error) { return cli.OpenPatient(ctx, app.CommandPatience, logger) },
			}.Examine(c.Context())
			if err := c.Context().Err(); err != nil {
				return err
			}
			for i, one := range checks {
				checks[i].Seen, checks[i].Do = cli.Redact(one.Seen), cli.Redact(one.Do)
			}
			if err := cli.Show(checks, func(w io.Writer) { write(w, checks) }); err != nil {
				return err
			}
			if app.Failed(checks) {
				return &terminal.ExitError{Code: terminal.ExitFailure}
			}
			return nil
		},
	}
	command.Flags().BoolVar(&online, "online", false, "also ask the language model, which costs a few tokens")
	command.Flags().BoolVar(&asJSON, "json", false, "the same as -o json")
	return command
}

// width of what is said about a check.
const width = 100

func write(w io.Writer, checks []app.Check) {
	for _, one := range checks {
		fmt.Fprintf(w, "%-4s  %-13s  %s\n", one.Status, one.Name, plain.Line(one.Seen))
		if one.Do != "" {
			fmt.Fprintf(w, "%s\n", "                     → "+plain.Wrapped(one.Do, "                       ", width))
		}
	}
}
