// Package sqlitelog keeps the event log in one SQLite file. It is the default backend: a directory, nothing to install.
//
//	log, err := sqlitelog.Open(ctx, filepath.Join(dir, "events.db"), sqlitelog.Options{})
//	defer log.Close()
//
// Acknowledged means that the write-ahead log was synced to disk. One goroutine at a time writes: it takes all that waits and
// commits it in one transaction, so that one sync serves many appends, while each append keeps its own outcome.
// Positions count from 1 without gaps. Any number of processes may have the file open, and append.
//
// An append whose context ends has not happened if it returns the error of the context: once the writer
// has begun with it, its own outcome is returned instead.
//
// Reading takes short transactions, so that the write-ahead log can be begun anew every 16 MiB however many read.
// A transaction of another program that stays open lets it grow for so long.
//
// Erasing writes the digest over a payload, in the only transaction that takes the guard against changes away and
// puts it back. Neither the file nor the write-ahead log has the payload then; a disk, or a file system with
// snapshots, may still keep overwritten blocks.
//
// Memory does not grow with the log: the memory of streams and their ids takes some 75 MB at most, the pages that the
// writer keeps 16 MiB, each other connection's 2 MB, and a reader holds one chunk of at most 4 MiB and an append.
package sqlitelog
