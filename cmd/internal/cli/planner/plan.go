package planner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// planCommand and chatCommand are how these commands sign the server lock.
const (
	planCommand = "kintsugi plan"
	chatCommand = "kintsugi chat"
)

// creation is a workflow that a wish may make.
type creation struct {
	wanted bool
	title  string
	zone   string
	allow  []string
}

func (c *creation) declare(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&c.wanted, "create", false, "make the workflow, if there is none of this name")
	flags.StringVar(&c.title, "title", "", "its title; WORKFLOW is its id then")
	flags.StringVar(&c.zone, "zone", "", "IANA time zone of a workflow that is made (default UTC)")
	flags.StringSliceVar(&c.allow, "allow-host", nil, "a host, or host:port, that the workflow may reach, also if it is private")
}

// workflow finds the workflow of a wish, or makes it.
func (c *creation) workflow(ctx context.Context, cli *terminal.CLI, n *app.Node, reference, intent string) (id string, err error) {
	id, err = n.Resolve.Workflow(ctx, reference)
	switch {
	case err == nil:
	case !c.wanted || fault.KindOf(err) != fault.NotFound:
		return "", err
	default:
		create := workflow.Create{ID: app.NewID(), Title: reference, Zone: c.zone, Intent: intent, Owner: cli.OwnerOfNew()}
		if c.title != "" {
			create.ID, create.Title = reference, c.title
		}
		if err := app.CheckZone(c.zone); err != nil {
			return "", err
		}
		return create.ID, n.Workflows.Begin(ctx, cli.Meta, create, c.allow)
	}
	return id, n.Workflows.AllowHosts(ctx, cli.Meta, id, c.allow)
}

// withWorkflow runs fn on the data directory, which is made if the workflow may be.
func withWorkflow(ctx context.Context, cli *terminal.CLI, c creation, fn func(*app.Node) error) (err error) {
	if !c.wanted {
		return cli.With(ctx, fn)
	}
	n, err := cli.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	if err := n.Views.CatchUp(ctx); err != nil {
		return err
	}
	return fn(n)
}

// NewPlanCommand is 'kintsugi plan'.
func NewPlanCommand(cli *terminal.CLI) *cobra.Command {
	var made creation
	var replan, detach bool
	command := &cobra.Command{
		Use: "plan WORKFLOW [WISH]", Annotations: terminal.RemoteOwned(installation.Edit, terminal.HearsTyping()), Short: "Have a language model write or change a workflow's script", Args: terminal.Takes(1, 2),
		Long: `Have a language model write or change a workflow's script: say in your own words what you want. It
looks at what the workflow did, tries the script out without writing anything, saves it as the next
major version, and sets when it runs. If it has to know something it asks: on a terminal you answer
here, else it waits.

Without WISH it goes on with what was begun: after an answer, or where it was cut short.
--replan is for a workflow that was handed to you: the planner gets what broke.

It reads from hosts that you name, here, in an answer or with --allow-host, and writes nothing. A
server here that has a model does the work, else this command does. What was saved is accounted for:
hosts, writes, secrets, when it runs. Exit code 1 if the planner stopped before it was done or saved
nothing, 11 if it waits for your answer.`,
		Example: `  kintsugi plan "Refund report" "every morning, list the refunds of api.example.com" --create
  kintsugi plan "Refund report" --replan`,
		RunE: func(c *cobra.Command, args []string) error {
			wish := ""
			if len(args) == 2 {
				if wish = strings.TrimSpace(args[1]); wish == "" {
					return fault.New(fault.Invalid, "say what you want")
				}
			}
			return withWorkflow(c.Context(), cli, made, func(n *app.Node) error {
				id, err := made.workflow(c.Context(), cli, n, args[0], wish)
				if err != nil {
					return err
				}
				return plan(c.Context(), cli, n, id, wish, replan, detach)
			})
		},
	}
	made.declare(command)
	command.Flags().BoolVar(&replan, "replan", false, "plan a workflow anew that was handed to you")
	command.Flags().BoolVar(&detach, "detach", false, "leave it to the server")
	return command
}

