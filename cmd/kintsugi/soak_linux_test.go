package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// asSoaked names a file: a command that finds it in its environment writes there, at each signal
// SIGUSR1, what it holds.
const asSoaked = "KINTSUGI_TEST_HOLDING"

// holding is what a server holds of the system.
type holding struct {
	Files      int    `json:"files"`
	Goroutines int    `json:"goroutines"`
	Memory     uint64 `json:"memory"` // live bytes of the heap
}

func init() { // the test binary is the command
	path := os.Getenv(asSoaked)
	if os.Getenv(asCommand) == "" || path == "" {
		return
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		for range asked {
			debug.FreeOSMemory()
			files, err := os.ReadDir("/proc/self/fd")
			if err != nil {
				panic(err)
			}
			var memory runtime.MemStats
			runtime.ReadMemStats(&memory)
			told, err := json.Marshal(holding{len(files), runtime.NumGoroutine(), memory.HeapAlloc})
			if err != nil {
				panic(err)
			}
			if err := os.WriteFile(path+".new", told, 0o600); err != nil {
				panic(err)
			}
			if err := os.Rename(path+".new", path); err != nil {
				panic(err)
			}
		}
	}()
}

// holds asks a server what it holds.
func (p *runningCommand) holds(path string) (held holding) {
	p.t.Helper()
	require.NoError(p.t, p.command.Process.Signal(syscall.SIGUSR1))
	require.Eventually(p.t, func() bool {
		told, err := os.ReadFile(path)
		return err == nil && json.Unmarshal(told, &held) == nil && os.Remove(path) == nil
	}, patience, time.Millisecond)
	return held
}

// A server that runs what is due, with failures, retries and people who ask in between, holds as
// many files and goroutines after three minutes as in the first, and as much memory. Here it has
// three seconds; a campaign of 10 gives it the three minutes.
func TestServerSoak(t *testing.T) {
	t.Parallel()
	rounds, err := strconv.Atoi(cmp.Or(os.Getenv("KINTSUGI_CAMPAIGN"), "0"))
	require.NoError(t, err, "KINTSUGI_CAMPAIGN")
	span := max(3*time.Second, time.Duration(rounds)*18*time.Second)
	const laps, workflows = 12, 4
	h := newHome(t)
	h.outside.answer("/orders", http.StatusOK, `[1,2]`)
	for i := range workflows {
		title := fmt.Sprintf("Orders %d", i)
		code := `async function main() {
  const orders = await web.getJSON('BASE/orders');
  await web.postJSON('BASE/done', { count: orders.length });
  await kv.set('last', orders);
}`
		if i == workflows-1 { // cannot reach what it needs: retries, then a notification
			code = `async function main() { await web.getJSON('http://127.0.0.1:1/'); }`
		}
		h.create(title, code)
		if i == workflows-1 {
			h.ok("workflow", "settings", title, "--allow-host", "127.0.0.1:1")
		}
		h.ok("workflow", "schedule", title, "every 1s")
	}
	path := filepath.Join(t.TempDir(), "holding.json")
	server := h.soaked(path, span+patience)
	server.says("Stop with Ctrl-C")
	require.Eventually(t, func() bool { return len(h.objects("run", "list", "--status", "succeeded")) >= workflows }, patience, 100*time.Millisecond)
	var held []holding
	for beat := time.NewTicker(span / laps); len(held) < laps; <-beat.C {
		held = append(held, server.holds(path))
	}
	early, late := most(held[:laps/2]), most(held[laps/2:])
	t.Logf("%s, %d requests; at most, first half: %+v, second half: %+v", span, h.outside.total.Load(), early, late)
	// Runs under way have some of each; what is kept ready has bounds of its own.
	require.LessOrEqual(t, late.Files, early.Files+10*workflows)
	require.LessOrEqual(t, late.Goroutines, early.Goroutines+10*workflows)
	require.LessOrEqual(t, late.Memory, early.Memory+16<<20)
	server.interrupt()
	require.Equal(t, terminal.ExitOK, server.wait(), server.err.String())
}

// soaked starts a server that says at the path what it holds, and may take some time.
func (h *home) soaked(path string, span time.Duration) *runningCommand {
	h.t.Helper()
	short := h.command("dev")
	ctx, cancel := context.WithTimeout(context.Background(), span)
	h.t.Cleanup(cancel)
	command := exec.CommandContext(ctx, short.Path, "dev")
	command.Env, command.Dir, command.WaitDelay = slices.Concat(short.Env, []string{asSoaked + "=" + path}), short.Dir, short.WaitDelay
	return h.started(command)
}

func most(laps []holding) (most holding) {
	for _, one := range laps {
		most = holding{max(most.Files, one.Files), max(most.Goroutines, one.Goroutines), max(most.Memory, one.Memory)}
	}
	return most
}
