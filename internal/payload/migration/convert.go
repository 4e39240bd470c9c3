package migration

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf16"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
	"github.com/kintsugi-run/kintsugi/internal/payload"
	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
	"github.com/kintsugi-run/kintsugi/internal/script"
)

// conversion writes a value as the new shape writes it. The second result is false for what
// it cannot write.
type conversion struct {
	says    string // for people: "as text"
	write   func(value any) (any, bool)
	back    inverse // nil if it cannot be put back
	scaled  bool    // to the unit of which the names tell
	nothing bool    // back gives what null stands for, too
	still   string  // the condition in JavaScript that $ is written as before, where its kind does not tell
}

// openTexts are doubts about texts in which a time has no zone, or a number may have a mark between its thousands.
func openTexts(name string, fresh *payload.Profile) []string {
	switch {
	case fresh.Format() == payload.FormatDateTime && slices.ContainsFunc(fresh.Texts, func(text string) bool { return !zoneEnd.MatchString(text) }):
		return []string{"the times of " + name + " do not say in which zone they are"}
	case decimals(fresh.Texts) == 3:
		return []string{"the point in " + name + " may stand between thousands"}
	}
	return nil
}

// inverse writes JavaScript that converts an expression back, which is not null.
type inverse func(of string, w *writer) js

// text is what stands around an expression that is put back: Number($).
func text(around string) inverse {
	return func(of string, _ *writer) js { return js{before: strings.ReplaceAll(around, "$", of)} }
}

