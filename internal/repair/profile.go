package repair

import (
	"encoding/json"
	"math"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/ordered"
)

// profile sums up the values of one field over many payloads.
type profile struct {
	seen    int // values, null and absent ones not counted
	nulls   int
	kinds   map[string]int
	numbers []float64 // sorted
	texts   []string
	formats map[string]int // of the texts
	lists   [][]any
	objects []*ordered.Object
}

func profileOf(values []any) *profile {
	p := &profile{kinds: map[string]int{}, formats: map[string]int{}}
	for _, value := range values {
		switch v := value.(type) {
		case absent:
			continue
		case nil:
			p.nulls++
			continue
		case float64:
			p.numbers = append(p.numbers, v)
		case string:
			p.texts = append(p.texts, v)
			if v != "" {
				p.formats[formatOf(v)]++
			}
		case []any:
			p.lists = append(p.lists, v)
		case *ordered.Object:
			p.objects = append(p.objects, v)
		}
		p.seen++
		p.kinds[kindOf(value)]++
	}
	slices.Sort(p.numbers)
	return p
}

// kind is the one kind of all values, "" if there are none or several.
func (p *profile) kind() string {
	if len(p.kinds) != 1 {
		return ""
	}
	for kind := range p.kinds {
		return kind
	}
	return ""
}

// without is the profile of the values whose kind the other profile does not have, nil if
// all or none are such.
func (p *profile) without(other *profile) *profile {
	var values []any
	for _, n := range p.numbers {
		values = append(values, n)
	}
	for _, text := range p.texts {
		values = append(values, text)
	}
	for _, list := range p.lists {
		values = append(values, list)
	}
	for _, o := range p.objects {
		values = append(values, o)
	}
	rest := slices.DeleteFunc(values, func(value any) bool { return other.kinds[kindOf(value)] > 0 })
	if len(rest) == 0 || len(rest) == p.seen {
		return nil
	}
	return profileOf(rest)
}

// format is the format that nearly all texts share, "" if there is none.
func (p *profile) format() string {
	best, total := "", 0
	for name, n := range p.formats {
		total += n
		if n > p.formats[best] || n == p.formats[best] && name < best {
			best = name
		}
	}
	if total == 0 || p.formats[best]*10 < total*9 {
		return ""
	}
	return best
}

// elements is what all lists hold, together.
func (p *profile) elements() []any {
	var all []any
	for _, list := range p.lists {
		all = append(all, list...)
		if len(all) > maxInstances {
			break
		}
	}
	return all
}

// The formats of texts. A word is a constant such as send_invoice; text is anything else.
const (
	formatDateTime = "date and time"
	formatDate     = "date"
	formatHTTPDate = "http date"
	formatInteger  = "integer"
	formatDecimal  = "decimal"
	formatUUID     = "uuid"
	formatEmail    = "e-mail"
	formatURL      = "url"
	formatHash     = "hash"
	formatID       = "id"
	formatJSON     = "json"
	formatWord     = "word"
	formatText     = "text"
)

