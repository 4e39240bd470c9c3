package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/commands/sample"
	"github.com/kintsugi-run/kintsugi/internal/coding/launch"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// asCommand has the test binary be kintsugi: a real process.
const asCommand = "KINTSUGI_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if process.IsWorker() || launch.IsSupervisor() || os.Getenv(asCommand) != "" {
		main()
		return
	}
	time.Local = time.UTC
	goleak.VerifyTestMain(ownConfig{m})
}

// ownConfig keeps the tests out of the configuration of the person who runs them.
type ownConfig struct{ tests *testing.M }

// Run implements [goleak.TestingM].
func (o ownConfig) Run() int {
	config, err := os.MkdirTemp("", "kintsugi-config-")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(config) }()
	for name, value := range map[string]string{"XDG_CONFIG_HOME": config, "HOME": config, "KINTSUGI_LISTEN": ""} { // tests of the API choose a port
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	return o.tests.Run()
}

// patience is how long a test waits for something that takes a moment; test/agents has more of it.
var patience = 3 * time.Minute

// home is a data directory and the outside that its scripts reach.
type home struct {
	t       testing.TB
	dir     string
	outside *outside
	store   string // empty for the data directory
}

func newHome(t testing.TB) *home {
	t.Helper()
	return &home{t: t, dir: filepath.Join(t.TempDir(), "data"), outside: newOutside(t)}
}

// result is what a command line came to.
type result struct {
	code     int
	out, err string
}

// command is a command line in a process of its own.
func (h *home) command(args ...string) *exec.Cmd {
	h.t.Helper()
	self, err := os.Executable()
	require.NoError(h.t, err)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	h.t.Cleanup(cancel)
	command := exec.CommandContext(ctx, self, args...)
	command.Env = append(os.Environ(), asCommand+"=1", "KINTSUGI_DATA_DIR="+h.dir, "KINTSUGI_STORE="+h.store, "TZ=UTC")
	command.Dir = h.t.TempDir()
	command.WaitDelay = patience
	return command
}

// run carries out a command line in this process: all but main, which the tests that
// need a process of its own go through.
func (h *home) run(args ...string) result {
	h.t.Helper()
	return h.runWith("", args...)
}

// runWith gives the command something on standard input.
func (h *home) runWith(in string, args ...string) result {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var out, errs bytes.Buffer
	code := execute(ctx, append([]string{"--data-dir", h.dir, "--store", h.store}, args...), strings.NewReader(in), &out, &errs)
	return result{code: code, out: out.String(), err: errs.String()}
}

// ok runs a command that has to succeed, and gives what it printed.
func (h *home) ok(args ...string) string {
	h.t.Helper()
	return h.ends(terminal.ExitOK, args...).out
}

// ends runs a command that has to end with an exit code.
func (h *home) ends(code int, args ...string) result {
	h.t.Helper()
	r := h.run(args...)
	require.Equal(h.t, code, r.code, "kintsugi %v\nstdout: %s\nstderr: %s", args, r.out, r.err)
	return r
}

// object runs a command with -o json and reads what it printed.
func (h *home) object(args ...string) map[string]any {
	h.t.Helper()
	return decodeAs[map[string]any](h.t, h.ok(append(args, "-o", "json")...))
}

// objects is [home.object] for a list.
func (h *home) objects(args ...string) []map[string]any {
	h.t.Helper()
	return decodeAs[[]map[string]any](h.t, h.ok(append(args, "-o", "json")...))
}

func decodeAs[T any](t testing.TB, text string) T {
	t.Helper()
	var value T
	require.NoError(t, json.Unmarshal([]byte(text), &value), text)
	return value
}

