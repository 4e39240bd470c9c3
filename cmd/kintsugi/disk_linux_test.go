package main

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// ownMounts gives a process mounts of its own, and the right to make some.
func ownMounts() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
}

func mountSmall(dir, size string) error {
	return syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size)
}

func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }

func freeBytes(t *testing.T, dir string) int64 {
	t.Helper()
	var disk syscall.Statfs_t
	require.NoError(t, syscall.Statfs(dir, &disk))
	return int64(disk.Bavail) * disk.Bsize //nolint:gosec // a small disk
}
