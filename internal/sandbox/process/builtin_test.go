package process_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
	"github.com/kintsugi-run/kintsugi/internal/sandbox/process"
)

// value is the JSON of an expression.
func value(t *testing.T, expression string) string {
	t.Helper()
	return output(t, "async function main(input) { return "+expression+" }")
}

// Rule: what models write of newer editions of the language than Node 20 has is there.
func TestNewerMethods(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ expression, want string }{
		{`[[...new Set([1, 2, 3]).union(new Set([3, 4]))], [...new Set([1, 2, 3]).intersection(new Map([[3, 1]]))], [...new Set([1, 2]).difference(new Set([2]))], [...new Set([1, 2]).symmetricDifference(new Set([2, 3]))]]`, `[[1,2,3,4],[3],[1],[1,3]]`},
		{`[new Set([1]).isSubsetOf(new Set([1, 2])), new Set([1, 2]).isSupersetOf(new Set([1])), new Set([1]).isDisjointFrom(new Set([2]))]`, `[true,true,true]`},
		{`['a\ud800'.isWellFormed(), '\ud83d\ude00'.isWellFormed(), 'a\ud800b'.toWellFormed()]`, "[false,true,\"a\ufffdb\"]"},
	} {
		require.Equal(t, tt.want, value(t, tt.expression), tt.expression)
	}
	require.JSONEq(t, `[[1,2],[10,21],["a","b"],"TypeError",3]`, output(t, `async function main() {
	const { promise, resolve } = Promise.withResolvers();
	resolve(3);
	return [
		await Array.fromAsync((async function* () { yield 1; yield 2; })()), await Array.fromAsync(new Set([1, 2]), async (x, i) => x * 10 + i),
		await Array.fromAsync({ length: 2, 0: 'a', 1: Promise.resolve('b') }), await Promise.try(() => { throw new TypeError('x'); }).catch((e) => e.name), await promise,
	];
}`))
}

// Rule: an option of a comparison that is not known here is refused by name, and never ignored.
func TestOptionsOfComparisonsAreRefused(t *testing.T) {
	t.Parallel()
	for _, options := range []string{`{ caseFirst: 'upper' }`, `{ ignorePunctuation: true }`, `{ usage: 'search' }`, `{ collation: 'phonebk' }`} {
		for _, use := range []string{`new Intl.Collator('de', %s)`, `'a'.localeCompare('b', 'de', %s)`} {
			said := value(t, `(() => { try { return [`+strings.Replace(use, "%s", options, 1)+`] } catch (e) { return e.name + e.message } })()`)
			require.Contains(t, said, "RangeError", options)
			require.Contains(t, said, strings.Trim(strings.Split(options, ":")[0], "{ "), options)
		}
	}
	require.Contains(t, value(t, `(() => { try { return ['a'.localeCompare('b', 'de-u-co-phonebk')] } catch (e) { return e.name + e.message } })()`), "give options instead")
	require.Equal(t, "[-1,-1]", value(t, `['a'.localeCompare('b', 'de', { caseFirst: 'false', ignorePunctuation: false, usage: 'sort' }), new Intl.Collator('de', {}).compare('a', 'b')]`))
}

// Rule: what docs/scripts.md lists as otherwise than in Node is so: who mends one takes it from the list.
func TestListedDeviationsAreSo(t *testing.T) {
	t.Parallel()
	for expression, here := range map[string]string{
		"(() => { const seen = new WeakMap(), f = (x) => { const had = seen.has(x); seen.set(x, 1); return had }, g = () => f`a`; g(); return g() })()": `false`,
	} {
		require.Equal(t, here, value(t, expression), expression)
	}
}

