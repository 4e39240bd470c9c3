package payload

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// A place differs from its past in one of these ways.
const (
	IsGone    = "gone"
	IsNull    = "null"
	IsChanged = "of another type"
	IsNoJSON  = "no JSON"
	IsFormat  = "written another way"
	IsZone    = "in another zone"
	IsScaled  = "of another size"
	IsWords   = "other words"
	IsEmpty   = "empty"
	IsNew     = "new"
)

// A difference says nothing before so much is known.
const (
	// LeastSeen is how many objects had a member, each of them, before its absence means something.
	LeastSeen = 3
	// SurelySeen is how many values have to have been one way before another way means something by itself.
	SurelySeen = 5
	// aloneSeen is LeastSeen for an absence, or a null, that nothing else bears out: nothing new came with it, and one
	// object lacks it.
	aloneSeen = 8
	// otherSize is how many times larger or smaller numbers are in another unit.
	otherSize = 30
)

// Came says that there is a member where recorded payloads never had one.
func Came(was, is *Schema) bool {
	for _, p := range is.All() {
		if n := len(p.Path); p.IsMember() && was.At(p.Path) == nil && was.At(p.Path[:n-1]) != nil {
			return true
		}
	}
	return false
}

// quiet says that there is little in an answer: an empty list, or a zero. Then what is null may be what there is nothing of.
func quiet(is *Schema) bool {
	for _, p := range is.All() {
		if p.Kinds["array"] > 0 && p.Items == 0 || len(p.Numbers) > 0 && !slices.ContainsFunc(p.Numbers, func(n float64) bool { return n != 0 }) {
			return true
		}
	}
	return false
}

// saysNone says that a member is left out because there is nothing to say: a list beside a count of 0, or all members of
// one of the many things that a list holds.
func saysNone(was, is *Schema, old *Place) bool {
	holder := old.Path[:len(old.Path)-1]
	members, count := false, false
	for _, p := range is.All() {
		if !p.IsMember() || !slices.Equal(p.Path[:len(p.Path)-1], holder) {
			continue
		}
		members = true
		before := was.At(p.Path)
		count = count || before != nil && before.Middle() != 0 && len(p.Numbers) > 0 && !slices.ContainsFunc(p.Numbers, func(n float64) bool { return n != 0 })
	}
	if count && old.Kinds["array"] == old.Seen() {
		return true
	}
	inside := len(holder) - 1
	for inside >= 0 && holder[inside] != Element {
		inside--
	}
	if members || inside < 0 || inside == len(holder)-1 {
		return false
	}
	lacking := is.Objects(holder)
	return lacking == 1 || 2*lacking <= is.Objects(holder[:inside+1])
}

// cameBeside says that beside a member there is a new one whose name says the same, and more or less.
func cameBeside(was, is *Schema, path []string) bool {
	for _, p := range is.All() {
		n := len(path)
		if len(p.Path) == n && slices.Equal(p.Path[:n-1], path[:n-1]) && was.At(p.Path) == nil &&
			Likeness(Words(path[n-1]), Words(p.Path[n-1])) > 0.5 {
			return true
		}
	}
	return false
}

