package handlers_test

import (
	"context"
	"crypto/x509"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/failure"
	"github.com/kintsugi-run/kintsugi/domain/run"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers"
	"github.com/kintsugi-run/kintsugi/handlers/agents"
	"github.com/kintsugi-run/kintsugi/handlers/egress"
	"github.com/kintsugi-run/kintsugi/handlers/execution"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/repair"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/hostcall"
)

const oneWrite = `async function main() { const a = await web.getJSON("BASE/a"); await web.postJSON("BASE/write", {}); return (await web.getJSON("BASE/b")) && "done"; }`

// beside makes this node one of several.
func (n *node) beside(name string, lease time.Duration) *node {
	n.reactions[0] = execution.NewExecutor(execution.ExecutorConfig{
		Commands: n.commands, Sandbox: n.pool, Local: n, Now: n.clock.now, Node: name, Lease: lease, Recordings: n,
		Logger: slog.New(slog.NewTextHandler(testWriter{n.t}, nil)),
		Mirror: func(string, hostcall.State, []string) error { return nil }, Outside: n.outsideIs,
	})
	return n
}

func (n *node) run(id string) run.State {
	n.t.Helper()
	state, err := n.commands.LoadRun(context.Background(), id)
	require.NoError(n.t, err)
	return state
}

// A run whose node is silent is left alone until its lease lapses, and then gone on with elsewhere.
// The node that wakes up late can write nothing more, and sends nothing more.
func TestALapsedLeaseIsTakenOverAndTheLateNodeIsFenced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.open(nil).beside("first", time.Hour) // its heartbeat comes too late
	id := first.create(oneWrite, workflow.Settings{})
	of := first.admit(id, `{}`)

	reached, wake := make(chan struct{}), make(chan struct{})
	var asked atomic.Int32
	w.outside.before = func(path string) {
		if path == "/a" && asked.Add(1) == 1 {
			close(reached)
			<-wake
		}
	}
	slept := make(chan error, 1)
	go func() { slept <- first.settle(t.Context()) }()
	<-reached

	second := w.open(nil).beside("second", time.Hour)
	require.NoError(t, second.settle(t.Context()))
	require.Equal(t, "first", second.run(of).Node, "its lease has not lapsed")
	w.clock.advance(2 * time.Hour)
	require.NoError(t, second.settle(t.Context()))
	require.True(t, second.run(of).Ended)
	require.Equal(t, "second", second.run(of).Node)
	require.Equal(t, 1, w.outside.count("POST /write"))

	close(wake)
	require.NoError(t, <-slept)
	require.Equal(t, 1, w.outside.count("POST /write"), "the late node sent its write")
	require.Equal(t, workflow.StatusActive, first.state(id).Status)
	require.Empty(t, first.state(id).Admitted)
	second.close()
	first.close()
}

// held is a listener whose first connection says nothing before it is let go: its client is still
// connecting, in the TLS handshake.
type held struct {
	net.Listener
	reached, release chan struct{}
	once             sync.Once
}

func (h *held) Accept() (net.Conn, error) {
	conn, err := h.Listener.Accept()
	if err == nil {
		h.once.Do(func() {
			close(h.reached)
			<-h.release
		})
	}
	return conn, err
}