// file writes a file for a command to read.
func (h *home) file(name, content string) string {
	h.t.Helper()
	path := filepath.Join(h.t.TempDir(), name)
	require.NoError(h.t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// fill makes a data directory, or log, with events that are made up.
func (h *home) fill(config sample.Config) {
	h.t.Helper()
	address, err := app.ParseStore(h.store, h.dir)
	require.NoError(h.t, err)
	require.NoError(h.t, os.MkdirAll(h.dir, 0o700))
	log, err := app.OpenLog(h.t.Context(), address, patience, slog.New(slog.DiscardHandler))
	require.NoError(h.t, err)
	defer func() { require.NoError(h.t, log.Close()) }()
	_, err = sample.Write(h.t.Context(), log, config)
	require.NoError(h.t, err)
}

// create makes an active workflow with a script that may reach the outside.
func (h *home) create(title, code string) {
	h.t.Helper()
	h.ok("workflow", "create", title, "--script", h.file("script.js", h.outside.local(code)), "--allow-host", h.outside.host())
}

// runningCommand is a command that is running.
type runningCommand struct {
	t       testing.TB
	command *exec.Cmd
	out     *lockedBuffer
	err     *lockedBuffer
	ended   chan struct{}
}

// start starts a command in a process group of its own, as a shell does.
func (h *home) start(args ...string) *runningCommand {
	h.t.Helper()
	return h.started(h.command(args...))
}

func (h *home) started(command *exec.Cmd) *runningCommand {
	h.t.Helper()
	p := &runningCommand{t: h.t, command: command, out: &lockedBuffer{}, err: &lockedBuffer{}, ended: make(chan struct{})}
	p.command.Stdout, p.command.Stderr = p.out, p.err
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	require.NoError(h.t, p.command.Start())
	go func() {
		_ = p.command.Wait() // how it ended is in ProcessState
		close(p.ended)
	}()
	h.t.Cleanup(func() {
		_ = p.command.Process.Kill() // it may be gone
		<-p.ended
		if h.t.Failed() {
			h.t.Logf("kintsugi %v said:\n%s", p.command.Args[1:], p.err.String())
		}
	})
	return p
}

// dev starts the server and waits until it serves.
func (h *home) dev(args ...string) *runningCommand {
	h.t.Helper()
	p := h.start(append([]string{"dev"}, args...)...)
	p.says("Stop with Ctrl-C")
	return p
}

// says waits for a text on standard error.
func (p *runningCommand) says(text string) {
	p.t.Helper()
	require.Eventually(p.t, func() bool { return strings.Contains(p.err.String(), text) }, patience, 5*time.Millisecond,
		"waiting for %q", text)
}

// interrupt is Ctrl-C at the terminal: the signal goes to the whole process group.
func (p *runningCommand) interrupt() {
	p.t.Helper()
	require.NoError(p.t, syscall.Kill(-p.command.Process.Pid, syscall.SIGINT))
}

// wait waits for the end and gives the exit code, as a shell reports it.
func (p *runningCommand) wait() int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(patience):
		require.Fail(p.t, "the process does not end", "%v: %s", p.command.Args, p.err.String())
	}
	if status, ok := p.command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return p.command.ProcessState.ExitCode()
}

// lockedBuffer takes what a running process prints.
type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

// take gives what was written, and forgets it.
func (b *lockedBuffer) take() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.buffer.Reset()
	return b.buffer.String()
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// outside is a real server: reads answer what a test says, writes are counted.
type outside struct {
	server *httptest.Server
	total  atomic.Int64 // requests

	mu      sync.Mutex
	answers map[string]string   // by path
	status  map[string]int      // by path
	bodies  map[string][]string // of requests, by method and path
	auth    map[string][]string // their authorization headers
	keys    map[string][]string // their idempotency keys
	gates   map[string]*barrier // by path
}

// barrier holds requests up until it is opened.
type barrier struct {
	reached chan struct{} // closed when a request came
	open    chan struct{}
	once    sync.Once
}

func newOutside(t testing.TB) *outside {
	t.Helper()
	o := &outside{answers: map[string]string{}, status: map[string]int{}, bodies: map[string][]string{}, auth: map[string][]string{}, keys: map[string][]string{}, gates: map[string]*barrier{}}
	o.server = httptest.NewServer(o)
	t.Cleanup(func() {
		o.server.CloseClientConnections()
		o.server.Close()
	})
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

// hold has requests to a path wait; the returned barrier says when one came.
func (o *outside) hold(t testing.TB, path string) *barrier {
	t.Helper()
	g := &barrier{reached: make(chan struct{}), open: make(chan struct{})}
	o.mu.Lock()
	o.gates[path] = g
	o.mu.Unlock()
	t.Cleanup(g.release)
	return g
}

func (g *barrier) release() { g.once.Do(func() { close(g.open) }) }

// await waits until a request stands at the barrier.
func (g *barrier) await(t testing.TB) {
	t.Helper()
	select {
	case <-g.reached:
	case <-time.After(patience):
		require.Fail(t, "no request came")
	}
}

// requests are the bodies of the requests of a call like "POST /done".
func (o *outside) requests(call string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string{}, o.bodies[call]...)
}

