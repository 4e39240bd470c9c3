package coding_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/commands"
	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/plan"
	"github.com/kintsugi-run/kintsugi/handlers/coding"
	"github.com/kintsugi-run/kintsugi/handlers/loop"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// childVariable holds what a process is told that is to be killed.
const childVariable = "KINTSUGI_CODING_CHILD"

func TestMain(m *testing.M) {
	if launch.IsSupervisor() {
		launch.SupervisorMain()
	}
	if text, is := os.LookupEnv(childVariable); is {
		child(text)
	}
	os.Exit(m.Run())
}

// order is what a child is told: where to work, and before which append it is to be killed.
type order struct {
	Data   string
	Append int // 0: none
}

func child(text string) {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		panic(err)
	}
	log, err := sqlitelog.Open(context.Background(), filepath.Join(o.Data, "events.db"), sqlitelog.Options{})
	if err == nil {
		err = settle(context.Background(), o.Data, &killer{Log: log, left: o.Append})
	}
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}

// killer kills its process with an append.
type killer struct {
	eventlog.Log
	left int
}

func (k *killer) Append(ctx context.Context, stream string, at eventlog.Expected, events []eventlog.Event) (eventlog.Appended, error) {
	k.left--
	if k.left == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return k.Log.Append(ctx, stream, at, events)
}

func commandsOn(log eventlog.Log) *commands.Commands {
	return commands.New(commands.Config{Log: log, Codec: domain.NewCodec(), Now: time.Now, NewID: uuid.NewString, CheckScript: func(string) error { return nil }})
}

// secretValue is the value of the secret "key", which is the only one.
const secretValue = "sesame-open-4711"

func workerOn(data string, c *commands.Commands) (*coding.Worker, error) {
	return workerAt(data, c, time.Now)
}

func workerAt(data string, c *commands.Commands, now func() time.Time) (*coding.Worker, error) {
	launcher, err := launch.New()
	if err != nil {
		return nil, err
	}
	return coding.New(coding.Config{
		Commands: c, Launcher: launcher, Places: filepath.Join(data, "plans"), Now: now, Logger: slog.New(slog.DiscardHandler),
		Secrets: func(_, name, _ string) (string, bool, error) { return secretValue, name == "key", nil },
	}), nil
}

// settle works on the plan until nothing of it is due without a person.
func settle(ctx context.Context, data string, log eventlog.Log) error {
	c := commandsOn(log)
	worker, err := workerOn(data, c)
	if err != nil {
		return err
	}
	works := loop.New(loop.Config{Log: log, Kinds: []loop.Kind{coding.Plans(c, worker)}})
	for {
		if err := works.Settle(ctx); err != nil || ctx.Err() != nil {
			return err
		}
		state, err := c.LoadPlan(ctx, "p1")
		if err != nil || len(state.Due()) == 0 {
			return err
		}
	}
}

// world is a person's repository, with agents that are scripts.
type world struct {
	t       testing.TB
	dir     string // the repository
	data    string
	scripts string
	base    string
	log     *sqlitelog.Log
	*commands.Commands
}

func setup(t testing.TB) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &world{t: t, dir: filepath.Join(root, "shop"), data: filepath.Join(root, "data"), scripts: filepath.Join(root, "scripts")}
	for _, dir := range []string{w.dir, w.data, w.scripts} {
		require.NoError(t, os.MkdirAll(dir, 0o700))
	}
	w.git("init", "-q", "-b", "main")
	w.write("README.md", "shop\n")
	w.git("add", "-A")
	w.git("commit", "-qm", "first")
	w.base = w.git("rev-parse", "HEAD")
	w.log, err = sqlitelog.Open(t.Context(), filepath.Join(w.data, "events.db"), sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.log.Close()) })
	w.Commands = commandsOn(w.log)
	return w
}

// git is the person's own.
func (w *world) git(args ...string) string {
	w.t.Helper()
	program := exec.Command("git", append([]string{"-c", "user.name=P", "-c", "user.email=p@example.com"}, args...)...)
	program.Dir, program.Env = w.dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + w.data, "GIT_CONFIG_NOSYSTEM=1"}
	out, err := program.CombinedOutput()
	require.NoError(w.t, err, "git %v: %s", args, out)
	return strings.TrimSpace(string(out))
}

