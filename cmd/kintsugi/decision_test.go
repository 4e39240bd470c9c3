package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/cmd/internal/cli/terminal"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
)

// Where no fix was found a person gets what they need to decide: what changed, the run, and what they
// can do, with the commands as they are typed.
func TestAPersonGetsWhatTheyNeedToDecide(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	h.ok("script", "save", "Orders", "--file", h.file("same.js", strings.ReplaceAll(h.outside.local(orders), "counted", "have")))
	for i := range 2 {
		h.outside.answer("/orders", 200, oldOrders(10, i+1))
		h.ok("workflow", "run", "--repair", "Orders", "--input", day(i+5))
	}
	id := h.object("workflow", "show", "Orders")["id"].(string)
	h.ok("workflow", "settings", "Orders", "--auto-fix", "off")
	h.outside.answer("/orders", 200, newOrders(11, 22))
	failed := h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Orders", "--input", day(9)).out
	run := h.objects("run", "list", "--status", "failed")[0]["id"].(string)
	for place, text := range map[string]string{"the run": failed, "the notice": h.ok("notification", "list")} {
		require.Regexp(t, `orders\[\]\.amount_total is\s+gone \(it was object with value`, text, place)
		require.Regexp(t, `orders\[\]\.total_amount is\s+new \(object with value`, text, place)
		require.NotContains(t, text, "amount_total.value", "what is inside of it needs no word")
		for action, command := range map[string]string{
			"look": "run show " + run, "edit": "script show " + id + " > script.js, then: kintsugi script save " + id + " --file script.js",
			"rollback": "script rollback " + id + " 1.0", "retry": "workflow activate " + id, "replan": "plan " + id + " --replan",
		} {
			require.Regexp(t, action+` +kintsugi `+command, text, place)
		}
	}
	shown := h.object("run", "show", run)
	require.Len(t, shown["changed"], 2)
	require.Contains(t, h.ok("run", "show", run), "What changed since the runs that succeeded\n  · ")
	require.Nil(t, h.object("run", "show", h.objects("run", "list", "--status", "succeeded")[0]["id"].(string))["changed"])
}

// A run that was mended still says what had changed: the successes of the fix, and runs that began before it and went on with it, do not count.
func TestAMendedRunStillSaysWhatHadChanged(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.succeed("Orders")
	h.outside.answer("/orders", 200, `{"orders":[{"id"`)
	h.run("workflow", "run", "Orders", "--input", day(8))
	early := h.objects("run", "list", "--status", "failed")[0]["id"].(string)
	h.outside.answer("/orders", 200, newOrders(11, 22))
	h.ok("workflow", "run", "--repair", "Orders", "--input", day(9))
	h.run("run", "continue", early)
	for i := range 3 {
		h.ok("workflow", "run", "Orders", "--input", day(i+9))
	}
	require.GreaterOrEqual(t, len(h.objects("run", "list", "--status", "succeeded")), 9)
	shown := h.ok("run", "show", h.objects("run", "list", "--status", "failed")[0]["id"].(string))
	require.Regexp(t, `orders\[\]\.amount_total is\s+gone`, shown)
	require.Regexp(t, `orders\[\]\.total_amount is\s+new`, shown)
}

// A refused sign-in says what the host said, and offers the command with the secret and the host in it.
func TestARefusedSignInSaysWhatTheHostSaid(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	h.outside.answer("/me", 401, `{"error":{"code":"expired","message":"Your token has expired"}}`)
	h.create("Orders", `async function main() { return web.getJSON("BASE/me", { headers: { authorization: "Bearer " + secret("SHOP") } }); }`)
	set := h.runWith("sk-canary-value\n", "secret", "set", "SHOP", "--workflow", "Orders", "--host", h.outside.host())
	require.Equal(t, terminal.ExitOK, set.code, set.err)
	failed := h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Orders")
	id := h.object("workflow", "show", "Orders")["id"].(string)
	list := h.ok("notification", "list")
	for _, text := range []string{failed.out, list} {
		require.Contains(t, text, "The host says: Your token has expired")
		require.Regexp(t, `set secret +kintsugi secret set SHOP --workflow `+id+` --host `+h.outside.host(), text)
		require.Regexp(t, `retry +kintsugi workflow activate `+id, text)
	}
}

// One account says what changed, in every text that speaks of it: the command's, the notice's, the run's, the history's, the repair's
// and the first message to a model.
func TestOneAccountOfTheChangeInEveryText(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	page := func(inside string) string {
		return `<!doctype html><html><body><div class="card"><h2>Lamp</h2>` + inside + `</div></body></html>`
	}
	h.create("Prices", `import { parse } from 'kintsugi:html';
async function main(input) {
  const doc = parse((await web.fetch("BASE/lamp")).body);
  return { price: doc.querySelector('.card .price').textContent.trim() };
}`)
	for day := range 3 {
		h.outside.answer("/lamp", 200, page(`<b class="price">1`+strings.Repeat("2", day)+`.50 €</b>`))
		h.ok("workflow", "run", "Prices")
	}
	h.outside.answer("/lamp", 200, page(`<b class="price-now">13.50 €</b>`))
	server := llmtest.Serve(t, llmtest.Text("I do not know."))
	h.ok("workflow", "settings", "Prices", "--fixers", "templates,model")
	told := h.ends(terminal.ExitEscalated, "workflow", "run", "--repair", "Prices", "--model", llmtest.ModelName, "--llm-base-url", server.URL, "--llm-key-file", h.file("key", llmtest.Key)).out
	run := h.objects("run", "list", "--status", "failed")[0]["id"].(string)
	task := h.objects("notification", "list")[0]["task"].(string)
	for place, text := range map[string]string{
		"the command": told, "the notice": h.ok("notification", "list"), "the run": h.ok("run", "show", run), "the repair": h.ok("fix", "thread", task),
		"the history": h.ok("history", "Prices"), "the model": server.Requests()[0].Text(),
	} {
		text = strings.Join(strings.Fields(text), " ")
		require.Contains(t, text, `nothing matches .card .price (it was <b class="price">`, place)
		require.Contains(t, text, `most like it now: <b class="price-now"> "13.50 €"`, place)
		require.Equal(t, 1, strings.Count(text, "nothing matches"), place)
		require.NotContains(t, text, "as it was when it succeeded", place)
	}
}
