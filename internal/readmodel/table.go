package readmodel

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

// Table is a table whose rows are values of the struct R. Fields with a col tag are its columns:
//
//	type Workflow struct {
//		ID      string    `json:"id" col:"id,key"`
//		Paused  bool      `json:"-" col:"paused"`
//		Created time.Time `json:"created" col:"created"`
//		Actions []string  `json:"actions" col:"actions,json"`
//	}
//
// A column is a text, a whole number, a float, a bool, a time (in microseconds; the zero time is NULL), bytes or a
// [json.RawMessage]; everything else is kept as JSON, and says so. To add a column is to add a field.
type Table[R any] struct{ *table }

// Declared is a [Table] of any rows.
type Declared interface{ declared() *table }

// table is what an engine knows of a table.
type table struct {
	name    string
	columns []column
	key     []int // of columns
	indexes []index
	lookups []index
	newRow  func() any

	number int   // among all tables of the program
	texts  []int // fields that are texts
	times  []int // fields that are times
}

// tablesMade counts the tables of the program.
var tablesMade atomic.Int64

func (t *table) declared() *table { return t }

// index is what rows are found by. The rows of a lookup whose first column is empty are not in it.
type index struct {
	name    string
	columns []int
}

// column is a field of a row.
type column struct {
	name  string
	field int
	kind  kind
}

// kind is how values of a column are kept.
type kind int

const (
	kindText kind = iota
	kindInt
	kindFloat
	kindBool
	kindTime // whole microseconds since 1970, NULL if zero
	kindBytes
	kindRaw  // JSON as it is, in a text
	kindJSON // a text
)

// Option adds something to a [Table].
type Option func(*table)

// Index makes queries by these columns fast.
func Index(columns ...string) Option {
	return func(t *table) { t.indexes = append(t.indexes, t.index(strings.Join(columns, "_"), columns)) }
}

// Lookup lets folds find rows by these columns ([Table.Where]), and queries as well. A row whose first column is
// empty is not in it: a lookup of what is open stays small if the column is emptied when it is done.
func Lookup(name string, columns ...string) Option {
	return func(t *table) { t.lookups = append(t.lookups, t.index(name, columns)) }
}

// NewTable declares a table. A mistake in it is one of the program, and panics.
func NewTable[R any](name string, options ...Option) *Table[R] {
	t := &table{name: name, newRow: func() any { return new(R) }, number: int(tablesMade.Add(1) - 1)}
	of := reflect.TypeFor[R]()
	for i := range of.NumField() {
		field := of.Field(i)
		tag, is := field.Tag.Lookup("col")
		if !is {
			continue
		}
		column := column{field: i}
		parts := strings.Split(tag, ",")
		column.name = parts[0]
		asJSON := false
		for _, option := range parts[1:] {
			switch option {
			case "key":
				t.key = append(t.key, len(t.columns))
			case "json":
				asJSON = true
			default:
				panic(fmt.Sprintf("readmodel: table %s, field %s: unknown option %q", name, field.Name, option))
			}
		}
		column.kind = kindOf(field.Type, asJSON)
		if column.kind < 0 || !field.IsExported() {
			panic(fmt.Sprintf("readmodel: table %s: field %s of type %s is no column; export it, or add ,json", name, field.Name, field.Type))
		}
		t.columns = append(t.columns, column)
		switch column.kind {
		case kindText:
			t.texts = append(t.texts, i)
		case kindTime:
			t.times = append(t.times, i)
		}
	}
	if len(t.key) == 0 {
		panic(fmt.Sprintf("readmodel: table %s has no key", name))
	}
	for _, i := range t.key {
		if k := t.columns[i].kind; k != kindText && k != kindInt {
			panic(fmt.Sprintf("readmodel: table %s: the key %s is neither a text nor a number", name, t.columns[i].name))
		}
	}
	for _, option := range options {
		option(t)
	}
	return &Table[R]{t}
}

