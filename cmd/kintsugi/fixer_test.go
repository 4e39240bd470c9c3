package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// amounts breaks when amounts become texts, which no template mends.
const amounts = `async function main(input) {
  const list = await web.getJSON('BASE/orders');
  let total = 0;
  for (const order of list.orders) {
    if (typeof order.amount !== 'number') throw new TypeError('an amount is no number');
    total += order.amount;
  }
  return { day: input.day, total: total };
}`

// A model that is named on the command line mends what templates cannot. The fix shows that the model proposed it,
// what was said, and what it cost. Its key is nowhere.
func TestARunIsMendedByAModel(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.create("Amounts", amounts)
	for i, list := range []string{`{"amount":1},{"amount":2}`, `{"amount":5}`, `{"amount":7},{"amount":8}`} {
		h.outside.answer("/orders", 200, `{"orders":[`+list+`]}`)
		h.ok("workflow", "run", "--repair", "Amounts", "--input", day(i+1))
	}
	h.outside.answer("/orders", 200, `{"orders":[{"amount":"4"},{"amount":"6"}]}`)
	h.ok("workflow", "settings", "Amounts", "--fixers", "model")
	mended := strings.NewReplacer(
		"if (typeof order.amount", "const amount = typeof order.amount === 'string' ? Number(order.amount) : order.amount;\n    if (typeof amount",
		"+= order.amount", "+= amount",
	).Replace(h.outside.local(amounts))
	server := llmtest.Serve(t,
		llmtest.Call("inspect", map[string]string{"path": "failed.calls[0].result"}),
		llmtest.TextAndCalls("Amounts are texts now.", llmtest.ToolCall{Tool: "fix", Args: map[string]string{"code": mended, "comment": "Amounts may be texts"}}),
	)
	out := h.ok("workflow", "run", "--repair", "Amounts", "--input", day(9), "--model", llmtest.ModelName, "--llm-base-url", server.URL, "--llm-key-file", h.file("key", llmtest.Key))
	require.Contains(t, out, "10")
	require.Contains(t, h.ok("script", "show", "Amounts"), "const amount")
	history := h.ok("history", "Amounts", "--all")
	require.Contains(t, history, "test-model, 110 tokens")
	require.Contains(t, history, "Amounts may be texts")
	for _, line := range []string{out, history, h.ok("history", "Amounts", "--all", "-o", "json")} {
		require.NotContains(t, line, llmtest.Key)
	}
	require.Contains(t, h.ok("history", "Amounts", "--all", "-o", "json"), "test-model prompt/", "the fix says who proposed it")
}

// A repair whose model does not answer waits. Running the workflow or showing it says why, with a server and without.
func TestARepairThatWaitsForItsModelSaysSo(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	server := llmtest.ServeWith(t, llmtest.RespondFunc(func(llmtest.Request) llmtest.Step {
		return llmtest.Fail(429, "insufficient_quota", "no money")
	}))
	asks := []string{"--model", llmtest.ModelName, "--llm-base-url", server.URL}
	for _, title := range []string{"Here", "Served"} {
		h.create(title, amounts)
		h.ok("workflow", "settings", title, "--fixers", "model")
		h.outside.answer("/orders", 200, `{"orders":[{"amount":1}]}`)
		h.ok("workflow", "run", "--repair", title, "--input", day(1))
		h.outside.answer("/orders", 200, `{"orders":[{"amount":"EUR 4"}]}`)
		args := append([]string{"workflow", "run", "--repair", title, "--input", day(2)}, asks...)
		if title == "Served" {
			h.dev(asks...)
			args = args[:6]
		}
		const says = "Its repair waits: the model test-model does not answer (quota): no money"
		require.Contains(t, h.ends(terminal.ExitRunFailed, args...).out, says)
		require.Contains(t, h.ok("workflow", "show", title), says)
	}
}

// The language of agents is a setting, and can be taken back.
func TestALocaleIsChosen(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	require.Contains(t, h.ok("workflow", "settings", "W", "--locale", "de-DE"), "locale         de-DE\n")
	require.Equal(t, "de-DE", h.object("workflow", "settings", "W")["locale"])
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "settings", "W", "--locale", "german").err, "write a language tag")
	require.NotContains(t, h.object("workflow", "settings", "W", "--locale", ""), "locale")
}

// Settings choose who proposes, and refuse who is not known.
func TestFixersAreChosen(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.ok("workflow", "create", "W")
	require.Equal(t, []any{"templates", "model"}, h.object("workflow", "settings", "W")["fixers"])
	require.Equal(t, []any{"person"}, h.object("workflow", "settings", "W", "--fixers", "person")["fixers"])
	require.Contains(t, h.ends(terminal.ExitUsage, "workflow", "settings", "W", "--fixers", "gossip").err, "choose from templates, model, command and person")
}
