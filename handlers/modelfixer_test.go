package handlers_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/event"
	"github.com/kintsugi-run/kintsugi/domain/thread"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/maintenance"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm"
	"github.com/kintsugi-run/kintsugi/internal/agent/llm/llmtest"
	"github.com/kintsugi-run/kintsugi/projections"
)

// tally fails once amounts are texts.
const tally = `async function main(input) {
  await web.postJSON('BASE/started', { day: input.day });
  const list = await web.getJSON('BASE/orders');
  // the API promised that it will never change
  let total = 0;
  for (const order of list.orders) {
    if (typeof order.amount !== 'number') throw new TypeError('an amount of ' + input.day + ' is no number');
    total += order.amount;
  }
  console.log('counted ' + list.orders.length);
  await web.postJSON('BASE/done', { day: input.day, total: total });
  return { orders: list.orders.length, total: total };
}`

// mendedTally reads the old amounts and the new ones.
func (n *node) mendedTally() string {
	return n.outside.local(mendTally(tally))
}

func mendTally(code string) string {
	return strings.NewReplacer(
		"if (typeof order.amount !== 'number')", "const amount = typeof order.amount === 'string' ? Number(order.amount) : order.amount;\n    if (typeof amount !== 'number')",
		"total += order.amount;", "total += amount;",
	).Replace(code)
}

// tallied is a workflow with recorded successes whose API has changed. It is left to the model, unless said otherwise.
func (n *node) tallied(settings workflow.Settings) string {
	n.t.Helper()
	if settings.Fixers == nil {
		settings.Fixers = []string{workflow.FixerModel}
	}
	id := n.create(tally, settings)
	for i, list := range []string{`{"amount":10},{"amount":20}`, `{"amount":5}`, `{"amount":7},{"amount":8},{"amount":9}`} {
		n.outside.answer("/orders", 200, `{"orders":[`+list+`]}`)
		n.runs(id, fmt.Sprintf(`{"day":"2026-03-0%d"}`, i+1))
	}
	n.outside.answer("/orders", 200, textOrders)
	return id
}

const textOrders = `{"orders":[{"amount":"4"},{"amount":"6"},{"amount":"1"}]}`

// model puts a model behind the templates.
func (n *node) model(model llm.Model) *maintenance.ModelFixer {
	fixer := maintenance.NewModelFixer(maintenance.ModelFixerConfig{Model: model, Logger: slog.New(slog.DiscardHandler)})
	n.fixers[workflow.FixerModel] = fixer
	return fixer
}

func fixCall(code, comment string) llmtest.Step {
	return llmtest.Call("fix", map[string]string{"code": code, "comment": comment})
}

// said are the entries of the newest maintainer's thread.
func (n *node) said(id string) (projections.Thread, []projections.ThreadEntry) {
	n.t.Helper()
	return n.saidTo(id, projections.KindMaintainer)
}

// saidTo are the entries of the newest thread of a kind.
func (n *node) saidTo(id, kind string) (projections.Thread, []projections.ThreadEntry) {
	n.t.Helper()
	require.NoError(n.t, n.views.CatchUp(context.Background()))
	threads, err := n.queries.Threads(context.Background(), id, kind)
	require.NoError(n.t, err)
	require.NotEmpty(n.t, threads)
	var history []event.Recorded
	for recorded, err := range n.commands.History(context.Background(), []string{thread.Stream(threads[0].ID)}) {
		require.NoError(n.t, err)
		history = append(history, recorded)
	}
	return threads[0], projections.ConversationOf(history)
}

// The tool inspect shows what there is, of whatever size, and from the root of it.
func TestAModelInspectsWhatIsLong(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{})
	many := make([]string, 400)
	for i := range many {
		many[i] = `{"amount":"4"}`
	}
	n.outside.answer("/orders", 200, `{"orders":[`+strings.Join(many, ",")+`]}`)
	inspect := func(path string) llmtest.ToolCall {
		return llmtest.ToolCall{Tool: "inspect", Args: map[string]string{"path": path}}
	}
	server := llmtest.Serve(t,
		llmtest.Calls(inspect(""), inspect("failed"), inspect("failed.calls[1].result"), inspect("success"), inspect("nothing")),
		fixCall(n.mendedTally(), "Amounts are texts"),
	)
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	require.Equal(t, "1.1", n.state(id).Active.String(), n.events(id, workflow.TypeRunFailed))
	told := server.Requests()[1].Messages
	for i, want := range []string{"failed.calls", "calls", "orders[].amount", "script_version", "There is nothing at step 1"} {
		require.Contains(t, told[3+i].Text, want)
	}
}