// Rule: what is handed to process.nextTick comes when the code that runs has ended, before jobs of promises, and of jobs when none
// is left, as in Node; what fails there fails the run.
func TestNextTick(t *testing.T) {
	t.Parallel()
	const order = `const seen = [];
		setTimeout(() => { seen.push('timer'); Promise.resolve().then(() => seen.push('job of timer')); process.nextTick((a, b) => seen.push('tick of timer', a, b), 1, 2); }, 0);
		Promise.resolve().then(() => { seen.push('job'); process.nextTick(() => seen.push('tick of job')); }).then(() => seen.push('job of job'));
		queueMicrotask(() => seen.push('queued'));
		process.nextTick(() => { seen.push('tick'); process.nextTick(() => seen.push('tick of tick')); Promise.resolve().then(() => seen.push('job of tick')); });
		(async () => { seen.push('begun'); await null; seen.push('awaited'); })();
		seen.push('end');`
	const rest = `"job of job","tick of job","timer","tick of timer",1,2,"job of timer"]`
	require.Equal(t, `["begun","end","tick","tick of tick","job","queued","awaited","job of tick",`+rest,
		output(t, `function main() { `+order+` return new Promise((r) => setTimeout(() => r(seen), 5)); }`))
	require.Equal(t, `["begun","end","job","queued","awaited",`+`"job of job","tick","tick of job","tick of tick","job of tick",`+strings.TrimPrefix(rest, `"job of job","tick of job",`),
		output(t, "import { EOL } from 'os';\n"+order+`await new Promise((r) => setTimeout(r, 5)); return EOL && seen;`))
	failed := fail(t, "async function main() { process.nextTick(() => {\nthrow new RangeError('in a tick'); }); await null; return 1; }")
	require.Equal(t, "in a tick", failed.Message)
	require.NotContains(t, failed.Stack, "ticks.js")
	require.Equal(t, 2, failed.Frames[0].Line)
}

// Rule: iterators have what ES2025 gives them: nothing is asked for before it is needed, and what is not needed is closed.
func TestIteratorHelpers(t *testing.T) {
	t.Parallel()
	for expression, want := range map[string]string{
		`new Map([['a', 1], ['b', 2]]).values().map((x, i) => x * 10 + i).toArray()`:                                        `[10,21]`,
		`[1, 2, 3, 4].values().filter((x) => x % 2).toArray()`:                                                              `[1,3]`,
		`[...(function* () { for (let i = 0; ; i++) yield i; })().drop(2).filter((x) => x % 3).take(3)]`:                    `[2,4,5]`,
		`[[1, 2], [3]].values().flatMap((x) => x).toArray()`:                                                                `[1,2,3]`,
		`new Set([1, 2, 3]).values().reduce((a, b) => a + b)`:                                                               `6`,
		`[new Set([1, 2]).keys().some((x) => x > 1), [1].values().every((x) => x > 1), [1, 5].values().find((x) => x > 1)]`: `[true,false,5]`,
		`(() => { const seen = []; [7].entries().forEach((x) => seen.push(x)); return seen; })()`:                           `[[0,7]]`,
		`Iterator.from({ next() { return { done: this.n > 2, value: this.n++ }; }, n: 1 }).map((x) => x).toArray()`:         `[1,2]`,
		`(() => { const seen = []; const g = (function* () { try { yield 1; yield 2; } finally { seen.push('closed'); } })(); for (const x of g.map((x) => x)) { seen.push(x); break; } return seen; })()`:                                           `[1,"closed"]`,
		`(() => { let closed = 0; const g = { __proto__: Iterator.prototype, next: () => ({ value: 1, done: false }), return() { closed++; return {}; } }; try { g.map(() => { throw 1; }).next(); } catch {} g.take(0).next(); return closed; })()`: `2`,
		`(() => { try { [].values().take(-1); } catch (e) { return e.name; } })()`: `"RangeError"`,
		`Array.from('aXbX'.matchAll(/X/g).map((m) => m.index))`:                    `[1,3]`,
	} {
		require.Equal(t, want, value(t, expression), expression)
	}
}

