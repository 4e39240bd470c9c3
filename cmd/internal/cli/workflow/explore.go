package workflow

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/replay"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/projections"
)

// codeOf is the script in a file, or the active one of a workflow.
func codeOf(ctx context.Context, cli *terminal.CLI, state workflow.State, file string) (string, error) {
	if file != "" {
		return cli.ReadScript(ctx, file)
	}
	script, found := state.Script(state.Active)
	if !found {
		return "", fault.New(fault.Conflict, "%s has no script yet: name one with --script", state.Title)
	}
	return script.Code, nil
}

// Where a dry run's reads come from.
type readsFrom string

const (
	readsLive     readsFrom = "live"
	readsRecorded readsFrom = "recorded"
)

// dryRun is what a dry run shows.
type dryRun struct {
	Workflow string          `json:"workflow"`
	Output   json.RawMessage `json:"output,omitempty"`
	Failure  string          `json:"failure,omitempty"`
	// Unknown says that Failure is not the script's: it needs the answer of a write that was not
	// made, or of a read that was not recorded, so that nobody knows how it would go on.
	Unknown bool           `json:"unknown,omitempty"`
	Writes  []replay.Write `json:"writes"` // would have been made, and were not
	// Compared is the last real run, and Diff what is different from it: as text, its output
	// and writes line by line; empty if nothing is.
	Compared string `json:"compared,omitempty"`
	Diff     string `json:"diff,omitempty"`
}

