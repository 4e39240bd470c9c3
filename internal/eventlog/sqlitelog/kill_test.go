package sqlitelog_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

func init() { roles["appender"] = appendForEver }

// appendForEver appends from 8 goroutines to 3 streams and prints a line for each
// event that was acknowledged, once it was.
func appendForEver(path string) error {
	ctx := context.Background()
	log, err := sqlitelog.Open(ctx, path, sqlitelog.Options{})
	if err != nil {
		return err
	}
	failures := make(chan error)
	for writer := range 8 {
		go func() {
			stream, last := fmt.Sprintf("s%d", writer%3), int64(-1)
			for {
				batch := make([]eventlog.Event, 1+writer%2*3)
				for i := range batch {
					batch[i] = eventlog.Event{ID: uuid.NewString(), Type: "Tested", SchemaVersion: 1, Payload: make([]byte, 100*writer)}
				}
				appended, err := log.Append(ctx, stream, eventlog.At(last), batch)
				if conflict, ok := errors.AsType[*eventlog.ConflictError](err); ok {
					last = conflict.Actual
					continue
				}
				if err != nil {
					failures <- err
					return
				}
				last = appended.Last
				var lines strings.Builder
				for i, event := range batch {
					fmt.Fprintf(&lines, "%s %d %s\n", stream, appended.First+int64(i), event.ID)
				}
				if _, err := os.Stdout.WriteString(lines.String()); err != nil {
					failures <- err
					return
				}
			}
		}()
	}
	return <-failures
}

type place struct {
	stream   string
	revision int64
}

// TestKill: an acknowledged event is there after a kill -9 of the process that appended it, nothing is there
// twice, and positions have no gaps. In every other cycle two processes append at the same time.
// KINTSUGI_KILL_CYCLES sets the number of cycles.
func TestKill(t *testing.T) {
	t.Parallel()
	cycles := 30
	if n, err := strconv.Atoi(os.Getenv("KINTSUGI_KILL_CYCLES")); err == nil {
		cycles = n
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))

	var path string
	var acknowledged map[place]string
	total := 0
	for cycle := range cycles {
		if cycle%10 == 0 { // a log is killed ten times
			path, acknowledged = filepath.Join(t.TempDir(), "events.db"), make(map[place]string)
		}
		var mu sync.Mutex
		var group sync.WaitGroup
		for range 1 + cycle%2 {
			after := random.IntN(150)
			group.Go(func() {
				lines := runUntilKilled(t, path, after)
				mu.Lock()
				defer mu.Unlock()
				for _, line := range lines {
					var at place
					var id string
					if _, err := fmt.Sscan(line, &at.stream, &at.revision, &id); err != nil {
						t.Errorf("line %q: %v", line, err)
					}
					if other, taken := acknowledged[at]; taken {
						t.Errorf("%v was acknowledged for %s and for %s", at, other, id)
					}
					acknowledged[at] = id
					total++
				}
			})
		}
		group.Wait()
		requireAcknowledged(t, path, acknowledged)
	}
	t.Logf("%d cycles, %d events acknowledged, none lost", cycles, total)
}

// runUntilKilled runs an appender and kills it once it has acknowledged some events. It
// returns everything that was acknowledged.
func runUntilKilled(t *testing.T, path string, after int) []string {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), roleVariable+"=appender", pathVariable+"="+path)
	var stderr strings.Builder
	child.Stderr = &stderr
	output, err := child.StdoutPipe()
	if err == nil {
		err = child.Start()
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	var lines []string
	reader := bufio.NewReader(output)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			if !errors.Is(err, io.EOF) || line != "" {
				t.Errorf("output ends with %q: %v", line, err)
			}
			break
		}
		lines = append(lines, strings.TrimSpace(line))
		if len(lines) == after+1 {
			if err := child.Process.Kill(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := child.Wait(); err == nil || stderr.Len() > 0 {
		t.Errorf("the appender ended by itself: %v %s", err, stderr.String())
	}
	return lines
}

func requireAcknowledged(t *testing.T, path string, acknowledged map[place]string) {
	t.Helper()
	log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
	require.NoError(t, err)
	defer func() { require.NoError(t, log.Close()) }()
	eventlogtest.RequireSound(t, log)
	stored := make(map[place]string)
	next := 1
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Everything) {
		require.NoError(t, err)
		position, err := strconv.Atoi(string(record.Position))
		require.NoError(t, err)
		require.Equal(t, next, position, "positions have no gaps")
		next++
		stored[place{record.Stream, record.Revision}] = record.ID
	}
	for at, id := range acknowledged {
		require.Equalf(t, id, stored[at], "%v was acknowledged", at)
	}
}
