package sqlitelog

import (
	"slices"

	"zombiezen.com/go/sqlite"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
)

const (
	// sparseEvents is how many events a sparse filter passes: they are read one by one.
	sparseEvents = 1024
	// sparseSpan is how long a span is for which sparse filters are looked for. It takes about as long as reading a
	// chunk.
	sparseSpan = 4 * chunkRows
)

// sparse are the events of all streams that pass a filter, if they are few: a reader that follows one rare kind of
// streams does not read ten million events to begin.
type sparse struct {
	positions []int64 // rising; nil if there are too many
}

func (f *sparse) known() bool { return f != nil && f.positions != nil }

// from gives the first of the positions from one on, up or down; end if there is none.
func (f *sparse) from(position, end, step int64) int64 {
	i, found := slices.BinarySearch(f.positions, position)
	if step < 0 && !found {
		i--
	}
	if i < 0 || i == len(f.positions) {
		return end
	}
	return f.positions[i]
}

// findSparse finds out, once, whether few events pass the filter.
func (s *scanner) findSparse(conn *sqlite.Conn) (err error) {
	if s.sparse == nil && s.column == columnPosition && len(s.filter.StreamPrefixes) > 0 && (s.last-s.next)*s.step > sparseSpan {
		s.sparse = new(sparse)
		s.sparse.positions, err = sparsePositions(conn, s.filter)
	}
	return err
}

// sparsePositions gives the positions of all events whose streams pass a filter, nil if they are too many.
func sparsePositions(conn *sqlite.Conn, filter eventlog.Filter) ([]int64, error) {
	positions := []int64{}
	for _, prefix := range filter.StreamPrefixes {
		if prefix == "" {
			return nil, nil
		}
		// The index of streams and revisions has the positions, too: no event is read.
		stmt, err := sqlitedb.Prepare(conn, "SELECT stream, revision, pos FROM stream AS s CROSS JOIN event ON stream = s.id WHERE name >= ? AND name < ? ORDER BY name, revision LIMIT ?",
			prefix, after(prefix), sparseEvents+1)
		if err != nil {
			return nil, err
		}
		of, err := positionsOf(stmt)
		if err != nil {
			return nil, err
		}
		if positions = append(positions, of...); len(positions) > sparseEvents {
			return nil, nil
		}
	}
	slices.Sort(positions)
	return slices.Compact(positions), nil
}

func positionsOf(stmt *sqlite.Stmt) (positions []int64, err error) {
	defer stmt.Reset()
	stream, next := int64(0), int64(0)
	for {
		found, err := stmt.Step()
		if err != nil || !found {
			return positions, err
		}
		if of := stmt.ColumnInt64(0); of != stream {
			stream, next = of, 0
		}
		if stmt.ColumnInt64(1) != next {
			return nil, missingError{"revision", next}
		}
		next++
		positions = append(positions, stmt.ColumnInt64(2))
	}
}

// after is the first text after all that begin with a prefix.
func after(prefix string) string {
	return prefix[:len(prefix)-1] + string([]byte{prefix[len(prefix)-1] + 1})
}
