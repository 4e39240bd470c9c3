package engine

import (
	"cmp"
	"fmt"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"

	"github.com/kintsugi-run/kintsugi/internal/basics/lazyregexp"
)

// The engine takes \p{…} in a regular expression for a p and matches nothing, without a word. So a
// property is written out as the ranges of characters that have it: in literals when a script is
// compiled, in texts when RegExp is called. The tables are Go's.

type runeRange struct{ low, high rune }

// lastRune is the last code point.
const lastRune = 0x10FFFF

// expandProperties writes out the properties in a pattern of a regular expression with flag u.
func expandProperties(pattern string) (string, error) {
	if !strings.Contains(pattern, `\p`) && !strings.Contains(pattern, `\P`) {
		return pattern, nil
	}
	var out strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '\\' && i+1 < len(pattern) && pattern[i+1]|0x20 == 'p':
			end := strings.IndexByte(pattern[i:], '}')
			if i+2 >= len(pattern) || pattern[i+2] != '{' || end < 0 {
				return "", fmt.Errorf("\\%c needs a property in braces behind it", pattern[i+1])
			}
			name := pattern[i+3 : i+end]
			ranges, err := property(name)
			if err != nil {
				return "", err
			}
			if pattern[i+1] == 'P' {
				ranges = others(ranges)
			}
			if class {
				out.WriteString(written(ranges))
			} else {
				out.WriteString("[" + written(ranges) + "]")
			}
			i += end
			continue
		case c == '\\' && i+1 < len(pattern):
			out.WriteByte(c)
			i++
		}
		out.WriteByte(pattern[i])
	}
	return out.String(), nil
}

// patternParts finds names of groups; what is escaped or in a class is none.
var patternParts = lazyregexp.New(`\\.|\[(?:\\.|[^\]\\])*\]|\(\?<([^>=!]+)>`)

// groupsOnce refuses a name that two groups have, of which the engine gives one or none without a word.
func groupsOnce(pattern string) error {
	seen := map[string]bool{}
	for _, part := range patternParts.FindAllStringSubmatch(pattern, -1) {
		if name := part[1]; name != "" {
			if seen[name] {
				return fmt.Errorf("two groups are named %s: give each a name of its own, and take the one that matched, as in groups.a ?? groups.b", Cut(name, 60))
			}
			seen[name] = true
		}
	}
	return nil
}

// namedGroups makes of a pattern with the flag u that has named groups one for which the engine takes its slower half:
// the other one gives no groups of a text with other letters than ASCII's, so that groups?.name was undefined.
func namedGroups(pattern string) string {
	for _, part := range patternParts.FindAllStringSubmatch(pattern, -1) {
		if part[1] != "" {
			return pattern + "(?=)"
		}
	}
	return pattern
}

// rewritten is a pattern with other text for some of its parts outside of classes: a character, or an escaped one. Put gives no text
// for what stays.
func rewritten(pattern string, put func(c byte, escaped bool) string) string {
	var out strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		at, escaped := i, pattern[i] == '\\' && i+1 < len(pattern)
		if escaped {
			i++
		} else if pattern[i] == '[' || pattern[i] == ']' {
			class = pattern[i] == '['
		}
		text := ""
		if !class {
			text = put(pattern[i], escaped)
		}
		out.WriteString(cmp.Or(text, pattern[at:i+1]))
	}
	return out.String()
}

// lineEnds writes out the $ of a pattern with flag m, which the engine does not find before \r: of texts from Windows
// and from mails no line would end.
func lineEnds(pattern string) string {
	return rewritten(pattern, func(c byte, escaped bool) string {
		if c == '$' && !escaped {
			return `(?![^\n\r\u2028\u2029])`
		}
		return ""
	})
}

// fixPattern makes of a pattern one that the engine takes for what it means. The error says what it may not have.
func fixPattern(pattern, flags string) (string, error) {
	if err := groupsOnce(pattern); err != nil {
		return pattern, err
	}
	if strings.Contains(flags, "m") {
		pattern = lineEnds(pattern)
	}
	unicode := strings.Contains(flags, "u")
	if unicode {
		expanded, err := expandProperties(pattern)
		if err != nil {
			return pattern, err
		}
		pattern = namedGroups(expanded)
	}
	global := strings.Contains(flags, "g")
	if !unicode || global { // with u and without g the slower half replaces all that matches, and the faster one knows \b
		pattern = boundaries(pattern)
	}
	if global && mayBeEmpty(pattern, strings.Contains(flags, "s"), unicode) {
		pattern = "(?:" + pattern + ")(?=)"
	}
	return pattern, nil
}

