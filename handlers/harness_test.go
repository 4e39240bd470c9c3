package handlers_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/handlers"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
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
	"github.com/kintsugi-run/kintsugi/internal/script/inputschema"
	"github.com/kintsugi-run/kintsugi/projections"
)

func TestMain(m *testing.M) {
	if process.IsWorker() {
		process.WorkerMain(hostcall.Bindings())
		os.Exit(0)
	}
	if isMender() {
		menderMain()
		os.Exit(0)
	}
	time.Local = time.UTC // which a script sees
	goleak.VerifyTestMain(m)
}

// world is what survives a crash: the data directory, the outside, and the time.
type world struct {
	t       testing.TB
	dir     string
	outside *outside
	clock   *clock
	pool    sandbox.Runner
}

func newWorld(t testing.TB) *world {
	t.Helper()
	return &world{t: t, dir: t.TempDir(), outside: newOutside(t), clock: &clock{}, pool: process.InProcess{Bindings: hostcall.Bindings()}}
}

// inWorkers has scripts run in processes of their own, as they do outside of tests: for what only a
// process can bound, and where its start is part of the matter.
func (w *world) inWorkers() *world {
	w.t.Helper()
	pool := process.NewPool(process.PoolConfig{Bindings: hostcall.Bindings(), Size: 16, Logger: slog.New(slog.DiscardHandler)})
	w.t.Cleanup(func() { require.NoError(w.t, pool.Close()) })
	w.pool = pool
	return w
}

// clock is real time, moved ahead by a test.
type clock struct{ ahead atomic.Int64 }

func (c *clock) now() time.Time          { return time.Now().Add(time.Duration(c.ahead.Load())) }
func (c *clock) advance(d time.Duration) { c.ahead.Add(int64(d)) }

// node is one life of the process: what a crash takes away.
type node struct {
	*world
	log       eventlog.Log
	views     *readmodel.Store
	queries   *projections.Queries
	commands  *commands.Commands
	codec     *event.Registry
	fixers    map[string]repair.Fixer
	reactions []handlers.Reaction
	secrets   egress.Secrets // of the maintainer
	outsideIs egress.Outside // of a node beside others; nil is the real one
}

