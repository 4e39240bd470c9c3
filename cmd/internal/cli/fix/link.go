package fix

import (
	"cmp"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/projections"
)

// madeLink is a link that was made.
type madeLink struct {
	Fix     string    `json:"fix"`
	Person  string    `json:"person"`
	Link    string    `json:"link"`
	Expires time.Time `json:"expires"`
}

func newLinkCommand(cli *terminal.CLI) *cobra.Command {
	var person, public string
	var life time.Duration
	command := &cobra.Command{
		Use: "link FIX", Short: "Make a link by which a person decides about a fix, without a token", Args: terminal.Takes(1, 1),
		Long: `Make a link by which a person decides about a fix that waits, without a token. It shows what broke,
what would change and what that allows; nothing happens until they press a button, and a link decides
once. Whoever has it decides in the person's name: send it to them alone.`,
		Example: `  kintsugi fix link 3f0c… --for ann@example.com --public-url https://kintsugi.example.com
  kintsugi fix link 3f0c… --for ann --expires 4h`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.ResolveFix(c.Context(), args[0])
				if err != nil {
					return err
				}
				fix, err := n.Queries.Fix(c.Context(), id)
				if err != nil {
					return err
				}
				if fix.State != projections.FixHeld {
					return fault.New(fault.Conflict, "fix %s does not wait for anybody: it is %s", id, fix.State)
				}
				if public != "" {
					if _, err := app.PublicURL(public); err != nil {
						return err
					}
				}
				from := *n // a server's own node stays as it is
				from.Public = cmp.Or(public, n.Public)
				made := madeLink{Fix: id, Person: person, Expires: n.Now().Add(life).UTC().Truncate(time.Second)}
				if made.Link, err = from.MakeLink(app.Link{Fix: id, Person: person}, life); err != nil {
					return err
				}
				return cli.Show(made, func(w io.Writer) {
					fmt.Fprintf(w, "%s\nIt is for %s, and good until %s.\n", made.Link, plain.Line(person), made.Expires.Format(time.RFC3339))
				})
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&person, "for", "", "who gets it, and stands in the history as who decided")
	flags.DurationVar(&life, "expires", app.LinkLife, "for how long it is good")
	flags.StringVar(&public, "public-url", "", "the address at which people reach the server, such as https://kintsugi.example.com")
	_ = flags.SetAnnotation("public-url", terminal.ServersOwn, []string{})
	_ = command.MarkFlagRequired("for")
	return command
}
