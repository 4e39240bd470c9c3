// Package schedule says when a workflow is due: it reads what a person wrote and computes the
// next slot. It is pure: the caller brings the moment and the time zone.
//
// A schedule is one of
//
//	30 7 * * mon-fri        five fields: minute, hour, day of month, month, day of week
//	15 30 7 * * *           six fields: seconds first
//	@hourly @daily @midnight @weekly @monthly @yearly @annually
//	every 15m, @every 15m   each multiple of 15 minutes since 1970-01-01 00:00 UTC
//	at 2026-03-01 08:00     once; also with seconds, or as RFC 3339 with an offset
//
// A range of weekdays may go over Sunday (fri-mon). Other features of other schedulers are refused, and the error
// says what to write instead.
//
// # Daylight saving
//
// A time that the clock skips runs once, right after the gap; several of them are one slot. A time that comes twice
// runs the first time only: people who write an hour mean one run a day. A star for the hour (also with a step, or
// every …) means elapsed time: such schedules have no slot in the gap and go on through both passes of a repeated
// hour. It is the rule of ISC cron.
package schedule

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Schedule is when something is due, in one time zone. The zero value is never due.
type Schedule struct {
	next func(after time.Time) (time.Time, bool)
}

// Next is the first slot strictly after a moment; false if there is none any more. Slots are whole
// seconds, in the schedule's zone.
func (s Schedule) Next(after time.Time) (time.Time, bool) {
	if s.next == nil {
		return time.Time{}, false
	}
	return s.next(after)
}

// Parse reads a schedule. The error says which part is wrong and what is allowed.
func Parse(spec string, zone *time.Location) (Schedule, error) {
	fields := strings.Fields(spec)
	refuse := func(err error) (Schedule, error) {
		return Schedule{}, fmt.Errorf("schedule %q: %w", spec, err)
	}
	if len(fields) == 0 {
		return refuse(errors.New("it is empty; write five cron fields, @daily, 'every 15m' or 'at 2026-03-01 08:00'"))
	}
	var next func(time.Time) (time.Time, bool)
	var err error
	switch rest := strings.Join(fields[1:], " "); strings.ToLower(fields[0]) {
	case "every", "@every":
		next, err = parseEvery(rest, zone)
	case "at":
		next, err = parseAt(rest, zone)
	default:
		next, err = parseCron(fields, zone)
	}
	if err != nil {
		if other := replacement(fields); other != nil {
			err = other
		}
		return refuse(err)
	}
	return Schedule{next: next}, nil
}

// longestInterval keeps sums of times far from overflow; for years there are cron fields.
const longestInterval = 366 * 24 * time.Hour

func parseEvery(text string, zone *time.Location) (func(time.Time) (time.Time, bool), error) {
	interval, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q is not a duration; write for example 'every 90s', 'every 15m', 'every 6h'", text)
	case interval < time.Second || interval%time.Second != 0:
		return nil, fmt.Errorf("%s is not a whole number of seconds, at least one", text)
	case interval > longestInterval:
		return nil, fmt.Errorf("%s is longer than %s", text, longestInterval)
	}
	step := int64(interval / time.Second)
	return func(after time.Time) (time.Time, bool) {
		return time.Unix((floorDiv(after.Unix(), step)+1)*step, 0).In(zone), true
	}, nil
}

func floorDiv(a, b int64) int64 {
	quotient := a / b
	if a%b < 0 {
		quotient--
	}
	return quotient
}

// The ways to write one moment in the schedule's own zone.
var civilLayouts = []string{"2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04"}

func parseAt(text string, zone *time.Location) (func(time.Time) (time.Time, bool), error) {
	slot, err := time.Parse(time.RFC3339, text)
	if err != nil {
		var written time.Time
		for _, layout := range civilLayouts {
			if written, err = time.Parse(layout, text); err == nil {
				break
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%q is not a time; write for example 'at 2026-03-01 08:00' or 'at 2026-03-01T08:00:00+01:00'", text)
		}
		slot = firstAt(civil(written.Unix()), zone)
	}
	slot = slot.Truncate(time.Second).In(zone)
	return func(after time.Time) (time.Time, bool) { return slot, slot.After(after) }, nil
}