// open starts a life. wrap, if any, stands between the node and its log.
func (w *world) open(wrap func(eventlog.Log) eventlog.Log) *node {
	w.t.Helper()
	ctx := context.Background()
	codec := domain.NewCodec()
	opened, err := sqlitelog.Open(ctx, filepath.Join(w.dir, "events.db"), sqlitelog.Options{})
	require.NoError(w.t, err)
	n := &node{world: w, log: opened, codec: codec}
	if wrap != nil {
		n.log = wrap(opened)
	}
	n.views, err = readmodel.Open(ctx, readmodel.Config{Dir: filepath.Join(w.dir, "views"), Log: n.log, Projections: projections.All(codec)})
	require.NoError(w.t, err)
	n.queries = projections.NewQueries(n.views)
	n.commands = commands.New(commands.Config{
		Log: n.log, Codec: codec, Now: w.clock.now, NewID: uuid.NewString, CheckScript: process.Check, CheckInput: inputschema.Fits,
	})
	n.fixers = map[string]repair.Fixer{workflow.DefaultFixer: repair.Templates{Runner: w.pool}}
	logger := slog.New(slog.NewTextHandler(testWriter{w.t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	n.reactions = []handlers.Reaction{
		execution.NewExecutor(execution.ExecutorConfig{
			Commands: n.commands, Sandbox: w.pool, Local: n, Now: w.clock.now, Node: "test", Alone: true, Logger: logger, Recordings: n,
			Mirror: func(string, hostcall.State, []string) error { return nil },
		}),
		execution.NewRetrier(n.commands, w.clock.now),
		n.maintainer(),
	}
	return n
}

// maintainer works with the node's fixers, as they are when it looks.
func (n *node) maintainer() *maintenance.Maintainer {
	return maintenance.NewMaintainer(maintenance.MaintainerConfig{
		Commands: n.commands, Sandbox: n.pool, Fixers: n.fixers, Recordings: n, Secrets: n.secrets,
		Logger: slog.New(slog.NewTextHandler(testWriter{n.t}, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Place:  agents.Place{Node: "test", Alone: true, Now: n.clock.now},
	})
}

type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimSpace(string(p)))
	return len(p), nil
}

func (n *node) close() {
	n.t.Helper()
	require.NoError(n.t, n.views.Close())
	require.NoError(n.t, n.log.Close())
}

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

func (n *node) Successes(ctx context.Context, id string, major int) ([]string, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return nil, err
	}
	runs, err := n.queries.Runs(ctx, projections.RunFilter{Workflow: id, Status: projections.RunSucceeded, Major: major})
	var ids []string
	for _, one := range runs {
		ids = append(ids, one.ID)
	}
	return ids, err
}

func (n *node) Hosts(ctx context.Context, id string, major int) ([]projections.ReachedHost, error) {
	if err := n.views.CatchUp(ctx); err != nil {
		return nil, err
	}
	return n.queries.Hosts(ctx, id, major)
}

// settle does everything that is due now.
func (n *node) settle(ctx context.Context) error { return n.loop().Settle(ctx) }

func (n *node) loop() *loop.Loop {
	return loop.New(loop.Config{
		Log: n.log, Kinds: []loop.Kind{handlers.Workflows(n.commands, n.reactions...)}, Now: n.clock.now,
		Logger: slog.New(slog.NewTextHandler(testWriter{n.t}, &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
}

func person() commands.Meta { return commands.Meta{CommandID: uuid.NewString(), Actor: "person:ann"} }

// create makes an active workflow with this script, allowed to reach the outside.
func (n *node) create(code string, settings workflow.Settings) string {
	n.t.Helper()
	ctx, id := context.Background(), uuid.NewString()
	settings.AllowedHosts = append(settings.AllowedHosts, n.outside.host())
	_, err := n.commands.CreateWorkflow(ctx, workflow.Create{ID: id, Title: "Orders", Owner: "ann", Intent: "File orders"}, person())
	require.NoError(n.t, err)
	_, err = n.commands.ChangeSettings(ctx, id, workflow.ChangeSettings{Settings: settings}, person())
	require.NoError(n.t, err)
	_, err = n.commands.SaveScript(ctx, id, workflow.SaveScript{ScriptID: uuid.NewString(), Code: n.outside.local(code), Comment: "first", Origin: workflow.OriginPerson}, person())
	require.NoError(n.t, err)
	_, err = n.commands.ActivateWorkflow(ctx, id, workflow.Activate{}, person())
	require.NoError(n.t, err)
	return id
}

func (n *node) admit(id, input string) string {
	n.t.Helper()
	of := uuid.NewString()
	_, err := n.commands.AdmitRun(context.Background(), id, workflow.AdmitRun{Run: of, Trigger: workflow.TriggerManual, Repair: true, Input: json.RawMessage(input)}, person())
	require.NoError(n.t, err)
	return of
}

// runs admits a run for each input, one after the other.
func (n *node) runs(id string, inputs ...string) {
	n.t.Helper()
	for _, input := range inputs {
		n.admit(id, input)
		require.NoError(n.t, n.settle(n.t.Context()))
	}
}

// resolve says of every write in doubt that it happened, and how many there were.
func (n *node) resolve(id, how string) int {
	n.t.Helper()
	resolved := 0
	for _, info := range n.state(id).Admitted {
		recorded, err := n.commands.LoadRun(context.Background(), info.Run)
		require.NoError(n.t, err)
		for _, call := range recorded.InDoubt() {
			require.NoError(n.t, n.commands.ResolveEffect(context.Background(), info.Run, run.ResolveEffect{Seq: call.Seq, How: how}, person()))
			resolved++
		}
	}
	return resolved
}

func (n *node) state(id string) workflow.State {
	n.t.Helper()
	state, err := n.commands.LoadWorkflow(context.Background(), id)
	require.NoError(n.t, err)
	return state
}

// events are the type names on a workflow's stream, from the first of a type on.
func (n *node) events(id, from string) []string {
	n.t.Helper()
	var names []string
	for one, err := range n.commands.History(context.Background(), []string{workflow.Stream(id)}) {
		require.NoError(n.t, err)
		if name := one.Event.EventType(); len(names) > 0 || name == from {
			names = append(names, name)
		}
	}
	return names
}

// outside is a real server: reads answer what a test says, writes are counted.
type outside struct {
	server *httptest.Server

	mu      sync.Mutex
	answers map[string]string // by path
	status  map[string]int
	hits    map[string]int    // by method and path
	bodies  []string          // of writes
	keys    []string          // idempotency keys of writes
	before  func(path string) // called before an answer
}

func newOutside(t testing.TB) *outside {
	t.Helper()
	o := &outside{answers: map[string]string{}, status: map[string]int{}, hits: map[string]int{}}
	o.server = httptest.NewServer(o)
	t.Cleanup(o.server.Close)
	return o
}

func (o *outside) host() string { return strings.TrimPrefix(o.server.URL, "http://") }

// local puts the server's address in the place of BASE.
func (o *outside) local(code string) string { return strings.ReplaceAll(code, "BASE", o.server.URL) }

func (o *outside) answer(path string, status int, body string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.answers[path], o.status[path] = body, status
}

func (o *outside) count(call string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.hits[call]
}

func (o *outside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return
	}
	o.mu.Lock()
	o.hits[r.Method+" "+r.URL.Path]++
	if r.Method != http.MethodGet {
		o.bodies = append(o.bodies, string(body))
		o.keys = append(o.keys, r.Header.Get("Idempotency-Key"))
	}
	answer, status, before := o.answers[r.URL.Path], o.status[r.URL.Path], o.before
	o.mu.Unlock()
	if before != nil {
		before(r.URL.Path)
	}
	w.Header().Set("Content-Type", "application/json")
	if status == 0 {
		status, answer = http.StatusOK, "{}"
	}
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}
