// Package subscription has the commands on external systems that are told of events.
package subscription

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/subscription"
)

// NewCommand is 'kintsugi subscription'.
func NewCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("subscription", "External systems that are told of events",
		newAddCommand(cli), newUpdateCommand(cli), newListCommand(cli), newShowCommand(cli), newTestCommand(cli), newPauseCommand(cli), newResumeCommand(cli),
		newReplayCommand(cli), newDeliveriesCommand(cli), newResendCommand(cli), newRecoverCommand(cli), newDeadLettersCommand(cli), newRotateKeyCommand(cli), newSetSecretCommand(cli), newRemoveCommand(cli))
}

func newAddCommand(cli *terminal.CLI) *cobra.Command {
	add := subscription.Add{Definition: subscription.Definition{Payload: subscription.Full, Lanes: subscription.Block}}
	var from, headers string
	var oauth subscription.OAuth
	var workflows []string
	giveUp := subscription.GiveUpAfter
	command := &cobra.Command{
		Use: "add NAME", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit), terminal.Reads("@to", "@headers", "@filter", "@transform")), Short: "Tell an external system of events", Args: terminal.Takes(1, 1),
		Long: `Tell an external system of events, by a server (kintsugi dev or serve) on this store. Each event comes
at least once, and with the same id if it comes twice; events of one workflow come in order, those of
different workflows in any order. Nothing is left out unless you say so.

An event that is not taken is tried again, later and later, and what comes after it in its workflow
waits; other workflows do not. After --give-up-after it becomes a dead letter: with --lanes block its
workflow waits until you retry or drop it, with --lanes skip it goes on.

  webhook:https://…   a POST with a CloudEvent 1.0 in JSON, signed as Standard
                      Webhooks says with a key that is shown once. Any 2xx takes
                      the event, 410 pauses the subscription. With --binary the
                      payload is the body, and the rest is in headers
  slack:https://…     an incoming webhook of Slack
  smtp://USER@host:587?from=A&to=B
                      mail (to may be repeated; smtps:// too). Both say in words
                      what was fixed, what waits for you and what was given up,
                      what has one cause at once; --types chooses others
  nats://host/SUBJECT           a subject that a stream of JetStream keeps:
                                SUBJECT.<workflow>, message id = event id
  kafka://host/TOPIC            the key of a record is the workflow
                                (?sasl=plain, scram-sha-256, scram-sha-512)
  amqp://host/VHOST?exchange=E  the routing key is the workflow; or ?queue=Q
  redis://host/DB?stream=S      fields id, key and event; &maxlen=N cuts it
  exec:./program      a program that is given the CloudEvent on standard input.
                      Exit code 0 takes it. It runs where the server runs,
                      without a shell and without the server's environment

Brokers are encrypted as nats+tls, kafka+tls, amqps and rediss; without that, and
at addresses that are not public, they need --allow-private. Streams, topics,
exchanges and queues are yours to make. A password (nats://USER:PASSWORD@…), and of
Slack the whole address, is kept in the vault and shown nowhere; --to @FILE reads
the target from a file, and @- from standard input.

--filter and --transform are expressions in JavaScript over event, which is the
CloudEvent as it would come. An event is sent if the filter gives what is true, and as
the transform has it: an object as JSON, a text as it is. They are made by a worker, as
scripts are, in a second at most, and call nobody. An event of which they cannot be made
is tried again, and given up, like one that is not taken; 'subscription test NAME
--event newest' shows what comes of them.

A webhook may be shown a token of OAuth (client credentials), and a webhook or broker a
client certificate. Secret, certificate and key are secrets of the vault, named here and
bound to the host that is shown them: 'kintsugi secret set'.`,
		Example: `  kintsugi subscription add chat --to webhook:https://chat.example.com/hook --types FixApplied,Escalated
  kintsugi subscription add team --to @slack-address
  kintsugi subscription add room --to @slack-address --types FixApplied --transform '({text: "Fixed: " + event.data.diagnosis})'
  kintsugi subscription add data --to nats+tls://nats.example.com/kintsugi --from start
  kintsugi subscription add audit --to exec:./ship-event --from start --payload references`,
		RunE: func(c *cobra.Command, args []string) error {
			var err error
			if add.Target, err = readTarget(cli, add.Target); err != nil {
				return err
			}
			if giveUp < time.Second {
				return fault.New(fault.Invalid, "--give-up-after %s: an event is tried for at least a second", giveUp)
			}
			add.GiveUpSeconds = int64(giveUp / time.Second)
			if slices.ContainsFunc(oauthFlags, c.Flags().Changed) {
				add.OAuth = &oauth
			}
			if err := readExpressions(cli, &add.Definition); err != nil {
				return err
			}
			values, err := readHeaders(cli, headers)
			if err != nil {
				return err
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				if add.Workflows, err = workflowIDs(c.Context(), n, workflows); err != nil {
					return err
				}
				if add.Owner, err = cli.OwnerAsked(add.Owner); err != nil {
					return err
				}
				if add.From, err = n.Subscriptions.PlaceIn(c.Context(), from); err != nil {
					return err
				}
				key, err := n.Subscriptions.Add(c.Context(), cli.Meta(), args[0], add, values)
				if err != nil {
					return err
				}
				shown, _, err := n.Subscriptions.Get(c.Context(), args[0])
				if err != nil {
					return err
				}
				added := struct {
					app.Subscription
					SigningKey string `json:"signing_key,omitempty"`
				}{shown, key}
				return cli.Show(added, func(w io.Writer) {
					fmt.Fprintf(w, "Added %s: %s\n", shown.Name, plain.Line(shown.Target))
					if key != "" {
						fmt.Fprintf(w, "Deliveries are signed with this key, which is not shown again:\n  %s\n", key)
					}
					fmt.Fprintf(w, "Try it with: kintsugi subscription test %s\n", shown.Name)
				})
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&add.Target, "to", "", "where events go: "+subscription.Targets+"; @FILE reads it")
	flags.StringSliceVar(&add.Types, "types", nil, "types of events; without it, all that happens to workflows themselves")
	flags.StringVar(&add.Owner, "owner", "", "only of the workflows of this owner, and what is spent for them; it stays")
	flags.StringSliceVar(&workflows, "workflow", nil, "workflows, by title or id; without it, all")
	flags.StringVar(&from, "from", "now", "start, now, a position in the log, a time, or a weekday: deliveries begin after it")
	terminal.Choose(flags, &add.Payload, "payload", "how much of an event is told", subscription.Full, subscription.NoCode, subscription.References)
	terminal.Choose(flags, &add.Lanes, "lanes", "what becomes of a workflow's events behind a dead letter", subscription.Block, subscription.Skip)
	flags.DurationVar(&giveUp, "give-up-after", giveUp, "for how long an event is tried")
	flags.BoolVar(&add.AllowPrivate, "allow-private", false, "the target may be at an address that is not public, and not be encrypted")
	flags.StringVar(&headers, "headers", "", "what a webhook is sent beside its own headers, a line each (X-Key: value), kept in the vault; @FILE reads them")
	flags.StringVar(&add.Rate, "rate", "", "how many events are sent at most: 10/s, 60/m, 1000/h")
	flags.BoolVar(&add.Binary, "binary", false, "a webhook is sent the payload as the body, and the rest in headers")
	shapeFlags(flags, &add.Definition)
	identityFlags(flags, &add.Definition, &oauth)
	_ = command.MarkFlagRequired("to")
	return command
}

