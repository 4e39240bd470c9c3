package jsregexp

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
)

var (
	propertiesMu sync.Mutex
	properties   = map[string][]Range{}
)

// property are the characters that have one. The tables are Go's.
func property(name string) ([]Range, bool) {
	propertiesMu.Lock()
	defer propertiesMu.Unlock()
	if known, ok := properties[name]; ok {
		return known, true
	}
	made, ok := makeProperty(name)
	if !ok {
		return nil, false
	}
	properties[name] = made
	return made, true
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

func makeProperty(name string) ([]Range, bool) {
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
		return []Range{{0, unicode.MaxRune}}, true
	case !named && value == "ASCII":
		return []Range{{0, 0x7F}}, true
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
	return inTables(tables), true
}

func tableOf(name string) *unicode.RangeTable {
	if table := unicode.Categories[name]; table != nil {
		return table
	}
	return unicode.Properties[name]
}

func parsed(text string) []Range {
	var list []Range
	for part := range strings.FieldsSeq(text) {
		low, high, ok := strings.Cut(part, "-")
		if !ok {
			high = low
		}
		from, _ := strconv.ParseInt(low, 16, 32)
		to, _ := strconv.ParseInt(high, 16, 32)
		list = append(list, Range{rune(from), rune(to)})
	}
	return list
}

// inTables are all characters of tables.
func inTables(tables []*unicode.RangeTable) []Range {
	var all []Range
	add := func(low, high, stride rune) {
		if stride == 1 {
			all = append(all, Range{low, high})
			return
		}
		for c := low; c <= high; c += stride {
			all = append(all, Range{c, c})
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
	return merged(all)
}