func (w *world) write(path, content string) {
	w.t.Helper()
	path = filepath.Join(w.dir, path)
	require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(w.t, os.WriteFile(path, []byte(content), 0o600))
}

// job is one whose agent is a script.
func (w *world) job(id, script string, change ...func(*plan.Job)) plan.Job {
	w.t.Helper()
	path := filepath.Join(w.scripts, id)
	require.NoError(w.t, os.WriteFile(path, []byte(script), 0o600))
	job := plan.Job{ID: id, Task: "do " + id, Agent: plan.Program{"/bin/sh", "-e", path}, Touch: []string{id + "/**"}}
	for _, one := range change {
		one(&job)
	}
	return job
}

// start begins the plan p1.
func (w *world) start(definition plan.Definition) {
	w.t.Helper()
	definition.Title, definition.Repository, definition.Base, definition.Integration = "shop", w.dir, "main", "agents"
	place := filepath.Join(w.data, "plans", "p1")
	require.NoError(w.t, os.MkdirAll(place, 0o700))
	w.git("branch", "agents", w.base)
	w.on(plan.Start{ID: "p1", Definition: definition, BaseCommit: w.base, IntegrationCommit: w.base, Place: place})
}

func person() commands.Meta { return commands.Meta{CommandID: uuid.NewString(), Actor: "person:ann"} }

// on is what a person does.
func (w *world) on(c plan.Command) {
	w.t.Helper()
	_, err := w.OnPlan(w.t.Context(), "p1", c, person())
	require.NoError(w.t, err)
}

func (w *world) state() plan.State {
	w.t.Helper()
	state, err := w.LoadPlan(w.t.Context(), "p1")
	require.NoError(w.t, err)
	return state
}

// settle works on the plan in this process.
func (w *world) settle() plan.State {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	require.NoError(w.t, settle(ctx, w.data, w.log))
	require.NoError(w.t, ctx.Err(), "the plan does not come to rest")
	return w.state()
}

// killed works on the plan in a process that is killed with an append, or with a call of git; false if it came to its end before.
func (w *world) killed(append, git int) bool {
	w.t.Helper()
	path := os.Getenv("PATH")
	if git > 0 {
		real, err := exec.LookPath("git")
		require.NoError(w.t, err)
		bin, count := filepath.Join(w.data, "bin"), filepath.Join(w.data, "calls")
		require.NoError(w.t, os.MkdirAll(bin, 0o700))
		script := fmt.Sprintf("#!/bin/sh\necho x >> %s\n[ $(wc -l < %[1]s) -ne %d ] || kill -9 $PPID\nexec %s \"$@\"\n", count, git, real)
		require.NoError(w.t, os.WriteFile(filepath.Join(bin, "git"), []byte(script), 0o700))
		path = bin + ":" + path
	}
	text, err := json.Marshal(order{Data: w.data, Append: append})
	require.NoError(w.t, err)
	process := exec.CommandContext(w.t.Context(), os.Args[0])
	process.Env = []string{childVariable + "=" + string(text), "PATH=" + path, "HOME=" + w.data, "TMPDIR=" + w.t.TempDir()}
	process.Stderr = os.Stderr
	if err = process.Run(); err == nil {
		return false
	}
	status := process.ProcessState.Sys().(syscall.WaitStatus)
	require.True(w.t, status.Signaled() && status.Signal() == syscall.SIGKILL, "%v", err)
	return true
}

// events are the types of the plan's events, in order, each of which can have happened.
func (w *world) events() []string {
	w.t.Helper()
	var types []string
	audit := commands.NewAudit(domain.NewCodec())
	for record, err := range w.log.Stream(w.t.Context(), plan.Stream("p1"), 0) {
		require.NoError(w.t, err)
		require.NoError(w.t, audit.Check(record))
		types = append(types, record.Type)
	}
	return types
}
