package readmodel_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/internal/database/sqlitedb"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// pair is a row with a key of two columns, and values of several kinds.
type pair struct {
	Number int64   `col:"number,key"`
	Stream string  `col:"stream,key"`
	Half   float64 `col:"half"`
	Bytes  []byte  `col:"bytes"`
}

var pairs = readmodel.NewTable[pair]("pair", readmodel.Index("half"))

// odd is a tally, and pairs.
type odd struct{ tally }

func (o odd) Tables() []readmodel.Declared { return append(o.tally.Tables(), pairs) }

func (o odd) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	pairs.Insert(tx, pair{Number: record.Revision, Stream: record.Stream, Half: 1.5, Bytes: []byte(record.Stream)[:record.Revision%2]})
	return o.tally.Apply(tx, record)
}

func compare(t *testing.T, log eventlog.Log, dir string, projections ...readmodel.Projection) readmodel.Comparison {
	t.Helper()
	config := at(dir)
	config.Log, config.Projections = log, projections
	found, err := readmodel.Compare(t.Context(), config, nil)
	require.NoError(t, err)
	require.Equal(t, found.Same, len(found.Differ) == 0 && found.Problem == "")
	return found
}

// change writes to views past the program.
func change(t *testing.T, path, statement string) {
	t.Helper()
	conn, err := sqlitedb.Open(path)
	require.NoError(t, err)
	require.NoError(t, sqlitedb.Exec(conn, statement))
	require.NoError(t, conn.Close())
}

// A change of the views that bypassed the log is found and named, row by row, beside a program that has them open.
func TestCompareFindsWhatWasChanged(t *testing.T) {
	t.Parallel()
	log := newLog(t)
	head := grow(t, log, 40)
	for name, c := range map[string]struct {
		statement string
		want      readmodel.Difference
	}{
		"nothing": {"SELECT 1", readmodel.Difference{}},
		"changed": {
			"UPDATE tally SET events = events + 1, last = '' WHERE stream > 's3'",
			readmodel.Difference{Table: "tally", Changed: 3, First: map[string]any{"stream": "s4"}, How: "changed", Columns: []string{"events", "last"}},
		},
		"kind of value": {
			"UPDATE pair SET bytes = 's' WHERE number = 1 AND stream = 's0'",
			readmodel.Difference{Table: "pair", Changed: 1, First: map[string]any{"number": int64(1), "stream": "s0"}, How: "changed", Columns: []string{"bytes"}},
		},
		"missing": {
			"DELETE FROM tally WHERE stream = 's2'",
			readmodel.Difference{Table: "tally", Missing: 1, First: map[string]any{"stream": "s2"}, How: "missing"},
		},
		"extra": {
			"INSERT INTO tally VALUES ('a', 1, '')",
			readmodel.Difference{Table: "tally", Extra: 1, First: map[string]any{"stream": "a"}, How: "extra"},
		},
		"another key": {
			"UPDATE tally SET stream = 'z' WHERE stream = 's0'",
			readmodel.Difference{Table: "tally", Extra: 1, Missing: 1, First: map[string]any{"stream": "s0"}, How: "missing"},
		},
		"an index": {
			"DROP INDEX pair_half",
			readmodel.Difference{Table: "sqlite_schema", Missing: 1, First: map[string]any{"name": "pair_half"}, How: "missing"},
		},
		"a table": {
			"DROP TABLE pair",
			readmodel.Difference{Table: "sqlite_schema", Missing: 2, First: map[string]any{"name": "pair"}, How: "missing"},
		},
		"a column": {
			"ALTER TABLE tally RENAME COLUMN last TO newest",
			readmodel.Difference{Table: "sqlite_schema", Changed: 1, First: map[string]any{"name": "tally"}, How: "changed", Columns: []string{"sql"}},
		},
		"a trigger": {
			"CREATE TRIGGER t AFTER INSERT ON tally BEGIN DELETE FROM pair; END",
			readmodel.Difference{Table: "sqlite_schema", Extra: 1, First: map[string]any{"name": "t"}, How: "extra"},
		},
		"the generation": {
			"UPDATE readmodel_generation SET fingerprint = 'mine'",
			readmodel.Difference{Table: "readmodel_generation", Extra: 1, Missing: 1, How: "missing"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			store := open(t, dir, log, odd{})
			require.NoError(t, store.CatchUp(t.Context()))
			change(t, store.Path(), c.statement)
			found := compare(t, log, dir, odd{})
			require.Empty(t, found.Problem)
			require.Equal(t, store.Path(), found.File)
			require.Equal(t, head, found.Position)
			require.NotZero(t, found.Rows)
			if c.want.Table == "" {
				require.Empty(t, found.Differ)
				require.Equal(t, 6, found.Tables)
				return
			}
			require.Len(t, found.Differ, 1)
			if c.want.First == nil {
				found.Differ[0].First = nil
			}
			require.Equal(t, c.want, found.Differ[0])
		})
	}
}

