package process

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// StartApart is how workers are started.
var StartApart = startApart

// Raise puts this process behind one wall.
func Raise(name string) Wall {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	_ = onAllThreads(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
	switch name {
	case "landlock":
		return landlock()
	case "system call filter":
		return filterCalls()
	}
	return Wall{}
}
