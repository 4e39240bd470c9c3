package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/projections"
)

// planCommand and chatCommand are how these commands sign the server lock.
const (
	planCommand = "kintsugi plan"
	chatCommand = "kintsugi chat"
)

// How a planner's task stands for the person who asked.
const (
	planDone    = "done"
	planStopped = "stopped" // before it was done
	planWaiting = "waiting" // for an answer
	planWorking = "working"
)

// planned is what came of a wish.
type planned struct {
	Workflow string          `json:"workflow"`
	Task     string          `json:"task"`
	Thread   string          `json:"thread"`
	State    string          `json:"state"`
	Message  string          `json:"message,omitempty"` // the last the planner said, or why it stopped
	Saved    []string        `json:"saved"`             // versions, in order
	Version  string          `json:"version,omitempty"` // that is active
	Status   workflow.Status `json:"status"`            // of the workflow
	Schedule string          `json:"schedule,omitempty"`
	Question string          `json:"question,omitempty"`
	Options  []string        `json:"options,omitempty"`
	// Notification is what the question is answered by.
	Notification string `json:"notification,omitempty"`
	// SwitchedOn is what the newest version does, if the task saved one.
	SwitchedOn *egress.Account `json:"switched_on,omitempty"`

	scheduled bool // the task set when the workflow runs

	Tokens  int64   `json:"tokens"`
	CostUSD float64 `json:"cost_usd"`
}

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
func (c *creation) workflow(ctx context.Context, n *node, reference, intent string) (id string, err error) {
	id, err = n.resolveWorkflow(ctx, reference)
	switch {
	case err == nil:
	case !c.wanted || fault.KindOf(err) != fault.NotFound:
		return "", err
	default:
		create := workflow.Create{ID: newID(), Title: reference, Zone: c.zone, Intent: intent, Owner: strings.TrimPrefix(actor(), "person:")}
		if c.title != "" {
			create.ID, create.Title = reference, c.title
		}
		if err := checkZone(c.zone); err != nil {
			return "", err
		}
		if _, err := n.commands.CreateWorkflow(ctx, create, meta()); err != nil {
			return "", err
		}
		id = create.ID
	}
	return id, n.allowHosts(ctx, actor(), id, c.allow)
}

// withWorkflow runs fn on the data directory, which is made if the workflow may be.
func (a *app) withWorkflow(ctx context.Context, c creation, fn func(*node) error) (err error) {
	if !c.wanted {
		return a.with(ctx, fn)
	}
	n, err := a.open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	if err := n.views.CatchUp(ctx); err != nil {
		return err
	}
	return fn(n)
}

func newPlanCommand(a *app) *cobra.Command {
	var made creation
	var replan, detach bool
	command := &cobra.Command{
		Use: "plan WORKFLOW [WISH]", Short: "Have a language model write or change a workflow's script", Args: takes(1, 2),
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
			return a.withWorkflow(c.Context(), made, func(n *node) error {
				id, err := made.workflow(c.Context(), n, args[0], wish)
				if err != nil {
					return err
				}
				return a.plan(c.Context(), n, id, wish, replan, detach)
			})
		},
	}
	made.declare(command)
	command.Flags().BoolVar(&replan, "replan", false, "plan a workflow anew that was handed to you")
	command.Flags().BoolVar(&detach, "detach", false, "leave it to the server")
	return command
}

// replanWish is what a person wants who says no more.
const replanWish = "The script broke and could not be repaired. Find out why, and plan it anew so that it does again what it is for."

func (a *app) plan(ctx context.Context, n *node, id, wish string, replan, detach bool) (err error) {
	if err := a.useModel(n); err != nil {
		return err
	}
	said := a.err
	if a.format != formatText {
		said = io.Discard
	}
	t := a.talk(n, id, planCommand, said)
	t.ends = true
	task, err := t.begin(ctx, wish, replan)
	if err != nil {
		return err
	}
	if !detach {
		if err := t.planHere(ctx, task); err != nil {
			if ctx.Err() != nil {
				return &exitError{code: exitInterrupted, cause: fmt.Errorf("interrupted: what was said is kept. Go on with: kintsugi plan %s", id)}
			}
			return err
		}
	}
	result, err := n.plannedOf(ctx, id, task)
	if err != nil {
		return err
	}
	if len(result.Saved) > 0 {
		account, err := egress.AccountOf(ctx, n.commands, id)
		if err != nil {
			return err
		}
		result.SwitchedOn = &account
	}
	if result.Message == "" {
		t.sayLast()
	}
	shown := result
	if isTerminal(a.out) && t.live.showed(result.Message) {
		shown.Message = "" // it stands right above
	}
	if err := a.show(result, func(w io.Writer) { writePlanned(w, shown, n.now()) }); err != nil {
		return err
	}
	switch {
	case result.State == planWaiting:
		return &exitError{code: exitEscalated}
	case result.State == planStopped, result.State == planDone && len(result.Saved) == 0 && !result.scheduled:
		return &exitError{code: exitFailure}
	}
	return nil
}

// planHere lets the planner work. What it asks is answered here if a person sits here: an end of the
// input, or /quit, leaves the question for later.
func (t *talk) planHere(ctx context.Context, task string) error {
	var said <-chan string
	for {
		if err := t.drive(ctx); err != nil || t.format != formatText || !t.typed {
			return err
		}
		state, err := t.state(ctx)
		if err != nil {
			return err
		}
		q := questionOf(state)
		if q == nil || state.Planner.Task != task {
			return nil
		}
		if said == nil {
			said, _ = lines(ctx, t.in)
		}
		writeQuestion(t.err, *q)
		fmt.Fprint(t.err, "> ")
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case text, more := <-said:
			switch text = strings.TrimSpace(text); {
			case !more || text == "/quit":
				fmt.Fprintln(t.err)
				return nil
			case text == "":
			default:
				err := t.say(ctx, state, text)
				if fault.KindOf(err) == fault.Invalid { // it can be said otherwise
					fmt.Fprintf(t.err, "%s\n", clean(err.Error()))
				} else if err != nil {
					return err
				}
			}
		}
	}
}

