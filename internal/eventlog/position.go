package eventlog

import (
	"fmt"
	"math"
	"strconv"
)

// Position is a place in the whole log, ordered as text. Its form is the backend's own: compare it, keep it, and give
// it back to the same log. The zero Position is before the first event.
type Position string

const (
	// Start is the position before the first event.
	Start Position = ""
	// End is a position after every event, to read a log backward from its end.
	End Position = "9223372036854775807"
)

// positionDigits holds every int64, so that positions are ordered as text.
const positionDigits = 19

// PositionOf writes a backend's own number of an event, which is greater than 0 and rises along
// the log. It panics on a negative one: that is a mistake in the backend. 0 is [Start].
func PositionOf(number int64) Position {
	if number < 0 {
		panic(fmt.Sprintf("eventlog: position of the negative number %d", number))
	}
	if number == 0 {
		return Start
	}
	var digits [positionDigits]byte
	for i := positionDigits - 1; i >= 0; i-- {
		digits[i] = byte('0' + number%10)
		number /= 10
	}
	return Position(digits[:])
}

// Number is the inverse of [PositionOf]; [Start] is 0. It refuses text that is no position.
func (p Position) Number() (int64, error) {
	if p == Start {
		return 0, nil
	}
	number, err := strconv.ParseUint(string(p), 10, 64)
	if err != nil || len(p) != positionDigits || number > math.MaxInt64 {
		return 0, fmt.Errorf("eventlog: %q is not a position of a log", string(p))
	}
	return int64(number), nil
}
