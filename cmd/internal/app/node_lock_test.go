package app

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

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

// So it is with the lock of a process that died: who is next waits for the child, and for nobody who lives.
func TestTheLockOfTheDeadIsWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	lock, err := LockServer(dir, "one")
	require.NoError(t, err)
	_, err = LockServer(dir, "two")
	require.ErrorAs(t, err, new(*HeldError))

	dead := exec.Command(os.Args[0], "-test.run", "^$")
	require.NoError(t, dead.Run())
	lock.holder.PID = dead.Process.Pid
	lock.sign()
	went := time.AfterFunc(50*time.Millisecond, func() { _ = lock.Release() })
	defer went.Stop()
	next, err := LockServer(dir, "three")
	require.NoError(t, err)
	require.NoError(t, next.Release())
}

// The holder of the lock, and that its disk is full, is written in place: a full disk has no room for more.
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
