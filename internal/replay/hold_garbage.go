package replay

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/kintsugi-run/kintsugi/internal/pattern"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// garbagePattern is what a missing value turns into when a script makes text of it.
var garbagePattern = pattern.New(`\[object [A-Z][A-Za-z]*\]|(?:^|[^\pL\pN_])((?i:undefined)|\pN*NaN(?:[a-z]{1,3})?|Invalid Date)(?:$|[^\pL\pN_])`)

// nullPattern is null as a word. Alone it is weaker evidence: people write it too.
var nullPattern = pattern.New(`(?:^|[^\pL\pN_])(null)(?:$|[^\pL\pN_])`)

func garbageIn(text string) string {
	if m := garbagePattern.FindStringSubmatch(text); m != nil {
		if m[1] != "" {
			return m[1]
		}
		return m[0]
	}
	return ""
}

// garbage holds a fix whose mended run writes or returns what a missing value turns into,
// where neither the recorded runs nor the values that the run was given have that text.
func garbage(q *inquiry) []string {
	known := maps.Clone(q.garbled)
	q.seen.garbled(known)
	var found []string
	eachProduced(&q.seen, func(path, text string) {
		word := garbageIn(text)
		if word == "" && nullPattern.MatchString(text) {
			if _, isJSON := document(text); !isJSON {
				word = "null"
			}
		}
		if word != "" && !known[word] {
			found = append(found, fmt.Sprintf("garbage: %s holds %s (%s)", path, quote(word), brief(text)))
		}
		if day := noDay(text); day != "" && !known["day"] {
			found = append(found, fmt.Sprintf("garbage: %s holds %s, which is no day (%s)", path, day, brief(text)))
		}
		if year, odd := q.oddYear(text); odd {
			found = append(found, fmt.Sprintf("garbage: %s holds a date of the year %d (%s)", path, year, brief(text)))
		}
	})
	return found
}

// garbled notes what looks like garbage in what a run was given: there it is meant.
func (o *observed) garbled(known map[string]bool) {
	for _, a := range o.answered() {
		eachText("", a.value, func(_, text string) { noteGarbage(text, known) })
	}
}

func noteGarbage(text string, known map[string]bool) {
	if word := garbageIn(text); word != "" {
		known[word] = true
	}
	if nullPattern.MatchString(text) {
		known["null"] = true
	}
	if noDay(text) != "" {
		known["day"] = true
	}
}

// eachProduced visits the texts of a run's output and of its writes' arguments.
func eachProduced(o *observed, visit func(path, text string)) {
	eachText("output", o.output, visit)
	n := 0
	for _, call := range o.calls {
		if call.effect == sandbox.Write {
			eachText("writes["+strconv.Itoa(n)+"].args", call.args, visit)
			n++
		}
	}
}

// eachText visits all texts in a value, keys included.
func eachText(path string, value any, visit func(path, text string)) {
	switch v := value.(type) {
	case string:
		visit(path, v)
	case []any:
		for i, item := range v {
			eachText(path+"["+strconv.Itoa(i)+"]", item, visit)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			visit(path+memberPath(key), key)
			eachText(path+memberPath(key), v[key], visit)
		}
	}
}

var yearPattern = pattern.New(`(?:^|[^\pN.+-])([+-]?\d{4,6})-[01]\d-[0-3]\d(?:$|[^\pN-])`)

// dayPattern is a date as code writes it.
var dayPattern = pattern.New(`(?:^|[^\pN.+-])(\d{4}-(\d\d)-(\d\d))(?:$|[^\pN-])`)

// noDay finds a date with a month or day that no calendar has: the parts of another format
// in the wrong order.
func noDay(text string) string {
	for _, m := range dayPattern.FindAllStringSubmatch(text, -1) {
		if m[2] == "00" || m[2] > "12" || m[3] == "00" || m[3] > "31" {
			return m[1]
		}
	}
	return ""
}

// yearSlack is how many years a date may lie outside of all recorded ones.
const yearSlack = 10

// oddYear finds a date far outside of those that the recorded runs wrote: a second taken
// for a millisecond, or the other way round.
func (q *inquiry) oddYear(text string) (int, bool) {
	low, high := q.years[0], q.years[1]
	if low > high {
		return 0, false
	}
	for _, m := range yearPattern.FindAllStringSubmatch(text, -1) {
		year, err := strconv.Atoi(m[1])
		if err == nil && (year < low-yearSlack || year > high+yearSlack) {
			return year, true
		}
	}
	return 0, false
}