// Both \b and \B are written by the letters before and behind them.
const (
	boundary   = `(?:(?<=[0-9A-Za-z_])(?![0-9A-Za-z_])|(?<![0-9A-Za-z_])(?=[0-9A-Za-z_]))`
	noBoundary = `(?:(?<=[0-9A-Za-z_])(?=[0-9A-Za-z_])|(?<![0-9A-Za-z_])(?![0-9A-Za-z_]))`
)

// boundaries writes out \b and \B, for which the engine's slower half, which reads all texts with other letters than
// ASCII's, takes each letter for one of a word.
func boundaries(pattern string) string {
	return rewritten(pattern, func(c byte, escaped bool) string {
		switch {
		case escaped && c == 'b':
			return boundary
		case escaped && c == 'B':
			return noBoundary
		}
		return ""
	})
}

// mayBeEmpty says that the engine's faster half reads a pattern, and that there may be nothing in what it matches: with
// flag g that half leaves out such a match right behind another one.
func mayBeEmpty(pattern string, dotAll, unicode bool) bool {
	text, err := parser.TransformRegExp(pattern, dotAll, unicode)
	if err != nil {
		return false
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	return err == nil && emptyMatch(tree)
}

func emptyMatch(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune) == 0
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	case syntax.OpPlus, syntax.OpCapture:
		return emptyMatch(re.Sub[0])
	case syntax.OpRepeat:
		return re.Min == 0 || emptyMatch(re.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(one *syntax.Regexp) bool { return !emptyMatch(one) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, emptyMatch)
	}
	return true
}

// written are ranges as they stand in a class of characters.
func written(ranges []runeRange) string {
	var out strings.Builder
	for _, r := range ranges {
		fmt.Fprintf(&out, `\u{%X}`, r.low)
		if r.high > r.low {
			fmt.Fprintf(&out, `-\u{%X}`, r.high)
		}
	}
	return out.String()
}

// others are the ranges between ranges.
func others(ranges []runeRange) []runeRange {
	var list []runeRange
	next := rune(0)
	for _, r := range ranges {
		if r.low > next {
			list = append(list, runeRange{next, r.low - 1})
		}
		next = r.high + 1
	}
	if next <= lastRune {
		list = append(list, runeRange{next, lastRune})
	}
	return list
}

var (
	propertiesMu sync.Mutex
	properties   = map[string][]runeRange{}
)

// property are the characters that have one.
func property(name string) ([]runeRange, error) {
	propertiesMu.Lock()
	defer propertiesMu.Unlock()
	if known, ok := properties[name]; ok {
		return known, nil
	}
	made, ok := makeProperty(name)
	if !ok {
		return nil, fmt.Errorf("\\p{%s} is no property of characters that is known here", Cut(name, 60))
	}
	properties[name] = made
	return made, nil
}

// longNames are the general categories as the standard calls them at length.
var longNames = map[string]string{
	"Letter": "L", "Cased_Letter": "LC", "Uppercase_Letter": "Lu", "Lowercase_Letter": "Ll", "Titlecase_Letter": "Lt", "Modifier_Letter": "Lm", "Other_Letter": "Lo",
	"Mark": "M", "Combining_Mark": "M", "Nonspacing_Mark": "Mn", "Spacing_Mark": "Mc", "Enclosing_Mark": "Me",
	"Number": "N", "Decimal_Number": "Nd", "digit": "Nd", "Letter_Number": "Nl", "Other_Number": "No",
	"Punctuation": "P", "punct": "P", "Connector_Punctuation": "Pc", "Dash_Punctuation": "Pd", "Open_Punctuation": "Ps", "Close_Punctuation": "Pe",
	"Initial_Punctuation": "Pi", "Final_Punctuation": "Pf", "Other_Punctuation": "Po",
	"Symbol": "S", "Math_Symbol": "Sm", "Currency_Symbol": "Sc", "Modifier_Symbol": "Sk", "Other_Symbol": "So",
	"Separator": "Z", "Space_Separator": "Zs", "Line_Separator": "Zl", "Paragraph_Separator": "Zp",
	"Other": "C", "Control": "Cc", "cntrl": "Cc", "Format": "Cf", "Surrogate": "Cs", "Private_Use": "Co",
}

// made up of others, which the standard has beside those of Go's tables.
var combined = map[string][]string{
	"Alphabetic": {"Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Other_Alphabetic"}, "Alpha": {"Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Other_Alphabetic"},
	"Uppercase": {"Lu", "Other_Uppercase"}, "Upper": {"Lu", "Other_Uppercase"}, "Lowercase": {"Ll", "Other_Lowercase"}, "Lower": {"Ll", "Other_Lowercase"},
	"LC": {"Lu", "Ll", "Lt"}, "ID_Start": {"L", "Nl", "Other_ID_Start"}, "ID_Continue": {"L", "Nl", "Other_ID_Start", "Mn", "Mc", "Nd", "Pc", "Other_ID_Continue"},
}

