package process_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

const honest = `async function main(input) { return input }`

// Rule: a worker is used again only within one workflow, and never after a limit, a fault
// of the host, or an ended context.
func TestReuse(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 0)
	run := func(affinity, code string) (int, sandbox.Outcome) {
		x := execution(code)
		x.Affinity, x.Limits = affinity, sandbox.Limits{CPU: tight.CPU}
		var pid int
		outcome, err := pool.Run(t.Context(), x, sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
			pid = pool.Busy()[0]
			switch call.Tool {
			case "kv.get":
				return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassInternal, Message: "fault"}}, nil
			case "kv.set":
				return sandbox.Reply{}, &sandbox.StopError{Reason: sandbox.Error{Class: sandbox.ClassInternal, Code: sandbox.CodeUnanswerable}}
			}
			return sandbox.Reply{}, nil
		}))
		require.NoError(t, err)
		return pid, outcome
	}
	const plain = `async function main() { await notify() }`
	first, _ := run("a", plain)
	again, _ := run("a", plain)
	require.Equal(t, first, again)
	other, _ := run("b", plain)
	require.NotEqual(t, first, other)
	again, _ = run("a", plain)
	require.Equal(t, first, again)

	for _, harmless := range []string{
		`async function main() { await notify(); throw new Error('x') }`,
		`async function main() { await notify(); await kv.set('k') }`, // not recorded
		`async function main() { await notify(); return Object.prototype.x = globalThis.y = 1 }`,
	} {
		pid, _ := run("a", harmless)
		require.Equal(t, first, pid)
	}
	_, outcome := run("a", `async function main() { return [typeof ({}).x, typeof y] }`)
	require.Equal(t, `["undefined","undefined"]`, string(outcome.Output), "nothing of a run is left in the next one")

	last := first
	for _, harmful := range []string{
		`async function main() { await notify(); for (;;); }`,
		`async function main() { await notify(); for (;;) console.log() }`,
		`async function main() { await notify(); await kv.get('k') }`,
	} {
		run("a", harmful)
		pid, _ := run("a", plain)
		require.NotEqual(t, last, pid)
		last = pid
	}

	one, _ := run("", plain)
	two, _ := run("", plain)
	require.NotEqual(t, one, two, "without a workflow nothing is shared")
}

// Rule: a fresh worker is ready before it is needed.
func TestReady(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 3)
	pool.Start()
	fresh := func() bool { return slices.Contains(slices.Collect(maps.Values(pool.Workers())), "") }
	require.Eventually(t, fresh, time.Minute, time.Millisecond)
	x := execution(honest)
	x.Affinity = "a"
	_, err := pool.Run(t.Context(), x, nil)
	require.NoError(t, err)
	require.Eventually(t, fresh, time.Minute, time.Millisecond)
}

// Rule: more runs than workers wait for their turn, whatever they belong to.
func TestManyRuns(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 2)
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			x := execution(honest)
			x.Input = json.RawMessage(fmt.Sprint(i))
			x.Affinity = []string{"", "a", "b", "c"}[i%4]
			outcome, err := pool.Run(t.Context(), x, nil)
			if err != nil || string(outcome.Output) != fmt.Sprint(i) {
				t.Errorf("run %d: %v %s", i, err, text(t, outcome))
			}
		})
	}
	group.Wait()

	// A run that gives up waiting leaves its turn to the next one.
	entered, release := make(chan struct{}), make(chan struct{})
	for range 2 {
		group.Go(func() {
			_, err := pool.Run(t.Context(), execution(`async function main() { await notify() }`), sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
				entered <- struct{}{}
				<-release
				return sandbox.Reply{}, nil
			}))
			if err != nil {
				t.Error(err)
			}
		})
	}
	<-entered
	<-entered
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err := pool.Run(ctx, execution(honest), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(release)
	_, err = pool.Run(t.Context(), execution(honest), nil)
	require.NoError(t, err)
	group.Wait()
}

