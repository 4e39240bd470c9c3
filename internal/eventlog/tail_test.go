package eventlog_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

func numbered(first, last int64, size int) []eventlog.Record {
	var records []eventlog.Record
	for n := first; n <= last; n++ {
		records = append(records, eventlog.Record{Event: eventlog.Event{Payload: make([]byte, size)}, Position: eventlog.PositionOf(n)})
	}
	return records
}

func positionsOf(records []eventlog.Record) []int64 {
	positions := []int64{}
	for _, record := range records {
		n, _ := record.Position.Number()
		positions = append(positions, n)
	}
	return positions
}

// A follower of a log gets from its tail all events after a position, or none.
func TestTailHasNoGaps(t *testing.T) {
	var tail eventlog.Tail
	require.Empty(t, tail.After(eventlog.Start))

	tail.Add(eventlog.PositionOf(4), numbered(5, 6, 10))
	tail.Add(eventlog.PositionOf(6), numbered(7, 7, 10))
	require.Equal(t, []int64{5, 6, 7}, positionsOf(tail.After(eventlog.PositionOf(4))))
	require.Equal(t, []int64{7}, positionsOf(tail.After(eventlog.PositionOf(6))))
	require.Empty(t, tail.After(eventlog.PositionOf(7)))
	require.Empty(t, tail.After(eventlog.PositionOf(3)), "4 is not here")

	given := tail.After(eventlog.PositionOf(4))
	tail.Add(eventlog.PositionOf(9), numbered(10, 10, 10)) // 8 and 9 are another process's
	require.Empty(t, tail.After(eventlog.PositionOf(7)))
	require.Equal(t, []int64{10}, positionsOf(tail.After(eventlog.PositionOf(9))))
	require.Equal(t, []int64{5, 6, 7}, positionsOf(given), "what was given out stays")
}

// A tail is bounded by the number of its events and by their size, and what is left has no gaps.
func TestTailIsBounded(t *testing.T) {
	for _, size := range []int{10, 100_000} {
		var tail eventlog.Tail
		const last = 10_000
		for n := int64(1); n <= last; n++ {
			tail.Add(eventlog.PositionOf(n-1), numbered(n, n, size))
		}
		require.Equal(t, []int64{last}, positionsOf(tail.After(eventlog.PositionOf(last-1))))
		require.Empty(t, tail.After(eventlog.Start))
		oldest := int64(1)
		for ; len(tail.After(eventlog.PositionOf(oldest-1))) == 0; oldest++ {
		}
		held := tail.After(eventlog.PositionOf(oldest - 1))
		require.Len(t, held, int(last-oldest+1))
		require.LessOrEqual(t, len(held), 4096)
		require.LessOrEqual(t, len(held)*size, 4<<20)
	}
}
