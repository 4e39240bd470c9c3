package sqlitelog_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

// checkpointing is the setting of a log that moves its write-ahead log into the file all the time, beside the appends.
const checkpointing = "checkpoints"

// openForCrash opens the log in the file at "path", or at "setting:path" with one more setting.
func openForCrash(ctx context.Context, where string) (eventlog.Log, error) {
	var options sqlitelog.Options
	if setting, path, found := strings.Cut(where, ":"); found {
		where = path
		if setting == checkpointing {
			options = sqlitelog.WithCheckpoints(options, 20)
		} else {
			options = sqlitelog.WithPragma(options, setting)
		}
	}
	return sqlitelog.Open(ctx, where, options)
}

// TestKill: an acknowledged event is there after a kill -9 of the process that appended it, nothing is there
// twice, and positions have no gaps; one or two processes append. Each of ten logs is killed
// six times, in a campaign hundreds of times, the first time while it is made.
func TestKill(t *testing.T) {
	t.Parallel()
	for i := range 10 {
		t.Run(fmt.Sprintf("log %d", i), func(t *testing.T) {
			t.Parallel()
			crash.Run(t, crash.Config{
				Open:    openForCrash,
				Where:   filepath.Join(t.TempDir(), "events.db"),
				Cycles:  30,
				Gapless: true,
			})
		})
	}
}
