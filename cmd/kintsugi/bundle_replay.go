package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/internal/replay"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// replayResult is what the replay command prints.
type replayResult struct {
	Runs       int                   `json:"runs"`
	Reproduced int                   `json:"reproduced"`
	Results    []replay.Reproduction `json:"results"`
}

func newReplayCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "replay BUNDLE", Short: "Run each recorded run of a bundle again and say which reproduce", Args: takes(1, 1),
		Long: `Runs each recorded run of a bundle again, on the bundle's own script and on the recorded
answers, and compares output, ordered writes and error. - reads the bundle from standard
input. Nothing is sent anywhere.

Exit codes: 0 every run reproduces, 1 some differ, 2 wrong usage or unreadable bundle.`,
		RunE: func(c *cobra.Command, args []string) error {
			bundle, err := a.readBundle(args[0])
			if err != nil {
				return err
			}
			result := replayResult{Runs: len(bundle.Runs), Results: []replay.Reproduction{}}
			err = withRunner(c.Context(), func(runner sandbox.Runner) error {
				for i := range bundle.Runs {
					again, err := replay.Reproduce(c.Context(), runner, bundle.Script.Code, bundle.Workflow.Zone, &bundle.Runs[i])
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
			if a.format == formatJSONL {
				err = a.show(result.Results, nil)
			} else {
				err = a.show(result, func(w io.Writer) { writeReplay(w, bundle, result) })
			}
			if err != nil {
				return err
			}
			if result.Reproduced < result.Runs {
				return &exitError{code: exitDiffers}
			}
			return nil
		},
	}
}

func writeReplay(w io.Writer, bundle *replay.Bundle, result replayResult) {
	for i, again := range result.Results {
		said := "reproduces"
		if !again.Reproduced {
			said = "differs"
		}
		fmt.Fprintf(w, "%-12s %s (%s)\n", line(again.Run), said, bundle.Runs[i].Outcome.Status)
		if again.Divergence != nil {
			writeDivergence(w, again.Divergence, "  ")
		}
		if again.LogDiffers {
			fmt.Fprintln(w, "  its log is not as recorded")
		}
	}
	fmt.Fprintf(w, "%d of %d runs reproduce\n", result.Reproduced, result.Runs)
}

func writeDivergence(w io.Writer, d *replay.Divergence, indent string) {
	where := d.What
	if d.Path != "" {
		where += " " + d.Path
	}
	fmt.Fprintf(w, "%srun %s, %s\n%s  want  %s\n%s  got   %s\n",
		indent, line(d.Run), line(where), indent, indented(d.Want, indent+"        "), indent, indented(d.Got, indent+"        "))
	if d.After != "" {
		fmt.Fprintf(w, "%s  as it would be answered today: %s\n", indent, line(d.After))
	}
}
