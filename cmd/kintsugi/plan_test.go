package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// asks names a model to a command line.
func (h *home) asks(server *llmtest.Server, args ...string) []string {
	h.t.Helper()
	return append(args, "--model", llmtest.ModelName, "--llm-base-url", server.URL, "--llm-key-file", h.file("key", llmtest.Key))
}

const greeting = "async function main(input) { await notify('Hello', 'from here'); return { hello: true }; }"

// A person at a terminal answers the planner's question there, by the number of an option if they like; an input that
// ends leaves the question open.
func TestPlanAsksWhoSitsHere(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t,
		llmtest.Call("ask", map[string]any{"question": "When?", "options": []string{"mornings", "evenings"}}),
		llmtest.Call("ask", map[string]any{"question": "Which zone?"}),
		llmtest.Call("save", map[string]any{"code": greeting, "comment": "greets"}),
		llmtest.Text("It greets."),
	)
	sitting := func(types string, args ...string) result {
		var out, errs bytes.Buffer
		cli := terminal.New(strings.NewReader(types), &out, &errs)
		cli.Typed = true
		code := cli.Run(t.Context(), newRootCommand(cli), append([]string{"--data-dir", h.dir, "--store", h.store}, h.asks(server, args...)...))
		return result{code: code, out: out.String(), err: errs.String()}
	}
	left := sitting("\n2\n", "plan", "hello", "greet me", "--create")
	require.Equal(t, terminal.ExitEscalated, left.code, left.err)
	require.Contains(t, left.err, "? When?")
	require.Contains(t, left.out, "Which zone?")
	require.Contains(t, server.Request(1).Messages[3].Text, "evenings")
	done := sitting("Vienna\n", "plan", "hello")
	require.Equal(t, terminal.ExitOK, done.code, done.err)
	require.Contains(t, done.out, "Saved version 1.0.")
}

// A wish becomes a script: the planner asks, the process ends, the person answers, and the next
// process goes on. Machines get one JSON value.
func TestPlanFromTheCommandLine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t,
		llmtest.Call("ask", map[string]any{"question": "When?", "options": []string{"mornings", "evenings"}}),
		llmtest.Call("save", map[string]any{"code": greeting, "comment": "greets", "diagram": "flowchart LR\n  a --> b"}),
		llmtest.Call("schedule", map[string]any{"spec": "0 7 * * *", "zone": "Europe/Berlin"}),
		llmtest.Call("dry_run", map[string]any{}),
		llmtest.Text("It greets every morning at seven."),
	)
	require.Contains(t, h.ends(terminal.ExitNotFound, h.asks(server, "plan", "hello", "greet me")...).err, "not a data directory")
	wish := h.ends(terminal.ExitEscalated, h.asks(server, "plan", "hello", "greet me every day", "--create", "--title", "Greeting", "--zone", "Europe/Berlin", "-o", "json")...)
	require.Empty(t, wish.err)
	asked := decodeAs[map[string]any](t, wish.out)
	require.Equal(t, "waiting", asked["state"])
	require.Equal(t, "When?", asked["question"])
	require.Equal(t, []any{"mornings", "evenings"}, asked["options"])
	waiting := h.objects("inbox", "list")
	require.Len(t, waiting, 1)
	require.Equal(t, "waiting", waiting[0]["state"])
	require.Equal(t, "greet me every day", waiting[0]["title"])
	require.Contains(t, h.ends(terminal.ExitConflict, h.asks(server, "plan", "hello", "something else")...).err, "waits for an answer first: When?")

	require.Contains(t, h.ok("notification", "list"), "notification answer "+asked["notification"].(string))
	require.Contains(t, h.ends(terminal.ExitUsage, "notification", "answer", asked["notification"].(string), " ").err, "the answer is empty")
	require.Contains(t, h.ok("notification", "answer", asked["notification"].(string), "1"), "The planner goes on with it")
	goes := h.ends(terminal.ExitOK, h.asks(server, "plan", "hello")...)
	done := goes.out
	require.Equal(t, "  · save\n  · schedule\n  · dry_run\n", goes.err, "the last words are the result, and are not said twice")
	require.Contains(t, done, "It greets every morning at seven.\nSaved version 1.0.\nWhat version 1.0 does:\n")
	require.Contains(t, done, "\nNext: kintsugi script show hello, then: kintsugi workflow activate hello\n")
	shown := h.object("workflow", "show", "Greeting")
	require.Equal(t, "draft", shown["status"])
	require.Equal(t, "Europe/Berlin", shown["zone"])
	require.Equal(t, "greet me every day", shown["intent"])
	require.Contains(t, h.ok("script", "list", "hello"), "planner")
	require.Empty(t, h.objects("inbox", "list"))
	require.Equal(t, "done", h.objects("inbox", "list", "--all")[0]["state"])
	history := h.ok("history", "hello", "--verify")
	for _, what := range []string{"PlannerTaskOpened", "QuestionAsked", "PlannerTaskWaiting", "QuestionAnswered", "ScriptSaved", "ScheduleChanged", "PlannerTaskClosed"} {
		require.Contains(t, history, what)
	}
	h.ok("verify", "--deep")
	h.ok("workflow", "activate", "hello")
	require.Contains(t, h.ok("workflow", "run", "--repair", "hello"), `{"hello":true}`)
}

