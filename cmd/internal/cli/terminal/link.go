package terminal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
)

// madeLink is a link that was made, and what it is about.
type madeLink struct {
	Fix        string    `json:"fix,omitempty"`
	Plan       string    `json:"plan,omitempty"`
	Job        string    `json:"job,omitempty"`
	Checkpoint int       `json:"checkpoint,omitempty"`
	Person     string    `json:"person"`
	Link       string    `json:"link"`
	Expires    time.Time `json:"expires"`
}

// MakesLink lets a command make a link for a person, about what its arguments name. role is what the history says of them.
func (cli *CLI) MakesLink(command *cobra.Command, role string, about func(context.Context, *app.Node, []string) (app.Link, error)) *cobra.Command {
	var person, public string
	var life time.Duration
	command.RunE = func(c *cobra.Command, args []string) error {
		return cli.With(c.Context(), func(n *app.Node) error {
			of, err := about(c.Context(), n, args)
			if err == nil && public != "" {
				_, err = app.PublicURL(public)
			}
			if err != nil {
				return err
			}
			from := *n.Links // a server's own stay as they are
			from.Public, of.Person = cmp.Or(public, from.Public), person
			made := madeLink{Fix: of.Fix, Plan: of.Plan, Job: of.Job, Checkpoint: of.Checkpoint, Person: person, Expires: n.Now().Add(life).UTC().Truncate(time.Second)}
			if made.Link, err = from.Make(of, life); err != nil {
				return err
			}
			return cli.Show(made, func(w io.Writer) {
				fmt.Fprintf(w, "%s\nIt is for %s, and good until %s.\n", made.Link, plain.Line(person), made.Expires.Format(time.RFC3339))
			})
		})
	}
	flags := command.Flags()
	flags.StringVar(&person, "for", "", "who gets it, and stands in the history as who "+role)
	flags.DurationVar(&life, "expires", app.LinkLife, "for how long it is good")
	flags.StringVar(&public, "public-url", "", "the address at which people reach the server, such as https://kintsugi.example.com")
	_ = flags.SetAnnotation("public-url", ServersOwn, []string{})
	_ = command.MarkFlagRequired("for")
	return command
}
