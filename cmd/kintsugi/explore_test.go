package main

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
)

// Before a change goes live it can be looked at: what it would do now, and what it would have
// made of the past. Nothing is sent and nothing stored.
func TestDryRunAndWhatIf(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Empty", "function main() { return 1 }")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "dry-run", "Empty", "--reads", "recorded").err, "nothing is recorded")
	h.succeed("Orders")
	sent := len(h.outside.requests("POST /done"))
	events := h.ok("history", "Orders", "--all")

	same := h.ok("workflow", "dry-run", "Orders", "--reads", "recorded")
	require.Contains(t, same, "The same as run")
	require.Regexp(t, `web\.postJSON \["http://127\.0\.0\.1:\d+/done",`, same)
	shorter := h.file("new.js", h.outside.local(`async function main(input) { return "nothing"; }`))
	changed := h.ok("workflow", "dry-run", "Orders", "--script", shorter)
	require.Contains(t, changed, "Writes that it would make, and did not: 0")
	require.Contains(t, changed, "\n-web.postJSON")
	require.Contains(t, changed, "\n+returned: \"nothing\"")
	fails := h.ends(terminal.ExitRunFailed, "workflow", "dry-run", "Orders", "--script", h.file("bad.js", `function main() { null.x }`))
	require.Contains(t, fails.out, "It would fail. TypeError (logic)")
	looks := h.file("looks.js", h.outside.local(`async function main() { return (await web.postJSON("BASE/done", {})).id; }`))
	require.Contains(t, h.ok("workflow", "dry-run", "Orders", "--script", looks), "assumed: that web.postJSON POST "+h.outside.host()+"/done is answered as in")
	reads := h.file("reads.js", h.outside.local(`async function main() { return (await web.getJSON("BASE/other")).id; }`))
	unknown := h.ends(terminal.ExitNotFound, "workflow", "dry-run", "Orders", "--reads", "recorded", "--script", reads)
	require.Contains(t, unknown.out, "It cannot be told how it ends.")
	require.True(t, strings.HasSuffix(unknown.out, "\n"))

	what := h.object("workflow", "what-if", "Orders", "--script", shorter)
	require.Len(t, what["different"], int(what["replayed"].(float64)))
	require.NotZero(t, what["replayed"])
	require.Contains(t, h.ok("workflow", "what-if", "Orders", "--script", shorter), "(succeeded)  output ")
	for _, bad := range []string{"yesterday", "7", "0d", "-3h", "1.5d", "d"} {
		require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "what-if", "Orders", "--script", shorter, "--since", bad).err, "is not a time span")
	}
	require.Len(t, h.outside.requests("POST /done"), sent)
	require.Equal(t, events, h.ok("history", "Orders", "--all"))
}

// A fork does nothing again that the forked run did before the call.
func TestForkFromTheCommandLine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	run := h.objects("run", "list", "--workflow", "Orders")[0]["id"].(string)
	var calls []any
	require.NoError(t, json.Unmarshal([]byte(h.ok("run", "show", run, "-o", "json")), &struct {
		Calls *[]any `json:"calls"`
	}{&calls}))
	started, done := len(h.outside.requests("POST /started")), len(h.outside.requests("POST /done"))
	forked := h.ok("run", "fork", run, "--from-call", "3")
	require.Contains(t, forked, "succeeded")
	require.Len(t, h.outside.requests("POST /started"), started)
	require.Len(t, h.outside.requests("POST /done"), done+1)
	require.Equal(t, "fork", h.objects("run", "list", "--limit", "1")[0]["trigger"])
	for says, args := range map[string][]string{
		"made": {"--from-call", "99"}, "--result is not JSON": {"--from-call", "1", "--result", "{"}, "counted from 1": {"--from-call", "0"}, "required flag": {}, "none of the others can be": {"--from-call", "2", "--result", "1", "--input", "1"},
	} {
		require.Contains(t, h.ends(terminal.ExitUsage, append([]string{"run", "fork", run}, args...)...).err, says)
	}
}

// A script's question stands among the notifications until it is answered.
func TestQuestionIsAnswered(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", `async function main() { return await ask("Which size?", { options: ["S", "M"] }); }`)
	asked := h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Orders")
	require.Contains(t, asked.out, "It asks you something")
	require.Contains(t, h.ends(terminal.ExitConflict, "workflow", "run", "--repair", "Orders").err, "waits for you, and stands still")
	note := h.objects("notification", "list")[0]["id"].(string)
	require.Contains(t, h.ok("notification", "list"), "notification answer "+note)
	require.Contains(t, h.ends(terminal.ExitUsage, "notification", "answer", note, "XL").err, "none of the answers")
	require.Equal(t, "question", h.object("notification", "answer", note, "M")["type"])
	require.Contains(t, h.ends(terminal.ExitConflict, "notification", "answer", note, "M").err, "waits for no answer")
	h.dev()
	require.Equal(t, "M", h.status("succeeded")["output"])
}

// Where several runs may go on at once, one beside a run that stands still comes to its own end, with a
// server and without.
func TestARunBesideAStandingOneComesToItsEnd(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", `async function main(input) { if (input.asks) { await ask("Which size?"); } return "done"; }`)
	h.ok("workflow", "settings", "Orders", "--max-active", "2")
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Orders", "--input", `{"asks":true}`)
	require.Contains(t, h.ok("workflow", "run", "--repair", "Orders", "--input", `{}`), "done")
	h.dev()
	require.Contains(t, h.ok("workflow", "run", "--repair", "Orders", "--input", `{}`), "done")
}

// An answer is to the question that it was given to: once that is answered, it answers no later one of
// the run. A number chooses one of the answers, as they are shown.
func TestAnAnswerIsToItsQuestion(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Orders", `async function main() { return [await ask("Which size?\nIt is printed.", { options: ["S", "M"] }), await ask("Which colour?")]; }`)
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Orders")
	first := h.objects("notification", "list")[0]
	require.Equal(t, "It is printed.", first["text"])
	h.ok("notification", "answer", first["id"].(string), "2")
	h.dev()
	var second map[string]any
	require.Eventually(t, func() bool {
		open := h.objects("notification", "list", "--type", "question")
		if len(open) == 1 {
			second = open[0]
		}
		return len(open) == 1 && second["id"] != first["id"]
	}, patience, 100*time.Millisecond)
	require.Contains(t, h.ends(terminal.ExitConflict, "notification", "answer", first["id"].(string), "M").err, "asks something else now")
	h.ok("notification", "answer", second["id"].(string), "2")
	require.Equal(t, []any{"M", "2"}, h.status("succeeded")["output"])
}
