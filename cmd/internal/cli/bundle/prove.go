package bundle

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// NewProveCommand is 'kintsugi prove'.
func NewProveCommand(cli *terminal.CLI) *cobra.Command {
	var script string
	command := &cobra.Command{
		Use: "prove BUNDLE --script FILE", Short: "Prove a script against the recorded runs of a bundle", Args: terminal.Takes(1, 1),
		Long: `Puts a script through the gate: the failed run of the bundle, which must first fail the
same way on the bundle's own script, must pass, and every recorded success must give the
same output and the same writes in the same order. Nothing is sent anywhere.

Exit codes: 0 identical and nothing to hold, 1 different, 3 unverifiable or held,
2 wrong usage or unreadable file.`,
		Example: `  kintsugi prove testdata/cases/012-twitter-v2-no-data/bundle.json --script fixed.js -o json`,
		RunE: func(c *cobra.Command, args []string) error {
			if script == "" {
				return terminal.Unreadable("say which script to prove: --script FILE")
			}
			bundle, err := readBundle(cli, args[0])
			if err != nil {
				return err
			}
			subject, err := subjectOf(bundle)
			if err != nil {
				return err
			}
			code, err := readCandidate(cli, script)
			if err != nil {
				return err
			}
			var judged gate.Judgement
			err = app.WithRunner(c.Context(), func(runner sandbox.Runner) error {
				opened, err := gate.Open(c.Context(), runner, subject, gate.Options{})
				if err != nil {
					return err
				}
				judged, err = opened.Judge(c.Context(), code)
				return err
			})
			if err != nil {
				return err
			}
			if err := cli.Show(judged, func(w io.Writer) { writeJudgement(w, judged) }); err != nil {
				return err
			}
			return verdictExit(judged)
		},
	}
	command.Flags().StringVar(&script, "script", "", "the script to prove (- for standard input)")
	return command
}

// verdictExit is the exit code of a judgement: nil for one that is identical with nothing to hold.
func verdictExit(judged gate.Judgement) error {
	switch {
	case judged.Verdict == gate.Different:
		return &terminal.ExitError{Code: terminal.ExitDiffers}
	case judged.Verdict == gate.Unverifiable || judged.Held:
		return &terminal.ExitError{Code: terminal.ExitHeld}
	}
	return nil
}

func writeJudgement(w io.Writer, judged gate.Judgement) {
	verdict := judged.Verdict
	if judged.Held {
		verdict += ", held"
	}
	fmt.Fprintf(w, "Verdict: %s\n", verdict)
	failing := judged.FailingRun
	fmt.Fprintf(w, "  failing run %s: %s", plain.Line(failing.ID), failing.Status)
	if !failing.Reproduced {
		fmt.Fprint(w, "; on the bundle's own script it does not fail as recorded")
	}
	fmt.Fprintln(w)
	if failing.Error != nil && failing.Status == "failed" {
		fmt.Fprintf(w, "    %s\n", plain.Indented(failing.Error.Name+": "+failing.Error.Message, "    "))
	}
	if failing.Status == "succeeded" {
		fmt.Fprintf(w, "    output  %s\n", plain.Clean(plain.Short(string(failing.Output), 400)))
		for _, write := range failing.Writes {
			fmt.Fprintf(w, "    write   %s %s\n", plain.Line(write.Tool), plain.Clean(plain.Short(string(write.Args), 200)))
		}
	}
	for _, assumed := range failing.Assumed {
		fmt.Fprintf(w, "    %s\n", plain.Wrapped(assumed.String(), "      ", 90))
	}
	fmt.Fprintf(w, "  recorded successes: %d replayed, %d identical, %d excluded", judged.Replayed, judged.Identical, judged.Excluded)
	if judged.Missing > 0 {
		fmt.Fprintf(w, ", %d need an answer that was never recorded", judged.Missing)
	}
	fmt.Fprintln(w)
	if judged.Sample != nil {
		fmt.Fprintln(w, "  sampled: "+judged.Sample.String())
	}
	if judged.Divergence != nil {
		fmt.Fprintln(w, "  smallest divergence:")
		writeDivergence(w, judged.Divergence, "    ")
	}
	if judged.Unproved != "" && !slices.Contains(judged.Reasons, judged.Unproved) {
		judged.Reasons = append(slices.Clone(judged.Reasons), judged.Unproved)
	}
	if len(judged.Reasons) > 0 {
		fmt.Fprintln(w, "  reasons to hold:")
		for _, reason := range judged.Reasons {
			fmt.Fprintf(w, "    - %s\n", plain.Wrapped(reason, "      ", 90))
		}
	}
	fmt.Fprintf(w, "  certificate %s (%s)\n", judged.Certificate, judged.GateVersion)
}
