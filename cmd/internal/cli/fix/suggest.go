package fix

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/projections"
)

func newSuggestCommand(cli *terminal.CLI) *cobra.Command {
	var file, base string
	fix := workflow.SuggestFix{}
	command := &cobra.Command{
		Use: "suggest WORKFLOW", Annotations: terminal.RemoteOwned(installation.Edit, terminal.Reads("file")), Short: "Put a fix of your own through the gate, for a failure that is being repaired or was handed to you", Args: terminal.Takes(1, 1),
		Long: `Put a fix of your own through the gate: it is replayed on the run that failed and on the recorded
successes, as every fix is. What passes becomes the next minor version, and the failed run goes on
with it; what asks for a person waits for one; what changes what used to work, or does not let the
failed run succeed, is refused, and nothing is changed. What was never recorded it may read live, as
every fix. To change what a workflow does, save the script instead.

Exit code 0 if it is applied, 11 if it waits for a person, 1 if it is refused.`,
		Example: `  kintsugi fix suggest "Refund report" --file refunds.js --comment "read amount_refunded"
  kintsugi fix suggest "Refund report" --file refunds.js --of 1.2`,
		RunE: func(c *cobra.Command, args []string) error {
			code, err := cli.ReadScript(c.Context(), file)
			if err != nil {
				return err
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				fix.Proposal, fix.Code = app.NewID(), code
				shown, err := n.Fixes.Suggest(c.Context(), id, base, fix, cli.Meta())
				if err != nil {
					return err
				}
				if err := cli.Show(shown, func(w io.Writer) { writeSuggested(w, shown) }); err != nil {
					return err
				}
				switch shown.Became {
				case app.SuggestionRefused:
					return &terminal.ExitError{Code: terminal.ExitDiffers}
				case app.SuggestionHeld:
					return &terminal.ExitError{Code: terminal.ExitEscalated}
				}
				return nil
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&file, "file", "", "the whole script, mended; - for standard input")
	flags.StringVar(&fix.Comment, "comment", "", "what it changes, in one line")
	flags.StringVar(&base, "of", "", "the version that it was made of; another one that fails meanwhile is not mended with it")
	_ = command.MarkFlagRequired("file") // the flag is there
	return command
}

func writeSuggested(w io.Writer, shown app.SuggestedFix) {
	switch shown.Became {
	case app.SuggestionApplied:
		fmt.Fprintf(w, "Applied: version %s is active, and the failed run goes on with it: at once if a server runs, else with 'kintsugi dev'.\n", shown.Version)
	case app.SuggestionHeld:
		fmt.Fprintf(w, "It waits for a person: fix %s of version %s.\n", shown.Fix, shown.Base)
	default:
		fmt.Fprintf(w, "Refused: version %s stays as it is.\n", shown.Base)
	}
	fmt.Fprintf(w, "  Verdict: %s\n", plain.Wrapped(projections.VerdictLine(shown.Verification), "  ", 96))
	fmt.Fprintf(w, "  The failed run: %s\n", plain.Wrapped(shown.Verification.FailingRun, "  ", 96))
	for _, reason := range shown.Reasons {
		fmt.Fprintf(w, "Held: %s\n", plain.Wrapped(reason, "  ", 96))
	}
	writeWidening(w, "Accepting it allows", shown.Verification.Widens)
	if shown.Became == app.SuggestionHeld {
		fmt.Fprintf(w, "See: kintsugi fix show %s\n", shown.Fix)
	}
}
