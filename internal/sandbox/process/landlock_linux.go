package process

import (
	"errors"
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Each version of landlock can deny more: see landlock(7).
const (
	landlockFiles1 = 1<<13 - 1 // from executing a file to making a symbolic link
	landlockFiles2 = unix.LANDLOCK_ACCESS_FS_REFER
	landlockFiles3 = unix.LANDLOCK_ACCESS_FS_TRUNCATE
	landlockNet4   = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	landlockFiles5 = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	landlockScope6 = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
)

// landlock takes the file system and TCP from all threads of this process, for good. Files
// that are open stay open.
func landlock() Wall {
	wall := Wall{Name: "landlock"}
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		wall.Detail = errno.Error()
		return wall
	}
	wall.Detail = fmt.Sprintf("ABI %d: no files", version)
	deny := unix.LandlockRulesetAttr{Access_fs: landlockFiles1}
	size := unsafe.Sizeof(deny.Access_fs) // a kernel refuses fields that it does not know
	if version >= 2 {
		deny.Access_fs |= landlockFiles2
	}
	if version >= 3 {
		deny.Access_fs |= landlockFiles3
	}
	if version >= 4 {
		deny.Access_net = landlockNet4
		size += unsafe.Sizeof(deny.Access_net)
		wall.Detail += ", no TCP"
	}
	if version >= 5 {
		deny.Access_fs |= landlockFiles5
	}
	if version >= 6 {
		deny.Scoped = landlockScope6
		size += unsafe.Sizeof(deny.Scoped)
	}
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&deny)), size, 0)
	if errno != 0 {
		wall.Detail = errno.Error()
		return wall
	}
	defer func() { _ = unix.Close(int(rules)) }() //nolint:gosec // a file descriptor
	// There is no rule that allows anything.
	if err := onAllThreads(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0); err != nil {
		wall.Detail = err.Error()
		return wall
	}
	wall.Holds = true
	return wall
}

// onAllThreads makes a system call on each thread of the process: what it changes is a
// thread's own, and a script that took over one thread has them all.
func onAllThreads(call, a, b uintptr) error {
	_, _, errno := syscall.AllThreadsSyscall6(call, a, b, 0, 0, 0, 0)
	switch {
	case errors.Is(errno, syscall.ENOTSUP):
		return errors.New("not in a program built with cgo: set CGO_ENABLED=0")
	case errno != 0:
		return errno
	}
	return nil
}
