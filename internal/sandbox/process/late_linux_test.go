package process

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

// Rule: time on the clock counts for a script only while it had the processor; whoever was given none is not waited for any longer.
func TestTimeOnTheClockCountsWithTheProcessor(t *testing.T) {
	t.Parallel()
	self, err := os.FindProcess(os.Getpid())
	require.NoError(t, err)
	here := &process{command: &exec.Cmd{Process: self}}
	const wall = 10 * time.Hour // what this test uses itself is nothing to it
	for name, of := range map[string]struct {
		used, lately time.Duration
		more         time.Duration
		starved      bool
	}{
		"half of it":        {5 * time.Hour, 5 * time.Hour, killTime, false},
		"a tenth of it":     {time.Hour, time.Hour, wall, false},
		"none of it lately": {4 * time.Hour, 0, 0, true},
	} {
		now := here.processor()
		c := conversation{process: here, limits: sandbox.Limits{Wall: wall}, began: now - of.used, looked: now - of.lately}
		require.Equal(t, of.more, c.more(), name)
		require.Equal(t, of.starved, c.starved, name)
		if c.late {
			require.Zero(t, c.more(), "once")
		}
	}
	// One that yields has had its share when another one would have had next to none.
	used := here.processor()
	require.True(t, here.starved(0, 500*used))
	here.behind.Store(true)
	require.False(t, here.starved(0, 500*used))
	unknown := conversation{process: &process{command: &exec.Cmd{Process: &os.Process{Pid: 1 << 27}}}, limits: sandbox.Limits{Wall: wall}}
	require.Equal(t, killTime, unknown.more(), "by the clock alone, where nothing else is known")

	for used, stops := range map[time.Duration]bool{6 * time.Hour: true, time.Hour: false} {
		g := guard{run: engine.NewRun(sandbox.Execution{Limits: sandbox.Limits{Wall: wall}}, sandbox.NewBindings(nil), nil), used: processorTime() - used}
		g.clock.start(wall, func() {})
		g.overdue()
		g.mu.Lock()
		require.Equal(t, stops, g.last != nil)
		if g.clock.timer.Stop(); g.last != nil {
			require.True(t, g.last.Stop())
		}
		g.mu.Unlock()
	}
}
