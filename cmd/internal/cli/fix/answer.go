package fix

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
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newAcceptCommand(cli *terminal.CLI) *cobra.Command {
	accept := workflow.AcceptFix{}
	command := &cobra.Command{
		Use: "accept FIX", Annotations: terminal.RemoteOwned(installation.Judge), Short: "Apply a fix that waits for you, and allow what it needs", Args: terminal.Takes(1, 1),
		Long: `Apply a fix that waits for you; the failed run goes on with it. What it needs beyond where the
workflow has been is allowed from now on, and said: hosts in the allow-list, and secrets at hosts
that were never sent them. 'kintsugi fix show' says before what that would be.`,
		Example: `  kintsugi fix accept 3f0c… --reason "the new field is right"
  kintsugi fix accept 3f0c… --alternative 1`,
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("alternative") && accept.Alternative < 1 {
				return fault.New(fault.Invalid, "--alternative %d: they are counted from 1; without it the fix itself is taken", accept.Alternative)
			}
			return answerFix(c.Context(), cli, args[0], "Accepted", func(n *app.Node, fix projections.Fix) (app.AnsweredFix, error) {
				accept.ScriptID = app.NewID()
				return n.Fixes.Accept(c.Context(), fix, accept, cli.Meta())
			})
		},
	}
	command.Flags().IntVar(&accept.Alternative, "alternative", 0, "take the n-th alternative instead of the fix itself")
	command.Flags().StringSliceVar(&accept.AllowHosts, "allow-host", nil, "a further host that the fix needs beyond the allow-list")
	command.Flags().StringVar(&accept.Reason, "reason", "", "why, for the history")
	return command
}

func newDeclineCommand(cli *terminal.CLI) *cobra.Command {
	var reason string
	command := &cobra.Command{
		Use: "decline FIX", Annotations: terminal.RemoteOwned(installation.Judge), Short: "Refuse a fix that waits for you; the workflow is handed to you", Args: terminal.Takes(1, 1),
		Example: `  kintsugi fix decline 3f0c… --reason "the field means something else"`,
		RunE: func(c *cobra.Command, args []string) error {
			return answerFix(c.Context(), cli, args[0], "Declined", func(n *app.Node, fix projections.Fix) (app.AnsweredFix, error) {
				return n.Fixes.Decline(c.Context(), fix, reason, cli.Meta())
			})
		},
	}
	command.Flags().StringVar(&reason, "reason", "", "why, for the history")
	return command
}

func newCorrectCommand(cli *terminal.CLI) *cobra.Command {
	var note string
	command := &cobra.Command{
		Use: "correct FIX", Annotations: terminal.RemoteOwned(installation.Judge), Short: "Send the maintainer back to work on a fix that waits for you, with a note", Args: terminal.Takes(1, 1),
		Long: `Send the maintainer back to work. It gets its task again, exactly what the fix violates, where it
may go, and your note; what it comes to goes through the same gate.`,
		Example: `  kintsugi fix correct 3f0c… --note "amount_refunded is the field, in cents"`,
		RunE: func(c *cobra.Command, args []string) error {
			if strings.TrimSpace(note) == "" {
				return fault.New(fault.Invalid, "the maintainer needs to know what to do otherwise: --note")
			}
			return answerFix(c.Context(), cli, args[0], "Back to the maintainer", func(n *app.Node, fix projections.Fix) (app.AnsweredFix, error) {
				shown, err := n.Fixes.Correct(c.Context(), fix, note, cli.Meta())
				if err != nil {
					return shown, err
				}
				shown.Told, err = unread(c.Context(), cli, n, fix.Workflow)
				return shown, err
			})
		},
	}
	command.Flags().StringVar(&note, "note", "", "what to do otherwise")
	return command
}

// unread says that nobody reads a note, if that is so: only a model does.
func unread(ctx context.Context, cli *terminal.CLI, n *app.Node, id string) ([]string, error) {
	state, err := n.Commands.LoadWorkflow(ctx, id)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(state.Settings.WithDefaults().Fixers, workflow.FixerModel) {
		return []string{"Nobody reads your note: the workflow's fixers are without a model. See: kintsugi workflow settings " + id + " --fixers"}, nil
	}
	if cli.LLM.Model != "" {
		return nil, nil
	}
	lock, err := app.LockServer(n.Dir, "kintsugi fix correct")
	if _, served := errors.AsType[*app.HeldError](err); served {
		return []string{"Your note is read if the server here has a language model: without one nobody reads it, and templates are tried again"}, nil
	}
	if err != nil {
		return nil, err
	}
	return []string{"Nobody reads your note as it is: no language model is configured, so templates are tried again. Name one with --model, or change the script: kintsugi script save " + id + " --file SCRIPT"}, lock.Release()
}

func newRecheckCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "recheck FIX", Annotations: terminal.RemoteOwned(installation.Judge), Short: "Judge a fix that waits for you again, after you changed something", Args: terminal.Takes(1, 1),
		Long: `Judge a fix that waits for you again, on what is so now: settings, exempted runs, runs that were
recorded since. It says what still asks for you. The fix stays held: accepting it is your word.`,
		Example: `  kintsugi fix recheck 3f0c…`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Fix(c.Context(), args[0])
				if err != nil {
					return err
				}
				shown, err := n.Fixes.Recheck(c.Context(), id, cli.Meta())
				if err != nil {
					return err
				}
				return cli.Show(shown, func(w io.Writer) { writeRecheck(w, shown) })
			})
		},
	}
}

func writeRecheck(w io.Writer, fix app.FixView) {
	fmt.Fprintf(w, "%s\n  Verdict: %s\n", plain.Line(fix.Comment), plain.Wrapped(projections.VerdictLine(*fix.Verification), "  ", 96))
	for _, reason := range fix.Reasons {
		fmt.Fprintf(w, "Still held: %s\n", plain.Wrapped(reason, "  ", 96))
	}
	if len(fix.Reasons) == 0 {
		fmt.Fprintln(w, "Nothing is left that holds it but your word.")
	}
	writeWidening(w, "Accepting it allows", fix.Verification.Widens)
	writeExempt(w, fix)
	fmt.Fprint(w, "\nAnswer with one of:\n")
	writeAnswers(w, fix)
}

func answerFix(ctx context.Context, cli *terminal.CLI, reference, done string, answer func(*app.Node, projections.Fix) (app.AnsweredFix, error)) error {
	return cli.With(ctx, func(n *app.Node) error {
		id, err := n.Resolve.Fix(ctx, reference)
		if err != nil {
			return err
		}
		fix, err := n.Queries.Fix(ctx, id)
		if err != nil {
			return err
		}
		shown, err := answer(n, fix)
		if err != nil {
			return err
		}
		return cli.Show(shown, func(w io.Writer) {
			fmt.Fprintf(w, "%s: %s. Version %s is active, status %s.\n", done, strings.TrimSuffix(plain.Line(shown.Change()), "."), shown.Active, shown.Status)
			for _, one := range shown.Told {
				fmt.Fprintln(w, plain.Line(one)+".")
			}
			switch shown.Status {
			case workflow.StatusActive:
				fmt.Fprintln(w, "The failed run goes on with it: at once if a server runs, else with 'kintsugi dev'.")
			case workflow.StatusMaintenance:
				fmt.Fprintln(w, "The maintainer is at it: at once if a server runs, else with 'kintsugi dev'.")
			case workflow.StatusEscalated:
				fmt.Fprintf(w, "Next: kintsugi script save %s --file SCRIPT, or: kintsugi workflow activate %s\n", fix.Workflow, fix.Workflow)
			}
		})
	})
}