// Differs says how what stands at an old place now differs from what always stood there, in a word and for people; empty
// where it does not, or too little was seen to say so. Fresh says that members came that there never were.
func Differs(was, is *Schema, old *Place, fresh bool) (how, words string) {
	now := is.At(old.Path)
	n := len(old.Path)
	if n > 0 && old.Path[n-1] == Document {
		text, before := is.At(old.Path[:n-1]), was.At(old.Path[:n-1])
		if text != nil && before != nil && now == nil && text.Kinds["string"] > 0 && before.Kinds["string"] == old.Seen() {
			return IsNoJSON, "a text that is no JSON"
		}
	}
	if old.IsMember() {
		holder := old.Path[:n-1]
		before, lacking := was.Objects(holder), is.Objects(holder)
		always := before == old.Seen() && before >= LeastSeen
		if now == nil {
			if always && lacking > 0 && (fresh || before >= aloneSeen && !saysNone(was, is, old)) || lacking > 0 && 2*old.Seen() >= before && cameBeside(was, is, old.Path) {
				return IsGone, "gone"
			}
			return "", ""
		}
	}
	if now == nil {
		return "", ""
	}
	kinds, before := now.KindsSeen(), old.KindsSeen()
	switch {
	case len(kinds) == 0:
		if old.Kinds["null"] == 0 && old.Seen() >= LeastSeen && (now.Kinds["null"] >= 2 || old.Seen() >= aloneSeen && !quiet(is)) {
			return IsNull, "null everywhere"
		}
		if old.Kinds["null"] > 0 && old.IsMember() && len(before) > 0 && cameBeside(was, is, old.Path) {
			return IsNull, "null everywhere, with others beside it"
		}
		return "", ""
	case len(before) > 0 && old.Seen() >= 2 && !slices.ContainsFunc(kinds, func(kind string) bool { return old.Kinds[kind] > 0 }):
		return IsChanged, strings.Join(kinds, " or ")
	case slices.Equal(kinds, []string{"number"}) && slices.Equal(before, []string{"number"}):
		if factor := Scaled(old, now); factor != 0 {
			return IsScaled, scaled(old, now)
		}
	case slices.Equal(kinds, []string{"string"}) && slices.Equal(before, []string{"string"}):
		if a, b := old.Format(), now.Format(); a != "" && b != "" && a != b && old.Seen() >= LeastSeen && tells(a, b) {
			return IsFormat, "written as " + b + ", and was written as " + a
		}
		if zone := otherZone(old, now); zone != "" {
			return IsZone, zone
		}
		if factor := Scaled(old, now); factor != 0 && IsNumber(old.Format()) && IsNumber(now.Format()) {
			return IsScaled, scaled(old, now)
		}
		if len(Respelled(old, now)) > 0 {
			return IsWords, "other words: " + strings.Join(slices.Sorted(maps.Keys(now.Words)), ", ")
		}
	}
	return "", ""
}

func scaled(old, now *Place) string {
	return "in another unit, it seems: the size is about " + ShowNumber(now.Middle()) + " and was about " + ShowNumber(old.Middle())
}

// otherZone says how times are written now that always said their zone in another way, empty if they are as they were.
func otherZone(old, now *Place) string {
	if len(old.Zones) != 1 || len(now.Zones) != 1 || old.Seen() < LeastSeen {
		return ""
	}
	for zone := range now.Zones {
		if old.Zones[zone] == 0 {
			return zone
		}
	}
	return ""
}

// tells says that texts of one format do not become texts of the other by themselves.
func tells(before, after string) bool {
	dates := []string{FormatDate, FormatDateTime, FormatHTTPDate}
	if slices.Contains(dates, before) {
		return true
	}
	return before == FormatDecimal && after != FormatInteger
}

// Scaled is by how much numbers were multiplied that are in another unit now, 0 if they are as before: they changed
// between whole numbers and fractions, and their size with it.
func Scaled(old, now *Place) float64 {
	if len(old.Numbers) < LeastSeen || len(now.Numbers) == 0 || (Whole(old.Numbers) == Whole(now.Numbers) || byChance(old.Numbers, now.Numbers)) && !far(old, now) {
		return 0
	}
	before, after := old.Middle(), now.Middle()
	if before == 0 || after == 0 {
		return 0
	}
	ratio := after / before
	if ratio < otherSize && ratio > 1.0/otherSize {
		if len(old.Numbers) >= SurelySeen && slices.Min(old.Numbers) >= 100 && slices.Max(now.Numbers) < slices.Min(old.Numbers) && hundredths(now.Numbers) {
			return 0.01 // they were counted in hundredths: a single amount says no more
		}
		return 0
	}
	return math.Pow(10, math.Round(math.Log10(ratio)))
}

