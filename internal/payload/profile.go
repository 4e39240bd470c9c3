package payload

import (
	"encoding/json"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// Profile sums up the values of one field over many payloads.
type Profile struct {
	Seen    int // values, null and absent ones not counted
	Nulls   int
	Kinds   map[string]int
	Numbers []float64 // sorted
	Texts   []string
	Formats map[string]int // of the texts
	Lists   [][]any
	Objects []*orderedjson.Object
}

// ProfileOf sums up values.
func ProfileOf(values []any) *Profile {
	p := &Profile{Kinds: map[string]int{}, Formats: map[string]int{}}
	for _, value := range values {
		switch v := value.(type) {
		case Absent:
			continue
		case nil:
			p.Nulls++
			continue
		case float64:
			p.Numbers = append(p.Numbers, v)
		case string:
			p.Texts = append(p.Texts, v)
			if v != "" {
				p.Formats[FormatOf(v)]++
			}
		case []any:
			p.Lists = append(p.Lists, v)
		case *orderedjson.Object:
			p.Objects = append(p.Objects, v)
		}
		p.Seen++
		p.Kinds[KindOf(value)]++
	}
	slices.Sort(p.Numbers)
	return p
}

// Kind is the one kind of all values, "" if there are none or several.
func (p *Profile) Kind() string {
	if len(p.Kinds) != 1 {
		return ""
	}
	for kind := range p.Kinds {
		return kind
	}
	return ""
}

// Without is the profile of the values whose kind the other profile does not have, nil if
// all or none are such.
func (p *Profile) Without(other *Profile) *Profile {
	var values []any
	for _, n := range p.Numbers {
		values = append(values, n)
	}
	for _, text := range p.Texts {
		values = append(values, text)
	}
	for _, list := range p.Lists {
		values = append(values, list)
	}
	for _, o := range p.Objects {
		values = append(values, o)
	}
	rest := slices.DeleteFunc(values, func(value any) bool { return other.Kinds[KindOf(value)] > 0 })
	if len(rest) == 0 || len(rest) == p.Seen {
		return nil
	}
	return ProfileOf(rest)
}

// Format is the format that nearly all texts share, "" if there is none.
func (p *Profile) Format() string {
	best, total := "", 0
	for name, n := range p.Formats {
		total += n
		if n > p.Formats[best] || n == p.Formats[best] && name < best {
			best = name
		}
	}
	switch {
	case total == 0:
		return ""
	case p.Formats[best]*10 >= total*9:
		return best
	case (p.Formats[FormatInteger]+p.Formats[FormatDecimal])*10 >= total*9:
		return FormatDecimal // some of which are whole
	}
	return ""
}

// IsNumber says that texts of a format are numbers.
func IsNumber(format string) bool { return format == FormatInteger || format == FormatDecimal }

// Entries is what all objects hold, by whatever keys, and all lists.
func (p *Profile) Entries() []any {
	var all []any
	for _, o := range p.Objects {
		for _, key := range o.Keys {
			all = append(all, o.Fields[key])
		}
		if len(all) > maxInstances {
			break
		}
	}
	return append(all, p.Elements()...)
}

// Elements is what all lists hold, together.
func (p *Profile) Elements() []any {
	var all []any
	for _, list := range p.Lists {
		all = append(all, list...)
		if len(all) > maxInstances {
			break
		}
	}
	return all
}

// The formats of texts. A word is a constant such as send_invoice; text is anything else.
const (
	FormatDateTime = "date and time"
	FormatDate     = "date"
	FormatHTTPDate = "http date"
	FormatInteger  = "integer"
	FormatDecimal  = "decimal"
	FormatUUID     = "uuid"
	FormatEmail    = "e-mail"
	FormatURL      = "url"
	FormatHash     = "hash"
	FormatID       = "id"
	FormatJSON     = "json"
	FormatWord     = "word"
	FormatText     = "text"
)

var (
	datePattern     = lazyregexp.New(`^\d{4}-\d{2}-\d{2}$`)
	dateTimePattern = lazyregexp.New(`^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?: ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?$`)
	integerPattern  = lazyregexp.New(`^[-+]?\d+$`)
	decimalPattern  = lazyregexp.New(`^[-+]?(?:\d*|\d{1,3}(?:,\d{3})+)\.\d+$`)
	uuidPattern     = lazyregexp.New(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	emailPattern    = lazyregexp.New(`^[^\s@<>,;]+@[^\s@<>,;]+\.\pL[^\s@<>,;]*$`)
	hashPattern     = lazyregexp.New(`(?i)^[0-9a-f]{16,}$`)
	idPattern       = lazyregexp.New(`^([A-Za-z]{1,8})[_-]([A-Za-z0-9_-]*[A-Z0-9][A-Za-z0-9_-]*)$`)
	wordPattern     = lazyregexp.New(`^[A-Za-z][A-Za-z0-9]*(?:[_.\-][A-Za-z0-9]+)*$`)
)

// FormatOf is the format of a text, the most telling one that fits. It is asked of every text of every answer, so a
// pattern is tried only where its first letters allow it.
func FormatOf(text string) string {
	trimmed := strings.TrimSpace(text)
	first := byte(' ')
	if trimmed != "" {
		first = trimmed[0]
	}
	digit := '0' <= first && first <= '9'
	switch {
	case digit && datePattern.MatchString(text):
		return FormatDate
	case digit && dateTimePattern.MatchString(text):
		return FormatDateTime
	case (digit || first == '-' || first == '+') && integerPattern.MatchString(trimmed):
		return FormatInteger
	case (digit || first == '-' || first == '+' || first == '.') && decimalPattern.MatchString(trimmed):
		return FormatDecimal
	case len(text) == 36 && uuidPattern.MatchString(text):
		return FormatUUID
	case (first == '{' || first == '[') && json.Valid([]byte(trimmed)):
		return FormatJSON // whatever is in it
	case strings.Contains(text, "@") && emailPattern.MatchString(text):
		return FormatEmail
	case len(text) >= 16 && hashPattern.MatchString(text):
		return FormatHash
	}
	if strings.Contains(text, "://") {
		if u, err := url.Parse(text); err == nil && u.Scheme != "" && u.Host != "" {
			return FormatURL
		}
	}
	if len(text) > 25 && text[3] == ',' {
		for _, layout := range []string{time.RFC1123, time.RFC1123Z} {
			if _, err := time.Parse(layout, text); err == nil {
				return FormatHTTPDate
			}
		}
	}
	if strings.ContainsAny(text, "_-") {
		if found := idPattern.FindStringSubmatch(text); found != nil && strings.ContainsAny(found[2], "0123456789") {
			return FormatID
		}
	}
	if len(text) <= 40 && wordPattern.MatchString(text) {
		return FormatWord
	}
	return FormatText
}

// IsNothing says that a text stands for a value that is not there.
func IsNothing(text string) bool {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "", "-", "--", "—", "–", "?", "n/a", "na", "none", "unknown":
		return true
	}
	return false
}

// Match is what the values of an old and a new field say about their being the same.
type Match struct {
	Fit    float64 // 0 to 1; below Implausible it is not the same field
	Strong bool    // the values themselves show it: the same constants, the same ids
	Doubts []string
}

// Implausible is the fit at and below which two fields are not the same.
const Implausible = 0.3

// Compare says how well new values fit where old values were.
func Compare(before, after *Profile, name string) Match {
	if after.Seen == 0 {
		if after.Nulls > 0 && before.Nulls > 0 {
			return Match{Fit: 0.4}
		}
		return Match{Fit: Implausible, Doubts: []string{"every " + name + " is null, so its values show nothing"}}
	}
	if before.Seen == 0 {
		return Match{Fit: 0.4}
	}
	kind := after.Kind()
	if kind == "" || before.Kinds[kind] == 0 {
		return Match{}
	}
	switch kind {
	case "number":
		return CompareNumbers(before.Numbers, after.Numbers, name)
	case "boolean":
		return Match{Fit: 0.5}
	case "string":
		return compareTexts(before, after, name)
	case "array":
		return compareLists(before, after, name)
	case "object":
		return Match{Fit: CompareKeys(before.Objects, after.Objects)}
	}
	return Match{}
}

// CompareNumbers is [Compare] for sorted numbers.
func CompareNumbers(before, after []float64, name string) Match {
	if unit, other := EpochUnit(before), EpochUnit(after); unit != "" || other != "" {
		if unit == other {
			return Match{Fit: 0.7}
		}
		return Match{Fit: 0.1}
	}
	fit := 0.6
	shared := sharedNumbers(before, after)
	strong := shared >= 2 && 2*shared >= len(after)
	if strong {
		return Match{Fit: 0.95, Strong: true}
	}
	var doubts []string
	if Whole(before) != Whole(after) && len(before) >= 2 {
		doubts = append(doubts, "the values of "+name+" are "+wholeOrNot(after)+", those before were "+wholeOrNot(before)+": perhaps another unit")
	}
	low, high := math.Abs(middle(before)), math.Abs(middle(after))
	if low > high {
		low, high = high, low
	}
	switch {
	case high == 0:
	case low == 0 || high/low > 30:
		doubts = append(doubts, "the values of "+name+" ("+ShowNumber(middle(after))+") are of another size than before ("+ShowNumber(middle(before))+")")
	case before[0] <= after[0] && after[len(after)-1] <= before[len(before)-1]:
		fit = 0.7
	}
	return Match{Fit: fit, Doubts: doubts}
}

func sharedNumbers(before, after []float64) int {
	shared := 0
	for i, n := range after {
		if (math.Abs(n) >= 10000 || n != math.Trunc(n) && math.Abs(n) >= 100) && (i == 0 || after[i-1] != n) {
			if _, found := slices.BinarySearch(before, n); found {
				shared++
			}
		}
	}
	return shared
}

// Whole says that no number has a fraction.
func Whole(numbers []float64) bool {
	return !slices.ContainsFunc(numbers, func(n float64) bool { return n != math.Trunc(n) })
}

func wholeOrNot(numbers []float64) string {
	if Whole(numbers) {
		return "whole numbers"
	}
	return "fractions"
}

func middle(sorted []float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[len(sorted)/2]
}

// ShowNumber writes a number as short as it can be.
func ShowNumber(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

// Times between 2001 and 2065, in the units that APIs count them.
const (
	FirstSecond = 978307200
	LastSecond  = 2997000000
)

// EpochUnit says what unit numbers would be times in: "s", "ms", "" if they are no times.
func EpochUnit(sorted []float64) string {
	if len(sorted) == 0 || !Whole(sorted) {
		return ""
	}
	first, last := sorted[0], sorted[len(sorted)-1]
	switch {
	case first >= FirstSecond && last <= LastSecond:
		return "s"
	case first >= FirstSecond*1000 && last <= LastSecond*1000:
		return "ms"
	}
	return ""
}

func compareTexts(before, after *Profile, name string) Match {
	old, now := before.Format(), after.Format()
	known := SetOf(before.Texts...)
	distinct := map[string]bool{}
	shared, telling, recased := 0, 0, 0
	folded := map[string]bool{}
	for _, text := range before.Texts {
		folded[strings.ToLower(Squeeze(text))] = true
	}
	for _, text := range after.Texts {
		if text == "" || distinct[text] {
			continue
		}
		distinct[text] = true
		switch {
		case known[text]:
			shared++
			if (len(text) >= 6 || strings.ContainsAny(text, "_-.")) && !Common[strings.ToLower(text)] {
				telling++
			}
		case folded[strings.ToLower(Squeeze(text))] && FormatOf(text) == FormatWord:
			recased++
		}
	}
	all := shared > 0 && shared == len(distinct)
	switch {
	case recased > 0:
		return Match{Fit: 0.4, Doubts: []string{"the constants in " + name + " are written another way than before"}}
	case all && telling > 0:
		return Match{Fit: 1, Strong: true}
	case all && shared >= 2:
		return Match{Fit: 0.8}
	case shared*2 >= len(distinct) && telling > 0:
		return Match{Fit: 0.9, Strong: true}
	}
	constants := IsConstants(before)
	switch {
	case shared == 0 && len(distinct) == 1 && len(after.Texts) >= 3 && len(known) > 3:
		return Match{Fit: 0.35, Doubts: []string{"all values of " + name + " are the same, those before were not"}}
	case old != "" && now != "" && old != now && IsSpecific(old) && IsSpecific(now):
		if isDate(old) && isDate(now) || IsNumber(old) && IsNumber(now) {
			return Match{Fit: 0.55}
		}
		return Match{Fit: 0.1}
	case old != now && (IsSpecific(old) || IsSpecific(now)):
		return Match{Fit: 0.25}
	case old == now && old == FormatID:
		switch prefixes := idPrefixes(before.Texts); {
		case len(prefixes) > 1: // then it says nothing
			return Match{Fit: 0.6}
		case maps.Equal(prefixes, idPrefixes(after.Texts)):
			return Match{Fit: 0.9}
		}
		return Match{Fit: 0.2}
	case old == now && isDate(old):
		return Match{Fit: 0.65}
	case old == now && IsSpecific(old):
		return Match{Fit: 0.75}
	case constants && shared == 0:
		return Match{Fit: 0.4, Doubts: []string{"none of the values of " + name + " was among the constants before"}}
	case shared > 0:
		return Match{Fit: 0.7}
	case old == now:
		return Match{Fit: 0.55}
	}
	return Match{Fit: 0.45}
}

// IsConstants says that texts look like one of a few constants.
func IsConstants(p *Profile) bool {
	distinct := map[string]bool{}
	for _, text := range p.Texts {
		distinct[text] = true
	}
	return p.Format() == FormatWord && (len(p.Texts) >= 3 && len(distinct)*2 <= len(p.Texts) ||
		slices.ContainsFunc(p.Texts, func(text string) bool { return strings.Contains(text, "_") }))
}

// ClosedSet says that so many texts repeat so few values that there will be no others.
func ClosedSet(texts []string) bool {
	return len(texts) >= 4*len(SetOf(texts...))
}

func isDate(format string) bool {
	return format == FormatDate || format == FormatDateTime || format == FormatHTTPDate
}

// IsSpecific says that a format tells one sort of field from another.
func IsSpecific(format string) bool {
	return format != "" && format != FormatWord && format != FormatText
}

// idPrefixes are what texts begin with that are ids: ch in ch_1A2b.
func idPrefixes(texts []string) map[string]bool {
	prefixes := map[string]bool{}
	for _, text := range texts {
		if found := idPattern.FindStringSubmatch(text); found != nil {
			prefixes[found[1]] = true
		}
	}
	return prefixes
}

func compareLists(before, after *Profile, name string) Match {
	old, now := ProfileOf(before.Elements()), ProfileOf(after.Elements())
	switch {
	case now.Seen == 0 || old.Seen == 0:
		return Match{Fit: 0.5}
	case old.Kind() != now.Kind():
		return Match{Fit: 0.15}
	case old.Kind() == "" && sameKinds(old, now):
		return Match{Fit: 0.6} // a row of several things, such as a time and a value
	}
	return Compare(old, now, name)
}

// sameKinds says that both have values of the same kinds.
func sameKinds(a, b *Profile) bool {
	for kind := range a.Kinds {
		if b.Kinds[kind] == 0 {
			return false
		}
	}
	return len(a.Kinds) == len(b.Kinds)
}

// CompareKeys says how far objects have the same keys, 0 to 1; a key that is only
// written another way counts nearly in full.
func CompareKeys(before, after []*orderedjson.Object) float64 {
	old, now := KeysOf(before), KeysOf(after)
	if len(old) == 0 || len(now) == 0 {
		return 0.4
	}
	same := 0.0
	for _, key := range old {
		best := 0.0
		for _, other := range now {
			switch score := Likeness(Words(key), Words(other)); {
			case key == other:
				best = 1
			case score > 0.5:
				best = max(best, 0.8*score)
			}
		}
		same += best
	}
	return 0.1 + 0.85*max(same/float64(len(old)), min(1, same/float64(len(now)))*0.9)
}

// KeysOf lists the keys of all objects, each once, in the order of first sight.
func KeysOf(objects []*orderedjson.Object) []string {
	var keys []string
	seen := map[string]bool{}
	for _, one := range objects {
		for _, key := range one.Keys {
			if !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	return keys
}
