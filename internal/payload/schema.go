package payload

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// These bounds limit the cost of looking at a large answer.
const (
	maxPlaces   = 1500 // of one source; further ones are not looked at
	MaxElements = 500  // of one list
	maxSampled  = 60   // values of one place whose text or number is looked at
	maxWords    = 40   // different texts of one place; with more they are no constants
	maxShape    = 600  // characters of all members of an object
)

// Place is what stood at one place of payloads. Lists share one place for all elements ([]), and a text that is
// JSON, lines of JSON or a table has that below it ({}, {lines}, {table}).
type Place struct {
	Path    []string
	Kinds   map[string]int // null among them
	Runs    int            // that had it
	Numbers []float64
	Formats map[string]int
	Zones   map[string]int // of dates with times; see [ZoneOf]
	Words   map[string]int
	Open    bool           // there are too many texts to be constants
	Items   int            // of all lists
	Empty   int            // lists
	Nothing int            // values that say nothing; see [SaysNothing]
	Least   int            // items of the shortest list, empty ones left out
	Most    int            // and of the longest
	Up      int            // neighbours in a list, of which the later one has more here, or a later text
	Down    int            // or less
	Sample  string         // one of the texts
	Shapes  map[string]int // how many objects had just these members; nil if there are too many
	shapes  int            // that were counted

	decimals int // that all texts had which are numbers, -1 if they differ

	entry bool   // of a map, with a key that every one of them had: it may be missing
	last  string // the run that was counted last
	below map[string]*Place
	order []*Place // those below, as they came
}

// step is the last of the path, empty for the payload itself.
func (p *Place) step() string {
	if len(p.Path) == 0 {
		return ""
	}
	return p.Path[len(p.Path)-1]
}

// Within says that a path is another one, or below it. One key of a map is within any key.
func Within(path, above []string) bool {
	return len(path) >= len(above) && slices.EqualFunc(path[:len(above)], above, func(a, b string) bool { return a == b || b == AnyKey })
}

// IsMember says that a place is a member of a record.
func (p *Place) IsMember() bool {
	step := p.step()
	return !p.entry && step != "" && step != Element && !inText(step) && step != AnyKey
}

// Seen is how many values stood there, null among them.
func (p *Place) Seen() int {
	sum := 0
	for _, n := range p.Kinds {
		sum += n
	}
	return sum
}

// Schema is what stood at the places of payloads that are alike, over many runs. It is read by what [Schema.Read]
// gives: there, maps have one place for all of their values.
type Schema struct {
	root   *Place
	places int

	view *Schema // what was read last, nil if more came since
	keys Keys    // that it was read with
	maps map[*Place]bool
}

// NewSchema is one of nothing.
func NewSchema() *Schema { return &Schema{root: &Place{}} }

// The steps of a path that are no members.
const (
	Element  = "[]"
	Document = "{}"
	Lines    = "{lines}"
	Table    = "{table}"
	AnyKey   = "{*}"
)

// inText says that what is below stands in a text.
func inText(step string) bool { return step == Document || step == Lines || step == Table }

// At is the place at a path, nil if nothing stood there.
func (v *Schema) At(path []string) *Place {
	p := v.root
	for _, step := range path {
		if p = p.below[step]; p == nil {
			return nil
		}
	}
	if len(p.Kinds) == 0 {
		return nil
	}
	return p
}

// All are the places where something stood, those above before those below.
func (v *Schema) All() []*Place {
	found := make([]*Place, 0, v.places+1)
	found = append(found, v.root)
	for i := 0; i < len(found); i++ {
		found = append(found, found[i].order...)
	}
	return slices.DeleteFunc(found, func(p *Place) bool { return len(p.Kinds) == 0 })
}

// Below are the places a step below a path, as they came.
func (v *Schema) Below(path []string) []*Place {
	if p := v.At(path); p != nil {
		return p.order
	}
	return nil
}

// Objects is how many objects stood at a path.
func (v *Schema) Objects(path []string) int {
	if p := v.At(path); p != nil {
		return p.Kinds["object"]
	}
	return 0
}

