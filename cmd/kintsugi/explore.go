package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/replay"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/projections"
)

// explore lends an explorer and its worker processes to fn.
func (n *node) explore(logger *slog.Logger, fn func(*rehearsal.Explorer) error) (err error) {
	pool := newPool(logger)
	defer func() { err = errors.Join(err, pool.Close()) }()
	return fn(&rehearsal.Explorer{
		Commands: n.commands, Sandbox: pool, Local: n, Recordings: n, Secrets: n.secrets, Now: n.now, NewID: newID, Logger: logger,
	})
}

// codeOf is the script in a file, or the active one of a workflow.
func (a *app) codeOf(ctx context.Context, state workflow.State, file string) (string, error) {
	if file != "" {
		return a.readScript(ctx, file)
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

func newWorkflowDryRunCommand(a *app) *cobra.Command {
	var input, script string
	reads := readsLive
	command := &cobra.Command{
		Use: "dry-run WORKFLOW", Short: "See what a run would do: its writes are listed and never made", Args: takes(1, 1),
		Long: `See what a run would do. It reads for real (or, with --reads recorded, what the last run read), and
every write is listed with its arguments instead of being made. Nothing is stored.
What is different from the last run that succeeded is shown. Exit code 10 if the run would fail, 3
if that cannot be told: the script looks into the answer of a write, or reads what was not recorded.`,
		Example: `  kintsugi workflow dry-run "Refund report" --input '{"day":"2026-03-01"}'
  kintsugi workflow dry-run "Refund report" --script new.js --reads recorded`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				state, err := n.commands.LoadWorkflow(c.Context(), id)
				if err != nil {
					return err
				}
				dry := rehearsal.DryRun{}
				if dry.Code, err = a.codeOf(c.Context(), state, script); err != nil {
					return err
				}
				if dry.Input, err = a.readInput("--input", input); err != nil {
					return err
				}
				last, err := n.lastSuccess(c.Context(), id)
				if err != nil {
					return err
				}
				switch {
				case input != "":
				case last != nil:
					dry.Input = last.Input
				case state.Schedule.Spec != "":
					dry.Input = state.SlotInput(n.now())
				default:
					dry.Input = state.Settings.DefaultInput()
				}
				if reads == readsRecorded {
					if last == nil {
						return fault.New(fault.Conflict, "%s has no run that succeeded, so nothing is recorded: use --reads live", state.Title)
					}
					dry.Recorded = last
				}
				return n.explore(a.logger(slog.LevelError), func(e *rehearsal.Explorer) error {
					made, err := e.DryRun(c.Context(), id, dry)
					if err != nil {
						return err
					}
					shown := dryRunOf(id, made, last)
					if err := a.show(shown, func(w io.Writer) { writeDryRun(w, shown) }); err != nil {
						return err
					}
					switch {
					case shown.Unknown:
						return &exitError{code: exitNotFound}
					case shown.Failure != "":
						return &exitError{code: exitRunFailed}
					}
					return nil
				})
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&input, "input", "", "the script's input: JSON, @FILE, or -; default that of the last success, else of a slot")
	flags.StringVar(&script, "script", "", "a script to try in the place of the active one")
	choose(flags, &reads, "reads", "where reads are answered from", readsLive, readsRecorded)
	return command
}

func (n *node) lastSuccess(ctx context.Context, id string) (*run.State, error) {
	runs, err := n.queries.Runs(ctx, projections.RunFilter{Workflow: id, Status: projections.RunSucceeded, Limit: 1})
	if err != nil || len(runs) == 0 {
		return nil, err
	}
	state, err := n.commands.LoadRun(ctx, runs[0].ID)
	return &state, err
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
		fmt.Fprintf(w, "It cannot be told how it ends. %s\n", indented(shown.Failure, "  "))
	case shown.Failure != "":
		fmt.Fprintf(w, "It would fail. %s\n", indented(shown.Failure, "  "))
	default:
		fmt.Fprintf(w, "It would succeed and return %s\n", short(string(shown.Output), 400))
	}
	fmt.Fprintf(w, "Writes that it would make, and did not: %d\n", len(shown.Writes))
	for i, write := range shown.Writes {
		fmt.Fprintf(w, "  %d  %s %s\n", i+1, write.Tool, clean(string(write.Args)))
	}
	switch {
	case shown.Compared == "":
	case shown.Diff == "":
		fmt.Fprintf(w, "The same as run %s.\n", shown.Compared)
	default:
		fmt.Fprintf(w, "Different from the last run that succeeded:\n%s\n", indented(shown.Diff, ""))
	}
}

// whatIf is what another script would have made of the past.
type whatIf struct {
	Workflow  string                 `json:"workflow"`
	Replayed  int                    `json:"replayed"`
	Different []rehearsal.Difference `json:"different"`
}

func newWorkflowWhatIfCommand(a *app) *cobra.Command {
	var script, since string
	command := &cobra.Command{
		Use: "what-if WORKFLOW", Short: "Replay past runs on another script and show only what would be different", Args: takes(1, 1),
		Long: `Replay past runs on another script. Every call answers from the run's own journal: nothing is read
or sent. Runs that would give the same output and the same writes are only counted.`,
		Example: `  kintsugi workflow what-if "Refund report" --script new.js --since 7d`,
		RunE: func(c *cobra.Command, args []string) error {
			within, err := parseSince(since)
			if err != nil {
				return err
			}
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveWorkflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				code, err := a.readScript(c.Context(), script)
				if err != nil {
					return err
				}
				runs, err := n.queries.Runs(c.Context(), projections.RunFilter{Workflow: id})
				if err != nil {
					return err
				}
				var past []string
				for i := len(runs) - 1; i >= 0; i-- { // oldest first
					if !runs[i].Ended.IsZero() && n.now().Sub(runs[i].Admitted) <= within {
						past = append(past, runs[i].ID)
					}
				}
				return n.explore(a.logger(slog.LevelError), func(e *rehearsal.Explorer) error {
					different, err := e.WhatIf(c.Context(), id, code, past)
					if err != nil {
						return err
					}
					shown := whatIf{Workflow: id, Replayed: len(past), Different: different}
					return a.show(shown, func(w io.Writer) {
						fmt.Fprintf(w, "Replayed %d runs: %d would be different.\n", shown.Replayed, len(shown.Different))
						for _, one := range shown.Different {
							d := one.Divergence
							fmt.Fprintf(w, "  %s (%s)  %s\n", one.Run, one.Recorded, indented(fmt.Sprintf("%s %s: want %s, got %s", d.What, d.Path, d.Want, d.Got), "    "))
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

func newRunForkCommand(a *app) *cobra.Command {
	var from int
	var result, input string
	command := &cobra.Command{
		Use: "fork RUN", Short: "Start a new run in the middle of another one", Args: takes(1, 1),
		Long: `Start a new run where another one was before a call: the calls before it answer from that run's
journal and are not made again. From there on everything is done for real, on the active version.
What becomes of it stays with it: its keys and files are as they were before that call, the workflow
keeps its own, and a failure is neither repaired nor tried again.
The numbers of calls are those of 'kintsugi run show'.`,
		Example: `  kintsugi run fork 0197f2 --from-call 4
  kintsugi run fork 0197f2 --from-call 4 --result @answer.json`,
		RunE: func(c *cobra.Command, args []string) error {
			return a.with(c.Context(), func(n *node) error {
				id, err := n.resolveRun(c.Context(), args[0])
				if err != nil {
					return err
				}
				forked, err := n.commands.LoadRun(c.Context(), id)
				if err != nil {
					return err
				}
				if from > len(forked.Calls)+1 {
					return fault.New(fault.Invalid, "--from-call %d: run %s made %d calls", from, id, len(forked.Calls))
				}
				fork := workflow.Fork{Run: id, FromCall: from}
				if fork.Result, err = a.readInput("--result", result); err != nil {
					return err
				}
				admit := workflow.AdmitRun{Run: newID(), Trigger: workflow.TriggerFork, Fork: &fork}
				if admit.Input, err = a.readInput("--input", input); err != nil {
					return err
				}
				return a.runAdmitted(c.Context(), n, forked.Workflow, admit)
			})
		},
	}
	flags := command.Flags()
	flags.IntVar(&from, "from-call", 0, "the first call that is made anew")
	flags.StringVar(&result, "result", "", "what that call answers instead: JSON, @FILE, or -")
	flags.StringVar(&input, "input", "", "another input: JSON, @FILE, or -")
	_ = command.MarkFlagRequired("from-call")
	command.MarkFlagsMutuallyExclusive("result", "input")
	return command
}
