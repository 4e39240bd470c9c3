package process

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// raiseWalls takes from a worker what no script needs: files, the network, other programs,
// core dumps, and privileges that an exec would bring. It says what the kernel granted of
// that. The host sets that a worker dies with it.
func raiseWalls() ([]Wall, error) {
	for _, wall := range []struct {
		what     string
		resource int
		limit    uint64
	}{
		{"open files", unix.RLIMIT_NOFILE, 16},
		{"file size", unix.RLIMIT_FSIZE, 0},
		{"core size", unix.RLIMIT_CORE, 0},
	} {
		if err := unix.Setrlimit(wall.resource, &unix.Rlimit{Cur: wall.limit, Max: wall.limit}); err != nil {
			return nil, fmt.Errorf("limit %s: %w", wall.what, err)
		}
	}
	// Without this the runtime would ignore the signal. It comes a second after the
	// watching of the run should have noticed.
	used := make(chan os.Signal, 1)
	signal.Notify(used, unix.SIGXCPU)
	go func() {
		<-used
		os.Exit(exitProcessor)
	}()
	// The system call filter takes over what this thread has; the rest goes to each thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("give up privileges: %w", err)
	}
	_ = onAllThreads(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1) // if not, landlock says why
	// Go's runtime looks every 20 µs at what a process does that has just become busy. No script needs that.
	_ = onAllThreads(unix.SYS_PRCTL, unix.PR_SET_TIMERSLACK, uintptr(time.Millisecond))
	return []Wall{
		{Name: "memory and processor time", Holds: true, Detail: "limited by the kernel"},
		landlock(),
		filterCalls(),
	}, nil
}

// limitMemory bounds what the process may allocate: the only limit that holds against a
// single allocation. RLIMIT_AS would not do, the Go runtime reserves far more than it uses.
func limitMemory(bytes int64) {
	setSoft(unix.RLIMIT_DATA, uint64(bytes)) //nolint:gosec // positive
}

// limitProcessor bounds the processor time of the process.
func limitProcessor(seconds uint64) { setSoft(unix.RLIMIT_CPU, seconds) }

func setSoft(resource int, limit uint64) {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return // the watching inside the process is still there
	}
	now.Cur = min(limit, now.Max)
	_ = unix.Setrlimit(resource, &now) // likewise
}

// processorTime is what the process used so far.
func processorTime() time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
