package bundle

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// replayResult is what the replay command prints.
type replayResult struct {
	Runs       int                 `json:"runs"`
	Reproduced int                 `json:"reproduced"`
	Results    []gate.Reproduction `json:"results"`
}

// NewReplayCommand is 'kintsugi replay'.
func NewReplayCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "replay BUNDLE", Short: "Run each recorded run of a bundle again and say which reproduce", Args: terminal.Takes(1, 1),
		Long: `Runs each recorded run of a bundle again, on the bundle's own script and on the recorded
answers, and compares output, ordered writes and error. - reads the bundle from standard
input. Nothing is sent anywhere.

Exit codes: 0 every run reproduces, 1 some differ, 2 wrong usage or unreadable bundle.`,
		RunE: func(c *cobra.Command, args []string) error {
			bundle, err := readBundle(cli, args[0])
			if err != nil {
				return err
			}
			result := replayResult{Runs: len(bundle.Runs), Results: []gate.Reproduction{}}
			err = app.WithRunner(c.Context(), func(runner sandbox.Runner) error {
				for i := range bundle.Runs {
					again, err := gate.Reproduce(c.Context(), runner, bundle.Script.Code, bundle.Workflow.Zone, &bundle.Runs[i])
					if err != nil {
						return err
					}
					if again.Reproduced {
						result.Reproduced++
					}
					result.Results = append(result.Results, again)
				}
				return nil
			})
			if err != nil {
				return err
			}
			if cli.Format == terminal.FormatJSONL {
				err = cli.Show(result.Results, nil)
			} else {
				err = cli.Show(result, func(w io.Writer) { writeReplay(w, bundle, result) })
			}
			if err != nil {
				return err
			}
			if result.Reproduced < result.Runs {
				return &terminal.ExitError{Code: terminal.ExitDiffers}
			}
			return nil
		},
	}
}

func writeReplay(w io.Writer, bundle *gate.Bundle, result replayResult) {
	for i, again := range result.Results {
		said := "reproduces"
		if !again.Reproduced {
			said = "differs"
		}
		fmt.Fprintf(w, "%-12s %s (%s)\n", plain.Line(again.Run), said, bundle.Runs[i].Outcome.Status)
		if again.Divergence != nil {
			writeDivergence(w, again.Divergence, "  ")
		}
		if again.LogDiffers {
			fmt.Fprintln(w, "  its log is not as recorded")
		}
	}
	fmt.Fprintf(w, "%d of %d runs reproduce\n", result.Reproduced, result.Runs)
}

func writeDivergence(w io.Writer, d *gate.Divergence, indent string) {
	where := d.What
	if d.Path != "" {
		where += " " + d.Path
	}
	fmt.Fprintf(w, "%srun %s, %s\n%s  want  %s\n%s  got   %s\n",
		indent, plain.Line(d.Run), plain.Line(where), indent, plain.Indented(d.Want, indent+"        "), indent, plain.Indented(d.Got, indent+"        "))
}
