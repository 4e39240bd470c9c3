package sandbox

import (
	"time"
)

// DefaultLimits hold for every field of [Limits] that is zero.
var DefaultLimits = Limits{
	Wall:        10 * time.Second,
	CPU:         5 * time.Second,
	Memory:      256 << 20,
	Calls:       1000,
	LogBytes:    256 << 10,
	ResultBytes: 4 << 20,
}

// MaxCodeBytes is the longest script that is run or checked.
const MaxCodeBytes = 256 << 10

func (l Limits) WithDefaults() Limits {
	return Limits{
		Wall:        orDefault(l.Wall, DefaultLimits.Wall),
		CPU:         orDefault(l.CPU, DefaultLimits.CPU),
		Memory:      orDefault(l.Memory, DefaultLimits.Memory),
		Calls:       orDefault(l.Calls, DefaultLimits.Calls),
		LogBytes:    orDefault(l.LogBytes, DefaultLimits.LogBytes),
		ResultBytes: orDefault(l.ResultBytes, DefaultLimits.ResultBytes),
	}
}

func orDefault[T int | int64 | time.Duration](value, otherwise T) T {
	if value <= 0 {
		return otherwise
	}
	return value
}
