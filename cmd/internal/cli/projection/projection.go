// Package projection has the commands about read models themselves.
package projection

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// NewCommand is 'kintsugi projection'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	command := &cobra.Command{
		Use: "projection", Short: "Build, compare and drop what lists are read from",
		Long: `Lists and overviews are read from tables that are built from the event log: one generation for each
version of the program, side by side, so that a new version never has to change the tables of an old
one. A generation is read only when it was built to its end. The last two old ones are kept, so that an
old binary can be started again at once.`,
		Args: terminal.NoSuchCommand, RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	command.AddCommand(newListCommand(cli), newBuildCommand(cli), newVerifyCommand(cli), newDropCommand(cli))
	return command
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the generations, how far they are, and which streams cannot be read",
		Long: `List the generations, how far they are, and the streams that are set aside. A stream of which an
event cannot be read is set aside from there on: no list shows what came after, its workflow stands
still, and everything else goes on. It ends by itself when a program that can read the event, or a
restored log, is there; then the generation is built anew.`,
		Example: "  kintsugi projection list\n  kintsugi projection list -o json",
		Args:    terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.WithViewsAsTheyAre(c.Context(), func(n *app.Node) error {
				all, err := n.Generations.List(c.Context())
				if err != nil {
					return err
				}
				return cli.Show(all, func(w io.Writer) { write(w, all) })
			})
		},
	}
}

func write(w io.Writer, all []readmodel.Generation) {
	for _, one := range all {
		fmt.Fprintf(w, "%s  %s", one.Name, one.State)
		if one.Current {
			fmt.Fprint(w, ", of this version")
		}
		if one.InUse {
			fmt.Fprint(w, ", in use")
		}
		fmt.Fprintf(w, "\n  position %s, %s behind, %d rows, %d KiB, used %s\n", plain.Dash(string(one.Position)), behind(one.Behind), one.Rows, one.Bytes>>10, terminal.Local(w, one.Used).Format(time.DateTime))
		if one.Error != "" {
			fmt.Fprintf(w, "  error: %s\n", plain.Line(one.Error))
		}
		for _, aside := range one.Aside {
			fmt.Fprintf(w, "  set aside: %s from revision %d (%s), %d events left out: %s\n",
				plain.Line(aside.Stream), aside.Revision, plain.Line(aside.Type), aside.Left, plain.Line(aside.Reason))
		}
	}
}

func behind(events int64) string {
	if events >= readmodel.MostBehind {
		return fmt.Sprintf("%d events or more", events)
	}
	return fmt.Sprintf("%d events", events)
}

// Built is what -o json shows of a build.
type Built struct {
	Views    string            `json:"views"`
	Position eventlog.Position `json:"position"`
	Seconds  float64           `json:"seconds"`
	Served   bool              `json:"served"` // a server of this version has taken over
}

// saidEvery is how often a build says how far it is.
const saidEvery = time.Second

func newBuildCommand(cli *terminal.CLI) *cobra.Command {
	var once bool
	command := &cobra.Command{
		Use: "build", Short: "Build what this version of the program reads, beside the running server",
		Long: `Build the generation of this version beside whatever runs, before its server is started: then that one
answers at once. It is kept caught up until a server of this version serves it, or until Ctrl-C; with
--once it ends when everything is in it that there was. A build that is cut off goes on where it was,
and of two that build the same one waits for the other. Without --once, on Linux, it gives way to
whatever else wants the processors.`,
		Example: "  kintsugi projection build\n  kintsugi projection build --once",
		Args:    terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if !once { // who waits for the end of it wants it soon
				app.LowerPriority()
			}
			return cli.WithViewsAsTheyAre(c.Context(), func(n *app.Node) error {
				began, said := time.Now(), time.Time{}
				served, err := n.Generations.Build(c.Context(), once, func(progress readmodel.Progress) {
					if time.Since(said) > saidEvery {
						said = time.Now()
						fmt.Fprintln(cli.Err, progress)
					}
				})
				if err != nil && !(errors.Is(err, context.Canceled) && c.Context().Err() != nil) {
					return err
				}
				built := Built{Views: n.Views.Path(), Position: n.Views.Position(), Seconds: time.Since(began).Seconds(), Served: served}
				return errors.Join(cli.Show(built, func(w io.Writer) {
					fmt.Fprintf(w, "%s is built up to position %s.\n", built.Views, plain.Dash(string(built.Position)))
					if served {
						fmt.Fprintln(w, "A server of this version has taken over.")
					}
				}), c.Context().Err())
			})
		},
	}
	command.Flags().BoolVar(&once, "once", false, "end when everything is in it that there was")
	return command
}

func newVerifyCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "verify", Short: "Build it anew in a scratch place, and compare every row",
		Long: `Build the generation of this version anew, up to where it is, and compare every row of every table;
also beside a server. It is what 'kintsugi verify --views' does, without checking the history first.
Exit code 20 if a row differs, with the table and the row; 3 if there is no generation of this version.`,
		Example: "  kintsugi projection verify",
		Args:    terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.WithLog(c.Context(), func(log eventlog.Log) error {
				found, err := cli.VerifyViews(c.Context(), log)
				if found == nil {
					return err
				}
				return errors.Join(cli.Show(found, func(w io.Writer) { terminal.WriteComparison(w, *found) }), err)
			})
		},
	}
}

func newDropCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "drop <generation>", Short: "Drop a generation of another version",
		Long:    `Drop a generation that 'kintsugi projection list' names. That of this version is not dropped, and none that a process has open.`,
		Example: "  kintsugi projection drop views_36f6cc4462b4003e",
		Args:    terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.WithViewsAsTheyAre(c.Context(), func(n *app.Node) error {
				if err := n.Generations.Drop(c.Context(), args[0]); err != nil {
					return err
				}
				return cli.Show(map[string]string{"dropped": args[0]}, func(w io.Writer) { fmt.Fprintf(w, "%s is dropped.\n", args[0]) })
			})
		},
	}
}
