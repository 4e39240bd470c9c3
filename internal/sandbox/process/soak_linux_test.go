package process_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// soakTime is how long the soak takes: seconds, or three minutes in a campaign of 10.
func soakTime() time.Duration {
	if n, err := strconv.Atoi(os.Getenv("KINTSUGI_CAMPAIGN")); err == nil && n > 0 {
		return time.Duration(n) * 18 * time.Second
	}
	return 3 * time.Second
}

// holding is what the host holds of the system.
type holding struct{ files, goroutines, children, memory int }

func held(t *testing.T) holding {
	t.Helper()
	debug.FreeOSMemory()
	files, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	statm, err := os.ReadFile("/proc/self/statm")
	require.NoError(t, err)
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	require.NoError(t, err)
	living, zombies := children(t)
	require.Zero(t, zombies)
	return holding{len(files), runtime.NumGoroutine(), living, pages * os.Getpagesize()}
}

// children are the processes that this one started and has not waited for.
func children(t *testing.T) (living, zombies int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	require.NoError(t, err)
	for _, entry := range entries {
		stat, err := os.ReadFile("/proc/" + entry.Name() + "/stat")
		if err != nil {
			continue // no process, or gone
		}
		_, rest, _ := bytes.Cut(stat, []byte(") "))
		fields := strings.Fields(string(rest))
		if len(fields) < 2 || fields[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		if living++; fields[0] == "Z" {
			zombies++
		}
	}
	return living, zombies
}

// Rule: whatever becomes of runs, they leave nothing behind in the host: no files, no
// goroutines, no processes, no memory.
func TestSoak(t *testing.T) { //nolint:paralleltest // it counts what this process holds
	const size = 3
	pool := newPool(t, size)
	end := time.Now().Add(soakTime())
	var laps []holding
	runs := 0
	for len(laps) < 8 || time.Now().Before(end) {
		runs += lap(t, pool, size)
		// Workers that are not used again end behind the back of their run.
		require.Eventually(t, func() bool {
			living, zombies := children(t)
			return zombies == 0 && living == len(pool.Workers()) && living <= size+1
		}, time.Minute, time.Millisecond)
		laps = append(laps, held(t))
	}
	settled := laps[2:]
	early, late := most(settled[:len(settled)/2]), most(settled[len(settled)/2:])
	t.Logf("%d runs, %d laps; at most, first half: %+v, second half: %+v", runs, len(laps), early, late)
	// Laps end with more or fewer of the pool's workers alive, each with its pipes.
	require.LessOrEqual(t, late.files, early.files+5*size)
	require.LessOrEqual(t, late.goroutines, early.goroutines+5*size)
	require.LessOrEqual(t, late.children, size+1)
	require.LessOrEqual(t, late.memory, early.memory+16<<20)
}

func most(laps []holding) (most holding) {
	for _, h := range laps {
		most = holding{max(most.files, h.files), max(most.goroutines, h.goroutines), max(most.children, h.children), max(most.memory, h.memory)}
	}
	return most
}

// lap makes runs that end in every way there is, some at a time, and says how many.
func lap(t *testing.T, pool *process.Pool, parallel int) int {
	t.Helper()
	type way struct {
		code, want string // class or code of the error
		during     func(cancel func(), pid int)
	}
	ways := []way{
		{code: `return input`},
		{code: `throw new Error('x')`, want: sandbox.ClassLogic},
		{code: `for (;;) console.log('x')`, want: sandbox.LimitLog},
		{code: `for (;;);`, want: sandbox.ClassLimit},
		{code: `console.log('y'); 'x'.repeat(1e9)`, want: sandbox.LimitMemory},
		{code: `Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)`, want: sandbox.ClassLimit},
		{code: `await notify(); for (;;);`, want: sandbox.ClassLimit, during: func(_ func(), pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) }},
		{code: `await notify(); for (;;);`, want: "canceled", during: func(cancel func(), _ int) { cancel() }},
		{code: `await kv.get('k'); await notify()`},
	}
	work := make(chan way)
	var group sync.WaitGroup
	for worker := range parallel {
		group.Go(func() {
			for w := range work {
				ctx, cancel := context.WithCancel(t.Context())
				x := execution("async function main(input) { " + w.code + " }")
				x.Limits = sandbox.Limits{CPU: 100 * time.Millisecond, LogBytes: 10000}
				if w.want == sandbox.LimitMemory { // a slow machine takes longer than that to find out
					x.Limits.CPU = 10 * time.Second
				}
				x.Affinity = fmt.Sprint("w", worker)
				outcome, err := pool.Run(ctx, x, sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
					if w.during != nil {
						for _, pid := range pool.Busy() { // perhaps of others too
							w.during(cancel, pid)
						}
					}
					return sandbox.Reply{}, nil
				}))
				cancel()
				switch {
				case w.want == "canceled" && errors.Is(err, context.Canceled):
				case err != nil:
					t.Errorf("%s: %v", w.code, err)
				case outcome.Error == nil && w.want == "", outcome.Error != nil && (outcome.Error.Class == w.want || outcome.Error.Code == w.want):
				case outcome.Error != nil && strings.Contains(outcome.Error.Message, "from outside"): // killed beside another one
				default:
					t.Errorf("%s: %s", w.code, text(t, outcome))
				}
			}
		})
	}
	for _, w := range ways {
		work <- w
	}
	close(work)
	group.Wait()
	return len(ways)
}

// Rule: a worker that waits for its next run holds little, however much the last one used.
func TestWorkersGiveBackMemory(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 1)
	x := execution(`function main() {
		let s = 'x'; while (s.length < 1 << 20) s += s;
		const list = []; while (list.length < 96) list.push(s + list.length);
		return list.length;
	}`)
	x.Affinity = "w"
	known := x
	known.Code = honest // one of which nothing is known would go behind the others, and not be used again
	_, err := pool.Run(t.Context(), known, nil)
	require.NoError(t, err)
	outcome, err := pool.Run(t.Context(), x, nil)
	require.NoError(t, err)
	require.Equal(t, "96", string(outcome.Output), text(t, outcome))
	worker := 0
	for pid, affinity := range pool.Workers() {
		if affinity == x.Affinity {
			worker = pid
		}
	}
	require.Eventually(t, func() bool {
		statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", worker))
		if err != nil {
			return false
		}
		pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
		return err == nil && pages*os.Getpagesize() < process.DataFactor*64<<20
	}, time.Minute, time.Millisecond)
}
