package selftest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/measure/drift"
)

// A wrong repair and a wrong class are counted, told, and no success.
func TestSelftestTellsWhatIsWrong(t *testing.T) {
	t.Parallel()
	pass := selftestPass{Fixers: []string{"templates"}, Ways: map[string]selftestWay{}, Trials: []selftestTrial{
		{Title: "A", Way: BreakDrift, Want: "logic", Class: "logic", Became: BecameRepaired, Repair: drift.Right},
		{Title: "B", Way: BreakLoss, Change: "lost: null, GET x y", Want: "logic", Class: "logic", Became: BecameRepaired, Repair: drift.Wrong},
		{Title: "C", Way: BreakCredentials, Change: "status 401", Want: "auth", Class: "logic", Became: becameEscalated, Error: "Error: no"},
		{Title: "D", Way: BreakDrift, Want: "logic", Became: becameSilent},
	}}
	pass.count()
	require.Equal(t, 1, pass.WrongRepairs)
	require.Equal(t, 1, pass.Misclassified)
	require.InDelta(t, 0.75, pass.Detection, 1e-9)
	require.InDelta(t, 1, pass.Repair, 1e-9, "of the drifts that failed")
	require.InDelta(t, 0.5, pass.FalseRepair, 1e-9)
	require.InDelta(t, 2.0/3, pass.Classes, 1e-9)
	var told strings.Builder
	Result{Seed: 3, Passes: []selftestPass{pass}}.write(&told)
	require.Contains(t, told.String(), "WRONG REPAIR: B, payload loss (lost: null, GET x y)")
	require.Contains(t, told.String(), "WRONG CLASS: C, wrong credentials (status 401) is auth, not logic: Error: no")
	require.NotContains(t, told.String(), "Nothing was repaired wrongly")
}
