package handlers_test

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/domain/fault"
	"github.com/kintsugi-run/kintsugi/domain/workflow"
	"github.com/kintsugi-run/kintsugi/handlers/rehearsal"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

func (n *node) explorer() *rehearsal.Explorer {
	return &rehearsal.Explorer{
		Commands: n.commands, Sandbox: n.pool, Local: n, Recordings: n, Now: n.clock.now, NewID: uuid.NewString,
		Logger: slog.New(slog.DiscardHandler),
	}
}

const counting = `async function main(input) {
	const n = (await kv.get("n")) || 0;
	await kv.set("n", n + 1);
	const a = await web.getJSON("BASE/a");
	await web.postJSON("BASE/one", { day: input.day, a: a.v });
	const b = await web.getJSON("BASE/b");
	await web.postJSON("BASE/two", { b: b.v });
	return { n, a: a.v, b: b.v };
}`

func (n *node) counted() string {
	n.outside.answer("/a", 200, `{"v":1}`)
	n.outside.answer("/b", 200, `{"v":2}`)
	return n.create(counting, workflow.Settings{})
}

// A dry run does everything but write: writes are listed with all their arguments.
func TestDryRunSendsNothing(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.counted()
	n.runs(id, `{"day":1}`)
	head, err := n.log.Head(t.Context())
	require.NoError(t, err)

	n.outside.answer("/a", 200, `{"v":7}`)
	code := n.outside.local(counting)
	dry, err := n.explorer().DryRun(t.Context(), id, rehearsal.DryRun{Code: code, Input: []byte(`{"day":2}`)})
	require.NoError(t, err)
	require.Nil(t, dry.Outcome.Error)
	require.JSONEq(t, `{"n":1,"a":7,"b":2}`, string(dry.Outcome.Output), "live reads, and the workflow's own keys")
	require.Len(t, dry.Writes, 3)
	require.JSONEq(t, `["n",2]`, string(dry.Writes[0].Args))
	require.JSONEq(t, `["`+n.outside.server.URL+`/one",{"day":2,"a":7}]`, string(dry.Writes[1].Args))

	newest := n.lastSuccess(id)
	recorded, err := n.commands.LoadRun(t.Context(), newest)
	require.NoError(t, err)
	asked := n.outside.count("GET /a")
	dry, err = n.explorer().DryRun(t.Context(), id, rehearsal.DryRun{Code: code, Input: []byte(`{"day":2}`), Recorded: &recorded})
	require.NoError(t, err)
	require.JSONEq(t, `{"n":0,"a":1,"b":2}`, string(dry.Outcome.Output))
	require.Equal(t, asked, n.outside.count("GET /a"), "recorded reads ask nobody")
	dry, err = n.explorer().DryRun(t.Context(), id, rehearsal.DryRun{
		Code: n.outside.local(`async function main() { return web.getJSON("BASE/new") }`), Recorded: &recorded,
	})
	require.NoError(t, err)
	require.Equal(t, sandbox.CodeUnanswerable, dry.Outcome.Error.Code)
	require.Zero(t, n.outside.count("GET /new"))

	require.Equal(t, 1, n.outside.count("POST /one"))
	require.Equal(t, 1, n.outside.count("POST /two"))
	after, err := n.log.Head(t.Context())
	require.NoError(t, err)
	require.Equal(t, head, after, "nothing is stored")
}

// A dry run that checks its writes goes on past them: with what recorded writes of the kind were answered, and where none
// was made, as if it had been taken. Both are told.
func TestDryRunAssumesAnswersOfWrites(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	n.outside.answer("/a", 200, `{"v":1}`)
	n.outside.answer("/labels", 201, `{"number":"L-7"}`)
	const checked = `export default async function main() {
		const a = await (await fetch("BASE/a")).json();
		const made = await fetch("BASE/labels", { method: "POST", body: JSON.stringify(a) });
		if (!made.ok) throw new Error("labels: " + made.status);
		return (await made.json()).number + a.v;
	}`
	id := n.create(checked, workflow.Settings{})
	n.runs(id, `{}`, `{}`)
	n.outside.answer("/a", 200, `{"v":2}`)
	dry, err := n.explorer().DryRun(t.Context(), id, rehearsal.DryRun{Code: n.outside.local(checked)})
	require.NoError(t, err)
	require.Nil(t, dry.Outcome.Error)
	require.JSONEq(t, `"L-72"`, string(dry.Outcome.Output))
	require.Len(t, dry.Assumed, 1)
	require.Equal(t, "assumed: that web.fetch POST "+n.outside.host()+"/labels is answered as in 2 recorded runs", dry.Assumed[0].String())

	asked := n.outside.count("GET /a")
	first := strings.Replace(checked, "return (", `const hook = await fetch("BASE/hook", { method: "POST", body: "x" });
		if (hook.status >= 300) throw new Error("hook");
		return (`, 1)
	dry, err = n.explorer().DryRun(t.Context(), id, rehearsal.DryRun{Code: n.outside.local(first)})
	require.NoError(t, err)
	require.Nil(t, dry.Outcome.Error)
	require.Len(t, dry.Writes, 2)
	require.Contains(t, dry.Assumed[1].String(), "/hook is taken, with nothing in the answer; no recorded run made it")
	require.Equal(t, asked+1, n.outside.count("GET /a"), "what was read is not asked for again")
	require.Equal(t, 2, n.outside.count("POST /labels"))
	require.Zero(t, n.outside.count("POST /hook"))
}