// workflowIDs are the ids of workflows that people name.
func workflowIDs(ctx context.Context, n *app.Node, names []string) (ids []string, err error) {
	for _, one := range names {
		id, err := n.Resolve.Workflow(ctx, one)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// readHeaders reads headers, a line each, from a file if the text says so; nil if there are none.
func readHeaders(cli *terminal.CLI, text string) (map[string]string, error) {
	if path, is := strings.CutPrefix(text, "@"); is {
		var err error
		if text, err = cli.ReadFile(path); err != nil {
			return nil, err
		}
	}
	var values map[string]string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, is := strings.Cut(line, ":")
		if !is {
			return nil, fault.New(fault.Invalid, "--headers: %q is no header: write it as X-Key: value", name)
		}
		if values == nil {
			values = map[string]string{}
		}
		if _, twice := values[name]; twice {
			return nil, fault.New(fault.Invalid, "--headers: %s is there twice", name)
		}
		values[name] = strings.TrimSpace(value)
	}
	return values, nil
}

// shapeFlags are those that say which events are sent, and as what.
func shapeFlags(flags *pflag.FlagSet, d *subscription.Definition) {
	flags.StringVar(&d.Filter, "filter", "", "only events of which this expression in JavaScript gives what is true: 'event.data.origin == \"planner\"'; @FILE reads it")
	flags.StringVar(&d.Transform, "transform", "", "what is sent of an event, an expression in JavaScript: '({text: event.type})'; @FILE reads it")
}

// identityFlags are those by which a target knows who sends. The token's provider is nil until it is named.
func identityFlags(flags *pflag.FlagSet, d *subscription.Definition, of *subscription.OAuth) {
	flags.StringVar(&of.TokenURL, "oauth-token-url", "", "where a webhook's token comes from, by client credentials")
	flags.StringVar(&of.ClientID, "oauth-client-id", "", "as whom")
	flags.StringVar(&of.Secret, "oauth-secret", "", "the secret that this client shows, by its name in the vault ('kintsugi secret set NAME --all --host' with the host of the tokens)")
	flags.StringSliceVar(&of.Scopes, "oauth-scope", nil, "what the token is for, as the provider calls it")
	flags.StringVar(&of.Audience, "oauth-audience", "", "whom the token is for, for providers that ask for it")
	flags.StringVar(&d.ClientCertificate, "client-cert", "", "the certificate that the target is shown over TLS, by its name in the vault ('kintsugi secret set NAME --all --host' with the host of the target)")
	flags.StringVar(&d.ClientKey, "client-key", "", "the key of this certificate, by its name in the vault")
}

// oauthFlags are those that describe where a token comes from: together, or not at all.
var oauthFlags = []string{"oauth-token-url", "oauth-client-id", "oauth-secret", "oauth-scope", "oauth-audience"}

// readExpressions reads a filter and a transform from files, if they say so.
func readExpressions(cli *terminal.CLI, d *subscription.Definition) error {
	for _, one := range []*string{&d.Filter, &d.Transform} {
		path, is := strings.CutPrefix(*one, "@")
		if !is {
			continue
		}
		text, err := cli.ReadFile(path)
		if err != nil {
			return err
		}
		*one = strings.TrimSpace(text)
	}
	return nil
}

// readTarget reads a target from a file, if it says so, and names a program by its whole path.
func readTarget(cli *terminal.CLI, target string) (string, error) {
	if path, is := strings.CutPrefix(target, "@"); is {
		text, err := cli.ReadFile(path)
		if err != nil {
			return "", err
		}
		target = strings.TrimSpace(text)
	}
	path, is := strings.CutPrefix(target, "exec:")
	if !is || path == "" {
		return target, nil
	}
	if cli.Elsewhere() {
		return "", fault.New(fault.Forbidden, "exec: runs a program of the server: say it on the machine of the server")
	}
	whole, err := filepath.Abs(path)
	return "exec:" + whole, err
}

func newListCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "list", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Read)), Short: "List subscriptions: where they are, what is behind, what fails", Args: terminal.Takes(0, 0),
		Long: `List subscriptions. POSITION is that of the last event in the log that was read for it, LAG how many
events it has not taken, both as they were saved last, which is every few seconds.`,
		RunE: func(c *cobra.Command, _ []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				all, err := n.Subscriptions.List(c.Context())
				if err != nil {
					return err
				}
				return cli.Show(all, func(w io.Writer) {
					if len(all) == 0 {
						fmt.Fprintln(w, "No subscriptions. Add one with 'kintsugi subscription add'.")
						return
					}
					rows := make([][]string, len(all))
					for i, one := range all {
						rows[i] = []string{
							one.Name, one.State, one.Target, plain.Dash(strings.TrimLeft(one.Position, "0")), strconv.Itoa(one.Lag), strconv.Itoa(one.DeadLetters),
							plain.Dash(lastError(one)),
						}
					}
					terminal.Table(w, []string{"NAME", "STATE", "TO", "POSITION", "LAG", "DEAD", "LAST ERROR"}, rows)
				})
			})
		},
	}
}

