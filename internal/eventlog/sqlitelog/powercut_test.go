package sqlitelog_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest/crash"
	"github.com/kintsugi-run/kintsugi/internal/measure/lossydisk"
)

// mountLossy mounts a disk whose power can be cut. False says that the test is excused.
func mountLossy(t *testing.T) (disk *lossydisk.Mounted, dir string, mounted bool) {
	t.Helper()
	dir = t.TempDir()
	disk, err := lossydisk.Mount(dir)
	if errors.Is(err, lossydisk.ErrNoFUSE) && lossydisk.Excused() {
		t.Logf("POWER CUTS ARE NOT TESTED: %v", err)
		return nil, dir, false
	}
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, disk.Close()) })
	return disk, dir, true
}

// TestPowerCut: after the power was cut, with none, half or all of what was not synced on the
// disk, the log opens and has every acknowledged event, as [TestKill] has it. Twenty cuts each, in a campaign a
// thousand: half of them of young logs, the first while they are made, half of one that moves its write-ahead log
// into the file all the time.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	for _, keep := range []float64{0, 0.5, 1} {
		t.Run(fmt.Sprintf("keep %v/young", keep), func(t *testing.T) {
			t.Parallel()
			if disk, dir, mounted := mountLossy(t); mounted {
				for i := range 4 {
					crash.Run(t, cutting(disk, filepath.Join(dir, fmt.Sprintf("events-%d.db", i)), keep, 12))
				}
			}
		})
		for name, setting := range map[string]string{"checkpoints of SQLite": "wal_autocheckpoint = 20", "checkpoints": checkpointing} {
			t.Run(fmt.Sprintf("keep %v/%s", keep, name), func(t *testing.T) {
				t.Parallel()
				if disk, dir, mounted := mountLossy(t); mounted {
					crash.Run(t, cutting(disk, setting+":"+filepath.Join(dir, "events.db"), keep, 50))
				}
			})
		}
	}
}

// Negative control: a log that is not synced at each commit loses acknowledged events.
func TestPowerCutWithoutSync(t *testing.T) {
	t.Parallel()
	for _, keep := range []float64{0, 0.5} {
		t.Run(fmt.Sprintf("keep %v", keep), func(t *testing.T) {
			t.Parallel()
			disk, dir, mounted := mountLossy(t)
			if !mounted {
				return
			}
			_, err := crash.Check(t.Context(), cutting(disk, "synchronous = normal:"+filepath.Join(dir, "events.db"), keep, 100))
			fault, ok := errors.AsType[*crash.FaultError](err)
			require.Truef(t, ok, "want a fault, got %v", err)
			require.Contains(t, fault.What, "was acknowledged, and is lost")
		})
	}
}

func cutting(disk *lossydisk.Mounted, where string, keep float64, cycles int) crash.Config {
	return crash.Config{
		Open:             openForCrash,
		Where:            where,
		Cycles:           cycles,
		VerifyEvery:      3,
		Processes:        1,
		Acknowledgements: 16,
		Gapless:          true,
		AfterKill: func(_ context.Context, cycle int) error {
			// Pages are lost whole, or torn.
			return disk.Cut(lossydisk.Loss{Keep: keep, Unit: []int64{lossydisk.Page, lossydisk.Sector}[cycle%2], Seed: uint64(cycle)})
		},
	}
}
