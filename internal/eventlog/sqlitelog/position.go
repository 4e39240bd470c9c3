package sqlitelog

import (
	"fmt"
	"strconv"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// positionDigits holds every int64, so that positions are ordered as text.
const positionDigits = 19

func formatPosition(pos int64) eventlog.Position {
	if pos == 0 {
		return eventlog.Start
	}
	var digits [positionDigits]byte
	for i := positionDigits - 1; i >= 0; i-- {
		digits[i] = byte('0' + pos%10)
		pos /= 10
	}
	return eventlog.Position(digits[:])
}

func parsePosition(position eventlog.Position) (int64, error) {
	if position == eventlog.Start {
		return 0, nil
	}
	pos, err := strconv.ParseUint(string(position), 10, 63)
	if err != nil || len(position) != positionDigits {
		return 0, fmt.Errorf("sqlitelog: %q is not a position of this log", position)
	}
	return int64(pos), nil
}
