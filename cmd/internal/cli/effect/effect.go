// Package effect has the commands on writes that went out and were never answered.
package effect

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/run"
)

// NewCommand is 'kintsugi effect'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("effect", "Writes that went out and were never answered", newListCommand(cli), newResolveCommand(cli))
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "list", Annotations: terminal.RemoteOwned(installation.Read), Short: "List writes in doubt: their runs stand still until you say what became of them", Args: terminal.Takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				found, err := n.Runs.Effects(c.Context(), n.Owner)
				if err != nil {
					return err
				}
				return cli.Show(found, func(w io.Writer) {
					if len(found) == 0 {
						fmt.Fprintln(w, "No write is in doubt.")
					}
					for _, one := range found {
						fmt.Fprintf(w, "%s %d  %s %s\n", one.Run, one.Seq, one.Tool, plain.Short(string(one.Args), 200))
						fmt.Fprintf(w, "    it was sent with the Idempotency-Key %s\n", one.Key)
						if one.NotBefore.After(n.Now()) {
							fmt.Fprintf(w, "    it may still be under way until %s\n", terminal.Local(w, one.NotBefore).Format(time.DateTime))
						}
						if !one.LookUpAt.IsZero() {
							fmt.Fprintf(w, "    the other side is asked at %s what became of it\n", terminal.Local(w, one.LookUpAt).Format(time.DateTime))
						}
						fmt.Fprintf(w, "    kintsugi effect resolve %s %d --happened | --did-not | --skip\n", one.Run, one.Seq)
					}
				})
			})
		},
	}
}

func newResolveCommand(cli *terminal.CLI) *cobra.Command {
	var happened, didNot, skip bool
	var result string
	command := &cobra.Command{
		Use: "resolve RUN SEQ", Annotations: terminal.RemoteOwned(installation.Judge), Short: "Say what became of a write in doubt, so that its run can go on", Args: terminal.Takes(2, 2),
		Long: `Say what became of a write that went out and was never answered.

--happened: it did; the run goes on with --result as its answer.
--did-not: it did not; the run sends it again, with the same idempotency key.
--skip: nobody knows, or it does not matter; the run goes on as if it had happened.`,
		Example: `  kintsugi effect resolve 0197f2 3 --happened --result '{"id":"ch_1"}'
  kintsugi effect resolve 0197f2 3 --did-not`,
		RunE: func(c *cobra.Command, args []string) error {
			var resolve run.ResolveEffect
			if result != "" {
				resolve.Result = json.RawMessage(result)
			}
			seq, err := strconv.Atoi(args[1])
			if err != nil || seq < 1 {
				return fault.New(fault.Invalid, "%q is not the number of a call: see 'kintsugi effect list'", args[1])
			}
			resolve.Seq = seq
			switch {
			case happened:
				resolve.How = run.ResolvedHappened
			case didNot:
				resolve.How = run.ResolvedDidNot
			case skip:
				resolve.How = run.ResolvedSkip
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.Resolve.Run(c.Context(), args[0])
				if err != nil {
					return err
				}
				if err := n.Commands.ResolveEffect(c.Context(), id, resolve, cli.Meta()); err != nil {
					return err
				}
				state, err := n.Commands.LoadRun(c.Context(), id)
				if err != nil {
					return err
				}
				shown := app.EffectOf(state, state.Calls[seq-1])
				return cli.Show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "Write %d of run %s: %s. The run goes on with 'kintsugi dev' or 'kintsugi workflow run'.\n", seq, id, shown.Resolved)
				})
			})
		},
	}
	flags := command.Flags()
	flags.BoolVar(&happened, "happened", false, "it happened")
	flags.BoolVar(&didNot, "did-not", false, "it did not happen: send it again")
	flags.BoolVar(&skip, "skip", false, "go on as if it had happened")
	flags.StringVar(&result, "result", "", "what the call answers, as JSON (with --happened; default null; of web.fetch and fetch the body of an answer with status 200)")
	command.MarkFlagsOneRequired("happened", "did-not", "skip")
	command.MarkFlagsMutuallyExclusive("happened", "did-not", "skip")
	return command
}
