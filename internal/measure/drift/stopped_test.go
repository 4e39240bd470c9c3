package drift_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/measure/drift"
	"github.com/kintsugi-run/kintsugi/internal/repair"
)

// The cause of a stop is mended, also where the stopped run had not come to read it: recorded successes in the new
// shape do, and the stop comes before the first write, so that later calls were never answered.
func TestAStoppedRunIsMendedForLaterDays(t *testing.T) {
	t.Parallel()
	mend := func(name, kind, place string, fixers ...repair.Fixer) (drift.Mends, string) {
		scene, err := drift.Prepare(t.Context(), runner(), named(t, name), 1)
		require.NoError(t, err)
		days, err := scene.QuietDays(t.Context(), 6)
		require.NoError(t, err)
		broken := fault(t, scene, kind, place)
		watched, err := scene.Watch(t.Context(), days, broken.On, false, true)
		require.NoError(t, err)
		require.NotNil(t, watched.First, "%s: %+v", name, watched)
		became, told, err := scene.Mend(t.Context(), broken, *watched.First, fixers...)
		require.NoError(t, err)
		require.Equal(t, 1, became.Stopped)
		return became, told
	}
	became, told := mend("podcast-new", "nested: in attributes", "items[].release_date")
	require.Equal(t, 1, became.Right, told)
	became, told = mend("podcast-new", "type: single to list", "items[].name")
	require.Equal(t, 1, became.Right, told)
	became, told = mend("podcast-new", "type: single to list", "items[].name", proposes(func(code string) string { return strings.ReplaceAll(code, "e.name", "e.name[1]") }))
	require.Equal(t, 1, became.None, "recorded successes in the new shape come to another end: %s", told)
	became, told = mend("reviews-alert", "nested: in attributes", "reviews[].text.text")
	require.Equal(t, 1, became.Right+became.Held, told)
	became, told = mend("inventory-reorder", "lost: another unit", "items[].quantity")
	require.Equal(t, 1, became.Right, "the name and the size of the numbers say by how much: %s", told)
	became, told = mend("podcast-new", "nested: in attributes", "items[].release_date", proposes(func(code string) string { return code + "\n" }))
	require.Equal(t, 1, became.None, "what mends nothing is stopped again: %s", told)
}