// Rule: URLs are taken apart and put together as in browsers.
func TestURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ expression, want string }{
		{`new URL('https://user:pa%20ss@Example.test:443/a/../b c?q=1&r=ü#frag').href`, `"https://user:pa%20ss@example.test/b%20c?q=1&r=%C3%BC#frag"`},
		{`(({ protocol, username, password, host, hostname, port, pathname, search, hash, origin }) => [protocol, username, password, host, hostname, port, pathname, search, hash, origin])(new URL('http://u:p@h.test:8080/p?q#f'))`,
			`["http:","u","p","h.test:8080","h.test","8080","/p","?q","#f","http://h.test:8080"]`},
		{`new URL('../c?x', 'https://h.test/a/b/d').href`, `"https://h.test/a/c?x"`},
		{`new URL('/c', 'https://h.test/a/b?q#f').href`, `"https://h.test/c"`},
		{`new URL('?x=1', 'https://h.test/a/b?q#f').href`, `"https://h.test/a/b?x=1"`},
		{`new URL('#n', 'https://h.test/a/b?q#f').href`, `"https://h.test/a/b?q#n"`},
		{`new URL('', 'https://h.test/a/b?q#f').href`, `"https://h.test/a/b?q"`},
		{`new URL('//other.test/x', 'https://h.test/a').href`, `"https://other.test/x"`},
		{`new URL('c', 'https://h.test').href`, `"https://h.test/c"`},
		{`new URL('./', 'https://h.test/a/b').href`, `"https://h.test/a/"`},
		{`new URL('https://h.test').href`, `"https://h.test/"`},
		{`new URL('https:\\\\h.test\\a').href`, `"https://h.test/a"`},
		{`new URL('https://[2001:DB8::1]:80/').host`, `"[2001:db8::1]:80"`},
		{`new URL('mailto:a@b.test').href`, `"mailto:a@b.test"`},
		{`new URL('mailto:a@b.test').origin`, `"null"`},
		{`new URL(' https://h.test/\n').href`, `"https://h.test/"`},
		{`JSON.stringify({ u: new URL('https://h.test') })`, `"{\"u\":\"https://h.test/\"}"`},
		{"`${new URL('https://h.test/x')}`", `"https://h.test/x"`},
		{`['x', '//h', 'https://', 'https://a b', 'https://h:99999', 'https://[1::2', 'https://h:1x'].map((u) => { try { return new URL(u).href } catch (e) { return e.name } })`,
			`["TypeError","TypeError","TypeError","TypeError","TypeError","TypeError","TypeError"]`},
		{`[URL.canParse('x'), URL.canParse('x', 'https://h.test'), URL.parse('x')]`, `[false,true,null]`},
		{`(() => { const u = new URL('https://h.test/a?x=1#f'); u.searchParams.set('x', 'ä b'); u.searchParams.append('y', '&'); u.hash = ''; u.pathname = 'b?c'; u.port = '8443'; u.hostname = 'o.test'; u.protocol = 'http'; u.username = 'me'; return u.href })()`,
			`"http://me@o.test:8443/b%3Fc?x=%C3%A4+b&y=%26"`},
		{`(() => { const u = new URL('https://h.test/'); const p = u.searchParams; u.search = 'a=1&a=2'; return [p.getAll('a'), u.search, u.searchParams === p] })()`, `[["1","2"],"?a=1&a=2",true]`},
		{`(() => { const u = new URL('https://h.test/'); u.host = 'bad host'; u.port = 'x'; u.protocol = 'mailto'; return u.href })()`, `"https://h.test/"`},
		{`(() => { const u = new URL('https://h.test/'); u.host = 'o.test:81'; u.href = u.href + 'x'; return [u.host, u.pathname] })()`, `["o.test:81","/x"]`},
	} {
		require.Equal(t, tt.want, value(t, tt.expression), tt.expression)
	}
}

