package readmodel

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"time"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

// Query reads one consistent state of the views. It is valid inside the function it
// was given to, on one goroutine.
type Query struct {
	source source
	watch  func(query string, args []any) // nil for nobody
}

type watchKey struct{}

// Watch lets fn see every query that a [Store.Read] with the context asks, with its arguments as engines take them.
func Watch(ctx context.Context, fn func(query string, args []any)) context.Context {
	return context.WithValue(ctx, watchKey{}, fn)
}

func watched(ctx context.Context) func(string, []any) {
	fn, _ := ctx.Value(watchKey{}).(func(string, []any))
	return fn
}

// Rows runs a query and yields its rows. Breaking out is not an error. An error ends the rows.
// A row is valid until the next one.
//
// Arguments fill the placeholders in order: integers, floats, strings, bool, []byte (blob), json.RawMessage (text),
// time.Time (microseconds since 1970, NULL if zero), nil, and named types and pointers of these.
//
// Both engines read the query: keep to what they have in common, with question marks for placeholders.
func (q *Query) Rows(query string, args ...any) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		plain, err := plainAll(args)
		if err != nil {
			yield(Row{}, fmt.Errorf("readmodel: query %q: %w", query, err))
			return
		}
		if q.watch != nil {
			q.watch(query, plain)
		}
		for values, err := range q.source.rows(query, plain) {
			if err != nil {
				yield(Row{}, fmt.Errorf("readmodel: query %q: %w", query, err))
				return
			}
			if !yield(Row{values: values, query: query}, nil) {
				return
			}
		}
	}
}

// Select is the rows of a table that a query chooses, whatever comes behind FROM and the table's name: joins,
// conditions, order, limit.
func Select[R any](q *Query, from *Table[R], rest string, args ...any) ([]R, error) {
	return Collect(q.Rows("SELECT "+from.Columns()+" FROM "+from.name+" "+rest, args...), from.Scan)
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

// plainAll makes arguments what engines take: nil, int64, float64, string, bool or []byte each.
func plainAll(args []any) ([]any, error) {
	all := make([]any, len(args))
	for i, arg := range args {
		value, err := plain(arg)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		all[i] = value
	}
	return all, nil
}

func plain(arg any) (any, error) {
	switch v := arg.(type) {
	case nil, string, int64, bool, float64:
		return v, nil
	case []byte:
		if v == nil {
			return nil, nil
		}
		return v, nil
	case json.RawMessage:
		if v == nil {
			return nil, nil
		}
		return string(v), nil
	case time.Time:
		if v.IsZero() {
			return nil, nil
		}
		return v.UnixMicro(), nil
	}
	v := reflect.ValueOf(arg)
	switch v.Kind() {
	case reflect.String:
		return v.String(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return int64(v.Uint()), nil
	case reflect.Float32:
		return v.Float(), nil
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return plain(v.Elem().Interface())
	}
	return nil, fmt.Errorf("a %T is no argument", arg)
}

// readCheckpoint says which event was applied last; the zero Checkpoint is none.
var errNoCheckpoint = errors.New("readmodel: the checkpoint is missing")

func readCheckpoint(from source) (eventlog.Checkpoint, error) {
	rows := (&Query{source: from}).Rows("SELECT position, stream, revision, event_id FROM readmodel_checkpoint")
	found, ok, err := First(rows, func(row Row) (eventlog.Checkpoint, error) {
		return eventlog.Checkpoint{
			Position: eventlog.Position(row.Text("position")), Stream: row.Text("stream"),
			Revision: row.Int64("revision"), EventID: row.Text("event_id"),
		}, nil
	})
	if err == nil && !ok {
		err = errNoCheckpoint
	}
	return found, err
}
