package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// lateInvoices reaches a private host, signs in twice, needs an input and looks at the answer of its write.
const lateInvoices = `
export default async function main(input: {days: number}) {
  const r = await fetch('BASE/invoices', {headers: {authorization: 'Bearer ' + secret('BILLING_TOKEN')}});
  if (!r.ok) throw new Error('billing ' + r.status);
  const late = (await r.json()).items.filter(one => one.days > input.days);
  const told = await fetch('BASE/chat', {method: 'POST', headers: {'x-key': process.env.CHAT_KEY}, body: late.length + ' are late'});
  if (!told.ok) throw new Error('chat ' + told.status);
  return {late: late.length};
}`

// withLateInvoices is a home with a script and a file with one of its secrets.
func withLateInvoices(t *testing.T) (h *home, script string) {
	t.Helper()
	h = newHome(t)
	h.outside.answer("/invoices", 200, `{"items":[{"days":40},{"days":3}]}`)
	script = h.file("late-invoices.ts", h.outside.local(lateInvoices))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(script), ".env"), []byte("# of the chat\nexport CHAT_KEY=\"from a file\"\n"), 0o600))
	return h, script
}

func typed(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// Rule: from an empty directory questions alone lead to a workflow that runs at its times, and whose failures somebody is told.
func TestNew(t *testing.T) {
	t.Parallel()
	h, script := withLateInvoices(t)
	r := h.runWith(typed("", "Tell the team of late invoices", `{"days":30}`, "y", "token-1", "y", "61 7 * * *", "Europe/Berlin", "30 7 * * mon-fri", "Europe/Berlin",
		"every 15m", "exec:/bin/cat", "y", "y"), "new", script)
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.err, `It would succeed and return {"late":1}`)
	require.Contains(t, r.err, `the minute "61" is not a number`, "the first schedule was refused, and asked for again")
	require.Contains(t, r.err, `"every 15m" is no target`)
	require.Contains(t, r.err, `{"late":1}`)
	require.NotContains(t, r.err, "token-1")
	require.Equal(t, []string{"1 are late"}, h.outside.requests("POST /chat"), "the trial sent nothing, the run once")
	require.Contains(t, h.outside.authorizations("GET /invoices"), "Bearer token-1")

	shown := h.object("workflow", "show", "Late invoices")
	require.Equal(t, "active", shown["status"])
	require.Equal(t, "30 7 * * mon-fri", shown["schedule"])
	require.Equal(t, "Tell the team of late invoices", shown["intent"])
	subscriptions := h.objects("subscription", "list")
	require.Len(t, subscriptions, 1)
	require.Equal(t, []any{shown["id"]}, subscriptions[0]["workflows"])
}

// Rule: flags answer all questions, and --yes asks none.
func TestNewByFlags(t *testing.T) {
	t.Parallel()
	h, script := withLateInvoices(t)
	keys := h.file("keys", "BILLING_TOKEN=token-2\nCHAT_KEY='other'\n")
	r := h.run("new", script, "--title", "Dunning", "--intent", "x", "--input", `{"days":1}`, "--allow-host", h.outside.host(), "--env-file", keys,
		"--schedule", "every 15m", "--zone", "Europe/Berlin", "--tell", "exec:/bin/cat", "--yes", "-o", "json")
	require.Zero(t, r.code, r.err)
	shown := decodeAs[map[string]any](t, r.out)
	require.Equal(t, "active", shown["status"])
	require.Equal(t, "Europe/Berlin", shown["schedule_zone"])
	require.Empty(t, h.outside.requests("POST /chat"))
}

// Rule: nothing runs before all questions are answered. A person who leaves keeps a draft, and the same command goes on with it.
func TestNewLeft(t *testing.T) {
	t.Parallel()
	h, script := withLateInvoices(t)
	r := h.runWith(typed("Late", "", `{"days":30}`, "y", "", "n", ""), "new", script)
	require.Equal(t, terminal.ExitUsage, r.code, "the answers ended")
	require.Contains(t, r.err, "standard input ended")
	require.Contains(t, r.err, "Late stays a draft")
	require.Equal(t, "draft", h.object("workflow", "show", "Late")["status"])
	require.Contains(t, h.ok("workflow", "show", "Late"), "The secret BILLING_TOKEN is not set")
	require.Empty(t, h.objects("run", "list"))

	r = h.runWith(typed("y", "token-3", "y", "", "", "n"), "new", script, "--title", "late", "--intent", "Tell the team", "--input", `{"days":2}`)
	require.Equal(t, terminal.ExitConflict, r.code, "it was not to be switched on: %s", r.err)
	r = h.run("new", script, "--title", "Late", "--yes")
	require.Zero(t, r.code, r.err)
	require.Equal(t, "active", h.object("workflow", "show", "Late")["status"])
	require.Len(t, h.objects("workflow", "list"), 1)
	require.Equal(t, "Tell the team", h.object("workflow", "show", "Late")["intent"], "flags count for a draft, too")
	h.ok("workflow", "run", "Late")
	require.Equal(t, []string{"2 are late"}, h.outside.requests("POST /chat"))
}

