package app

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The part of an id that lists show names it, and an ambiguous one is refused with the candidates.
func TestWhatListsShowIsAccepted(t *testing.T) {
	t.Parallel()
	const (
		one   = "019aac10-0001-7000-8000-00000badcafe"
		two   = "019aac10-0001-7000-8000-10000badf00d"
		three = "019aac10-0001-7000-8000-20000badf00d"
	)
	all := []resolvable{{id: one, of: "Orders"}, {id: two, of: "Refunds"}, {id: three, of: "Orders"}}
	for id, shown := range map[string]string{one: "0badcafe", two: "10000badf00d", three: "20000badf00d"} {
		found, err := resolve("run", shown, "kintsugi run list", all)
		require.NoError(t, err)
		require.Equal(t, id, found)
	}
	_, err := resolve("run", "badf00d", "kintsugi run list", all)
	require.EqualError(t, err, `"badf00d" could be 2 runs: `+two+` (Refunds), `+three+` (Orders). Give more of the id`)
	_, err = resolve("run", "Orders", "kintsugi run list", all)
	require.ErrorContains(t, err, "there is no run")
}