func kindOf(of reflect.Type, asJSON bool) kind {
	switch {
	case of == reflect.TypeFor[json.RawMessage]():
		return kindRaw
	case asJSON:
		return kindJSON
	case of == reflect.TypeFor[time.Time]():
		return kindTime
	}
	switch of.Kind() {
	case reflect.String:
		return kindText
	case reflect.Int, reflect.Int64, reflect.Int32:
		return kindInt
	case reflect.Float64:
		return kindFloat
	case reflect.Bool:
		return kindBool
	case reflect.Slice:
		if of.Elem().Kind() == reflect.Uint8 {
			return kindBytes
		}
	}
	return -1
}

// index finds columns by their names.
func (t *table) index(name string, columns []string) index {
	made := index{name: name}
	for _, column := range columns {
		found := -1
		for i := range t.columns {
			if t.columns[i].name == column {
				found = i
			}
		}
		if found < 0 {
			panic(fmt.Sprintf("readmodel: table %s has no column %q", t.name, column))
		}
		made.columns = append(made.columns, found)
	}
	return made
}

// Name is the table's name in SQL.
func (t *Table[R]) Name() string { return t.name }

// Columns are the table's columns for a SELECT of one's own, to be scanned with [Table.Scan]: put them first.
func (t *Table[R]) Columns() string { return t.list(t.name + ".") }

// Scan reads a row of a query that begins with [Table.Columns].
func (t *Table[R]) Scan(row Row) (R, error) {
	var into R
	values := make([]any, len(t.columns))
	for i, column := range t.columns {
		values[i] = row.value(i, column.kind)
	}
	err := t.scan(values, reflect.ValueOf(&into).Elem())
	return into, err
}

// list is all columns with something before each.
func (t *table) list(before string) string { return t.some(allOf(t.columns), before, "", ", ") }

// some is the same of some columns.
func (t *table) some(columns []int, before, behind, between string) string {
	var b strings.Builder
	for n, i := range columns {
		if n > 0 {
			b.WriteString(between)
		}
		b.WriteString(before + t.columns[i].name + behind)
	}
	return b.String()
}

func allOf(columns []column) []int {
	all := make([]int, len(columns))
	for i := range columns {
		all[i] = i
	}
	return all
}

// rest are the columns that are not of the key.
func (t *table) rest() []int {
	var rest []int
	for i := range t.columns {
		if !contains(t.key, i) {
			rest = append(rest, i)
		}
	}
	return rest
}

func contains(all []int, one int) bool {
	for _, i := range all {
		if i == one {
			return true
		}
	}
	return false
}

// types are the names of column types in an engine's SQL, by kind.
type types [kindJSON + 1]string

// ddl makes the table and what folds find rows by; behind is what the engine puts behind the columns.
func (t *table) ddl(of types, behind string) []string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", t.name)
	for i, column := range t.columns {
		null := " NOT NULL"
		if !contains(t.key, i) && column.kind >= kindTime {
			null = ""
		}
		fmt.Fprintf(&b, "  %s %s%s,\n", column.name, of[column.kind], null)
	}
	fmt.Fprintf(&b, "  PRIMARY KEY (%s)\n)%s", t.some(t.key, "", "", ", "), behind)
	made := []string{b.String()}
	for _, lookup := range t.lookups {
		made = append(made, fmt.Sprintf("CREATE INDEX %s_%s ON %s (%s) WHERE %s",
			t.name, lookup.name, t.name, t.some(lookup.columns, "", "", ", "), t.filled(lookup)))
	}
	return made
}

// indexed makes the indexes, which only queries need: when all rows are there it takes a fraction of the time.
func (t *table) indexed() (made []string) {
	for _, index := range t.indexes {
		made = append(made, fmt.Sprintf("CREATE INDEX IF NOT EXISTS %s_%s ON %s (%s)", t.name, index.name, t.name, t.some(index.columns, "", "", ", ")))
	}
	return made
}

