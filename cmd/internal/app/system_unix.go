//go:build unix

package app

import (
	"errors"
	"fmt"
	"syscall"
)

// room is how many bytes of the disk that a directory is on are free, for its user, of how many.
func room(dir string) (free, all int64, err error) {
	var disk syscall.Statfs_t
	if err := syscall.Statfs(dir, &disk); err != nil {
		return 0, 0, fmt.Errorf("%s: %w", dir, err)
	}
	size := int64(disk.Bsize) //nolint:unconvert // it is 32 bits on some systems
	return int64(disk.Bavail) * size, int64(disk.Blocks) * size, nil
}

// gone says that there is no process with an id.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
