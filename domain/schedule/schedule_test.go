package schedule

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the same zones on every machine

	netresearch "github.com/netresearch/go-cron"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	loaded, err := time.LoadLocation(name)
	require.NoError(t, err)
	return loaded
}

// slots gives the first n slots after a moment, as the zone's clock shows them.
func slots(t testing.TB, spec, zoneName, after string, n int) []string {
	t.Helper()
	in := zone(t, zoneName)
	s, err := Parse(spec, in)
	require.NoError(t, err)
	from, err := time.Parse(time.RFC3339, after)
	require.NoError(t, err)
	var all []string
	for range n {
		next, ok := s.Next(from)
		if !ok {
			break
		}
		require.True(t, next.After(from), "slots go forward")
		all = append(all, next.Format("Mon 2006-01-02 15:04:05 -07"))
		from = next
	}
	return all
}

func TestSlots(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string][]string{
		"30 7 * * mon-fri":             {"Thu 2026-01-01 07:30:00 +00", "Fri 2026-01-02 07:30:00 +00", "Mon 2026-01-05 07:30:00 +00"},
		"15 30 7 * * *":                {"Thu 2026-01-01 07:30:15 +00", "Fri 2026-01-02 07:30:15 +00"},
		"*/20 10-11 * * ?":             {"Thu 2026-01-01 10:00:00 +00", "Thu 2026-01-01 10:20:00 +00", "Thu 2026-01-01 10:40:00 +00", "Thu 2026-01-01 11:00:00 +00"},
		"0 0 13 * FRI":                 {"Fri 2026-01-02 00:00:00 +00", "Fri 2026-01-09 00:00:00 +00", "Tue 2026-01-13 00:00:00 +00"},
		"0 0 * JAN,jul 7":              {"Sun 2026-01-04 00:00:00 +00"},
		"0 0 * * 5-7":                  {"Fri 2026-01-02 00:00:00 +00", "Sat 2026-01-03 00:00:00 +00", "Sun 2026-01-04 00:00:00 +00", "Fri 2026-01-09 00:00:00 +00"},
		"10/25 6 1 1 *":                {"Thu 2026-01-01 06:10:00 +00", "Thu 2026-01-01 06:35:00 +00", "Fri 2027-01-01 06:10:00 +00"},
		"0 12 29 2 *":                  {"Tue 2028-02-29 12:00:00 +00", "Sun 2032-02-29 12:00:00 +00"},
		"@hourly":                      {"Thu 2026-01-01 06:00:00 +00", "Thu 2026-01-01 07:00:00 +00"},
		"@Daily":                       {"Fri 2026-01-02 00:00:00 +00"},
		"@weekly":                      {"Sun 2026-01-04 00:00:00 +00"},
		"@monthly":                     {"Sun 2026-02-01 00:00:00 +00"},
		"@yearly":                      {"Fri 2027-01-01 00:00:00 +00"},
		"Every 6h":                     {"Thu 2026-01-01 06:00:00 +00", "Thu 2026-01-01 12:00:00 +00"},
		"every 6h":                     {"Thu 2026-01-01 06:00:00 +00", "Thu 2026-01-01 12:00:00 +00"},
		"every 90s":                    {"Thu 2026-01-01 05:31:30 +00", "Thu 2026-01-01 05:33:00 +00"},
		"at 2026-01-01 08:00":          {"Thu 2026-01-01 08:00:00 +00"},
		"at 2026-01-01T08:00:30":       {"Thu 2026-01-01 08:00:30 +00"},
		"at 2026-01-01T08:00:00+02:00": {"Thu 2026-01-01 06:00:00 +00"},
		"at 2025-12-31 08:00":          nil,
		"@every 6h":                    {"Thu 2026-01-01 06:00:00 +00", "Thu 2026-01-01 12:00:00 +00"},
		"0 0 * * mon-sun":              {"Fri 2026-01-02 00:00:00 +00", "Sat 2026-01-03 00:00:00 +00", "Sun 2026-01-04 00:00:00 +00", "Mon 2026-01-05 00:00:00 +00"},
		"0 0 * * fri-mon":              {"Fri 2026-01-02 00:00:00 +00", "Sat 2026-01-03 00:00:00 +00", "Sun 2026-01-04 00:00:00 +00", "Mon 2026-01-05 00:00:00 +00", "Fri 2026-01-09 00:00:00 +00"},
		"0 0 * * 6-0":                  {"Sat 2026-01-03 00:00:00 +00", "Sun 2026-01-04 00:00:00 +00", "Sat 2026-01-10 00:00:00 +00"},
	} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, want, slots(t, spec, "UTC", "2026-01-01T05:30:00Z", max(len(want), 1)))
		})
	}
}

