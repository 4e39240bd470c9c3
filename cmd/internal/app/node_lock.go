package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/basics/filelock"
)

// serverLock makes one process the server of a data directory. The kernel lets go of it
// when the process ends, however it ends.
type serverLock struct {
	file   *os.File
	holder holder
}

// holder is who holds a lock, for people.
type holder struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Command string    `json:"command"`
	Since   time.Time `json:"since"`
	// Full says that the disk is full, so that the server can write nothing until there is room.
	Full bool `json:"full,omitempty"`
}

// signedSize is the size of what the holder of a lock says of itself. It is written in place: on a full
// disk there is room for nothing else.
const signedSize = 512

// HeldError says who is the server of a data directory.
type HeldError struct {
	dir    string
	Holder holder
}

// Error implements error.
func (e *HeldError) Error() string {
	if e.Holder.PID == 0 { // it has the lock and has not said yet who it is
		return fmt.Sprintf("%s has a server already, which is just starting: stop it to start another one", e.dir)
	}
	return fmt.Sprintf("%s has a server already: '%s', process %d on %s, since %s. Other commands work beside it; stop it to start another one",
		e.dir, e.Holder.Command, e.Holder.PID, e.Holder.Host, e.Holder.Since.Local().Format(time.DateTime))
}

// heirLooked is how often it is seen whether the lock of a holder that died is free, and heirsLast for how long. A child that was
// just forked has the file open until it becomes another program, which takes a while on a busy machine.
const (
	heirLooked = 5 * time.Millisecond
	heirsLast  = 10 * time.Second
)

// LockServer takes the lock for a command, or returns a [*HeldError] at once if its holder lives.
func LockServer(dir, command string) (*serverLock, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data directory: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "server.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the server lock: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	for began := time.Now(); ; <-time.After(heirLooked) {
		var locked bool
		if locked, err = filelock.Try(file, filelock.Exclusive); locked || err != nil {
			break
		}
		held := &HeldError{dir: dir}
		_ = json.NewDecoder(io.NewSectionReader(file, 0, signedSize)).Decode(&held.Holder) // who is for people, and to see whether it lives
		died := held.Holder.PID != 0 && held.Holder.Host == host && gone(held.Holder.PID)
		if !died || time.Since(began) > heirsLast {
			return nil, errors.Join(held, file.Close())
		}
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", file.Name(), err), file.Close())
	}
	lock := &serverLock{file: file, holder: holder{PID: os.Getpid(), Host: host, Command: command, Since: time.Now().UTC()}}
	lock.sign()
	return lock, nil
}

// sign says who holds the lock. It is only for people: on a full disk the lock holds too.
func (l *serverLock) sign() {
	who, err := json.Marshal(l.holder)
	if err == nil {
		who = append(who, bytes.Repeat([]byte(" "), max(signedSize-len(who), 0))...)
		_, _ = l.file.WriteAt(who, 0)
	}
}

// full says whether the server has no room to write. Commands beside it read that.
func (l *serverLock) full(full bool) {
	l.holder.Full = full
	l.sign()
}

// Release lets another process be the server. To close the file is not enough: a child that was just
// forked has it open until it becomes another program.
func (l *serverLock) Release() error {
	return errors.Join(filelock.Unlock(l.file), l.file.Close())
}
