package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/app"
	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/eventlog/pglog/pgtest"
)

// On PostgreSQL a secret that is set on one node is there on every other, and a workflow that waits
// for it goes on wherever that is seen.
func TestSecretsAreSharedByNodes(t *testing.T) {
	t.Parallel()
	const wrong, canary = "wrong-token-11ab", "canary-token-55cd"
	first := newHome(t)
	first.store = pgtest.Start(t).Database(t)
	second := &home{t: t, dir: filepath.Join(t.TempDir(), "second"), outside: first.outside, store: first.store}
	set := func(h *home, value string) result {
		return h.runWith(value, "secret", "set", "SHOP", "--workflow", "Orders", "--host", first.outside.host())
	}
	first.outside.answer("/me", 401, `{}`)
	first.create("Orders", `async function main() { return web.getJSON("BASE/me", { headers: { authorization: secret("SHOP") } }); }`)
	require.Equal(t, terminal.ExitOK, set(first, wrong).code)

	p := second.start("serve", "--node-id", "second")
	p.says("Stop with Ctrl-C")
	second.ok("workflow", "run", "--repair", "Orders", "--detach")
	require.Eventually(t, func() bool { return first.object("workflow", "show", "Orders")["status"] == "waiting" }, patience, 50*time.Millisecond)
	first.outside.answer("/me", 200, `{}`)
	require.Contains(t, set(first, canary).out, "waited for it and is active again")
	second.ok("workflow", "run", "--repair", "Orders", "--detach")
	require.Eventually(t, func() bool { return len(second.objects("run", "list", "--status", "succeeded")) == 1 }, patience, 50*time.Millisecond)
	p.interrupt()
	require.Equal(t, terminal.ExitOK, p.wait(), p.err.String())
	require.Equal(t, []string{wrong, canary}, first.outside.authorizations("GET /me"))
	require.NoFileExists(t, filepath.Join(first.dir, app.StateFile))

	require.Len(t, second.objects("secret", "list"), 1)
	second.ok("secret", "remove", "SHOP", "--workflow", "Orders")
	require.Empty(t, first.objects("secret", "list"))

	// A place of their own, for a log that keeps events only.
	elsewhere := newHome(t)
	other := t.TempDir()
	elsewhere.ok("workflow", "create", "W", "--id", "w")
	require.Equal(t, terminal.ExitOK, elsewhere.runWith("x", "secret", "set", "S", "--all", "--host", "h", "--state", first.store).code)
	require.Len(t, first.objects("secret", "list"), 1)
	require.Empty(t, elsewhere.objects("secret", "list"))
	require.Equal(t, terminal.ExitOK, elsewhere.runWith("x", "secret", "set", "S", "--all", "--host", "h", "--state", other).code)
	require.FileExists(t, filepath.Join(other, app.StateFile))
	r := elsewhere.ends(terminal.ExitUsage, "secret", "list", "--state", "esdb://ann:s3cret@127.0.0.1:1")
	require.Contains(t, r.err, "EventStoreDB keeps events only")
	require.NotContains(t, r.err, "s3cret")
}
