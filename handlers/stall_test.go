package handlers_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/stall"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/projections"
)

// faulty is a reaction whose work fails as long as it is asked to.
type faulty struct {
	handlers.Reaction
	as func() error // panics, or gives the error; nil and no panic if it works
}

func (f faulty) Due(id string, s workflow.State) []loop.Work {
	due := f.Reaction.Due(id, s)
	for i, work := range due {
		due[i].Do = func(ctx context.Context) error {
			if err := f.as(); err != nil {
				return err
			}
			return work.Do(ctx)
		}
	}
	return due
}

// told are the open notices of a workflow.
func (n *node) inbox(id string) []projections.Notification {
	n.t.Helper()
	require.NoError(n.t, n.views.CatchUp(context.Background()))
	list, err := n.queries.Notifications(context.Background(), projections.NotificationFilter{Workflow: id, Open: true, Operator: true})
	require.NoError(n.t, err)
	return list
}

func (n *node) stalling(reactions ...handlers.Reaction) *loop.Loop {
	return loop.New(loop.Config{
		Log: n.log, Kinds: []loop.Kind{handlers.Workflows(n.commands, reactions...)}, Now: n.clock.now, Look: 5 * time.Millisecond,
		Stalls: stall.Log{Commands: n.commands}, Logger: slog.New(slog.DiscardHandler),
	})
}

// stalls are reactions that differ in how they end, each with a workflow for which it has something to do. Where they
// are wired, another test shows that each of them is reported.
var stalls = map[string]func(n *node) (of handlers.Reaction, id string){
	"executor": func(n *node) (handlers.Reaction, string) {
		id := n.create(slotScript, workflow.Settings{})
		n.admit(id, `{}`)
		return n.reactions[0], id
	},
	"maintainer": func(n *node) (handlers.Reaction, string) {
		id := n.create(orders, workflow.Settings{})
		n.succeed(id)
		n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
		n.reactions = n.reactions[:2]
		n.runs(id, `{"day":"2026-03-09"}`)
		return n.maintainer(), id
	},
	"planner": func(n *node) (handlers.Reaction, string) {
		id := n.draft()
		n.wish(id, "Do it", false)
		return n.planner(llmtest.Serve(n.t, llmtest.Text("Done.")).Model(), nil), id
	},
}

// Rule: work that fails again and again, with an error or a panic, is a notice in the inbox with its text; when it
// goes on, the notice ends.
func TestWorkThatFailsAgainAndAgainIsANotice(t *testing.T) {
	t.Parallel()
	for name, setup := range stalls {
		for _, panics := range []bool{false, true} {
			t.Run(name+map[bool]string{true: " panics", false: " fails"}[panics], func(t *testing.T) {
				t.Parallel()
				n := newWorld(t).open(nil)
				defer n.close()
				of, id := setup(n)
				fails := true
				broken := faulty{of, func() error {
					switch {
					case !fails:
						return nil
					case panics:
						panic("a screw is loose")
					}
					return errors.New("a screw is loose")
				}}
				require.NoError(t, n.stalling(broken).Settle(t.Context()))
				open := n.inbox(id)
				require.NotEmpty(t, open, "Nothing needs you.")
				told := open[0]
				require.Contains(t, told.Text, "a screw is loose")
				require.NoError(t, n.stalling(broken).Settle(t.Context()))
				require.Len(t, n.inbox(id), len(open), "it is told once")
				if told.Type != projections.NotifyInternal {
					require.True(t, panics)
					require.Contains(t, []string{"maintainer", "planner"}, name)
					require.Nil(t, n.state(id).Maintenance, "nobody goes on with what is broken")
					require.Nil(t, n.state(id).Planner)
					return
				}
				require.Contains(t, told.Title, "Kintsugi itself fails")
				fails = false
				n.clock.advance(time.Hour)
				require.NoError(t, n.stalling(broken).Settle(t.Context()))
				for _, one := range n.inbox(id) {
					require.NotEqual(t, told.ID, one.ID, "it ended")
				}
			})
		}
	}
}

// blinded is a reaction that panics when it is asked what is to be done.
type blinded struct {
	handlers.Reaction
	panics *bool
}

func (b blinded) Due(id string, s workflow.State) []loop.Work {
	if *b.panics {
		panic("a screw is loose")
	}
	return b.Reaction.Due(id, s)
}

// A reaction that panics when it is asked what is to be done, or a history that cannot be folded without a panic, ends no server: the
// other reactions and workflows go on, and a person reads of it.
func TestAPanicInLookingIsTold(t *testing.T) {
	t.Parallel()
	for name, setup := range stalls {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newWorld(t).open(nil)
			defer n.close()
			of, id := setup(n)
			panics := true
			watch := loop.Watch[workflow.State]{
				Name: "workflow", Prefix: workflow.StreamPrefix, Load: n.commands.WorkflowSince,
				Reactions: []handlers.Reaction{blinded{of, &panics}, blinded{of, new(bool)}},
			}
			settle := func(kind loop.Kind) {
				require.NoError(t, loop.New(loop.Config{
					Log: n.log, Kinds: []loop.Kind{kind}, Now: n.clock.now, Look: 5 * time.Millisecond,
					Stalls: stall.Log{Commands: n.commands}, Logger: slog.New(slog.DiscardHandler),
				}).Settle(t.Context()))
			}
			settle(watch)
			settle(watch)
			told := fmt.Sprint(n.inbox(id))
			require.Equal(t, 1, strings.Count(told, "a screw is loose"), told)
			require.Contains(t, told, "Kintsugi itself fails here: its "+of.Name())
			panics = false
			settle(watch)
			require.NotContains(t, fmt.Sprint(n.inbox(id)), "a screw is loose")
			watch.Load = func(context.Context, string, int64) (workflow.State, error) { panic("a fold is loose") }
			settle(watch)
			require.Contains(t, fmt.Sprint(n.inbox(id)), "a fold is loose")
		})
	}
}