func newDryRunCommand(cli *terminal.CLI) *cobra.Command {
	var input, script string
	reads := readsLive
	command := &cobra.Command{
		Use: "dry-run WORKFLOW", Short: "See what a run would do: its writes are listed and never made", Args: terminal.Takes(1, 1),
		Long: `See what a run would do. It reads for real (or, with --reads recorded, what the last run read), and
every write is listed with its arguments instead of being made. Nothing is stored.
What is different from the last run that succeeded is shown. Exit code 10 if the run would fail, 3
if that cannot be told: the script looks into the answer of a write, or reads what was not recorded.`,
		Example: `  kintsugi workflow dry-run "Refund report" --input '{"day":"2026-03-01"}'
  kintsugi workflow dry-run "Refund report" --script new.js --reads recorded`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.ResolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				state, err := n.Commands.LoadWorkflow(c.Context(), id)
				if err != nil {
					return err
				}
				dry := rehearsal.DryRun{}
				if dry.Code, err = codeOf(c.Context(), cli, state, script); err != nil {
					return err
				}
				if dry.Input, err = cli.ReadInput("--input", input); err != nil {
					return err
				}
				last, err := n.LastSuccess(c.Context(), id)
				if err != nil {
					return err
				}
				switch {
				case input != "":
				case last != nil:
					dry.Input = last.Input
				case state.Schedule.Spec != "":
					dry.Input = state.SlotInput(n.Now())
				default:
					dry.Input = state.Settings.DefaultInput()
				}
				if reads == readsRecorded {
					if last == nil {
						return fault.New(fault.Conflict, "%s has no run that succeeded, so nothing is recorded: use --reads live", state.Title)
					}
					dry.Recorded = last
				}
				return n.Explore(cli.Logger(slog.LevelError), func(e *rehearsal.Explorer) error {
					made, err := e.DryRun(c.Context(), id, dry)
					if err != nil {
						return err
					}
					shown := dryRunOf(id, made, last)
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
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&input, "input", "", "the script's input: JSON, @FILE, or -; default that of the last success, else of a slot")
	flags.StringVar(&script, "script", "", "a script to try in the place of the active one")
	terminal.Choose(flags, &reads, "reads", "where reads are answered from", readsLive, readsRecorded)
	return command
}

func dryRunOf(id string, made rehearsal.Rehearsed, last *run.State) dryRun {
	shown := dryRun{Workflow: id, Output: made.Outcome.Output, Writes: made.Writes}
	if shown.Writes == nil {
		shown.Writes = []replay.Write{}
	}
	if e := made.Outcome.Error; e != nil {
		shown.Failure = fmt.Sprintf("%s (%s): %s", e.Name, e.Class, e.Message)
		shown.Unknown = e.Code == sandbox.CodeUnanswerable
	}
	if last != nil {
		shown.Compared = last.Run
		before := whatItDid(last.Output, "", rehearsal.WritesOf(*last))
		shown.Diff = udiff.Unified("run "+last.Run, "dry run", before, whatItDid(shown.Output, shown.Failure, shown.Writes))
	}
	return shown
}

// whatItDid is what a run did, as lines that can be compared.
func whatItDid(output json.RawMessage, failure string, writes []replay.Write) string {
	var text strings.Builder
	for _, write := range writes {
		fmt.Fprintf(&text, "%s %s\n", write.Tool, write.Args)
	}
	if failure != "" {
		fmt.Fprintf(&text, "failed: %s\n", failure)
	} else {
		if len(output) == 0 {
			output = json.RawMessage("null")
		}
		fmt.Fprintf(&text, "returned: %s\n", output)
	}
	return text.String()
}

func writeDryRun(w io.Writer, shown dryRun) {
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
	switch {
	case shown.Compared == "":
	case shown.Diff == "":
		fmt.Fprintf(w, "The same as run %s.\n", shown.Compared)
	default:
		fmt.Fprintf(w, "Different from the last run that succeeded:\n%s\n", plain.Indented(shown.Diff, ""))
	}
}

// whatIf is what another script would have made of the past.
type whatIf struct {
	Workflow  string                 `json:"workflow"`
	Replayed  int                    `json:"replayed"`
	Different []rehearsal.Difference `json:"different"`
}

func newWhatIfCommand(cli *terminal.CLI) *cobra.Command {
	var script, since string
	command := &cobra.Command{
		Use: "what-if WORKFLOW", Short: "Replay past runs on another script and show only what would be different", Args: terminal.Takes(1, 1),
		Long: `Replay past runs on another script. Every call answers from the run's own journal: nothing is read
or sent. Runs that would give the same output and the same writes are only counted.`,
		Example: `  kintsugi workflow what-if "Refund report" --script new.js --since 7d`,
		RunE: func(c *cobra.Command, args []string) error {
			within, err := parseSince(since)
			if err != nil {
				return err
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.ResolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				code, err := cli.ReadScript(c.Context(), script)
				if err != nil {
					return err
				}
				runs, err := n.Queries.Runs(c.Context(), projections.RunFilter{Workflow: id})
				if err != nil {
					return err
				}
				var past []string
				for i := len(runs) - 1; i >= 0; i-- { // oldest first
					if !runs[i].Ended.IsZero() && n.Now().Sub(runs[i].Admitted) <= within {
						past = append(past, runs[i].ID)
					}
				}
				return n.Explore(cli.Logger(slog.LevelError), func(e *rehearsal.Explorer) error {
					different, err := e.WhatIf(c.Context(), id, code, past)
					if err != nil {
						return err
					}
					shown := whatIf{Workflow: id, Replayed: len(past), Different: different}
					return cli.Show(shown, func(w io.Writer) {
						fmt.Fprintf(w, "Replayed %d runs: %d would be different.\n", shown.Replayed, len(shown.Different))
						for _, one := range shown.Different {
							d := one.Divergence
							fmt.Fprintf(w, "  %s (%s)  %s\n", one.Run, one.Recorded, plain.Indented(fmt.Sprintf("%s %s: want %s, got %s", d.What, d.Path, d.Want, d.Got), "    "))
						}
					})
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

// parseSince reads a duration that may be in days.
func parseSince(text string) (time.Duration, error) {
	refuse := fault.New(fault.Invalid, "--since %q is not a time span: write 90m, 12h or 7d", text)
	if days, found := strings.CutSuffix(text, "d"); found {
		var n int
		if _, err := fmt.Sscanf(days, "%d", &n); err != nil || n < 1 || n > 36_500 || fmt.Sprint(n) != days {
			return 0, refuse
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	span, err := time.ParseDuration(text)
	if err != nil || span <= 0 {
		return 0, refuse
	}
	return span, nil
}