// The whole path: a logic error that no template mends, a model that finds out on recorded runs,
// a first fix that the gate refuses, a second one that it proves, the failed run continued,
// the fix confirmed. Nothing is written twice.
func TestAModelMendsWhatTemplatesCannot(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{})
	first := strings.Replace(n.mendedTally(), "let total = 0", "let total = 1", 1)
	server := llmtest.Serve(t,
		llmtest.Calls(llmtest.ToolCall{Tool: "inspect", Args: map[string]string{"path": "failed.calls[1].result.orders"}},
			llmtest.ToolCall{Tool: "eval", Args: map[string]string{"code": "(await web.getJSON('" + n.outside.server.URL + "/orders')).orders.length"}}),
		fixCall(first, "Amounts are texts"),
		llmtest.TextAndCalls("That was a slip.", llmtest.ToolCall{Tool: "fix", Args: map[string]string{"code": n.mendedTally(), "comment": "Amounts are texts since today"}}),
	)
	fixer := n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)

	require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
	state := n.state(id)
	require.Equal(t, "1.1", state.Active.String())
	require.Equal(t, 4, n.outside.count("POST /started"))
	require.Equal(t, 4, n.outside.count("POST /done"))
	proposal, _ := state.Proposal(state.Fixes[0].Proposal)
	require.Equal(t, workflow.Fixer{Kind: "model", Version: fixer.Version()}, proposal.Fixer)
	require.Regexp(t, `^test-model prompt/[0-9a-f]{12}$`, fixer.Version())
	require.NotEmpty(t, proposal.Verification.GateVersion)
	require.Equal(t, "Amounts are texts since today", proposal.Comment)

	asked := server.Requests()
	require.Len(t, asked, 3)
	require.InDelta(t, 0.1, *asked[0].Temperature, 1e-9)
	require.Equal(t, []string{"fix", "eval", "inspect", "fetch", "history", "ask_person"}, asked[0].ToolNames())
	told := asked[1].Messages
	require.Contains(t, told[3].Text, `{"amount":"4"}`, "what inspect found")
	require.Contains(t, told[4].Text, "result: 3", "what eval found, on the recording")
	verdict := asked[2].Messages[6].Text
	require.Contains(t, verdict, "verdict: different")
	require.Contains(t, verdict, "smallest difference", "so that it can try again")

	thread, entries := n.said(id)
	require.Equal(t, "fixed", thread.Outcome)
	require.EqualValues(t, 330, thread.Tokens)
	require.Equal(t, 3, thread.Turns)
	require.Equal(t, "test-model", thread.Model)
	var candidates []string
	for _, entry := range entries {
		if entry.Candidate != nil && strings.HasPrefix(entry.Candidate.Fixer, "model") {
			candidates = append(candidates, entry.Candidate.Verdict)
		}
	}
	require.Equal(t, []string{"different", "identical"}, candidates)
}

// A model is told everything that the maintainer knows, and nothing that others wrote outside of a fence.
func TestAModelIsToldEverythingBehindFences(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{})
	server := llmtest.Serve(t, llmtest.Text("It cannot be mended: the API is another one now."))
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)

	require.Equal(t, workflow.StatusEscalated, n.state(id).Status)
	require.Equal(t, workflow.EscalatedUnfixable, n.state(id).Escalation.Reason)
	require.Contains(t, n.state(id).Escalation.Explanation, "the API is another one now", "its last words are the explanation")

	system, told := server.Request(0).Messages[0].Text, server.Request(0).Messages[1].Text
	require.Contains(t, system, llm.FenceRule)
	for _, want := range []string{
		"File orders", "version 1.0", "The failure is new", "Fix 1 of at most 3",
		"TypeError: an amount of 2026-03-09 is no number", "> ", "throw new TypeError",
		`{"day":"2026-03-09"}`, "! orders[].amount: before number", `now string "4"`,
		`output: {"orders":3,"total":24}`,
	} {
		require.Contains(t, told, want)
	}
	outside := outsideFences(t, told)
	for _, others := range []string{"the API promised", "no number", "2026-03-09", "postJSON"} {
		require.Contains(t, told, others)
		require.NotContains(t, outside, others, "what others wrote is in fences only")
	}
	require.Contains(t, outside, "File orders", "the person's own words are not")
	require.NotContains(t, told, "## Locale", "without one it is the language of the intent")
}

// Texts for people are in the locale of the workflow, and in its zone.
func TestAModelIsToldTheLocale(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{Locale: "de-DE"})
	server := llmtest.Serve(t, llmtest.Text("Geht nicht."))
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	system, told := server.Request(0).Messages[0].Text, server.Request(0).Messages[1].Text
	require.Contains(t, system, "in the workflow's locale if it has one")
	require.Contains(t, outsideFences(t, told), "## Zone\nUTC\n\n## Locale\nde-DE\n")
}

// outsideFences is a text without its fenced blocks.
func outsideFences(t testing.TB, text string) string {
	t.Helper()
	var kept []string
	inside := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if inside == "" && strings.HasPrefix(line, "<untrusted id=") {
			inside = "</untrusted " + strings.Fields(line)[1] + ">"
			continue
		}
		if inside != "" {
			if line == inside {
				inside = ""
			}
			continue
		}
		kept = append(kept, line)
	}
	require.Empty(t, inside, "a fence is not closed")
	return strings.Join(kept, "\n")
}

