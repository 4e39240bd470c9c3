package handlers_test

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"github.com/kintsugi-run/kintsugi/domain"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/esdbapi"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/kurrentlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/logcopy"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/sqlitelog"
	"github.com/kintsugi-run/kintsugi/internal/readmodel"
	"github.com/kintsugi-run/kintsugi/projections"
)

// store is where a log is, and can be opened again.
type store func(t *testing.T) eventlog.Log

func inSQLite(t *testing.T) store {
	path := filepath.Join(t.TempDir(), "events.db")
	return func(t *testing.T) eventlog.Log {
		t.Helper()
		log, err := sqlitelog.Open(t.Context(), path, sqlitelog.Options{})
		require.NoError(t, err)
		return log
	}
}

func inPostgres(t *testing.T) store {
	url := pgtest.Start(t).Database(t)
	return func(t *testing.T) eventlog.Log {
		t.Helper()
		log, err := pglog.Open(t.Context(), url, pglog.Options{})
		require.NoError(t, err)
		return log
	}
}

// behindTheProtocol is a server of EventStoreDB's protocol: our own listener.
func behindTheProtocol(t *testing.T) store {
	served := inSQLite(t)(t)
	server, err := esdbapi.New(esdbapi.Config{Log: served, AllowAppend: true})
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
		require.NoError(t, served.Close())
	})
	return func(t *testing.T) eventlog.Log {
		t.Helper()
		log, err := kurrentlog.Open(t.Context(), "esdb://"+listener.Addr().String()+"?tls=false", kurrentlog.Options{})
		require.NoError(t, err)
		return log
	}
}

// live opens a life on a store.
func (w *world) live(t *testing.T, in store) *node {
	t.Helper()
	return w.open(func(unused eventlog.Log) eventlog.Log {
		require.NoError(t, unused.Close())
		return in(t)
	})
}

// move copies a store to another one.
func move(t *testing.T, from, to store) {
	t.Helper()
	reads, writes := from(t), to(t)
	result, err := logcopy.Copy(t.Context(), reads, writes, logcopy.Options{Chained: domain.OwnStream})
	require.NoError(t, err)
	require.Equal(t, result.Streams, result.Chained)
	require.NoError(t, reads.Close())
	require.NoError(t, writes.Close())
}

const retried = `async function main() {
  await web.postJSON('BASE/begin', {});
  await web.getJSON('BASE/flaky');
  await web.postJSON('BASE/end', {});
}`

const cutShort = `async function main() {
  await web.postJSON('BASE/first', {});
  await web.getJSON('BASE/slow');
  await web.postJSON('BASE/second', {});
}`

// A log is moved in the middle of things: a retry is waited for, a script is being mended, the journal of
// a run is unfinished. On the new store all of it goes on where it was, whatever the backends: what the
// outside sees is the same as without a move, nothing twice and nothing left out.
func TestMoveInTheMiddleOfThings(t *testing.T) {
	t.Parallel()
	for name, route := range map[string][3]func(*testing.T) store{
		"no move":                     {inSQLite, nil, nil},
		"to PostgreSQL and back":      {inSQLite, inPostgres, inSQLite},
		"to EventStoreDB and onwards": {inSQLite, behindTheProtocol, inSQLite},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			at := route[0](t)
			next := func(step int) *node {
				if route[step] != nil {
					to := route[step](t)
					move(t, at, to)
					at = to
				}
				return w.live(t, at)
			}

			n := w.live(t, at)
			waits := n.create(retried, workflow.Settings{})
			mended := n.create(orders, workflow.Settings{})
			cut := n.create(cutShort, workflow.Settings{})
			n.succeed(mended)
			n.reactions = n.reactions[:1] // retrier and maintainer do not come to it in this life
			n.outside.answer("/flaky", 503, `{}`)
			n.outside.answer("/orders", 200, ordersAs("total_amount", 11, 22))
			n.runs(waits, `{}`)
			n.runs(mended, `{"day":"2026-03-09"}`)
			require.Len(t, n.state(waits).Retries, 1)
			require.Equal(t, workflow.StatusMaintenance, n.state(mended).Status)
			ctx, kill := context.WithCancel(t.Context())
			killed, done := context.WithCancel(t.Context())
			defer done()
			n.outside.before = func(path string) {
				if path == "/slow" {
					kill()
					<-killed.Done() // else the answer may still be journaled
				}
			}
			n.admit(cut, `{}`)
			require.NoError(t, n.settle(ctx))
			done()
			require.Len(t, n.state(cut).Admitted, 1, "its run is unfinished")
			n.outside.before = nil
			require.NoError(t, n.views.CatchUp(t.Context()))
			n.close()

			n = next(1)
			n.reactions = n.reactions[:1]
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, 1, n.outside.count("POST /second"), "the unfinished run went on")
			require.Empty(t, n.state(cut).Admitted)
			require.Len(t, n.state(waits).Retries, 1)
			require.Equal(t, workflow.StatusMaintenance, n.state(mended).Status)
			n.sameAsAnew()
			n.close()

			n = next(2)
			n.outside.answer("/flaky", 200, `{}`)
			n.clock.advance(time.Minute)
			require.NoError(t, n.settle(t.Context()))
			require.Equal(t, wholeRepair, n.events(mended, workflow.TypeRunFailed))
			require.Equal(t, "1.1", n.state(mended).Active.String())
			for _, id := range []string{waits, mended, cut} {
				require.Equal(t, workflow.StatusActive, n.state(id).Status)
				require.Empty(t, n.state(id).Admitted)
				require.Empty(t, n.state(id).Retries)
			}
			for call, times := range map[string]int{
				"POST /begin": 1, "GET /flaky": 2, "POST /end": 1, "POST /first": 1, "GET /slow": 2, "POST /second": 1,
				"POST /started": 5, "POST /done": 5,
			} {
				require.Equal(t, times, n.outside.count(call), call)
			}
			require.NotContains(t, n.outside.keys, "")
			n.sameAsAnew()
			n.close()
		})
	}
}

// sameAsAnew requires that the views, which were moved along, are what they would be if they were built
// from this log.
func (n *node) sameAsAnew() {
	n.t.Helper()
	ctx := context.Background()
	require.NoError(n.t, n.views.CatchUp(ctx))
	anew, err := readmodel.Open(ctx, readmodel.Config{Dir: n.t.TempDir(), Log: n.log, Projections: projections.All(n.codec)})
	require.NoError(n.t, err)
	require.NoError(n.t, anew.CatchUp(ctx))
	want := content(n.t, anew.Path())
	require.NotEmpty(n.t, want["workflow"])
	require.NotEmpty(n.t, want["readmodel_checkpoint"])
	require.Equal(n.t, want, content(n.t, n.views.Path()))
	require.NoError(n.t, anew.Close())
}

// content is every row of every table of views.
func content(t testing.TB, path string) map[string][]string {
	t.Helper()
	conn, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	require.NoError(t, err)
	defer func() { require.NoError(t, conn.Close()) }()
	read := func(query string) (rows []string) {
		require.NoError(t, sqlitex.ExecuteTransient(conn, query, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
			var row []string
			for i := range stmt.ColumnCount() {
				row = append(row, stmt.ColumnText(i))
			}
			rows = append(rows, strings.Join(row, "|"))
			return nil
		}}))
		return rows
	}
	tables := map[string][]string{}
	for _, table := range read("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'") {
		tables[table] = read("SELECT * FROM " + table)
		slices.Sort(tables[table])
	}
	return tables
}