func plan(ctx context.Context, cli *terminal.CLI, n *app.Node, id, wish string, replan, detach bool) (err error) {
	if err := cli.UseModel(n); err != nil {
		return err
	}
	said := cli.Err
	if cli.Format != terminal.FormatText {
		said = io.Discard
	}
	t := newTalk(cli, n, id, planCommand, said)
	t.ends = true
	task, err := t.begin(ctx, wish, replan)
	if err != nil {
		return err
	}
	if !detach {
		if err := t.planHere(ctx, task); err != nil {
			if ctx.Err() != nil {
				return &terminal.ExitError{Code: terminal.ExitInterrupted, Cause: fmt.Errorf("interrupted: what was said is kept. Go on with: kintsugi plan %s", id)}
			}
			return err
		}
	}
	result, err := n.Planner.Planned(ctx, id, task)
	if err != nil {
		return err
	}
	if len(result.Saved) > 0 {
		account, err := n.Workflows.AccountOf(ctx, id)
		if err != nil {
			return err
		}
		result.SwitchedOn = &account
	}
	if result.Message == "" {
		t.sayLast()
	}
	shown := result
	if terminal.IsTerminal(cli.Out) && t.live.showed(result.Message) {
		shown.Message = "" // it stands right above
	}
	if err := cli.Show(result, func(w io.Writer) { writePlanned(w, shown, n.Now()) }); err != nil {
		return err
	}
	switch {
	case result.State == app.PlanWaiting:
		return &terminal.ExitError{Code: terminal.ExitEscalated}
	case result.State == app.PlanStopped, result.State == app.PlanDone && len(result.Saved) == 0 && !result.Scheduled:
		return &terminal.ExitError{Code: terminal.ExitFailure}
	}
	return nil
}

// planHere lets the planner work. A person who sits here answers its questions: an end of the
// input, or /quit, leaves the question for later.
func (t *talk) planHere(ctx context.Context, task string) error {
	var said <-chan string
	for {
		if err := t.drive(ctx); err != nil || t.Format != terminal.FormatText || !t.Typed {
			return err
		}
		state, err := t.state(ctx)
		if err != nil {
			return err
		}
		q := app.QuestionOf(state)
		if q == nil || state.Planner.Task != task {
			return nil
		}
		if said == nil {
			said, _ = lines(ctx, t.In)
		}
		writeQuestion(t.Err, *q)
		fmt.Fprint(t.Err, "> ")
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case text, more := <-said:
			switch text = strings.TrimSpace(text); {
			case !more || text == "/quit":
				fmt.Fprintln(t.Err)
				return nil
			case text == "":
			default:
				if err := t.say(ctx, text); err != nil {
					return err
				}
			}
		}
	}
}

// begin says the wish. Earlier messages are not told.
func (t *talk) begin(ctx context.Context, wish string, replan bool) (task string, err error) {
	if err := t.skip(ctx); err != nil {
		return "", err
	}
	return t.n.Planner.Begin(ctx, t.Meta, t.id, app.Wish{Task: app.NewID(), Thread: app.NewID(), Text: wish, Replan: replan})
}

func writePlanned(w io.Writer, p app.Planned, now time.Time) {
	switch p.State {
	case app.PlanWorking:
		fmt.Fprintf(w, "The planner has it: at once if a server with a model runs, else with: kintsugi plan %s\n", p.Workflow)
		return
	case app.PlanWaiting:
		writeQuestion(w, workflow.Question{Text: p.Question, Options: p.Options})
		fmt.Fprintf(w, "Answer with: kintsugi notification answer %s ANSWER, then: kintsugi plan %s\nOr talk: kintsugi chat %s\n", p.Notification, p.Workflow, p.Workflow)
		return
	}
	if p.Message != "" {
		fmt.Fprintf(w, "%s\n", plain.Wrapped(p.Message, "", 98))
	}
	for _, version := range p.Saved {
		fmt.Fprintf(w, "Saved version %s.\n", version)
	}
	if p.SwitchedOn != nil {
		terminal.WriteAccount(w, *p.SwitchedOn, now)
	}
	if len(p.Saved) == 0 {
		if !p.Scheduled {
			fmt.Fprintln(w, "Nothing was saved.")
		}
		return
	}
	if p.Status == workflow.StatusDraft || p.Status == workflow.StatusPaused {
		allow := ""
		if p.SwitchedOn != nil && len(p.SwitchedOn.Unnamed) > 0 {
			allow = " --allow-host " + plain.Quoted(strings.Join(p.SwitchedOn.Unnamed, ","))
		}
		fmt.Fprintf(w, "Next: kintsugi script show %s, then: kintsugi workflow activate %s%s\n", p.Workflow, p.Workflow, allow)
	}
}
