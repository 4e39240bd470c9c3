package workflow

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
)

// limitNames are the limits that people set, in the order they are shown.
var limitNames = []string{"wall", "cpu", "memory", "calls", "log", "result", "fetch", "stored", "runs", "queue"}

// limitOf gives the place of a limit in the settings, and how it is written.
func limitOf(s *workflow.Settings, name string) (value func() int64, set func(int64), unit string) {
	small := func(at *int) (func() int64, func(int64)) {
		return func() int64 { return int64(*at) }, func(v int64) { *at = int(v) }
	}
	large := func(at *int64) (func() int64, func(int64)) {
		return func() int64 { return *at }, func(v int64) { *at = v }
	}
	switch l := &s.Limits; name {
	case "wall":
		value, set = large(&l.WallMS)
		unit = "time"
	case "cpu":
		value, set = large(&l.CPUMS)
		unit = "time"
	case "memory":
		value, set = large(&l.MemoryBytes)
		unit = "bytes"
	case "calls":
		value, set = small(&l.Calls)
		unit = "number"
	case "log":
		value, set = small(&l.LogBytes)
		unit = "bytes"
	case "result":
		value, set = small(&l.ResultBytes)
		unit = "bytes"
	case "fetch":
		value, set = large(&l.FetchBytes)
		unit = "bytes"
	case "stored":
		value, set = large(&l.StoredBytes)
		unit = "bytes"
	case "runs":
		value, set = small(&s.RunsPerHr)
		unit = "number"
	case "queue":
		value, set = small(&s.QueuedInputs)
		unit = "number"
	}
	return value, set, unit
}

// changeLimits sets the limits that were asked for.
func changeLimits(s *workflow.Settings, asked map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		_, set, unit := limitOf(s, name)
		if set == nil {
			return fault.New(fault.Invalid, "--limit %s is not known: there are %s", name, strings.Join(limitNames, ", "))
		}
		value, err := parseLimit(asked[name], unit)
		if err != nil {
			return fault.New(fault.Invalid, "--limit %s=%s: %w", name, asked[name], err)
		}
		set(value)
	}
	return nil
}

var byteUnits = []struct {
	name string
	size int64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}, {"", 1}}

// mostBytes keeps products far from overflow.
const mostBytes = 1 << 40

func parseLimit(text, unit string) (int64, error) {
	if text == "0" {
		return 0, nil
	}
	switch unit {
	case "time":
		span, err := time.ParseDuration(text)
		if err != nil || span < time.Millisecond {
			return 0, fmt.Errorf("write a time like 500ms or 30s")
		}
		return span.Milliseconds(), nil
	case "bytes":
		for _, unit := range byteUnits {
			digits, found := strings.CutSuffix(text, unit.name)
			if !found {
				continue
			}
			n, err := strconv.ParseInt(digits, 10, 64)
			if err != nil || n < 1 || n > mostBytes/unit.size {
				break
			}
			return n * unit.size, nil
		}
		return 0, fmt.Errorf("write a size like 65536, 512KiB or 64MiB")
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("write a number")
	}
	return n, nil
}

// limitsText shows the limits that are not the default.
func limitsText(s workflow.Settings) string {
	var shown []string
	for _, name := range limitNames {
		value, _, unit := limitOf(&s, name)
		switch v := value(); {
		case v == 0, name == "queue" && v == workflow.DefaultQueuedInputs:
		case unit == "time":
			shown = append(shown, fmt.Sprintf("%s=%s", name, time.Duration(v)*time.Millisecond))
		case unit == "bytes":
			for _, unit := range byteUnits {
				if v%unit.size == 0 {
					shown = append(shown, fmt.Sprintf("%s=%d%s", name, v/unit.size, unit.name))
					break
				}
			}
		default:
			shown = append(shown, fmt.Sprintf("%s=%d", name, v))
		}
	}
	return strings.Join(shown, ", ")
}
