package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// On PostgreSQL everything works as in a directory: from the first command on, after a move there,
// and after one back.
func TestPostgres(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := pgtest.Start(t)
	url := server.Database(t)
	on := func(args ...string) []string { return append([]string{"--store", url}, args...) }
	h.succeed("Orders")
	require.Contains(t, h.ok("store", "copy", "--to", url), "are the same")
	before := h.objects("run", "list")
	require.Equal(t, before, h.objects(on("run", "list")...), "the views went along")

	p := h.dev(on()...)
	require.Contains(t, p.err.String(), "with the event log in PostgreSQL, postgres://postgres@127.0.0.1:")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	require.Contains(t, h.ok(on("workflow", "run", "--repair", "Orders", "--input", day(5))...), "succeeded on version 1.1")
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait(), p.err.String())
	require.Contains(t, h.ok(on("workflow", "run", "--repair", "Orders", "--input", day(6))...), "succeeded on version 1.1", "without a server")
	require.Equal(t, before, h.objects("run", "list"), "the directory's own log stayed, and its views")

	back := h.at(filepath.Join(t.TempDir(), "back"))
	h.ok(on("store", "copy", "--to", back.dir)...)
	require.Equal(t, h.objects(on("run", "list")...), back.objects("run", "list"))
	require.Equal(t, h.told("Orders", "--store", url), back.told("Orders"))
	newest := back.object("store", "info")["newest"].(map[string]any)
	number, err := strconv.ParseInt(newest["position"].(string), 10, 64)
	require.NoError(t, err)
	there := h.object(on("store", "info")...)["newest"].(map[string]any)
	require.NotEqual(t, newest["position"], there["position"])
	require.Equal(t, strconv.FormatInt(number, 10)+"\n", h.ok(on("store", "position", there["position"].(string), "--to", back.dir)...))

	// A history that went another way, there and here.
	require.Contains(t, h.ends(terminal.ExitConflict, "store", "copy", "--to", url).err, "and the source ends before it")

	// An event that somebody deleted past the guards is damage: told with its place, also to machines.
	pgtest.Exec(t, url, "ALTER TABLE kintsugi.event DISABLE TRIGGER refuse_change")
	stream := "run-" + before[0]["id"].(string)
	pgtest.Exec(t, url, "DELETE FROM kintsugi.event WHERE revision = 2 AND stream = '"+stream+"'")
	found := decodeAs[app.Verified](t, h.ends(terminal.ExitBroken, on("verify", "-o", "json")...).out)
	require.Equal(t, "store", found.Broken.Differs)
	require.Equal(t, stream, found.Broken.Stream)
	require.Equal(t, int64(2), found.Broken.Revision)

	// Mistakes in an address are named, without its password.
	host, _, _ := strings.Cut(strings.TrimPrefix(url, "postgres://postgres@"), "?")
	address, database, _ := strings.Cut(host, "/")
	hba := filepath.Join(server.Data(), "pg_hba.conf")
	rules, err := os.ReadFile(hba)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(hba, append([]byte("host all ann 127.0.0.1/32 scram-sha-256\n"), rules...), 0o600))
	server.Exec(t, "postgres", "CREATE ROLE ann LOGIN PASSWORD 'right'")
	server.Exec(t, "postgres", "SELECT pg_reload_conf()")
	for at, says := range map[string]string{
		"postgres://ann:s3cret@" + address + "/" + database + "?sslmode=disable": "password authentication failed",
		"postgres://postgres:s3cret@" + address + "/nowhere?sslmode=disable":     `database "nowhere" does not exist`,
		"esdb://ann:s3cret@127.0.0.1:1?tsl=false":                                `has the setting "tsl"`,
	} {
		for _, args := range [][]string{{"workflow", "list", "--store", at}, {"store", "copy", "--to", at}, {"store", "copy", "--from", at, "--to", t.TempDir()}, {"dev", "--store", at}} {
			r := h.ends(terminal.ExitFailure, args...)
			require.Contains(t, r.err, says)
			require.NotContains(t, r.err, "s3cret")
		}
	}
}

// A server that is started while its database is away says so once, waits, and serves when it is there; one that runs goes on, too.
func TestAServerWaitsForItsDatabase(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := pgtest.Start(t)
	url := server.Database(t)
	h.ok("workflow", "create", "Orders", "--script", h.file("one.js", "function main() { return 1 }"), "--store", url)
	server.Stop(t, "fast")
	require.Contains(t, h.ends(terminal.ExitFailure, "workflow", "list", "--store", url).err, "cannot be reached")
	p, given := h.start("dev", "--store", url), h.at(filepath.Join(t.TempDir(), "given")).start("dev", "--store", url)
	const waits = "Kintsugi waits for what it stores in, and serves once that can be reached. Stop with Ctrl-C."
	given.says(waits)
	given.interrupt()
	require.Equal(t, terminal.ExitOK, given.wait(), given.err.String())
	p.says(waits)
	server.Restart(t)
	p.says("Kintsugi serves")
	server.Stop(t, "immediate")
	p.says("cannot be reached, trying again")
	server.Restart(t)
	require.Contains(t, h.ok("workflow", "run", "Orders", "--store", url), "succeeded")
	require.Equal(t, 1, strings.Count(p.err.String(), waits))
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait(), p.err.String())
}
