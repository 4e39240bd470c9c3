package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// storeViews is what -o json shows of the views.
type storeViews struct {
	File     string            `json:"file"`
	Position eventlog.Position `json:"position"` // everything up to it is in them
	// Aside are the streams that are set aside, because they cannot be read.
	Aside []readmodel.Aside `json:"set_aside"`
}

func newStoreViewsCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "views", Short: "What lists are made of, and which streams cannot be read",
		Long: `Show the file of the views, how far they are, and the streams that are set aside. A stream of
which an event cannot be read is set aside from there on: no list shows what came after, its
workflow stands still, and everything else goes on. It ends by itself when a program that
can read the event, or a restored log, is there; then the views are built anew.`,
		Example: `  kintsugi store views
  kintsugi store views -o json`,
		Args: takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.with(c.Context(), func(n *node) error {
				aside, err := n.views.Aside(c.Context())
				if err != nil {
					return err
				}
				shown := storeViews{File: n.views.Path(), Position: n.views.Position(), Aside: aside}
				return a.show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "Views     %s\nPosition  %s\n", shown.File, dash(string(shown.Position)))
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
		fmt.Fprintf(w, "  %s from revision %d (%s), %d events left out: %s\n", line(one.Stream), one.Revision, line(one.Type), one.Left, line(one.Reason))
	}
}