// A node that is frozen while it connects, past its lease and until another one has declared its write in
// doubt, sends nothing over the connection that it then gets.
func TestTheLeaseIsCheckedWhenTheConnectionIsThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var written atomic.Int32
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		written.Add(1)
		_, _ = io.WriteString(w, "{}")
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	hold := &held{Listener: server.Listener, reached: make(chan struct{}), release: make(chan struct{})}
	server.Listener = hold
	server.StartTLS()
	t.Cleanup(server.Close)
	trusting := func(env *hostcall.Env) egress.Live {
		env.RootCAs = x509.NewCertPool()
		env.RootCAs.AddCert(server.Certificate())
		return hostcall.NewHost(env)
	}
	node := func(name string) *node {
		n := w.open(nil)
		n.outsideIs = trusting
		return n.beside(name, time.Hour)
	}
	first := node("first")
	defer first.close()
	id := first.create(`async function main() { await web.postJSON("`+server.URL+`/write", {}); }`,
		workflow.Settings{AllowedHosts: []string{strings.TrimPrefix(server.URL, "https://")}})
	of := first.admit(id, `{}`)
	frozen := make(chan error, 1)
	go func() { frozen <- first.settle(t.Context()) }()
	<-hold.reached
	w.clock.advance(2 * time.Hour)
	second := node("second")
	defer second.close()
	require.NoError(t, second.settle(t.Context()))
	require.Len(t, second.run(of).InDoubt(), 1)

	close(hold.release)
	require.NoError(t, <-frozen)
	require.Zero(t, written.Load(), "the late node sent its write")
	require.Len(t, second.run(of).InDoubt(), 1)
	w.clock.advance(time.Hour)
	require.Equal(t, 1, second.resolve(id, run.ResolvedDidNot))
	require.NoError(t, second.settle(t.Context()))
	require.True(t, second.run(of).Ended)
	require.EqualValues(t, 1, written.Load())
}

// A node that was paused past its lease does not send a write, even if nobody took the run over.
func TestTheLeaseIsCheckedBeforeAWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil).beside("one", time.Hour)
	defer n.close()
	id := n.create(oneWrite, workflow.Settings{})
	of := n.admit(id, `{}`)
	w.outside.before = func(path string) {
		if path == "/a" && w.outside.count("GET /a") == 1 {
			w.clock.advance(2 * time.Hour)
		}
	}
	require.NoError(t, n.settle(t.Context()))
	// It goes on by extending its own lease, before the write and not after.
	recorded := n.run(of)
	require.True(t, recorded.Ended)
	require.Equal(t, 1, w.outside.count("POST /write"))
	require.True(t, recorded.LeaseUntil.After(w.clock.now().Add(30*time.Minute)))
}

// A node that ends gives its runs away: another one goes on at once.
func TestShutdownHandsRunsOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.open(nil).beside("first", time.Hour)
	id := first.create(oneWrite, workflow.Settings{})
	of := first.admit(id, `{}`)
	ctx, cut := context.WithCancel(t.Context())
	ended, end := context.WithCancel(t.Context())
	defer end()
	var asked atomic.Int32
	w.outside.before = func(path string) {
		if path == "/b" && asked.Add(1) == 1 {
			cut()
			<-ended.Done() // else the answer may still be journaled
		}
	}
	require.NoError(t, first.settle(ctx))
	end()
	first.close()
	second := w.open(nil).beside("second", time.Hour)
	defer second.close()
	require.NoError(t, second.settle(t.Context()))
	require.Equal(t, "second", second.run(of).Node)
	require.True(t, second.run(of).Ended)
	require.Equal(t, 1, w.outside.count("POST /write"), "what was done is not done again")
}

// The heartbeat keeps a long run: nobody else takes it.
func TestHeartbeatKeepsALongRun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.open(nil).beside("first", 300*time.Millisecond)
	id := first.create(oneWrite, workflow.Settings{})
	of := first.admit(id, `{}`)
	wake := make(chan struct{})
	var asked atomic.Int32
	w.outside.before = func(path string) {
		if path == "/a" && asked.Add(1) == 1 {
			<-wake
		}
	}
	done := make(chan error, 1)
	go func() { done <- first.settle(t.Context()) }()
	var began time.Time
	require.Eventually(t, func() bool {
		recorded, err := first.commands.LoadRun(t.Context(), of)
		if err != nil {
			return false
		}
		if began.IsZero() {
			began = recorded.LeaseUntil
		}
		return recorded.LeaseUntil.Sub(began) > 300*time.Millisecond
	}, time.Minute, 10*time.Millisecond, "three heartbeats")
	close(wake)
	require.NoError(t, <-done)
	require.Equal(t, "first", first.run(of).Node)
	require.Empty(t, first.state(id).Admitted)
	first.close()
}

