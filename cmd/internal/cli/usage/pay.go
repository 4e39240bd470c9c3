package usage

import (
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/money"
	"github.com/kintsugi-run/kintsugi/internal/payment"
)

const returnVariable = "KINTSUGI_PAYMENT_RETURN_URL"

func providerFlag(flags *pflag.FlagSet, provider *string) {
	flags.StringVar(provider, "provider-url", payment.StripeURL, "where the provider is: an address that speaks Stripe's API")
}

func newPayCommand(cli *terminal.CLI) *cobra.Command {
	var provider, back string
	command := &cobra.Command{
		Use: "pay OWNER AMOUNT", Annotations: terminal.Remote(installation.Admin), Short: "Get a link at which a person pays into an owner's balance", Args: terminal.Takes(2, 2),
		Long: `Ask Stripe for a link at which a person pays into an owner's balance, in US dollars. Nothing is
counted before it is paid: look with 'kintsugi usage check'. The key is set with 'kintsugi usage key'.`,
		Example: `  kintsugi usage pay ann 25 --return-url https://example.com/thanks`,
		RunE: func(c *cobra.Command, args []string) error {
			micros, err := money.Parse(args[1])
			if err != nil {
				return err
			}
			if back == "" {
				back = os.Getenv(returnVariable)
			}
			if at, err := url.Parse(back); err != nil || at.Host == "" {
				return fault.New(fault.Invalid, "name where the person's browser goes afterwards: --return-url https://…")
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				stripe, err := n.Owners.Stripe(provider)
				if err != nil {
					return err
				}
				session, err := n.Owners.StartPayment(c.Context(), cli.Meta(), stripe, args[0], micros, money.USD, back)
				if err != nil {
					return err
				}
				shown := struct {
					Payment string `json:"payment"`
					Link    string `json:"link"`
				}{session.ID, session.Link}
				return cli.Show(shown, func(w io.Writer) {
					fmt.Fprintf(w, "Pay %s at %s\nThen: kintsugi usage check %s\n", money.Text(session.Micros, session.Currency), plain.Line(session.Link), plain.Quoted(args[0]))
				})
			})
		},
	}
	providerFlag(command.Flags(), &provider)
	command.Flags().StringVar(&back, "return-url", "", "where the person's browser goes afterwards (env "+returnVariable+")")
	return command
}

func newCheckCommand(cli *terminal.CLI) *cobra.Command {
	var provider string
	command := &cobra.Command{
		Use: "check [OWNER]", Annotations: terminal.Remote(installation.Admin), Short: "Look whether an owner's open payments were made, and count those that were", Args: terminal.Takes(0, 1),
		Example: `  kintsugi usage check ann`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				stripe, err := n.Owners.Stripe(provider)
				if err != nil {
					return err
				}
				owner := ownerOf(cli, args)
				if err := n.Owners.CheckPayments(c.Context(), cli.Actor(), stripe, owner); err != nil {
					return err
				}
				return showAccount(c.Context(), cli, n, owner)
			})
		},
	}
	providerFlag(command.Flags(), &provider)
	return command
}

func newKeyCommand(cli *terminal.CLI) *cobra.Command {
	var provider, file string
	var webhook bool
	command := &cobra.Command{
		Use: "key", Annotations: terminal.Remote(installation.Admin, terminal.Reads("file")), Short: "Set the payment provider's key; it is read from standard input", Args: terminal.Takes(0, 0),
		Long: `Set or replace the secret key of the payment provider, or with --webhook what it signs its notices
with. It is read from standard input or --file, encrypted like every secret (see 'kintsugi secret
set --help'), sent to the provider only, and no script can use it.`,
		Example: `  kintsugi usage key < stripe-key
  kintsugi usage key --webhook --file whsec`,
		RunE: func(c *cobra.Command, _ []string) error {
			at, err := url.Parse(provider)
			if err != nil || at.Host == "" {
				return fault.New(fault.Invalid, "%q is no address of a provider", provider)
			}
			return cli.With(c.Context(), func(n *app.Node) error {
				value, err := cli.ReadFile(file)
				if err != nil {
					return err
				}
				if err := n.Owners.SetPaymentKey(c.Context(), at.Host, strings.TrimSpace(value), webhook); err != nil {
					return err
				}
				shown := struct {
					Host string `json:"host"`
				}{at.Host}
				return cli.Show(shown, func(w io.Writer) { fmt.Fprintf(w, "Set for %s.\n", at.Host) })
			})
		},
	}
	providerFlag(command.Flags(), &provider)
	command.Flags().BoolVar(&webhook, "webhook", false, "what it signs its notices with")
	command.Flags().StringVar(&file, "file", "-", "where the key is; - is standard input")
	return command
}