// conversions are the ways in which the old values could have come to be written as the new
// ones are. Null stays null.
func conversions(old, fresh *payload.Profile) []conversion {
	var found []conversion
	add := func(says string, back inverse, write func(any) (any, bool)) {
		found = append(found, conversion{says: says, back: back, write: func(value any) (any, bool) {
			if value == nil {
				return nil, true
			}
			return write(value)
		}})
	}
	was, is := old.Kind(), fresh.Kind()
	from, to := momentOf(old), momentOf(fresh)
	moved := from != nil && to != nil && (from.layout != to.layout || from.per != to.per)
	if moved {
		says := "as a date"
		switch {
		case to.layout == "":
			says = "in " + map[float64]string{1: "milliseconds", 1000: "seconds"}[to.per]
		case from.layout != "":
			says = "as a date of another format"
		}
		add(says, from.back(to), func(value any) (any, bool) {
			t, ok := from.read(value)
			if !ok {
				return nil, false
			}
			return to.write(t)
		})
		switch {
		case was == "string" && from.layout == "":
			found[len(found)-1].still = "!isNaN($)"
		case was == "string" && to.layout == "":
			found[len(found)-1].still = "!$ || isNaN($)"
		case was == "number" && is == "number":
			found[len(found)-1].still = map[float64]string{1: "$ < 1e11", 1000: "$ >= 1e11"}[to.per]
		}
	}
	switch was + " " + is {
	case "number string":
		places := decimals(fresh.Texts)
		if places == 0 && !payload.Whole(old.Numbers) {
			places = -1 // the few of today are whole by chance
		}
		if !moved && (fresh.Format() == payload.FormatInteger || fresh.Format() == payload.FormatDecimal) {
			switch size := apart(old.Numbers, numbersOf(fresh)); {
			case places == 2 && payload.Whole(old.Numbers) && size > otherSize:
				c := inText(*inUnit(0.01), places)
				add(c.says, c.back, c.write)
				found[len(found)-1].scaled = true
			case places == 2 && len(old.Numbers) >= payload.LeastSeen && payload.Whole(old.Numbers) && !payload.Whole(numbersOf(fresh)): // in hundredths, perhaps
			default:
				add("as text", text("Number($)"), inText(conversion{write: func(value any) (any, bool) { n, ok := value.(float64); return n, ok }}, places).write)
			}
		}
	case "string number":
		if !moved && (old.Format() == payload.FormatInteger || old.Format() == payload.FormatDecimal) {
			add("as a number", digits(old.Texts), func(value any) (any, bool) {
				text, _ := value.(string)
				n, err := strconv.ParseFloat(text, 64)
				// Where "3.00" stood beside "3", they cannot be told apart any more: that is not carried.
				return n, err == nil && strconv.FormatFloat(n, 'f', cmp.Or(max(decimals(old.Texts), 0), -1), 64) == text
			})
		}
	case "boolean string":
		if only(fresh.Texts, "true", "false") {
			add("as text", text("$ === 'true'"), func(value any) (any, bool) {
				flag, ok := value.(bool)
				return strconv.FormatBool(flag), ok
			})
		}
	case "string boolean":
		if only(old.Texts, "true", "false") {
			add("as a flag", text("String($)"), func(value any) (any, bool) { return value == "true", true })
		}
	case "string string":
		if w := renumbered(old, fresh); w != nil {
			add(w.says, w.back, w.write)
			found[len(found)-1].still = w.still
		}
		if w := respelled(old, fresh); w != nil {
			add(w.says, w.back, w.write)
			found[len(found)-1].still = w.still
		}
	case "array string":
		if mark := joins(old, fresh); mark != "" {
			found = append(found, conversion{says: "as one text", nothing: true, still: "Array.isArray($)", back: text("$ ? $.split(" + script.Quote(mark) + ") : []"), write: func(value any) (any, bool) {
				list, isList := value.([]any)
				words := make([]string, len(list))
				for i, one := range list {
					words[i], _ = one.(string)
				}
				switch {
				case !isList:
					return nil, value == nil
				case len(list) == 0 && fresh.Nulls > 0:
					return nil, true
				}
				return strings.Join(words, mark), true
			}})
		}
	}
	if before := affix(old, fresh); before != "" {
		rest := "$.slice(" + strconv.Itoa(len(utf16.Encode([]rune(before)))) + ")"
		if was == "number" {
			rest = "Number(" + rest + ")"
		}
		add("with "+before+" before it", text(rest), func(value any) (any, bool) {
			written, ok := keyText(value)
			return before + written, ok
		})
		if found[len(found)-1].still = "!$?.startsWith(" + script.Quote(before) + ")"; was == "number" {
			found[len(found)-1].still = ""
		}
	}
	if before := affix(fresh, old); before != "" {
		add("without "+before+" before it", text(script.Quote(before)+" + $"), func(value any) (any, bool) {
			written, _ := value.(string)
			rest, ok := strings.CutPrefix(written, before)
			if is == "number" {
				n, err := strconv.ParseFloat(rest, 64)
				return n, ok && err == nil
			}
			return rest, ok
		})
		if is == "string" {
			found[len(found)-1].still = "$?.startsWith(" + script.Quote(before) + ")"
		}
	}
	if is == "array" && was != "array" && was != "" {
		add(inList.says, inListOf(fresh).back, inList.write)
	}
	if was == "array" && is != "array" && is != "" {
		add(unlisted.says, unlisted.back, unlisted.write)
	}
	if is == "string" && (was == "object" || was == "array") && fresh.Format() == payload.FormatJSON && alikeInside(old, fresh.Texts) {
		add("as JSON text", text("JSON.parse($)"), func(value any) (any, bool) {
			text, err := orderedjson.Encode(value)
			return string(text), err == nil
		})
	}
	if was == "string" && (is == "object" || is == "array") && old.Format() == payload.FormatJSON && alikeInside(fresh, old.Texts) {
		add("parsed", text("JSON.stringify($)"), func(value any) (any, bool) {
			text, _ := value.(string)
			parsed, err := orderedjson.Decode(json.RawMessage(text))
			return parsed, err == nil
		})
	}
	return found
}

