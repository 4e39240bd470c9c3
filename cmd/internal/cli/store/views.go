package store

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// Views is what -o json shows of the views.
type Views struct {
	File     string            `json:"file"`
	Position eventlog.Position `json:"position"` // everything up to it is in them
	// Aside are the streams that are set aside, because they cannot be read.
	Aside []readmodel.Aside `json:"set_aside"`
}

func newViewsCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "views", Short: "What lists are made of, and which streams cannot be read",
		Long: `Show the file of the views, how far they are, and the streams that are set aside. A stream of
which an event cannot be read is set aside from there on: no list shows what came after, its
workflow stands still, and everything else goes on. It ends by itself when a program that
can read the event, or a restored log, is there; then the views are built anew.`,
		Example: `  kintsugi store views
  kintsugi store views -o json`,
		Args: terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				aside, err := n.Views.Aside(c.Context())
				if err != nil {
					return err
				}
				shown := Views{File: n.Views.Path(), Position: n.Views.Position(), Aside: aside}
				return cli.Show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "Views     %s\nPosition  %s\n", shown.File, plain.Dash(string(shown.Position)))
					writeAside(w, shown.Aside)
				})
			})
		},
	}
}

func writeAside(w io.Writer, aside []readmodel.Aside) {
	if len(aside) == 0 {
		fmt.Fprintln(w, "Every stream can be read.")
		return
	}
	fmt.Fprintf(w, "%d streams cannot be read and are set aside; 'kintsugi verify' says whether somebody changed them:\n", len(aside))
	for _, one := range aside {
		fmt.Fprintf(w, "  %s from revision %d (%s), %d events left out: %s\n", plain.Line(one.Stream), one.Revision, plain.Line(one.Type), one.Left, plain.Line(one.Reason))
	}
}
