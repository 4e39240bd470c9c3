package process_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// target is what the attempts are made on. All of them work for a free process.
type target struct{ Dir, TCP, UDP, Unix, Abstract string }

// attempts are what code that took over a worker would do next.
var attempts = map[string]func(target) error{
	"read a file": func(target) error {
		_, err := os.ReadFile("/etc/passwd")
		return err
	},
	"list a folder": func(target) error {
		_, err := os.ReadDir("/")
		return err
	},
	"make a file": func(to target) error {
		file, err := os.CreateTemp(to.Dir, "made")
		if err != nil {
			return err
		}
		return file.Close()
	},
	"make a folder": func(to target) error {
		_, err := os.MkdirTemp(to.Dir, "made")
		return err
	},
	"look at a file": func(target) error {
		_, err := os.Stat("/etc/passwd")
		return err
	},
	"connect by TCP":         func(to target) error { return dial("tcp", to.TCP) },
	"connect by UDP":         func(to target) error { return dial("udp", to.UDP) },
	"connect to a socket":    func(to target) error { return dial("unix", to.Unix) },
	"connect to a name":      func(to target) error { return dial("unix", to.Abstract) },
	"run a program":          func(target) error { return exec.Command("/bin/true").Run() },
	"signal another process": func(target) error { return syscall.Kill(os.Getppid(), 0) },
	"set limits of others": func(target) error {
		return unix.Prlimit(os.Getppid(), unix.RLIMIT_CORE, nil, &unix.Rlimit{})
	},
	"make memory that others see": func(target) error {
		id, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600)
		if err != nil {
			return err
		}
		_, err = unix.SysvShmCtl(id, unix.IPC_RMID, nil)
		return err
	},
}

// dial says what the kernel says: whether there is a way, not whether somebody answers.
func dial(network, address string) error {
	conn, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	return conn.Close()
}

// heldBy are the attempts that a wall alone refuses.
var heldBy = map[string][]string{
	"landlock":                  {"read a file", "list a folder", "make a file", "make a folder", "connect by TCP", "connect to a name", "run a program"},
	"network and IPC namespace": {"connect by TCP", "connect by UDP", "connect to a name"},
	"system call filter": {
		"read a file", "list a folder", "make a file", "make a folder", "look at a file", "connect by TCP", "connect by UDP", "connect to a socket",
		"connect to a name", "run a program", "signal another process", "set limits of others", "make memory that others see",
	},
}

// onManyThreads makes the same attempts on several threads and returns the ones that got
// through on any. The function it returns may be called later than the threads began.
func onManyThreads() func(target) []string {
	const threads = 6
	var begun, done sync.WaitGroup
	begun.Add(threads)
	begin := make(chan target)
	var mu sync.Mutex
	through := []string{}
	for range threads {
		done.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			begun.Done()
			to := <-begin
			for name, attempt := range attempts {
				err := attempt(to)
				mu.Lock()
				if err == nil && !slices.Contains(through, name) {
					through = append(through, name)
				}
				mu.Unlock()
			}
		})
	}
	begun.Wait()
	return func(to target) []string {
		for range threads {
			begin <- to
		}
		done.Wait()
		slices.Sort(through)
		return through
	}
}

func targets(t *testing.T) target {
	t.Helper()
	dir, err := os.MkdirTemp("", "walls") // short enough for the name of a socket
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	to := target{Dir: dir}
	var config net.ListenConfig
	for network, address := range map[string]*string{"tcp": &to.TCP, "unix": &to.Unix, "unix abstract": &to.Abstract} {
		at := map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(dir, "s"), "unix abstract": "@" + dir}[network]
		listener, err := config.Listen(t.Context(), strings.Fields(network)[0], at)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, listener.Close()) })
		*address = listener.Addr().String()
	}
	udp, err := config.ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, udp.Close()) })
	to.UDP = udp.LocalAddr().String()
	return to
}

// free are all attempts: what a process without walls gets through with.
func free() []string {
	var names []string
	for name := range attempts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// leaves are the attempts that the walls that hold do not refuse.
func leaves(list []process.Wall) []string {
	return slices.DeleteFunc(free(), func(name string) bool {
		return slices.ContainsFunc(list, func(w process.Wall) bool { return w.Holds && slices.Contains(heldBy[w.Name], name) })
	})
}

// escape is a tool whose arguments are "checked" by trying to get out of the worker.
func escape(args json.RawMessage) error {
	var list []target
	if err := json.Unmarshal(args, &list); err != nil {
		return err
	}
	return fmt.Errorf("through: %s", strings.Join(onManyThreads()(list[0]), ", "))
}

// Rule: whatever code runs in a worker, it reaches nothing but its pipes, on no thread; and
// where the system does not hold that, Containment says so.
func TestContainment(t *testing.T) {
	t.Parallel()
	to := targets(t)
	require.Equal(t, free(), onManyThreads()(to), "every attempt works without walls")

	pool := newPool(t, 1)
	list, err := pool.Containment(t.Context())
	require.NoError(t, err)
	for _, wall := range list {
		t.Log(wall)
		require.NotEmpty(t, wall.Detail)
	}
	require.Len(t, list, 4)
	x := execution(`async function main(to) { try { await taken.over(to) } catch (e) { return e.message } }`)
	x.Input = json.RawMessage(text(t, to))
	outcome, err := pool.Run(t.Context(), x, nil)
	require.NoError(t, err)
	var got string
	require.NoError(t, json.Unmarshal(outcome.Output, &got), text(t, outcome))
	require.Equal(t, "through: "+strings.Join(leaves(list), ", "), got)
}

// wallMark makes this test binary a process behind one wall only.
const wallMark = "KINTSUGI_SANDBOX_TEST_WALL"

type behind struct {
	Wall    process.Wall
	Through []string
}

func init() {
	name := os.Getenv(wallMark)
	if name == "" {
		return
	}
	var to target
	err := json.Unmarshal([]byte(os.Getenv(wallMark+"_TARGET")), &to)
	try := onManyThreads() // the threads are there before the wall is
	result := behind{Wall: process.Raise(name)}
	result.Through = try(to)
	err = errors.Join(err, json.NewEncoder(os.Stdout).Encode(result))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Rule: each wall holds what it says by itself, on threads that were there before it too.
func TestEachWall(t *testing.T) {
	t.Parallel()
	to := targets(t)
	path, err := os.Executable()
	require.NoError(t, err)
	for name := range heldBy {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			walls, err := process.StartApart(func(attributes *syscall.SysProcAttr) error {
				if name != "network and IPC namespace" {
					attributes.Cloneflags = 0
				}
				command := exec.CommandContext(t.Context(), path)
				command.Env = append(os.Environ(), wallMark+"="+name, wallMark+"_TARGET="+text(t, to))
				command.SysProcAttr, command.Stdout, command.Stderr = attributes, &out, os.Stderr
				return command.Run()
			})
			require.NoError(t, err)
			var got behind
			require.NoError(t, json.Unmarshal([]byte(out.String()), &got), out.String())
			if name == walls[0].Name {
				got.Wall = walls[0]
			}
			t.Log(got.Wall)
			require.Equal(t, name, got.Wall.Name)
			require.Equal(t, leaves([]process.Wall{got.Wall}), got.Through)
		})
	}
}