// The policy of the package comment, at real transitions.
func TestDaylightSaving(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ rule, spec, zone, after, want string }{
		{"a time in the gap runs once, right after", "30 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", "Sun 2026-03-08 03:00:00 -04, Mon 2026-03-09 02:30:00 -04"},
		{"several in the gap are one slot", "*/15 2 * * *", "America/New_York", "2026-03-07T12:00:00Z", "Sun 2026-03-08 03:00:00 -04, Mon 2026-03-09 02:00:00 -04"},
		{"with the time right after they are one slot", "0 2,3 * * *", "America/New_York", "2026-03-08T01:00:00Z", "Sun 2026-03-08 03:00:00 -04, Mon 2026-03-09 02:00:00 -04"},
		{"a time that repeats runs the first time", "30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", "Sun 2026-11-01 01:30:00 -04, Mon 2026-11-02 01:30:00 -05"},
		{"the first pass is over, so it is tomorrow's", "30 1 * * *", "America/New_York", "2026-11-01T06:10:00Z", "Mon 2026-11-02 01:30:00 -05"},
		{"elapsed time has no slot in the gap", "30 * * * *", "America/New_York", "2026-03-08T06:00:00Z", "Sun 2026-03-08 01:30:00 -05, Sun 2026-03-08 03:30:00 -04"},
		{"elapsed time goes on through both passes", "30 * * * *", "America/New_York", "2026-11-01T05:00:00Z", "Sun 2026-11-01 01:30:00 -04, Sun 2026-11-01 01:30:00 -05, Sun 2026-11-01 02:30:00 -05"},
		{"a gap of half an hour", "15 2 * * *", "Australia/Lord_Howe", "2026-10-02T20:00:00Z", "Sun 2026-10-04 02:30:00 +11, Mon 2026-10-05 02:15:00 +11"},
		{"a gap at midnight", "0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00Z", "Sun 2018-11-04 01:00:00 -02, Mon 2018-11-05 00:00:00 -02"},
		{"a day that was not", "0 8 * * *", "Pacific/Apia", "2011-12-29T20:00:00Z", "Sat 2011-12-31 00:00:00 +14, Sat 2011-12-31 08:00:00 +14"},
		{"once, in the gap", "at 2026-03-08 02:30", "America/New_York", "2026-01-01T00:00:00Z", "Sun 2026-03-08 03:00:00 -04"},
		{"once, at a time that repeats", "at 2026-11-01 01:30", "America/New_York", "2026-01-01T00:00:00Z", "Sun 2026-11-01 01:30:00 -04"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			want := strings.Split(c.want, ", ")
			got := slots(t, c.spec, c.zone, c.after, len(want))
			for i := range got { // offsets of half hours are told by the hour
				got[i] = strings.TrimSuffix(got[i], "30:00")
			}
			require.Equal(t, want, got)
		})
	}
}

var zones = []string{
	"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia",
	"Asia/Tehran", "Africa/Casablanca", "Asia/Kathmandu", "America/St_Johns",
}

// drawSpec draws a cron line of five fields.
func drawSpec(t *rapid.T) string {
	number := func(low, high int, name string) string { return fmt.Sprint(rapid.IntRange(low, high).Draw(t, name)) }
	one := func(low, high int, name string) string {
		switch rapid.IntRange(0, 4).Draw(t, name+" kind") {
		case 0:
			return number(low, high, name)
		case 1:
			from := rapid.IntRange(low, high).Draw(t, name+" from")
			return fmt.Sprintf("%d-%s", from, number(from, high, name+" to"))
		case 2:
			// Whether a stepped star leaves the other day field alone is told differently by each cron.
			if name != "day" && name != "weekday" {
				return "*/" + number(1, high/2, name+" step")
			}
		case 3:
			return number(low, high, name) + "," + number(low, high, name+" too")
		}
		return "*"
	}
	return strings.Join([]string{
		one(0, 59, "minute"), one(0, 23, "hour"), one(1, 28, "day"), one(1, 12, "month"), one(0, 6, "weekday"),
	}, " ")
}

