// Package lossydisk is a disk for tests whose power can be cut: it forgets what was not synced.
// (A kill -9 cannot show that: what a dead process wrote is safe in the kernel.)
//
//	disk, err := lossydisk.Mount(dir) // an empty directory
//	… another process writes to files in dir, and is killed …
//	err = disk.Cut(lossydisk.Loss{Keep: 0.5, Unit: lossydisk.Page, Seed: 7})
//	… what is in dir now is what survived …
//	err = disk.Close()
//
// It is a FUSE file system of one flat directory, held in memory by a process of its own: this
// binary again, so that TestMain must call [Child] first.
//
// The model: for each file the disk has the content that was last synced (fsync, fdatasync), and the content as it
// is. After a cut each unit that was written since is there or not, at random and in no order, whole pages or single
// sectors (a torn page); so is the file's new size, where a hole reads as zeros. Creating, renaming and removing are
// durable when the directory is synced; a cut keeps some first ones of those since then, in order, as a journaling
// file system does. A sync of a file says nothing of its name. A rename is never half done, and nothing that was
// synced is ever lost: a drive that lies about its cache, or returns other bytes, is not modelled. Subdirectories,
// links and renames over a sync barrier between directories do not exist.
package lossydisk
