package readmodel_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
)

// everything has a column of each kind, a key of two, and a lookup.
type everything struct {
	Stream string          `col:"stream,key"`
	Number int64           `col:"number,key"`
	Text   string          `col:"text"`
	Float  float64         `col:"float"`
	Bool   bool            `col:"bool"`
	At     time.Time       `col:"at"`
	Bytes  []byte          `col:"bytes"`
	Raw    json.RawMessage `col:"raw"`
	List   []string        `col:"list,json"`
	Open   string          `col:"open"`
}

var all = readmodel.NewTable[everything]("everything", readmodel.Index("at", "number"), readmodel.Lookup("open", "open", "bool"))

// mixed inserts, edits, deletes and looks up as chance has it, the same for the same log.
type mixed struct{ seed uint64 }

func (mixed) Name() string                 { return "mixed" }
func (mixed) Version() int                 { return 1 }
func (mixed) Tables() []readmodel.Declared { return []readmodel.Declared{all} }

func (p mixed) Apply(tx *readmodel.Tx, record eventlog.Record) error {
	chance := rand.New(rand.NewPCG(p.seed, uint64(record.Revision)<<8|uint64(record.Stream[1])))
	for range 3 {
		number := int64(chance.IntN(400))
		switch chance.IntN(6) {
		case 0:
			all.Delete(tx, record.Stream, number)
		case 1:
			for _, one := range all.EditWhere(tx, "open", "yes\uFFFD", true) {
				one.Open, one.Float = "", one.Float+1
			}
		case 2:
			if one := all.Edit(tx, record.Stream, number); one != nil {
				one.Text, one.Bool, one.At = fmt.Sprint(number, "é\x00\xff"), !one.Bool, time.Unix(number, 1234567).In(time.FixedZone("", 60))
			}
		default:
			row := everything{Stream: record.Stream, Number: number, Text: strings.Repeat("x", chance.IntN(50)), Float: float64(number) / 7}
			if chance.IntN(2) == 0 {
				row.Bool, row.Open, row.Bytes, row.Raw, row.List = true, "yes\x00", []byte{0, 255}, json.RawMessage(`{"b":1,"a":null}`), []string{"a", "ü"}
			}
			all.Insert(tx, row)
		}
	}
	return nil
}

// Both engines keep the same rows, whether the log is applied at once or bit by bit.
func TestEnginesAgree(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	log := newLog(t)
	read := func(store *readmodel.Store) (found []everything) {
		require.NoError(t, store.Read(t.Context(), func(q *readmodel.Query) (err error) {
			found, err = readmodel.Select(q, all, "WHERE number >= ? AND text <> '?' ORDER BY stream, number", 0)
			return err
		}))
		return found
	}
	url := pgtest.Database(t)
	file, schema := open(t, t.TempDir(), log, mixed{seed}), open(t, url, log, mixed{seed})
	for range 8 {
		grow(t, log, 60)
		require.NoError(t, file.CatchUp(t.Context()))
		require.NoError(t, schema.CatchUp(t.Context()))
		require.Equal(t, read(file), read(schema))
	}
	atOnce := open(t, pgtest.Database(t), log, mixed{seed})
	require.NoError(t, atOnce.CatchUp(t.Context()))
	require.NotEmpty(t, read(file))
	require.Equal(t, read(file), read(atOnce))

	// And what is kept is what is built anew, until somebody changes it past the log.
	same := compare(t, log, url, mixed{seed})
	require.True(t, same.Same, same)
	require.Greater(t, same.Rows, int64(len(read(file))))
	pgtest.Exec(t, url, "UPDATE "+strings.TrimPrefix(schema.Path(), "schema ")+".everything SET float = 0.25, at = NULL WHERE number < 100")
	changed := compare(t, log, url, mixed{seed})
	require.Len(t, changed.Differ, 1)
	require.Equal(t, "everything", changed.Differ[0].Table)
	require.Contains(t, changed.Differ[0].Columns, "float")
}

// One process applies for all; when its session ends another takes over, and nothing is applied twice.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	log, url := newLog(t), pgtest.Database(t)
	one, two := open(t, url, log), open(t, url, log)
	require.NoError(t, one.WaitFor(t.Context(), grow(t, log, 50)))
	require.NoError(t, two.WaitFor(t.Context(), one.Position()))
	require.NoError(t, two.WaitFor(t.Context(), grow(t, log, 50)), "one is idle, and keeps nobody from it")
	stop := run(t, one)
	require.NoError(t, one.WaitFor(t.Context(), grow(t, log, 50)))
	run(t, two)
	require.NoError(t, two.WaitFor(t.Context(), grow(t, log, 50)), "what another applied")
	require.NoError(t, stop())
	require.NoError(t, one.Close())
	require.NoError(t, two.WaitFor(t.Context(), grow(t, log, 50)))
	require.Equal(t, fold(t, log), rows(t, two))
}

// A server that goes away and comes back costs time, not a restart, whatever was under way.
func TestServerComesBack(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	log := newLog(t)
	store := open(t, server.Database(t), log)
	stop := run(t, store)
	require.NoError(t, store.WaitFor(t.Context(), grow(t, log, 50)))
	server.Stop(t, "immediate")
	head := grow(t, log, 50)
	server.Restart(t)
	// A waiting caller may be told that the server is not there yet; and it may be that the views have to be built anew.
	require.Eventually(t, func() bool { return store.WaitFor(t.Context(), head) == nil }, time.Minute, 10*time.Millisecond)
	require.Equal(t, fold(t, log), rows(t, store))
	server.Exec(t, "postgres", "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'kintsugi views'")
	require.NoError(t, store.WaitFor(t.Context(), grow(t, log, 50)))
	require.NoError(t, stop())
	require.Equal(t, fold(t, log), rows(t, store))
}

// A server that cannot be used is refused at once, with what to do, and without the password of the address.
func TestPostgresRefuses(t *testing.T) {
	t.Parallel()
	server := pgtest.Shared(t)
	refused := func(url string) string {
		t.Helper()
		config := readmodel.Config{Database: url, Log: newLog(t), Projections: []readmodel.Projection{tally{}}}
		_, err := readmodel.Open(t.Context(), config)
		require.Error(t, err)
		require.NotContains(t, err.Error(), "s3cret")
		return err.Error()
	}
	require.Contains(t, refused("postgres://s3cret@[::"), "is to be like postgres://")
	require.Contains(t, refused(server.Pooler(t).URL(server.Database(t))), "name the server itself in --views")

	url := server.Database(t)
	role := "nobody_" + url[strings.LastIndex(url, "_")+1:strings.Index(url, "?")]
	pgtest.Exec(t, url, "CREATE ROLE "+role+" LOGIN")
	require.Contains(t, refused(strings.Replace(url, "postgres@", role+":s3cret@", 1)), "GRANT CREATE ON DATABASE")
	require.Contains(t, refused(strings.Replace(url, "/test_", "/absent_", 1)), "CREATE DATABASE")
}
