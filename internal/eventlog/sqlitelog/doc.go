// Package sqlitelog keeps the event log in one SQLite file. It is the default backend: a directory, nothing to install.
//
//	log, err := sqlitelog.Open(ctx, filepath.Join(dir, "events.db"), sqlitelog.Options{})
//	defer log.Close()
//
// Acknowledged means that the write-ahead log was synced to disk. One goroutine writes: it takes everything that waits and
// commits it in one transaction, so that one sync serves many appends, while each append keeps its own outcome.
// Positions count from 1 without gaps. Any number of processes may have the file open, and append.
//
// An append whose context ends has not happened if it returns the error of the context: once the writer
// has begun with it, its own outcome is returned instead.
package sqlitelog