// under is the place a step below, nil if there are too many.
func (v *Schema) under(p *Place, step string) *Place {
	if found := p.below[step]; found != nil {
		return found
	}
	if v.places >= maxPlaces {
		return nil
	}
	v.places++
	made := &Place{Path: append(slices.Clip(p.Path), step)}
	if p.below == nil {
		p.below = map[string]*Place{}
	}
	p.below[step], p.order = made, append(p.order, made)
	return made
}

// Add takes in what stood at a path in a run.
func (v *Schema) Add(run string, value any, path []string) {
	v.view = nil
	p := v.root
	for _, step := range path {
		if p = v.under(p, step); p == nil {
			return
		}
	}
	v.addAt(p, run, value)
}

func (v *Schema) addAt(p *Place, run string, value any) {
	if p == nil {
		return
	}
	p.count(KindOf(value), 1)
	p.ran(run)
	if SaysNothing(value) {
		p.Nothing++
	}
	switch value := value.(type) {
	case *orderedjson.Object:
		p.addShape(ShapeOf(value.Keys), 1)
		for _, member := range value.Keys {
			v.addAt(v.under(p, member), run, value.Fields[member])
		}
	case map[string]any:
		for _, member := range slices.Sorted(maps.Keys(value)) {
			v.addAt(v.under(p, member), run, value[member])
		}
	case []any:
		p.Items += len(value)
		if len(value) == 0 {
			p.Empty++
		} else {
			p.addLength(len(value), len(value))
			each := v.under(p, Element)
			v.addOrder(each, value)
			for _, one := range value[:min(len(value), MaxElements)] {
				v.addAt(each, run, one)
			}
		}
	case float64:
		p.addNumbers(value)
	case bool:
		p.addWord(strconv.FormatBool(value), 1)
	case string:
		p.addText(value)
		if inside, ok := DocumentIn(value); ok {
			v.addAt(v.under(p, inside.step()), run, inside.Value)
		}
	}
}

func (p *Place) count(kind string, n int) {
	if p.Kinds == nil {
		p.Kinds = map[string]int{}
	}
	p.Kinds[kind] += n
}

func (p *Place) ran(run string) {
	if p.Runs == 0 || p.last != run {
		p.last = run
		p.Runs++
	}
}

func (p *Place) addLength(least, most int) {
	if least > 0 && (p.Least == 0 || least < p.Least) {
		p.Least = least
	}
	p.Most = max(p.Most, most)
}

// addOrder counts how the members of neighbours in a list follow on each other.
func (v *Schema) addOrder(each *Place, list []any) {
	for i := 1; each != nil && i < min(len(list), maxSampled); i++ {
		before, _ := list[i-1].(*orderedjson.Object)
		after, _ := list[i].(*orderedjson.Object)
		if before == nil || after == nil {
			return
		}
		for _, member := range after.Keys {
			order := 0
			switch one := after.Fields[member].(type) {
			case float64:
				if other, is := before.Fields[member].(float64); is {
					order = cmp.Compare(one, other)
				}
			case string:
				if other, is := before.Fields[member].(string); is && len(one) == len(other) {
					order = cmp.Compare(one, other)
				}
			}
			if at := v.under(each, member); at != nil && order > 0 {
				at.Up++
			} else if at != nil && order < 0 {
				at.Down++
			}
		}
	}
}

// ShapeOf is the same for objects that have the same members.
func ShapeOf(members []string) string {
	return strings.Join(slices.Sorted(slices.Values(members)), "\x00")
}

// addShape counts objects, as long as they have few shapes.
func (p *Place) addShape(shape string, n int) {
	if p.shapes += n; p.shapes > n && p.Shapes == nil {
		return
	}
	if p.Shapes == nil {
		p.Shapes = map[string]int{}
	}
	if p.Shapes[shape] += n; len(p.Shapes) > maxWords || len(shape) > maxShape {
		p.Shapes = nil
	}
}

func (p *Place) addNumbers(numbers ...float64) {
	p.Numbers = append(p.Numbers, numbers[:min(len(numbers), max(maxSampled-len(p.Numbers), 0))]...)
}

var timesIn = lazyregexp.New(`[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9:.]+)?|[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4}`)

