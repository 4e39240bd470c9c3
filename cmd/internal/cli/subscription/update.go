package subscription

import (
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
)

func newUpdateCommand(cli *terminal.CLI) *cobra.Command {
	now := subscription.Definition{Payload: subscription.Full, Lanes: subscription.Block}
	giveUp := subscription.GiveUpAfter
	var workflows []string
	var headers string
	var oauth subscription.OAuth
	command := &cobra.Command{
		Use: "update NAME", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit), terminal.Reads("@to", "@headers", "@filter", "@transform")), Short: "Change what a subscription is; its place and its key stay", Args: terminal.Takes(1, 1),
		Long: `Change what a subscription is. Flags that are not given stay as they are. Deliveries go on where they were,
with the key that they are signed with; what failed is tried at once. Events that are wanted from now on do
not come for the time before: 'subscription replay' does that. The target stays of its kind (a webhook stays
one), and a password is not shown to another host: give the new target with its password. Flags of OAuth are
given all together; an empty --oauth-token-url ends it.`,
		Example: `  kintsugi subscription update chat --to webhook:https://new.example.com/hook
  kintsugi subscription update chat --types FixApplied,Escalated --lanes skip
  kintsugi subscription update chat --types "" --workflow ""`,
		RunE: func(c *cobra.Command, args []string) error {
			var change subscription.Change
			given := c.Flags().Changed
			if given("to") {
				target, err := readTarget(cli, now.Target)
				if err != nil {
					return err
				}
				change.Target = &target
			}
			if given("give-up-after") {
				if giveUp < time.Second {
					return fault.New(fault.Invalid, "--give-up-after %s: an event is tried for at least a second", giveUp)
				}
				now.GiveUpSeconds = int64(giveUp / time.Second)
				change.GiveUpSeconds = &now.GiveUpSeconds
			}
			for flag, take := range map[string]func(){
				"types": func() { change.Types = &now.Types }, "payload": func() { change.Payload = &now.Payload }, "lanes": func() { change.Lanes = &now.Lanes },
				"allow-private": func() { change.AllowPrivate = &now.AllowPrivate }, "binary": func() { change.Binary = &now.Binary }, "rate": func() { change.Rate = &now.Rate },
				"filter": func() { change.Filter = &now.Filter }, "transform": func() { change.Transform = &now.Transform },
				"client-cert": func() { change.ClientCertificate = &now.ClientCertificate }, "client-key": func() { change.ClientKey = &now.ClientKey },
				"workflow": func() { change.Workflows = &now.Workflows },
			} {
				if given(flag) {
					take()
				}
			}
			if slices.ContainsFunc(oauthFlags, given) {
				change.OAuth = &oauth
			}
			if err := readExpressions(cli, &now); err != nil {
				return err
			}
			var values map[string]string
			if given("headers") {
				var err error
				if values, err = readHeaders(cli, headers); err != nil {
					return err
				}
				if values == nil {
					values = map[string]string{} // none from now on
				}
			}
			if (change == subscription.Change{}) && values == nil {
				return fault.New(fault.Invalid, "say what is to be another: 'kintsugi subscription update --help' lists the flags")
			}
			return changed(c.Context(), cli, args[0], func(n *app.Node) (err error) {
				if now.Workflows, err = workflowIDs(c.Context(), n, workflows); err != nil {
					return err
				}
				return n.Subscriptions.Change(c.Context(), cli.Meta(), args[0], change, values)
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&now.Target, "to", "", "where events go, of the same kind as before; @FILE reads it")
	flags.StringSliceVar(&now.Types, "types", nil, "types of events; empty for all that happens to workflows themselves")
	flags.StringSliceVar(&workflows, "workflow", nil, "workflows, by title or id; empty for all")
	terminal.Choose(flags, &now.Payload, "payload", "how much of an event is told", subscription.Full, subscription.NoCode, subscription.References)
	terminal.Choose(flags, &now.Lanes, "lanes", "what becomes of a workflow's events behind a dead letter", subscription.Block, subscription.Skip)
	flags.DurationVar(&giveUp, "give-up-after", giveUp, "for how long an event is tried")
	flags.BoolVar(&now.AllowPrivate, "allow-private", false, "the target may be at an address that is not public, and not be encrypted")
	flags.StringVar(&headers, "headers", "", "all that a webhook is sent beside its own headers, a line each (X-Key: value); @FILE reads them, empty for none")
	flags.StringVar(&now.Rate, "rate", "", "how many events are sent at most: 10/s, 60/m, 1000/h; empty for no bound")
	flags.BoolVar(&now.Binary, "binary", false, "a webhook is sent the payload as the body, and the rest in headers")
	shapeFlags(flags, &now)
	identityFlags(flags, &now, &oauth)
	return command
}
