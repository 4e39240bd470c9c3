package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// beyond is the place of the byte that is locked: Windows refuses others what is locked, and they read who has the lock.
var beyond = windows.Overlapped{OffsetHigh: 1 << 30}

func lock(file *os.File, kind Kind, wait bool) (bool, error) {
	var how uint32
	if kind == Exclusive {
		how |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	if !wait {
		how |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	// Windows keeps two locks of one process apart, and changes none: the one before is given up.
	if err := unlock(file); err != nil {
		return false, err
	}
	at := beyond
	err := windows.LockFileEx(windows.Handle(file.Fd()), how, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return false, nil
	}
	return err == nil, err
}

func unlock(file *os.File) error {
	at := beyond
	err := windows.UnlockFileEx(windows.Handle(file.Fd()), 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_NOT_LOCKED) {
		return nil
	}
	return err
}
