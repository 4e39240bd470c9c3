package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/handlers"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/planning"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/llm"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/projections"
)

// defaultAgents is how many agents are at work at once.
const defaultAgents = 4

// agentSlots is for all agents of this process.
func (n *node) agentSlots() *loop.Semaphore {
	if n.agents == 0 {
		return &loop.Semaphore{Limit: defaultAgents}
	}
	return &loop.Semaphore{Limit: n.agents}
}

// planner is the reaction that plans; there is none without a model.
func (n *node) planner(pool sandbox.Runner, in *loop.Semaphore) *planning.Planner {
	return planning.NewPlanner(planning.Config{
		Commands: n.commands, Model: n.model, Views: pastViews{n}, Logger: n.logger, Allowance: n.allowance(), Semaphore: in,
		Explorer: &rehearsal.Explorer{
			Commands: n.commands, Sandbox: pool, Local: n, Recordings: n, Secrets: n.secrets, Now: n.now, NewID: newID, Logger: n.logger,
		},
		Place: agents.Place{Node: n.name, Alone: n.address.backend == sqliteBackend, Lease: n.lease, Now: n.now},
	})
}

// pastViews are what the planner sees of the past, up to now.
type pastViews struct{ *node }

// Runs implements [planning.Views].
func (v pastViews) Runs(ctx context.Context, filter projections.RunFilter) ([]projections.Run, error) {
	if err := v.views.CatchUp(ctx); err != nil {
		return nil, err
	}
	return v.queries.Runs(ctx, filter)
}

// Fixes implements [planning.Views].
func (v pastViews) Fixes(ctx context.Context, filter projections.FixFilter) ([]projections.Fix, error) {
	if err := v.views.CatchUp(ctx); err != nil {
		return nil, err
	}
	return v.queries.Fixes(ctx, filter)
}

// errNoModel is what planning without a model and without a server comes to.
func errNoModel() error {
	return fault.New(fault.Invalid, "no language model is configured, and no server runs here that could have one: name one with --model, and see 'kintsugi llm check'")
}

// talk is a person's end of a conversation with the planner.
type talk struct {
	*app
	n      *node
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

func (a *app) talk(n *node, id, signed string, said io.Writer) *talk {
	t := &talk{app: a, n: n, id: id, said: said, signed: signed, seen: map[string]int64{}}
	if isTerminal(said) {
		t.live = newLive(said)
		t.said = t.live
	}
	return t
}

// state is the workflow as it is now.
func (t *talk) state(ctx context.Context) (workflow.State, error) {
	return t.n.commands.LoadWorkflow(ctx, t.id)
}

// drive stays until the planner waits or is done: it lets it work, or follows the server that does.
// What the planner says meanwhile is printed.
func (t *talk) drive(ctx context.Context) error {
	hint, release := t.n.log.Wake()
	defer release()
	look := time.NewTicker(serverLooked)
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
		lock, err := lockServer(t.n.dir, t.signed)
		_, served := errors.AsType[*heldError](err)
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
	if _, err := t.n.commands.LoadThread(ctx, state.Planner.Thread); fault.KindOf(err) == fault.NotFound {
		fmt.Fprintln(t.err, "The server here has not begun with it. Other agents may be at work, or it was started without --model.")
	}
}

// work lets the planner work in this process.
func (t *talk) work(ctx context.Context, state workflow.State) (err error) {
	if t.n.model == nil {
		return errNoModel()
	}
	trouble := &troubles{Handler: t.n.logger.Handler()}
	served := *t.n
	served.logger = slog.New(trouble)
	if t.live != nil {
		served.model = listened{Model: t.n.model, live: t.live}
	}
	pool := newPool(served.logger)
	defer func() { err = errors.Join(err, pool.Close()) }()
	stop := t.follow(ctx)
	err = loop.New(loop.Config{
		Log: served.log, Kinds: []loop.Kind{handlers.Workflows(served.commands, served.planner(pool, nil))},
		Logger: served.logger, Now: served.now, Only: t.id,
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
func (t *talk) stuck(ctx context.Context, state workflow.State, trouble *troubles) error {
	again := "It goes on with 'kintsugi dev', or with: kintsugi plan " + t.id
	if cause := trouble.last.Load(); cause != nil {
		return fmt.Errorf("the planner cannot go on now. %s: %w", again, *cause)
	}
	err := t.n.allowance().Spend(ctx)
	if stopped, is := errors.AsType[*agents.Stopped](err); is {
		return fault.New(fault.Conflict, "the planner waits: %s. %s", stopped.Reason, again)
	}
	if err != nil {
		return err
	}
	said, err := t.n.commands.LoadThread(ctx, state.Planner.Thread)
	if err != nil {
		return err
	}
	if m := said.Missing; m != nil {
		return fmt.Errorf("the model %s does not answer (%s): %s. %s", m.Model, m.Kind, m.Detail, again)
	}
	if said.HeldBy(t.n.name, t.n.now()) {
		timer := time.NewTimer(othersLooked)
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
	return eachTime(ctx, t.n.log, t.tell)
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
		for one, err := range t.n.commands.History(ctx, []string{thread.Stream(of)}) {
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
					fmt.Fprintf(t.said, "  · %s\n", clean(short(e.Tool, 60)))
				}
			case thread.ToolResulted:
				if e.Error != "" {
					fmt.Fprintf(t.said, "    %s\n", clean(short(e.Error, 160)))
				}
			case thread.ModelUnavailable:
				fmt.Fprintf(t.said, "  · the model %s does not answer: %s\n", clean(e.Model), clean(short(e.Detail, 160)))
			}
		}
	}
	return nil
}

// sayLast prints what the planner said last, unless it was seen as it came.
func (t *talk) sayLast() {
	if t.last != "" && !t.live.showed(t.last) {
		fmt.Fprintf(t.said, "%s\n", wrapped(t.last, "", 98))
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

// open opens a planner task.
func (t *talk) open(ctx context.Context, ask string, chat bool) (task string, err error) {
	task = newID()
	_, err = t.n.commands.OpenPlannerTask(ctx, t.id, workflow.OpenPlannerTask{Task: task, Thread: newID(), Ask: ask, Chat: chat}, meta())
	return task, err
}

// questionOf is the oldest open question of the open planner task.
func questionOf(state workflow.State) *workflow.Question {
	if state.Planner == nil {
		return nil
	}
	for i, q := range state.Questions {
		if q.Task == state.Planner.Task {
			return &state.Questions[i]
		}
	}
	return nil
}

func writeQuestion(w io.Writer, q workflow.Question) {
	fmt.Fprintf(w, "? %s\n", wrapped(q.Text, "  ", 96))
	for i, option := range q.Options {
		fmt.Fprintf(w, "  %d  %s\n", i+1, line(option))
	}
}
