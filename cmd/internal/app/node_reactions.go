package app

import (
	"context"
	"log/slog"
	"strconv"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/draft"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/handlers/planning"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/handlers/stall"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/projections"
)

// Allowance is what people allow agents, for all workflows at once.
func (n *Node) Allowance() *agents.Installation {
	return &agents.Installation{Commands: n.Commands, Spending: n.HandlerQueries, Now: n.Now}
}

// Spent implements [agents.Spending].
func (q *HandlerQueries) Spent(ctx context.Context, since time.Time) (float64, error) {
	if err := q.Views.CatchUp(ctx); err != nil {
		return 0, err
	}
	return q.Queries.Spent(ctx, since)
}

// SpentFor implements [agents.Spending].
func (q *HandlerQueries) SpentFor(ctx context.Context, owner string, since time.Time) (int64, error) {
	if err := q.Views.CatchUp(ctx); err != nil {
		return 0, err
	}
	return q.Queries.SpentFor(ctx, owner, since)
}

// WithRunner runs fn with worker processes for scripts. Neither the network nor a data
// directory is touched: what was recorded is all there is.
func WithRunner(ctx context.Context, fn func(runner sandbox.Runner) error) (err error) {
	pool := process.NewPool(process.PoolConfig{Bindings: hostcall.Bindings()})
	pool.Start()
	defer func() {
		if closing := pool.Close(); err == nil {
			err = closing
		}
	}()
	if err := ctx.Err(); err != nil {
		return err
	}
	return NotFinished(fn(pool))
}

// relativesTried is how many other workflows' fixes are tried for a failure: the newest.
const relativesTried = 3

// Related implements [maintenance.Relatives].
func (q *HandlerQueries) Related(ctx context.Context, of, run string) ([]maintenance.Relative, error) {
	if err := q.Views.CatchUp(ctx); err != nil {
		return nil, err
	}
	fixes, err := q.Queries.RelatedFixes(ctx, of, run, relativesTried)
	if err != nil {
		return nil, err
	}
	relatives := make([]maintenance.Relative, len(fixes))
	for i, fix := range fixes {
		relatives[i] = maintenance.Relative{Workflow: fix.Workflow, Title: fix.Title, Proposal: fix.Proposal}
	}
	return relatives, nil
}

// NewFixers is every fixer that settings can name: the model and the program as far as there are any.
func (n *Node) NewFixers(pool sandbox.Runner) map[string]repair.Fixer {
	fixers := map[string]repair.Fixer{
		workflow.FixerTemplates: repair.Templates{Runner: pool},
		workflow.FixerPerson:    maintenance.PersonFixer{},
		maintenance.FixerGroup:  maintenance.GroupFixer{Relatives: n.HandlerQueries},
	}
	if n.Model != nil {
		fixers[workflow.FixerModel] = maintenance.NewModelFixer(maintenance.ModelFixerConfig{Model: n.Model, Words: n.Words, Logger: n.Logger})
	}
	if len(n.Program) > 0 {
		fixers[workflow.FixerCommand] = maintenance.NewCommandFixer(maintenance.CommandFixerConfig{Argv: n.Program, Sandbox: pool, Logger: n.Logger})
	}
	return fixers
}

// ballast is memory that nobody touches, so that the system gives none for it. A server has 10 to 20 MB in use and makes 40 kB
// of garbage in a run: at a thousand runs a second that was collected ten times, a twelfth of all processor time. With
// this in the heap it is collected when there is so much more of it.
var ballast []byte

// sole says whether no other node is at work, if the log can tell.
func (n *Node) sole() func() bool {
	if log, is := eventlog.As[eventlog.Sole](n.Log); is {
		return log.Sole
	}
	return nil
}

// place is where agents of this node work.
func (n *Node) place() agents.Place {
	return agents.Place{Node: n.Name, Alone: n.Address.Backend == SQLite, Lease: n.Lease, Now: n.Now, Around: n.around}
}

// reactions is everything that follows from the log by itself.
func (n *Node) reactions(pool sandbox.Runner, fixers map[string]repair.Fixer) []handlers.Reaction {
	if ballast == nil {
		ballast = make([]byte, 64<<20)
	}
	agents := n.agentSlots()
	executor := execution.NewExecutor(execution.ExecutorConfig{
		Commands: n.Commands, Sandbox: pool, Local: n.HandlerQueries, Mirror: n.Workflows.mirror, Now: n.Now,
		Node: n.Name, Lease: n.Lease, Alone: n.Address.Backend == SQLite, Logger: n.Logger, Recordings: n.HandlerQueries, Secrets: n.Secrets.Value,
		Sole: n.sole(),
	})
	reactions := []handlers.Reaction{
		executor,
		execution.NewRetrier(n.Commands, n.Now),
		execution.NewScheduler(n.Commands, n.Now).Rehearses(executor),
		execution.NewInputs(n.Commands, n.Now),
		draft.NewArchiver(n.Commands),
		n.Workflows.eraser(),
		maintenance.NewDeadline(n.Commands),
		maintenance.NewMaintainer(maintenance.MaintainerConfig{
			Semaphore: agents,
			Commands:  n.Commands, Sandbox: pool, Fixers: fixers, Logger: n.Logger, Recordings: n.HandlerQueries, Secrets: n.Secrets.Value,
			Allowance: n.Allowance(), Place: n.place(),
		}),
	}
	if n.Model != nil {
		reactions = append(reactions, n.NewPlanner(pool, agents))
	}
	return reactions
}

