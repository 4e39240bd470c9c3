package script

import (
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
)

func newDiffCommand(cli *terminal.CLI) *cobra.Command {
	var beside bool
	command := &cobra.Command{
		Use: "diff WORKFLOW [FROM] [TO]", Annotations: terminal.RemoteOwned(installation.Read), Short: "Compare two versions: by default the active one with the one saved before it",
		Long: `Compare two versions: by default the active one with the one saved before it. What changed is said
in words first (functions, host calls, hosts, writes, secrets), then shown line by line. Of a fix it
is said what proved it.`,
		Args: terminal.Takes(1, 3),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				from, to, err := n.Scripts.Compared(c.Context(), id, args[1:])
				if err != nil {
					return err
				}
				compared, err := n.Scripts.Compare(c.Context(), from, to)
				if err != nil {
					return err
				}
				return cli.Show(compared, func(w io.Writer) { writeComparison(w, compared, beside) })
			})
		},
	}
	command.Flags().BoolVar(&beside, "side-by-side", false, "show both versions beside each other")
	return command
}

func writeComparison(w io.Writer, compared app.Comparison, beside bool) {
	if compared.Diff == "" {
		fmt.Fprintf(w, "%s and %s are the same.\n", compared.From, compared.To)
		return
	}
	now := terminal.Local(w, time.Now())
	for _, one := range []app.Version{compared.Before, compared.After} {
		fmt.Fprintf(w, "%-5s %s by %s, %s: %s\n", one.Version, one.Origin, terminal.BriefActor(one.Author), plain.Ago(one.Saved, now), plain.Line(one.Comment))
		if one.Proof != nil {
			fmt.Fprintf(w, "      %s\n", plain.Wrapped(one.Proof.Sentence(), "      ", 96))
		}
	}
	for _, words := range compared.Summary {
		fmt.Fprintf(w, "  * %s\n", plain.Line(words))
	}
	fmt.Fprintln(w)
	if beside {
		writeSides(w, compared)
		return
	}
	fmt.Fprint(w, plain.Clean(compared.Diff))
}

// writeSides leaves out what is far from every change, as a unified diff does.
func writeSides(w io.Writer, compared app.Comparison) {
	const context = 3
	near := make([]bool, len(compared.Sides))
	for i, row := range compared.Sides {
		if !row.Same {
			for at := max(i-context, 0); at <= min(i+context, len(near)-1); at++ {
				near[at] = true
			}
		}
	}
	width := terminal.ScreenOf(w).Width
	if width == 0 {
		width = 2 * 80
	}
	side := max((width-len("1234  ")*2-3)/2, 20)
	cell := func(line int, text string) string {
		if line == 0 {
			return strings.Repeat(" ", side+6)
		}
		text = plain.CutRunes(strings.ReplaceAll(plain.Clean(text), "\t", "    "), side)
		return fmt.Sprintf("%4d  %-*s", line, side, text)
	}
	skipped := false
	for i, row := range compared.Sides {
		if !near[i] {
			skipped = true
			continue
		}
		if skipped {
			fmt.Fprintln(w, "   …")
			skipped = false
		}
		between := "|"
		switch {
		case row.Same:
			between = " "
		case row.Line == 0:
			between = ">"
		case row.To == 0:
			between = "<"
		}
		fmt.Fprintln(w, strings.TrimRight(cell(row.Line, row.Before)+" "+between+" "+cell(row.To, row.After), " "))
	}
}

func newRollbackCommand(cli *terminal.CLI) *cobra.Command {
	var comment string
	var dryRun bool
	command := &cobra.Command{
		Use: "rollback WORKFLOW VERSION", Annotations: terminal.RemoteOwned(installation.Edit), Short: "Save an earlier version's script again, as the next major",
		Long: `Save an earlier version's script again, as the next major.

--dry-run saves nothing. It says what would change, what else would follow (a repair that ends, a fix
that is not applied, runs that are not tried again), and replays the newest recorded successes on the
earlier script, as 'script save --check' does: which of them would come out otherwise. Nothing is
sent. Exit code 0 if every run is the same, 1 if some differ, 3 if some cannot be told.`,
		Example: `  kintsugi script rollback "Refund report" 1.0 --dry-run
  kintsugi script rollback "Refund report" 1.0 --comment "2.0 forgets refunds in euro"`,
		Args: terminal.Takes(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			version, err := workflow.ParseVersion(args[1])
			if err != nil {
				return fault.New(fault.Invalid, "%w", err)
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Workflow(c.Context(), args[0])
				if err != nil {
					return err
				}
				if dryRun {
					return rollbackImpact(c, cli, n, id, version)
				}
				result, err := n.Commands.RollbackScript(c.Context(), id, workflow.Rollback{To: version, ScriptID: app.NewID(), Comment: comment}, cli.Meta())
				if err != nil {
					return err
				}
				return showActive(c.Context(), cli, n, id, result.Position, "Rolled back")
			})
		},
	}
	command.Flags().StringVar(&comment, "comment", "", "why")
	command.Flags().BoolVar(&dryRun, "dry-run", false, "save nothing: say what would change, and which recorded runs would come out otherwise")
	return command
}

func rollbackImpact(c *cobra.Command, cli *terminal.CLI, n *app.Node, id string, version workflow.Version) error {
	type shown struct {
		app.RollbackImpact
		Runs rehearsal.SaveCheck `json:"runs"`
	}
	impact, target, err := n.Scripts.RollbackImpact(c.Context(), id, version)
	if err != nil {
		return err
	}
	return n.Scripts.Explore(c.Context(), cli.Logger(slog.LevelError), func(e *rehearsal.Explorer) error {
		check, err := e.CheckSave(c.Context(), id, target.Code, app.SuccessesJudged)
		if err != nil {
			return err
		}
		err = cli.Show(shown{impact, check}, func(w io.Writer) {
			writeComparison(w, impact.Comparison, false)
			fmt.Fprintf(w, "\nIt would be saved as %s.\n", impact.Becomes)
			for _, follows := range impact.Follows {
				fmt.Fprintf(w, "  * %s\n", plain.Line(follows))
			}
			writeCheck(w, check)
		})
		if err != nil {
			return err
		}
		return checkedExit(check)
	})
}
