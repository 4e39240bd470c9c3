package pglog_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/eventlog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/eventlogtest"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

func requireRefused(t testing.TB, url string, reasons ...string) {
	t.Helper()
	log, err := pglog.Open(t.Context(), url, pglog.Options{})
	if err == nil {
		require.NoError(t, log.Close())
		require.Failf(t, "opened", "want a refusal for %v", reasons)
	}
	for _, reason := range reasons {
		require.ErrorContains(t, err, reason)
	}
}

// TestRefusesSettings: a server, database, role or address whose settings would lose acknowledged events is refused,
// with the setting and what to do.
func TestRefusesSettings(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	url := server.Database(t)
	require.NoError(t, open(t, url).Close())
	for setting, value := range map[string]string{"fsync": "off", "full_page_writes": "off", "synchronous_commit": "off"} {
		server.Exec(t, "postgres", fmt.Sprintf("ALTER SYSTEM SET %s = %s", setting, value))
		server.Exec(t, "postgres", "SELECT pg_reload_conf()")
		// A new connection may be a little faster than the new settings.
		require.Eventually(t, func() bool {
			log, err := pglog.Open(t.Context(), url, pglog.Options{})
			if err == nil {
				return log.Close() != nil
			}
			return strings.Contains(err.Error(), setting+" is off") && strings.Contains(err.Error(), "on")
		}, time.Minute, 10*time.Millisecond, setting)
		server.Exec(t, "postgres", "ALTER SYSTEM RESET ALL")
		server.Exec(t, "postgres", "SELECT pg_reload_conf()")
		require.Eventually(t, func() bool {
			log, err := pglog.Open(t.Context(), url, pglog.Options{})
			return err == nil && log.Close() == nil
		}, time.Minute, 10*time.Millisecond)
	}

	requireRefused(t, url+"&synchronous_commit=off", "synchronous_commit is off", "ALTER ROLE")
	requireRefused(t, url+"&default_transaction_read_only=on", "default_transaction_read_only is on")
	server.Exec(t, "postgres", "CREATE ROLE hasty SUPERUSER LOGIN; ALTER ROLE hasty SET synchronous_commit = off")
	requireRefused(t, strings.Replace(url, "postgres@", "hasty@", 1), "synchronous_commit is off")
	pgtest.Exec(t, url, "ALTER DATABASE "+databaseOf(url)+" SET synchronous_commit = off")
	requireRefused(t, url, "synchronous_commit is off")

	server.Exec(t, "postgres", "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1'")
	requireRefused(t, server.URL("latin"), "LATIN1", "UTF8")
}

// databaseOf gives the name of the database in an address.
func databaseOf(url string) string {
	name, _, _ := strings.Cut(url[strings.LastIndex(url, "/")+1:], "?")
	return name
}

// TestSettingsChangedLater: a setting that would lose acknowledged events, made after the log was opened, does not
// reach its appends.
func TestSettingsChangedLater(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	log := open(t, url)
	require.NoError(t, log.Close())
	conn := pgtest.Connect(t, url)
	for value, want := range map[string]string{"off": "on", "local": "on", "remote_apply": "remote_apply", "on": "on"} {
		tx, err := conn.Begin(t.Context())
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "SET synchronous_commit = "+value)
		require.NoError(t, err)
		_, err = tx.Exec(t.Context(), "SELECT kintsugi.append_one('a', -1, gen_random_uuid(), 'Tested', 1, '', '')")
		require.NoError(t, err)
		var got string
		require.NoError(t, tx.QueryRow(t.Context(), "SHOW synchronous_commit").Scan(&got))
		require.Equalf(t, want, got, "set to %s", value)
		require.NoError(t, tx.Rollback(t.Context()))
	}
}

// TestRefusesNewerTables: a program that does not know the tables leaves them alone.
func TestRefusesNewerTables(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	require.NoError(t, open(t, url).Close())
	pgtest.Exec(t, url, "INSERT INTO kintsugi.goose_db_version (version_id, is_applied) VALUES (999, true)")
	requireRefused(t, url, "version 999", "upgrade")
}

// TestRefusesAddresses: a malformed address is refused at once, one where nobody answers is unavailable, and no error
// shows a password.
func TestRefusesAddresses(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"postgres://u:hunter2@127.0.0.1:port/db", "postgres://u:hunter2@[::1/db", "this is no address hunter2"} {
		_, err := pglog.Open(t.Context(), url, pglog.Options{})
		require.ErrorContains(t, err, "not understood")
		require.NotContains(t, err.Error(), "hunter2")
	}
	_, err := pglog.Open(t.Context(), "postgres://u:hunter2@127.0.0.1:1/db", pglog.Impatient(100*time.Millisecond, time.Second))
	require.ErrorIs(t, err, eventlog.ErrUnavailable)
	require.NotContains(t, err.Error(), "hunter2")
}

