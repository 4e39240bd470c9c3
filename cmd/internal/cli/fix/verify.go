package fix

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

func newVerifyCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "verify FIX", Annotations: terminal.RemoteOwned(installation.Read), Short: "Judge a fix again on the runs it was judged on, and compare the certificates",
		Long: `Judge a fix again: the gate replays the failing run and the recorded successes that the
verdict was made of, and must come to the same certificate. Exit code 20 if it does not.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Fix(c.Context(), args[0])
				if err != nil {
					return err
				}
				found, err := n.Fixes.ProveAgain(c.Context(), id)
				if err != nil {
					return err
				}
				if err := cli.Show(found, func(w io.Writer) { writeProof(w, found) }); err != nil {
					return err
				}
				if found.OtherGate {
					return &terminal.ExitError{Code: terminal.ExitConflict}
				}
				if !found.Holds {
					return &terminal.ExitError{Code: terminal.ExitBroken}
				}
				return nil
			})
		},
	}
}

func writeProof(w io.Writer, found app.Proof) {
	if found.Holds {
		fmt.Fprintf(w, "The proof holds: judged again, the fix is %s with the same certificate %s.\n", found.Verdict, found.Certificate)
		return
	}
	if found.OtherGate {
		fmt.Fprintf(w, "The proof cannot be checked here: %s.\nThat says nothing against the history. Judged again by this program, the fix is %s.\n", found.Problem, found.Verdict)
		return
	}
	fmt.Fprintf(w, "The proof does not hold: %s\n  recorded  %s\n  now       %s (%s)\n", found.Problem, found.Recorded, found.Certificate, found.Verdict)
}