// byChance says that a few numbers may well be whole, or not, among others that always were not, or were: one in ten is whole of those
// that have a place behind the point.
func byChance(before, now []float64) bool {
	if !Whole(now) {
		return len(before) < SurelySeen
	}
	places := 0
	for _, n := range before {
		places = max(places, decimalsOf(ShowNumber(n)))
	}
	nonzero := slices.DeleteFunc(slices.Clone(now), func(n float64) bool { return n == 0 })
	return places*len(nonzero) < 2
}

// hundredths says that numbers have two places behind the point at most.
func hundredths(numbers []float64) bool {
	return !slices.ContainsFunc(numbers, func(n float64) bool { return math.Abs(n*100-math.Round(n*100)) > 1e-6 })
}

// far says that all numbers are in another range than all that were seen, by the size of a unit, in a time that
// is counted in seconds or milliseconds.
func far(old, now *Place) bool {
	unit := func(p *Place) string { return EpochUnit(slices.Sorted(slices.Values(p.Numbers))) }
	is := unit(now)
	if is == "" {
		return false
	}
	was := unit(old)
	return was != "" && was != is
}

// Respelled pairs constants with what they are written as now: each of today's words is none of those known, and
// is one of them written another way. Nil if that is not so.
func Respelled(old, now *Place) map[string]string {
	if old.Open || now.Open || len(now.Words) == 0 || old.Seen() < 4*len(old.Words) && old.Seen() < SurelySeen {
		return nil
	}
	pairs := map[string]string{}
	for word := range now.Words {
		if old.Words[word] > 0 {
			continue
		}
		found := false
		for known := range old.Words {
			if strings.ContainsAny(known, "0123456789") {
				return nil
			}
			if now.Words[known] == 0 && sameWord(known, word) {
				pairs[known], found = word, true
			}
		}
		if !found {
			return nil
		}
	}
	return pairs
}

// sameWord says that a constant holds the words of another one: paid, PAID, STATE_PAID.
func sameWord(known, now string) bool {
	was, is := Words(known), Words(now)
	if len(known) > 5 && oneLetter(known, now) {
		return true // cancelled, canceled
	}
	if len(Squeeze(known)) < 2 || len(is) < len(was) {
		return false
	}
	return slices.Equal(is[:len(was)], was) || slices.Equal(is[len(is)-len(was):], was)
}

// oneLetter says that two words differ in one letter, or that one has one more.
func oneLetter(a, b string) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return max(len(a), len(b)) == 1
}

// Change is one place at which payloads differ. A new place has no Was, a place that is gone no Is.
type Change struct {
	Path    []string
	How     string
	Was, Is *Place
	words   string
}

// newWords are those that are not among the few that always stood there.
func (p *Place) newWords(old *Place) []string {
	if old.Open || old.Seen() < LeastSeen*len(old.Words) || len(old.Words) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(p.Words)), func(word string) bool {
		format := FormatOf(word)
		return old.Words[word] > 0 || format != FormatWord && format != FormatText // dates, numbers and ids are no words
	})
}

// newForm says that texts are written otherwise than all that were seen: other signs between their digits and letters.
func (p *Place) newForm(old *Place) bool {
	form := old.form()
	return strings.Contains(form, "9") && old.Seen() >= 2 && len(p.Words) > 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(p.Words)), func(text string) bool { return Form(text) == form })
}

// form is that of all texts of a place, empty if they differ in it.
func (p *Place) form() string {
	form := ""
	for text := range p.Words {
		if one := Form(text); form != "" && one != form {
			return ""
		}
		form = Form(text)
	}
	return form
}

var (
	digitsOf  = lazyregexp.New(`[0-9]+`)
	lettersOf = lazyregexp.New(`\pL+`)
)

// Form is a text with each of its numbers as 9 and each of its words as a.
func Form(text string) string {
	return digitsOf.ReplaceAllString(lettersOf.ReplaceAllString(text, "a"), "9")
}

// otherRange says that all numbers are many times larger, or smaller, than each that was seen.
func (p *Place) otherRange(old *Place) bool {
	if len(old.Numbers) < LeastSeen || len(p.Numbers) == 0 {
		return false
	}
	least, most := old.sizes()
	low, high := p.sizes()
	return most > 0 && low >= otherSize*most || high > 0 && high*otherSize <= least
}

