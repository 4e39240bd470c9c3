package eventlog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Positions are ordered as text, as numbers are.
func TestPosition(t *testing.T) {
	t.Parallel()
	last := eventlog.Start
	for _, pos := range []int64{0, 1, 9, 10, 99, 100, 1 << 40, 1<<63 - 1} {
		position := eventlog.PositionOf(pos)
		if pos > 0 {
			require.Greater(t, position, last)
		}
		last = position
		back, err := position.Number()
		require.NoError(t, err)
		require.Equal(t, pos, back)
	}
	for _, bad := range []eventlog.Position{"1", "-000000000000000001", "9999999999999999999", "000000000000000000x"} {
		_, err := bad.Number()
		require.Error(t, err, bad)
	}
}
