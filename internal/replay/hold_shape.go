package replay

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/pattern"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// changedShape holds a fix whose mended run returns or writes values of another shape
// than all recorded runs: a null where a number was, a member that is gone or new, another
// format of a date.
func changedShape(q *inquiry) []string {
	held := &form{mayLack: q.excused(), nulls: q.nullsNow(), shorter: q.shorterLists(), words: q.words}
	if q.gate.old != nil {
		held.keys.Spelled = payload.Spelled(q.gate.old.Plain)
		held.keys.Made = true
	}
	if q.complete && len(q.successes) > 0 {
		held.in = q.produced["output"].Read(held.keys)
		held.compare("output", nil, q.seen.output)
	}
	n := 0
	for _, call := range q.seen.calls {
		if call.effect != sandbox.Write {
			continue
		}
		if known := q.produced[call.template]; known != nil {
			held.in, held.table = known.Read(held.keys), q.tables[call.template]
			for i, arg := range call.args {
				held.compare(fmt.Sprintf("writes[%d].args[%d]", n, i), []string{strconv.Itoa(i)}, arg)
			}
		}
		n++
	}
	problems := slices.Concat(held.problems, q.newAddresses(), q.otherSizes())
	for i := range problems {
		problems[i] = "changed shape: " + problems[i]
	}
	return problems
}

// enough is how many recorded values it takes to speak of "always".
const enough = 2

// sameFormat is how many of them it takes to hold another one to what they have in common.
const sameFormat = 3

// form holds values of the mended run to what always stood at their places.
type form struct {
	in    *payload.Schema
	table *table // nil where no lines of cells were written
	keys  payload.Keys
	words map[string]bool // that only the candidate has
	// mayLack says that the run was given less than any recorded one: what stands for a
	// value may be null, if it is no number. A number made of nothing is a fault.
	mayLack bool
	// nulls are how often a member that was null in some recorded answer, of another thing perhaps, is null now: it may be
	// null as often in what comes out.
	nulls map[string]int
	// shorter are by how much lists are shorter than in all recorded runs, where they had one length.
	shorter  map[int]bool
	problems []string
}

