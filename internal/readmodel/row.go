package readmodel

import (
	"encoding/json"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
)

// Row is one row of a query. Columns are read by name; a name that the query does
// not have is a mistake of the program and panics. NULL reads as the zero value.
type Row struct {
	stmt  *sqlite.Stmt
	query string
}

// Text reads a text column.
func (r Row) Text(column string) string { return r.stmt.ColumnText(r.index(column)) }

// Int reads an integer column.
func (r Row) Int(column string) int { return r.stmt.ColumnInt(r.index(column)) }

// Int64 reads an integer column.
func (r Row) Int64(column string) int64 { return r.stmt.ColumnInt64(r.index(column)) }

// Float reads a number column.
func (r Row) Float(column string) float64 { return r.stmt.ColumnFloat(r.index(column)) }

// Bool reads an integer column: anything but 0 is true.
func (r Row) Bool(column string) bool { return r.stmt.ColumnBool(r.index(column)) }

// Null reports whether a column is NULL.
func (r Row) Null(column string) bool { return r.stmt.ColumnIsNull(r.index(column)) }

// Bytes reads a blob or text column into a new slice; nil if it is NULL or empty.
func (r Row) Bytes(column string) []byte {
	i := r.index(column)
	n := r.stmt.ColumnLen(i)
	if n == 0 {
		return nil
	}
	b := make([]byte, n)
	r.stmt.ColumnBytes(i, b)
	return b
}

// Time reads a column that was written from a [time.Time], in UTC; NULL is the zero time.
func (r Row) Time(column string) time.Time {
	i := r.index(column)
	if r.stmt.ColumnIsNull(i) {
		return time.Time{}
	}
	return time.UnixMicro(r.stmt.ColumnInt64(i)).UTC()
}

// JSON decodes a column that was written from [JSON] into v; NULL leaves v as it is.
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

func (r Row) index(column string) int {
	i := r.stmt.ColumnIndex(column)
	if i < 0 {
		panic(fmt.Sprintf("readmodel: no column %q in the result of %q", column, r.query))
	}
	return i
}
