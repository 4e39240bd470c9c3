package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

// Launcher launches programs. Its methods may be called from many goroutines.
type Launcher struct {
	// Self is the binary that supervises: one whose main looks at [IsSupervisor] first.
	Self string

	mu  sync.Mutex
	own map[string]chan struct{} // supervisors of this life, by directory; closed when they are gone
}

// New is a launcher with supervisors of this same binary.
func New() (*Launcher, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("launch: find this binary: %w", err)
	}
	return &Launcher{Self: self}, nil
}

// Start launches a program in a directory that is made for the launch; if there is a launch in it, it goes on with that.
// It returns when the launch is on record or could not be begun.
func (l *Launcher) Start(ctx context.Context, dir string, spec Spec) error {
	if len(spec.Argv) == 0 || spec.Timeout <= 0 || spec.MaxOutput <= 0 {
		return errors.New("launch: a program needs arguments, a time and a bound for its output")
	}
	if err := supported(); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	if _, there, err := Supervisor(dir); there || err != nil {
		return err
	}
	said, err := json.Marshal(spec)
	if err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	supervisor := exec.Command(l.Self)
	supervisor.Dir, supervisor.Env = dir, []string{supervisorMark + "=" + dir}
	inOwnSession(supervisor)
	supervisor.Stdin = bytes.NewReader(said) // not a pipe of ours: one that ends at once has it closed before us
	if err := supervisor.Start(); err != nil {
		return fmt.Errorf("launch: start a supervisor: %w", err)
	}
	gone := make(chan struct{})
	l.mu.Lock()
	if l.own == nil {
		l.own = map[string]chan struct{}{}
	}
	l.own[dir] = gone
	l.mu.Unlock()
	go func() {
		_ = supervisor.Wait() // how it ended is in the directory
		l.mu.Lock()
		delete(l.own, dir)
		l.mu.Unlock()
		close(gone)
	}()
	return until(ctx, gone, func() (bool, error) {
		ended := false
		select {
		case <-gone:
			ended = true
		default:
		}
		_, there, err := Supervisor(dir)
		if ended && !there && err == nil {
			err = errors.New("launch: the supervisor ended before it began: look for what ends processes on this machine, and try again")
		}
		return there, err
	})
}

// Wait returns how a launch ended, when it has. One that no supervisor is there for any more and that left no word is
// [Lost]; what it left running is ended.
func (l *Launcher) Wait(ctx context.Context, dir string) (Ended, error) {
	l.mu.Lock()
	gone := l.own[dir]
	l.mu.Unlock()
	var ended Ended
	err := until(ctx, gone, func() (there bool, err error) {
		if ended, there, err = Result(dir); there || err != nil {
			return there, err
		}
		process, begun, err := Supervisor(dir)
		if err != nil || begun && process.alive() {
			return false, err
		}
		if !begun {
			return false, fmt.Errorf("launch: nothing was launched in %s", dir)
		}
		if ended, there, err = Result(dir); there || err != nil { // it may have ended well in between
			return there, err
		}
		return true, l.reap(dir, Lost, &ended)
	})
	return ended, err
}

// reap ends the remaining processes of a launch whose supervisor is gone, and writes down why it ended.
func (l *Launcher) reap(dir string, reason Reason, ended *Ended) error {
	left, err := endRest(dir, 0)
	if err != nil {
		return err
	}
	info, err := os.Stat(OutputPath(dir))
	if err == nil {
		ended.Output = info.Size()
	}
	ended.Reason, ended.Left, ended.At = reason, left, time.Now().UTC()
	if _, err := writeOnce(filepath.Join(dir, endedFile), *ended); err != nil {
		return fmt.Errorf("launch: %w", err)
	}
	*ended, _, err = Result(dir)
	return err
}

// End has a launch end with all that it started, and returns when nothing of it is left. One that has not begun never
// will.
func (l *Launcher) End(ctx context.Context, dir string) (Ended, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Ended{}, fmt.Errorf("launch: %w", err)
	}
	// If there is no supervisor yet, none comes any more.
	if _, err := writeOnce(filepath.Join(dir, processFile), Process{}); err != nil {
		return Ended{}, fmt.Errorf("launch: %w", err)
	}
	process, _, err := Supervisor(dir)
	if err != nil {
		return Ended{}, err
	}
	if ended, there, err := Result(dir); there || err != nil {
		return ended, err
	}
	if process.alive() {
		if err := ask(process.PID); err != nil {
			return Ended{}, fmt.Errorf("launch: end process %d: %w", process.PID, err)
		}
		patience, cancel := context.WithTimeout(ctx, 3*endGrace)
		defer cancel()
		err := until(patience, nil, func() (bool, error) {
			_, there, err := Result(dir)
			return there || !process.alive(), err
		})
		if ctx.Err() != nil {
			return Ended{}, err
		}
		if process.alive() {
			kill(process.PID)
		}
	}
	if ended, there, err := Result(dir); there || err != nil {
		return ended, err
	}
	var ended Ended
	err = l.reap(dir, Killed, &ended)
	return ended, err
}

// lookEvery is how often a launch of an earlier life is looked at, at first and at last.
const (
	lookFirst = 2 * time.Millisecond
	lookLast  = 250 * time.Millisecond
)

// until looks until there is what is waited for; at once when gone is closed, and once more after that.
func until(ctx context.Context, gone <-chan struct{}, there func() (bool, error)) error {
	for pause := lookFirst; ; pause = min(2*pause, lookLast) {
		if is, err := there(); is || err != nil {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-gone:
			gone = nil
			timer.Stop()
			continue
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}