// TestRights: a role that may not make the schema is told what it needs; one that was given the schema needs no more.
func TestRights(t *testing.T) {
	t.Parallel()
	server := pgtest.Shared(t)
	url := server.Database(t)
	name := databaseOf(url)
	role := "role_of_" + name
	server.Exec(t, "postgres", "CREATE ROLE "+role+" LOGIN")
	asRole := strings.Replace(url, "postgres@", role+"@", 1)
	requireRefused(t, asRole, "permission denied", "GRANT CREATE ON DATABASE")
	pgtest.Exec(t, url, "CREATE SCHEMA kintsugi AUTHORIZATION "+role)
	log := open(t, asRole)
	mustAppend(t, log, "a", -1, 1)
	eventlogtest.RequireSound(t, log)
	_, err := log.Lag(t.Context())
	require.NoError(t, err)
}

// TestConcurrentStarters: processes that open a new log at the same time make it once.
func TestConcurrentStarters(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	const starters = 8
	failures := make([]error, starters)
	var group sync.WaitGroup
	for i := range starters {
		group.Go(func() {
			log, err := pglog.Open(t.Context(), url, pglog.Options{})
			if err == nil {
				_, err = log.Append(t.Context(), fmt.Sprintf("s%d", i), eventlog.NoStream{}, newEvents(3))
				_ = log.Close()
			}
			failures[i] = err
		})
	}
	group.Wait()
	for _, err := range failures {
		require.NoError(t, err)
	}
	log := open(t, url)
	eventlogtest.RequireSound(t, log)
	require.Len(t, idsAfter(t, log, eventlog.Start), 3*starters)
	var incarnations int
	require.NoError(t, pgtest.Connect(t, url).QueryRow(t.Context(), "SELECT count(*) FROM kintsugi.incarnation").Scan(&incarnations))
	require.Equal(t, 1, incarnations)
}

// TestSocket: the log is reached over the socket of the server's machine too, by keywords as well as by a URL.
func TestSocket(t *testing.T) {
	t.Parallel()
	server := pgtest.Shared(t)
	name := databaseOf(server.Database(t))
	log := open(t, fmt.Sprintf("postgres://postgres@/%s?host=%s&port=%d", name, server.Dir(), server.Port()))
	mustAppend(t, log, "a", -1, 2)
	again := open(t, fmt.Sprintf("host=%s port=%d user=postgres dbname=%s", server.Dir(), server.Port(), name))
	mustAppend(t, again, "a", 1, 1)
	eventlogtest.RequireSound(t, again)
}

// TestRoleSettings: a role's settings for other programs do not disturb the log.
func TestRoleSettings(t *testing.T) {
	t.Parallel()
	server := pgtest.Shared(t)
	url := server.Database(t)
	role := "other_" + databaseOf(url)
	server.Exec(t, "postgres", fmt.Sprintf(`CREATE ROLE %[1]s SUPERUSER LOGIN; ALTER ROLE %[1]s SET client_encoding = 'LATIN1';
		ALTER ROLE %[1]s SET default_transaction_isolation = 'serializable'; ALTER ROLE %[1]s SET search_path = 'nowhere';
		ALTER ROLE %[1]s SET bytea_output = 'escape'; ALTER ROLE %[1]s SET "DateStyle" = 'German'; ALTER ROLE %[1]s SET "TimeZone" = 'Asia/Tokyo'`, role))
	log := open(t, strings.Replace(url, "postgres@", role+"@", 1))
	events := newEvents(1)
	events[0].Type = "Übersetzt→"
	appended, err := log.Append(t.Context(), "straße", eventlog.NoStream{}, events)
	require.NoError(t, err)
	again, err := log.Append(t.Context(), "straße", eventlog.NoStream{}, events)
	require.NoError(t, err)
	appended.Repeated = true
	require.Equal(t, appended, again)
	for record, err := range log.All(t.Context(), eventlog.Start, eventlog.Filter{StreamPrefixes: []string{"straß"}, Types: []string{"Übersetzt→"}}) {
		require.NoError(t, err)
		require.WithinRange(t, record.RecordedAt, time.Now().Add(-time.Hour), time.Now().Add(time.Hour))
	}
	eventlogtest.RequireSound(t, log)
	stored := 0
	for record, err := range open(t, url).Stream(t.Context(), "straße", 0) { // as another role reads it
		require.NoError(t, err)
		require.Equal(t, "Übersetzt→", record.Type)
		stored++
	}
	require.Equal(t, 1, stored)
}
