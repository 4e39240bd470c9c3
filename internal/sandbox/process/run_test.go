package process_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// refusing answers every call with the same error.
func refusing(e sandbox.Error) sandbox.Host {
	return sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
		return sandbox.Reply{Error: &e}, nil
	})
}

// Rule: network and logic errors of calls are real errors in the script, and keep their
// class however the script passes them on.
func TestErrorsInTheScript(t *testing.T) {
	t.Parallel()
	down := sandbox.Error{Class: sandbox.ClassNetwork, Name: "NetworkError", Code: "timeout", Message: "GET https://x.test: status 503", Status: 503, Body: "busy", Host: "x.test", RetryAfterMS: 2000}
	missing := sandbox.Error{Class: sandbox.ClassLogic, Name: "NotFoundError", Message: "GET https://x.test: status 404", Status: 404}

	outcome := inProcess(t, `async function main() {
		try { await web.getJSON('u') } catch (e) {
			return [e instanceof NetworkError, e instanceof LogicError, e instanceof Error, e.constructor === NetworkError, Error.isError(e),
				e.name, e.message, e.class, e.status, e.body, e.code, String(e), Object.keys(e), e.stack.split('\n')[0]];
		}
	}`, refusing(down))
	require.Nil(t, outcome.Error)
	require.Equal(t, `[true,false,true,true,true,"NetworkError","GET https://x.test: status 503","network",503,"busy","timeout","NetworkError: GET https://x.test: status 503",["status","body","code"],"NetworkError: GET https://x.test: status 503"]`, string(outcome.Output))

	for name, code := range map[string]string{
		"uncaught":           `async function main() { await web.getJSON('u') }`,
		"not awaited":        `function main() { return web.getJSON('u') }`,
		"thrown again":       `async function main() { try { await web.getJSON('u') } catch (e) { e.message = 'x'; e.class = 'logic'; throw e } }`,
		"as a cause":         `async function main() { try { await web.getJSON('u') } catch (e) { throw new Error('no report', { cause: new TypeError('y', { cause: e }) }) } }`,
		"quoted":             "async function main() { try { await web.getJSON('u') } catch (e) { throw new Error(`no report: ${e.message}`) } }",
		"in another promise": `async function main() { await Promise.all([1, web.getJSON('u').finally(() => 2)]) }`,
		"thrown by itself":   `async function main() { throw new NetworkError('the answer says: try later') }`,
		"subclass":           `class Slow extends NetworkError {} async function main() { throw new Slow('x') }`,
	} {
		outcome := inProcess(t, code, refusing(down))
		require.NotNil(t, outcome.Error, name)
		require.Equal(t, sandbox.ClassNetwork, outcome.Error.Class, name)
		if name == "uncaught" {
			e := *outcome.Error
			require.Equal(t, []any{"NetworkError", "timeout", 503, "busy", "x.test", int64(2000), "web.getJSON"},
				[]any{e.Name, e.Code, e.Status, e.Body, e.Host, e.RetryAfterMS, e.Tool})
		}
	}

	outcome = inProcess(t, `async function main() { await web.getJSON('u') }`, refusing(missing))
	require.Equal(t, sandbox.ClassLogic, outcome.Error.Class)
	require.Equal(t, "NotFoundError", outcome.Error.Name)
	outcome = inProcess(t, `async function main() { try { await web.getJSON('u') } catch (e) { return [e.name, e instanceof LogicError, e.status] } }`, refusing(missing))
	require.Equal(t, `["NotFoundError",true,404]`, string(outcome.Output))

	for code, class := range map[string]string{
		`async function main() { throw new Error('mine') }`:                                                           sandbox.ClassLogic,
		`async function main() { try { await web.getJSON('u') } catch (e) {} throw new TypeError('another matter') }`: sandbox.ClassLogic,
		`async function main() { throw new AuthError('the answer says: not authorised') }`:                            sandbox.ClassAuth,
		`async function main() { throw new PermissionError('no') }`:                                                   sandbox.ClassPermission,
		`async function main() { throw new LogicError('no') }`:                                                        sandbox.ClassLogic,
		`async function main() { throw Object.assign(new Error('x'), { name: 'AuthError', class: 'auth' }) }`:         sandbox.ClassLogic,
	} {
		outcome := inProcess(t, code, refusing(down))
		require.Equal(t, class, outcome.Error.Class, code)
	}
	require.Equal(t, `["AuthError","auth","caught"]`,
		output(t, `function main() { try { throw new AuthError('caught') } catch (e) { return [e.name, e.class, e.message] } }`))
}

