package schedule

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	everySpan = regexp.MustCompile(`^(?:every|@every) (\d+)([smhd])$`)
	step      = regexp.MustCompile(`^\*/(\d+)$`)
	hourSpan  = regexp.MustCompile(`^(\d{1,2})-(\d{1,2})$`)
	named     = map[string]string{
		"@hourly": "every hour, on the hour", "@daily": "every day at 00:00", "@midnight": "every day at 00:00", "@weekly": "every Sunday at 00:00",
		"@monthly": "on the 1st of every month at 00:00", "@yearly": "every year on 1 January at 00:00", "@annually": "every year on 1 January at 00:00",
	}
	spans = map[string]string{"s": "second", "m": "minute", "h": "hour", "d": "day"}
)

// Words says to people when a schedule is due: "every weekday at 09:00", to go on after "it runs". A schedule for which it
// has no words is said as it was written.
func Words(spec string) string {
	text := strings.Join(strings.Fields(spec), " ")
	if text == "" {
		return "by hand only"
	}
	if known := named[strings.ToLower(text)]; known != "" {
		return known
	}
	if m := everySpan.FindStringSubmatch(text); m != nil {
		if m[1] == "1" {
			return "every " + spans[m[2]]
		}
		return "every " + m[1] + " " + spans[m[2]] + "s"
	}
	if strings.HasPrefix(text, "at ") {
		return "once, " + text
	}
	if said := cronInWords(strings.Fields(text)); said != "" {
		return said
	}
	return "by the rule “" + text + "”"
}

// cronInWords is empty for a rule that is too much for a phrase.
func cronInWords(fields []string) string {
	if len(fields) != 5 {
		return ""
	}
	at, atClock := timeInWords(fields[0], fields[1])
	on, known := dateInWords(fields[2], fields[3], fields[4])
	switch {
	case at == "" || !known:
		return ""
	case atClock && on == "":
		return "every day " + at
	case atClock:
		return on + " " + at
	case on == "":
		return at
	}
	return at + ", " + on
}

// timeInWords says the minute and the hour, and whether they are times of the clock.
func timeInWords(minute, hour string) (said string, atClock bool) {
	each := step.FindStringSubmatch(minute)
	minutes := upTo(minute, 59)
	if hour == "*" {
		switch {
		case minute == "*":
			return "every minute", false
		case each != nil:
			return "every " + each[1] + " minutes", false
		case minute == "0":
			return "every hour, on the hour", false
		case minutes:
			return "every hour at minute " + minute, false
		}
		return "", false
	}
	if m := step.FindStringSubmatch(hour); m != nil && minutes {
		if minute == "0" {
			return "every " + m[1] + " hours", false
		}
		return "every " + m[1] + " hours at minute " + minute, false
	}
	if m := hourSpan.FindStringSubmatch(hour); m != nil {
		switch {
		case minutes:
			return fmt.Sprintf("every hour from %[1]s:%[3]s to %[2]s:%[3]s", pad(m[1]), pad(m[2]), pad(minute)), false
		case each != nil:
			return fmt.Sprintf("every %s minutes from %s:00 to %s:59", each[1], pad(m[1]), pad(m[2])), false
		}
		return "", false
	}
	var times []string
	for one := range strings.SplitSeq(hour, ",") {
		if !minutes || !upTo(one, 23) {
			return "", false
		}
		times = append(times, pad(one)+":"+pad(minute))
	}
	return "at " + list(times), true
}

// dateInWords says the days; false if that is too much for a phrase, as are days of the month or of the week.
func dateInWords(day, month, weekday string) (string, bool) {
	var parts []string
	if weekday != "*" {
		words, known := weekdaysInWords(weekday)
		if !known || day != "*" {
			return "", false
		}
		parts = append(parts, words)
	}
	if day != "*" {
		if m := step.FindStringSubmatch(day); m != nil {
			parts = append(parts, "every "+m[1]+" days")
		} else {
			days, known := each(day, func(one string) (string, bool) { return ordinal(one), upTo(one, 31) })
			if !known {
				return "", false
			}
			said := "on the " + list(days)
			if month == "*" {
				said += " of every month"
			}
			parts = append(parts, said)
		}
	}
	if month != "*" {
		months, known := each(month, func(one string) (string, bool) {
			n, err := strconv.Atoi(one)
			return time.Month(n).String(), err == nil && n >= 1 && n <= 12
		})
		if !known {
			return "", false
		}
		parts = append(parts, "in "+list(months))
	}
	return strings.Join(parts, " "), true
}

func weekdaysInWords(text string) (string, bool) {
	switch strings.ToLower(text) {
	case "1-5", "mon-fri":
		return "every weekday", true
	case "0,6", "6,0", "6,7", "sat,sun":
		return "every Saturday and Sunday", true
	}
	if from, to, is := strings.Cut(text, "-"); is {
		first, known := weekdayName(from)
		last, both := weekdayName(to)
		return "from " + first + " to " + last, known && both
	}
	days, known := each(text, weekdayName)
	return "every " + list(days), known
}

func weekdayName(text string) (string, bool) {
	if upTo(text, 7) {
		n, _ := strconv.Atoi(text)
		return time.Weekday(n % 7).String(), true
	}
	for day := range time.Saturday + 1 {
		if len(text) == 3 && strings.EqualFold(day.String()[:3], text) {
			return day.String(), true
		}
	}
	return "", false
}

// each is the words of all parts of a list; false if one of them has none.
func each(text string, say func(string) (string, bool)) (said []string, known bool) {
	for one := range strings.SplitSeq(text, ",") {
		words, is := say(one)
		if !is {
			return nil, false
		}
		said = append(said, words)
	}
	return said, true
}

func upTo(text string, most int) bool {
	n, err := strconv.Atoi(text)
	return err == nil && len(text) <= 2 && n >= 0 && n <= most
}

func pad(text string) string {
	if len(text) == 1 {
		return "0" + text
	}
	return text
}

func ordinal(text string) string {
	n, _ := strconv.Atoi(text)
	if n%100 > 10 && n%100 < 14 {
		return text + "th"
	}
	switch n % 10 {
	case 1:
		return text + "st"
	case 2:
		return text + "nd"
	case 3:
		return text + "rd"
	}
	return text + "th"
}

// list is "a, b and c".
func list(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
