package app

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A lock that was released is free at once, even while a child that was forked meanwhile has its file open.
func TestReleasedLockIsFree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := LockServer(dir, "one")
	require.NoError(t, err)
	forked, err := syscall.Dup(int(lock.file.Fd()))
	require.NoError(t, err)
	child := os.NewFile(uintptr(forked), "child")
	defer func() { require.NoError(t, child.Close()) }()
	require.NoError(t, lock.Release())
	next, err := LockServer(dir, "another")
	require.NoError(t, err)
	require.NoError(t, next.Release())
}

// Who holds the lock, and that its disk is full, is written in place: a full disk has no room for more.
func TestTheLockSaysThatTheDiskIsFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := LockServer(dir, "one")
	require.NoError(t, err)
	defer func() { require.NoError(t, lock.Release()) }()
	for _, full := range []bool{false, true, false} {
		lock.full(full)
		_, err := LockServer(dir, "two")
		held, is := errors.AsType[*HeldError](err)
		require.True(t, is)
		require.Equal(t, lock.holder, held.Holder)
		require.Equal(t, full, held.Holder.Full)
		info, err := lock.file.Stat()
		require.NoError(t, err)
		require.EqualValues(t, signedSize, info.Size())
	}
}
