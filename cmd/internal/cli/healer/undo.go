package healer

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
)

func newUndoCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "undo SESSION SPELL", Short: "Undo what a spell did: put back the files, the branch or the block", Args: terminal.Takes(2, 2),
		Long: `Undo what a spell did, in the way that the spell declares: the files that it took away are put back
uncommitted, the branch that it moved goes back, or what it blocked may go on. SPELL is its number, as
'kintsugi healer show SESSION' prints it: 1.2 is the second spell of healing 1.

What is in the tree now is kept under refs/kintsugi/heal first.`,
		Example: `  kintsugi healer undo night-7 1.2`,
		RunE: func(c *cobra.Command, args []string) error {
			var healing, cast int
			if count, err := fmt.Sscanf(args[1]+" ", "%d.%d ", &healing, &cast); count != 2 || err != nil && !errors.Is(err, io.EOF) {
				return fault.New(fault.Invalid, "%q is no number of a spell: write it as 1.2, the second spell of healing 1", args[1])
			}
			return within(c, cli, func(n *app.Node) error {
				h, err := n.NewHealer()
				if err != nil {
					return err
				}
				undone, err := h.Undo(c.Context(), args[0], healing, cast, cli.Meta())
				if err != nil {
					return err
				}
				return cli.Show(undone, func(w io.Writer) {
					fmt.Fprintf(w, "Undone: %s. %s\n", undone.Spell, plain.Line(undone.Detail))
					for _, kept := range undone.Kept {
						fmt.Fprintf(w, "The files before that are kept: git show %s\n", plain.Line(kept.Ref))
					}
				})
			})
		},
	}
}
