package readmodel_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// scribbled is a row for tests of queries.
type scribbled struct {
	Name  string `col:"name,key"`
	Value int64  `col:"value"`
}

var scratches = readmodel.NewTable[scribbled]("scratch")

// scratch inserts some rows with the first event.
type scratch []scribbled

func (scratch) Name() string                 { return "scratch" }
func (scratch) Version() int                 { return 1 }
func (scratch) Tables() []readmodel.Declared { return []readmodel.Declared{scratches} }

func (p scratch) Apply(tx *readmodel.Tx, _ eventlog.Record) error {
	for _, one := range p {
		scratches.Insert(tx, one)
	}
	return nil
}

func scribble(t *testing.T, rows ...scribbled) *readmodel.Store {
	t.Helper()
	log := newLog(t)
	grow(t, log, 1)
	store := open(t, t.TempDir(), log, scratch(rows))
	require.NoError(t, store.CatchUp(t.Context()))
	return store
}

// A query reads an argument as it was given.
func TestValues(t *testing.T) {
	t.Parallel()
	type status string
	type count int32
	text, number := "text", 7
	at := time.Date(2026, 11, 21, 1, 2, 3, 456789000, time.FixedZone("", 3600))
	written := map[string]any{
		"string": "ä\x00b", "named string": status("active"), "int": -1, "int64": int64(1 << 60), "named int": count(3), "uint8": uint8(200),
		"float": 1.5, "true": true, "false": false, "bytes": []byte{0, 1}, "no bytes": []byte(nil), "raw": json.RawMessage(`{"b":1,"a":2}`), "no raw": json.RawMessage(nil),
		"time": at, "zero time": time.Time{}, "nil": nil, "pointer": &text, "pointer to int": &number, "nil pointer": (*string)(nil),
		"json": json.RawMessage(`["a","b"]`), "empty": "",
	}
	checks := map[string]func(r readmodel.Row){
		"string":         func(r readmodel.Row) { require.Equal(t, "ä\x00b", r.Text("value")) },
		"named string":   func(r readmodel.Row) { require.Equal(t, "active", r.Text("value")) },
		"int":            func(r readmodel.Row) { require.Equal(t, -1, r.Int("value")) },
		"int64":          func(r readmodel.Row) { require.Equal(t, int64(1<<60), r.Int64("value")) },
		"named int":      func(r readmodel.Row) { require.Equal(t, 3, r.Int("value")) },
		"uint8":          func(r readmodel.Row) { require.Equal(t, 200, r.Int("value")) },
		"float":          func(r readmodel.Row) { require.InDelta(t, 1.5, r.Float("value"), 0) },
		"true":           func(r readmodel.Row) { require.True(t, r.Bool("value")) },
		"false":          func(r readmodel.Row) { require.False(t, r.Bool("value")); require.False(t, r.Null("value")) },
		"bytes":          func(r readmodel.Row) { require.Equal(t, []byte{0, 1}, r.Bytes("value")) },
		"no bytes":       func(r readmodel.Row) { require.True(t, r.Null("value")); require.Nil(t, r.Bytes("value")) },
		"raw":            func(r readmodel.Row) { require.Equal(t, `{"b":1,"a":2}`, r.Text("value")) },
		"no raw":         func(r readmodel.Row) { require.True(t, r.Null("value")) },
		"time":           func(r readmodel.Row) { require.Equal(t, at.UTC(), r.Time("value")) },
		"zero time":      func(r readmodel.Row) { require.True(t, r.Null("value")); require.True(t, r.Time("value").IsZero()) },
		"nil":            func(r readmodel.Row) { require.True(t, r.Null("value")); require.Empty(t, r.Text("value")) },
		"pointer":        func(r readmodel.Row) { require.Equal(t, "text", r.Text("value")) },
		"pointer to int": func(r readmodel.Row) { require.Equal(t, 7, r.Int("value")) },
		"nil pointer":    func(r readmodel.Row) { require.True(t, r.Null("value")) },
		"empty":          func(r readmodel.Row) { require.False(t, r.Null("value")); require.Empty(t, r.Text("value")) },
		"json": func(r readmodel.Row) {
			var list []string
			require.NoError(t, r.JSON("value", &list))
			require.Equal(t, []string{"a", "b"}, list)
			require.Error(t, r.JSON("value", new(int)))
		},
	}
	require.Len(t, checks, len(written))
	require.NoError(t, scribble(t).Read(t.Context(), func(q *readmodel.Query) error {
		for name, value := range written {
			for r, err := range q.Rows("SELECT ? AS value", value) {
				require.NoError(t, err)
				checks[name](r)
			}
		}
		return nil
	}))
}