// A write that went out and was not answered stops its run. A person's answer about it lets the run go on.
func TestAWriteInDoubtWaitsForAPerson(t *testing.T) {
	t.Parallel()
	for how, want := range map[string]int{run.ResolvedHappened: 1, run.ResolvedSkip: 1, run.ResolvedDidNot: 2} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			n := w.open(nil)
			defer n.close()
			id := n.create(oneWrite, workflow.Settings{})
			of := n.admit(id, `{}`)
			w.dropFirst("/write")
			require.NoError(t, n.settle(t.Context()))
			require.Len(t, n.run(of).InDoubt(), 1)
			require.False(t, n.run(of).Ended)
			require.NoError(t, n.settle(t.Context()), "it waits, and nothing is tried")
			require.Equal(t, 1, w.outside.count("POST /write"))

			require.Equal(t, 1, n.resolve(id, how))
			require.NoError(t, n.settle(t.Context()))
			require.JSONEq(t, `"done"`, string(n.run(of).Output))
			require.Equal(t, want, w.outside.count("POST /write"))
			require.Equal(t, 1, w.outside.count("GET /a"), "what was read is not read again")
			if how == run.ResolvedDidNot {
				require.Equal(t, w.outside.keys[0], w.outside.keys[1], "sent again with the same key")
			}
		})
	}
}

// The loop goes on with a run in doubt as soon as a person has spoken.
func TestTheLoopHearsOfAResolvedDoubt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil)
	defer n.close()
	id := n.create(oneWrite, workflow.Settings{})
	of := n.admit(id, `{}`)
	w.dropFirst("/write")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.loop().Run(ctx) }()
	require.Eventually(t, func() bool {
		recorded, err := n.commands.LoadRun(t.Context(), of)
		return err == nil && len(recorded.InDoubt()) == 1
	}, time.Minute, 5*time.Millisecond)
	require.Equal(t, 1, n.resolve(id, run.ResolvedHappened))
	require.Eventually(t, func() bool { return n.run(of).Ended }, time.Minute, 5*time.Millisecond)
	stop()
	require.NoError(t, <-ended)
}

// A host that tells a repeat by its key is sent the write again, with that key.
func TestAnIdempotentHostIsSentTheWriteAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	n := w.open(nil)
	defer n.close()
	id := n.create(oneWrite, workflow.Settings{IdempotentHosts: []string{w.outside.host()}})
	n.admit(id, `{}`)
	w.dropFirst("/write")
	require.NoError(t, n.settle(t.Context()))
	w.clock.advance(time.Hour) // an unanswered request is a network error, and tried again
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, 2, w.outside.count("POST /write"))
	require.Equal(t, w.outside.keys[0], w.outside.keys[1])
	require.Empty(t, n.state(id).Admitted)
	require.Zero(t, n.state(id).Failing)
}

// dropFirst lets the first request to a path come in, and cuts the connection instead of answering.
func (w *world) dropFirst(path string) {
	var dropped atomic.Bool
	w.outside.before = func(asked string) {
		if asked == path && dropped.CompareAndSwap(false, true) {
			panic(http.ErrAbortHandler)
		}
	}
}

const asking = `async function main() {
	await web.postJSON("BASE/write", {});
	let size;
	try { size = await ask("Which size?", { options: ["S", "M"], timeoutMs: 3600000 DEFAULT }); } catch (e) { size = e.name; }
	await web.postJSON("BASE/after", { size });
	return size;
}`