func makeProperty(name string) ([]runeRange, bool) {
	kind, value, named := strings.Cut(name, "=")
	if !named {
		value = name
	}
	if long, ok := longNames[value]; ok && (!named || kind == "General_Category" || kind == "gc") {
		value = long
	}
	var tables []*unicode.RangeTable
	switch {
	case named && (kind == "Script" || kind == "sc"):
		tables = append(tables, unicode.Scripts[value])
	case named && kind != "General_Category" && kind != "gc":
		return nil, false
	case !named && value == "Any":
		return []runeRange{{0, lastRune}}, true
	case !named && value == "ASCII":
		return []runeRange{{0, 0x7F}}, true
	case !named && emoji[value] != "":
		return parsed(emoji[value]), true
	case combined[value] != nil:
		for _, part := range combined[value] {
			tables = append(tables, tableOf(part))
		}
	case len(value) > 2 && named:
		return nil, false
	default:
		tables = append(tables, tableOf(value))
	}
	if slices.Contains(tables, nil) {
		return nil, false
	}
	return merged(tables), true
}

func tableOf(name string) *unicode.RangeTable {
	if table := unicode.Categories[name]; table != nil {
		return table
	}
	return unicode.Properties[name]
}

func parsed(text string) []runeRange {
	var list []runeRange
	for part := range strings.FieldsSeq(text) {
		low, high, ok := strings.Cut(part, "-")
		if !ok {
			high = low
		}
		from, _ := strconv.ParseInt(low, 16, 32)
		to, _ := strconv.ParseInt(high, 16, 32)
		list = append(list, runeRange{rune(from), rune(to)})
	}
	return list
}

// merged are all characters of tables.
func merged(tables []*unicode.RangeTable) []runeRange {
	var all []runeRange
	add := func(low, high, stride rune) {
		if stride == 1 {
			all = append(all, runeRange{low, high})
			return
		}
		for c := low; c <= high; c += stride {
			all = append(all, runeRange{c, c})
		}
	}
	for _, table := range tables {
		for _, r := range table.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range table.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride)) //nolint:gosec // code points
		}
	}
	slices.SortFunc(all, func(a, b runeRange) int { return int(a.low - b.low) })
	var list []runeRange
	for _, r := range all {
		if n := len(list) - 1; n >= 0 && r.low <= list[n].high+1 {
			list[n].high = max(list[n].high, r.high)
		} else {
			list = append(list, r)
		}
	}
	return list
}

// RegExp of a script makes of a text what its literals are made.
var _ = Polyfill("RegExp", (*Run).amendRegExp)

func (r *Run) amendRegExp() {
	native := r.Original.Get("RegExp").ToObject(r.VM)
	expanded := func(arguments []goja.Value) []goja.Value {
		if len(arguments) == 0 || !goja.IsString(arguments[0]) {
			return arguments
		}
		flags, given := "", arguments[0].String()
		if len(arguments) > 1 && !goja.IsUndefined(arguments[1]) {
			flags = arguments[1].String()
		}
		pattern, err := fixPattern(given, flags)
		if err != nil {
			object, fault := r.VM.New(r.Original.Get("SyntaxError"), r.VM.ToValue("Invalid regular expression: "+err.Error()))
			if fault != nil {
				panic(fault)
			}
			panic(object)
		}
		if pattern == given {
			return arguments
		}
		return append([]goja.Value{r.VM.ToValue(pattern)}, arguments[1:]...)
	}
	constructor := r.VM.ToValue(func(call goja.ConstructorCall) *goja.Object {
		return r.construct(native, call.NewTarget, expanded(call.Arguments))
	}).ToObject(r.VM)
	prototype := native.Get("prototype").ToObject(r.VM)
	Define(constructor, "name", r.VM.ToValue("RegExp"), Hidden)
	if err := constructor.Set("prototype", prototype); err != nil {
		panic(err)
	}
	Define(prototype, "constructor", constructor, Hidden)
	Define(r.Original, "RegExp", constructor, Hidden)
}

func (r *Run) construct(class, newTarget *goja.Object, arguments []goja.Value) *goja.Object {
	constructor, ok := goja.AssertConstructor(class)
	if !ok {
		panic(r.VM.NewTypeError("not a constructor"))
	}
	object, err := constructor(newTarget, arguments...)
	if err != nil {
		panic(err)
	}
	return object
}