// Around every change of a clock, the slots are those of a machine that watches the clock: at each
// minute it does what the clock has newly passed, once.
func TestWatchingTheClockGivesTheSameSlots(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in, err := time.LoadLocation(rapid.SampledFrom(zones).Draw(t, "zone"))
		require.NoError(t, err)
		minute := rapid.SampledFrom([]string{"0", "15", "30", "45", "*/15", "7-9", "*"}).Draw(t, "minute")
		hour := rapid.SampledFrom([]string{"*", "*/2", "0", "1", "2", "3", "0-3", "1,2", "23", "0-23"}).Draw(t, "hour")
		spec := minute + " " + hour + " * * *"
		s, err := Parse(spec, in)
		require.NoError(t, err)
		fields, err := parseFields(strings.Fields(spec))
		require.NoError(t, err)

		// The next change after some day of some years, and two days to each side of it.
		day := time.Date(2008, 1, rapid.IntRange(1, 6000).Draw(t, "day"), 0, 0, 0, 0, time.UTC)
		_, change := day.In(in).ZoneBounds()
		if change.IsZero() {
			change = day
		}
		from, to := change.Add(-36*time.Hour).Truncate(time.Minute), change.Add(36*time.Hour)

		var want []time.Time
		shown := civilAt(from, in)
		for at := from.Add(time.Minute); at.Before(to); at = at.Add(time.Minute) {
			now := civilAt(at, in)
			first := shown + 60
			if fields.elapsed {
				first = now
			}
			for passed := first; passed <= now; passed += 60 {
				if match, _ := fields.match(passed); match == passed {
					want = append(want, at)
					break
				}
			}
			shown = max(shown, now)
		}
		var got []time.Time
		for at, ok := s.Next(from); ok && at.Before(to); at, ok = s.Next(at) {
			got = append(got, at)
		}
		require.Len(t, got, len(want))
		for i := range want {
			require.True(t, want[i].Equal(got[i]), "%s in %s: want %v, got %v", spec, in, want[i], got[i])
		}
	})
}

// A slot needs only one of the day of the month and the day of the week to match, as in every cron.
var standard = netresearch.MustNewParser(netresearch.Minute | netresearch.Hour | netresearch.Dom | netresearch.Month | netresearch.Dow | netresearch.DowOrDom)

// Where no clock changes, another library is asked.
func TestAnotherLibraryGivesTheSameSlots(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		spec := drawSpec(t)
		s, err := Parse(spec, time.UTC)
		require.NoError(t, err)
		oracle, err := standard.Parse(spec)
		require.NoError(t, err)
		at := time.Unix(rapid.Int64Range(0, 4_000_000_000).Draw(t, "after"), 0).UTC()
		for range 20 {
			want := oracle.Next(at)
			got, ok := s.Next(at)
			if want.IsZero() { // it looks five years ahead
				require.True(t, !ok || got.Sub(at) > 4*365*24*time.Hour)
				return
			}
			require.Equal(t, want, got, "%s after %v", spec, at)
			at = got
		}
	})
}

