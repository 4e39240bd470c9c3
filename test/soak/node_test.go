package soak_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
	"github.com/kintsugi-run/kintsugi/projections"
)

// clock is real time, moved ahead.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())) }

// to moves it to a time, unless that is past.
func (c *clock) to(at time.Time) {
	if left := at.Sub(c.now()); left > 0 {
		c.ahead.Add(int64(left))
	}
}

// node is one life of a server: what a kill takes away. It has all reactions of the program but those of models.
type node struct {
	t         testing.TB
	log       *mortal
	views     *readmodel.Store
	queries   *projections.Queries
	commands  *commands.Commands
	reactions []handlers.Reaction
	now       func() time.Time
	logger    *slog.Logger
}

var errKilled = errors.New("the process was killed")

// mortal is the log of a life that ends at an append: from then on nothing reaches it. Zero appends are no end.
type mortal struct {
	eventlog.Log
	left  atomic.Int64
	after bool // that append is stored, and the life does not hear of it
	dead  atomic.Bool
	die   context.CancelFunc
}

func (m *mortal) Append(ctx context.Context, stream string, expected eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	if m.dead.Load() {
		return eventlog.Appended{}, errKilled
	}
	if m.left.Add(-1) != 0 {
		return m.Log.Append(ctx, stream, expected, events)
	}
	if m.after {
		if _, err := m.Log.Append(context.WithoutCancel(ctx), stream, expected, events); err != nil {
			return eventlog.Appended{}, err
		}
	}
	m.dead.Store(true)
	m.die()
	return eventlog.Appended{}, errKilled
}

func open(t testing.TB, dir string, pool sandbox.Runner, now func() time.Time) *node {
	t.Helper()
	ctx := context.Background()
	codec := domain.NewCodec()
	file, err := sqlitelog.Open(ctx, filepath.Join(dir, "events.db"), sqlitelog.Options{})
	require.NoError(t, err)
	n := &node{t: t, log: &mortal{Log: file, die: func() {}}, now: now, logger: slog.New(slog.DiscardHandler)}
	n.views, err = readmodel.Open(ctx, readmodel.Config{Dir: filepath.Join(dir, "views"), Log: n.log, Projections: projections.All(codec)})
	require.NoError(t, err)
	n.queries = projections.NewQueries(n.views)
	n.commands = commands.New(commands.Config{Log: n.log, Codec: codec, Now: now, NewID: uuid.NewString, CheckScript: process.Check})
	n.reactions = []handlers.Reaction{
		execution.NewExecutor(execution.ExecutorConfig{
			Commands: n.commands, Sandbox: pool, Local: n, Now: now, Node: "soak", Alone: true, Logger: n.logger, Recordings: n,
			Mirror: func(string, hostcall.State, []string) error { return nil },
		}),
		execution.NewRetrier(n.commands, now),
		execution.NewScheduler(n.commands, now),
		execution.NewInputs(n.commands, now),
		maintenance.NewDeadline(n.commands),
		maintenance.NewMaintainer(maintenance.MaintainerConfig{
			Commands: n.commands, Sandbox: pool, Fixers: map[string]repair.Fixer{workflow.FixerTemplates: repair.Templates{Runner: pool}},
			Recordings: n, Logger: n.logger, Place: agents.Place{Node: "soak", Now: now, Alone: true},
		}),
	}
	return n
}

// settle does all that is due now; died says that the life ended meanwhile.
func (n *node) settle(ctx context.Context) (died bool) {
	n.t.Helper()
	ctx, n.log.die = context.WithCancel(ctx)
	defer n.log.die()
	err := loop.New(loop.Config{
		Log: n.log, Kinds: []loop.Kind{handlers.Workflows(n.commands, n.reactions...)}, Now: n.now, Logger: n.logger,
	}).Settle(ctx)
	if n.log.dead.Load() {
		return true
	}
	require.NoError(n.t, err)
	return false
}

func (n *node) close() {
	n.t.Helper()
	require.NoError(n.t, n.views.Close())
	require.NoError(n.t, n.log.Close())
}

// LocalState implements [rehearsal.LocalState].
func (n *node) LocalState(ctx context.Context, id string) (*hostcall.Memory, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return nil, err
	}
	local, err := n.queries.Local(ctx, id)
	if err != nil {
		return nil, err
	}
	memory := hostcall.NewMemory(local.KV, nil, 0)
	for path, file := range local.Files {
		memory.WriteFile(path, hostcall.File{Text: file.Text, ModifiedMS: file.ModifiedMS})
	}
	return memory, nil
}

// Successes implements [egress.Recordings].
func (n *node) Successes(ctx context.Context, id string, major int) ([]string, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return nil, err
	}
	runs, err := n.queries.Runs(ctx, projections.RunFilter{Workflow: id, Status: projections.RunSucceeded, Major: major})
	ids := make([]string, len(runs))
	for i, one := range runs {
		ids[i] = one.ID
	}
	return ids, err
}

// Hosts implements [egress.Recordings].
func (n *node) Hosts(ctx context.Context, id string, major int) ([]projections.ReachedHost, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return nil, err
	}
	return n.queries.Hosts(ctx, id, major)
}

func person() commands.Meta { return commands.Meta{CommandID: uuid.NewString(), Actor: "person:ann"} }

// create makes an active workflow, with a schedule unless it is started from outside.
func (n *node) create(name, code, host string, hooked bool, settings workflow.Settings) string {
	n.t.Helper()
	ctx, id := context.Background(), uuid.NewString()
	settings.AllowedHosts = []string{host}
	_, err := n.commands.CreateWorkflow(ctx, workflow.Create{ID: id, Title: name, Owner: "ann", Intent: "Do what " + name + " does"}, person())
	require.NoError(n.t, err)
	_, err = n.commands.ChangeSettings(ctx, id, workflow.ChangeSettings{Settings: settings}, person())
	require.NoError(n.t, err)
	_, err = n.commands.SaveScript(ctx, id, workflow.SaveScript{ScriptID: uuid.NewString(), Code: code, Comment: "first", Origin: workflow.OriginPerson}, person())
	require.NoError(n.t, err, name)
	_, err = n.commands.ActivateWorkflow(ctx, id, workflow.Activate{}, person())
	require.NoError(n.t, err)
	if !hooked {
		_, err = n.commands.ChangeSchedule(ctx, id, workflow.ChangeSchedule{Spec: "0 7 * * *", Zone: "UTC"}, person())
		require.NoError(n.t, err)
	}
	return id
}

func compact(value json.RawMessage) string {
	var parsed any
	if json.Unmarshal(value, &parsed) != nil {
		return string(value)
	}
	sorted, err := json.Marshal(parsed)
	if err != nil {
		return string(value)
	}
	return string(sorted)
}
