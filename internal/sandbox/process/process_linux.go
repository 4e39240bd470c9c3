package process

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// startApart starts a worker in namespaces of its own if the host may make them, and in
// those of the host if not. A worker gets a process group of its own too, so that a Ctrl-C
// at the terminal is the host's to handle, and dies with the host.
//
// A namespace of users would let any host do it, but makes the start of a process copy the
// page tables of the host: 25 ms for half a gigabyte.
func startApart(start func(*syscall.SysProcAttr) error) ([]Wall, error) {
	attributes := func(namespaces uintptr) *syscall.SysProcAttr {
		return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: namespaces}
	}
	wall := Wall{Name: "network and IPC namespace", Holds: true, Detail: "no network, not even loopback"}
	err := start(attributes(syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC))
	var refused syscall.Errno
	if errors.As(err, &refused) {
		wall.Holds, wall.Detail = false, refused.Error()
		err = start(attributes(0))
	}
	return []Wall{wall}, err
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

// processor is how much processor time a process has used so far, below zero if that is not known.
func (p *process) processor() time.Duration {
	var used unix.Timespec
	if unix.ClockGettime(^int32(p.command.Process.Pid)<<3|2, &used) != nil { //nolint:gosec // how Linux names the clock of a process
		return -1
	}
	return time.Duration(used.Nano())
}

// heavyNice is how nice a worker is that computes for long: it gets a thirtieth of what another one gets that wants the same processor.
const heavyNice = 15

// heavySlice is how long it computes at once, the most that Linux takes: a worker with a shorter slice that wakes up meanwhile comes
// before it at once (Linux 6.12 and later, sched(7); earlier ones do that by niceness).
const heavySlice = 100 * time.Millisecond

// yield has the worker, which is a process group, go behind the others.
func (p *process) yield() {
	p.behind.Store(true)
	id := p.command.Process.Pid
	_ = unix.Setpriority(unix.PRIO_PGRP, id, heavyNice)        // it may be gone already
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", id)) // those that come later have what these have
	for _, thread := range threads {
		if one, err := strconv.Atoi(thread.Name()); err == nil {
			_ = unix.SchedSetAttr(one, &unix.SchedAttr{
				Size: unix.SizeofSchedAttr, Policy: unix.SCHED_NORMAL, Nice: heavyNice, Runtime: uint64(heavySlice),
			}, 0)
		}
	}
}

// peakMemory is the most that a process had in memory at one time, in bytes.
func peakMemory(state *os.ProcessState) int64 {
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss << 10
	}
	return 0
}

// machineMemory is how much memory this process and its workers may use, in bytes; 0 if nobody says.
func machineMemory() int64 {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	memory := int64(info.Totalram) * int64(info.Unit)                      //nolint:gosec // fits
	if text, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil { // inside a container
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
			memory = min(memory, limit)
		}
	}
	return memory
}
