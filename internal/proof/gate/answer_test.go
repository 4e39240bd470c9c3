package gate_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/proof/gate"
	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

func call(tool, args, effect, result string) gate.Call {
	return gate.Call{Tool: tool, Args: json.RawMessage(args), Effect: effect, Result: json.RawMessage(result)}
}

// again runs a script's body on a recorded run and returns what became of it.
func again(t *testing.T, run gate.Run, body string) sandbox.Outcome {
	t.Helper()
	run.ID = "r"
	code := "async function main(input) {\n" + body + "\n}"
	found, err := gate.Reproduce(t.Context(), runner(), code, "", &run)
	require.NoError(t, err)
	return found.Outcome
}

// How replay answers, case by case: output is what the script returns, unanswered says
// that it needed an answer that does not exist.
func TestAnswers(t *testing.T) {
	t.Parallel()
	failedWith := func(local *gate.Local, calls ...gate.Call) gate.Run {
		return gate.Run{Calls: calls, Local: local}
	}
	nothing := failedWith(nil)
	kv := func(pairs ...string) *gate.Local {
		local := &gate.Local{KV: map[string]json.RawMessage{}}
		for i := 0; i < len(pairs); i += 2 {
			local.KV[pairs[i]] = json.RawMessage(pairs[i+1])
		}
		return local
	}
	for name, c := range map[string]struct {
		run        gate.Run
		body       string
		output     string
		unanswered string // part of the reason
	}{
		"a recorded read": {
			run: failedWith(nil, call("web.getJSON", `["https://a.test/x"]`, "read", `{"n":1}`)), body: `return (await web.getJSON('https://a.test/x')).n`, output: `1`,
		},
		"recorded answers go by occurrence": {
			run:  failedWith(nil, call("web.getJSON", `["https://a.test/x"]`, "read", `1`), call("web.getJSON", `["https://a.test/x"]`, "read", `2`)),
			body: `return [await web.getJSON('https://a.test/x'), await web.getJSON('https://a.test/x')]`, output: `[1,2]`,
		},
		"recorded answers do not go by the order between different calls": {
			run:  failedWith(nil, call("kv.get", `["a"]`, "read", `1`), call("kv.get", `["b"]`, "read", `2`)),
			body: `return [await kv.get('b'), await kv.get('a')]`, output: `[2,1]`,
		},
		"arguments are the same whatever the order of keys": {
			run:  failedWith(nil, call("web.postJSON", `["https://a.test/x",{"a":1,"b":2}]`, "write", `"ok"`)),
			body: `return await web.postJSON('https://a.test/x', { b: 2, a: 1 })`, output: `"ok"`,
		},
		"one call more than recorded": {
			run:  failedWith(nil, call("web.getJSON", `["https://a.test/x"]`, "read", `1`)),
			body: `await web.getJSON('https://a.test/x'); return await web.getJSON('https://a.test/x')`, unanswered: "https://a.test/x",
		},
		"a recorded error is thrown again": {
			run: failedWith(nil, gate.Call{Tool: "web.getJSON", Args: json.RawMessage(`["https://a.test/x"]`), Effect: "read", Error: &gate.Error{
				Class: "logic", Name: "LogicError", Message: "GET https://a.test/x: status 404", Status: 404, Body: "none",
			}}),
			body: `try { await web.getJSON('https://a.test/x') } catch (e) { return [e.name, e.class, e.status, e.body, e.message] }`, output: `["LogicError","logic",404,"none","GET https://a.test/x: status 404"]`,
		},
		"an unrecorded read":                       {run: nothing, body: `return await web.getJSON('https://a.test/x')`, unanswered: `web.getJSON("https://a.test/x") was never recorded`},
		"a catch does not survive it":              {run: nothing, body: `try { await web.getJSON('https://a.test/x') } catch (e) { return 1 } finally { return 2 }`, unanswered: "never recorded"},
		"a POST declared as a read":                {run: nothing, body: `return await web.postJSON('https://a.test/x', {}, { effect: 'read' })`, unanswered: "never recorded"},
		"a web write is captured":                  {run: nothing, body: `await web.postJSON('https://a.test/x', {}); return 1`, output: `1`},
		"the answer of a captured web write":       {run: nothing, body: `const x = await web.postJSON('https://a.test/x', {}); return x.id`, unanswered: "looks into"},
		"notify answers null":                      {run: nothing, body: `return await notify('a', 'b')`, output: `null`},
		"a local write answers null":               {run: nothing, body: `return [await kv.set('a', 1), await files.write('a.txt', 'x')]`, output: `[null,null]`},
		"a local read without local state":         {run: nothing, body: `return await kv.get('a')`, unanswered: `kv.get("a")`},
		"a local read of what the run wrote":       {run: nothing, body: `await kv.set('a', { n: 1 }); return await kv.get('a')`, output: `{"n":1}`},
		"a local read of what the run deleted":     {run: nothing, body: `await kv.delete('a'); return await kv.get('a')`, output: `null`},
		"a file that the run wrote":                {run: nothing, body: `await files.write('d/a.txt', 'x'); await files.append('d/a.txt', 'y'); return await files.read('./d/a.txt')`, output: `"xy"`},
		"a file that the run only appended to":     {run: nothing, body: `await files.append('a.txt', 'y'); return await files.read('a.txt')`, unanswered: "files.read"},
		"another key than the run wrote":           {run: nothing, body: `await kv.set('a', 1); return await kv.get('b')`, unanswered: `kv.get("b")`},
		"a listing without local state":            {run: nothing, body: `await kv.set('a', 1); return await kv.list('')`, unanswered: "kv.list"},
		"a local read from local state":            {run: failedWith(kv("a", `7`)), body: `return await kv.get('a')`, output: `7`},
		"a missing key in local state":             {run: failedWith(kv()), body: `return await kv.get('a')`, output: `null`},
		"own writes lie on top of local state":     {run: failedWith(kv("a", `7`, "b", `8`)), body: `await kv.set('a', 1); await kv.delete('b'); return [await kv.get('a'), await kv.get('b'), await kv.list('')]`, output: `[1,null,["a"]]`},
		"a missing file in local state":            {run: failedWith(kv()), body: `try { await files.read('x.txt') } catch (e) { return e.class }`, output: `"logic"`},
		"a recorded local read before local state": {run: failedWith(kv("a", `7`), call("kv.get", `["a"]`, "read", `6`)), body: `return [await kv.get('a'), await kv.get('a')]`, output: `[6,7]`},
		"a recorded local write lies on top too": {
			run:  failedWith(kv("a", `7`), call("kv.set", `["a",1]`, "write", `null`)),
			body: `await kv.set('a', 1); return await kv.get('a')`, output: `1`,
		},
		"a recorded write without local state": {
			run:  failedWith(nil, call("kv.set", `["a",1]`, "write", `null`), call("files.write", `["f","x"]`, "write", `null`)),
			body: `await kv.set('a', 1); await files.write('f', 'x'); return [await kv.get('a'), await files.read('f')]`, output: `[1,"x"]`,
		},
		"what the run appended is in the local state already": {
			run:  failedWith(&gate.Local{Files: map[string]string{"log.txt": "old\nnew\n"}}, call("files.append", `["log.txt","new\n"]`, "write", `null`)),
			body: `await files.append('log.txt', 'new\n'); return await files.read('log.txt')`, output: `"old\nnew\n"`,
		},
		"what the run added is in the local state already": {
			run:  failedWith(&gate.Local{KV: map[string]json.RawMessage{"n": []byte(`7`)}}, call("kv.update", `["n",2]`, "write", `null`), call("kv.update", `["n",-1]`, "write", `null`)),
			body: `await kv.update('n', 2); await kv.update('n', -1); return await kv.get('n')`, output: `7`,
		},
		"what the run set and added to": {
			run:  failedWith(&gate.Local{KV: map[string]json.RawMessage{"n": []byte(`3`)}}, call("kv.set", `["n",1]`, "write", `null`), call("kv.update", `["n",2]`, "write", `null`)),
			body: `await kv.set('n', 1); await kv.update('n', 2); return await kv.get('n')`, output: `3`,
		},
		"local state from before the appends": {
			run:  failedWith(&gate.Local{Files: map[string]string{"log.txt": "old\n"}}, call("files.append", `["log.txt","new\n"]`, "write", `null`)),
			body: `await files.append('log.txt', 'new\n'); return await files.read('log.txt')`, output: `"old\nnew\n"`,
		},
		"a secret is its handle": {run: nothing, body: `return await secret('KEY')`, output: `"{{secret:KEY}}"`},
		"the clock and its steps": {
			run:  failedWith(nil, gate.Call{Tool: "kv.get", Args: json.RawMessage(`["a"]`), Effect: "read", Result: json.RawMessage(`1`), MS: 250}),
			body: `const a = Date.now(); await kv.get('a'); return [new Date(a).toISOString(), Date.now() - a]`, output: `["2026-01-01T00:00:00.000Z",250]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome := again(t, c.run, c.body)
			if c.unanswered != "" {
				require.NotNil(t, outcome.Error, string(outcome.Output))
				require.Equal(t, sandbox.CodeUnanswerable, outcome.Error.Code, outcome.Error.Message)
				require.Contains(t, outcome.Error.Message, c.unanswered)
				return
			}
			require.Nil(t, outcome.Error)
			require.JSONEq(t, c.output, string(outcome.Output))
		})
	}
}

// The seed is the run's, or its id if it has none, so that ids and random numbers are the same.
func TestSeedDefaultsToTheRun(t *testing.T) {
	t.Parallel()
	body := `return [Math.random(), crypto.randomUUID()]`
	withSeed := again(t, gate.Run{Seed: "r"}, body)
	byID := again(t, gate.Run{}, body)
	other := again(t, gate.Run{Seed: "s"}, body)
	require.Equal(t, string(withSeed.Output), string(byID.Output))
	require.NotEqual(t, string(withSeed.Output), string(other.Output))
}

// A host auth error in the record ends the run at that call, as it did live.
func TestRecordedAuthErrorEndsTheRun(t *testing.T) {
	t.Parallel()
	run := gate.Run{Calls: []gate.Call{{
		Tool: "web.getJSON", Args: json.RawMessage(`["https://a.test/x"]`), Effect: "read",
		Error: &gate.Error{Class: "auth", Name: "AuthError", Message: "status 401", Status: 401},
	}}}
	outcome := again(t, run, `try { await web.getJSON('https://a.test/x') } catch (e) { return 'went on' } finally { await kv.set('a', 1) }`)
	require.NotNil(t, outcome.Error)
	require.Equal(t, "auth", outcome.Error.Class)
	for _, made := range outcome.Calls {
		require.False(t, strings.HasPrefix(made.Tool, "kv."))
	}
}
