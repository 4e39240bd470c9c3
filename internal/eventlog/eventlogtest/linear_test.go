package eventlogtest

import (
	"path/filepath"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"
)

// A bug that is planted is found in 95 of 100 histories or more, in a few in all but one; a sound log is never suspected.
func TestHistoriesFindBugs(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]bug{
		"sound":                    sound,
		"appends before it checks": appendBeforeCheck,
		"checks, then appends":     checkThenAppend,
		"acknowledges 1 append of 200 and forgets it": acknowledgeOnly,
		"reads what was there before":                 staleRead,
		"tells a wrong revision with a conflict":      wrongActual,
		"loses an update between two processes":       lostUpdate,
		"appends a repeat again":                      repeatAppended,
		"keeps half of an append whose context ends":  halfCancelled,
		"shows an append that will be rolled back":    uncommittedRead,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireFound(t, 20, plant != sound, func(seed uint64) (*history, error) {
				stored := newStorage(seed)
				two := []caller{&memory{storage: stored, plant: plant}, &memory{storage: stored, plant: plant}}
				return record(t.Context(), seed, true, two, func() caller { return two[0] })
			})
		})
	}
}

// The same for bugs that show between processes, and when they are killed.
func TestHistoriesUnderKillsFindBugs(t *testing.T) {
	t.Parallel()
	for name, plant := range map[string]string{
		"acknowledges before it commits":             "early",
		"appends where another process has appended": "racing",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "events.db")
			requireFound(t, 2, true, func(seed uint64) (*history, error) {
				h, _, err := recordUnderKills(t.Context(), seed, plant+":"+path)
				return h, err
			})
		})
	}
}

// requireFound asserts that porcupine finds a planted bug, or that nothing is found where none is planted.
func requireFound(t *testing.T, histories int, planted bool, record func(seed uint64) (*history, error)) {
	t.Helper()
	found, such := 0, ""
	var total tally
	eachSeed(t, histories, func(seed uint64) {
		h, err := record(seed)
		require.NotNil(t, h, err)
		total.add(h)
		stream, result := h.check()
		require.NotEqual(t, porcupine.Unknown, result)
		if result == porcupine.Ok {
			if !planted {
				require.NoError(t, err)
			}
			return
		}
		if found++; found == 1 {
			such = h.explain(stream, "")
		}
	})
	t.Log(total)
	t.Logf("found in %d of %d histories, such as:\n%s", found, total.histories, such)
	if planted {
		require.Positive(t, found)
		require.GreaterOrEqual(t, found, total.histories-max(1, total.histories/20))
	} else {
		require.Zero(t, found)
	}
}