func lastError(one app.Subscription) string {
	if one.LastError == "" {
		return one.Reason
	}
	return one.LastError
}

func newShowCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Read)), Short: "Show a subscription, and what was decided about it", Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error { return show(c.Context(), cli, n, args[0]) })
		},
	}
}

func show(ctx context.Context, cli *terminal.CLI, n *app.Node, name string) error {
	one, history, err := n.Subscriptions.Get(ctx, name)
	if err != nil {
		return err
	}
	shown := struct {
		app.Subscription
		History []app.HistoryLine `json:"history"`
	}{one, history}
	return cli.Show(shown, func(w io.Writer) {
		line := func(name, format string, args ...any) {
			fmt.Fprintf(w, "%-12s %s\n", name, plain.Line(fmt.Sprintf(format, args...)))
		}
		line("Name", "%s", one.Name)
		line("State", "%s", strings.TrimSpace(one.State+" "+one.Reason))
		line("To", "%s", one.Target)
		line("Types", "%s", either(one.Types, "all that happens to workflows themselves"))
		line("Workflows", "%s", either(one.Workflows, "all"))
		line("Payload", "%s", one.Payload)
		line("Gives up", "after %s, then: %s", time.Duration(one.GiveUpSeconds)*time.Second, one.Lanes)
		if one.Owner != "" {
			line("Owner", "%s", one.Owner)
		}
		if len(one.Headers) > 0 {
			line("Headers", "%s", strings.Join(one.Headers, ", "))
		}
		if one.OAuth != nil {
			line("Token", "of %s, for the client %s with the secret %s", one.OAuth.TokenURL, one.OAuth.ClientID, one.OAuth.Secret)
		}
		if one.ClientCertificate != "" {
			line("Certificate", "%s, with the key %s", one.ClientCertificate, one.ClientKey)
		}
		if one.Filter != "" {
			line("Filter", "%s", one.Filter)
			line("Left out", "%d events, by the filter", one.LeftOut)
		}
		if one.Transform != "" {
			line("Transform", "%s", one.Transform)
		}
		if one.Rate != "" {
			line("Rate", "%s", one.Rate)
		}
		line("Position", "%s, %d events behind", plain.Dash(strings.TrimLeft(one.Position, "0")), one.Lag)
		if one.LastError != "" {
			line("Fails", "%d workflows: %s", one.Failing, one.LastError)
		}
		if !one.FailingSince.IsZero() {
			line("Not taken", "since %s: kintsugi subscription deliveries %s --failed", terminal.Local(w, one.FailingSince).Format(time.DateTime), one.Name)
		}
		if one.DeadLetters > 0 {
			line("Dead", "%d: kintsugi subscription dead-letters list %s", one.DeadLetters, one.Name)
		}
		fmt.Fprintln(w)
		rows := make([][]string, len(history))
		for i, past := range history {
			rows[i] = []string{terminal.Local(w, past.Metadata.RecordedAt).Format(time.DateTime), past.Type, terminal.BriefActor(past.Metadata.Actor), past.Summary}
		}
		terminal.Table(w, []string{"TIME", "EVENT", "ACTOR", "WHAT"}, rows)
	})
}

