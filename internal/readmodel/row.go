package readmodel

import (
	"encoding/json"
	"fmt"
	"time"
)

// Row is one row of a query. Columns are read by name; a name that the query does
// not have is a mistake of the program and panics. NULL reads as the zero value.
type Row struct {
	values values
	query  string
}

// Text reads a text column.
func (r Row) Text(column string) string { return r.values.text(r.index(column)) }

// Int reads an integer column.
func (r Row) Int(column string) int { return int(r.Int64(column)) }

// Int64 reads an integer column.
func (r Row) Int64(column string) int64 { return r.values.number(r.index(column)) }

// Float reads a number column.
func (r Row) Float(column string) float64 { return r.values.float(r.index(column)) }

// Bool reads a truth.
func (r Row) Bool(column string) bool { return r.values.boolean(r.index(column)) }

// Null reports whether a column is NULL.
func (r Row) Null(column string) bool { return r.values.null(r.index(column)) }

// Bytes reads a blob or text column into a new slice; nil if it is NULL or empty.
func (r Row) Bytes(column string) []byte { return r.values.blob(r.index(column)) }

// Time reads a column that was written from a [time.Time], in UTC; NULL is the zero time.
func (r Row) Time(column string) time.Time {
	i := r.index(column)
	if r.values.null(i) {
		return time.Time{}
	}
	return time.UnixMicro(r.values.number(i)).UTC()
}

// JSON decodes a column of JSON into v; NULL leaves v as it is.
func (r Row) JSON(column string, v any) error {
	b := r.Bytes(column)
	if b == nil {
		return nil
	}
	if err := json.Unmarshal(b, v); err != nil {
		return fmt.Errorf("readmodel: column %s of %q: %w", column, r.query, err)
	}
	return nil
}

// value is a column as an engine keeps one of that kind.
func (r Row) value(i int, of kind) any { return valueOf(r.values, i, of) }

func valueOf(row values, i int, of kind) any {
	if row.null(i) {
		return nil
	}
	switch of {
	case kindInt, kindTime:
		return row.number(i)
	case kindFloat:
		return row.float(i)
	case kindBool:
		return row.boolean(i)
	case kindBytes:
		return row.blob(i)
	}
	return row.text(i)
}

func (r Row) index(column string) int {
	i := r.values.column(column)
	if i < 0 {
		panic(fmt.Sprintf("readmodel: no column %q in the result of %q", column, r.query))
	}
	return i
}
