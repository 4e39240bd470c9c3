package main

import (
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A lock that was released is free at once, even while a child that was forked meanwhile has its file open.
func TestReleasedLockIsFree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := lockServer(dir, "one")
	require.NoError(t, err)
	forked, err := syscall.Dup(int(lock.file.Fd()))
	require.NoError(t, err)
	child := os.NewFile(uintptr(forked), "child")
	defer func() { require.NoError(t, child.Close()) }()
	require.NoError(t, lock.Release())
	next, err := lockServer(dir, "another")
	require.NoError(t, err)
	require.NoError(t, next.Release())
}