func either(list []string, none string) string {
	if len(list) == 0 {
		return none
	}
	return strings.Join(list, ", ")
}

func newTestCommand(cli *terminal.CLI) *cobra.Command {
	event := ""
	command := &cobra.Command{
		Use: "test NAME", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit)), Short: "Send an event that never happened, now and from here, and say what came back", Args: terminal.Takes(1, 1),
		Long: `Send one event of type kintsugi.test, now, from this machine and once, whether the subscription is
paused or not, and say what came back. It is signed and sent as any other event, and is in the list of
deliveries. Exit code 1 if it was not taken. The transform is made of it, and the filter is not asked.

With --event it shows how an event that happened would be sent, and sends nothing: 'newest' is the newest that
the filter lets through; another is named by its position in the log, or by its id if it was tried before.`,
		Example: `  kintsugi subscription test chat
  kintsugi subscription test chat --event newest`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				if event != "" {
					return preview(c.Context(), cli, n, args[0], event)
				}
				sent, err := n.Subscriptions.Test(c.Context(), args[0])
				if err != nil {
					return err
				}
				return showDeliveries(cli, sent, "", sent)
			})
		},
	}
	command.Flags().StringVar(&event, "event", "", "show how this one would be sent, and send nothing: newest, an id, or a position in the log")
	return command
}

