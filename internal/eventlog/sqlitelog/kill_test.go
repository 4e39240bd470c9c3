package sqlitelog_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
)

func openForCrash(ctx context.Context, path string) (eventlog.Log, error) {
	return sqlitelog.Open(ctx, path, sqlitelog.Options{})
}

// TestKill: an acknowledged event is there after a kill -9 of the process that appended it, nothing is there
// twice, and positions have no gaps; one or two processes append. Each of ten logs is killed
// thirty times, the first time while it is made.
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