// A server tries on with longer and longer pauses, and says nothing of what ends by itself soon.
func TestAShortTroubleIsNotTold(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	of, id := stalls["executor"](n)
	var tries, good atomic.Int64
	good.Store(4)
	ctx, stop := context.WithCancel(t.Context())
	running := make(chan error)
	go func() {
		running <- n.stalling(faulty{of, func() error {
			if tries.Add(1) <= good.Load() {
				return errors.New("the disk is asleep")
			}
			return nil
		}}).Run(ctx)
	}()
	over := func() bool { n.clock.advance(time.Second); return len(n.state(id).Admitted) == 0 }
	require.Eventually(t, over, time.Minute, time.Millisecond)
	require.EqualValues(t, 5, tries.Load())
	state, err := n.commands.LoadInstallation(t.Context())
	require.NoError(t, err)
	require.Empty(t, state.Stalled)

	tries.Store(0)
	good.Store(8)
	n.admit(id, `{}`)
	require.Eventually(t, func() bool { n.clock.advance(time.Second); return len(n.inbox(id)) == 1 }, time.Minute, time.Millisecond)
	require.Contains(t, n.inbox(id)[0].Text, "failed 6 times")
	require.Eventually(t, over, time.Minute, time.Millisecond)
	require.Eventually(t, func() bool { return len(n.inbox(id)) == 0 }, time.Minute, time.Millisecond)
	stop()
	require.NoError(t, <-running)
}

// The notice of stalled work ends when the work is not to be done any more, because a person archived the workflow.
func TestWorkThatIsDroppedEndsItsNotice(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	of, id := stalls["planner"](n)
	broken := faulty{of, func() error { return errors.New("a screw is loose") }}
	require.NoError(t, n.stalling(broken).Settle(t.Context()))
	require.Len(t, n.inbox(id), 1)
	_, err := n.commands.ClosePlannerTask(t.Context(), id, workflow.ClosePlannerTask{Task: n.state(id).Planner.Task, Outcome: "never mind"}, person())
	require.NoError(t, err)
	require.NoError(t, n.stalling(broken).Settle(t.Context()))
	require.Empty(t, n.inbox(id))
}

// A tool that panics is told to its agent, which may go on without it; if that happens again, a person reads why it ended.
func TestAToolThatPanicsIsTold(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{})
	sandboxes := n.pool
	n.pool = loose{sandboxes, "'loose screw'"}
	eval := llmtest.Call("eval", map[string]string{"code": "'loose screw'"})
	other := llmtest.Call("eval", map[string]string{"code": "'loose screw' + 1"})
	n.model(llmtest.Serve(t, eval, other, fixCall(n.mendedTally(), "Amounts are texts")).Model())
	n.reactions = append(n.reactions[:2], n.maintainer())
	n.runs(id, `{"day":"2026-03-09"}`)
	require.Equal(t, workflow.StatusEscalated, n.state(id).Status, n.events(id, workflow.TypeRunFailed))
	require.Contains(t, fmt.Sprint(n.inbox(id)), "the tool eval failed with panic: it came loose (stall_test.go:")
	_, entries := n.said(id)
	problems := 0
	for _, entry := range entries {
		if strings.Contains(problemOf(entry), "it came loose") {
			problems++
		}
	}
	require.Equal(t, 2, problems, "it is on the thread")

	planned := n.draft()
	n.plans(llmtest.Serve(t, llmtest.Call("dry_run", map[string]string{"code": "function main() { 'loose screw' }"}), llmtest.Call("dry_run", map[string]string{"code": "function main() { return 'loose screw' }"}), llmtest.Text("Done.")).Model())
	n.wish(planned, uuid.NewString(), false)
	require.NoError(t, n.settle(t.Context()))
	require.Contains(t, fmt.Sprint(n.inbox(planned)), "failed with panic: it came loose")
}

// loose is a sandbox that panics on some code.
type loose struct {
	sandbox.Runner
	on string
}

func (l loose) Run(ctx context.Context, execution sandbox.Execution, host sandbox.Host) (sandbox.Outcome, error) {
	if strings.Contains(execution.Code, l.on) {
		panic("it came loose")
	}
	return l.Runner.Run(ctx, execution, host)
}

func problemOf(entry projections.ThreadEntry) string {
	if entry.Resulted == nil {
		return ""
	}
	return entry.Resulted.Error
}
