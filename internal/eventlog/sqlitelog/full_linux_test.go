package sqlitelog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

func init() {
	roles["on a full disk"] = fillDisk
	roles["on a failing disk"] = failDisk
}

// TestFullDisk fills a real file system of 2 MiB, in a process with mounts of its own. Where the system does not
// allow that, TestFullFile alone guards the rule.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), roleVariable+"=on a full disk", pathVariable+"="+t.TempDir())
	child.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	output, err := child.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || strings.Contains(string(output), errNoMount.Error()) {
		t.Logf("no file system of our own to be had here (%v %s)", err, output)
		return
	}
	require.NoError(t, err, string(output))
}

var errNoMount = errors.New("mounts are not allowed")

func fillDisk(dir string) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		return fmt.Errorf("%w: %w", errNoMount, err)
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 512<<10), 0o600); err != nil {
		return err
	}
	log, err := sqlitelog.Open(context.Background(), filepath.Join(dir, "events.db"), sqlitelog.Options{})
	if err != nil {
		return err
	}
	acknowledged, err := fill(log)
	if !errors.Is(err, eventlog.ErrFull) {
		return fmt.Errorf("want a full disk, got: %w", err)
	}
	if err := holds(log, acknowledged); err != nil {
		return err
	}
	if _, err := sqlitelog.Open(context.Background(), filepath.Join(dir, "other.db"), sqlitelog.Options{}); !errors.Is(err, eventlog.ErrFull) {
		return fmt.Errorf("want a full disk when a log is made, got: %w", err)
	}
	if err := os.Remove(ballast); err != nil {
		return err
	}
	more := newEvent(make([]byte, 16<<10))
	if _, err := log.Append(context.Background(), "a", eventlog.At(int64(len(acknowledged))-1), []eventlog.Event{more}); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	if err := holds(log, append(acknowledged, more.ID)); err != nil {
		return err
	}
	return log.Close()
}

// TestFailingDisk: after a write that failed for another reason than space nothing is acknowledged any more;
// acknowledged events are there, and a new start goes on.
func TestFailingDisk(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), roleVariable+"=on a failing disk", pathVariable+"="+filepath.Join(t.TempDir(), "events.db"))
	output, err := child.CombinedOutput()
	require.NoError(t, err, string(output))
}

func failDisk(path string) error {
	ctx := context.Background()
	log, err := sqlitelog.Open(ctx, path, sqlitelog.Options{})
	if err != nil {
		return err
	}
	// A write beyond the limit fails with EFBIG, which SQLite knows only as a failed write.
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 20, Max: limit.Max}); err != nil {
		return err
	}
	acknowledged, err := fill(log)
	if errors.Is(err, eventlog.ErrFull) || !errors.Is(err, eventlog.ErrFailed) || !strings.Contains(err.Error(), path) {
		return fmt.Errorf("want a failed disk, got: %w", err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	after := func(log eventlog.Log) error {
		_, err := log.Append(ctx, "after", eventlog.NoStream{}, []eventlog.Event{newEvent(nil)})
		return err
	}
	if err := after(log); !errors.Is(err, eventlog.ErrFailed) {
		return fmt.Errorf("a log whose disk failed must not append again without a new start, got: %w", err)
	}
	if err := holds(log, acknowledged); err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	if log, err = sqlitelog.Open(ctx, path, sqlitelog.Options{}); err != nil {
		return err
	}
	if err := holds(log, acknowledged); err != nil {
		return err
	}
	if err := after(log); err != nil {
		return err
	}
	return log.Close()
}

// fill appends to stream a until an append fails, and returns the ids of the events that were acknowledged.
func fill(log eventlog.Log) (acknowledged []string, err error) {
	for {
		event := newEvent(make([]byte, 16<<10))
		if _, err := log.Append(context.Background(), "a", eventlog.At(int64(len(acknowledged))-1), []eventlog.Event{event}); err != nil {
			return acknowledged, err
		}
		acknowledged = append(acknowledged, event.ID)
	}
}

// holds checks that the log has exactly these events.
func holds(log eventlog.Log, want []string) error {
	var have []string
	for record, err := range log.All(context.Background(), eventlog.Start, eventlog.Everything) {
		if err != nil {
			return err
		}
		have = append(have, record.ID)
	}
	if len(want) == 0 || strings.Join(have, " ") != strings.Join(want, " ") {
		return fmt.Errorf("%d events are there, %d were acknowledged", len(have), len(want))
	}
	return nil
}
