package payload

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kintsugi-run/kintsugi/internal/payload/orderedjson"
)

// InText is a value that a text holds: JSON, lines of JSON, or a table. A table is a list of its rows, each by the names in
// its header.
type InText struct {
	Value any
	// Form is how it is written: JSON, NDJSON, or CSV with its separator.
	Form     string
	like     table
	elements *markup
	calendar *contentLines
}

// The forms of what is in texts.
const (
	FormJSON   = "JSON"
	FormNDJSON = "NDJSON"
	formCSV    = "CSV with "
)

// separators of tables, by their names.
var separators = []struct {
	mark byte
	name string
}{{',', "commas"}, {';', "semicolons"}, {'\t', "tabs"}, {'|', "bars"}}

// table is how a table is written.
type table struct {
	before  string // a byte order mark, and lines above the header
	header  []string
	mark    rune
	newline string
	ends    bool   // with a newline
	quoted  []bool // columns whose cells are in quotes
	named   bool   // the header is in quotes
}

// step is the one below which the value stands.
func (d InText) step() string {
	switch d.Form {
	case FormJSON:
		return Document
	case FormNDJSON:
		return Lines
	}
	return Table
}

// IsTable says that rows of cells stand in lines.
func (d InText) IsTable() bool { return strings.HasPrefix(d.Form, formCSV) }

// DocumentIn reads a text that is a JSON object or list, lines of them, or a table. It is asked of every text of every
// answer, so the first letters and the first lines decide.
func DocumentIn(text string) (InText, bool) {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return InText{}, false
	}
	if trimmed[0] == '{' || trimmed[0] == '[' {
		if json.Valid([]byte(trimmed)) {
			value, err := orderedjson.Decode(json.RawMessage(trimmed))
			return InText{Value: value, Form: FormJSON}, err == nil
		}
		return linesIn(trimmed)
	}
	if strings.IndexByte(text, '\n') < 0 || trimmed[0] == '<' {
		return InText{}, false
	}
	return tableIn(text)
}

// Written says how a text is written that was written as another one, for people; empty if it is the same.
func (d InText) Written(was InText) string {
	switch {
	case d.Form == "" || was.Form == "":
		return ""
	case d.Form != was.Form:
		return "as " + d.Form
	case d.IsTable() && strings.HasPrefix(d.like.before, byteOrderMark) != strings.HasPrefix(was.like.before, byteOrderMark):
		if d.like.before == "" {
			return "without a byte order mark"
		}
		return "with a byte order mark"
	case d.IsTable() && (d.like.named != was.like.named || !slices.Equal(d.like.quoted, was.like.quoted) && slices.Equal(d.like.header, was.like.header)):
		return "with other quotes"
	case d.IsTable() && d.like.newline != was.like.newline:
		return "with other ends of lines"
	case d.elements != nil:
		return d.elements.written(was.elements)
	case d.calendar != nil && d.calendar.width != was.calendar.width:
		return "in folded lines"
	}
	return ""
}

// Elements are the names under which elements and their attributes stand in a text that has such.
func (d InText) Elements() []string {
	switch {
	case d.elements != nil:
		return d.elements.names()
	case d.calendar != nil:
		return d.calendar.names
	}
	return nil
}

// linesIn reads lines that are JSON objects.
func linesIn(text string) (InText, bool) {
	var list []any
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if line[0] != '{' || !json.Valid([]byte(line)) {
			return InText{}, false
		}
		value, err := orderedjson.Decode(json.RawMessage(line))
		if err != nil {
			return InText{}, false
		}
		list = append(list, value)
	}
	return InText{Value: list, Form: FormNDJSON}, true
}

const (
	byteOrderMark = "\uFEFF"
	maxAbove      = 4  // lines above the header
	maxName       = 60 // bytes of the name of a column
)

// tableIn reads a table that has a header.
func tableIn(text string) (InText, bool) {
	rest := strings.TrimPrefix(text, byteOrderMark)
	for range maxAbove + 1 {
		line, after, more := strings.Cut(rest, "\n")
		if !more {
			break
		}
		for _, by := range separators {
			if strings.IndexByte(line, by.mark) < 0 {
				continue
			}
			if d, ok := tableBy(rest, rune(by.mark)); ok {
				d.Form, d.like.before = formCSV+by.name, text[:len(text)-len(rest)]
				return d, true
			}
		}
		rest = after
	}
	return InText{}, false
}

