package sqlitelog_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// TestProcesses starts so many processes.
const (
	appenders      = 3
	followers      = 2
	appenderEvents = 300
)

func init() {
	roles["appender"] = inProcess(appendShared)
	roles["follower"] = inProcess(followAll)
}

func inProcess(use func(ctx context.Context, log eventlog.Log) error) func(path string) error {
	return func(path string) error {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
		defer cancel()
		log, err := sqlitelog.Open(ctx, path, sqlitelog.Options{})
		if err != nil {
			return err
		}
		return errors.Join(use(ctx, log), log.Close())
	}
}

// appendShared appends to two streams that all processes append to.
func appendShared(ctx context.Context, log eventlog.Log) error {
	last := [2]int64{-1, -1}
	for n := range appenderEvents {
		for stream := n % 2; ; {
			event := newEvent(fmt.Appendf(nil, "%d", os.Getpid()))
			appended, err := log.Append(ctx, fmt.Sprintf("shared-%d", stream), eventlog.At(last[stream]), []eventlog.Event{event})
			if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok {
				last[stream] = conflict.Actual
				continue
			}
			if err != nil {
				return err
			}
			last[stream] = appended.Last
			break
		}
	}
	return nil
}

// followAll follows the log until everything has come, and holds it to positions and revisions without gaps.
func followAll(ctx context.Context, log eventlog.Log) error {
	next := make(map[string]int64)
	for delivery, err := range log.Subscribe(ctx, eventlog.Start, eventlog.Everything) {
		if err != nil {
			return fmt.Errorf("after %d events: %w", len(next), err)
		}
		if delivery.Record == nil {
			continue
		}
		record := *delivery.Record
		if record.Revision != next[record.Stream] {
			return fmt.Errorf("revision %d of %s comes where %d should", record.Revision, record.Stream, next[record.Stream])
		}
		next[record.Stream]++
		total := next["shared-0"] + next["shared-1"]
		if record.Position != eventlog.PositionOf(total) {
			return fmt.Errorf("event %d has position %s", total, record.Position)
		}
		if total == appenders*appenderEvents {
			return nil
		}
	}
	return nil
}

// Processes append to the same streams at once, others follow: positions and revisions have no gaps, and
// those who wait are woken by what another process appends.
func TestProcesses(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "events.db")
	log := openLog(t, path)
	var group sync.WaitGroup
	for i := range followers + appenders {
		role := "follower"
		if i >= followers {
			role = "appender"
		}
		group.Go(func() {
			child := exec.CommandContext(t.Context(), os.Args[0])
			child.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path)
			if output, err := child.CombinedOutput(); err != nil {
				t.Errorf("%s: %v %s", role, err, output)
			}
		})
	}
	group.Wait()
	eventlogtest.RequireSound(t, log)
	writers := make(map[string]bool)
	for _, record := range readAll(t, log) {
		writers[strings.TrimSpace(string(record.Payload))] = true
	}
	require.Len(t, writers, appenders, "every process appended")
}
