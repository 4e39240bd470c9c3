package replay

import (
	"fmt"
	"maps"
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
	held := &form{mayLack: q.excused(), shorter: q.shorterLists(), words: q.words}
	if q.gate.old != nil {
		held.keys.Spelled = payload.Spelled(q.gate.old.Code)
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
	problems := slices.Concat(held.problems, q.newAddresses())
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
	case was == nil || value == nil && f.mayLack && was.Kinds["number"] == 0:
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