// Rule: time the host takes to answer does not count against the limits.
func TestHostTime(t *testing.T) {
	t.Parallel()
	for name, runner := range map[string]sandbox.Runner{"process": process.InProcess{Bindings: bindings()}, "worker": newPool(t, 1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := execution(`async function main() { await kv.get('k'); return 'done' }`)
			x.Limits = sandbox.Limits{Wall: 4 * time.Second} // many times what it takes by itself, also on a busy machine
			outcome, err := runner.Run(t.Context(), x, sandbox.HostFunc(func(ctx context.Context, _ sandbox.Call) (sandbox.Reply, error) {
				select {
				case <-time.After(x.Limits.Wall + 500*time.Millisecond):
					return sandbox.Reply{}, nil
				case <-ctx.Done():
					return sandbox.Reply{}, ctx.Err()
				}
			}))
			require.NoError(t, err)
			require.Equal(t, `"done"`, string(outcome.Output), "%s", text(t, outcome))
		})
	}
}

// Rule: a run that hits its limit in JavaScript keeps its log and calls, and mostly even
// one that hangs in native code.
func TestWhatALimitLeaves(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 2)
	for name, hang := range map[string]string{
		sandbox.LimitWall:   `for (;;);`,
		sandbox.LimitMemory: `const list = []; for (;;) list.push({ list })`,
		sandbox.LimitCPU:    `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`, // in native code
	} {
		x := execution(`async function main() { console.log('here'); await kv.get('k'); await sleep(7); ` + hang + ` }`)
		switch name {
		case sandbox.LimitWall:
			x.Limits = sandbox.Limits{Wall: 5 * time.Second, CPU: time.Hour} // many times what comes first, also on a busy machine
		case sandbox.LimitMemory:
			x.Limits = sandbox.Limits{Wall: time.Hour, CPU: time.Hour, Memory: 64 << 20}
		case sandbox.LimitCPU:
			x.Limits = sandbox.Limits{Wall: time.Hour, CPU: 200 * time.Millisecond}
		}
		outcome, err := pool.Run(t.Context(), x, replies(map[string]string{"kv.get": "1"}))
		require.NoError(t, err, name)
		require.Equal(t, name, outcome.Error.Code)
		require.Equal(t, []sandbox.LogLine{{Level: "info", Text: "here"}}, outcome.Log, name)
		require.Len(t, outcome.Calls, 1, name)
		require.Equal(t, "1", string(outcome.Calls[0].Result), name)
		require.Equal(t, int64(7), outcome.VirtualMS, name)
	}
}

// Rule: what a run logged is there even if its worker died without a word.
func TestDeathLeavesTheLog(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 2)
	for _, death := range []string{`'x'.repeat(1e9)`, `'x'.padEnd(5e8)`} {
		x := execution(`async function main() { console.log('here'); await kv.get('k'); console.warn('there'); ` + death + ` }`)
		outcome, err := pool.Run(t.Context(), x, replies(map[string]string{"kv.get": "1"}))
		require.NoError(t, err)
		require.Equal(t, sandbox.LimitMemory, outcome.Error.Code, "%s: %s", death, outcome.Error.Message)
		require.Equal(t, []sandbox.LogLine{{Level: "info", Text: "here"}, {Level: "warn", Text: "there"}}, outcome.Log, death)
	}
}

