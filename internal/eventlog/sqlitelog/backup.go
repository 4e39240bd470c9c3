package sqlitelog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// backupPages are copied at a time: 1 MiB.
const backupPages = 256

// Backup copies the log, as it is at one moment after the call, to a new file: a log like this one. Reads and appends
// go on; events that are appended meanwhile stay in the write-ahead log until the copy is made.
//
// The file is there once it is complete and synced to disk. It is written under its name with
// something and ".partial" behind it, which is removed if Backup fails. A file that is there
// already is [os.ErrExist]. Progress, if not nil, is told how many bytes of how many are copied.
func (l *Log) Backup(ctx context.Context, path string, progress func(done, total int64)) error {
	if err := l.backup(ctx, path, progress); err != nil {
		return fmt.Errorf("sqlitelog: back up %s to %s: %w", l.path, path, err)
	}
	return nil
}

func (l *Log) backup(ctx context.Context, path string, progress func(done, total int64)) (err error) {
	if err := mustNotExist(path); err != nil {
		return err
	}
	partial, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.partial")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(partial.Name()))
		}
	}()
	if err := partial.Close(); err != nil { // before SQLite locks it: see sqlitedb.Open
		return err
	}
	if err := l.copyTo(ctx, partial.Name(), progress); err != nil {
		return err
	}
	if err := syncPath(partial.Name()); err != nil {
		return err
	}
	if err := mustNotExist(path); err != nil {
		return err
	}
	if err := os.Rename(partial.Name(), path); err != nil {
		return err
	}
	return syncPath(filepath.Dir(path))
}

func mustNotExist(path string) error {
	_, err := os.Lstat(path)
	switch {
	case err == nil:
		return fmt.Errorf("%w; a backup overwrites nothing, give another name", os.ErrExist)
	case errors.Is(err, os.ErrNotExist):
		return nil
	}
	return err
}

// syncPath syncs a file, or the names in a directory.
func syncPath(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

// copyTo copies the pages of the log to an empty file, which nobody else knows and which is not synced.
func (l *Log) copyTo(ctx context.Context, path string, progress func(done, total int64)) error {
	to, err := sqlitedb.Open(path)
	if err != nil {
		return err
	}
	defer to.Close() // the copy is complete before, or is dropped
	for _, pragma := range []string{"PRAGMA journal_mode = off", "PRAGMA synchronous = off"} {
		if err := sqlitedb.Exec(to, pragma); err != nil {
			return err
		}
	}
	from, err := l.readers.Get(ctx)
	if errors.Is(err, sqlitedb.ErrPoolClosed) {
		return eventlog.ErrClosed
	}
	if err != nil {
		return err
	}
	defer l.readers.Put(from)
	// Without a transaction around the steps, each append between two of them would begin the copy anew.
	return sqlitedb.Snapshot(from, func() error {
		if _, err := headOf(from); err != nil {
			return err
		}
		return l.copyPages(ctx, from, to, progress)
	})
}

func (l *Log) copyPages(ctx context.Context, from, to *sqlite.Conn, progress func(done, total int64)) error {
	pages, err := sqlite.NewBackup(to, "main", from, "main")
	if err != nil {
		return err
	}
	defer pages.Close()
	for more := true; more; runtime.Gosched() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.readers.Closing():
			return eventlog.ErrClosed
		default:
		}
		if more, err = pages.Step(backupPages); err != nil {
			return err
		}
		if progress != nil {
			total := int64(pages.PageCount())
			progress((total-int64(pages.Remaining()))*pageBytes, total*pageBytes)
		}
	}
	return nil
}
