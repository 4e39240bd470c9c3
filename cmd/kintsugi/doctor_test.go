package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// examined runs the doctor, and gives its checks by name.
func (h *home) examined(code int, args ...string) map[string]app.Check {
	h.t.Helper()
	told := h.ends(code, append([]string{"doctor", "--json"}, args...)...)
	found := map[string]app.Check{}
	for _, one := range decodeAs[[]app.Check](h.t, told.out) {
		require.NotEmpty(h.t, one.Seen, one.Name)
		require.Equal(h.t, one.Status == app.CheckOK, one.Do == "", "%s: what is wrong has an advice, and only that", one.Name)
		found[one.Name] = one
	}
	return found
}

// An installation that works is said to work, without a server, and the doctor leaves no event.
func TestDoctorOfAHealthyInstallation(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.mend("Orders")
	h.ok("secret", "set", "TOKEN", "--all", "--host", "api.example.test", "--file", h.file("token", "0123456789abcdef"))
	before := h.object("store", "info")["newest"]
	checks := h.examined(terminal.ExitOK)
	for _, name := range []string{"directory", "disk", "store", "open", "writable", "chain", "clock", "views", "quarantine", "secrets", "leases", "runs", "subscriptions"} {
		require.Equal(t, app.CheckOK, checks[name].Status, "%s: %s", name, checks[name].Seen)
	}
	require.Equal(t, app.CheckWarn, checks["server"].Status, "nothing is scheduled without one")
	require.Equal(t, app.CheckWarn, checks["model"].Status, "none is configured")
	require.Equal(t, before, h.object("store", "info")["newest"])
	require.Contains(t, h.ok("doctor"), "→ Start 'kintsugi dev'")
}

// With the log in PostgreSQL the clock is compared with the server's, the views are asked there, and a server that takes
// nothing is found.
func TestDoctorOnPostgres(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.store = pgtest.Database(t)
	h.create("Orders", "function main() { return 1 }")
	h.ok("workflow", "run", "--repair", "Orders")
	checks := h.examined(terminal.ExitOK)
	require.Contains(t, checks["clock"].Seen, "the store's")
	require.Contains(t, checks["views"].Seen, "0 events behind")
	require.Equal(t, app.CheckOK, checks["writable"].Status)
	pgtest.Exec(t, h.store, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`)
	checks = h.examined(terminal.ExitFailure)
	require.True(t, checks["store"].Status == app.CheckFail || checks["open"].Status == app.CheckFail || checks["writable"].Status == app.CheckFail, "%v", checks)
}

// The doctor finds and names every part that is missing or not readable. It does not fail itself, and makes nothing.
func TestDoctorOfWhatIsMissingOrDamaged(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	checks := h.examined(terminal.ExitFailure)
	require.Equal(t, app.CheckFail, checks["directory"].Status)
	require.Equal(t, app.CheckFail, checks["store"].Status)
	require.NoDirExists(t, h.dir)

	h.create("Orders", "function main() { return 1 }")
	require.NoError(t, os.Truncate(filepath.Join(h.dir, app.LogFile), 0))
	checks = h.examined(terminal.ExitFailure)
	require.Equal(t, app.CheckFail, checks["store"].Status)
	require.Contains(t, checks["store"].Do, "backup")

	require.NoError(t, os.WriteFile(filepath.Join(h.dir, app.LogFile), []byte("this is no database, whatever its name says, and long enough to be read as one"), 0o600))
	require.Equal(t, app.CheckFail, h.examined(terminal.ExitFailure)["store"].Status)

	away := newHome(t)
	away.store = "postgres://kintsugi:hidden-password@127.0.0.1:1/kintsugi"
	require.NoError(t, os.MkdirAll(away.dir, 0o700))
	checks = away.examined(terminal.ExitFailure)
	require.Equal(t, app.CheckFail, checks["store"].Status)
	require.NotContains(t, checks["store"].Seen, "hidden-password")
}

// Each of these breaks one thing, and the doctor names that.
func TestDoctorFindsTheTrouble(t *testing.T) {
	t.Parallel()
	t.Run("another key of the secrets", func(t *testing.T) {
		t.Parallel()
		h := newHome(t)
		h.create("Orders", "function main() { return 1 }")
		h.ok("secret", "set", "TOKEN", "--all", "--host", "api.example.test", "--file", h.file("token", "0123456789abcdef"))
		asked := h.command("doctor", "--json")
		asked.Env = append(asked.Env, app.SecretKeyEnv+"=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
		told, err := asked.Output()
		require.Error(t, err)
		for _, one := range decodeAs[[]app.Check](t, string(told)) {
			require.Equal(t, one.Name == "secrets", one.Status == app.CheckFail, "%s: %s", one.Name, one.Seen)
		}
	})
	t.Run("a write in doubt, and a mode that others can read", func(t *testing.T) {
		t.Parallel()
		h := newHome(t)
		h.ok("workflow", "create", "Post", "--script", h.file("s.js", h.outside.local(`async function main() { await web.postJSON('BASE/charge', {}) }`)), "--allow-host", h.outside.host())
		h.outside.answer("/charge", 500, `{}`)
		h.run("workflow", "run", "--repair", "Post")
		require.NoError(t, os.Chmod(h.dir, 0o755))
		checks := h.examined(terminal.ExitOK)
		require.Equal(t, app.CheckWarn, checks["runs"].Status, checks["runs"].Seen)
		require.Equal(t, app.CheckWarn, checks["directory"].Status)
	})
	t.Run("a model without a key", func(t *testing.T) {
		t.Parallel()
		h := newHome(t)
		h.create("Orders", "function main() { return 1 }")
		require.Equal(t, app.CheckFail, h.examined(terminal.ExitFailure, "--model", "gpt-5-mini")["model"].Status)
		online := h.examined(terminal.ExitFailure, "--model", "m", "--llm-base-url", "http://127.0.0.1:1/v1", "--online")
		require.Equal(t, app.CheckFail, online["model"].Status)
	})
}