var (
	datePattern     = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	dateTimePattern = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}`)
	integerPattern  = regexp.MustCompile(`^[-+]?\d+$`)
	decimalPattern  = regexp.MustCompile(`^[-+]?(?:\d*|\d{1,3}(?:,\d{3})+)\.\d+$`)
	uuidPattern     = regexp.MustCompile(`(?i)^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	emailPattern    = regexp.MustCompile(`^[^\s@<>]+@[^\s@<>]+\.[^\s@<>]+$`)
	hashPattern     = regexp.MustCompile(`(?i)^[0-9a-f]{16,}$`)
	idPattern       = regexp.MustCompile(`^([A-Za-z]{1,8})[_-]([A-Za-z0-9_-]*[A-Z0-9][A-Za-z0-9_-]*)$`)
	wordPattern     = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*(?:[_.\-][A-Za-z0-9]+)*$`)
)

func formatOf(text string) string {
	trimmed := strings.TrimSpace(text)
	switch {
	case datePattern.MatchString(text):
		return formatDate
	case dateTimePattern.MatchString(text):
		return formatDateTime
	case integerPattern.MatchString(trimmed):
		return formatInteger
	case decimalPattern.MatchString(trimmed):
		return formatDecimal
	case uuidPattern.MatchString(text):
		return formatUUID
	case emailPattern.MatchString(text):
		return formatEmail
	case hashPattern.MatchString(text):
		return formatHash
	case (strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[")) && json.Valid([]byte(trimmed)):
		return formatJSON
	}
	if u, err := url.Parse(text); err == nil && u.Scheme != "" && u.Host != "" {
		return formatURL
	}
	if _, err := time.Parse(time.RFC1123, text); err == nil {
		return formatHTTPDate
	}
	if _, err := time.Parse(time.RFC1123Z, text); err == nil {
		return formatHTTPDate
	}
	if found := idPattern.FindStringSubmatch(text); found != nil && strings.ContainsAny(found[2], "0123456789") {
		return formatID
	}
	if wordPattern.MatchString(text) && len(text) <= 40 {
		return formatWord
	}
	return formatText
}

// evidence is what the values of an old and a new field say about their being the same.
type evidence struct {
	fit    float64 // 0 to 1; below implausible it is not the same field
	strong bool    // the values themselves show it: the same constants, the same ids
	doubts []string
}

const implausible = 0.3

// compareProfiles says how well new values fit where old values were.
func compareProfiles(before, after *profile, name string) evidence {
	if after.seen == 0 {
		if after.nulls > 0 && before.nulls > 0 {
			return evidence{fit: 0.4}
		}
		return evidence{fit: implausible, doubts: []string{"every " + name + " is null, so its values show nothing"}}
	}
	if before.seen == 0 {
		return evidence{fit: 0.4}
	}
	kind := after.kind()
	if kind == "" || before.kinds[kind] == 0 {
		return evidence{}
	}
	switch kind {
	case "number":
		return compareNumbers(before.numbers, after.numbers, name)
	case "boolean":
		return evidence{fit: 0.5}
	case "string":
		return compareTexts(before, after, name)
	case "array":
		return compareLists(before, after, name)
	case "object":
		return evidence{fit: compareKeys(before.objects, after.objects)}
	}
	return evidence{}
}

func compareNumbers(before, after []float64, name string) evidence {
	if unit, other := epochUnit(before), epochUnit(after); unit != "" || other != "" {
		if unit == other {
			return evidence{fit: 0.7}
		}
		return evidence{fit: 0.1}
	}
	fit := 0.6
	shared := sharedNumbers(before, after)
	strong := shared >= 2 && 2*shared >= len(after)
	if strong {
		return evidence{fit: 0.95, strong: true}
	}
	var doubts []string
	if whole(before) != whole(after) && len(before) >= 2 {
		doubts = append(doubts, "the values of "+name+" are "+wholeOrNot(after)+", those before were "+wholeOrNot(before)+": perhaps another unit")
	}
	low, high := math.Abs(middle(before)), math.Abs(middle(after))
	if low > high {
		low, high = high, low
	}
	switch {
	case high == 0:
	case low == 0 || high/low > 30:
		doubts = append(doubts, "the values of "+name+" ("+showNumber(middle(after))+") are of another size than before ("+showNumber(middle(before))+")")
	case before[0] <= after[0] && after[len(after)-1] <= before[len(before)-1]:
		fit = 0.7
	}
	return evidence{fit: fit, doubts: doubts}
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

func whole(numbers []float64) bool {
	return !slices.ContainsFunc(numbers, func(n float64) bool { return n != math.Trunc(n) })
}

func wholeOrNot(numbers []float64) string {
	if whole(numbers) {
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

func showNumber(n float64) string { return strconv.FormatFloat(n, 'g', -1, 64) }

// Times between 2001 and 2065, in the units that APIs count them.
const (
	firstSecond = 978307200
	lastSecond  = 2997000000
)

// epochUnit says what unit numbers would be times in: "s", "ms", "" if they are no times.
func epochUnit(sorted []float64) string {
	if len(sorted) == 0 || !whole(sorted) {
		return ""
	}
	first, last := sorted[0], sorted[len(sorted)-1]
	switch {
	case first >= firstSecond && last <= lastSecond:
		return "s"
	case first >= firstSecond*1000 && last <= lastSecond*1000:
		return "ms"
	}
	return ""
}

func compareTexts(before, after *profile, name string) evidence {
	old, now := before.format(), after.format()
	known := setOf(before.texts...)
	distinct := map[string]bool{}
	shared, telling, recased := 0, 0, 0
	folded := map[string]bool{}
	for _, text := range before.texts {
		folded[strings.ToLower(squeeze(text))] = true
	}
	for _, text := range after.texts {
		if text == "" || distinct[text] {
			continue
		}
		distinct[text] = true
		switch {
		case known[text]:
			shared++
			if (len(text) >= 6 || strings.ContainsAny(text, "_-.")) && !common[strings.ToLower(text)] {
				telling++
			}
		case folded[strings.ToLower(squeeze(text))] && formatOf(text) == formatWord:
			recased++
		}
	}
	all := shared > 0 && shared == len(distinct)
	switch {
	case recased > 0:
		return evidence{fit: 0.4, doubts: []string{"the constants in " + name + " are written another way than before"}}
	case all && telling > 0:
		return evidence{fit: 1, strong: true}
	case all && shared >= 2:
		return evidence{fit: 0.8}
	case shared*2 >= len(distinct) && telling > 0:
		return evidence{fit: 0.9, strong: true}
	}
	constants := isConstants(before)
	switch {
	case old != "" && now != "" && old != now && isSpecific(old) && isSpecific(now):
		if isDate(old) && isDate(now) {
			return evidence{fit: 0.55}
		}
		return evidence{fit: 0.1}
	case old != now && (isSpecific(old) || isSpecific(now)):
		return evidence{fit: 0.25}
	case old == now && old == formatID:
		if idPrefix(before.texts) == idPrefix(after.texts) {
			return evidence{fit: 0.9}
		}
		return evidence{fit: 0.2}
	case old == now && isDate(old):
		return evidence{fit: 0.65}
	case old == now && isSpecific(old):
		return evidence{fit: 0.75}
	case constants && shared == 0:
		return evidence{fit: 0.4, doubts: []string{"none of the values of " + name + " was among the constants before"}}
	case shared > 0:
		return evidence{fit: 0.7}
	case old == now:
		return evidence{fit: 0.55}
	}
	return evidence{fit: 0.45}
}

// isConstants says that texts look like one of a few constants.
func isConstants(p *profile) bool {
	distinct := map[string]bool{}
	for _, text := range p.texts {
		distinct[text] = true
	}
	return p.format() == formatWord && (len(p.texts) >= 3 && len(distinct)*2 <= len(p.texts) ||
		slices.ContainsFunc(p.texts, func(text string) bool { return strings.Contains(text, "_") }))
}

// closedSet says that so many texts repeat so few values that there will be no others.
func closedSet(texts []string) bool {
	return len(texts) >= 4*len(setOf(texts...))
}

func isDate(format string) bool {
	return format == formatDate || format == formatDateTime || format == formatHTTPDate
}

// isSpecific says that a format tells one sort of field from another.
func isSpecific(format string) bool {
	return format != "" && format != formatWord && format != formatText
}

func idPrefix(texts []string) string {
	for _, text := range texts {
		if found := idPattern.FindStringSubmatch(text); found != nil {
			return found[1]
		}
	}
	return ""
}

func compareLists(before, after *profile, name string) evidence {
	old, now := profileOf(before.elements()), profileOf(after.elements())
	switch {
	case now.seen == 0 || old.seen == 0:
		return evidence{fit: 0.5}
	case old.kind() != now.kind():
		return evidence{fit: 0.15}
	case old.kind() == "" && sameKinds(old, now):
		return evidence{fit: 0.6} // a row of several things, such as a time and a value
	}
	return compareProfiles(old, now, name)
}

// sameKinds says that both have values of the same kinds.
func sameKinds(a, b *profile) bool {
	for kind := range a.kinds {
		if b.kinds[kind] == 0 {
			return false
		}
	}
	return len(a.kinds) == len(b.kinds)
}

// compareKeys says how far objects have the same keys, 0 to 1; a key that is only
// written another way counts nearly in full.
func compareKeys(before, after []*ordered.Object) float64 {
	old, now := keysOf(before), keysOf(after)
	if len(old) == 0 || len(now) == 0 {
		return 0.4
	}
	same := 0.0
	for _, key := range old {
		best := 0.0
		for _, other := range now {
			switch score := likeness(words(key), words(other)); {
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

func keysOf(objects []*ordered.Object) []string {
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
