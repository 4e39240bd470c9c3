package library

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"

	"github.com/kintsugi-run/kintsugi/internal/sandbox/engine"
)

var _ = engine.DeclareLibrary(engine.Library{
	Name: "csv", Exports: []string{"parse", "stringify"}, Origin: "encoding/csv of Go, BSD-3-Clause",
	Doc: "CSV. parse gives rows of texts, with {header: true} objects by the names in the first line. The delimiter is a comma unless another one of ; tab | is in the first line and no comma is. " +
		"A row with more or fewer fields than the first throws SyntaxError, which names the line, unless {relaxed: true}. stringify takes rows that are arrays or objects, and quotes what needs it.",
	Types: `export interface ParseOptions { header?: boolean | string[]; delimiter?: string; comment?: string; trim?: boolean; relaxed?: boolean }
export function parse(text: string, options: ParseOptions & { header: true | string[] }): Record<string, string>[];
export function parse(text: string, options?: ParseOptions): string[][];
export interface StringifyOptions { header?: boolean | string[]; delimiter?: string; newline?: '\n' | '\r\n' }
export function stringify(rows: unknown[][] | Record<string, unknown>[], options?: StringifyOptions): string;`,
	Make: func(r *engine.Run) *goja.Object {
		return functions(r, map[string]func(goja.FunctionCall) goja.Value{"parse": func(call goja.FunctionCall) goja.Value { return parseCSV(r, call) }, "stringify": func(call goja.FunctionCall) goja.Value { return stringifyCSV(r, call) }})
	},
})

// byteOrderMark is what spreadsheets put before a CSV file.
const byteOrderMark = "\uFEFF"

// parseCSV is parse(text, options).
func parseCSV(r *engine.Run, call goja.FunctionCall) goja.Value {
	r.Alive()
	given := strings.TrimPrefix(textArgument(r, call, "kintsugi:csv: parse"), byteOrderMark)
	options := call.Argument(1)
	reader := csv.NewReader(strings.NewReader(given))
	reader.ReuseRecord = true
	reader.Comma = delimiter(r, options, given)
	if comment := r.Option(options, "comment"); comment != nil {
		reader.Comment = oneCharacter(r, "comment", comment)
	}
	trim, relaxed := flag(r, options, "trim"), flag(r, options, "relaxed")
	if relaxed {
		reader.FieldsPerRecord, reader.LazyQuotes = -1, true
	}
	header, keys := header(r, options)
	var rows []any
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return r.VM.NewArray(rows...)
		}
		if err != nil {
			panic(csvFault(r, err, reader.Comma))
		}
		r.Alive() // a long text is left in the middle
		if trim {
			for i, field := range record {
				record[i] = strings.TrimSpace(field)
			}
		}
		switch {
		case header && keys == nil:
			keys = make([]string, len(record))
			copy(keys, record)
		case keys != nil:
			rows = append(rows, csvObject(r, keys, record, reader, relaxed))
		default:
			fields := make([]any, len(record))
			for i, field := range record {
				fields[i] = engine.StringValue(r.VM, field)
			}
			rows = append(rows, r.VM.NewArray(fields...))
		}
	}
}

// csvObject is a row by the names of its columns.
func csvObject(r *engine.Run, keys, record []string, reader *csv.Reader, relaxed bool) *goja.Object {
	if len(record) != len(keys) && !relaxed {
		line, _ := reader.FieldPos(0)
		panic(fault(r, "csv", "line %d has %d fields, and there are %d names; {relaxed: true} takes it", line, len(record), len(keys)))
	}
	row := r.VM.NewObject()
	for i, key := range keys {
		if i < len(record) {
			engine.Define(row, key, engine.StringValue(r.VM, record[i]), engine.Visible)
		}
	}
	return row
}

func csvFault(r *engine.Run, err error, comma rune) *goja.Object {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return r.VM.NewTypeError("kintsugi:csv: %s", err.Error()) // of the delimiter
	}
	what := parse.Err.Error()
	switch {
	case errors.Is(parse.Err, csv.ErrFieldCount):
		what = "it has more or fewer fields, split at " + string(comma) + ", than the first line; {relaxed: true} takes it"
	case errors.Is(parse.Err, csv.ErrQuote):
		what = "a quote that is not closed, or has something behind it before the " + string(comma)
	case errors.Is(parse.Err, csv.ErrBareQuote):
		what = "a quote in the middle of a field that does not begin with one; {relaxed: true} takes it"
	}
	return fault(r, "csv", "line %d: %s", parse.Line, what)
}