// filled is the condition of being in a lookup. A query that has it can use the lookup's index.
func (t *table) filled(lookup index) string {
	first := t.columns[lookup.columns[0]]
	if first.kind == kindInt {
		return first.name + " <> 0"
	}
	return first.name + " <> ''"
}

// values are the row as an engine keeps it: string, int64, float64, bool, []byte or nil each.
func (t *table) values(row any) ([]any, error) {
	of := reflect.ValueOf(row).Elem()
	values := make([]any, len(t.columns))
	for i := range t.columns {
		column := &t.columns[i]
		value, err := column.value(of.Field(column.field))
		if err != nil {
			return nil, fmt.Errorf("readmodel: table %s, column %s: %w", t.name, column.name, err)
		}
		values[i] = value
	}
	return values, nil
}

func (c *column) value(field reflect.Value) (any, error) {
	switch c.kind {
	case kindText:
		return storable(field.String()), nil
	case kindInt:
		return field.Int(), nil
	case kindFloat:
		return field.Float(), nil
	case kindBool:
		return field.Bool(), nil
	case kindTime:
		if at := field.Interface().(time.Time); !at.IsZero() {
			return at.UnixMicro(), nil
		}
		return nil, nil
	case kindBytes:
		if field.Len() > 0 {
			return bytes.Clone(field.Bytes()), nil // the row may change before it is written
		}
		return nil, nil
	case kindRaw:
		if field.Len() > 0 {
			return storable(string(field.Bytes())), nil
		}
		return nil, nil
	}
	switch field.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		if field.IsNil() {
			return nil, nil
		}
	}
	text, err := json.Marshal(field.Interface())
	return string(text), err
}

// scan fills a row from what an engine keeps.
func (t *table) scan(values []any, into reflect.Value) error {
	for i := range t.columns {
		column := &t.columns[i]
		if values[i] == nil {
			continue
		}
		field := into.Field(column.field)
		switch column.kind {
		case kindText:
			field.SetString(values[i].(string))
		case kindInt:
			field.SetInt(values[i].(int64))
		case kindFloat:
			field.SetFloat(values[i].(float64))
		case kindBool:
			field.SetBool(values[i].(bool))
		case kindTime:
			field.Set(reflect.ValueOf(time.UnixMicro(values[i].(int64)).UTC()))
		case kindBytes:
			field.SetBytes(values[i].([]byte))
		case kindRaw:
			field.SetBytes([]byte(values[i].(string)))
		case kindJSON:
			if err := json.Unmarshal([]byte(values[i].(string)), field.Addr().Interface()); err != nil {
				return fmt.Errorf("readmodel: table %s, column %s: %w", t.name, column.name, err)
			}
		}
	}
	return nil
}

// collect is rows of all columns, as an engine keeps them.
func (t *table) collect(rows iter.Seq2[values, error]) (all [][]any, err error) {
	for row, err := range rows {
		if err != nil {
			return nil, fmt.Errorf("read table %s: %w", t.name, err)
		}
		one := make([]any, len(t.columns))
		for i := range t.columns {
			one[i] = valueOf(row, i, t.columns[i].kind)
		}
		all = append(all, one)
	}
	return all, nil
}

