package healer_test

import (
	"bytes"
	"context"
	"encoding/json"
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
	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/session"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/healer"
	"github.com/kintsugi-run/kintsugi/internal/agent/atif"
	"github.com/kintsugi-run/kintsugi/internal/agent/atif/atiftest"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// childVariable holds what a process is told that is to be killed.
const childVariable = "KINTSUGI_HEALER_CHILD"

func TestMain(m *testing.M) {
	if launch.IsSupervisor() {
		launch.SupervisorMain()
	}
	if order, is := os.LookupEnv(childVariable); is {
		child(order)
	}
	os.Exit(m.Run())
}

// order is what a child is told: where to heal, and before which append it is to be killed.
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
	if err != nil {
		panic(err)
	}
	config, err := configure(o.Data, &killer{Log: log, left: o.Append})
	if err == nil {
		err = healer.New(config).Run(context.Background(), "s1")
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

func configure(data string, log eventlog.Log) (healer.Config, error) {
	launcher, err := launch.New()
	return healer.Config{
		Commands: commands.New(commands.Config{
			Log: log, Codec: domain.NewCodec(), Now: time.Now, NewID: uuid.NewString, CheckScript: func(string) error { return nil },
		}),
		Launcher: launcher, Dir: data, Host: "here", Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Place: agents.Place{Node: "n", Alone: true, Now: time.Now},
	}, err
}

// world is a person's repository with one commit, in which an agent works, and a healer.
type world struct {
	t      *testing.T
	dir    string // the repository
	data   string
	agent  string // a program, which the policy launches
	base   string
	log    *sqlitelog.Log
	config healer.Config
	healer *healer.Healer
	policy session.Policy
}

// tests is the check of these repositories: it passes once price.txt says 4.
var tests = session.Check{Name: "tests", Command: `grep -qx 4 price.txt || { echo "price.txt:1: want 4, got $(cat price.txt)"; exit 1; }`}

func setup(t *testing.T, change ...func(*session.Policy)) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	w := &world{t: t, dir: filepath.Join(root, "shop"), data: filepath.Join(root, "data"), agent: filepath.Join(root, "agent.sh")}
	require.NoError(t, os.MkdirAll(w.data, 0o700))
	require.NoError(t, os.Mkdir(w.dir, 0o700))
	w.git("init", "-q", "-b", "main")
	w.write("price.txt", "3\n")
	w.write("other.txt", "other\n")
	w.write(".gitignore", "build/\n")
	w.git("add", "-A")
	w.git("commit", "-qm", "first")
	w.base = w.git("rev-parse", "HEAD")
	w.policy = session.DefaultPolicy()
	w.policy.Agent.Command = []string{"sh", w.agent}
	w.policy.TimeoutSeconds, w.policy.Clean = 60, true
	for _, one := range change {
		one(&w.policy)
	}
	w.doing("cat > /dev/null")
	w.log, err = sqlitelog.Open(t.Context(), filepath.Join(w.data, "events.db"), sqlitelog.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, w.log.Close()) })
	w.config, err = configure(w.data, w.log)
	require.NoError(t, err)
	w.healer = healer.New(w.config)
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
	require.NoError(w.t, os.MkdirAll(filepath.Dir(filepath.Join(w.dir, path)), 0o700))
	require.NoError(w.t, os.WriteFile(filepath.Join(w.dir, path), []byte(content), 0o600))
}

func (w *world) read(path string) string {
	w.t.Helper()
	text, err := os.ReadFile(filepath.Join(w.dir, path))
	require.NoError(w.t, err)
	return string(text)
}

// doing is what the agent does.
func (w *world) doing(script string) {
	w.t.Helper()
	require.NoError(w.t, os.WriteFile(w.agent, []byte(script+"\n"), 0o700))
}

func (w *world) state() session.State {
	w.t.Helper()
	state, err := w.config.Commands.LoadSession(w.t.Context(), "s1")
	require.NoError(w.t, err)
	return state
}

func person() commands.Meta { return commands.Meta{CommandID: uuid.NewString(), Actor: "person:ann"} }

// invoke calls the healer for the tests; false if nothing failed.
func (w *world) invoke(call healer.Call) bool {
	w.t.Helper()
	_, err := w.healer.Open(w.t.Context(), healer.Opening{ID: "s1", Dir: w.dir, Policy: w.policy}, person())
	require.NoError(w.t, err)
	if call.Trigger == "" {
		call.Trigger, call.Subtask = session.VerificationFailed, "prices"
	}
	if call.Check == (session.Check{}) {
		call.Check = tests
	}
	_, failed, err := w.healer.Invoke(w.t.Context(), "s1", call, person())
	require.NoError(w.t, err)
	return failed
}

// heal calls the healer and sees the healing to its end.
func (w *world) heal(call healer.Call) session.Healing {
	w.t.Helper()
	require.True(w.t, w.invoke(call))
	require.NoError(w.t, w.healer.Run(w.t.Context(), "s1"))
	return w.last()
}

func (w *world) last() session.Healing {
	w.t.Helper()
	state := w.state()
	healing := state.Healings[len(state.Healings)-1]
	require.NotNil(w.t, healing.Ended, "the healing has not ended")
	return healing
}

// report is a healing as it was written for others, which is valid in their format.
func (w *world) report(healing int) atif.Trajectory {
	w.t.Helper()
	text, err := os.ReadFile(w.healer.ReportPath("s1", healing))
	require.NoError(w.t, err)
	require.Empty(w.t, atiftest.Faults(text))
	report, err := atif.Read(bytes.NewReader(text))
	require.NoError(w.t, err)
	return report
}

// cast is what became of a spell, the last time that it was cast.
func cast(t *testing.T, healing session.Healing, spell session.Spell) session.SpellApplied {
	t.Helper()
	for i := len(healing.Casts) - 1; i >= 0; i-- {
		if healing.Casts[i].Spell == spell {
			return *healing.Casts[i].Ended
		}
	}
	t.Fatalf("%s was not cast", spell)
	return session.SpellApplied{}
}

// ref is the only reference of a kind that a spell keeps.
func ref(t *testing.T, applied session.SpellApplied, kind string) string {
	t.Helper()
	for _, kept := range applied.Kept {
		if strings.Contains(kept.Ref, "-"+kind+"-") {
			return kept.Ref
		}
	}
	t.Fatalf("%s keeps no %s: %v", applied.Spell, kind, applied.Kept)
	return ""
}

// events are the types of the session's events, in order.
func (w *world) events() []string {
	w.t.Helper()
	var types []string
	audit := commands.NewAudit(domain.NewCodec())
	for record, err := range w.log.Stream(w.t.Context(), session.Stream("s1"), 0) {
		require.NoError(w.t, err)
		require.NoError(w.t, audit.Check(record))
		types = append(types, record.Type)
	}
	return types
}

var _ event.Event = session.HealerInvoked{}