// A what-if replays recorded runs on another script, and tells only the differences.
func TestAWhatIfTellsOnlyDifferences(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.counted()
	n.runs(id, `{"day":1}`, `{"day":2}`, `{"day":3}`)
	runs, err := n.Successes(t.Context(), id, 1)
	require.NoError(t, err)
	asked := n.outside.count("GET /a")
	same, err := n.explorer().WhatIf(t.Context(), id, n.outside.local(counting), runs)
	require.NoError(t, err)
	require.Empty(t, same)
	other := n.outside.local(`async function main(input) { if (input.day === 2) return "skipped"; ` + counting[len("async function main(input) {"):])
	different, err := n.explorer().WhatIf(t.Context(), id, other, runs)
	require.NoError(t, err)
	require.Len(t, different, 1)
	require.Equal(t, "succeeded", different[0].Recorded)
	require.NotNil(t, different[0].Divergence)
	require.Equal(t, asked, n.outside.count("GET /a"))
}

// A fork takes over what a run did before a call, and goes on from there for real, with keys of
// its own.
func TestForkGoesOnFromACall(t *testing.T) {
	t.Parallel()
	n := newWorld(t).open(nil)
	defer n.close()
	id := n.counted()
	first := n.admit(id, `{"day":1}`)
	require.NoError(t, n.settle(t.Context()))
	keys := len(n.outside.keys)

	fork := func(fork workflow.Fork, input string) string {
		of := uuid.NewString()
		admit := workflow.AdmitRun{Run: of, Trigger: workflow.TriggerFork, Fork: &fork}
		if input != "" {
			admit.Input = []byte(input)
		}
		_, err := n.commands.AdmitRun(t.Context(), id, admit, person())
		require.NoError(t, err)
		require.NoError(t, n.settle(t.Context()))
		return of
	}
	// Calls: 1 kv.get, 2 kv.set, 3 GET a, 4 POST one, 5 GET b, 6 POST two.
	forked := n.run(fork(workflow.Fork{Run: first, FromCall: 5, Result: []byte(`{"v":99}`)}, ""))
	require.Nil(t, forked.Failure)
	require.JSONEq(t, `{"n":0,"a":1,"b":99}`, string(forked.Output))
	require.Equal(t, first, forked.Forks)
	require.Equal(t, 1, n.outside.count("POST /one"), "what was done before is not done again")
	require.Equal(t, 2, n.outside.count("POST /two"))
	require.NotContains(t, n.outside.keys[:keys], n.outside.keys[keys], "another write has another key")
	require.Equal(t, first, forked.Calls[3].From)

	again := n.run(fork(workflow.Fork{Run: first, FromCall: 4}, `{"day":5}`))
	require.Nil(t, again.Failure)
	require.Equal(t, 2, n.outside.count("POST /one"))
	require.JSONEq(t, `{"day":5}`, string(again.Input))

	for says, admit := range map[string]workflow.AdmitRun{
		"from a call on":         {Trigger: workflow.TriggerFork, Fork: &workflow.Fork{Run: first}},
		"name the run":           {Trigger: workflow.TriggerFork, Fork: &workflow.Fork{FromCall: 1}},
		"if its trigger is fork": {Trigger: workflow.TriggerFork},
		"fork, and only then":    {Trigger: workflow.TriggerManual, Fork: &workflow.Fork{Run: first, FromCall: 1}},
		"not JSON":               {Trigger: workflow.TriggerFork, Fork: &workflow.Fork{Run: first, FromCall: 1, Result: []byte(`{`)}},
	} {
		admit.Run = "x"
		_, err := n.commands.AdmitRun(t.Context(), id, admit, person())
		require.Equal(t, fault.Invalid, fault.KindOf(err), says)
		require.ErrorContains(t, err, says)
	}
}

func (n *node) lastSuccess(id string) string {
	n.t.Helper()
	runs, err := n.Successes(n.t.Context(), id, 1)
	require.NoError(n.t, err)
	return runs[0]
}