func TestURLSearchParams(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ expression, want string }{
		{`new URLSearchParams('?a=1&b=%C3%BC+x&c&a=2').toString()`, `"a=1&b=%C3%BC+x&c=&a=2"`},
		{`[...new URLSearchParams({ a: 1, b: 'x y' })]`, `[["a","1"],["b","x y"]]`},
		{`String(new URLSearchParams([['b', 2], ['a', 1]]))`, `"b=2&a=1"`},
		{`(() => { const p = new URLSearchParams('b=2&a=1&b=3'); p.sort(); p.delete('b', '3'); return [p.get('a'), p.get('z'), p.getAll('b'), p.has('b'), p.has('b', '9'), p.size, [...p.keys()], [...p.values()], [...p.entries()]] })()`,
			`["1",null,["2"],true,false,2,["a","b"],["1","2"],[["a","1"],["b","2"]]]`},
		{`(() => { const seen = []; new URLSearchParams('a=1&b=2').forEach((v, k) => seen.push(k + v)); return seen })()`, `["a1","b2"]`},
		{`new URLSearchParams('a=%zz&b=100%').getAll('a').concat(new URLSearchParams('b=100%').get('b'))`, `["%zz","100%"]`},
		{`new URLSearchParams(new URLSearchParams('a=1')).toString()`, `"a=1"`},
		{`new URLSearchParams().toString()`, `""`},
		{`(() => { const p = new URLSearchParams('a=1&b=2&a=3'); p.set('a', 9); return p.toString() })()`, `"a=9&b=2"`},
	} {
		require.Equal(t, tt.want, value(t, tt.expression), tt.expression)
	}
}

// Rule: times are taken apart in the workflow's zone, or the one named.
func TestLocalTime(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `{"year":2026,"month":3,"day":2,"hour":7,"minute":0,"second":0,"weekday":1,"offset":0,"date":"2026-03-02","iso":"2026-03-02T07:00:00+00:00"}`,
		value(t, "localTime()"))
	require.JSONEq(t, `[3,120,"2026-03-29T03:00:00+02:00","2026-03-29"]`,
		value(t, "(({ hour, offset, iso, date }) => [hour, offset, iso, date])(localTime(Date.UTC(2026, 2, 29, 1), 'Europe/Berlin'))"), "after the clocks changed")
	require.Equal(t, `"2026-03-29T01:59:59+01:00"`, value(t, "localTime('2026-03-29T00:59:59Z', 'Europe/Berlin').iso"))
	require.Equal(t, `"1969-12-31T19:00:00-05:00"`, value(t, "localTime(new Date(0), 'America/New_York').iso"))
	require.Equal(t, `["RangeError","RangeError","RangeError"]`,
		value(t, "[[0, 'Mars/Phobos'], ['yesterday'], [0, 'Local']].map((a) => { try { return localTime(...a) } catch (e) { return e.name } })"))

	x := execution("const main = () => localTime(0).iso")
	x.Zone = "Asia/Tokyo"
	outcome, err := process.InProcess{}.Run(t.Context(), x, nil)
	require.NoError(t, err)
	require.Equal(t, `"1970-01-01T09:00:00+09:00"`, string(outcome.Output))

	x.Zone = "Nowhere"
	outcome, err = process.InProcess{}.Run(t.Context(), x, nil)
	require.NoError(t, err)
	require.Equal(t, sandbox.ClassInternal, outcome.Error.Class, "a bad setting is not the script's fault")
}