// A wish that cannot be planned is refused with the reason, and nothing is begun.
func TestPlanSaysWhyNot(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("W", "function main() { return 1 }")
	require.Contains(t, h.ends(terminal.ExitUsage, "plan", "W").err, "say what you want")
	require.Contains(t, h.ends(terminal.ExitUsage, "plan", "W", "  ").err, "say what you want")
	require.Contains(t, h.ends(terminal.ExitConflict, "plan", "W", "--replan").err, "was not handed to you")
	require.Contains(t, h.ends(terminal.ExitNotFound, "plan", "Other", "do it").err, "no workflow")
	require.Contains(t, h.ends(terminal.ExitUsage, "dev", "--agents", "0").err, "at least one agent")
	require.Empty(t, h.objects("inbox", "list", "--all"))

	require.Contains(t, h.ends(terminal.ExitUsage, "plan", "W", "do it").err, "no language model is configured")
	server := llmtest.Serve(t, llmtest.Fail(401, "invalid_api_key", "wrong key"))
	stopped := h.ends(terminal.ExitFailure, h.asks(server, "plan", "W")...)
	require.Contains(t, stopped.out, "does not answer: llm: refused (HTTP 401)")
	require.Contains(t, h.ok("notification", "list"), "The planner stopped")
}

// A workflow that was handed to its person is planned anew by one command, which its notification names.
func TestReplanFromTheCommandLine(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("W", "async function main(input) { return input.a.b; }")
	h.ok("workflow", "settings", "W", "--auto-fix", "off")
	h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "W", "--input", `{}`)
	require.Regexp(t, `replan +kintsugi plan \S+ --replan`, h.ok("notification", "list"))
	server := llmtest.Serve(t,
		llmtest.Call("save", map[string]any{"code": "async function main(input) { return input.a ? input.a.b : null; }", "comment": "nothing is nothing"}),
		llmtest.Text("Mended."),
	)
	require.Contains(t, h.ok(h.asks(server, "plan", "W", "--replan")...), "Saved version 2.0.")
	require.Contains(t, server.Request(0).Messages[1].Text, "TypeError")
	require.Equal(t, "active", h.object("workflow", "show", "W")["status"])
	require.Contains(t, h.ok("workflow", "run", "--repair", "W", "--input", `{}`), "null")
}

// A conversation: options by number, further wishes, and an end. It works through a pipe.
func TestChatThroughAPipe(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t,
		llmtest.TextAndCalls("Let me see.\x1b[31m", llmtest.ToolCall{Tool: "ask", Args: map[string]any{"question": "When?", "options": []string{"mornings", "evenings"}}}),
		llmtest.Call("save", map[string]any{"code": greeting, "comment": "greets"}),
		llmtest.Text("Saved. What else?"),
		llmtest.Text("It is nothing."),
	)
	r := h.runWith("greet me\n2\n\nwhat does it cost?\n/quit\nnever read\n", h.asks(server, "chat", "hello", "--create")...)
	require.Equal(t, terminal.ExitOK, r.code, r.err)
	require.Equal(t, "Let me see.[31m\n? When?\n  1  mornings\n  2  evenings\n  · save\nSaved. What else?\nIt is nothing.\n", r.out)
	require.Contains(t, server.Request(1).Text(), "The person answers: evenings")
	require.Contains(t, server.Request(3).Text(), "what does it cost?")
	require.Empty(t, h.objects("inbox", "list"))
	require.Equal(t, "1.0", h.object("workflow", "show", "hello")["version"])
}