// SaysNothing says that a value is null, zero, empty, or a text whose only numbers are zeros, dates left out.
func SaysNothing(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case float64:
		return v == 0
	case []any:
		return len(v) == 0
	case *orderedjson.Object:
		return len(v.Keys) == 0
	case string:
		if v == "" || !strings.Contains(v, "0") {
			return v == ""
		}
		left := timesIn.ReplaceAllString(v, "")
		return !strings.ContainsAny(left, "123456789") && strings.Contains(left, "0")
	}
	return false
}

// Take adds what stood in one run.
func (v *Schema) Take(of *Schema) {
	v.view = nil
	v.take(v.root, of.root)
}

func (v *Schema) take(p, of *Place) {
	if p == nil {
		return
	}
	if of.Runs > 0 {
		p.ran(of.last)
	}
	p.merge(of)
	for _, below := range of.order {
		v.take(v.under(p, below.step()), below)
	}
}

// merge adds what stood at another place, runs and what is below left out.
func (p *Place) merge(of *Place) {
	for kind, n := range of.Kinds {
		p.count(kind, n)
	}
	p.Items += of.Items
	p.Empty += of.Empty
	p.Nothing += of.Nothing
	p.Up, p.Down = p.Up+of.Up, p.Down+of.Down
	p.addLength(of.Least, of.Most)
	p.addNumbers(of.Numbers...)
	p.Sample = cmp.Or(p.Sample, of.Sample)
	for shape, n := range of.Shapes {
		p.addShape(shape, n)
	}
	if of.Shapes == nil && of.shapes > 0 {
		p.Shapes, p.shapes = nil, p.shapes+of.shapes
	}
	p.takeTexts(of)
}

func (p *Place) takeTexts(of *Place) {
	if of.Open {
		p.Words, p.Open = nil, true
	}
	if p.sampled() >= maxSampled {
		for word := range of.Words {
			if _, known := p.Words[word]; !known {
				p.Open = true
			}
		}
		return
	}
	if p.sampled() == 0 {
		p.decimals = of.decimals
	} else if of.sampled() > 0 && of.decimals != p.decimals {
		p.decimals = -1
	}
	for format, n := range of.Formats {
		if p.Formats == nil {
			p.Formats = map[string]int{}
		}
		p.Formats[format] += n
	}
	for zone, n := range of.Zones {
		p.addZone(zone, n)
	}
	for word, n := range of.Words {
		p.addWord(word, n)
	}
}

// sampled is how many texts were looked at.
func (p *Place) sampled() int {
	sampled := 0
	for _, n := range p.Formats {
		sampled += n
	}
	return sampled
}

func (p *Place) addWord(text string, n int) {
	if p.Open {
		return
	}
	if p.Words == nil {
		p.Words = map[string]int{}
	}
	if p.Words[text] += n; len(p.Words) > maxWords || len(text) > 60 {
		p.Words, p.Open = nil, true
	}
}

func (p *Place) addText(text string) {
	if text == "" {
		return
	}
	if p.Sample == "" {
		p.Sample = text[:min(len(text), 2*maxShown)]
	}
	if IsNothing(text) { // it has no format of its own
		p.addWord(text, 1)
		return
	}
	if p.sampled() >= maxSampled {
		if _, known := p.Words[text]; !known {
			p.Open = true
		}
		return
	}
	if p.Formats == nil {
		p.Formats = map[string]int{}
	}
	format, sampled := FormatOf(text), p.sampled()
	if format == FormatDecimal && (sampled == 0 || decimalsOf(text) == p.decimals) {
		p.decimals = decimalsOf(text)
	} else {
		p.decimals = -1
	}
	p.Formats[format]++
	p.addWord(text, 1)
	if IsNumber(format) {
		if number, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			p.addNumbers(number)
		}
	}
	if format == FormatDateTime {
		p.addZone(ZoneOf(text), 1)
	}
}

// How a date with a time says its zone.
const (
	ZoneNone   = "without a zone"
	ZoneUTC    = "in UTC"
	ZoneOffset = "with an offset"
)

// ZoneOf is how a date with a time says its zone.
func ZoneOf(text string) string {
	switch {
	case strings.HasSuffix(text, "Z") || strings.HasSuffix(text, "UTC"):
		return ZoneUTC
	case offsetEnd.MatchString(text):
		return ZoneOffset
	}
	return ZoneNone
}

