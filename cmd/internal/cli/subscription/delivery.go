package subscription

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
)

func newDeliveriesCommand(cli *terminal.CLI) *cobra.Command {
	filter := app.AttemptFilter{Limit: 50}
	var since string
	command := &cobra.Command{
		Use: "deliveries NAME", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Read)), Short: "List each try to deliver an event, and what came back", Args: terminal.Takes(1, 1),
		Long: `List each try to deliver an event, the newest first: when, which event, which try it was, the status or
why it was not taken, how long it took, and when it is tried again. With -o json also how the answer
begins (1 KiB). The newest 10,000 that were taken and the newest 10,000 that were not are kept, for 30
days, beside the log; a server that is killed leaves out what it did in the last quarter of a second.`,
		Example: `  kintsugi subscription deliveries chat --failed --since monday
  kintsugi subscription deliveries chat -o json`,
		RunE: func(c *cobra.Command, args []string) error {
			if filter.Limit < 1 {
				return fault.New(fault.Invalid, "--limit %d lists nothing: say at least 1", filter.Limit)
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				if since != "" {
					var err error
					if filter.Since, err = app.ParseSince(since, n.Now()); err != nil {
						return err
					}
				}
				all, err := n.Subscriptions.Attempts(c.Context(), args[0], filter)
				if err != nil {
					return err
				}
				return cli.Show(all, func(w io.Writer) { tableOfAttempts(w, all) })
			})
		},
	}
	flags := command.Flags()
	flags.BoolVar(&filter.Failed, "failed", false, "only those that were not taken")
	flags.StringVar(&filter.Event, "event", "", "only those of this event")
	flags.StringVar(&since, "since", "", "only from a day, a time or a weekday on")
	flags.IntVar(&filter.Limit, "limit", filter.Limit, "at most so many")
	return command
}

func tableOfAttempts(w io.Writer, all []app.Attempt) {
	if len(all) == 0 {
		fmt.Fprintln(w, "No deliveries.")
		return
	}
	rows := make([][]string, len(all))
	for i, one := range all {
		said, next, nth := "taken", "", strconv.Itoa(one.Nth)
		if !one.Taken {
			said = one.Error
		}
		if one.Status != 0 && one.Taken {
			said = fmt.Sprintf("taken, %d", one.Status)
		}
		if !one.Next.IsZero() {
			next = terminal.Local(w, one.Next).Format(time.DateTime)
		}
		if one.ByHand != "" {
			nth += " " + one.ByHand
		}
		rows[i] = []string{terminal.Local(w, one.At).Format(time.DateTime), one.Event, one.Type, nth, strconv.FormatInt(one.TookMS, 10), plain.Dash(next), said}
	}
	// Their ids are to be named whole.
	terminal.Table(struct{ io.Writer }{w}, []string{"TIME", "EVENT", "TYPE", "TRY", "MS", "NEXT", "WHAT"}, rows)
}

func newResendCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "resend NAME EVENT", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit)), Short: "Deliver one event once more, now and from here", Args: terminal.Takes(2, 2),
		Long: `Deliver one event once more, now, from this machine and once: an id that 'subscription deliveries' or
'dead-letters list' shows, or a position in the log. It has the same id as before, and comes beside what
is under way, so after later events of its workflow. An event whose turn has not come is refused: it would
overtake what is before it. A dead letter that is taken waits no more. Exit code 1 if it was not taken.`,
		Example: `  kintsugi subscription resend chat 0197b2c4-7d1a-7c3e-9f0b-2a6d5e4c3b21`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				done, err := n.Subscriptions.Resend(c.Context(), cli.Meta(), args[0], args[1])
				if err != nil {
					return err
				}
				return showDeliveries(cli, done, "", done)
			})
		},
	}
}

func newRecoverCommand(cli *terminal.CLI) *cobra.Command {
	var since string
	command := &cobra.Command{
		Use: "recover NAME --since TIME", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit)), Short: "Have all tried now that was not taken since a time", Args: terminal.Takes(1, 1),
		Long: `Have all tried now that was not taken since a time, once the receiver works again. What is being tried
again by itself is tried at once, by the server that delivers. Dead letters since then are delivered from
this machine in the order of the log, each once; behind one that is not taken, those of its workflow are
left. Those before that time, and those that were dropped, are left, too. Exit code 1 if one was not taken.`,
		Example: `  kintsugi subscription recover chat --since monday
  kintsugi subscription recover chat --since "2026-03-02 08:00"`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				from, err := app.ParseSince(since, n.Now())
				if err != nil {
					return err
				}
				done, recovering := n.Subscriptions.Recover(c.Context(), cli.Meta(), args[0], from)
				if recovering != nil && len(done.Deliveries) == 0 {
					return recovering
				}
				none := []string{"No dead letters since then."}
				if done.Trying > 0 {
					none = append(none, fmt.Sprintf("Workflows whose next event a server tries now: %d.", done.Trying))
				}
				if done.Left > 0 {
					none = append(none, fmt.Sprintf("Dead letters that were left behind one that was not taken: %d.", done.Left))
				}
				if len(done.Deliveries) > 0 {
					none = none[1:]
				}
				shown := showDeliveries(cli, done, strings.Join(none, "\n"), done.Deliveries...)
				return errors.Join(shown, recovering)
			})
		},
	}
	command.Flags().StringVar(&since, "since", "", "a day, a time or a weekday")
	_ = command.MarkFlagRequired("since")
	return command
}