// Where the input ends with a question open, the question stays; the next conversation goes on with it.
func TestChatGoesOnWhereItWasLeft(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t,
		llmtest.Call("ask", map[string]any{"question": "Whom?"}),
		llmtest.Text("Ann, then."),
	)
	left := h.runWith("greet\n", h.asks(server, "chat", "hello", "--create")...)
	require.Equal(t, terminal.ExitOK, left.code)
	require.Contains(t, left.err, "The question stays open")
	r := h.runWith("Ann\n", h.asks(server, "chat", "hello")...)
	require.Equal(t, terminal.ExitOK, r.code, r.err)
	require.Equal(t, "? Whom?\nAnn, then.\n", r.out)
	require.Empty(t, h.objects("inbox", "list"), "the input ended, and nothing was open")
}

// A planner that may not spend says so in words for people.
func TestAPlannerAtTheCapWaits(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t, llmtest.Call("history", map[string]any{"what": "runs"}))
	h.ok("workflow", "create", "W")
	h.ok("autofix", "cap", "--per-day", "0.01")
	prices := h.file("prices.json", `{"`+llmtest.ModelName+`":{"input":1000,"output":1000}}`)
	r := h.ends(terminal.ExitConflict, h.asks(server, "plan", "W", "greet", "--llm-prices", prices)...)
	require.Contains(t, r.err, "the planner waits: agents have spent $0.11 this day, and the cap is $0.01")
}

// A line that is too long is refused, and the conversation goes on; input that is no line ends it, with a message.
func TestChatOfWhatIsTooLong(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t, llmtest.Text("Short is well."))
	r := h.runWith(strings.Repeat("x", 100<<10)+"\ngreet\n", h.asks(server, "chat", "hello", "--create")...)
	require.Equal(t, terminal.ExitOK, r.code, r.err)
	require.Contains(t, r.err, "the wish has 102400 bytes")
	require.Equal(t, "Short is well.\n", r.out)
	r = h.runWith(strings.Repeat("x", 2<<20), h.asks(server, "chat", "hello")...)
	require.Equal(t, terminal.ExitUsage, r.code)
	require.Contains(t, r.err, "cannot be read on")
}

// Ctrl-C leaves a conversation as it is, also while the model thinks.
func TestChatIsLeftWithCtrlC(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	thinks := make(chan struct{})
	server := llmtest.Serve(t, llmtest.Text("never heard").After(thinks), llmtest.Text("Here."))
	defer close(thinks)
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	in, typed := io.Pipe()
	defer typed.Close()
	var out, errs bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- execute(ctx, append([]string{"--data-dir", h.dir}, h.asks(server, "chat", "hello", "--create")...), in, &out, &errs)
	}()
	_, err := typed.Write([]byte("greet\n"))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(server.Requests()) == 1 }, patience, 5*time.Millisecond)
	interrupt()
	require.Equal(t, terminal.ExitInterrupted, <-ended)
	require.Contains(t, errs.String(), "Go on with: kintsugi chat")
	r := h.runWith("", h.asks(server, "chat", "hello")...)
	require.Equal(t, terminal.ExitOK, r.code, r.err)
	require.Equal(t, "Here.\n", r.out)
}

// With a server that has a model, commands without one only follow it.
func TestPlanWithAServer(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.Serve(t,
		llmtest.Call("save", map[string]any{"code": greeting, "comment": "greets"}), llmtest.Text("Done."),
		llmtest.Call("ask", map[string]any{"question": "Whom?"}), llmtest.Text("Ann."),
	)
	h.create("hello", "function main() {}")
	dev := h.dev(h.asks(server, "--agents", "2")...)
	require.Contains(t, h.ok("plan", "hello", "greet"), "Done.\nSaved version 2.0.")
	r := h.runWith("greet somebody\nAnn\n/quit\n", "chat", "hello")
	require.Equal(t, terminal.ExitOK, r.code, r.err)
	require.Equal(t, "? Whom?\nAnn.\n", r.out)
	dev.interrupt()
	require.Equal(t, terminal.ExitOK, dev.wait())
	require.Contains(t, h.ok("plan", "hello", "later", "--detach"), "The planner has it")
	require.Equal(t, "queued", h.objects("inbox", "list")[0]["state"])
}