var offsetEnd = lazyregexp.New(`[+-]\d\d:?\d\d$`)

func (p *Place) addZone(zone string, n int) {
	if p.Zones == nil {
		p.Zones = map[string]int{}
	}
	p.Zones[zone] += n
}

// decimalsOf is how many digits stand behind the point of a number.
func decimalsOf(text string) int {
	_, fraction, _ := strings.Cut(strings.TrimSpace(text), ".")
	return len(fraction)
}

// Show is a path as people read it.
func Show(path []string) string {
	var b strings.Builder
	for _, step := range path {
		switch {
		case step == Element:
			b.WriteString("[]")
		case step == AnyKey:
			b.WriteString(".*")
		case step == Document:
			b.WriteString(" as JSON: ")
		case step == Lines:
			b.WriteString(" as lines of JSON: ")
		case step == Table:
			b.WriteString(" as a table: ")
		case b.Len() > 0 && !strings.HasSuffix(b.String(), ": "):
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	return strings.TrimPrefix(strings.TrimSuffix(b.String(), ": "), " ")
}

// KindsSeen are the kinds of a place in words, null left out.
func (p *Place) KindsSeen() []string {
	var kinds []string
	for kind := range p.Kinds {
		if kind != "null" {
			kinds = append(kinds, kind)
		}
	}
	slices.Sort(kinds)
	return kinds
}

// leastWritten is how many texts it takes to hold another one to their format.
const leastWritten = 3

// Breaks is the format, in words, that all texts of a place have because code wrote them so, and that another text does not
// have. Empty if there is none, or the text says that there is nothing.
func (p *Place) Breaks(text string) string {
	format := p.Format()
	words := map[string]string{
		FormatDate: "a date like 2026-03-01", FormatDateTime: "a time like 2026-03-01T07:00:00Z", FormatEmail: "an e-mail address", FormatURL: "a web address",
	}[format]
	same := FormatOf(text) == format
	if format == FormatDecimal && p.decimals >= 0 {
		words, same = fmt.Sprintf("a number with %d decimals", p.decimals), same && decimalsOf(text) == p.decimals
	}
	if same || p.sampled() < leastWritten || IsNothing(text) {
		return ""
	}
	return words
}

// mostNamed is how many members of an object are named.
const mostNamed = 6

// maxShown is how many characters of a text are shown.
const maxShown = 40

// String is what stands at a place, with one of its values.
func (p *Place) String() string {
	if p == nil {
		return "–"
	}
	said := strings.Join(slices.Sorted(maps.Keys(p.Kinds)), "|")
	switch {
	case p.Sample != "":
		shown := []rune(p.Sample)
		if len(shown) > maxShown {
			shown = append(shown[:maxShown-1], '…')
		}
		return said + " " + strconv.Quote(string(shown))
	case len(p.Numbers) > 0:
		return said + " " + ShowNumber(p.Numbers[0])
	case p.Kinds["array"] > 0:
		return said + " " + strconv.Itoa(p.Items/p.Kinds["array"]) + " items"
	case len(p.order) > 0 && p.Kinds["object"] > 0:
		held := make([]string, 0, mostNamed)
		for _, below := range p.order[:min(len(p.order), mostNamed)] {
			held = append(held, strings.TrimPrefix(Show([]string{below.step()}), "."))
		}
		return said + " with " + strings.Join(held, ", ")
	}
	return said
}

// Said is what always stood there, in words.
func (p *Place) Said() string {
	kinds := p.KindsSeen()
	if len(kinds) == 0 {
		return "null"
	}
	return "always " + strings.Join(kinds, " or ")
}

// Format is the one format of all texts that were seen, "" if there are several.
func (p *Place) Format() string {
	if len(p.Formats) != 1 {
		return ""
	}
	for format := range p.Formats {
		return format
	}
	return ""
}

// Middle is the median of the sizes of the numbers.
func (p *Place) Middle() float64 {
	sizes := make([]float64, len(p.Numbers))
	for i, n := range p.Numbers {
		sizes[i] = math.Abs(n)
	}
	slices.Sort(sizes)
	if len(sizes) == 0 {
		return 0
	}
	return sizes[len(sizes)/2]
}
