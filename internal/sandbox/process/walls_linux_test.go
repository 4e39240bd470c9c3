package process_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// Rule: the operating system holds the limits of a worker, and it gets nothing of the
// host's environment.
func TestWalls(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 1)
	x := execution(`async function main() { await notify() }`)
	x.Limits.Memory = 100 << 20
	var limits, environment string
	_, err := pool.Run(t.Context(), x, sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
		for file, into := range map[string]*string{"limits": &limits, "environ": &environment} {
			data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pool.Busy()[0], file))
			if err != nil {
				return sandbox.Reply{}, err
			}
			*into = string(data)
		}
		return sandbox.Reply{}, nil
	}))
	require.NoError(t, err)
	soft := map[string]string{}
	for line := range strings.Lines(limits) {
		if fields := strings.Fields(strings.TrimPrefix(line[26:], " ")); len(fields) > 0 {
			soft[strings.TrimSpace(line[:26])] = fields[0]
		}
	}
	require.Equal(t, fmt.Sprint(process.DataFactor*(100<<20/2*3+128<<20)), soft["Max data size"])
	require.Equal(t, "0", soft["Max core file size"])
	require.Equal(t, "0", soft["Max file size"])
	require.Equal(t, "16", soft["Max open files"])
	require.NotEqual(t, "unlimited", soft["Max cpu time"])
	require.True(t, strings.HasPrefix(environment, "KINTSUGI_SANDBOX_WORKER=1\x00TZ=UTC\x00"))
	require.NotContains(t, environment, "PATH=")
}

// hostMark makes this test binary a host that is going to be killed.
const hostMark = "KINTSUGI_SANDBOX_TEST_HOST"

func init() {
	if os.Getenv(hostMark) == "" {
		return
	}
	pool := process.NewPool(process.PoolConfig{Bindings: bindings()})
	x := execution(`async function main() { await notify(); Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1) }`)
	x.Limits = sandbox.Limits{Wall: time.Hour, CPU: time.Hour}
	_, err := pool.Run(context.Background(), x, sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
		fmt.Println(pool.Busy()[0])
		return sandbox.Reply{}, nil
	}))
	fmt.Println(err)
	os.Exit(1)
}

// Rule: no worker outlives its host, not even one that hangs.
func TestHostDies(t *testing.T) {
	t.Parallel()
	path, err := os.Executable()
	require.NoError(t, err)
	host := exec.Command(path)
	host.Env = append(os.Environ(), hostMark+"=1")
	out, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	worker := "/proc/" + strings.TrimSpace(line) + "/stat"
	stat := func() []string { // from the state on; nil if the process is gone
		data, err := os.ReadFile(worker)
		if err != nil {
			return nil
		}
		_, rest, _ := bytes.Cut(data, []byte(") "))
		return strings.Fields(string(rest))
	}
	running := func() bool { return len(stat()) > 0 && stat()[0] != "Z" && stat()[0] != "X" }
	// It hangs once it used a fifth of a second of processor time.
	require.Eventually(t, func() bool {
		ticks, err := strconv.Atoi(stat()[11])
		return err == nil && ticks > 20
	}, time.Minute, 5*time.Millisecond)
	require.NoError(t, host.Process.Kill())
	require.Error(t, host.Wait())
	require.Eventually(t, func() bool { return !running() }, time.Minute, 5*time.Millisecond)
}