// Mistakes in a query are errors that name it.
func TestQueryErrors(t *testing.T) {
	t.Parallel()
	store := scribble(t)
	for name, c := range map[string]struct {
		query   string
		args    []any
		message string
	}{
		"too few arguments":  {"SELECT ?, ?", []any{1}, "1 arguments for 2 placeholders"},
		"too many arguments": {"SELECT 1", []any{1}, "1 arguments for 0 placeholders"},
		"no such type":       {"SELECT ?", []any{struct{}{}}, "a struct {} is no argument"},
		"no such table":      {"SELECT * FROM missing", nil, "no such table: missing"},
		"two statements":     {"SELECT 1; SELECT 2", nil, "trailing bytes"},
	} {
		err := store.Read(t.Context(), func(q *readmodel.Query) error {
			for _, err := range q.Rows(c.query, c.args...) {
				return err
			}
			return nil
		})
		require.ErrorContains(t, err, c.message, name)
		require.ErrorContains(t, err, c.query, name)
	}
	require.Panics(t, func() {
		_ = store.Read(t.Context(), func(q *readmodel.Query) error {
			for r := range q.Rows("SELECT 1 AS one") {
				r.Text("two")
			}
			return nil
		})
	})
}

// A query may be asked again while its rows are read.
func TestNestedRows(t *testing.T) {
	t.Parallel()
	const query = "SELECT value FROM scratch ORDER BY value"
	var pairs [][2]int
	require.NoError(t, scribble(t, scribbled{"a", 0}, scribbled{"b", 1}, scribbled{"c", 2}).Read(t.Context(), func(q *readmodel.Query) error {
		for outer, err := range q.Rows(query) {
			require.NoError(t, err)
			for inner, err := range q.Rows(query) {
				require.NoError(t, err)
				pairs = append(pairs, [2]int{outer.Int("value"), inner.Int("value")})
				if inner.Int("value") == 1 {
					break
				}
			}
		}
		return nil
	}))
	require.Equal(t, [][2]int{{0, 0}, {0, 1}, {1, 0}, {1, 1}, {2, 0}, {2, 1}}, pairs)
}

func TestFirst(t *testing.T) {
	t.Parallel()
	store := scribble(t, scribbled{"a", 1}, scribbled{"b", 2})
	require.NoError(t, store.Read(t.Context(), func(q *readmodel.Query) error {
		name := func(r readmodel.Row) (string, error) { return r.Text("name"), nil }
		first, found, err := readmodel.First(q.Rows("SELECT name FROM scratch ORDER BY value DESC"), name)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, "b", first)
		_, found, err = readmodel.First(q.Rows("SELECT name FROM scratch WHERE value = ?", 3), name)
		require.NoError(t, err)
		require.False(t, found)
		all, err := readmodel.Collect(q.Rows("SELECT name FROM scratch WHERE value = 3"), name)
		require.NoError(t, err)
		require.Equal(t, []string{}, all)
		_, err = readmodel.Collect(q.Rows("SELECT name FROM scratch"), func(readmodel.Row) (string, error) { return "", context.Canceled })
		require.ErrorIs(t, err, context.Canceled)
		return nil
	}))
}

// All queries of a Read see one state, whatever is applied meanwhile.
func TestReadIsConsistent(t *testing.T) {
	t.Parallel()
	onEngines(t, func(t *testing.T, newPlace func() string) {
		log := newLog(t)
		store := open(t, newPlace(), log)
		require.NoError(t, store.WaitFor(t.Context(), grow(t, log, 5)))
		count := func(q *readmodel.Query) int64 {
			n, _, err := readmodel.First(q.Rows("SELECT sum(events) AS n FROM tally"), func(r readmodel.Row) (int64, error) { return r.Int64("n"), nil })
			require.NoError(t, err)
			return n
		}
		require.NoError(t, store.Read(t.Context(), func(q *readmodel.Query) error {
			require.Equal(t, int64(5), count(q))
			head := grow(t, log, 5)
			applied := make(chan error)
			go func() { applied <- store.WaitFor(t.Context(), head) }()
			require.NoError(t, <-applied)
			require.Equal(t, int64(5), count(q))
			return nil
		}))
		require.NoError(t, store.Read(t.Context(), func(q *readmodel.Query) error {
			require.Equal(t, int64(10), count(q))
			return nil
		}))
	})
}

// Readers cannot write; what fn returns comes back; a query ends with its context.
func TestRead(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	store := open(t, t.TempDir(), log)
	require.NoError(t, store.CatchUp(t.Context()))
	err := store.Read(t.Context(), func(q *readmodel.Query) error {
		for _, err := range q.Rows("INSERT INTO tally VALUES ('a', 1, '') RETURNING stream") {
			return err
		}
		return nil
	})
	require.ErrorContains(t, err, "readonly")

	own := errors.New("own")
	require.Equal(t, own, store.Read(t.Context(), func(*readmodel.Query) error { return own }))

	ctx, cancel := context.WithCancel(t.Context())
	err = store.Read(ctx, func(q *readmodel.Query) error {
		for _, err := range q.Rows("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n") {
			if err != nil {
				return err
			}
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, store.Read(ctx, func(*readmodel.Query) error { return nil }), context.Canceled)

	require.Panics(t, func() { _ = store.Read(t.Context(), func(*readmodel.Query) error { panic("in fn") }) })
	for range 20 { // every connection is free again
		require.NoError(t, store.Read(t.Context(), func(*readmodel.Query) error { return nil }))
	}
}