// A block of JavaScript without a call is a fix: some models know no other way.
func TestACodeBlockIsAFix(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.tallied(workflow.Settings{})
	server := llmtest.Serve(t, llmtest.Text("Amounts are texts.\n\n```js\n"+n.mendedTally()+"\n```\n"))
	n.model(server.Model())
	n.runs(id, `{"day":"2026-03-09"}`)
	state := n.state(id)
	require.Equal(t, wholeRepair, n.events(id, workflow.TypeRunFailed))
	proposal, _ := state.Proposal(state.Fixes[0].Proposal)
	require.Equal(t, "Amounts are texts.", proposal.Comment)
}

// Rules 5, 6 and 10: each fix is applied, and the run goes on until it fails of something else.
// When the budget is spent there is one escalation, with Re-plan, and what was not confirmed is
// taken back.
func TestRepeatedFailuresSpendTheBudgetAndEscalateOnce(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	things := []string{"amount", "customer", "address", "invoice", "currency"}
	script := func(mended int) string {
		var code strings.Builder
		code.WriteString("async function main(input) {\n  let sum = 0;\n")
		for i, thing := range things {
			fmt.Fprintf(&code, "  const %s = await web.getJSON('BASE/%[1]s');\n", thing)
			if i < mended {
				fmt.Fprintf(&code, "  const of%s = %[1]s.value ?? %[1]s.data?.value;\n", thing)
			} else {
				fmt.Fprintf(&code, "  const of%s = %[1]s.value;\n", thing)
			}
			fmt.Fprintf(&code, "  if (of%s === undefined) throw new Error('the %[1]s is gone');\n  sum += of%[1]s;\n", thing)
		}
		code.WriteString("  return sum;\n}")
		return n.outside.local(code.String())
	}
	id := n.create(script(0), workflow.Settings{})
	for i := range 3 {
		for k, thing := range things {
			n.outside.answer("/"+thing, 200, fmt.Sprintf(`{"value":%d}`, i+10*k))
		}
		n.runs(id, fmt.Sprintf(`{"n":%d}`, i))
	}
	// Each thing is still as it was when the fix is rehearsed, and changes before the run goes on.
	changed := func(thing string) { n.outside.answer("/"+thing, 200, `{"data":{"value":7}}`) }
	changed(things[0])
	n.outside.mu.Lock()
	next := 1
	n.outside.before = func(path string) {
		if path == "/"+things[len(things)-1] && next < len(things)-1 { // a rehearsal has come to its end
			changed(things[next])
			next++
		}
	}
	n.outside.mu.Unlock()
	mended := atomic.Int64{}
	server := llmtest.ServeWith(t, responder(func(llmtest.Request) llmtest.Step {
		done := int(mended.Add(1))
		return fixCall(script(done), "The "+things[done-1]+" has moved")
	}))
	delete(n.fixers, workflow.DefaultFixer) // what templates would find is not the question here
	n.model(server.Model())
	n.runs(id, `{"n":9}`)

	events := n.events(id, workflow.TypeRunFailed)
	count := func(name string) (times int) {
		for _, one := range events {
			if one == name {
				times++
			}
		}
		return times
	}
	require.Equal(t, 3, count(workflow.TypeFixApplied), events)
	require.Equal(t, 3, count(workflow.TypeFixRegressed))
	require.Equal(t, 3, count(workflow.TypeMaintenanceEntered), "the fourth failure opens no task")
	require.Equal(t, 1, count(workflow.TypeEscalated))
	state := n.state(id)
	require.Equal(t, workflow.StatusEscalated, state.Status)
	require.Equal(t, workflow.EscalatedBudget, state.Escalation.Reason)
	require.Equal(t, "1.0", state.Active.String(), "unconfirmed fixes are taken back")
	require.Len(t, server.Requests(), 3)
	require.Contains(t, server.Request(2).Messages[1].Text, "Fix 3 of at most 3")
	require.Contains(t, server.Request(2).Messages[1].Text, "2 fixes of this version are not confirmed yet")
	require.Contains(t, server.Request(2).Messages[1].Text, "1.2: The customer has moved", "the changelog")

	require.NoError(t, n.views.CatchUp(t.Context()))
	told, err := n.queries.Notifications(t.Context(), projections.NotificationFilter{Workflow: id})
	require.NoError(t, err)
	escalations := 0
	for _, one := range told {
		if slices.Contains(one.Actions, workflow.ActionReplan) {
			escalations++
		}
	}
	require.Equal(t, 1, escalations, "the person is told once, and offered to plan anew")
}

type responder func(llmtest.Request) llmtest.Step

func (r responder) Respond(request llmtest.Request) llmtest.Step { return r(request) }