// Rule: a host auth, permission or limit error ends the run at that call, and so does a
// host that has no answer.
func TestErrorsThatEndTheRun(t *testing.T) {
	t.Parallel()
	const code = `async function main() {
		console.log('before');
		try {
			await web.getJSON('u');
		} catch (e) { console.log('caught'); } finally { console.log('finally'); }
		await notify('after');
	}`
	for _, e := range []sandbox.Error{
		{Class: sandbox.ClassAuth, Name: "AuthError", Message: "GET https://x.test: status 401", Status: 401, Host: "x.test"},
		{Class: sandbox.ClassPermission, Name: "PermissionError", Message: "x.test is not on the list", Host: "x.test"},
		{Class: sandbox.ClassLimit, Name: "LimitError", Code: "limit.result", Message: "too much"},
		{Class: sandbox.ClassInternal, Name: "InternalError", Message: "the disk is full"},
	} {
		outcome := inProcess(t, code, refusing(e))
		require.Equal(t, []sandbox.LogLine{{Level: "info", Text: "before"}}, outcome.Log)
		require.Len(t, outcome.Calls, 1)
		require.Equal(t, e, *outcome.Calls[0].Error, "the call and its answer are in the trace")
		got := *outcome.Error
		require.Equal(t, []any{e.Class, e.Name, e.Code, e.Message, e.Status, e.Host, "web.getJSON"}, []any{got.Class, got.Name, got.Code, got.Message, got.Status, got.Host, got.Tool})
		require.Equal(t, []sandbox.Frame{{Function: "main", Line: 4, Column: 21}}, got.Frames)
	}

	outcome := inProcess(t, code, refusing(sandbox.Error{Class: "no such class", Message: "x"}))
	require.Equal(t, []string{sandbox.ClassInternal, "InternalError"}, []string{outcome.Error.Class, outcome.Error.Name})

	stop := sandbox.Error{Class: sandbox.ClassInternal, Name: "UnanswerableError", Code: sandbox.CodeUnanswerable, Message: "not recorded"}
	outcome = inProcess(t, code, sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
		return sandbox.Reply{}, fmt.Errorf("replay: %w", &sandbox.StopError{Reason: stop})
	}))
	require.Equal(t, sandbox.CodeUnanswerable, outcome.Error.Code)
	require.Equal(t, "not recorded", outcome.Error.Message)
	require.Empty(t, outcome.Calls, "a call without an answer was not made")

	outcome = inProcess(t, code, nil)
	require.Equal(t, sandbox.CodeUnanswerable, outcome.Error.Code, "without a host, the journal is all there is")
	require.Contains(t, outcome.Error.Message, `web.getJSON["u"]`)
}

// Rule: once the run was ended no code of the script runs, not even what unwinding calls.
func TestNothingRunsOn(t *testing.T) {
	t.Parallel()
	denied := refusing(sandbox.Error{Class: sandbox.ClassPermission, Name: "PermissionError", Message: "no"})
	for name, body := range map[string]string{
		"catch":       `try { await web.getJSON('u') } catch (e) { for (;;); }`,
		"finally":     `try { await web.getJSON('u') } finally { for (;;); }`,
		"iterator":    `for (const x of { [Symbol.iterator]: () => ({ next: () => ({ done: false }), return() { for (;;); } }) }) web.getJSON('u')`,
		"destructure": `const [a = web.getJSON('u')] = { [Symbol.iterator]: () => ({ next: () => ({ done: false }), return() { for (;;); } }) }`,
		"generator":   `const g = (function* () { try { yield 1 } finally { for (;;); } })(); for (const x of g) web.getJSON('u')`,
		"native":      `[1, 2].map((n) => { if (n === 2) for (;;); return web.getJSON('u') })`,
		"from":        `Array.from({ [Symbol.iterator]: () => ({ next: () => ({ done: false }), return() { for (;;); } }) }, () => web.getJSON('u'))`,
		"jobs":        `Promise.resolve().then(() => web.getJSON('u')); Promise.resolve().then(() => { for (;;); })`,
		"getter":      `JSON.stringify({ get a() { web.getJSON('u') }, get b() { for (;;); } })`,
	} {
		x := execution("async function main() { " + body + " }")
		x.Limits = sandbox.Limits{Wall: time.Hour} // if something runs on, this test never ends
		outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), x, denied)
		require.NoError(t, err, name)
		require.NotNil(t, outcome.Error, name)
		require.Equal(t, sandbox.ClassPermission, outcome.Error.Class, name)
	}
}

