package schedule

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// cron holds the allowed values of each field, as bits.
type cron struct {
	second, minute, hour, day, month, weekday uint64
	// anyDay and anyWeekday: the field begins with a star. If neither does, one match is enough.
	anyDay, anyWeekday bool
	elapsed            bool // the hour begins with a star
}

var macros = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// field says what may stand in one place of a cron line.
type field struct {
	name      string
	low, high int
	names     []string // of the values from low on
}

var (
	secondField  = field{name: "second", high: 59}
	minuteField  = field{name: "minute", high: 59}
	hourField    = field{name: "hour", high: 23}
	dayField     = field{name: "day of month", low: 1, high: 31}
	monthField   = field{name: "month", low: 1, high: 12, names: strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")}
	weekdayField = field{name: "day of week", high: 7, names: strings.Fields("sun mon tue wed thu fri sat")}
)

func parseCron(fields []string, zone *time.Location) (func(time.Time) (time.Time, bool), error) {
	if strings.HasPrefix(fields[0], "@") {
		expanded, ok := macros[strings.ToLower(fields[0])]
		if !ok || len(fields) > 1 {
			return nil, fmt.Errorf("%q is not known; there are @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually", strings.Join(fields, " "))
		}
		fields = strings.Fields(expanded)
	}
	c, err := parseFields(fields)
	if err != nil {
		return nil, err
	}
	return func(after time.Time) (time.Time, bool) {
		t, ok := c.next(after, zone)
		return t.In(zone), ok
	}, nil
}

func parseFields(fields []string) (cron, error) {
	switch len(fields) {
	case 5:
		fields = append([]string{"0"}, fields...)
	case 6:
	default:
		return cron{}, fmt.Errorf("it has %d fields; cron has 5 (minute, hour, day of month, month, day of week) or 6 (seconds first)", len(fields))
	}
	c := cron{
		anyDay: isStar(fields[3]), anyWeekday: isStar(fields[5]), elapsed: isStar(fields[2]),
	}
	for i, part := range []struct {
		field field
		set   *uint64
	}{
		{secondField, &c.second}, {minuteField, &c.minute}, {hourField, &c.hour},
		{dayField, &c.day}, {monthField, &c.month}, {weekdayField, &c.weekday},
	} {
		var err error
		if *part.set, err = part.field.parse(fields[i]); err != nil {
			return cron{}, err
		}
	}
	if c.weekday&(1<<7) != 0 { // Sunday has two numbers
		c.weekday |= 1
	}
	if !c.possible() {
		return cron{}, errors.New("no month that it names has the day that it names")
	}
	return c, nil
}

func isStar(text string) bool { return strings.HasPrefix(text, "*") || text == "?" }

// possible says that there is a day at all: not only 30 February.
func (c cron) possible() bool {
	if !c.anyWeekday {
		return true
	}
	for month := 1; month <= 12; month++ {
		// 2024 is a leap year.
		days := time.Date(2024, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
		if c.month&(1<<month) != 0 && bits.TrailingZeros64(c.day) <= days {
			return true
		}
	}
	return false
}

// parse reads a list of values, ranges and steps.
func (f field) parse(text string) (set uint64, err error) {
	for part := range strings.SplitSeq(text, ",") {
		one, err := f.parsePart(part)
		if err != nil {
			return 0, err
		}
		set |= one
	}
	return set, nil
}

func (f field) parsePart(text string) (set uint64, err error) {
	span, stepText, stepped := strings.Cut(text, "/")
	low, high := f.low, f.high
	lowText, highText, ranged := strings.Cut(span, "-")
	switch {
	case span == "*" || span == "?":
		if f.names != nil && f.high == 7 {
			high = 6 // Sunday once, or a step would count it twice
		}
	case ranged:
		if low, err = f.value(lowText); err != nil {
			return 0, err
		}
		if high, err = f.value(highText); err != nil {
			return 0, err
		}
		if low > high && f.high == weekdayField.high { // over the end of the week: fri-mon
			high += 7
		}
		if low > high {
			return 0, fmt.Errorf("the %s %q goes down; write \"%d-%d,%d-%d\"", f.name, span, low, f.high, f.low, high)
		}
	default:
		if low, err = f.value(span); err != nil {
			return 0, err
		}
		if !stepped {
			high = low
		}
	}
	step := 1
	if stepped {
		step, err = strconv.Atoi(stepText)
		if err != nil || step < 1 || step > f.high {
			return 0, fmt.Errorf("the step %q of the %s is not a number between 1 and %d", stepText, f.name, f.high)
		}
	}
	for value := low; value <= high; value += step {
		if value > f.high {
			set |= 1 << (value - 7)
			continue
		}
		set |= 1 << value
	}
	return set, nil
}

func (f field) value(text string) (int, error) {
	for i, name := range f.names {
		if strings.EqualFold(text, name) {
			return f.low + i, nil
		}
	}
	value, err := strconv.Atoi(text)
	if err != nil || value < f.low || value > f.high || strings.HasPrefix(text, "+") {
		for _, name := range f.names {
			if len(text) > len(name) && strings.EqualFold(text[:len(name)], name) {
				return 0, fmt.Errorf("the %s %q is written %q", f.name, text, name)
			}
		}
		allowed := fmt.Sprintf("a number between %d and %d", f.low, f.high)
		if f.names != nil {
			allowed += fmt.Sprintf(", nor one of %s", strings.Join(f.names, " "))
		}
		return 0, fmt.Errorf("the %s %q is not %s", f.name, text, allowed)
	}
	return value, nil
}

// next finds the first slot after a moment.
func (c cron) next(after time.Time, zone *time.Location) (time.Time, bool) {
	if c.elapsed {
		return c.nextElapsed(after, zone)
	}
	for at := civilAt(after, zone) + 1; ; at++ {
		var ok bool
		if at, ok = c.match(at); !ok {
			return time.Time{}, false
		}
		if slot := firstAt(at, zone); slot.After(after) {
			return slot, true
		}
	}
}

// nextElapsed looks only at times that the clock really shows, each as often as it shows them.
func (c cron) nextElapsed(after time.Time, zone *time.Location) (time.Time, bool) {
	from := time.Unix(after.Unix()+1, 0)
	for {
		p := periodAt(from, zone)
		at, ok := c.match(civilAt(from, zone))
		if !ok {
			return time.Time{}, false
		}
		if slot := p.at(at); p.holds(slot) {
			return slot, true
		}
		from = p.end
	}
}

// searchYears is longer than any pause of a schedule: 29 February may be eight years away, and
// forty until it is a certain day of the week.
const searchYears = 41

// match is the first time at or after at that the fields allow.
func (c cron) match(at civil) (civil, bool) {
	t := at.utc()
	limit := t.Year() + searchYears
	for t.Year() <= limit {
		switch {
		case c.month&(1<<t.Month()) == 0:
			t = time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, time.UTC)
		case !c.onDay(t):
			t = time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, time.UTC)
		case c.hour&(1<<t.Hour()) == 0:
			t = t.Truncate(time.Hour).Add(time.Hour)
		case c.minute&(1<<t.Minute()) == 0:
			t = t.Truncate(time.Minute).Add(time.Minute)
		case c.second&(1<<t.Second()) == 0:
			t = t.Add(time.Second)
		default:
			return civil(t.Unix()), true
		}
	}
	return 0, false
}

func (c cron) onDay(t time.Time) bool {
	day := c.day&(1<<t.Day()) != 0
	weekday := c.weekday&(1<<t.Weekday()) != 0
	if c.anyDay || c.anyWeekday {
		return day && weekday
	}
	return day || weekday
}