// tableBy reads a table whose header is the first line. A header is names alone; where they are more than single words, some column
// holds what no name is.
func tableBy(text string, mark rune) (InText, bool) {
	first, _, _ := strings.Cut(text, "\n")
	like := table{mark: mark, newline: "\n", ends: strings.HasSuffix(text, "\n"), named: strings.HasPrefix(first, `"`)}
	if strings.HasSuffix(first, "\r") {
		like.newline = "\r\n"
	}
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.LazyQuotes = mark, true
	header, err := reader.Read()
	if err != nil || len(header) < 2 || !areNames(header) {
		return InText{}, false
	}
	like.header, like.quoted = header, make([]bool, len(header))
	rows := []any{}
	data, words := make([]bool, len(header)), make([]bool, len(header))
	for {
		at := int(reader.InputOffset())
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return InText{}, false
		}
		row := orderedjson.New()
		for i, cell := range record {
			row.Put(header[i], cell)
			isData := strings.ContainsAny(cell, "0123456789@")
			data[i], words[i] = data[i] || isData, words[i] || !isData && cell != ""
			if _, column := reader.FieldPos(i); len(rows) == 0 && at+column-1 < len(text) {
				like.quoted[i] = text[at+column-1] == '"'
			}
		}
		rows = append(rows, row)
	}
	single := !slices.ContainsFunc(header, func(name string) bool { return !wordPattern.MatchString(name) })
	told := single && (len(rows) > 0 || len(header) > 2)
	for i, name := range header {
		told = told || data[i] && !words[i] && !strings.ContainsAny(name, "0123456789")
	}
	return InText{Value: rows, like: like}, told
}

// areNames says that cells can be names of columns: each another one, and at most one of them empty.
func areNames(cells []string) bool {
	seen := map[string]bool{}
	for _, cell := range cells {
		first, _ := utf8.DecodeRuneInString(strings.TrimSpace(cell))
		if seen[cell] || len(cell) > maxName || strings.ContainsAny(cell, "@\n") || cell != "" && !unicode.IsLetter(first) && !strings.ContainsRune("_#%", first) {
			return false
		}
		seen[cell] = true
	}
	return true
}

// Write is a text that holds a value as this one does; ok says that it can.
func (d InText) Write(value any) (text string, ok bool) {
	list, isList := value.([]any)
	switch {
	case d.elements != nil:
		return d.elements.write(value)
	case d.calendar != nil:
		return d.calendar.write(value)
	case d.Form == FormJSON || !isList:
		made, err := orderedjson.Encode(value)
		return string(made), err == nil && d.Form == FormJSON
	case d.Form == FormNDJSON:
		var b strings.Builder
		for _, one := range list {
			line, err := orderedjson.Encode(one)
			if err != nil {
				return "", false
			}
			b.Write(line)
			b.WriteByte('\n')
		}
		return b.String(), true
	}
	return d.like.write(list)
}

func (t table) write(rows []any) (string, bool) {
	objects := make([]*orderedjson.Object, len(rows))
	for i, row := range rows {
		o, is := row.(*orderedjson.Object)
		if !is {
			return "", false
		}
		objects[i] = o
	}
	header := t.header
	if len(rows) > 0 {
		header = KeysOf(objects)
	}
	quoted := map[string]bool{}
	for i, name := range t.header {
		quoted[name] = t.quoted[i]
	}
	var b strings.Builder
	b.WriteString(t.before)
	cells := make([]string, len(header))
	for i, name := range header {
		cells[i] = t.cell(name, t.named)
	}
	b.WriteString(strings.Join(cells, string(t.mark)))
	for _, row := range objects {
		for i, name := range header {
			text, ok := cellOf(row.Fields[name])
			if !ok {
				return "", false
			}
			inQuotes, known := quoted[name]
			cells[i] = t.cell(text, inQuotes || !known && !slices.Contains(t.quoted, false)) // as all columns that are known
		}
		b.WriteString(t.newline + strings.Join(cells, string(t.mark)))
	}
	if t.ends {
		b.WriteString(t.newline)
	}
	return b.String(), true
}

func (t table) cell(text string, quoted bool) string {
	if quoted || strings.ContainsAny(text, "\"\r\n") || strings.ContainsRune(text, t.mark) {
		return `"` + strings.ReplaceAll(text, `"`, `""`) + `"`
	}
	return text
}

func cellOf(value any) (string, bool) {
	switch v := value.(type) {
	case nil:
		return "", true
	case string:
		return v, true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}