func TestTextAndCrypto(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ expression, want string }{
		{`btoa('héllo')`, `"aOlsbG8="`},
		// The host encodes the value: a script does not have it.
		{`'Basic ' + btoa('user:' + secret('X'))`, `"Basic {{base64:user:{{secret:X}}}}"`},
		{`btoa(secret('A.b') + ':' + secret('C'))`, `"{{base64:{{secret:A.b}}:{{secret:C}}}}"`},
		{`[() => btoa('{' + secret('X')), () => btoa(btoa(secret('X'))), () => atob(btoa(secret('X'))), () => crypto.hash('sha256', 'a' + secret('X')), () => crypto.hash('md5', btoa(secret('X')))].map((f) => { try { return f() } catch (e) { return e.name + (e.message.includes('secret') ? ' about the secret' : '') } })`,
			`["TypeError about the secret","TypeError about the secret","TypeError about the secret","TypeError about the secret","TypeError about the secret"]`},
		{`atob('aOls bG8')`, `"héllo"`},
		{`atob(btoa('\u0000\u00ff')) === '\u0000\u00ff'`, `true`},
		{`[() => btoa('€'), () => atob('a'), () => atob('*')].map((f) => { try { return f() } catch (e) { return e.name } })`, `["InvalidCharacterError","InvalidCharacterError","InvalidCharacterError"]`},
		{`crypto.hash('sha256', 'abc')`, `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`},
		{`crypto.hash('SHA-1', 'ü')`, `"94a759fd37735430753c7b6b80684306d80ea16e"`},
		{`crypto.hash('md5', '')`, `"d41d8cd98f00b204e9800998ecf8427e"`},
		{`crypto.hash('sha512', 'abc').length`, `128`},
		{`/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())`, `true`},
		{`new Set([crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()]).size`, `3`},
		{`structuredClone({ d: new Date(0), m: new Map([[1, { a: [1, , 3] }]]).get(1), s: [...new Set([1])], n: null, u: undefined })`, `{"d":"1970-01-01T00:00:00.000Z","m":{"a":[1,null,3]},"s":[1],"n":null}`},
		{`(() => { const o = { a: {} }; o.self = o; const c = structuredClone(o); return [c !== o, c.self === c, c.a !== o.a] })()`, `[true,true,true]`},
		{`(() => { try { structuredClone({ f() {} }) } catch (e) { return e.name } })()`, `"DataCloneError"`},
		{`secret('API_TOKEN')`, `"{{secret:API_TOKEN}}"`},
		{`(() => { try { secret('a}}b') } catch (e) { return [e.name, e instanceof LogicError] } })()`, `["LogicError",true]`},
	} {
		require.Equal(t, tt.want, value(t, tt.expression), tt.expression)
	}
}

// Rule: console writes the log: words joined by a space, objects as JSON, four levels.
func TestConsole(t *testing.T) {
	t.Parallel()
	outcome := inProcess(t, `async function main() {
		console.log('a', 1, { b: [1, 'x'] }, null, undefined, true);
		console.info(new Error('boo'), [], 1n, Symbol('s'));
		console.warn(() => 1, new Map());
		console.error();
		console.debug(-0, NaN, 'ü');
		const circle = {}; circle.self = circle;
		console.log(circle, '\ud800');
	}`, nil)
	require.Nil(t, outcome.Error)
	require.Equal(t, []sandbox.LogLine{
		{Level: "info", Text: `a 1 {"b":[1,"x"]} null undefined true`},
		{Level: "info", Text: `Error: boo [] 1 Symbol(s)`},
		{Level: "warn", Text: `[function] Map(0) []`},
		{Level: "error", Text: ``},
		{Level: "info", Text: `0 NaN ü`},
		{Level: "info", Text: "[object] \uFFFD"},
	}, outcome.Log)
}

// Rule: the clock stands still but for sleep and the time that calls took.
func TestClock(t *testing.T) {
	t.Parallel()
	require.Equal(t, `[1772434800000,1500,1500,"2026-03-02T07:00:01.500Z"]`, output(t, `async function main() {
		const start = Date.now();
		for (let i = 0; i < 1e5; i++);
		const same = Date.now() - start;
		await sleep(1000);
		await Promise.all([sleep(500.9), sleep(-5), sleep(NaN), sleep()]);
		return [start, same + Date.now() - start, Date.now() - start, new Date().toISOString()];
	}`))
	x := execution(`async function main() { const a = Date.now(); await web.getJSON('u'); return Date.now() - a }`)
	x.Journal = []sandbox.Entry{{Tool: "web.getJSON", Args: json.RawMessage(`["u"]`), MS: 250}}
	outcome, err := process.InProcess{Bindings: bindings()}.Run(t.Context(), x, nil)
	require.NoError(t, err)
	require.Equal(t, "250", string(outcome.Output))
	require.Equal(t, int64(250), outcome.VirtualMS)
}

