package readmodel

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/basics/filelock"
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
		locked, err := filelock.Try(file, filelock.Shared)
		if locked {
			return lock, nil
		}
		if err != nil {
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
	locked, err := filelock.Try(l.file, filelock.Exclusive)
	if err != nil {
		return false, err
	}
	if locked {
		err = fn()
	}
	return locked, errors.Join(err, filelock.Lock(l.file, filelock.Shared))
}

// Close gives the lock up. To close the file is not enough: a child that was just forked has it open
// until it becomes another program.
func (l *fileLock) Close() error { return errors.Join(filelock.Unlock(l.file), l.file.Close()) }

// tryLock takes a lock of one's own, nil if somebody else has it.
func tryLock(path string) (*fileLock, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	locked, err := filelock.Try(file, filelock.Exclusive)
	if locked {
		return &fileLock{file}, nil
	}
	if err == nil {
		return nil, file.Close()
	}
	return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), file.Close())
}
