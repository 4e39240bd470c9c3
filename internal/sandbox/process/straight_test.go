package process_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// answering is a host with an answer of each kind, by the first argument.
func answering(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
	fail := func(e sandbox.Error) (sandbox.Reply, error) { return sandbox.Reply{Error: &e}, nil }
	switch args := string(call.Args); {
	case strings.Contains(args, "down"):
		return fail(sandbox.Error{Class: sandbox.ClassNetwork, Name: "NetworkError", Code: "timeout", Message: "GET https://x.test: status 503", Status: 503, Body: "busy"})
	case strings.Contains(args, "missing"):
		return fail(sandbox.Error{Class: sandbox.ClassLogic, Name: "NotFoundError", Message: "status 404", Status: 404})
	case strings.Contains(args, "denied"):
		return fail(sandbox.Error{Class: sandbox.ClassPermission, Message: "no"})
	case strings.Contains(args, "stop"):
		return sandbox.Reply{}, &sandbox.StopError{Reason: sandbox.Error{Class: sandbox.ClassInternal, Code: "stopped", Message: "enough"}}
	case strings.Contains(args, "opaque"):
		return sandbox.Reply{Opaque: true}, nil
	}
	return sandbox.Reply{Result: json.RawMessage(`{"n":1,"list":[1,2,{"a":null}]}`), MS: 7}, nil
}