// Rule: arguments that a tool refuses are a LogicError in the script, and no call.
func TestValidation(t *testing.T) {
	t.Parallel()
	outcome := inProcess(t, `async function main() { try { await web.getJSON() } catch (e) { return [e.name, e.message] } }`, nil)
	require.Equal(t, `["LogicError","web.getJSON: the first argument must be a URL"]`, string(outcome.Output))
	require.Empty(t, outcome.Calls)
}

// Rule: arguments are what the script made, trailing undefined ones left out; calls run
// one at a time in the order they are made, however the script waits for them.
func TestCalls(t *testing.T) {
	t.Parallel()
	var order []string
	host := sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
		order = append(order, call.Tool+string(call.Args))
		return sandbox.Reply{Result: json.RawMessage(fmt.Sprint(call.Seq)), MS: 10}, nil
	})
	outcome := inProcess(t, `async function main() {
		const late = kv.get('late');
		const all = await Promise.all([web.getJSON('a', undefined), kv.set('k', { b: undefined, a: [() => 1] }, null), notify('t', undefined, 'x', undefined)]);
		return [await late, all, await Promise.race([kv.get('r'), sleep(5)]), await [1, 2].reduce(async (p, n) => (await p) + (await kv.get('n' + n)), 0)];
	}`, host)
	require.Nil(t, outcome.Error, "%+v", outcome.Error)
	require.Equal(t, []string{`kv.get["late"]`, `web.getJSON["a"]`, `kv.set["k",{"a":[null]},null]`, `notify["t",null,"x"]`, `kv.get["r"]`, `kv.get["n1"]`, `kv.get["n2"]`}, order)
	require.Equal(t, `[1,[2,3,4],5,13]`, string(outcome.Output))
	require.Equal(t, int64(75), outcome.VirtualMS)
	require.Equal(t, sandbox.Call{Seq: 3, Tool: "kv.set", Args: json.RawMessage(`["k",{"a":[null]},null]`), Effect: sandbox.Write, Line: 3, Column: 69, At: 20}, outcome.Calls[2].Call)
	require.Equal(t, -1, outcome.Calls[2].Journal)
}

// Rule: the clock never turns back, however far calls and sleep move it.
func TestTheClockGoesOn(t *testing.T) {
	t.Parallel()
	const centuries = 10_000_000_000_000 // ms; more than a Duration holds
	outcome := inProcess(t, `async function main() {
		const began = Date.now(); await kv.get('a'); await sleep(1); return [Date.now() - began, new Date().toISOString()] }`,
		sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) { return sandbox.Reply{MS: centuries}, nil }))
	require.Equal(t, `[10000000000001,"2343-01-21T00:46:40.001Z"]`, string(outcome.Output))
}