// preview shows how an event would be sent, and ends with a failure if the filter or the transform does.
func preview(ctx context.Context, cli *terminal.CLI, n *app.Node, name, event string) error {
	one, err := n.Subscriptions.Preview(ctx, name, event)
	if err != nil {
		return err
	}
	err = cli.Show(one, func(w io.Writer) {
		switch {
		case one.Error != "":
			fmt.Fprintf(w, "Event %s (%s) would not be sent: %s\n", one.Event, one.Type, plain.Line(one.Error))
		case !one.Wanted:
			fmt.Fprintf(w, "Event %s (%s) is left out by the filter\n", one.Event, one.Type)
		default:
			fmt.Fprintf(w, "Event %s (%s) would be sent as %s:\n%s\n", one.Event, one.Type, one.ContentType, plain.Indented(one.Body, "  "))
		}
	})
	if err == nil && one.Error != "" {
		return &terminal.ExitError{Code: terminal.ExitFailure}
	}
	return err
}

// showDeliveries ends with a failure if one of them was not taken.
func showDeliveries(cli *terminal.CLI, value any, none string, all ...app.Delivery) error {
	failed := false
	err := cli.Show(value, func(w io.Writer) {
		if len(all) == 0 {
			fmt.Fprintln(w, none)
		}
		for _, one := range all {
			word := "Taken"
			if !one.Delivered {
				word = "Not taken"
			}
			fmt.Fprintf(w, "%s after %d ms: %s (event %s)\n", word, one.TookMS, plain.Line(one.Said), one.Event)
			if one.Sent != "" {
				fmt.Fprintf(w, "Sent: %s\n", plain.Line(one.Sent))
			}
		}
	})
	for _, one := range all {
		failed = failed || !one.Delivered
	}
	if err == nil && failed {
		return &terminal.ExitError{Code: terminal.ExitFailure}
	}
	return err
}

func newPauseCommand(cli *terminal.CLI) *cobra.Command {
	var pause subscription.Pause
	command := &cobra.Command{
		Use: "pause NAME", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit)), Short: "Stop deliveries; what comes meanwhile waits in the log", Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return changed(c.Context(), cli, args[0], func(n *app.Node) error {
				_, err := n.Subscriptions.Pause(c.Context(), cli.Meta(), args[0], pause.Reason)
				return err
			})
		},
	}
	command.Flags().StringVar(&pause.Reason, "reason", "", "why, for people who find it paused")
	return command
}

func newResumeCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "resume NAME", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit)), Short: "Let deliveries go on where they were", Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return changed(c.Context(), cli, args[0], func(n *app.Node) error {
				_, err := n.Subscriptions.Resume(c.Context(), cli.Meta(), args[0])
				return err
			})
		},
	}
}

func newReplayCommand(cli *terminal.CLI) *cobra.Command {
	var from string
	command := &cobra.Command{
		Use: "replay NAME --from PLACE", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit)), Short: "Deliver everything after a place in the log again", Args: terminal.Takes(1, 1),
		Long: `Begin deliveries anew after a place in the log: everything after it comes, also what came before, with
the same ids. What is before it and has not come does not come any more, but for dead letters.`,
		Example: `  kintsugi subscription replay chat --from monday
  kintsugi subscription replay chat --from "2026-03-02 08:00"`,
		RunE: func(c *cobra.Command, args []string) error {
			return changed(c.Context(), cli, args[0], func(n *app.Node) error {
				place, err := n.Subscriptions.PlaceIn(c.Context(), from)
				if err != nil {
					return err
				}
				_, err = n.Subscriptions.Replay(c.Context(), cli.Meta(), args[0], place)
				return err
			})
		},
	}
	command.Flags().StringVar(&from, "from", "", "start, now, a position in the log, a time, or a weekday: deliveries begin after it")
	_ = command.MarkFlagRequired("from")
	return command
}

// changed also shows what is so now.
func changed(ctx context.Context, cli *terminal.CLI, name string, change func(*app.Node) error) error {
	return cli.With(ctx, func(n *app.Node) error {
		if err := change(n); err != nil {
			return err
		}
		return show(ctx, cli, n, name)
	})
}

