// Package filelock has locks of files between processes. The kernel lets go of a lock when the last process that has the file
// open ends. A child that was just forked has it open until it becomes another program, so that a lock is given up by Unlock, not
// by closing the file.
package filelock

import "os"

// Kind is how a file is locked.
type Kind bool

// A file is locked beside others that share it, or alone.
const (
	Shared    Kind = false
	Exclusive Kind = true
)

// Try locks a file if nobody has a lock that is in the way, and says whether it did. It never waits.
func Try(file *os.File, kind Kind) (locked bool, err error) { return lock(file, kind, false) }

// Lock locks a file, and waits until nobody has a lock that is in the way.
func Lock(file *os.File, kind Kind) error {
	_, err := lock(file, kind, true)
	return err
}

// Unlock gives the lock up.
func Unlock(file *os.File) error { return unlock(file) }