// storable is a text as every engine keeps it: PostgreSQL takes no zero byte, and nothing that is not UTF-8.
func storable(text string) string {
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 {
		return text
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// settle makes a row what it is when it is read back: times are in UTC, and whole microseconds, and texts are storable,
// unless it is known that they are.
func (t *table) settle(row any, storable bool) {
	of := reflect.ValueOf(row).Elem()
	for _, i := range t.times {
		at := of.Field(i).Addr().Interface().(*time.Time)
		if !at.IsZero() && (at.Location() != time.UTC || at.Nanosecond()%1000 != 0) {
			*at = time.UnixMicro(at.UnixMicro()).UTC()
		}
	}
	if !storable {
		t.settleTexts(of)
	}
}

func (t *table) settleTexts(row reflect.Value) {
	for _, i := range t.texts {
		if text := row.Field(i).String(); storable(text) != text {
			row.Field(i).SetString(storable(text))
		}
	}
}

// keyOf is the key of a row as one text, by which it is kept in memory.
func (t *table) keyOf(row any) string {
	return t.textOf(reflect.ValueOf(row).Elem(), t.key)
}

// textOf is the values of some columns as one text.
func (t *table) textOf(row reflect.Value, columns []int) string {
	if len(columns) == 1 && t.columns[columns[0]].kind == kindText {
		return storable(row.Field(t.columns[columns[0]].field).String())
	}
	var space [128]byte
	b := space[:0]
	for _, i := range columns {
		column := &t.columns[i]
		field := row.Field(column.field)
		switch column.kind {
		case kindText:
			b = appendText(b, storable(field.String()))
		case kindInt:
			b = binary.BigEndian.AppendUint64(b, uint64(field.Int()))
		case kindBool:
			b = appendBool(b, field.Bool())
		default:
			panic(fmt.Sprintf("readmodel: table %s: nothing is found by column %s", t.name, column.name))
		}
	}
	return string(b)
}

// given is values that were given for some columns as one text, as [table.textOf] has it. The argument does not
// escape, so that asking for a row costs no memory.
func (t *table) given(columns []int, given []any) string {
	if len(given) != len(columns) {
		panic(fmt.Sprintf("readmodel: table %s: %d values for %s", t.name, len(given), t.some(columns, "", "", ", ")))
	}
	if len(columns) == 1 && t.columns[columns[0]].kind == kindText {
		return t.givenText(columns[0], given[0])
	}
	var space [128]byte
	b := space[:0]
	for n, i := range columns {
		switch of := reflect.ValueOf(given[n]); {
		case t.columns[i].kind == kindText:
			b = appendText(b, t.givenText(i, given[n]))
		case t.columns[i].kind == kindInt && of.CanInt():
			b = binary.BigEndian.AppendUint64(b, uint64(of.Int()))
		case t.columns[i].kind == kindBool && of.Kind() == reflect.Bool:
			b = appendBool(b, of.Bool())
		default:
			t.mistaken(i, of)
		}
	}
	return string(b)
}

func (t *table) givenText(column int, given any) string {
	of := reflect.ValueOf(given)
	if of.Kind() != reflect.String {
		t.mistaken(column, of)
	}
	return storable(of.String())
}

func (t *table) mistaken(column int, given reflect.Value) {
	kind := "nil"
	if given.IsValid() {
		kind = given.Type().String()
	}
	panic(fmt.Sprintf("readmodel: table %s: a %s for column %s", t.name, kind, t.columns[column].name))
}

// keyValues is a key that was one text, as an engine keeps it.
func (t *table) keyValues(key string) []any { return t.valuesOf(t.key, key) }

// valuesOf is the values of some columns that were one text, as an engine keeps them.
func (t *table) valuesOf(columns []int, text string) []any {
	if len(columns) == 1 && t.columns[columns[0]].kind == kindText {
		return []any{text}
	}
	values := make([]any, len(columns))
	b := []byte(text)
	for n, i := range columns {
		switch t.columns[i].kind {
		case kindInt:
			values[n], b = int64(binary.BigEndian.Uint64(b)), b[8:]
		case kindBool:
			values[n], b = b[0] == 1, b[1:]
		default:
			length, used := binary.Uvarint(b)
			values[n], b = string(b[used:used+int(length)]), b[used+int(length):]
		}
	}
	return values
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}

func appendBool(b []byte, value bool) []byte {
	if value {
		return append(b, 1)
	}
	return append(b, 0)
}

// sizeOf is about how much memory a row takes.
func sizeOf(values []any) int {
	size := 200
	for _, value := range values {
		size += 16
		switch value := value.(type) {
		case string:
			size += len(value)
		case []byte:
			size += len(value)
		}
	}
	return size
}
