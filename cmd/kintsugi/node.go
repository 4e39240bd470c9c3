package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/handlers"

	"github.com/google/uuid"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/llm"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/tool"
	"github.com/kintsugi-run/kintsugi/projections"
)

// logFile is the event log in a data directory, unless it is elsewhere: all that has to be
// kept. The views are made from it, and files/ only shows what is in it.
const logFile = "events.db"

// node is a data directory and its log, opened: the commands on it, and what is seen of it.
type node struct {
	dir      string
	name     string        // of this process among others
	lease    time.Duration // of the runs that it executes; zero for the default
	address  storeAddress
	log      watchedLog
	state    *stateStore
	views    *readmodel.Store
	queries  *projections.Queries
	commands *commands.Commands
	codec    *event.Registry
	logger   *slog.Logger
	now      func() time.Time
	model    llm.Model // that agents ask; nil for none
	agents   int       // at work at once; zero for the default
	program  []string  // that proposes fixes; nil for none
}

// newCodec knows every event of the program, checked.
func newCodec() (*event.Registry, error) {
	codec := domain.NewCodec()
	if err := codec.Check(); err != nil {
		return nil, fmt.Errorf("the program's own events: %w", err)
	}
	return codec, nil
}

// openNode opens a data directory, which is made if it is not there, and the log at an
// address. Any number of processes may have it open; only one may be the server.
func openNode(ctx context.Context, dir string, address storeAddress, patience time.Duration, logger *slog.Logger) (opened *node, err error) {
	codec, err := newCodec()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	n := &node{dir: dir, name: nodeName(), address: address, codec: codec, logger: logger, now: time.Now}
	beside, err := parseState("", dir, address)
	if err != nil {
		return nil, err
	}
	n.state = &stateStore{address: beside, logger: logger}
	defer func() {
		if err != nil {
			_ = n.Close()
		}
	}()
	log, err := openLog(ctx, address, patience, logger)
	if err != nil {
		return nil, err
	}
	n.log = watch(log)
	n.views, err = readmodel.Open(ctx, readmodel.Config{
		Dir: address.viewsDir(dir), Inherit: address.otherViews(dir), Log: n.log, Projections: projections.All(codec), Logger: logger,
	})
	if err != nil {
		return nil, err
	}
	n.queries = projections.NewQueries(n.views)
	n.commands = commands.New(commands.Config{
		Log: n.log, Codec: codec, Now: n.now, NewID: newID,
		CheckScript: sandbox.Check,
		CheckWords:  n.withoutSecrets,
	})
	return n, nil
}

// by is of a new command that somebody gives.
func by(actor string) commands.Meta { return commands.Meta{CommandID: newID(), Actor: actor} }

// newID makes ids that sort by time.
func newID() string { return uuid.Must(uuid.NewV7()).String() }

// Close waits for appends under way.
func (n *node) Close() error {
	faults := []error{n.state.Close()}
	if n.views != nil {
		faults = append(faults, n.views.Close())
	}
	if n.log.Log != nil {
		faults = append(faults, n.log.Close())
	}
	return errors.Join(faults...)
}

// LocalState implements [rehearsal.LocalState].
func (n *node) LocalState(ctx context.Context, workflow string) (*tool.Memory, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return nil, err
	}
	local, err := n.queries.Local(ctx, workflow)
	if err != nil {
		return nil, err
	}
	memory := tool.NewMemory(local.KV, nil, 0)
	for path, file := range local.Files {
		memory.WriteFile(path, tool.File{Text: file.Text, ModifiedMS: file.ModifiedMS})
	}
	return memory, nil
}

// successesJudged bounds how many recorded successes a repair looks at: the newest.
const successesJudged = 500

// Successes implements [egress.Recordings].
func (n *node) Successes(ctx context.Context, workflow string, major int) ([]string, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return nil, err
	}
	runs, err := n.queries.Runs(ctx, projections.RunFilter{
		Workflow: workflow, Status: projections.RunSucceeded, Major: major, Limit: successesJudged,
	})
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(runs))
	for i, run := range runs {
		ids[i] = run.ID
	}
	return ids, nil
}

// Hosts implements [egress.Recordings].
func (n *node) Hosts(ctx context.Context, workflow string, major int) ([]projections.ReachedHost, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return nil, err
	}
	return n.queries.Hosts(ctx, workflow, major)
}

// mirror shows people a workflow's files, in files/<workflow> of the data directory.
func (n *node) mirror(workflow string, state tool.State, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	if strings.ContainsAny(workflow, `/\`) || workflow == "." || workflow == ".." {
		return fmt.Errorf("workflow %q has no folder: its id is not a file name", workflow)
	}
	parent := filepath.Join(n.dir, "files")
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return err
	}
	m, err := tool.OpenMirror(filepath.Join(parent, workflow))
	if err != nil {
		return err
	}
	return errors.Join(m.Sync(state, paths), m.Close())
}

// reactions is everything that follows from the log by itself.
func (n *node) reactions(pool sandbox.Runner, fixers map[string]repair.Fixer) []handlers.Reaction {
	agents := n.agentSlots()
	reactions := []handlers.Reaction{
		execution.NewExecutor(execution.ExecutorConfig{
			Commands: n.commands, Sandbox: pool, Local: n, Mirror: n.mirror, Now: n.now,
			Node: n.name, Lease: n.lease, Alone: n.address.backend == sqliteBackend, Logger: n.logger, Recordings: n, Secrets: n.secrets,
		}),
		execution.NewRetrier(n.commands, n.now),
		execution.NewScheduler(n.commands, n.now),
		execution.NewInputs(n.commands, n.now),
		maintenance.NewMaintainer(maintenance.MaintainerConfig{
			Semaphore: agents,
			Commands:  n.commands, Sandbox: pool, Fixers: fixers, Now: n.now, Logger: n.logger, Recordings: n, Secrets: n.secrets,
			Allowance: n.allowance(), Relatives: n, Node: n.name, Lease: n.lease, Alone: n.address.backend == sqliteBackend,
		}),
	}
	if n.model != nil {
		reactions = append(reactions, n.planner(pool, agents))
	}
	return reactions
}

// loop is the reactions, ready to run; only restricts it to one workflow.
func (n *node) loop(pool sandbox.Runner, fixers map[string]repair.Fixer, only string) *loop.Loop {
	return loop.New(loop.Config{
		Log: n.log, Kinds: []loop.Kind{handlers.Workflows(n.commands, n.reactions(pool, fixers)...)}, Logger: n.logger, Now: n.now, Only: only,
	})
}

func nodeName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}

// workers is how many executions may be under way at once, those that wait for the world included.
const workers = 64

// newPool starts worker processes of this same binary.
func newPool(logger *slog.Logger) *sandbox.Pool {
	return sandbox.NewPool(sandbox.PoolConfig{Bindings: tool.Bindings(), Size: workers, Logger: logger})
}
