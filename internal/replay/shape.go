package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/pattern"
	"github.com/kintsugi-run/kintsugi/internal/payload"
)

// shape is what the values at one place of the recorded runs had in common.
type shape struct {
	seen    int
	kinds   map[string]int // null, boolean, number, string, array, object
	members map[string]*shape
	items   *shape
	json    *shape // of strings that hold a JSON document
	formats map[string]int
	table   *table // of strings that are lines of cells, where that may be expected
}

func newShape() *shape {
	return &shape{kinds: map[string]int{}, members: map[string]*shape{}, formats: map[string]int{}}
}

// add learns a value.
func (s *shape) add(value any) {
	s.seen++
	s.kinds[payload.KindOf(value)]++
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			if s.members[key] == nil {
				s.members[key] = newShape()
			}
			s.members[key].add(member)
		}
	case []any:
		if s.items == nil {
			s.items = newShape()
		}
		for _, item := range v {
			s.items.add(item)
		}
	case string:
		if document, ok := document(v); ok {
			if s.json == nil {
				s.json = newShape()
			}
			s.json.add(document)
			return
		}
		s.formats[formatOf(v)]++
		if s.table != nil {
			s.table.add(v)
		}
	}
}

// document parses text that holds a JSON object or array.
func document(text string) (any, bool) {
	trimmed := strings.TrimSpace(text)
	if !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		return nil, false
	}
	var value any
	if json.Unmarshal([]byte(trimmed), &value) != nil {
		return nil, false
	}
	return value, true
}

// enough is how many recorded values it takes to speak of "always".
const enough = 2

// shapeRules say what is known of the scripts that made the values.
type shapeRules struct {
	// named says whether a key is written in the old code: keys that come from data may
	// come and go. Invented is one that only the candidate writes.
	named, invented func(key string) bool
	// mayLack says that the run was given less than any recorded one: what stands for a
	// value may be null, if it is no number. A number made of nothing is a fault.
	mayLack bool
	// shorter are by how much lists are shorter than in all recorded runs, where they had one length.
	shorter map[int]bool
}

// problems says where a value does not have the shape.
func (s *shape) problems(path string, value any, rules shapeRules) []string {
	kind := payload.KindOf(value)
	if value == nil && rules.mayLack && s.kinds["number"] == 0 {
		return nil
	}
	if s.seen >= enough && s.kinds[kind] == 0 && s.kinds["null"] < s.seen {
		return []string{fmt.Sprintf("%s is %s, it was always %s", path, briefKind(value), s.kindList())}
	}
	var found []string
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(s.members)) {
			member := s.members[key]
			if _, there := v[key]; there {
				continue
			}
			if objects := s.kinds["object"]; objects >= enough && member.seen == objects && rules.named(key) {
				found = append(found, path+memberPath(key)+" is missing, it was always there")
			}
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			member, known := s.members[key]
			switch {
			case known:
				found = append(found, member.problems(path+memberPath(key), v[key], rules)...)
			case s.kinds["object"] >= enough && rules.invented(key) && s.isRecord(rules.named):
				found = append(found, path+memberPath(key)+" is new, no recorded run has it")
			default:
				if like := s.anyMember(rules.named); like != nil {
					found = append(found, like.problems(path+memberPath(key), v[key], rules)...)
				}
			}
		}
	case []any:
		if s.items == nil {
			break
		}
		for i, item := range v {
			found = append(found, s.items.problems(fmt.Sprintf("%s[%d]", path, i), item, rules)...)
		}
	case string:
		if document, ok := document(v); ok && s.json != nil {
			return s.json.problems(path, document, rules)
		}
		found = append(found, s.formatProblems(path, v, rules)...)
	}
	return found
}

// isRecord says that the object has fields rather than entries: all its keys are in the code.
func (s *shape) isRecord(named func(string) bool) bool {
	for key := range s.members {
		if !named(key) {
			return false
		}
	}
	return len(s.members) > 0
}

// anyMember is the common shape of the entries of a map, nil if the object is a record.
func (s *shape) anyMember(named func(string) bool) *shape {
	if len(s.members) == 0 || s.isRecord(named) {
		return nil
	}
	all := newShape()
	for _, member := range s.members {
		all.merge(member)
	}
	return all
}

func (s *shape) merge(other *shape) {
	s.seen += other.seen
	for kind, n := range other.kinds {
		s.kinds[kind] += n
	}
	for format, n := range other.formats {
		s.formats[format] += n
	}
	for key, member := range other.members {
		if s.members[key] == nil {
			s.members[key] = newShape()
		}
		s.members[key].merge(member)
	}
	if other.items != nil {
		if s.items == nil {
			s.items = newShape()
		}
		s.items.merge(other.items)
	}
	if other.json != nil {
		if s.json == nil {
			s.json = newShape()
		}
		s.json.merge(other.json)
	}
}

func (s *shape) kindList() string {
	return strings.Join(slices.Sorted(maps.Keys(s.kinds)), " or ")
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

var (
	datePattern     = pattern.New(`^\d{4}-\d{2}-\d{2}$`)
	dateTimePattern = pattern.New(`^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$`)
	mailPattern     = pattern.New(`^[^\s@<>,;]+@[^\s@<>,;]+\.\pL+$`)
	addressPattern  = pattern.New(`^https?://\S+$`)
	decimalPattern  = pattern.New(`^-?\d+\.(\d+)$`)
)

// formatOf is the format of a text, as far as it is one that code makes on purpose.
func formatOf(text string) string {
	switch {
	case isPlaceholder(text):
		return "nothing"
	case datePattern.MatchString(text):
		return "a date like 2026-03-01"
	case dateTimePattern.MatchString(text):
		return "a time like 2026-03-01T07:00:00Z"
	case mailPattern.MatchString(text):
		return "an e-mail address"
	case addressPattern.MatchString(text):
		return "a web address"
	}
	if m := decimalPattern.FindStringSubmatch(text); m != nil {
		return fmt.Sprintf("a number with %d decimals", len(m[1]))
	}
	return "text"
}

// isPlaceholder says that a text stands for a value that is not there.
func isPlaceholder(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "-", "--", "—", "–", "?", "n/a", "na", "none", "unknown":
		return true
	}
	return false
}

// sameFormat is how many recorded texts it takes to hold a new one to their format.
const sameFormat = 3

func (s *shape) formatProblems(path, text string, rules shapeRules) []string {
	if format, ok := commonFormat(s.formats); ok {
		if got := formatOf(text); got != format && got != "nothing" {
			return []string{fmt.Sprintf("%s is %s, it was always %s", path, brief(text), format)}
		}
	}
	if s.table != nil {
		return s.table.problems(path, text, rules)
	}
	return nil
}

// commonFormat is the one format that all recorded texts have, placeholders aside.
func commonFormat(formats map[string]int) (string, bool) {
	format, count := "", 0
	for f, n := range formats {
		switch {
		case f == "nothing":
		case format != "":
			return "", false
		default:
			format, count = f, n
		}
	}
	return format, count >= sameFormat && format != "text"
}
