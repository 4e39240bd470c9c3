package process

import (
	"fmt"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// calls are the system calls that a running Go program makes, most frequent first. None of
// them opens, sends to, starts or signals anything.
var calls = []uint32{
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_PREAD64, unix.SYS_FUTEX, unix.SYS_NANOSLEEP, unix.SYS_GETRUSAGE, unix.SYS_GETRLIMIT, unix.SYS_SETRLIMIT,
	unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGACTION, unix.SYS_SIGALTSTACK,
	unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MADVISE, unix.SYS_MPROTECT, unix.SYS_MREMAP, unix.SYS_MINCORE, unix.SYS_BRK,
	unix.SYS_SCHED_YIELD, unix.SYS_SCHED_GETAFFINITY, unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_GETTIMEOFDAY,
	unix.SYS_GETPID, unix.SYS_GETTID, unix.SYS_GETRANDOM, unix.SYS_RESTART_SYSCALL,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2, unix.SYS_PIPE2, unix.SYS_FCNTL, unix.SYS_CLOSE,
	unix.SYS_SET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_RSEQ, unix.SYS_MEMBARRIER, unix.SYS_PRCTL,
	unix.SYS_EXIT, unix.SYS_EXIT_GROUP,
}

// architectures are those whose system calls the filter knows by these names.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// filterCalls leaves all threads of this process only the system calls that Go itself
// needs. The others fail, they do not end the process: a Go runtime that tries something
// new should lose that, not everything.
func filterCalls() Wall {
	wall := Wall{Name: "system call filter"}
	architecture, ok := architectures[runtime.GOARCH]
	if !ok {
		wall.Detail = "not written for " + runtime.GOARCH
		return wall
	}
	program := filter(architecture, uint32(os.Getpid()))                    //nolint:gosec // positive
	given := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]} //nolint:gosec // short
	// TSYNC puts it on all threads, with no_new_privs, which this one must have.
	left, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&given)))
	switch {
	case errno != 0:
		wall.Detail = errno.Error()
	case left != 0:
		wall.Detail = fmt.Sprintf("thread %d did not take it", left)
	default:
		wall.Holds, wall.Detail = true, "no files, sockets, programs, or signals to others"
	}
	return wall
}

// The places of struct seccomp_data, see seccomp(2), on machines that are little endian.
const (
	dataNumber       = 0
	dataArchitecture = 4
	dataArgument0    = 16
)

// filter is the program, in classic BPF, that the kernel asks about each system call.
func filter(architecture, pid uint32) []unix.SockFilter {
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		anyBit = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	)
	allow := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW}
	fail := func(errno unix.Errno) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)}
	}
	program := []unix.SockFilter{
		{Code: load, K: dataArchitecture},
		{Code: equal, K: architecture, Jt: 1},
		fail(unix.EPERM),
		{Code: load, K: dataNumber},
	}
	for _, call := range calls {
		program = append(program, unix.SockFilter{Code: equal, K: call, Jf: 1}, allow)
	}
	// Calls that depend on their first argument: if it passes the test, on to the second next.
	for _, c := range []struct {
		call uint32
		test uint16
		with uint32
	}{
		{unix.SYS_CLONE, anyBit, unix.CLONE_THREAD}, // threads, and no process that outlives this one
		{unix.SYS_TGKILL, equal, pid},               // how the runtime interrupts its threads
		{unix.SYS_PRLIMIT64, equal, 0},              // its own limits
	} {
		program = append(program,
			unix.SockFilter{Code: equal, K: c.call, Jf: 4},
			unix.SockFilter{Code: load, K: dataArgument0},
			unix.SockFilter{Code: c.test, K: c.with, Jf: 1},
			allow,
			fail(unix.EPERM),
		)
	}
	// Its arguments are out of sight; a C library goes on to clone if there is no clone3.
	return append(program,
		unix.SockFilter{Code: equal, K: unix.SYS_CLONE3, Jf: 1}, fail(unix.ENOSYS),
		fail(unix.EPERM),
	)
}
