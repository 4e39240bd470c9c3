package pglog_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// TestKill: an acknowledged event is there after a kill -9 of the process that appended it, and nothing
// is there twice; one or two processes append. Each of ten logs is killed thirty times, the first
// time while it is made.
func TestKill(t *testing.T) {
	t.Parallel()
	for i := range 10 {
		t.Run(fmt.Sprintf("log %d", i), func(t *testing.T) {
			t.Parallel()
			crash.Run(t, crash.Config{
				Open:     openForCrash,
				Where:    pgtest.Database(t),
				Cycles:   30,
				Patience: 10 * time.Second,
			})
		})
	}
}
