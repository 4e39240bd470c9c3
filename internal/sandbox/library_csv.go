package sandbox

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dop251/goja"
)

var _ = bundle(Library{
	Name: "csv", Exports: []string{"parse", "stringify"}, Origin: "encoding/csv of Go, BSD-3-Clause",
	Doc: "CSV. parse gives rows of texts, with {header: true} objects by the names in the first line. The delimiter is a comma unless another one of ; tab | is in the first line and no comma is. " +
		"A row with more or fewer fields than the first throws SyntaxError, which names the line, unless {relaxed: true}. stringify takes rows that are arrays or objects, and quotes what needs it.",
	Types: `export interface ParseOptions { header?: boolean | string[]; delimiter?: string; comment?: string; trim?: boolean; relaxed?: boolean }
export function parse(text: string, options: ParseOptions & { header: true | string[] }): Record<string, string>[];
export function parse(text: string, options?: ParseOptions): string[][];
export interface StringifyOptions { header?: boolean | string[]; delimiter?: string; newline?: '\n' | '\r\n' }
export function stringify(rows: unknown[][] | Record<string, unknown>[], options?: StringifyOptions): string;`,
	make: func(r *run) *goja.Object {
		return r.functions(map[string]func(goja.FunctionCall) goja.Value{"parse": r.parseCSV, "stringify": r.stringifyCSV})
	},
})

// byteOrderMark is what spreadsheets put before a CSV file.
const byteOrderMark = "\uFEFF"

// parseCSV is parse(text, options).
func (r *run) parseCSV(call goja.FunctionCall) goja.Value {
	r.alive()
	given := strings.TrimPrefix(r.textArgument(call, "kintsugi:csv: parse"), byteOrderMark)
	options := call.Argument(1)
	reader := csv.NewReader(strings.NewReader(given))
	reader.ReuseRecord = true
	reader.Comma = r.delimiter(options, given)
	if comment := r.option(options, "comment"); comment != nil {
		reader.Comment = r.oneCharacter("comment", comment)
	}
	trim, relaxed := r.flag(options, "trim"), r.flag(options, "relaxed")
	if relaxed {
		reader.FieldsPerRecord, reader.LazyQuotes = -1, true
	}
	header, keys := r.header(options)
	var rows []any
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return r.vm.NewArray(rows...)
		}
		if err != nil {
			panic(r.csvFault(err, reader.Comma))
		}
		r.alive() // a long text is left in the middle
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
			rows = append(rows, r.csvObject(keys, record, reader, relaxed))
		default:
			fields := make([]any, len(record))
			for i, field := range record {
				fields[i] = stringValue(r.vm, field)
			}
			rows = append(rows, r.vm.NewArray(fields...))
		}
	}
}

// csvObject is a row by the names of its columns.
func (r *run) csvObject(keys, record []string, reader *csv.Reader, relaxed bool) *goja.Object {
	if len(record) != len(keys) && !relaxed {
		line, _ := reader.FieldPos(0)
		panic(r.fault("csv", "line %d has %d fields, and there are %d names; {relaxed: true} takes it", line, len(record), len(keys)))
	}
	row := r.vm.NewObject()
	for i, key := range keys {
		if i < len(record) {
			define(row, key, stringValue(r.vm, record[i]), visible)
		}
	}
	return row
}

func (r *run) csvFault(err error, comma rune) *goja.Object {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return r.vm.NewTypeError("kintsugi:csv: %s", err.Error()) // of the delimiter
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
	return r.fault("csv", "line %d: %s", parse.Line, what)
}

// delimiter is the one that is given, or the one that the first line has.
func (r *run) delimiter(options goja.Value, text string) rune {
	if given := r.option(options, "delimiter"); given != nil {
		return r.oneCharacter("delimiter", given)
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

func (r *run) oneCharacter(what string, value goja.Value) rune {
	c, size := utf8.DecodeRuneInString(value.String())
	if size == 0 || size != len(value.String()) {
		panic(r.vm.NewTypeError("kintsugi:csv: the %s must be one character", what))
	}
	return c
}

func (r *run) flag(options goja.Value, name string) bool {
	value := r.option(options, name)
	return value != nil && value.ToBoolean()
}

// header says whether there are names of columns, and which, if they are given.
func (r *run) header(options goja.Value) (bool, []string) {
	value := r.option(options, "header")
	if value == nil {
		return false, nil
	}
	if object, is := value.(*goja.Object); is {
		return true, r.texts(object)
	}
	return value.ToBoolean(), nil
}

// texts are the items of an array as texts.
func (r *run) texts(array *goja.Object) []string {
	n := r.length(array)
	list := make([]string, n)
	for i := range list {
		list[i] = item(array, i).String()
	}
	return list
}

// maxItems is how many items of one array a library reads.
const maxItems = 1 << 20

func (r *run) length(array *goja.Object) int {
	length := array.Get("length")
	if length == nil {
		return 0
	}
	n := length.ToInteger()
	if n > maxItems {
		panic(r.rangeError("a list has more than a million items"))
	}
	return int(max(n, 0))
}

// stringifyCSV is stringify(rows, options).
func (r *run) stringifyCSV(call goja.FunctionCall) goja.Value {
	r.alive()
	rows, ok := call.Argument(0).(*goja.Object)
	if !ok || rows.ClassName() != "Array" {
		panic(r.vm.NewTypeError("kintsugi:csv: stringify takes an array of rows"))
	}
	options := call.Argument(1)
	var out strings.Builder
	writer := csv.NewWriter(&out)
	if given := r.option(options, "delimiter"); given != nil {
		writer.Comma = r.oneCharacter("delimiter", given)
	}
	if newline := r.option(options, "newline"); newline != nil {
		writer.UseCRLF = newline.String() == "\r\n"
	}
	header, keys := r.header(options)
	write := func(record []string) {
		if err := writer.Write(record); err != nil {
			panic(r.vm.NewTypeError("kintsugi:csv: %s", err.Error()))
		}
		if out.Len() > 16*r.limits.ResultBytes {
			panic(r.rangeError("kintsugi:csv: the text would be too long"))
		}
	}
	for i := range r.length(rows) {
		r.alive()
		row, ok := item(rows, i).(*goja.Object)
		if !ok {
			panic(r.vm.NewTypeError("kintsugi:csv: row %d is neither an array nor an object", i+1))
		}
		if isArray := row.ClassName() == "Array"; isArray {
			if i == 0 && keys != nil {
				write(keys)
			}
			record := make([]string, r.length(row))
			for column := range record {
				record[column] = r.field(item(row, column))
			}
			write(record)
			continue
		}
		if i == 0 {
			named := keys != nil
			if !named {
				keys = row.Keys()
			}
			if header || !named && r.option(options, "header") == nil { // objects have names
				write(keys)
			}
		}
		record := make([]string, len(keys))
		for column, key := range keys {
			record[column] = r.field(row.Get(key))
		}
		write(record)
	}
	writer.Flush()
	return stringValue(r.vm, out.String())
}

func item(array *goja.Object, i int) goja.Value {
	return array.Get(strconv.Itoa(i))
}

// field is a value as a field: null and undefined are empty, objects JSON.
func (r *run) field(value goja.Value) string {
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
		text, err := r.toJSON(object)
		if err != nil {
			panic(err)
		}
		return text
	}
	return value.String()
}
