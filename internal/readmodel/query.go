package readmodel

import (
	"fmt"
	"iter"

	"zombiezen.com/go/sqlite"
)

// Query reads one consistent state of the views. It is valid inside the function it
// was given to, on one goroutine.
type Query struct {
	conn *sqlite.Conn
	open map[string]bool // queries whose rows are being read
}

func newQuery(conn *sqlite.Conn) *Query {
	return &Query{conn: conn, open: make(map[string]bool)}
}

// Tx is a [Query] that can also write.
type Tx struct{ *Query }

// Rows runs a query and yields its rows. Breaking out is not an error. An error ends the rows.
// A row is valid until the next one.
//
// Arguments fill the placeholders in order: integers, floats, strings, bool (0 or 1), []byte (blob), json.RawMessage (text),
// time.Time (microseconds since 1970, NULL if zero), nil, [JSON], and named types and pointers of these.
func (q *Query) Rows(query string, args ...any) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		stmt, release, err := q.prepare(query)
		if err != nil {
			yield(Row{}, fmt.Errorf("readmodel: %w", err))
			return
		}
		defer release()
		if err := bind(stmt, args); err != nil {
			yield(Row{}, fmt.Errorf("readmodel: query %q: %w", query, err))
			return
		}
		for {
			more, err := stmt.Step()
			if err != nil {
				yield(Row{}, fmt.Errorf("readmodel: query %q: %w", query, err))
				return
			}
			if !more || !yield(Row{stmt: stmt, query: query}, nil) {
				return
			}
		}
	}
}

// Exec runs a statement that changes rows and returns how many it changed.
// Arguments are as in [Query.Rows].
func (tx *Tx) Exec(query string, args ...any) (changed int, err error) {
	stmt, release, err := tx.prepare(query)
	if err != nil {
		return 0, fmt.Errorf("readmodel: %w", err)
	}
	defer release()
	if err := bind(stmt, args); err != nil {
		return 0, fmt.Errorf("readmodel: statement %q: %w", query, err)
	}
	for more := true; more; {
		if more, err = stmt.Step(); err != nil {
			return 0, fmt.Errorf("readmodel: statement %q: %w", query, err)
		}
	}
	return tx.conn.Changes(), nil
}

// prepare gives the kept statement of a query, or a second one while the rows of the first are being read.
func (q *Query) prepare(query string) (stmt *sqlite.Stmt, release func(), err error) {
	if q.open[query] {
		stmt, trailing, err := q.conn.PrepareTransient(query)
		if err != nil {
			return nil, nil, err
		}
		if trailing != 0 {
			_ = stmt.Finalize()
			return nil, nil, fmt.Errorf("query %q is more than one statement", query)
		}
		return stmt, func() { _ = stmt.Finalize() }, nil
	}
	stmt, err = q.conn.Prepare(query)
	if err != nil {
		return nil, nil, err
	}
	q.open[query] = true
	return stmt, func() {
		delete(q.open, query)
		_ = stmt.Reset() // reports the error of the last step again
	}, nil
}

// Collect scans all rows into a slice, which is empty and not nil if there are none.
func Collect[T any](rows iter.Seq2[Row, error], scan func(Row) (T, error)) ([]T, error) {
	all := []T{}
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		one, err := scan(row)
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

// First scans the first row; found is false if there is none.
func First[T any](rows iter.Seq2[Row, error], scan func(Row) (T, error)) (first T, found bool, err error) {
	for row, err := range rows {
		if err != nil {
			return first, false, err
		}
		first, err = scan(row)
		return first, err == nil, err
	}
	return first, false, nil
}