// Rule: the journal answers by tool, canonical arguments and occurrence; what it does not
// have goes to the host.
func TestJournalOfRun(t *testing.T) {
	t.Parallel()
	x := execution(`async function main() {
		const got = [await kv.get({ b: 1, a: 2 }), await kv.get({ a: 2, b: 1 }), await kv.get({ a: 2, b: 1.0 }, null)];
		try { await web.getJSON('u') } catch (e) { got.push(e.status) }
		return got;
	}`)
	x.Journal = []sandbox.Entry{
		{Tool: "web.getJSON", Args: json.RawMessage(`["u"]`), Error: &sandbox.Error{Class: sandbox.ClassLogic, Name: "LogicError", Message: "gone", Status: 410}},
		{Tool: "kv.get", Args: json.RawMessage(`[{"a":2,"b":1},null]`), Result: json.RawMessage(`"first"`), MS: 5},
		{Tool: "kv.get", Args: json.RawMessage(`[{"b":1.0,"a":2}]`), Result: json.RawMessage(`"second"`)},
		{Tool: "kv.get", Args: json.RawMessage(`["never asked for"]`), Result: json.RawMessage(`1`)},
	}
	outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), x, replies(map[string]string{"kv.get": `"live"`}))
	require.NoError(t, err)
	require.Equal(t, `["first","second","live",410]`, string(outcome.Output))
	var from []int
	for _, call := range outcome.Calls {
		from = append(from, call.Journal)
	}
	require.Equal(t, []int{1, 2, -1, 0}, from)
	require.Equal(t, int64(5), outcome.VirtualMS)
}

// Rule: the limits on calls, log and results end a run.
func TestLimits(t *testing.T) {
	t.Parallel()
	run := func(code string, limits sandbox.Limits) *sandbox.Error {
		x := execution(code)
		x.Limits = limits
		outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), x, replies(map[string]string{"kv.get": `"0123456789"`}))
		require.NoError(t, err)
		return outcome.Error
	}
	require.Nil(t, run(`async function main() { for (let i = 0; i < 3; i++) await kv.get(i) }`, sandbox.Limits{Calls: 3}))
	require.Equal(t, sandbox.LimitCalls, run(`async function main() { for (let i = 0; i < 4; i++) await kv.get(i) }`, sandbox.Limits{Calls: 3}).Code)
	require.Equal(t, sandbox.LimitResult, run(`async function main() { await kv.get(1) }`, sandbox.Limits{ResultBytes: 11}).Code)
	require.Nil(t, run(`async function main() { return await kv.get(1) }`, sandbox.Limits{ResultBytes: 12}))
	require.Equal(t, sandbox.LimitResult, run(`async function main() { return 'x'.repeat(20) }`, sandbox.Limits{ResultBytes: 12}).Code)
	require.Equal(t, sandbox.LimitLog, run(`async function main() { console.log('x'.repeat(100)) }`, sandbox.Limits{LogBytes: 100}).Code)
	require.Nil(t, run(`async function main() { console.log('x'.repeat(84)) }`, sandbox.Limits{LogBytes: 100}))
}