// inFolder carries a command out in a folder, in a process of its own.
func (h *home) inFolder(dir, in string, args ...string) result {
	h.t.Helper()
	command := h.command(args...)
	command.Dir, command.Stdin = dir, strings.NewReader(in)
	var out, errs strings.Builder
	command.Stdout, command.Stderr = &out, &errs
	err := command.Run()
	if failed, is := errors.AsType[*exec.ExitError](err); is {
		return result{failed.ExitCode(), out.String(), errs.String()}
	}
	require.NoError(h.t, err)
	return result{0, out.String(), errs.String()}
}

// Rule: an automation of the gallery asks a person's own services, and a change of them is mended by the runs that it came with,
// before it has succeeded here even once.
func TestNewFromTheGallery(t *testing.T) {
	t.Parallel()
	h, dir := newHome(t), t.TempDir()
	require.Contains(t, h.ok("new", "--list", "FROST"), "frost-alert")
	require.Contains(t, h.ends(terminal.ExitNotFound, "new", "--list", "no such thing").err, "no automation of the gallery")
	require.GreaterOrEqual(t, len(h.objects("new", "--list")), 40)
	require.Contains(t, h.ends(terminal.ExitNotFound, "new", "--from", "nothing").err, `the gallery has no "nothing"`)
	require.Contains(t, h.ends(terminal.ExitUsage, "new", "--from", "frost-alert", "--yes").err, "--service https://weather.example=https://…")
	require.Contains(t, h.ends(terminal.ExitUsage, "new", "--from", "frost-alert", "--service", "https://shop.example=https://x.org").err, "https://shop.example is none of the examples of frost-alert, which are https://weather.example")
	require.Contains(t, h.ends(terminal.ExitUsage, "new", "a.ts", "--from", "frost-alert").err, "name one file")

	// The service calls the temperature otherwise than in the recorded runs, from the first day on.
	h.outside.answer("/v1/forecast", 200, `{"timezone":"Europe/Berlin","hourly":{"time":["2026-03-01T00:00","2026-03-01T01:00"],"temperature_2m":[-0.5,3],"wind":[7,8]}}`)
	r := h.inFolder(dir, typed("ftp://x", h.outside.server.URL, "Frost", `{"limit":1}`, "y", "y", "", "Europe/Berlin", "", "y", "n"), "new", "--from", "frost-alert")
	require.Zero(t, r.code, r.err)
	require.Contains(t, r.err, `"ftp://x" is no address of a service`)
	shown := h.object("workflow", "show", "Frost")
	require.Equal(t, []any{"active", "0 18 * * *", "Warn me of frost tonight."}, []any{shown["status"], shown["schedule"], shown["intent"]})
	code, err := os.ReadFile(filepath.Join(dir, "frost-alert", "script.js"))
	require.NoError(t, err)
	require.Contains(t, string(code), h.outside.server.URL)
	require.NotContains(t, string(code), ".example")

	run := h.object("workflow", "run", "Frost", "--repair")
	require.Equal(t, "failed", run["run"].(map[string]any)["status"], "it met the change")
	require.Equal(t, "succeeded", run["final"].(map[string]any)["status"], run)
	require.Equal(t, "1.1", h.object("workflow", "show", "Frost")["version"])

	again := h.inFolder(dir, "", "new", "--from", "frost-alert", "--service", "https://weather.example=https://other.org", "--yes")
	require.Equal(t, terminal.ExitConflict, again.code)
	require.Contains(t, again.err, "is there already, with another text")
}

// Rule: a step that is refused says why, and ends with its own exit code.
func TestNewRefuses(t *testing.T) {
	t.Parallel()
	h, script := withLateInvoices(t)
	require.Contains(t, h.ends(terminal.ExitUsage, "new").err, "name one file")
	require.Contains(t, h.ends(terminal.ExitUsage, "new", "-").err, "name one file")
	require.Contains(t, h.ends(terminal.ExitUsage, "new", "nothing.ts").err, "no such file")
	require.Contains(t, h.ends(terminal.ExitUsage, "new", h.file("bad.ts", "export default function main( {")).err, "bad.ts: line 1")
	require.Contains(t, h.ends(terminal.ExitUsage, "new", script, "--env-file", "nothing").err, "cannot read nothing")

	failed := h.ends(terminal.ExitRunFailed, "new", script, "--title", "Dry", "--input", `{"days":1}`, "--yes")
	require.Contains(t, failed.err, "It would fail")
	require.Contains(t, failed.err, "kintsugi new "+script+" --title Dry")
	h.create("Taken", `async function main() { return 1 }`)
	require.Contains(t, h.ends(terminal.ExitConflict, "new", script, "--title", "taken", "--yes").err, `called "taken" already`)
}
