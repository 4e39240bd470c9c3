package schedule

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// These are spellings of other schedulers that this one does not understand. They are recognised to say what to write
// instead.
var (
	zonePrefix = regexp.MustCompile(`(?i)^(?:CRON_)?TZ=(\S+)\s+(.*)$`)
	cloudCron  = regexp.MustCompile(`(?i)^cron\((\S+(?: \S+){4})(?: \S+)?\)$`)
	cloudRate  = regexp.MustCompile(`(?i)^(?:rate\()?(?:every )?(\d{0,3}) ?(second|minute|hour|day|week)s?\)?$`)
	lastDay    = regexp.MustCompile(`(?i)^(?:L(?:W|-\d+)?|\d+W|LW)$`)
	nthWeekday = regexp.MustCompile(`(?i)^([0-7]|sun|mon|tue|wed|thu|fri|sat)(#[1-5]|L)$`)
)

// replacement names what to write in the place of what another scheduler would have understood.
// It is nil for everything else.
func replacement(fields []string) error {
	spec := strings.Join(fields, " ")
	if m := zonePrefix.FindStringSubmatch(spec); m != nil {
		return fmt.Errorf("the time zone is given beside it: write %q with the zone %s", m[2], m[1])
	}
	if m := cloudCron.FindStringSubmatch(spec); m != nil {
		return fmt.Errorf("write %q", m[1])
	}
	if m := cloudRate.FindStringSubmatch(spec); m != nil {
		return fmt.Errorf("write %q", interval(m[1], strings.ToLower(m[2])))
	}
	word := strings.ToLower(spec)
	if _, known := macros["@"+word]; known {
		return fmt.Errorf("write %q", "@"+word)
	}
	switch {
	case word == "@reboot":
		return errors.New("there is no start of a machine to wait for: write when, such as '@hourly'")
	case len(fields) == 7:
		return fmt.Errorf("it has 7 fields: there is none for the year; write %q, or 'at 2026-03-01 08:00' for one moment", strings.Join(fields[:6], " "))
	case len(fields) < 5:
		return nil
	}
	day, weekday := fields[len(fields)-3], fields[len(fields)-1]
	plain := func(place int, by string) string {
		written := append([]string{}, fields...)
		written[len(written)-place] = by
		return strings.Join(written, " ")
	}
	if lastDay.MatchString(day) {
		return fmt.Errorf("the day of month %q counts from the end, or among workdays: write %q, and let the script look at input.slot", day, plain(3, "*"))
	}
	if m := nthWeekday.FindStringSubmatch(weekday); m != nil {
		return fmt.Errorf("the day of week %q is one of a month: write %q, and let the script look at the day in input.slot", weekday, plain(1, m[1]))
	}
	for _, text := range fields {
		if strings.HasPrefix(text, "H") || strings.Contains(text, "~") {
			return fmt.Errorf("%q is a value by chance: write a number, and a jitter beside the schedule", text)
		}
	}
	return nil
}

// interval is a schedule of n units, as it is written here.
func interval(text, unit string) string {
	n, err := strconv.Atoi(text)
	if err != nil {
		n = 1
	}
	hours := map[string]int{"day": 24, "week": 7 * 24}[unit]
	switch {
	case hours > 0 && n == 1:
		return map[string]string{"day": "@daily", "week": "@weekly"}[unit]
	case hours > 0:
		return fmt.Sprintf("every %dh", n*hours)
	}
	return fmt.Sprintf("every %d%s", n, unit[:1])
}