func (p *Place) sizes() (least, most float64) {
	least = math.Inf(1)
	for _, n := range p.Numbers {
		least, most = min(least, math.Abs(n)), max(most, math.Abs(n))
	}
	return least, most
}

// otherConstant says that a number that never changed is another one.
func (p *Place) otherConstant(old *Place) bool {
	return len(old.Numbers) >= LeastSeen && len(p.Numbers) > 0 && slices.Min(old.Numbers) == slices.Max(old.Numbers) && !slices.Contains(p.Numbers, old.Numbers[0])
}

// String says it for people.
func (c Change) String() string {
	at := Show(c.Path)
	if at == "" {
		at = "it"
	}
	switch c.How {
	case IsNew:
		return at + " is new (" + c.Is.String() + ")"
	case IsGone:
		return at + " is gone (it was " + c.Was.String() + ")"
	case IsChanged:
		return at + " was " + c.Was.String() + ", and is " + c.Is.String()
	}
	if c.Is == nil { // a document that stands nowhere in what is a text of another kind
		return at + " was " + c.Was.String() + ", and is " + c.words
	}
	is := c.Is.String()
	if fresh := c.Is.newWords(c.Was); c.How == IsWords && len(fresh) > 0 {
		is = strings.Join(fresh, ", ")
	}
	if is == c.words {
		return at + " was " + c.Was.String() + ", and is " + is
	}
	return at + " was " + c.Was.String() + ", and is " + c.words + " (" + is + ")"
}

// Changes is every difference, for people who have to decide: places that are gone first, those that may be an
// ordinary day's and new ones last. A difference below another one is left out, and so is a missing place that not
// all earlier payloads had.
func Changes(was, is *Schema) []Change {
	if len(was.root.Kinds) == 0 {
		return nil
	}
	var found []Change
	told := func(path []string) bool {
		return slices.ContainsFunc(found, func(c Change) bool { return Within(path, c.Path) })
	}
	fresh := Came(was, is)
	for _, old := range was.All() {
		now := is.At(old.Path)
		how, words := Differs(was, is, old, fresh)
		switch {
		case told(old.Path):
			continue
		case how != "":
		case now == nil && old.IsMember() && is.Objects(old.Path[:len(old.Path)-1]) > 0 && old.Seen() == was.Objects(old.Path[:len(old.Path)-1]):
			how = IsGone
		case now != nil && slices.ContainsFunc(now.KindsSeen(), func(kind string) bool { return old.Kinds[kind] == 0 }) && len(old.KindsSeen()) > 0:
			how = IsChanged
		case now != nil && now.Kinds["null"] > 0 && old.Kinds["null"] == 0:
			how, words = IsNull, "null in some"
			if len(now.KindsSeen()) == 0 {
				words = "null"
			}
		case now != nil && now.Kinds["array"] > 0 && now.Items == 0 && old.Kinds["array"] > 0 && old.Empty == 0:
			how, words = IsEmpty, "empty"
		case now != nil && now.otherRange(old):
			how, words = IsScaled, "of another size"
		case now != nil && now.newForm(old):
			how, words = IsFormat, "written another way"
		case now != nil && len(now.newWords(old)) > 0:
			how, words = IsWords, "a new word"
		case now != nil && now.otherConstant(old):
			how, words = IsWords, "another number"
		default:
			continue
		}
		found = append(found, Change{Path: old.Path, How: how, Was: old, Is: now, words: words})
	}
	first := []string{IsGone, IsNoJSON, IsChanged, IsNull, IsScaled, IsFormat, IsZone, IsEmpty, IsWords}
	slices.SortStableFunc(found, func(a, b Change) int { return slices.Index(first, a.How) - slices.Index(first, b.How) })
	for _, now := range is.All() {
		if was.At(now.Path) == nil && now.IsMember() && was.Objects(now.Path[:len(now.Path)-1]) > 0 && !told(now.Path) {
			found = append(found, Change{Path: now.Path, How: IsNew, Is: now})
		}
	}
	return found
}
