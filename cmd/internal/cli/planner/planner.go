// Package planner has the commands that talk with the planner: plan and chat.
package planner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/cmd/internal/plain"
	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
)

// errNoModel is what planning without a model and without a server comes to.
func errNoModel() error {
	return fault.New(fault.Invalid, "no language model is configured, and no server runs here that could have one: name one with --model, and see 'kintsugi llm check'")
}

// talk is a person's end of a conversation with the planner.
type talk struct {
	*terminal.CLI
	n      *app.Node
	id     string
	said   io.Writer // what the planner says and does
	seen   map[string]int64
	signed string // how the command signs the server lock

	// ends says that the planner's last words are printed with what came of it: they are kept until
	// something follows on them.
	ends bool
	last string
	live *live // nil where no person watches
}

func newTalk(cli *terminal.CLI, n *app.Node, id, signed string, said io.Writer) *talk {
	t := &talk{CLI: cli, n: n, id: id, said: said, signed: signed, seen: map[string]int64{}}
	if terminal.IsTerminal(said) {
		t.live = newLive(said)
		t.said = t.live
	}
	return t
}

// state is the workflow as it is now.
func (t *talk) state(ctx context.Context) (workflow.State, error) {
	return t.n.Commands.LoadWorkflow(ctx, t.id)
}

// drive stays until the planner waits or is done: it lets it work, or follows the server that does.
// The planner's words meanwhile are printed.
func (t *talk) drive(ctx context.Context) error {
	hint, release := t.n.Log.Wake()
	defer release()
	look := time.NewTicker(app.ServerLooked)
	defer look.Stop()
	defer t.live.begin()()
	for waited := 0; ; waited++ {
		state, err := t.state(ctx)
		if err != nil {
			return err
		}
		if err := t.tell(ctx); err != nil || !state.PlannerRunning() {
			return err
		}
		lock, err := app.LockServer(t.n.Dir, t.signed)
		_, served := errors.AsType[*app.HeldError](err)
		switch {
		case err != nil && !served:
			return err
		case !served:
			err := errors.Join(t.work(ctx, state), lock.Release())
			if err != nil {
				return err
			}
			continue
		case waited == noticedLooks:
			t.unserved(ctx, state)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-hint:
		case <-look.C:
		}
	}
}

// noticedLooks is after how many looks it is said that the server does not begin.
const noticedLooks = 40

// unserved says that the server here has not begun: it may have no model.
func (t *talk) unserved(ctx context.Context, state workflow.State) {
	if _, err := t.n.Commands.LoadThread(ctx, state.Planner.Thread); fault.KindOf(err) == fault.NotFound {
		fmt.Fprintln(t.Err, "The server here has not begun with it. Other agents may be at work, or it was started without --model.")
	}
}

// work lets the planner work in this process.
func (t *talk) work(ctx context.Context, state workflow.State) (err error) {
	if t.n.Model == nil {
		return errNoModel()
	}
	trouble := &app.Troubles{Handler: t.n.Logger.Handler()}
	served := t.n.With(func(n *app.Node) {
		n.Logger = slog.New(trouble)
		if t.live != nil {
			n.Model = listened{Model: n.Model, live: t.live}
		}
	})
	pool := app.NewPool(served.Logger)
	defer func() { err = errors.Join(err, pool.Close()) }()
	stop := t.follow(ctx)
	err = loop.New(loop.Config{
		Log: served.Log, Kinds: []loop.Kind{handlers.Workflows(served.Commands, served.NewPlanner(pool, nil))},
		Logger: served.Logger, Now: served.Now, Only: t.id,
	}).Settle(ctx)
	stop()
	if err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	after, err := t.state(ctx)
	if err != nil || !after.PlannerRunning() || after.Planner.Task != state.Planner.Task {
		return err
	}
	return t.stuck(ctx, after, trouble)
}

// stuck says why a planner that has work to do does not do it now.
func (t *talk) stuck(ctx context.Context, state workflow.State, trouble *app.Troubles) error {
	again := "It goes on with 'kintsugi dev', or with: kintsugi plan " + t.id
	if cause := trouble.Last.Load(); cause != nil {
		return fmt.Errorf("the planner cannot go on now. %s: %w", again, *cause)
	}
	err := t.n.Allowance().Spend(ctx, t.id)
	if stopped, is := errors.AsType[*agents.Stopped](err); is {
		return fault.New(fault.Conflict, "the planner waits: %s. %s", stopped.Reason, again)
	}
	if err != nil {
		return err
	}
	said, err := t.n.Commands.LoadThread(ctx, state.Planner.Thread)
	if err != nil {
		return err
	}
	if m := said.Missing; m != nil {
		return fmt.Errorf("the model %s does not answer (%s): %s. %s", m.Model, m.Kind, m.Detail, again)
	}
	if said.HeldBy(t.n.Name, t.n.Now()) {
		timer := time.NewTimer(app.OthersLooked)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return fmt.Errorf("the planner cannot go on now. %s", again)
}

// follow prints what is said while something else goes on, until stop.
func (t *talk) follow(ctx context.Context) (stop func()) {
	return app.EachTime(ctx, t.n.Log, t.tell)
}

// tell prints what was said on the open task's thread since it was last looked at.
func (t *talk) tell(ctx context.Context) error {
	state, err := t.state(ctx)
	if err != nil {
		return err
	}
	if state.Planner != nil {
		t.seen[state.Planner.Thread] += 0
	}
	for of, from := range t.seen {
		for one, err := range t.n.Commands.History(ctx, []string{thread.Stream(of)}) {
			if err != nil {
				return err
			}
			if one.Revision < from {
				continue
			}
			t.seen[of] = one.Revision + 1
			switch one.Event.(type) {
			case thread.MessageAppended, thread.ToolInvoked, thread.ModelUnavailable:
				t.sayLast()
			}
			switch e := one.Event.(type) {
			case thread.MessageAppended:
				if e.Role == llm.Assistant && strings.TrimSpace(e.Text) != "" {
					t.last = e.Text
				}
				if !t.ends {
					t.sayLast()
				}
			case thread.ToolInvoked:
				if e.Tool != "ask" {
					fmt.Fprintf(t.said, "  · %s\n", plain.Clean(plain.Short(e.Tool, 60)))
				}
			case thread.ToolResulted:
				if e.Error != "" {
					fmt.Fprintf(t.said, "    %s\n", plain.Clean(plain.Short(e.Error, 160)))
				}
			case thread.ModelUnavailable:
				fmt.Fprintf(t.said, "  · the model %s does not answer: %s\n", plain.Clean(e.Model), plain.Clean(plain.Short(e.Detail, 160)))
			}
		}
	}
	return nil
}

// sayLast prints what the planner said last, unless it was seen as it came.
func (t *talk) sayLast() {
	if t.last != "" && !t.live.showed(t.last) {
		fmt.Fprintf(t.said, "%s\n", plain.Wrapped(t.last, "", 98))
	}
	t.last = ""
}

// skip takes as seen what was said so far.
func (t *talk) skip(ctx context.Context) error {
	said := t.said
	t.said = io.Discard
	err := t.tell(ctx)
	t.said, t.last = said, ""
	return err
}

func writeQuestion(w io.Writer, q workflow.Question) {
	fmt.Fprintf(w, "? %s\n", plain.Wrapped(q.Text, "  ", 96))
	for i, option := range q.Options {
		fmt.Fprintf(w, "  %d  %s\n", i+1, plain.Line(option))
	}
}