// affix is what all fresh ids begin with and no old one, where the rest has the form of the old ones.
func affix(old, fresh *payload.Profile) string {
	if len(fresh.Texts) == 0 || fresh.Kind() != "string" || old.Kind() != "number" && old.Kind() != "string" {
		return ""
	}
	before := fresh.Texts[0]
	for _, text := range fresh.Texts {
		for !strings.HasPrefix(text, before) {
			before = before[:len(before)-1]
		}
	}
	end := strings.LastIndexFunc(before, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if before = before[:end+1]; len(fresh.Texts) < 2 || !prefix.MatchString(before) {
		return ""
	}
	forms := map[string]bool{}
	for _, text := range old.Texts {
		if strings.HasPrefix(text, before) {
			return ""
		}
		forms[payload.Form(text)] = true
	}
	for _, n := range old.Numbers {
		forms[payload.Form(strconv.FormatFloat(n, 'f', -1, 64))] = true
	}
	if slices.ContainsFunc(fresh.Texts, func(text string) bool {
		form := payload.Form(text[len(before):])
		return !forms[form] || !strings.Contains(form, "9")
	}) {
		return ""
	}
	return before
}

// prefix is what stands before an id: cus_, gid://shop/Order/.
var prefix = lazyregexp.New(`^\S*\pL\S*$`)

// inList puts a value in a list of its own.
var inList = conversion{says: "in a list", back: text("$?.[0]"), write: func(value any) (any, bool) {
	if value == nil {
		return nil, true
	}
	return []any{value}, true
}}

// inListOf is the same where the lists hold no more: it is not known which of several it was.
func inListOf(fresh *payload.Profile) conversion {
	made := inList
	if slices.ContainsFunc(fresh.Lists, func(list []any) bool { return len(list) > 1 }) {
		made.back = nil
	}
	return made
}

// unlisted takes the only element out of its list.
var unlisted = conversion{says: "without its list", back: text("$ == null ? [] : [$]"), write: func(value any) (any, bool) {
	list, _ := value.([]any)
	if len(list) != 1 {
		return nil, false
	}
	return list[0], true
}}

// unlistedAlone does so where it has only one, and leaves other lists as they are.
var unlistedAlone = conversion{says: "without its list where it is alone", back: text("$ == null ? [] : [].concat($)"), write: func(value any) (any, bool) {
	if alone, ok := unlisted.write(value); ok {
		return alone, true
	}
	return value, true
}}

// alikeInside says that what texts hold as JSON is like these values.
func alikeInside(values *payload.Profile, texts []string) bool {
	var parsed []any
	for _, text := range texts {
		if value, err := orderedjson.Decode(json.RawMessage(text)); err == nil {
			parsed = append(parsed, value)
		}
	}
	inside := payload.ProfileOf(parsed)
	return inside.Kind() == values.Kind() && payload.Compare(values, inside, "").Fit >= 0.5
}

// inUnit writes a number of one unit in another, a whole number if there are more of those.
func inUnit(scale float64) *conversion {
	return &conversion{scaled: true, says: "in another unit", back: text(unscaled(scale)), write: func(value any) (any, bool) {
		n, ok := value.(float64)
		switch {
		case value == nil:
			return nil, true
		case scale < 1:
			return n / math.Round(1/scale), ok
		}
		made := math.Round(n * scale)
		return made, ok && made/scale == n
	}}
}

// unscaled is what undoes a scale.
func unscaled(scale float64) string {
	if scale < 1 {
		return "Math.round($ * " + payload.ShowNumber(math.Round(1/scale)) + ")"
	}
	return "$ / " + payload.ShowNumber(scale)
}

// inText writes what a conversion makes of a number as text, with so many digits behind the point, -1 for as many as it has.
func inText(of conversion, places int) *conversion {
	return &conversion{scaled: of.scaled, says: of.says + ", as text", write: func(value any) (any, bool) {
		made, ok := of.write(value)
		n, isNumber := made.(float64)
		if !isNumber {
			return made, ok
		}
		written := strconv.FormatFloat(n, 'f', places, 64)
		again, _ := strconv.ParseFloat(written, 64)
		return written, ok && again == n
	}, back: func(at string, w *writer) js { return of.back("Number("+at+")", w) }}
}

// otherSize is how many times larger or smaller numbers are that may be in another unit.
const otherSize = 8

// apart is how many times larger the numbers in the middle of one list are than those of another, or smaller; 0 if there are none.
func apart(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	x, y := max(math.Abs(a[len(a)/2]), 1e-9), max(math.Abs(b[len(b)/2]), 1e-9)
	return max(x/y, y/x)
}

func only(texts []string, allowed ...string) bool {
	set := payload.SetOf(allowed...)
	for _, text := range texts {
		if !set[text] {
			return false
		}
	}
	return len(texts) > 0
}

// decimals is the number of digits behind the point that all texts have, -1 if they differ.
func decimals(texts []string) int {
	places := -1
	for i, text := range texts {
		_, fraction, _ := strings.Cut(text, ".")
		if i > 0 && len(fraction) != places {
			return -1
		}
		places = len(fraction)
	}
	return places
}

func isTime(format string) bool {
	return format == payload.FormatDate || format == payload.FormatDateTime || format == payload.FormatHTTPDate
}

// layouts are how APIs write times, the more telling first.
var layouts = []string{
	"2006-01-02T15:04:05.000Z", "2006-01-02T15:04:05Z", "2006-01-02T15:04:05.000-07:00", "2006-01-02T15:04:05-07:00",
	"2006-01-02 15:04:05", "2006-01-02T15:04:05", time.DateOnly, httpDate, time.RFC1123Z,
}

const httpDate = "Mon, 02 Jan 2006 15:04:05 GMT"

// stamped is what the standard's toISOString gives, in each layout that it can be cut to.
var stamped = map[string]string{
	"2006-01-02T15:04:05.000Z": "", "2006-01-02T15:04:05Z": ".slice(0, 19) + 'Z'", "2006-01-02T15:04:05": ".slice(0, 19)",
	"2006-01-02 15:04:05": ".slice(0, 19).replace('T', ' ')", time.DateOnly: ".slice(0, 10)",
}

// dated writes a moment as the texts are written; nil if that cannot be said in short.
func dated(like []string, moment string) inverse {
	layout := layoutOf(like)
	if layout == httpDate {
		return text("new Date(" + moment + ").toUTCString()")
	}
	cut, known := stamped[layout]
	if !known {
		return nil
	}
	return text("new Date(" + moment + ").toISOString()" + cut)
}

// read is what the standard's Date reads as the moment that a text says: without a zone that is UTC.
func read(layout string) string {
	switch layout {
	case "2006-01-02 15:04:05":
		return "$.replace(' ', 'T') + 'Z'"
	case "2006-01-02T15:04:05":
		return "$ + 'Z'"
	}
	return "$"
}

// moment says how values write a point in time: by a layout, or by so many milliseconds since 1970, as numbers or as texts.
type moment struct {
	layout string
	texts  []string
	per    float64
	inText bool
}

// momentOf is nil if values are no points in time that can be read.
func momentOf(p *payload.Profile) *moment {
	if isTime(p.Format()) && p.Kind() == "string" {
		return &moment{layout: cmp.Or(layoutOf(p.Texts), "unknown"), texts: p.Texts}
	}
	if unit := payload.EpochUnit(numbersOf(p)); unit != "" && (p.Kind() == "number" || p.Kind() == "string") {
		return &moment{per: map[string]float64{"s": 1000, "ms": 1}[unit], inText: p.Kind() == "string"}
	}
	return nil
}

func (m *moment) read(value any) (time.Time, bool) {
	text, isText := value.(string)
	if m.layout != "" {
		t, ok := readTime(value)
		return t, ok && inUTC(text)
	}
	n, ok := value.(float64)
	if isText {
		var err error
		n, err = strconv.ParseFloat(text, 64)
		ok = err == nil
	}
	return time.UnixMilli(int64(n * m.per)), ok
}

func (m *moment) write(t time.Time) (any, bool) {
	if m.layout != "" {
		return writeTime(t, m.texts)
	}
	n := float64(t.UnixMilli()) / m.per
	if m.inText {
		return strconv.FormatFloat(n, 'f', -1, 64), n == math.Trunc(n)
	}
	return n, n == math.Trunc(n)
}

// back writes what a moment that is written as another one now was before.
func (m *moment) back(now *moment) inverse {
	at := read(now.layout)
	if now.inText {
		at = "Number($)"
	}
	if now.per == 1000 {
		at += " * 1000"
	}
	if m.layout != "" {
		return dated(m.texts, at)
	}
	switch {
	case now.layout != "" && m.per == 1000:
		at = "Date.parse(" + at + ") / 1000"
	case now.layout != "":
		at = "Date.parse(" + at + ")"
	case m.per == 1000 && now.per == 1:
		at = "Math.floor(" + at + " / 1000)"
	case m.per == 1000:
		at = strings.TrimSuffix(at, " * 1000")
	}
	if m.inText {
		at = "String(" + at + ")"
	}
	return text(at)
}

// spelling is a way to write constants.
type spelling struct {
	says       string
	fits       *lazyregexp.Pattern
	write      func(words []string) string
	from, both string // JavaScript that makes words in small letters with _ of it, and this of such words
	test       string // that a text is so
}

var spellings = []spelling{
	{"small letters", lazyregexp.New(`^[a-z0-9]+(?:_[a-z0-9]+)*$`), func(words []string) string { return strings.Join(words, "_") }, "$", "", "$ === $.toLowerCase()"},
	{"capitals", lazyregexp.New(`^[A-Z0-9]+(?:_[A-Z0-9]+)*$`), func(words []string) string { return strings.ToUpper(strings.Join(words, "_")) }, "$.toLowerCase()", ".toUpperCase()", "$ === $.toUpperCase()"},
	{"CamelCase", lazyregexp.New(`^(?:[A-Z][a-z0-9]*)+$`), func(words []string) string {
		made := ""
		for _, word := range words {
			made += strings.ToUpper(word[:1]) + word[1:]
		}
		return made
	}, "$.replace(/\\B[A-Z]/g, (first) => '_' + first).toLowerCase()", ".replace(/(?:^|_)(.)/g, (_, first) => first.toUpperCase())", "/^[A-Z].*[a-z]/.test($)"},
}

// respelled writes constants in another spelling, where some are the same in it and all have it; nil if it is not that.
func respelled(old, fresh *payload.Profile) *conversion {
	spelled := func(p *payload.Profile) *spelling {
		for i := range spellings {
			if len(p.Texts) > 0 && !slices.ContainsFunc(p.Texts, func(text string) bool { return !spellings[i].fits.MatchString(text) }) {
				return &spellings[i]
			}
		}
		return nil
	}
	from, to := spelled(old), spelled(fresh)
	if from == nil || to == nil || from == to || !payload.ClosedSet(old.Texts) {
		return nil
	}
	write := func(value any) (any, bool) {
		text, ok := value.(string)
		return to.write(payload.Words(text)), ok
	}
	known := map[string]bool{}
	for _, text := range old.Texts {
		made, _ := write(text)
		known[made.(string)] = true
	}
	if slices.ContainsFunc(fresh.Texts, func(text string) bool { return !known[text] }) {
		return nil
	}
	return &conversion{says: "in " + to.says, write: write, back: text(to.from + from.both), still: "!$ || " + from.test}
}

// joins is what stands between the elements of lists that are one text now, empty if they are not that.
func joins(old, fresh *payload.Profile) string {
	elements := payload.ProfileOf(old.Elements())
	if elements.Kind() != "string" || len(fresh.Texts) == 0 {
		return ""
	}
	known := payload.SetOf(elements.Texts...)
	for _, mark := range []string{", ", "; ", ",", ";", "|", " ", "\n"} {
		if slices.ContainsFunc(elements.Texts, func(text string) bool { return strings.Contains(text, mark) }) {
			continue
		}
		if !slices.ContainsFunc(fresh.Texts, func(text string) bool {
			return slices.ContainsFunc(strings.Split(text, mark), func(word string) bool { return text != "" && !known[word] })
		}) && slices.ContainsFunc(fresh.Texts, func(text string) bool { return strings.Contains(text, mark) }) {
			return mark
		}
	}
	return ""
}

// digits writes a number with so many digits behind the point as the texts have.
func digits(like []string) inverse {
	if places := decimals(like); places > 0 {
		return text("$.toFixed(" + strconv.Itoa(places) + ")")
	}
	return text("String($)")
}

var zoneEnd = lazyregexp.New(`(?:Z|[+-]\d\d:\d\d)$`)

// layoutOf is the layout that reads all texts and writes them the same, "" if there is none.
func layoutOf(texts []string) string {
	for _, layout := range layouts {
		fits := len(texts) > 0
		for _, text := range texts {
			t, err := time.Parse(layout, text)
			fits = fits && err == nil && (t.Format(layout) == text || zoneEnd.MatchString(text) && strings.Contains(layout, "-07:00"))
		}
		if fits {
			return layout
		}
	}
	return ""
}

// inUTC says that a time would be written the same if it were known as a moment only.
func inUTC(text string) bool { return !zoneEnd.MatchString(text) || strings.HasSuffix(text, "Z") }

func readTime(value any) (time.Time, bool) {
	text, _ := value.(string)
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// writeTime writes a time as the texts are written. A day cannot carry a time of day.
func writeTime(t time.Time, like []string) (any, bool) {
	layout := layoutOf(like)
	if layout == "" {
		return nil, false
	}
	text := t.UTC().Format(layout)
	again, err := time.Parse(layout, text)
	return text, err == nil && again.Equal(t)
}
