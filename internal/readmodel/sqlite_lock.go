package readmodel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// fileLock tells processes that share a generation whether one may delete its file. Everybody who has the
// file open holds the lock shared: deleting an SQLite file that another process has
// open would leave that process writing to a file without a name.
type fileLock struct{ file *os.File }

func lockShared(ctx context.Context, path string) (*fileLock, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	lock := &fileLock{file}
	// An exclusive holder deletes a file, which takes milliseconds.
	for {
		err := lock.flock(syscall.LOCK_SH | syscall.LOCK_NB)
		if err == nil {
			return lock, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(fmt.Errorf("lock %s: %w", path, ctx.Err()), file.Close())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// exclusively runs fn while no other process has the generation open; ok is false, and fn is not run, if one has.
func (l *fileLock) exclusively(fn func() error) (ok bool, err error) {
	// A failed upgrade may lose the shared lock, so it is taken again in either case.
	if err := l.flock(syscall.LOCK_EX | syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return false, l.flock(syscall.LOCK_SH)
		}
		return false, err
	}
	return true, errors.Join(fn(), l.flock(syscall.LOCK_SH))
}

func (l *fileLock) flock(how int) error {
	for {
		err := syscall.Flock(int(l.file.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Close gives the lock up. To close the file is not enough: a child that was just forked has it open
// until it becomes another program.
func (l *fileLock) Close() error { return errors.Join(l.flock(syscall.LOCK_UN), l.file.Close()) }

// tryLock takes a lock of one's own, nil if somebody else has it.
func tryLock(path string) (*fileLock, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	lock := &fileLock{file}
	err = lock.flock(syscall.LOCK_EX | syscall.LOCK_NB)
	if err == nil {
		return lock, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, file.Close()
	}
	return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
}
