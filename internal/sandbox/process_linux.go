package sandbox

import (
	"os"
	"syscall"
	"time"
)

// processAttributes give a worker a process group of its own, so that a Ctrl-C at the
// terminal is the host's to handle, and let it die with the host.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// killedBy is the signal that ended a process, 0 if none did.
func killedBy(state *os.ProcessState) syscall.Signal {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal()
	}
	return 0
}

func usedProcessor(state *os.ProcessState) time.Duration {
	return state.UserTime() + state.SystemTime()
}

// peakMemory is the most that a process had in memory at one time, in bytes.
func peakMemory(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}