// An impossible schedule is refused, and the error says what is allowed.
func TestRefused(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"":                      "it is empty",
		"* * * *":               "it has 4 fields",
		"* * * * * * *":         "it has 7 fields",
		"60 * * * *":            `the minute "60" is not a number between 0 and 59`,
		"* 24 * * *":            `the hour "24"`,
		"* * 0 * *":             `the day of month "0" is not a number between 1 and 31`,
		"* * * foo *":           `the month "foo" is not a number between 1 and 12, nor one of jan`,
		"* * * * 8":             `the day of week "8"`,
		"5-3 * * * *":           "goes down",
		"*/0 * * * *":           `the step "0"`,
		"*/x * * * *":           `the step "x"`,
		"*/99999999999 * * * *": "the step",
		"1,,2 * * * *":          `the minute ""`,
		"-1 * * * *":            `the minute ""`,
		"+1 * * * *":            `the minute "+1"`,
		"0 0 30 2 *":            "no month that it names has the day",
		"0 0 31 4,6,9,11 *":     "no month that it names has the day",
		"@daily 5":              `"@daily 5" is not known`,
		"every":                 `"" is not a duration`,
		"every fortnight":       `"fortnight" is not a duration`,
		"every 0s":              "not a whole number of seconds",
		"every -5m":             "not a whole number of seconds",
		"every 1500ms":          "not a whole number of seconds",
		"every 9000h":           "is longer than",
		"at noon":               `"noon" is not a time`,
		"at 2026-02-30 08:00":   "is not a time",
	} {
		_, err := Parse(spec, time.UTC)
		require.ErrorContains(t, err, want, spec)
		require.ErrorContains(t, err, fmt.Sprintf("schedule %q", spec))
	}
	_, due := Schedule{}.Next(time.Now())
	require.False(t, due, "the zero schedule is never due")
}

// The error about another scheduler's spelling says what to write instead, and that can be parsed.
func TestOtherDialectsAreNamedWithTheirReplacement(t *testing.T) {
	t.Parallel()
	for spec, want := range map[string]string{
		"TZ=Asia/Tokyo 0 8 * * *":      `write "0 8 * * *" with the zone Asia/Tokyo`,
		"CRON_TZ=Asia/Tokyo 0 8 * * *": `write "0 8 * * *" with the zone Asia/Tokyo`,
		"cron(0 10 * * ? 2026)":        `write "0 10 * * ?"`,
		"rate(5 minutes)":              `write "every 5m"`,
		"every 5 minutes":              `write "every 5m"`,
		"every minute":                 `write "every 1m"`,
		"every day":                    `write "@daily"`,
		"every 2 weeks":                `write "every 336h"`,
		"hourly":                       `write "@hourly"`,
		"@reboot":                      "there is no start of a machine",
		"0 0 8 1 * ? 2026":             `write "0 0 8 1 * ?", or 'at 2026-03-01 08:00'`,
		"0 8 L * *":                    `write "0 8 * * *", and let the script look`,
		"0 8 15W * *":                  `write "0 8 * * *", and let the script look`,
		"0 8 * * 6#3":                  `write "0 8 * * 6", and let the script look`,
		"0 8 * * friL":                 `write "0 8 * * fri", and let the script look`,
		"H/15 * * * *":                 `"H/15" is a value by chance: write a number, and a jitter`,
		"0~30 8 * * *":                 `"0~30" is a value by chance`,
		"0 22-2 * * *":                 `write "22-23,0-2"`,
		"0 8 * * monday":               `the day of week "monday" is written "mon"`,
		"0 8 * September *":            `the month "September" is written "sep"`,
	} {
		_, err := Parse(spec, time.UTC)
		require.ErrorContains(t, err, want, spec)
		if m := regexp.MustCompile(`write "([^"]+)"`).FindStringSubmatch(err.Error()); m != nil && spec != "0 22-2 * * *" {
			_, err := Parse(m[1], time.UTC)
			require.NoError(t, err, spec)
		}
	}
}

// Rule: every parsed schedule goes forward, ends its search, and gives whole seconds.
func FuzzParse(f *testing.F) {
	for _, spec := range []string{"30 7 * * mon-fri", "*/5 0-6/2 1,15 * ?", "@daily", "every 15m", "at 2026-03-08 02:30", "0 0 29 2 */6", "at 2026-03-01T08:00:00+01:00"} {
		f.Add(spec, int64(1_800_000_000), 1)
	}
	f.Fuzz(func(t *testing.T, spec string, after int64, in int) {
		s, err := Parse(spec, zone(t, zones[uint(in)%uint(len(zones))]))
		if err != nil {
			return
		}
		at := time.Unix(after%(1<<33), after%1_000_000_000)
		for range 4 {
			next, ok := s.Next(at)
			if !ok {
				return
			}
			require.True(t, next.After(at))
			require.Zero(t, next.Nanosecond())
			at = next
		}
	})
}