// delimiter is the one that is given, or the one that the first line has.
func delimiter(r *engine.Run, options goja.Value, text string) rune {
	if given := r.Option(options, "delimiter"); given != nil {
		return oneCharacter(r, "delimiter", given)
	}
	first, _, _ := strings.Cut(text, "\n")
	if strings.Contains(first, ",") {
		return ','
	}
	for _, c := range ";\t|" {
		if strings.ContainsRune(first, c) {
			return c
		}
	}
	return ','
}

func oneCharacter(r *engine.Run, what string, value goja.Value) rune {
	c, size := utf8.DecodeRuneInString(value.String())
	if size == 0 || size != len(value.String()) {
		panic(r.VM.NewTypeError("kintsugi:csv: the %s must be one character", what))
	}
	return c
}

func flag(r *engine.Run, options goja.Value, name string) bool {
	value := r.Option(options, name)
	return value != nil && value.ToBoolean()
}

// header says whether there are names of columns, and which, if they are given.
func header(r *engine.Run, options goja.Value) (bool, []string) {
	value := r.Option(options, "header")
	if value == nil {
		return false, nil
	}
	if object, is := value.(*goja.Object); is {
		return true, texts(r, object)
	}
	return value.ToBoolean(), nil
}

// texts are the items of an array as texts.
func texts(r *engine.Run, array *goja.Object) []string {
	n := length(r, array)
	list := make([]string, n)
	for i := range list {
		list[i] = item(array, i).String()
	}
	return list
}

// maxItems is how many items of one array a library reads.
const maxItems = 1 << 20

func length(r *engine.Run, array *goja.Object) int {
	length := array.Get("length")
	if length == nil {
		return 0
	}
	n := length.ToInteger()
	if n > maxItems {
		panic(r.RangeError("a list has more than a million items"))
	}
	return int(max(n, 0))
}

// stringifyCSV is stringify(rows, options).
func stringifyCSV(r *engine.Run, call goja.FunctionCall) goja.Value {
	r.Alive()
	rows, ok := call.Argument(0).(*goja.Object)
	if !ok || rows.ClassName() != "Array" {
		panic(r.VM.NewTypeError("kintsugi:csv: stringify takes an array of rows"))
	}
	options := call.Argument(1)
	var out strings.Builder
	writer := csv.NewWriter(&out)
	if given := r.Option(options, "delimiter"); given != nil {
		writer.Comma = oneCharacter(r, "delimiter", given)
	}
	if newline := r.Option(options, "newline"); newline != nil {
		writer.UseCRLF = newline.String() == "\r\n"
	}
	header, keys := header(r, options)
	write := func(record []string) {
		if err := writer.Write(record); err != nil {
			panic(r.VM.NewTypeError("kintsugi:csv: %s", err.Error()))
		}
		if out.Len() > 16*r.Limits.ResultBytes {
			panic(r.RangeError("kintsugi:csv: the text would be too long"))
		}
	}
	for i := range length(r, rows) {
		r.Alive()
		row, ok := item(rows, i).(*goja.Object)
		if !ok {
			panic(r.VM.NewTypeError("kintsugi:csv: row %d is neither an array nor an object", i+1))
		}
		if isArray := row.ClassName() == "Array"; isArray {
			if i == 0 && keys != nil {
				write(keys)
			}
			record := make([]string, length(r, row))
			for column := range record {
				record[column] = field(r, item(row, column))
			}
			write(record)
			continue
		}
		if i == 0 {
			named := keys != nil
			if !named {
				keys = row.Keys()
			}
			if header || !named && r.Option(options, "header") == nil { // objects have names
				write(keys)
			}
		}
		record := make([]string, len(keys))
		for column, key := range keys {
			record[column] = field(r, row.Get(key))
		}
		write(record)
	}
	writer.Flush()
	return engine.StringValue(r.VM, out.String())
}

func item(array *goja.Object, i int) goja.Value {
	return array.Get(strconv.Itoa(i))
}

// field is a value as a field: null and undefined are empty, objects JSON.
func field(r *engine.Run, value goja.Value) string {
	if value == nil || goja.IsUndefined(value) || goja.IsNull(value) {
		return ""
	}
	if object, is := value.(*goja.Object); is {
		if object.ClassName() == "Date" {
			if iso, ok := goja.AssertFunction(object.Get("toISOString")); ok {
				if text, err := iso(object); err == nil {
					return text.String()
				}
			}
		}
		text, err := r.ToJSON(object)
		if err != nil {
			panic(err)
		}
		return text
	}
	return value.String()
}