// Rule: what a script returns is JSON as JavaScript makes it, key order kept.
func TestOutput(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ expression, want string }{
		{`undefined`, `null`},
		{`(() => 1)`, `null`},
		{`Symbol('x')`, `null`},
		{`[NaN, Infinity, -0, undefined, () => 1, Symbol('x')]`, `[null,null,0,null,null,null]`},
		{`{ b: 1, a: undefined, 2: 'x', c: new Date(0) }`, `{"2":"x","b":1,"c":"1970-01-01T00:00:00.000Z"}`},
		{`'\u2028 é \ud800'`, "\"\u2028 é \\ud800\""},
		{`Promise.resolve({ then(r) { r(5) } })`, `5`},
		{`input`, `null`},
		{`new Map([[1, 2]])`, `{}`},
	} {
		require.Equal(t, tt.want, value(t, tt.expression), tt.expression)
	}
	require.Equal(t, `7`, output(t, `function main() { return { then(resolve) { resolve(7) } } }`), "main need not be async")

	x := execution(`const main = (input) => input`)
	x.Input = json.RawMessage(`{"b": 1, "a": "\ud800é\ud83d\ude00", "n": [1e21, 0.1, -0, 1e400], "__proto__": 1, "" : {}}`)
	outcome, err := process.InProcess{}.Run(t.Context(), x, nil)
	require.NoError(t, err)
	require.Equal(t, `{"b":1,"a":"\ud800é😀","n":[1e+21,0.1,0,null],"__proto__":1,"":{}}`, string(outcome.Output))

	x.Input = json.RawMessage(`{"b"`)
	outcome, err = process.InProcess{}.Run(t.Context(), x, nil)
	require.NoError(t, err)
	require.Equal(t, sandbox.ClassInternal, outcome.Error.Class)
	require.Contains(t, outcome.Error.Message, "input")
}

// This records what goja does differently from other engines, so that a new version that
// changes it is noticed: recorded runs would replay differently. Scripts should use ===.
func TestLanguage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ expression, want string }{
		{`['6.00' == 6, '1e1' == 10, true == '1.0', 6 == '6.00', '6' == 6]`, `[true,true,true,true,true]`}, // the engine alone: false, false, false
		{`typeof Intl`, `"object"`},
		{`(1234567.891).toLocaleString()`, `"1,234,567.891"`},
		{`/\p{L}/u.test('é')`, `true`}, // the engine alone: false
		{`[1 < 2 < 3, 3 > 2 > 1, 3 > (2 > 1), 1 < 2 < 3 < 4, 5 > 4 >= 1 > 0]`, `[true,false,true,true,true]`}, // the engine alone: false, true
		{`(() => { try { null.x } catch (e) { return e.message } })()`, `"Cannot read property 'x' of undefined"`},
		{`(() => { try { JSON.parse('<') } catch (e) { return e.message } })()`, `"invalid character '\u003c' looking for beginning of value"`},
		{`new Date(2026, 0, 1).getTimezoneOffset()`, `0`},
		{`(() => { undefined = 5; NaN = 5; Infinity = 5; return [globalThis.undefined === void 0, globalThis.NaN !== 5, globalThis.Infinity > 5] })()`, `[true,true,true]`},
		{`[Object.keys(globalThis).includes('console'), 'console' in globalThis, typeof missing, this === undefined || this === globalThis]`, `[false,true,"undefined",true]`},
		{`[1, 2, 3].toSorted((a, b) => b - a).at(-1) ?? [3, 1].findLast((x) => x > 2)`, `1`},
	} {
		require.Equal(t, strings.ReplaceAll(tt.want, `\u003c`, "<"), value(t, tt.expression), tt.expression)
	}
}

// Rule: what the engine lacks on a standard class is there for a script that names it, as Node has it.
func TestGroupBy(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ expression, want string }{
		{`Object.groupBy([1, 2, 3], (n) => n % 2 ? 'odd' : 'even')`, `{"odd":[1,3],"even":[2]}`},
		{`[...Map.groupBy('abca', (c, i) => i > 1)].map(([k, v]) => k + v.join(''))`, `["falseab","trueca"]`},
		{`[Object.getPrototypeOf(Object.groupBy([], String)), Object.groupBy.name, Object.keys(Object)]`, `[null,"groupBy",[]]`},
		{`(() => { try { Object.groupBy([1]) } catch (e) { return e.name } })()`, `"TypeError"`},
	} {
		require.Equal(t, tt.want, value(t, tt.expression), tt.expression)
	}
}