// kinds are all streams from which something follows, with what does.
func (n *Node) kinds(pool sandbox.Runner, fixers map[string]repair.Fixer, only string) []loop.Kind {
	kinds := []loop.Kind{handlers.Workflows(n.Commands, n.reactions(pool, fixers)...)}
	if only == "" {
		plans, err := n.planKind()
		if err != nil {
			n.Logger.Error("plans of coding agents are not worked on", "error", err)
		} else {
			kinds = append(kinds, plans)
		}
	}
	return append(kinds, n.sessionKinds()...)
}

// Loop is the reactions, ready to run; only restricts it to one workflow.
func (n *Node) Loop(pool sandbox.Runner, fixers map[string]repair.Fixer, only string) *loop.Loop {
	return n.looping(n.kinds(pool, fixers, only), only)
}

func (n *Node) looping(kinds []loop.Kind, only string) *loop.Loop {
	return loop.New(loop.Config{Log: n.Log, Kinds: kinds, Logger: n.Logger, Now: n.Now, Only: only, Stalls: stall.Log{Commands: n.Commands}})
}

// workers is how many executions may be under way at once, those that wait for the world included.
const workers = 64

// NewPool starts worker processes of this same binary.
func NewPool(logger *slog.Logger) *process.Pool {
	return process.NewPool(process.PoolConfig{Bindings: hostcall.Bindings(), Size: workers, Logger: logger})
}

// lender lends worker processes to operations beside the runs. A caller that asks for many at once waits for them, and is refused
// after a while: runs are not the slower for it.
type lender struct {
	places chan struct{} // as many as may be lent at once
	wait   time.Duration
}

var operations = lender{places: make(chan struct{}, 8), wait: 20 * time.Second}

// borrow gives an operation worker processes of its own until they are given back.
func (l lender) borrow(ctx context.Context, logger *slog.Logger) (pool *process.Pool, giveBack func() error, err error) {
	ctx, cancel := context.WithTimeout(ctx, l.wait)
	defer cancel()
	select {
	case l.places <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, &sandbox.UnavailableError{Reason: "this server executes scripts for " + strconv.Itoa(cap(l.places)) + " other requests"}
	}
	pool = NewPool(logger)
	return pool, func() error {
		defer func() { <-l.places }()
		return pool.Close()
	}, nil
}

// DefaultAgents is how many agents are at work at once.
const DefaultAgents = 4

// agentSlots is for all agents of this process.
func (n *Node) agentSlots() *loop.Semaphore {
	if n.Agents == 0 {
		return &loop.Semaphore{Limit: DefaultAgents}
	}
	return &loop.Semaphore{Limit: n.Agents}
}

// NewPlanner is the reaction that plans; there is none without a model.
func (n *Node) NewPlanner(pool sandbox.Runner, in *loop.Semaphore) *planning.Planner {
	return planning.NewPlanner(planning.Config{
		Commands: n.Commands, Model: n.Model, Words: n.Words, Views: n.HandlerQueries, Logger: n.Logger, Allowance: n.Allowance(), Semaphore: in,
		Explorer: &rehearsal.Explorer{
			Commands: n.Commands, Sandbox: pool, Local: n.HandlerQueries, Recordings: n.HandlerQueries, Secrets: n.Secrets.Value, Now: n.Now, NewID: NewID, Logger: n.Logger,
		},
		Place: n.place(),
	})
}

// Runs implements [planning.Views].
func (q *HandlerQueries) Runs(ctx context.Context, filter projections.RunFilter) ([]projections.Run, error) {
	if err := q.Views.CatchUp(ctx); err != nil {
		return nil, err
	}
	return q.Queries.Runs(ctx, filter)
}

// Fixes implements [planning.Views].
func (q *HandlerQueries) Fixes(ctx context.Context, filter projections.FixFilter) ([]projections.Fix, error) {
	if err := q.Views.CatchUp(ctx); err != nil {
		return nil, err
	}
	return q.Queries.Fixes(ctx, filter)
}