// sent counts the requests of a call like "POST /done" by their idempotency key.
func (o *outside) sent(call string) map[string]int {
	o.mu.Lock()
	defer o.mu.Unlock()
	times := map[string]int{}
	for _, key := range o.keys[call] {
		times[key]++
	}
	return times
}

// authorizations are the Authorization headers of the requests of a call like "GET /me".
func (o *outside) authorizations(call string) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return append([]string{}, o.auth[call]...)
}

// ServeHTTP implements [http.Handler].
func (o *outside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // who asked is gone
	}
	o.total.Add(1)
	o.mu.Lock()
	call := r.Method + " " + r.URL.Path
	o.bodies[call] = append(o.bodies[call], string(body))
	o.keys[call] = append(o.keys[call], r.Header.Get("Idempotency-Key"))
	o.auth[call] = append(o.auth[call], r.Header.Get("Authorization"))
	status, answer, g := o.status[r.URL.Path], o.answers[r.URL.Path], o.gates[r.URL.Path]
	o.mu.Unlock()
	if g != nil {
		select {
		case <-g.reached:
		default:
			close(g.reached)
		}
		select {
		case <-g.open:
		case <-r.Context().Done():
			return
		}
	}
	if status == 0 {
		status, answer = http.StatusOK, "{}"
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, answer)
}

// orders posts before it reads the list that changes, and after: what was posted must
// never be posted again.
const orders = `async function main(input) {
  await web.postJSON('BASE/started', { day: input.day });
  const list = await web.getJSON('BASE/orders');
  let total = 0;
  for (const order of list.orders) {
    total += order.amount_total.value;
  }
  console.log('counted ' + list.orders.length + ' orders');
  await files.write('orders/' + input.day + '.txt', list.orders.length + ' orders, ' + total.toFixed(2) + '\n');
  await web.postJSON('BASE/done', { day: input.day, total: total });
  return { orders: list.orders.length, total: total };
}`

// oldOrders is the list in the shape that the script knows, newOrders in that which breaks it.
func oldOrders(amounts ...int) string { return ordersAs("amount_total", amounts...) }

func newOrders(amounts ...int) string { return ordersAs("total_amount", amounts...) }

func ordersAs(field string, amounts ...int) string {
	items := make([]string, len(amounts))
	for i, amount := range amounts {
		items[i] = fmt.Sprintf(`{"id":"o%d","%s":{"value":%d,"currency":"EUR"},"state":"open"}`, i, field, amount)
	}
	return `{"orders":[` + strings.Join(items, ",") + `]}`
}

// day is the input of a run.
func day(n int) string { return fmt.Sprintf(`{"day":"2026-03-%02d"}`, n) }

// succeed makes a workflow of [orders] with four recorded successes.
func (h *home) succeed(title string) {
	h.t.Helper()
	h.create(title, orders)
	for i, amounts := range [][]int{{10, 20}, {5}, {7, 8, 9}, {100, 3}} {
		h.outside.answer("/orders", 200, oldOrders(amounts...))
		h.ok("workflow", "run", "--repair", title, "--input", day(i+1))
	}
}

// mend is [home.succeed], and a failing run that is mended: the workflow is on 1.1.
func (h *home) mend(title string) {
	h.t.Helper()
	h.succeed(title)
	h.outside.answer("/orders", 200, newOrders(11, 22))
	h.ok("workflow", "run", "--repair", title, "--input", day(9))
}

// handOver makes a workflow whose failure was handed to a person, and gives the script that mends it.
func (h *home) handOver(title string) string {
	h.t.Helper()
	h.succeed(title)
	h.ok("workflow", "settings", title, "--fixers", "person")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", title, "--input", day(9))
	return strings.ReplaceAll(h.ok("script", "show", title), "order.amount_total.value", "(order.amount_total ?? order.total_amount).value")
}

// hold makes a workflow with a fix that waits for a person, and gives the fix.
func (h *home) hold(title string) string {
	h.t.Helper()
	h.succeed(title)
	h.ok("workflow", "settings", title, "--auto-fix", "propose")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", title, "--input", day(9))
	fixes := h.objects("fix", "list", "--state", "held")
	require.Len(h.t, fixes, 1)
	return fixes[0]["proposal"].(string)
}
