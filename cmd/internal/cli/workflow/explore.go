package workflow

import (
	"fmt"
	"io"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

// Where a dry run's reads come from.
type readsFrom string

const (
	readsLive     readsFrom = "live"
	readsRecorded readsFrom = "recorded"
)

func newDryRunCommand(cli *terminal.CLI) *cobra.Command {
	var input, script string
	reads := readsLive
	command := &cobra.Command{
		Use: "dry-run WORKFLOW", Annotations: terminal.RemoteOwned(installation.Run, terminal.Reads("script", "@input")), Short: "See what a run would do: its writes are listed and never made", Args: terminal.Takes(1, 1),
		Long: `See what a run would do. It reads for real (or, with --reads recorded, what the last run read), and
every write is listed with its arguments instead of being made. Nothing is stored.
What is different from the last run that succeeded is shown. Exit code 10 if the run would fail, 3
if that cannot be told: the script looks into the answer of a write, or reads what was not recorded.`,
		Example: `  kintsugi workflow dry-run "Refund report" --input '{"day":"2026-03-01"}'
  kintsugi workflow dry-run "Refund report" --script new.js --reads recorded`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				asked := app.DryRun{Recorded: reads == readsRecorded}
				if script != "" {
					if asked.Code, err = cli.ReadScript(c.Context(), script); err != nil {
						return err
					}
				}
				if asked.Input, err = cli.ReadInput("--input", input); err != nil {
					return err
				}
				shown, err := n.Runs.DryRun(c.Context(), cli.Logger(slog.LevelError), id, asked)
				if err != nil {
					return err
				}
				if err := cli.Show(shown, func(w io.Writer) { writeDryRun(w, shown) }); err != nil {
					return err
				}
				switch {
				case shown.Unknown:
					return &terminal.ExitError{Code: terminal.ExitNotFound}
				case shown.Failure != "":
					return &terminal.ExitError{Code: terminal.ExitRunFailed}
				}
				return nil
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&input, "input", "", "the script's input: JSON, @FILE, or -; default that of the last success, else of a slot")
	flags.StringVar(&script, "script", "", "a script to try in the place of the active one")
	terminal.Choose(flags, &reads, "reads", "where reads are answered from", readsLive, readsRecorded)
	return command
}

func writeDryRun(w io.Writer, shown app.DriedRun) {
	switch {
	case shown.Unknown:
		fmt.Fprintf(w, "It cannot be told how it ends. %s\n", plain.Indented(shown.Failure, "  "))
	case shown.Failure != "":
		fmt.Fprintf(w, "It would fail. %s\n", plain.Indented(shown.Failure, "  "))
	default:
		fmt.Fprintf(w, "It would succeed and return %s\n", plain.Short(string(shown.Output), 400))
	}
	fmt.Fprintf(w, "Writes that it would make, and did not: %d\n", len(shown.Writes))
	for i, write := range shown.Writes {
		fmt.Fprintf(w, "  %d  %s %s\n", i+1, write.Tool, plain.Clean(string(write.Args)))
	}
	for _, assumed := range shown.Assumed {
		fmt.Fprintln(w, "  "+plain.Wrapped(assumed, "    ", 96))
	}
	switch {
	case shown.Compared == "":
	case shown.Diff == "":
		fmt.Fprintf(w, "The same as run %s.\n", shown.Compared)
	default:
		fmt.Fprintf(w, "Different from the last run that succeeded:\n%s\n", plain.Indented(shown.Diff, ""))
	}
}

func newWhatIfCommand(cli *terminal.CLI) *cobra.Command {
	var script, since string
	command := &cobra.Command{
		Use: "what-if WORKFLOW", Annotations: terminal.RemoteOwned(installation.Run, terminal.Reads("script")), Short: "Replay past runs on another script and show only what would be different", Args: terminal.Takes(1, 1),
		Long: `Replay past runs on another script. Every call answers from the run's own journal: nothing is read
or sent. Runs that would give the same output and the same writes are only counted.`,
		Example: `  kintsugi workflow what-if "Refund report" --script new.js --since 7d`,
		RunE: func(c *cobra.Command, args []string) error {
			within, err := app.ParseSpan(since)
			if err != nil {
				return err
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				code, err := cli.ReadScript(c.Context(), script)
				if err != nil {
					return err
				}
				shown, err := n.Runs.WhatIf(c.Context(), cli.Logger(slog.LevelError), id, code, within)
				if err != nil {
					return err
				}
				return cli.Show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "Replayed %d runs: %d would be different.\n", shown.Replayed, len(shown.Different))
					for _, one := range shown.Different {
						d := one.Divergence
						fmt.Fprintf(w, "  %s (%s)  %s\n", one.Run, one.Recorded, plain.Indented(fmt.Sprintf("%s: recorded %s, now %s", strings.TrimSpace(d.What+" "+d.Path), d.Want, d.Got), "    "))
					}
				})
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&script, "script", "", "the script to try")
	flags.StringVar(&since, "since", "7d", "how far back: 12h, 7d")
	_ = command.MarkFlagRequired("script")
	return command
}