// Views are compared up to where they are: also empty ones, those that are behind, those of a log that was moved, and
// those with a stream that is set aside.
func TestCompareWhereTheViewsAre(t *testing.T) {
	t.Parallel()
	log, dir := newLog(t), t.TempDir()
	refusing := choosy{told: new([]readmodel.Aside), refuses: func(record eventlog.Record) bool { return record.Stream == "s1" && record.Revision == 7 }}
	store := open(t, dir, log, refusing)
	require.True(t, compare(t, log, dir, refusing).Same, "nothing beside nothing")

	head := grow(t, log, 2500)
	require.NoError(t, store.CatchUp(t.Context()))
	grow(t, log, 30)
	found := compare(t, log, dir, refusing)
	require.True(t, found.Same, "%+v", found)
	require.Equal(t, head, found.Position)

	// Another place of the same event is no difference, if the views hold no positions.
	dir = t.TempDir()
	applied := 0
	moved := open(t, dir, log, counted{applied: &applied})
	require.NoError(t, moved.CatchUp(t.Context()))
	require.True(t, compare(t, shifted{log}, dir, counted{applied: &applied}).Same)
}

// While a server goes on applying, the comparison is of one state of its views.
func TestCompareBesideOneThatApplies(t *testing.T) {
	t.Parallel()
	log, dir := newLog(t), t.TempDir()
	grow(t, log, 1500)
	store := open(t, dir, log)
	stop := run(t, store)
	for range 10 {
		grow(t, log, 25)
		found := compare(t, log, dir, tally{})
		require.True(t, found.Same, "%+v", found)
	}
	require.NoError(t, stop())
}

// Where there is nothing to compare, that is said: it is not the same as views without a difference.
func TestCompareNothing(t *testing.T) {
	t.Parallel()
	log, dir := newLog(t), t.TempDir()
	grow(t, log, 20)
	config := readmodel.Config{Dir: filepath.Join(dir, "views"), Log: log, Projections: []readmodel.Projection{tally{}}}
	_, err := readmodel.Compare(t.Context(), config, nil)
	require.ErrorContains(t, err, "there are no views in "+config.Dir+" yet")
	require.NoDirExists(t, config.Dir)

	store := open(t, config.Dir, log, tally{})
	require.NoError(t, store.CatchUp(t.Context()))
	config.Projections = []readmodel.Projection{tally{version: 2}}
	_, err = readmodel.Compare(t.Context(), config, nil)
	require.ErrorAs(t, err, new(*readmodel.NoViewsError))
	require.ErrorContains(t, err, "only 1 of others")

	// Views that know of more than the log: its end was cut off, or it is another one.
	other := newLog(t)
	grow(t, other, 20)
	require.Contains(t, compare(t, other, config.Dir, tally{}).Problem, "and the log has not: it was cut off or restored")
	require.NoError(t, store.Close())

	// A place that no log has, and none at all.
	conn, err := sqlite.OpenConn(store.Path(), sqlite.OpenReadWrite)
	require.NoError(t, err)
	require.NoError(t, sqlitex.ExecuteTransient(conn, "UPDATE readmodel_checkpoint SET position = position + 1000", nil))
	require.Contains(t, compare(t, log, config.Dir, tally{}).Problem, "is not a position of a log")
	require.NoError(t, sqlitex.ExecuteTransient(conn, "DELETE FROM readmodel_checkpoint", nil))
	require.Contains(t, compare(t, log, config.Dir, tally{}).Problem, "they do not say up to which place they are")
	require.NoError(t, conn.Close())

	require.NoError(t, os.Truncate(store.Path(), 8192))
	require.Contains(t, compare(t, log, config.Dir, tally{}).Problem, "the file is damaged")
}

// A comparison leaves nothing of its copy behind, however it ends.
func TestCompareLeavesNothing(t *testing.T) {
	t.Parallel()
	log, dir := newLog(t), t.TempDir()
	grow(t, log, 5000)
	ctx, cancel := context.WithCancel(t.Context())
	events, at := 0, 0
	projection := tally{before: func(eventlog.Record) error {
		if events++; events == at {
			cancel()
		}
		return nil
	}}
	store := open(t, dir, log, projection)
	require.NoError(t, store.CatchUp(t.Context()))
	listing := func() (names []string) {
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		for _, entry := range entries {
			names = append(names, entry.Name())
		}
		return names
	}
	before := listing()
	at = events + 3200
	applied := 0
	config := readmodel.Config{Dir: dir, Log: log, Projections: []readmodel.Projection{projection}}
	_, err := readmodel.Compare(ctx, config, func(n int) { applied += n })
	require.ErrorIs(t, err, context.Canceled)
	require.Zero(t, applied, "it was one transaction, which was not ended")
	require.Equal(t, before, listing())
	require.True(t, compare(t, log, dir, projection).Same)
	require.Equal(t, before, listing())
}