func (f *form) says(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

// compare looks at a value whose like stood at a place.
func (f *form) compare(path string, place []string, value any) {
	was, kind := f.in.At(place), payload.KindOf(value)
	switch {
	case was == nil || value == nil && was.Kinds["number"] == 0 && (f.mayLack || len(place) > 0 && f.isNullNow(place[len(place)-1])):
		return
	case was.Seen() >= enough && was.Kinds[kind] == 0 && was.Kinds["null"] < was.Seen():
		f.says("%s is %s, it was always %s", path, briefKind(value), strings.Join(slices.Sorted(maps.Keys(was.Kinds)), " or "))
		return
	}
	below := func(step string) []string { return append(slices.Clip(place), step) }
	switch v := value.(type) {
	case map[string]any:
		record := true
		for _, member := range f.in.Below(place) {
			key := member.Path[len(place)]
			record = record && f.keys.Spelled[key]
			if _, there := v[key]; !there && was.Kinds["object"] >= enough && member.Seen() == was.Kinds["object"] && f.keys.Spelled[key] {
				f.says("%s is missing, it was always there", path+memberPath(key))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			switch step := f.in.Step(place, key); {
			case step != "":
				f.compare(path+memberPath(key), below(step), v[key])
			case record && was.Kinds["object"] >= enough && f.words[key] && !f.keys.Spelled[key]:
				f.says("%s is new, no recorded run has it", path+memberPath(key))
			}
		}
	case []any:
		for i, item := range v {
			f.compare(fmt.Sprintf("%s[%d]", path, i), below(payload.Element), item)
		}
	case string:
		if inside, ok := document(v); ok && f.in.At(below(payload.Document)) != nil {
			f.compare(path, below(payload.Document), inside)
		} else if format := was.Breaks(v); format != "" {
			f.says("%s is %s, it was always %s", path, brief(v), format)
		} else if f.table != nil && len(place) == 1 && place[0] == "1" {
			f.problems = append(f.problems, f.table.problems(path, v, f.shorter)...)
		}
	}
}

// numbersIn are the numbers in a text that are no part of a date, a time, a name or an address.
var numbersIn = pattern.New(`(?:^|[\s(>:,;"])(-?\d+(?:\.\d+)?)(?:$|[\s)<,;%"])`)

// otherSizes are values that come out with numbers all far from those that every recorded run had there: in another unit.
func (q *inquiry) otherSizes() []string {
	if q.gate.old == nil || len(q.successes) < sameFormat {
		return nil
	}
	recorded := map[string][]float64{}
	for i := range q.gate.kept {
		for sink, values := range q.templates.sinks(q.gate.old.Words, &q.gate.kept[i].outcome) {
			recorded[sink] = append(recorded[sink], sizes(values)...)
		}
	}
	now := q.templates.sinks(q.gate.old.Words, q.outcome)
	for _, sink := range slices.Sorted(maps.Keys(now)) {
		was, is := recorded[sink], sizes(now[sink])
		if strings.HasPrefix(sink, callsOf) || strings.HasSuffix(sink, " keys") || len(was) < 2*sameFormat || len(is) == 0 {
			continue
		}
		times := 30.0
		if len(is) >= sameFormat {
			times = 10
		}
		if least, most := slices.Min(was), slices.Max(was); slices.Max(is)*times < least || slices.Min(is) > most*times {
			return []string{fmt.Sprintf("%s has numbers such as %s, they were always between %s and %s", sink, trim(is[0]), trim(least), trim(most))}
		}
	}
	return nil
}

// sizes are the sizes of all numbers but zero in values that came out.
func sizes(values []string) []float64 {
	var found []float64
	for _, value := range values {
		for _, m := range numbersIn.FindAllStringSubmatch(value, -1) {
			if n, err := strconv.ParseFloat(m[1], 64); err == nil && n != 0 {
				found = append(found, math.Abs(n))
			}
		}
	}
	return found
}

func (f *form) isNullNow(member string) bool {
	for name := range f.nulls {
		if name == member || alike(name, member) {
			f.nulls[name]--
			return f.nulls[name] >= 0
		}
	}
	return false
}

// nullsNow counts the nulls that the failing run was given, by member, of those that were null before under some such name.
func (q *inquiry) nullsNow() map[string]int {
	found := map[string]int{}
	for _, a := range q.seen.answered() {
		eachMember(a.value, "", nil, func(path string, value any) {
			if name := lastStep(path); value == nil && (q.nulls[name] || slices.ContainsFunc(slices.Collect(maps.Keys(q.nulls)), func(known string) bool { return alike(known, name) })) {
				found[name]++
			}
		})
	}
	return found
}

func briefKind(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case []any, map[string]any:
		return "an " + payload.KindOf(v)
	case bool:
		return "a boolean"
	}
	return "a " + payload.KindOf(value) + " (" + brief(value) + ")"
}

// shorterLists are by how much lists are shorter than in all recorded runs, where they had one length.
func (q *inquiry) shorterLists() map[int]bool {
	shorter := map[int]bool{}
	if len(q.lengths) == 0 {
		return shorter
	}
	for path, now := range arrayLengths(&q.seen) {
		if was, had := q.lengths[0][path]; had && !slices.ContainsFunc(q.lengths, func(lengths map[string]int) bool { return lengths[path] != was }) {
			shorter[was-now] = true
		}
	}
	return shorter
}

// schemePattern is how an address with a scheme begins: https://shop.test, tel:+3112.
var schemePattern = pattern.New(`(?:^|[\s(<"])([a-z][a-z0-9+.-]*:)[^\s:]`)

// hostAndPort is what looks like an address with a scheme, and is none: db7:5432.
var hostAndPort = pattern.New(`^[^:/\s]+:\d{1,5}(?:/|$)`)

// newAddresses are values with a scheme that come out whole where no recorded run wrote any
// with that scheme: the script made something of them before.
func (q *inquiry) newAddresses() []string {
	if len(q.successes) < enough {
		return nil
	}
	var given []string
	for _, a := range q.seen.answered() {
		eachText("", a.value, func(_, text string) {
			if m := schemePattern.FindStringSubmatch(text); m != nil && !hostAndPort.MatchString(text) && !strings.Contains(text, " ") && !q.schemes[m[1]] && strings.HasPrefix(text, m[1]) {
				given = append(given, text)
			}
		})
	}
	var found []string
	eachProduced(&q.seen, func(path, text string) {
		if i := slices.IndexFunc(given, func(address string) bool { return strings.Contains(text, address) }); i >= 0 {
			found = append(found, fmt.Sprintf("%s holds %s, no recorded run wrote an address with that scheme", path, brief(given[i])))
		}
	})
	return found
}
