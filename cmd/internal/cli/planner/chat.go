package planner

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/installation"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// NewChatCommand is 'kintsugi chat'.
func NewChatCommand(cli *terminal.CLI) *cobra.Command {
	var made creation
	command := &cobra.Command{
		Use: "chat WORKFLOW", Annotations: terminal.RemoteOwned(installation.Edit, terminal.Hears()), Short: "Talk with the planner about a workflow", Args: terminal.Takes(1, 1),
		Long: `Talk with the planner about a workflow: say what you want, answer what it asks (a number chooses an
option), and go on until it is right. See 'kintsugi plan' for what the planner can do.

/quit ends the conversation. Ctrl-C leaves it: it goes on with the next 'kintsugi chat'. Where
standard input ends, so does the conversation, unless the planner waits for an answer.`,
		Example: `  kintsugi chat "Refund report" --create`,
		RunE: func(c *cobra.Command, args []string) error {
			return withWorkflow(c.Context(), cli, made, func(n *app.Node) (err error) {
				id, err := made.workflow(c.Context(), cli, n, args[0], "")
				if err != nil {
					return err
				}
				if err := cli.UseModel(n); err != nil {
					return err
				}
				err = newTalk(cli, n, id, chatCommand, cli.Out).chat(c.Context())
				if c.Context().Err() != nil {
					return &terminal.ExitError{Code: terminal.ExitInterrupted, Cause: fmt.Errorf("the conversation is kept. Go on with: kintsugi chat %s", id)}
				}
				return err
			})
		},
	}
	made.declare(command)
	return command
}

// chat is a conversation: the person's lines and the planner's turns, one after the other.
func (t *talk) chat(ctx context.Context) error {
	state, err := t.state(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Err, "The planner of %s. /quit ends the conversation, Ctrl-C leaves it for later.\n", plain.Line(state.Title))
	if state.Planner == nil && state.Escalation != nil {
		fmt.Fprintf(t.Err, "It was handed to you: %s\n", plain.Wrapped(state.Escalation.Explanation, "  ", 96))
	}
	said, cut := lines(ctx, t.In)
	for {
		if err := t.drive(ctx); err != nil {
			return err
		}
		if state, err = t.listens(ctx); err != nil {
			return err
		}
		fmt.Fprint(t.Err, "> ")
		var text string
		var more bool
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case text, more = <-said:
		}
		switch text = strings.TrimSpace(text); {
		case !more:
			fmt.Fprintln(t.Err)
			return errors.Join(t.leave(ctx, state), cut())
		case text == "/quit":
			return t.n.Planner.End(ctx, t.Meta, t.id)
		case text == "":
		default:
			if err := t.say(ctx, text); err != nil {
				return err
			}
		}
	}
}

// listens prints what the person is asked, and why a planner that is gone stopped.
func (t *talk) listens(ctx context.Context) (workflow.State, error) {
	state, err := t.state(ctx)
	if err != nil {
		return state, err
	}
	if q := app.QuestionOf(state); q != nil {
		writeQuestion(t.said, *q)
	}
	if state.Planner != nil {
		return state, nil
	}
	for of := range t.seen {
		said, err := t.n.Commands.LoadThread(ctx, of)
		if err != nil && fault.KindOf(err) != fault.NotFound {
			return state, err
		}
		if stopped(said) {
			fmt.Fprintf(t.said, "%s\n", plain.Wrapped(said.Outcome, "", 98))
		}
	}
	clear(t.seen) // the next wish is another task
	return state, nil
}

// stopped says that a planner ended before it was done.
func stopped(said thread.State) bool {
	return said.Closed && strings.HasPrefix(said.Outcome, "stopped: ")
}

// say gives the person's words to the planner. A fault of theirs is told: it can be said otherwise.
func (t *talk) say(ctx context.Context, text string) error {
	_, err := t.n.Planner.Say(ctx, t.Meta(), t.id, app.Wish{Task: app.NewID(), Thread: app.NewID(), Text: text})
	if fault.KindOf(err) == fault.Invalid {
		fmt.Fprintf(t.Err, "%s\n", plain.Clean(err.Error()))
		return nil
	}
	return err
}

// leave ends a conversation whose input has ended. A question stays open: it can be answered later.
func (t *talk) leave(ctx context.Context, state workflow.State) error {
	q := app.QuestionOf(state)
	if q == nil {
		return t.n.Planner.End(ctx, t.Meta, t.id)
	}
	notification, err := t.n.Decisions.Notification(ctx, t.id, q.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Err, "The question stays open. Answer with: kintsugi notification answer %s ANSWER, or: kintsugi chat %s\n", notification, t.id)
	return nil
}

// longestLine is how much is read as one line, in bytes: what is too long to be said is told then.
const longestLine = 1 << 20

// lines reads lines as they come, so that Ctrl-C is heard while nobody types. cut says, after the last,
// why no more could be read.
func lines(ctx context.Context, in io.Reader) (said <-chan string, cut func() error) {
	read := make(chan string)
	var failed error
	go func() {
		defer close(read)
		scanner := bufio.NewScanner(in)
		scanner.Buffer(nil, longestLine)
		for scanner.Scan() {
			select {
			case read <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
		if err := scanner.Err(); err != nil {
			failed = fault.New(fault.Invalid, "the conversation cannot be read on: %w", err)
		}
	}()
	return read, func() error { return failed }
}