func newRotateKeyCommand(cli *terminal.CLI) *cobra.Command {
	both := 24 * time.Hour
	command := &cobra.Command{
		Use: "rotate-key NAME", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit)), Short: "Sign deliveries with a new key, and with the one before for a while", Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if both < 0 {
				return fault.New(fault.Invalid, "--both %s is before now", both)
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				key, until, err := n.Subscriptions.RotateSigningKey(c.Context(), cli.Meta(), args[0], both)
				if err != nil {
					return err
				}
				shown := struct {
					Name       string    `json:"name"`
					SigningKey string    `json:"signing_key"`
					Until      time.Time `json:"both_until"`
				}{args[0], key, until}
				return cli.Show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "The new key, which is not shown again:\n  %s\nThe one before signs, too, until %s.\n", key, terminal.Local(w, until).Format(time.DateTime))
				})
			})
		},
	}
	command.Flags().DurationVar(&both, "both", both, "for how long the key before signs, too")
	return command
}

func newRemoveCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "remove NAME", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit)), Short: "Remove a subscription, with its dead letters", Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				if err := n.Subscriptions.Remove(c.Context(), cli.Meta(), args[0]); err != nil {
					return err
				}
				return cli.Show(map[string]string{"name": args[0], "state": "removed"}, func(w io.Writer) { fmt.Fprintf(w, "Removed %s.\n", args[0]) })
			})
		},
	}
}

const noLetters = "No dead letters wait."

func newDeadLettersCommand(cli *terminal.CLI) *cobra.Command {
	return terminal.Group("dead-letters", "Events that could not be delivered",
		newLettersListCommand(cli), newLettersRetryCommand(cli), newLettersDropCommand(cli))
}

func newLettersListCommand(cli *terminal.CLI) *cobra.Command {
	return &cobra.Command{
		Use: "list NAME", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Read)), Short: "List dead letters that wait for you", Args: terminal.Takes(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				letters, err := n.Subscriptions.DeadLetters(c.Context(), args[0])
				if err != nil {
					return err
				}
				return cli.Show(letters, func(w io.Writer) {
					if len(letters) == 0 {
						fmt.Fprintln(w, noLetters)
						return
					}
					rows := make([][]string, len(letters))
					for i, one := range letters {
						rows[i] = []string{one.Event.EventID, one.Type, one.Lane, strings.TrimLeft(one.Event.Position, "0"), strconv.Itoa(one.Attempts), one.Reason}
					}
					// Their ids are to be named whole.
					terminal.Table(struct{ io.Writer }{w}, []string{"EVENT", "TYPE", "OF", "POSITION", "TRIES", "WHY"}, rows)
				})
			})
		},
	}
}

// whichFlag has dead letters named, or all of them.
func whichFlag(command *cobra.Command) func(args []string) error {
	all := command.Flags().Bool("all", false, "all that wait")
	return func(args []string) error {
		if *all == (len(args) > 0) {
			return fault.New(fault.Invalid, "name events, or say --all: 'kintsugi subscription dead-letters list' shows them")
		}
		return nil
	}
}

func newLettersRetryCommand(cli *terminal.CLI) *cobra.Command {
	var checked func([]string) error
	command := &cobra.Command{
		Use: "retry NAME [EVENT…]", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit)), Short: "Deliver dead letters, now and from here", Args: terminal.Takes(1, 1<<10),
		Long: `Deliver dead letters, now, from this machine, each once. One that is taken waits no more, and what
waited behind it in its workflow comes. Exit code 1 if one was not taken.`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := checked(args[1:]); err != nil {
				return err
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				done, err := n.Subscriptions.RetryDeadLetters(c.Context(), cli.Meta(), args[0], args[1:])
				if err != nil {
					return errors.Join(showDeliveries(cli, done, noLetters, done...), err)
				}
				return showDeliveries(cli, done, noLetters, done...)
			})
		},
	}
	checked = whichFlag(command)
	return command
}

func newLettersDropCommand(cli *terminal.CLI) *cobra.Command {
	var checked func([]string) error
	var reason string
	command := &cobra.Command{
		Use: "drop NAME [EVENT…]", Annotations: terminal.Remote(installation.Admin, terminal.ForOwners(installation.Edit)), Short: "Do without the delivery of dead letters", Args: terminal.Takes(1, 1<<10),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checked(args[1:]); err != nil {
				return err
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				dropped, err := n.Subscriptions.DropDeadLetters(c.Context(), cli.Meta(), args[0], reason, args[1:])
				if err != nil {
					return err
				}
				return cli.Show(dropped, func(w io.Writer) { fmt.Fprintf(w, "Dropped %d.\n", len(dropped)) })
			})
		},
	}
	checked = whichFlag(command)
	command.Flags().StringVar(&reason, "reason", "", "why, for the history")
	return command
}