// begin says the wish: to a new planner task, or to the one that waits for a word.
func (t *talk) begin(ctx context.Context, wish string, replan bool) (task string, err error) {
	state, err := t.state(ctx)
	if err != nil {
		return "", err
	}
	if replan {
		if state.Escalation == nil {
			return "", fault.New(fault.Conflict, "%s was not handed to you: say what you want instead of --replan", state.Title)
		}
		if wish == "" {
			wish = replanWish
		}
	}
	open := state.Planner
	switch {
	case wish == "" && open == nil:
		return "", fault.New(fault.Invalid, "say what you want: kintsugi plan %s \"…\"", t.id)
	case wish == "":
		return open.Task, t.skip(ctx)
	case open == nil:
		return t.open(ctx, wish, false)
	}
	if q := questionOf(state); q != nil {
		return "", fault.New(fault.Conflict, "the planner waits for an answer first: %s (kintsugi notification list, or: kintsugi chat %s)", line(q.Text), t.id)
	}
	if err := t.skip(ctx); err != nil {
		return "", err
	}
	_, err = t.n.commands.TellPlanner(ctx, t.id, workflow.TellPlanner{Task: open.Task, Text: wish}, meta())
	return open.Task, err
}

// plannedOf is how a task stands.
func (n *node) plannedOf(ctx context.Context, id, task string) (planned, error) {
	result := planned{Workflow: id, Task: task, State: planWorking, Saved: []string{}}
	state, err := n.commands.LoadWorkflow(ctx, id)
	if err != nil {
		return result, err
	}
	result.Status, result.Schedule = state.Status, state.Schedule.Spec
	if !state.Active.IsZero() {
		result.Version = state.Active.String()
	}
	for one, err := range n.commands.History(ctx, []string{workflow.Stream(id)}) {
		if err != nil {
			return result, err
		}
		switch e := one.Event.(type) {
		case workflow.PlannerTaskOpened:
			if e.Task == task {
				result.Thread = e.Thread
			}
		case workflow.ScriptSaved:
			if e.Task == task {
				result.Saved = append(result.Saved, e.Version.String())
			}
		case workflow.ScheduleChanged:
			result.scheduled = result.scheduled || one.Metadata.Actor == "planner:"+task
		case workflow.PlannerTaskClosed:
			if e.Task == task {
				result.State, result.Message = planDone, e.Outcome
				if e.Stopped {
					result.State = planStopped
				}
			}
		}
	}
	if said, err := n.commands.LoadThread(ctx, result.Thread); err == nil {
		result.Tokens, result.CostUSD = said.Tokens, said.CostUSD
	} else if fault.KindOf(err) != fault.NotFound { // nobody may have begun
		return result, err
	}
	if state.Planner == nil || state.Planner.Task != task || !state.Planner.Waiting {
		return result, nil
	}
	result.State = planDone // a chat that waits for the person's next words
	if q := questionOf(state); q != nil {
		result.State, result.Question, result.Options = planWaiting, q.Text, q.Options
		result.Notification, err = n.notificationOf(ctx, id, q.ID)
	}
	return result, err
}

// notificationOf is what a question is answered by.
func (n *node) notificationOf(ctx context.Context, id, question string) (string, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return "", err
	}
	open, err := n.queries.Notifications(ctx, projections.NotificationFilter{Workflow: id, Type: projections.NotifyQuestion, Open: true})
	for _, one := range open {
		if one.Question == question {
			return one.ID, nil
		}
	}
	return "", err
}

func writePlanned(w io.Writer, p planned, now time.Time) {
	switch p.State {
	case planWorking:
		fmt.Fprintf(w, "The planner has it: at once if a server with a model runs, else with: kintsugi plan %s\n", p.Workflow)
		return
	case planWaiting:
		writeQuestion(w, workflow.Question{Text: p.Question, Options: p.Options})
		fmt.Fprintf(w, "Answer with: kintsugi notification answer %s ANSWER, then: kintsugi plan %s\nOr talk: kintsugi chat %s\n", p.Notification, p.Workflow, p.Workflow)
		return
	}
	if p.Message != "" {
		fmt.Fprintf(w, "%s\n", wrapped(p.Message, "", 98))
	}
	for _, version := range p.Saved {
		fmt.Fprintf(w, "Saved version %s.\n", version)
	}
	if p.SwitchedOn != nil {
		writeAccount(w, *p.SwitchedOn, now)
	}
	if len(p.Saved) == 0 {
		if !p.scheduled {
			fmt.Fprintln(w, "Nothing was saved.")
		}
		return
	}
	if p.Status == workflow.StatusDraft || p.Status == workflow.StatusPaused {
		allow := ""
		if p.SwitchedOn != nil && len(p.SwitchedOn.Unnamed) > 0 {
			allow = " --allow-host " + quoted(strings.Join(p.SwitchedOn.Unnamed, ","))
		}
		fmt.Fprintf(w, "Next: kintsugi script show %s, then: kintsugi workflow activate %s%s\n", p.Workflow, p.Workflow, allow)
	}
}
