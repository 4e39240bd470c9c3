package pglog_test

import (
	"testing"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// Histories can be explained also when the processes are killed in the middle.
func TestLinearizableUnderKills(t *testing.T) {
	t.Parallel()
	eventlogtest.LinearizableUnderKills(t, 6, pgtest.Database(t))
}
