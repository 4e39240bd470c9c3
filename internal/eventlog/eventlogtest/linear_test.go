package eventlogtest

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Planted bugs are found in 95 of 100 histories or more; a sound log is never suspected.
func TestHistoriesFindBugs(t *testing.T) {
	t.Parallel()
	const histories = 40
	for name, plant := range map[string]bug{
		"sound":                    sound,
		"appends before it checks": appendBeforeCheck,
		"checks, then appends":     checkThenAppend,
		"acknowledges 1 append of 200 and is lost": acknowledgeOnly,
		"stale read":                        staleRead,
		"conflict with a wrong revision":    wrongActual,
		"lost update between two processes": lostUpdate,
		"appends a repeat again":            repeatAppended,
		"half of a cancelled append":        halfCancelled,
		"reads what is rolled back":         uncommittedRead,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := 0
			var total tally
			var last string
			eachSeed(t, histories, func(seed uint64) {
				stored := newStorage(seed)
				two := []caller{&memory{storage: stored, plant: plant}, &memory{storage: stored, plant: plant}}
				h, err := record(t.Context(), seed, true, two, func() caller { return two[0] })
				if h == nil { // a client met what no log may answer
					found++
					last = err.Error()
					return
				}
				total.add(h)
				// Porcupine is to find it, also where holding the end against the whole log did.
				if _, fault := h.check(); fault != "" {
					found++
					last = fault
				} else if plant == sound {
					require.NoError(t, err)
				}
			})
			t.Log(total)
			t.Logf("found in %d of %d histories, such as:\n%s", found, total.histories, last)
			if plant == sound {
				require.Zero(t, found)
			} else {
				require.GreaterOrEqual(t, found*100, histories*95)
			}
		})
	}
}
