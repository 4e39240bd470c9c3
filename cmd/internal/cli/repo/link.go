package repo

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
)

// madeLink is a link that was made.
type madeLink struct {
	Plan       string    `json:"plan"`
	Job        string    `json:"job"`
	Checkpoint int       `json:"checkpoint"`
	Person     string    `json:"person"`
	Link       string    `json:"link"`
	Expires    time.Time `json:"expires"`
}

func newLinkCommand(cli *terminal.CLI) *cobra.Command {
	var person, public string
	var life time.Duration
	command := &cobra.Command{
		Use: "link PLAN JOB", Short: "Make a link by which a person answers for a job that is held, without a token", Args: terminal.Takes(2, 2),
		Long: `Make a link by which a person answers for a job that is held, without a token. It shows what the job was
to do, what it is held for and what it changed; nothing happens until they press a button, and a link answers
once, for this checkpoint. Whoever has it answers in the person's name: send it to them alone.`,
		Example: `  kintsugi repo plan link shop prices --for ann@example.com --public-url https://kintsugi.example.com`,
		RunE: func(c *cobra.Command, args []string) error {
			return cli.With(c.Context(), func(n *app.Node) error {
				id, err := n.ResolveRepoPlan(c.Context(), args[0])
				if err != nil {
					return err
				}
				of, err := n.RepoPlan(c.Context(), id)
				if err != nil {
					return err
				}
				made := madeLink{Plan: id, Job: args[1], Person: person, Expires: n.Now().Add(life).UTC().Truncate(time.Second)}
				for _, job := range of.Jobs {
					if job.ID == args[1] && job.Checkpoint != nil {
						made.Checkpoint = job.Checkpoint.Checkpoint
					}
				}
				if made.Checkpoint == 0 {
					return fault.New(fault.Conflict, "plan %s has no job %q that is held: see 'kintsugi repo plan show %s'", id, args[1], id)
				}
				if public != "" {
					if _, err := app.PublicURL(public); err != nil {
						return err
					}
				}
				from := *n // a server's own node stays as it is
				from.Public = cmp.Or(public, n.Public)
				if made.Link, err = from.MakeLink(app.Link{Plan: id, Job: made.Job, Checkpoint: made.Checkpoint, Person: person}, life); err != nil {
					return err
				}
				return cli.Show(made, func(w io.Writer) {
					fmt.Fprintf(w, "%s\nIt is for %s, and good until %s.\n", made.Link, plain.Line(person), made.Expires.Format(time.RFC3339))
				})
			})
		},
	}
	flags := command.Flags()
	flags.StringVar(&person, "for", "", "who gets it, and stands in the history as who answered")
	flags.DurationVar(&life, "expires", app.LinkLife, "for how long it is good")
	flags.StringVar(&public, "public-url", "", "the address at which people reach the server, such as https://kintsugi.example.com")
	_ = flags.SetAnnotation("public-url", terminal.ServersOwn, []string{})
	_ = command.MarkFlagRequired("for")
	return command
}