// Rule: the end of the context kills the run, in the script and in the host.
func TestPoolContext(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 2)
	for name, code := range map[string]string{
		"in the script": `async function main() { await kv.get('k'); for (;;); }`,
		"in the host":   `async function main() { await web.getJSON('u'); }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			x := execution(code)
			x.Limits = sandbox.Limits{Wall: time.Hour, CPU: time.Hour} // only the context ends it
			_, err := pool.Run(ctx, x, sandbox.HostFunc(func(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
				cancel()
				if call.Tool == "web.getJSON" {
					<-ctx.Done()
					return sandbox.Reply{}, ctx.Err()
				}
				return sandbox.Reply{}, nil
			}))
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorIs(t, pool.Check(ctx, honest), context.Canceled)
		})
	}
}

// Rule: a worker that dies while it waits is noticed; one that is killed in a run takes
// that run with it, and no other.
func TestDeath(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 2)
	kill := func(pid int) {
		process, err := os.FindProcess(pid)
		require.NoError(t, err)
		if err := process.Kill(); !errors.Is(err, os.ErrProcessDone) {
			require.NoError(t, err)
		}
	}
	x := execution(honest)
	x.Affinity = "a"
	for range 5 {
		outcome, err := pool.Run(t.Context(), x, nil)
		require.NoError(t, err)
		require.Nil(t, outcome.Error)
		require.Eventually(t, func() bool {
			for pid := range pool.Workers() {
				kill(pid)
			}
			return len(pool.Workers()) == 0
		}, time.Minute, time.Millisecond)
	}
	outcome, err := pool.Run(t.Context(), execution(`async function main() { console.log('here'); await notify(); for (;;); }`), sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
		kill(pool.Busy()[0])
		return sandbox.Reply{}, nil
	}))
	require.NoError(t, err)
	require.Equal(t, sandbox.LimitMemory, outcome.Error.Code)
	require.Contains(t, outcome.Error.Message, "from outside")
	require.Equal(t, []sandbox.LogLine{{Level: "info", Text: "here"}}, outcome.Log)
	_, err = pool.Run(t.Context(), x, nil)
	require.NoError(t, err)
}

// Rule: what keeps workers from starting is an error of the host, and says what it was.
func TestNoWorker(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]process.PoolConfig{
		"this machine could not start the script":                                                       {Command: []string{"/no/such/program"}},
		"did not become a worker (does its main call sandbox.WorkerMain?): exit status 3: no such luck": {Command: []string{"/bin/sh", "-c", "echo no such luck >&2; exit 3"}},
		"the host [other.tool]": {Bindings: []sandbox.Binding{{Name: "other.tool"}}},
	} {
		pool := process.NewPool(config)
		_, err := pool.Run(t.Context(), execution(honest), nil)
		require.ErrorContains(t, err, name)
		require.ErrorContains(t, pool.Check(t.Context(), honest), name)
		require.NoError(t, pool.Close())
	}
}

// Rule: a check of a script, as before a save, is tried again where a worker does not start.
func TestACheckIsTriedAgain(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	require.NoError(t, err)
	starts := filepath.Join(t.TempDir(), "starts") // the first two fail: one for the check, one that is made ready
	pool := process.NewPool(process.PoolConfig{
		Bindings: bindings(), Command: []string{"/bin/sh", "-c", fmt.Sprintf(`n=$(cat %[1]q 2>/dev/null | wc -l); echo >> %[1]q; [ "$n" -ge 2 ] && exec %[2]q; exit 3`, starts, program)},
	})
	t.Cleanup(func() { require.NoError(t, pool.Close()) })
	require.NoError(t, pool.Check(t.Context(), honest))
}

// Rule: closing ends every run and every worker.
func TestClose(t *testing.T) {
	t.Parallel()
	pool := process.NewPool(process.PoolConfig{Bindings: bindings(), Size: 1})
	var pid int
	running := make(chan struct{})
	ended := make(chan error)
	go func() {
		_, err := pool.Run(t.Context(), execution(`async function main() { await notify(); for (;;); }`), sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
			pid = pool.Busy()[0]
			close(running)
			return sandbox.Reply{}, nil
		}))
		ended <- err
	}()
	<-running
	go func() { // waits for a worker
		_, err := pool.Run(t.Context(), execution(honest), nil)
		ended <- err
	}()
	go func() { _ = pool.Close() }()
	require.ErrorIs(t, <-ended, sandbox.ErrClosed)
	require.ErrorIs(t, <-ended, sandbox.ErrClosed)
	require.NoError(t, pool.Close())
	_, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = pool.Run(t.Context(), execution(honest), nil)
	require.ErrorIs(t, err, sandbox.ErrClosed)
	require.ErrorIs(t, pool.Check(t.Context(), honest), sandbox.ErrClosed)
}