// Rule: of a script that is run without promises comes exactly what comes of it with them: output, calls and their places, log,
// clock, and errors with their stacks and fingerprints.
func TestScriptsWithoutPromises(t *testing.T) {
	t.Parallel()
	for i, body := range []string{
		`const a = await web.getJSON('u'); const b = await kv.set('k', a.list); return [a, b, new Date().toISOString(), Math.random()]`,
		`for (const n of [1, 2, 3]) { console.log('n', n); await kv.set('k' + n, await kv.get('x')) } return input`,
		`await sleep(90000); await sleep(-1); return Date.now()`,
		`await sleep(1e12)`,
		"const a: { n: number } = await web.getJSON('u');\n  type Row = string;\n  return [a.n as number, (await kv.get('x'))!.none.n]",
		`await web.getJSON('down')`,
		"\n  const a = await web.getJSON('u');\n  return await web.getJSON(`missing ${a.n}`)",
		`try { await web.getJSON('down') } catch (e) { return [e.name, e.message, e.stack, e.status, e instanceof NetworkError] } finally { await kv.set('done', 1) }`,
		`try { await web.getJSON('down') } catch (e) { throw new Error('no report', { cause: e }) }`,
		`try { await web.getJSON('down') } catch (e) { e.message = 'mine'; throw e }`,
		`await web.getJSON('denied'); return 1`,
		`await kv.get('stop'); return 1`,
		`const o = await kv.get('opaque'); return typeof o`,
		`const o = await kv.get('opaque'); return o.x`,
		`await web.getJSON(); return 1`, // refused by its Validate
		`await web.nothing('x')`,
		`const a = await web.getJSON('u'); return a.none.n`,
		`const a = await web.getJSON('u'); const inner = (v) => v.none.n; return a.list.map(inner)`,
		`function inner(v) { throw new RangeError('of ' + v) } const a = await web.getJSON('u'); return a.list.map(inner)`,
		`throw 'a text'`, `throw null`, `throw { message: 'an object', n: 1 }`, `throw new AuthError('mine')`,
		`await kv.get('x'); throw undefined`,
		`const deep = (n) => deep(n + 1) + 1; await kv.get('x'); return deep(0)`,
		`for (let i = 0; ; i++) await kv.set('k' + i, i)`,
		`function* numbers() { yield 1; yield* [2, 3] } let sum = 0; for (const n of numbers()) sum += n * (await kv.get('x')).n; return sum`,
		`const { n, list: [first, , { a = 5 }] } = await web.getJSON('u'); return { n, first, a }`,
		`outer: for (const a of [1, 2]) { for (const b of [1, 2]) { if (b === 2) continue outer; if ((await kv.get('x')).n == '1' && a == 2) break outer } } return 1 < 2 < 3`,
		`return { when: new Date(0), left: undefined, nan: NaN, toJSON() { return [this.when] } }`,
		`return 7n`, `return`, `return (await kv.get('x')) ?? 1`, `return input?.none?.[await kv.get('x')]`,
		"return `${(await kv.get('x')).n} and ${typeof main2}`; var main2 = await notify('x')",
		`class Rows { #rows = []; add(row) { this.#rows.push(row); return this } get all() { return this.#rows } } return new Rows().add(await kv.get('x')).all`,
		`return secret('TOKEN') + (await notify(secret('TOKEN'))).n`,
		`return (() => {}).constructor`, `return (async () => {}).constructor`, `return [(function* () {}).constructor, typeof main]`,
		`return [typeof web.getJSON('u'), await kv.get('x')]`, `return kv.get('x')`, `return Promise.all([kv.get('x'), kv.get('y')])`,
		`const late = kv.get('x'); const soon = await kv.get('y'); return [soon, await late]`, `return kv.get('x').then((v) => v.n)`,
		`const get = kv.get; return [get('x') === 1, await get('x')]`, `return await { then(done) { done(5) } }`, `return { then(done) { done(5) } }`,
		`const f = async () => 1; return [f() === 1, await f(), await kv.get('x')]`, `setTimeout(() => console.log('late'), 5); return (await kv.get('x')).n`,
		`let n = 0; queueMicrotask(() => n++); await kv.get('x'); return n`, `await null; return arguments.length`, `return arguments.length + (await kv.get('x')).n`,
		`const web = { getJSON: (u) => u }; return await web.getJSON('u')`, `return (await other.getJSON('u')).n`, `return main.name + (await kv.get('x')).n`,
		`return [await kv.get('x'), typeof globalThis.main]`, `return await Array.fromAsync([1])`,
		`async function helper() { return 1 } return [helper() === 1, await helper(), await kv.get('x')]`, `/* setTimeout */ await sleep(5); return [await kv.get('x'), Date.now()]`,
		`return [Object.keys(globalThis['kv'].get('x')), await kv.get('y')]`, `return await (async function* () {})()`,
		`return [await Promise.resolve(5)]`, `return [typeof main.prototype, await kv.get('x')]`, `const f = (v) => v; return [await f(await kv.get('x')), await 5]`,
		`return [await fetch('u').catch((e) => e.name), await kv.get('x')]`,
	} {
		limited := func(code string) sandbox.Execution {
			x := execution(code)
			x.Input, x.Limits = json.RawMessage(`{"day":"2026-03-01"}`), sandbox.Limits{Calls: 9}
			x.Journal = []sandbox.Entry{{Tool: "web.getJSON", Args: json.RawMessage(`["u"]`), Effect: sandbox.Read, Result: json.RawMessage(`{"n":2,"list":[1,2,{}]}`), MS: 3}}
			return x
		}
		code := "async function main(input) { " + body + " }"
		if i%2 == 1 {
			code = "import { kv, web } from 'kintsugi';\nexport " + code // as a module, which is strict
		}
		runner := process.InProcess{Bindings: bindings()}
		without, err := runner.Run(t.Context(), limited(code), sandbox.HostFunc(answering))
		require.NoError(t, err)
		with, err := runner.Run(t.Context(), limited(code+"\nasync function another() {}"), sandbox.HostFunc(answering))
		require.NoError(t, err)
		require.Equal(t, with, without, body)
		both := [2]sandbox.Outcome{} // so it is where reads may overlap
		for i, end := range []string{"", "\n"} {
			x := limited(code + end)
			x.Overlap = true
			both[i], err = runner.Run(t.Context(), x, sandbox.HostFunc(answering))
			require.NoError(t, err)
		}
		require.Equal(t, both[1], both[0], body)
	}
}
