package bundle

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/aymanbagabas/go-udiff"
	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// MendResult is what the mend command prints.
type MendResult struct {
	Found       bool              `json:"found"`
	Held        bool              `json:"held"`
	Reasons     []string          `json:"reasons"`
	Comment     string            `json:"comment"`
	Fixer       string            `json:"fixer"`
	Template    string            `json:"template"`
	Diff        string            `json:"diff"`
	Script      string            `json:"script"`
	Judgement   *gate.Judgement   `json:"judgement"`
	Alternative []mendAlternative `json:"alternatives"`
	Tried       int               `json:"tried"`
	Explanation string            `json:"explanation"`
}

// mendAlternative is another candidate that passes and comes to another outcome.
type mendAlternative struct {
	Comment string       `json:"comment"`
	Diff    string       `json:"diff"`
	Output  any          `json:"output"`
	Writes  []gate.Write `json:"writes"`
}

// NewMendCommand is 'kintsugi mend'.
func NewMendCommand(cli *terminal.CLI) *cobra.Command {
	fixers := []string{"templates"}
	var write string
	command := &cobra.Command{
		Use: "mend BUNDLE", Short: "Look for a fix of a bundle's failed run, each candidate through the gate", Args: terminal.Takes(1, 1),
		Long: `Lets the fixers propose, puts each candidate through the gate, and prints the difference
and the verdict of the one to apply. Nothing is sent anywhere.

Exit codes: 0 a fix was found that would be applied without asking, 3 only one that
waits for a person (shown with the reasons), 1 none, 2 wrong usage or unreadable bundle.`,
		RunE: func(c *cobra.Command, args []string) error {
			for _, name := range fixers {
				if name != "templates" {
					return terminal.Unreadable("there is no fixer %q here: choose templates", name)
				}
			}
			bundle, err := readBundle(cli, args[0])
			if err != nil {
				return err
			}
			subject, err := subjectOf(bundle)
			if err != nil {
				return err
			}
			var result repair.Result
			err = app.WithRunner(c.Context(), func(runner sandbox.Runner) error {
				result, err = mendBundle(c.Context(), runner, bundle, subject)
				return err
			})
			if err != nil {
				return err
			}
			shown := showMend(subject.Code, result)
			if write != "" && shown.Found {
				if err := os.WriteFile(write, []byte(shown.Script), 0o644); err != nil {
					return terminal.Unreadable("save the script: %w", err)
				}
			}
			if err := cli.Show(shown, func(w io.Writer) { writeMend(w, shown, write) }); err != nil {
				return err
			}
			return mendExit(subject, shown)
		},
	}
	command.Flags().StringSliceVar(&fixers, "fixer", fixers, "who proposes, in this order: templates")
	command.Flags().StringVar(&write, "write", "", "save the script that was found in this file")
	return command
}

func mendBundle(ctx context.Context, runner sandbox.Runner, bundle *gate.Bundle, subject gate.Subject) (repair.Result, error) {
	opened, err := gate.Open(ctx, runner, subject, gate.Options{})
	if err != nil {
		return repair.Result{}, err
	}
	changelog := slices.Clone(bundle.Changelog)
	slices.Reverse(changelog)
	evidence := repair.Evidence{
		Title: bundle.Workflow.Title, Intent: bundle.Workflow.Intent, Code: subject.Code, Version: subject.Version,
		Changelog: changelog, Failed: subject.Failed, Successes: subject.Successes,
	}
	if failing := opened.Failing(); failing.Outcome.Error != nil {
		evidence.Failure = *failing.Outcome.Error
	}
	return repair.Mend(ctx, opened, evidence, repair.Templates{Runner: runner, Zone: subject.Zone})
}

func showMend(code string, result repair.Result) MendResult {
	shown := MendResult{
		Held: result.Held, Reasons: result.Reasons, Tried: len(result.Tried), Explanation: result.Explanation,
		Alternative: []mendAlternative{},
	}
	if shown.Reasons == nil {
		shown.Reasons = []string{}
	}
	for _, other := range result.Alternatives {
		shown.Alternative = append(shown.Alternative, mendAlternative{
			Comment: other.Candidate.Comment,
			Diff:    udiff.Unified("script", "alternative", code, other.Candidate.Code),
			Output:  other.Judgement.FailingRun.Output,
			Writes:  other.Judgement.FailingRun.Writes,
		})
	}
	if best := result.Best; best != nil {
		shown.Found = true
		shown.Comment, shown.Fixer, shown.Template = best.Candidate.Comment, best.Candidate.Fixer, best.Candidate.Template
		shown.Script = best.Candidate.Code
		shown.Diff = udiff.Unified("script", "mended", code, best.Candidate.Code)
		shown.Judgement = &best.Judgement
	}
	return shown
}

// mendExit is the exit code by what mode auto would do: apply what is identical, and what
// is unverifiable only because there was nothing to replay yet. A fix that needs a rehearsal
// waits, because there is nothing live here to rehearse on.
func mendExit(subject gate.Subject, shown MendResult) error {
	if !shown.Found {
		return &terminal.ExitError{Code: terminal.ExitDiffers}
	}
	judged := shown.Judgement
	nothingYet := judged.Verdict == gate.Unverifiable && len(subject.Successes) == 0 &&
		judged.FailingRun.Reproduced && judged.FailingRun.Status == "succeeded"
	if shown.Held || judged.Held || judged.Verdict != gate.Identical && !nothingYet {
		return &terminal.ExitError{Code: terminal.ExitHeld}
	}
	return nil
}

func writeMend(w io.Writer, shown MendResult, saved string) {
	if !shown.Found {
		fmt.Fprintf(w, "No fix found; %d candidates were tried.\n", shown.Tried)
		if shown.Explanation != "" {
			fmt.Fprintf(w, "\n%s\n", plain.Clean(shown.Explanation))
		}
		return
	}
	fmt.Fprintf(w, "%s\n  by %s %s, %d candidates tried\n\n%s\n", plain.Line(shown.Comment), shown.Fixer, shown.Template, shown.Tried, plain.Clean(shown.Diff))
	judged := *shown.Judgement
	judged.Held, judged.Reasons = shown.Held, shown.Reasons
	writeJudgement(w, judged)
	for i, other := range shown.Alternative {
		fmt.Fprintf(w, "\nAlternative %d: %s\n%s", i+1, plain.Line(other.Comment), plain.Clean(other.Diff))
		fmt.Fprintf(w, "  output  %s\n", plain.Clean(plain.Short(fmt.Sprintf("%s", other.Output), 400)))
	}
	if saved != "" {
		fmt.Fprintf(w, "\nSaved to %s\n", plain.Clean(saved))
	}
}