// Rule: a run ends with its context, and says so.
func TestContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	x := execution(`async function main() { await kv.get('k'); for (;;); }`)
	_, err := process.InProcess{Bindings: bindings()}.Run(ctx, x, sandbox.HostFunc(func(context.Context, sandbox.Call) (sandbox.Reply, error) {
		cancel()
		return sandbox.Reply{}, nil
	}))
	require.ErrorIs(t, err, context.Canceled)
	_, err = process.InProcess{}.Run(ctx, x, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// genScript makes scripts that use whatever could differ from one run to the next.
func genScript(t *rapid.T) string {
	statements := []string{
		`out.push(Math.random());`,
		`out.push(crypto.randomUUID());`,
		`out.push(Date.now(), new Date().toString(), localTime().iso);`,
		`await sleep(Math.floor(Math.random() * 1000));`,
		`console.log(new Date(), Math.random(), { b: 1, a: [2] });`,
		`out.push(await kv.get('k' + Math.floor(Math.random() * 3)));`,
		`out.push(...(await Promise.all([kv.get('k0'), web.getJSON('u' + out.length), kv.get('k1')])));`,
		`try { out.push((await web.getJSON('u' + out.length)).rows.map((r) => r.id)) } catch (e) { out.push(e.message, e.stack) }`,
		`for (const k in { z: 1, a: 2, 1: 3 }) out.push(k);`,
		`out.push([...new Map([[{}, 1], ['b', 2]]).values()], [...new Set([3, 1, 2])], [3, 1, 2].sort(), Object.getOwnPropertyNames(globalThis), Object.keys(web), Object.getOwnPropertyNames(NetworkError.prototype));`,
		`await notify('n' + Math.random(), JSON.stringify(out).length);`,
		`if (Math.random() < 0.1) throw new Error('unlucky ' + Math.random());`,
		`if (Math.random() < 0.05) await new Promise(() => {});`,
		`if (Math.random() < 0.05) await web.getJSON('denied');`,
		`await Promise.allSettled([1, 2, 3].map(async (n) => { await sleep(n); out.push(n + Date.now()) }));`,
		`out.push(typeof (await web.postJSON('captured', out.length)));`,
	}
	code := "async function main(input) {\n  const out = [input];\n"
	for range rapid.IntRange(1, 12).Draw(t, "statements") {
		code += "  " + rapid.SampledFrom(statements).Draw(t, "statement") + "\n"
	}
	return code + "  return out;\n}"
}

// Rule: same code, input, seed and journal give byte for byte the same outcome: live, from
// the journal, in this process and in a worker.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	const runs = 500
	pool := newPool(t, 2)
	here := process.InProcess{Bindings: bindings()}
	done := 0
	check := func(rt *rapid.T) {
		x := execution(genScript(rt))
		x.Seed = rapid.StringMatching(`[a-z0-9]{0,8}`).Draw(rt, "seed")
		x.Input = json.RawMessage(fmt.Sprintf(`{"n":%d}`, rapid.Int().Draw(rt, "n")))
		x.Affinity = "determinism"
		host := sandbox.HostFunc(func(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
			if call.Tool == "kv.get" && len(call.Args)%2 == 0 {
				return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassNetwork, Name: "NetworkError", Message: "reset"}, MS: 3}, nil
			}
			reply, err := attackHost(ctx, call)
			reply.MS = int64(call.Seq)
			return reply, err
		})
		live, err := here.Run(t.Context(), x, host)
		if err != nil {
			rt.Fatal(err)
		}
		want := text(t, live)
		worker, err := pool.Run(t.Context(), x, host)
		if err != nil || text(t, worker) != want {
			rt.Fatalf("worker: %v\n%s\n%s", err, text(t, worker), want)
		}
		// The journal of this run answers the next one. Opaque answers are no journal
		// entries: the host gives them again.
		x.Journal = nil
		for i := range live.Calls {
			if live.Calls[i].Opaque {
				continue
			}
			live.Calls[i].Journal = len(x.Journal)
			call := live.Calls[i]
			x.Journal = append(x.Journal, sandbox.Entry{Tool: call.Tool, Args: call.Args, Effect: call.Effect, Result: call.Result, Error: call.Error, MS: call.MS})
		}
		want = text(t, live)
		onlyOpaque := sandbox.HostFunc(func(ctx context.Context, call sandbox.Call) (sandbox.Reply, error) {
			if call.Tool != "web.postJSON" {
				return sandbox.Reply{}, errors.New("the journal should have answered")
			}
			return host(ctx, call)
		})
		for name, runner := range map[string]sandbox.Runner{"here": here, "worker": pool} {
			again, err := runner.Run(t.Context(), x, onlyOpaque)
			if err != nil || text(t, again) != want {
				rt.Fatalf("replay %s: %v\n%s\n%s", name, err, text(t, again), want)
			}
		}
		done++
	}
	for done < runs {
		rapid.Check(t, check)
	}
}

// A call says where in the script it was made: at its opening parenthesis, also behind helpers.
func TestCallsKnowTheirPlace(t *testing.T) {
	t.Parallel()
	code := "const get = (x) => web.getJSON('u' + x);\nasync function main() {\n  await get('a'); /* ä */ await web\n    .getJSON('b').then(() => web?.getJSON('c'));\n  await Promise.all(['d'].map((x) => web.getJSON(x)));\n}"
	var places []string
	outcome := inProcess(t, code, sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
		places = append(places, fmt.Sprint(string(call.Args), call.Line, call.Column))
		return sandbox.Reply{Result: []byte("1")}, nil
	}))
	require.Nil(t, outcome.Error)
	require.Equal(t, []string{`["ua"]1 31`, `["b"]4 13`, `["c"]4 42`, `["d"]5 49`}, places)
}