// A question stops the run without a process; the answer, or the time that has passed, has it go on, in another life
// too. Calls that it made before are not made again.
func TestAQuestionWaitsForItsAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		def    string
		answer string
		want   string
	}{
		"answered":           {", default: \"S\"", "M", `"M"`},
		"timed out":          {", default: \"S\"", "", `"S"`},
		"without a default":  {"", "", `"LogicError"`},
		"answered too late?": {"", "M", `"M"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			n := w.open(nil)
			id := n.create(strings.Replace(asking, "DEFAULT", c.def, 1), workflow.Settings{})
			of := n.admit(id, `{}`)
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, "Which size?", n.run(of).Awaiting().Question.Text)
			n.close()

			n = w.open(nil)
			defer n.close()
			w.clock.advance(59 * time.Minute)
			require.NoError(t, n.settle(t.Context()))
			require.NotNil(t, n.run(of).Awaiting(), "nobody has answered, and there is time")
			if c.answer == "" {
				w.clock.advance(2 * time.Minute)
			} else {
				err := n.commands.GiveAnswer(t.Context(), of, run.GiveAnswer{Answer: "XL"}, person())
				require.ErrorContains(t, err, `"XL" is none of the answers`)
				require.NoError(t, n.commands.GiveAnswer(t.Context(), of, run.GiveAnswer{Answer: c.answer}, person()))
			}
			require.NoError(t, n.settle(t.Context()))
			require.True(t, n.run(of).Ended)
			require.JSONEq(t, c.want, string(n.run(of).Output))
			require.Equal(t, 1, w.outside.count("POST /write"))
			require.Equal(t, 1, w.outside.count("POST /after"))
			require.Error(t, n.commands.GiveAnswer(t.Context(), of, run.GiveAnswer{Answer: "S"}, person()))
		})
	}
}

// A malformed question is the script's fault, and nobody is asked.
func TestAWrongQuestionIsTheScripts(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.create(`async function main() { return ask(5); }`, workflow.Settings{AutoFix: workflow.ModeOff})
	of := n.admit(id, `{}`)
	require.NoError(t, n.settle(t.Context()))
	require.Equal(t, failure.Logic, n.run(of).Failure.Class)
}

// heldBack is a fixer that finds what another one finds, or nothing, and only then lets go.
type heldBack struct {
	repair.Fixer
	began, goOn chan struct{}
	nothing     bool
}

func (h heldBack) Propose(ctx context.Context, evidence repair.Evidence, judge repair.Judge) (why string, err error) {
	if !h.nothing {
		why, err = h.Fixer.Propose(ctx, evidence, judge)
	}
	close(h.began)
	<-h.goOn
	return why, err
}

// A maintainer that was paused for longer than its lease has lost its task: the node that went on with it decides, and what
// the first one found, or did not find, is not recorded.
func TestAMaintainerThatLostItsTaskDecidesNothing(t *testing.T) {
	t.Parallel()
	for name, nothing := range map[string]bool{"it found nothing": true, "it found a fix": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := newWorld(t).open(nil)
			defer n.close()
			id := n.create(orders, workflow.Settings{})
			n.succeed(id)
			n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
			others := n.reactions[:2]
			n.reactions = others
			n.runs(id, `{"day":"2026-03-09"}`)
			on := func(node string, fixer repair.Fixer) handlers.Reaction {
				return maintenance.NewMaintainer(maintenance.MaintainerConfig{
					Commands: n.commands, Sandbox: n.pool, Fixers: map[string]repair.Fixer{workflow.FixerTemplates: fixer}, Recordings: n,
					Logger: slog.New(slog.DiscardHandler), Place: agents.Place{Node: node, Lease: time.Minute, Now: n.clock.now},
				})
			}
			templates := n.fixers[workflow.DefaultFixer]
			late := heldBack{templates, make(chan struct{}), make(chan struct{}), nothing}
			first := make(chan error)
			n.reactions = []handlers.Reaction{on("first", late)}
			paused := n.loop()
			go func() { first <- paused.Run(t.Context()) }()
			<-late.began
			n.clock.advance(2 * time.Minute)
			other := heldBack{templates, make(chan struct{}), make(chan struct{}), false}
			n.reactions = append(slices.Clone(others), on("second", other))
			second := make(chan error)
			go func() { second <- n.settle(t.Context()) }()
			<-other.began
			close(late.goOn)
			paused.Drain()
			require.NoError(t, <-first)
			require.Equal(t, workflow.TypeMaintenanceEntered, last(n.events(id, workflow.TypeRunFailed)), "the second node is at it")
			close(other.goOn)
			require.NoError(t, <-second)
			require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
		})
	}
}
