package process_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kintsugi-run/kintsugi/internal/sandbox"
)

// hostile is a script that must not get away with something.
type hostile struct {
	name string
	code string // a whole script, or what stands in main
	want string // class or code of the error, or the output
}

func (h hostile) script() string {
	if strings.Contains(h.code, "main") {
		return h.code
	}
	return "async function main(input) {\n" + h.code + "\n}"
}

// attackHost answers what the hostile scripts ask for.
var attackHost = sandbox.HostFunc(func(_ context.Context, call sandbox.Call) (sandbox.Reply, error) {
	switch args := string(call.Args); {
	case strings.Contains(args, "denied"):
		return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassAuth, Name: "AuthError", Message: "status 401", Status: 401}}, nil
	case strings.Contains(args, "down"):
		return sandbox.Reply{Error: &sandbox.Error{Class: sandbox.ClassNetwork, Name: "NetworkError", Message: "connection refused"}}, nil
	case strings.Contains(args, "captured"):
		return sandbox.Reply{Opaque: true}, nil
	case strings.Contains(args, "deep"):
		return sandbox.Reply{Result: json.RawMessage(strings.Repeat("[", 2000) + strings.Repeat("]", 2000))}, nil
	case strings.Contains(args, "broken"):
		return sandbox.Reply{}, errors.New("the disk is gone")
	case strings.Contains(args, "panic"):
		panic("a tool has a bug")
	}
	return sandbox.Reply{Result: json.RawMessage(`{"status":200,"rows":[1,2,3],"__proto__":{"admin":true}}`)}, nil
})

// judge requires that a run ended as it should.
func judge(t *testing.T, want string, outcome sandbox.Outcome) {
	t.Helper()
	if outcome.Error == nil {
		require.Equal(t, want, string(outcome.Output))
		return
	}
	got := outcome.Error.Class
	if strings.Contains(want, ".") || want == sandbox.CodeUnanswerable {
		got = outcome.Error.Code
	}
	require.Equal(t, want, got, "%s", text(t, outcome.Error))
	require.Empty(t, outcome.Output)
	require.NotEmpty(t, outcome.Error.Name)
	require.NotEmpty(t, outcome.Error.Strict)
	if outcome.Error.Class == sandbox.ClassLimit {
		require.True(t, strings.HasPrefix(outcome.Error.Code, "limit."), "a limit says which one")
	}
}

// Rule: whatever one script does, it ends inside its limits with a class that says why,
// and neither the host nor the runs beside it notice.
func TestAttacks(t *testing.T) {
	t.Parallel()
	pool := newPool(t, 4)

	// An honest workflow runs all the while.
	ctx, stop := context.WithCancel(t.Context())
	honest := make(chan error, 1)
	go func() {
		for {
			x := journaled()
			outcome, err := pool.Run(ctx, x, nil)
			switch {
			case ctx.Err() != nil:
				honest <- nil
				return
			case err != nil:
				honest <- err
				return
			case string(outcome.Output) != `{"count":3}`:
				honest <- errors.New("the honest run was disturbed")
				return
			}
			select {
			case <-ctx.Done():
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	run := func(t *testing.T, want, code string) sandbox.Outcome {
		t.Helper()
		x := execution(code)
		if want == limit {
			x.Limits = tight
		} else { // it ends by itself, however busy the machine is
			x.Limits = sandbox.Limits{Memory: tight.Memory, Wall: 45 * time.Second}
		}
		began := time.Now()
		outcome, err := pool.Run(t.Context(), x, attackHost)
		require.NoError(t, err)
		require.Less(t, time.Since(began), time.Minute, "contained, however busy the machine is")
		return outcome
	}

	data, err := os.ReadFile("../../../testdata/attacks.json")
	require.NoError(t, err)
	var list []struct{ Name, Code string }
	require.NoError(t, json.Unmarshal(data, &list))
	require.Len(t, list, len(known))
	t.Run("known", func(t *testing.T) {
		for _, attack := range list {
			want, ok := known[attack.Name]
			require.True(t, ok, attack.Name)
			t.Run(attack.Name, func(t *testing.T) {
				t.Parallel()
				judge(t, want, run(t, want, "async function main() {\n"+attack.Code+"\n}"))
				judge(t, want, run(t, want, attack.Code+"\nasync function main() {}"))
			})
		}
	})
	t.Run("ours", func(t *testing.T) {
		for _, attack := range slices.Concat(ours, long()) {
			t.Run(attack.name, func(t *testing.T) {
				t.Parallel()
				judge(t, attack.want, run(t, attack.want, attack.script()))
			})
		}
	})
	stop()
	require.NoError(t, <-honest)
}

const (
	limit = sandbox.ClassLimit
	logic = sandbox.ClassLogic
)

// known says how each of testdata/attacks.json ends, in main and at the top level.
var known = map[string]string{
	"infinite loop":                        limit,
	"interrupt then finally loop":          limit,
	"deep recursion JS":                    sandbox.LimitStack,
	"recursion via native Array.map":       sandbox.LimitStack,
	"recursion via getter":                 sandbox.LimitStack,
	"recursion via Proxy get":              sandbox.LimitStack,
	"recursion via bind chain":             limit,
	"nested arrays toString":               limit,
	"JSON.parse deep nesting":              limit,
	"flat(Infinity) deep":                  limit,
	"eval deep arrays":                     logic, // there is no eval
	"eval deep binary a+a+a":               logic,
	"rope string concat deep":              limit,
	"regex backtrack RE2-able (a+)+$":      "null",
	"regex backref":                        limit,
	"regex compile bomb":                   "null",
	"array push":                           limit,
	"string doubling":                      limit,
	"'x'.repeat(1e9)":                      sandbox.LimitMemory,
	"padEnd 2e9":                           logic,
	"Array.from length 1e9":                limit,
	"Array(1e8).sort":                      limit,
	"indexOf on length 2**53-1":            limit,
	"forEach on length 2**53-1":            limit,
	"Uint8Array(1e10)":                     logic,
	"BigInt 2n**1000000000n":               limit,
	"BigInt toString":                      limit,
	"replace expansion":                    limit,
	"split join big":                       limit,
	"JSON.stringify indent":                limit,
	"async infinite await":                 limit,
	"promise never resolved":               "null", // nobody waits for it
	"sparse array forEach":                 limit,
	"sourceMappingURL file read":           logic,
	"Symbol.toPrimitive loop":              limit,
	"normalize big":                        limit,
	"spread call 1e7 args":                 limit,
	"new RegExp source huge":               limit,
	"Date loop":                            "null",
	"throw Error with message getter loop": limit,
	"throw Proxy":                          limit,
	"return getter throws + Export":        "null",
	"return array w/ length getter Export": "null",
	"return cyclic + Export":               "null",
	"labels/continue tight":                limit,
	"host sleep (blocking host fn)":        "null", // sleep takes virtual time only
}

// long are scripts that no worker has to make before it is one.
func long() []hostile {
	return []hostile{
		{"nested source", "function main() { return " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000) + " }", logic},
		{"long chain of operators", "function main() { return 1" + strings.Repeat("+1", 100000) + " }", logic},
		{"parameters in parameters", "const f = " + strings.Repeat("(a = ", 30) + "1" + strings.Repeat(") => 1", 30) + "\nfunction main() {}", logic},
		{"very long source", "function main() {}\n//" + strings.Repeat("x", sandbox.MaxCodeBytes), logic},
	}
}

var ours = []hostile{
	// Ways to the outside.
	{"function constructor", `return (() => {}).constructor('return this')()`, logic},
	{"async constructor", `return (async () => {}).constructor('return this')()`, logic},
	{"generator constructor", `return (function* () {}).constructor('yield this')()`, logic},
	{"constructor of a generator's prototype", `return Object.getPrototypeOf(Object.getPrototypeOf((function* () { yield 1 })())).constructor.constructor('return 1')()`, logic},
	{"constructor of a method", `class A { async m() {} }; return new A().m.constructor('return 1')()`, logic},
	{"constructor of a built-in", `return console.log.constructor('return 1')()`, logic},
	{"constructor by reflection", `return Reflect.construct(Reflect.getPrototypeOf(Array).constructor, ['return 1'])`, logic},
	{"constructor through a class", `return class extends (() => {}).constructor {}`, logic},
	{"global object's prototype", `return Object.getPrototypeOf(globalThis).Function || Object.getPrototypeOf(globalThis).eval || Object.getPrototypeOf(globalThis).SharedArrayBuffer || 'none'`, `"none"`},
	{"typed arrays are ours", `return [Object.getPrototypeOf(Float64Array) === Object.getPrototypeOf(Object), new Int8Array(1).buffer.constructor === ArrayBuffer, typeof SharedArrayBuffer, typeof Atomics, typeof GoError]`, `[true,true,"undefined","undefined","undefined"]`},
	{"typed arrays without bounds", `const b = new ArrayBuffer(8), out = []; for (const f of [() => new Float64Array(1e10), () => new Int32Array(b, 4, 2 ** 31), () => new Int32Array(b, -4), () => new DataView(b).setFloat64(-1, 1), () => new DataView(b).getInt32(2 ** 53), () => new DataView(b, 4, 5), () => Buffer.alloc(2).writeDoubleLE(1, -7)]) try { f(); out.push('none'); } catch (e) { out.push(e.name); } return out`, `["RangeError","RangeError","RangeError","RangeError","RangeError","RangeError","RangeError"]`},
	{"source map of a file", "function main() { return 1 }\n//# sourceMappingURL=file:///dev/zero", "1"},
	{"source map that lies", "function main() { null.x }\n//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbIngiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IkFBQUEifQ==", logic},
	{"prototype in an answer", `const r = await web.getJSON('u'); return [r.admin === undefined, ({}).admin === undefined, Object.keys(r).length]`, `[true,true,3]`},

	// The standard API.
	{"constructor of a timer", `return setTimeout.constructor('return 1')()`, logic},
	{"constructor of a digest", `return crypto.subtle.digest.constructor('return 1')()`, logic},
	{"code in a timer", `setTimeout('globalThis.x = 1', 0)`, logic},
	{"timers that make timers", `const f = () => { setTimeout(f, 0); setTimeout(f, 0) }; f(); await new Promise(() => {})`, limit},
	{"microtasks from a timer", `setTimeout(function f() { queueMicrotask(f) }, 0); await new Promise(() => {})`, limit},
	{"bytes without end", `const all = []; for (;;) all.push(Buffer.alloc(1 << 23, 1))`, limit},
	{"more bytes than there is room for", `return Buffer.alloc(2 ** 40)`, logic},
	{"indexes out of bounds", `const b = Buffer.alloc(4); b[-1] = 1; b[2 ** 31] = 1; b[2 ** 53] = 1; try { b.length = 9 } catch (e) {} return [b[-1] === undefined, b[9] === undefined, b.length, b.subarray(-100, 100).length, b.slice(3, 1).length, b.write('abcdefgh', 2), b.copy(Buffer.alloc(1), -5)]`, `[true,true,4,4,0,2,1]`},
	{"file instead of a locale", `return new Intl.NumberFormat('../../../../etc/passwd').format(1)`, logic},
	{"digits without end", `return (1).toLocaleString('en', { minimumFractionDigits: 1e9 })`, logic},
	{"environment of the worker", `return [process.env.PATH, process.pid, process.cwd(), process.argv, process.execPath, typeof process.binding, typeof process.kill, typeof process.chdir, process.exit.constructor]`, `["{{secret:PATH}}",1,".",["/usr/local/bin/node","/script.js"],"/usr/local/bin/node","undefined","undefined","undefined",null]`},
	{"exit that is no end", `try { process.exit(0) } finally { while (true) { await kv.set('a', 1) } }`, `null`},
	{"text of a hostile value", `console.log('%j', { toJSON() { for (;;); } })`, limit},

	// Tampering with what the host uses.
	{"forged JSON", `JSON.stringify = () => '{"forged":1}'; JSON.parse = () => { for (;;); }; return { a: (await web.getJSON('u')).rows }`, `{"a":[1,2,3]}`},
	{"forged promises", `Promise.prototype.then = () => { for (;;); }; Promise.resolve = null; Promise = null; return (await web.getJSON('u')).status`, "200"},
	{"forged arrays", `Object.defineProperty(Array.prototype, '0', { set() { for (;;); }, get() { return 9 } }); return (await web.getJSON('u')).rows`, "[1,2,3]"},
	{"setter on every object", `Object.defineProperty(Object.prototype, 'status', { set() { for (;;); }, get() { return 9 } }); return (await web.getJSON('u')).status`, "200"},
	{"toJSON on every array", `Array.prototype.toJSON = () => 'x'; await web.getJSON('u', [1]); return 1`, "1"},
	{"toJSON on every object that loops", `Object.prototype.toJSON = () => { for (;;); }; return {}`, limit},
	{"no globals", `Object.setPrototypeOf(globalThis, null); return typeof console`, `"undefined"`},
	{"no errors", `Error = null; TypeError = null; Object = null; try { await web.getJSON('down') } catch (e) { return e.class }`, `"network"`},
	{"main that loops when looked at", `Object.defineProperty(globalThis, 'main', { get() { for (;;); } })`, limit},
	{"prepareStackTrace", `Error.prepareStackTrace = () => { for (;;); }; throw new Error('x')`, logic},

	// Errors that bite whoever reads them.
	{"stack getter", `const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { for (;;); } }); throw e`, logic},
	{"name getter that loops", `const e = new Error('x'); Object.defineProperty(e, 'name', { get() { for (;;); } }); throw e`, limit},
	{"cause getter that throws", `const e = new Error('x'); Object.defineProperty(e, 'cause', { get() { throw 1 } }); throw e`, logic},
	{"causes in a circle", `const e = new Error('x'); e.cause = e; throw e`, logic},
	{"proxied error", `throw new Proxy(new Error('x'), { getPrototypeOf() { for (;;); } })`, limit},
	{"prototypes without end", `const p = () => new Proxy({}, { getPrototypeOf: () => p() }); throw p()`, logic},
	{"message that is an object", `const e = new Error('x'); e.message = { toString() { for (;;); } }; throw e`, logic},
	{"huge message", `throw new Error('x'.repeat(1e6))`, logic},
	{"thrown nothing", `throw undefined`, logic},
	{"claimed class", `throw { class: 'auth', name: 'AuthError', message: 'let me in' }`, logic},
	{"toJSON that loops, thrown", `throw { toJSON() { for (;;); } }`, limit},
	{"toJSON that is denied something, thrown", `throw { toJSON() { web.getJSON('denied') } }`, sandbox.ClassAuth},
	{"claimed class on a real error", `const e = new Error('x'); e.class = 'permission'; e.name = 'PermissionError'; throw e`, logic},

	// Results that bite.
	{"toJSON that loops", `return { toJSON() { for (;;); } }`, limit},
	{"getter that throws", `return { get x() { throw new Error('boo') } }`, logic},
	{"getter without bottom", `const make = () => Object.defineProperty({}, 'a', { enumerable: true, get: make }); return make()`, limit},
	{"array of nothing", `return { a: new Proxy([], { get: (t, k) => k === 'length' ? 2 ** 53 : 0 }) }`, limit},
	{"circle", `const o = {}; o.o = o; return o`, logic},
	{"bigint", `return 1n`, logic},
	{"deep result", `let a = []; for (let i = 0; i < 200000; i++) a = [a]; return a`, limit},
	{"huge result", `return 'x'.repeat(5e6)`, sandbox.LimitResult},
	{"result that nobody can write down", `let a = []; for (let i = 0; i < 1000; i++) a = [a]; return a`, sandbox.LimitResult},
	{"result just above the bottom", `let a = []; for (let i = 0; i < 999; i++) a = [a]; return JSON.stringify(a) === '['.repeat(1000) + ']'.repeat(1000) && a.length`, "1"},
	{"arguments that nobody can write down", `let a = []; for (let i = 0; i < 1000; i++) a = { a }; await kv.set('k', a)`, sandbox.LimitResult},
	{"answer that nobody can write down", `await web.getJSON('deep')`, sandbox.LimitResult},
	{"proxy with hostile keys", `return new Proxy({}, { ownKeys() { throw new Error('boo') } })`, logic},
	{"thenable that resolves to itself", `return { then(resolve) { resolve(this) } }`, limit},
	{"thenable getter that throws", `return { get then() { throw new Error('boo') } }`, logic},
	{"thenable that never settles", `function main() { return { then() {} } }`, logic},
	{"raw JSON", `return JSON.rawJSON ? JSON.rawJSON('1') : 1`, "1"},

	// The rest of the standard API takes texts and numbers of the script.
	{"bytes of bytes", `let b = Buffer.alloc(1024); for (;;) b = Buffer.concat([b, b])`, logic},
	{"bytes as texts", `const b = Buffer.alloc(1 << 22, 'x'), kept = []; for (;;) kept.push(b.toString('hex'))`, limit},
	{"bytes filled for ever", `const b = Buffer.alloc(1 << 22); for (;;) b.fill('ab')`, limit},
	{"bytes of a hostile list", `return Buffer.from({ length: 2 ** 53 - 1, 0: 1 }).length`, limit},
	{"bytes whose numbers are hostile", `const b = Buffer.from([{ valueOf() { for (;;); } }]); return b[0]`, limit},
	{"random bytes without end", `return crypto.randomBytes(2 ** 40)`, logic},
	{"random bytes all the time", `for (const kept = [];;) kept.push(crypto.randomBytes(65536))`, limit},
	{"properties that go back", `return /^(\p{L}+)+$/u.test('é'.repeat(40) + '1')`, "false"},
	{"properties made at run time", `for (const kept = [];;) kept.push(new RegExp('[' + '\\\\p{L}\\\\P{L}'.repeat(2000) + ']', 'u'))`, limit},
	{"names of groups without end", `return new RegExp(Array.from({ length: 1e5 }, (_, i) => '(?<a' + i + '>a)').join(''), 'u').test('é')`, limit},
	{"lookbehind that goes back", `return /(?<=(a+)+b)c/.test('a'.repeat(40) + 'c')`, "false"},
	{"pattern of parentheses", `return new RegExp('('.repeat(1e6))`, logic},
	{"pattern that goes back", `return [/^(a*)*$/, /^(a|aa)+$/, /^(a|b|ab)*?c$/, /(x+x+)+y/, /^(?:(a+)b?)*$/].map((r) => r.test('a'.repeat(5000) + 'd' + 'x'.repeat(2000)))`, "[false,false,false,false,false]"},
	{"pattern that keeps ways back", `return /(?:a|b)*c/.test('ab'.repeat(1e6))`, logic},
	{"pattern of repetitions of repetitions", `return new RegExp('(?:'.repeat(4000) + 'a' + '){1,9}'.repeat(4000)).test('a'.repeat(1e5))`, limit},
	{"replacement that doubles", `let s = 'aa'; for (;;) s = s.replace(/a/g, '$&$&')`, limit},
	{"matches of everything", `const s = 'é'.repeat(1e6); for (const kept = [];;) kept.push([...s.matchAll(/(?<x>.)/gu)])`, limit},
	{"locales without end", `for (const kept = [];;) kept.push(new Intl.NumberFormat(['de', 'fr', 'ja'][kept.length % 3]), new Intl.DateTimeFormat('de'), new Intl.Collator('de'))`, limit},
	{"huge numbers for people", `for (;;) (10n ** 4000n).toLocaleString('de-DE')`, limit},
	{"dates for people", `for (;;) new Date(8.64e15).toLocaleString('de-DE', { dateStyle: 'full', timeStyle: 'short', timeZone: 'Asia/Tokyo' })`, limit},
	{"zone that is a path", `return new Date(0).toLocaleString('de', { timeZone: '../../../../etc/passwd' })`, logic},
	{"zone that is a path, elsewhere", `return localTime(0, '../../etc/passwd')`, logic},
	{"locale that loops", `return (1).toLocaleString({ get 0() { for (;;); }, length: 1 })`, limit},
	{"comparison of huge texts", `const s = 'é'.repeat(1e6); for (;;) s.localeCompare(s, 'de', { numeric: true })`, limit},
	{"options that loop", `return new Intl.Collator('de', { get sensitivity() { for (;;); } })`, limit},
	{"clone of a getter that loops", `return structuredClone({ get a() { for (;;); } })`, limit},
	{"clone that has no end", `const a = {}; for (let i = 0, o = a; i < 1e5; i++) o = o.a = {}; return structuredClone(a).a !== a`, sandbox.LimitStack},
	{"clone of a proxy that has no end", `return structuredClone(new Proxy([], { get: (t, k) => k === 'length' ? 2 ** 32 - 1 : 0, has: () => true, ownKeys: () => { for (;;); } }))`, limit},
	{"digest all the time", `for (;;) crypto.createHash('sha512').update('x'.repeat(1e6)).digest('hex')`, limit},
	{"key of a hostile format", `return crypto.subtle.importKey('jwk', { get k() { for (;;); } }, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']).then(() => 1, (e) => e.name)`, `"NotSupportedError"`},
	{"console with a width", `console.log('%s'.repeat(1e5), ...Array(1e5).fill('x'.repeat(100))); return 1`, sandbox.LimitLog},
	{"table of everything", `console.table(new Proxy([], { get: (t, k) => k === 'length' ? 2 ** 53 : 0 })); return 1`, limit},
	{"address without end", `for (const kept = [];;) kept.push(new URL('https://a.test/' + 'a/../'.repeat(1e5)))`, limit},
	{"questions of an address", `const u = new URL('https://a.test/'); for (;;) u.searchParams.append('a', 'x'.repeat(1e5))`, limit},
	{"address of a hostile object", `return new URL({ toString() { for (;;); } })`, limit},
	{"a million timers", `for (let i = 0; i < 1e6; i++) setTimeout(() => {}, i); return new Promise((done) => setTimeout(() => done(1), 5))`, sandbox.LimitMemory},
	{"timers without end", `for (;;) setTimeout(() => {}, 1e6)`, limit},
	{"an interval of nothing", `setInterval(() => {}, 0); return new Promise(() => {})`, limit},
	{"signals without end", `for (const kept = [];;) kept.push(AbortSignal.timeout(1e6), new AbortController())`, limit},
	{"module of a prototype", "import { hasOwnProperty } from 'kintsugi:csv';\nexport default function main() { return 1 }", logic},
	{"module whose name is a path", "import x from '../../../etc/passwd';\nexport default function main() { return 1 }", logic},
	{"module by its constructor", `return require('constructor')`, logic},
	{"a request that never ends", `const https = require('https'); const r = https.request('https://a.test/x', { method: 'POST' }); for (;;) r.write('x'.repeat(1e6))`, limit},

	// The prototypes that libraries and preludes stand on.
	{"polluted array of a parser", `Object.defineProperty(Array.prototype, 'push', { value() { for (;;); } }); return require('kintsugi:csv').parse('a,b\n1,2').length`, "2"},
	{"polluted text of a parser", `String.prototype.split = String.prototype.replace = () => { throw new Error('mine') }; return require('kintsugi:html').parse('<p>a</p>').querySelector('p').textContent`, `"a"`},

	// A secret is a handle, whatever is done with it.
	{"secret in bytes", `return Buffer.from(process.env.KEY).toString('utf8')`, `"{{secret:KEY}}"`},
	{"secret in JSON", `return JSON.stringify({ a: secret('KEY') })`, `"{\"a\":\"{{secret:KEY}}\"}"`},
	{"secret in an error", `throw new Error('no ' + secret('KEY'))`, logic},
	{"secret in a digest", `return crypto.hash('sha256', secret('KEY'))`, logic},
	{"secret as a key", `return crypto.createHmac('sha256', process.env.KEY).update('x').digest('hex')`, logic},
	{"secret as a key that was cut", `return crypto.createHmac('sha256', process.env.KEY.split('').join('')).update('x').digest('hex')`, logic},
	{"secret as data in bytes", `return crypto.createHash('md5').update(Buffer.from(secret('KEY'))).digest('hex')`, logic},
	{"secret in a subtle digest", `return crypto.subtle.digest('SHA-256', new TextEncoder().encode(secret('KEY'))).then(() => 1)`, logic},
	{"every secret there is", `return [Object.keys(process.env), JSON.stringify(process.env), 'KEY' in process.env]`, `[[],"{}",true]`},

	// Too much of something.
	{"log flood", `for (;;) console.log('x'.repeat(1000))`, sandbox.LimitLog},
	{"flood of empty lines", `for (;;) console.log()`, sandbox.LimitLog},
	{"too many calls", `for (;;) await kv.get('k')`, sandbox.LimitCalls},
	{"calls from native code", `Array.from({ length: 1e7 }, () => kv.get('k'))`, sandbox.LimitCalls},
	{"calls without a stop", `Array.prototype.forEach.call({ length: 2 ** 53 - 1, 0: 'k' }, kv.get)`, limit},
	{"huge arguments", `await kv.set('k', 'x'.repeat(5e6))`, sandbox.LimitResult},
	{"microtasks without end", `(function f() { Promise.resolve().then(f) })()`, limit},
	{"async recursion", `async function f() { await f() }; await f()`, sandbox.LimitStack},
	{"endless generator", `return [...(function* () { for (;;) yield 1 })()]`, limit},
	{"finally that continues", `a: for (;;) { try { continue a } finally { continue a } }`, limit},
	{"lookahead", `return /(?=a)(a+)+$/.test('a'.repeat(40) + 'b')`, "false"},
	{"lookahead that refuses", `return /(?!b)(x+x+)+y/.test('x'.repeat(40))`, "false"},
	{"padding without end", `try { 'a'.padStart(2 ** 53) } catch (e) { return [e.name, 'ab'.padEnd(3, '-'), 'a'.padStart(3)] }`, `["RangeError","ab-","  a"]`},
	{"padding that is looked up", `const s = 'x'; try { return s['padEnd'](2 ** 40, 'ab').length } catch (e) { return e.name }`, `"RangeError"`},
	{"join of holes", `return new Array(2 ** 32 - 1).join('x').length`, limit},
	{"sleeping for ever", `for (;;) await sleep(1000)`, limit},
	{"sleeping too long", `await sleep(Infinity)`, logic},

	// Texts that bite whoever parses them, and libraries that are turned inside out.
	{"XML of a billion laughs", `const x = require('kintsugi:xml'); return x.parse('<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><a>&b;</a>')`, logic},
	{"XML with a file in it", `return require('kintsugi:xml').parse('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>').textContent`, logic},
	{"constructor of a library's function", `return require('fs').readFileSync.constructor('return this')()`, logic},
	{"constructor of a handed context", `return require('kintsugi:n8n').begin([1]).code('a', [], false, ($) => $.$.constructor('return 1')())`, logic},
	{"endless paths", `const p = require('path'); for (const kept = [];;) kept.push(p.join('a/'.repeat(1e5)))`, limit},
	{"inspection of what goes round", `const a = {}; a.a = a; return require('util').inspect(a)`, `"<ref *1> { a: [Circular *1] }"`},
	{"inspection without a bound", `let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; return require('util').inspect(a, { depth: null })`, limit},
	{"inspection that inspects itself", `const a = { [Symbol.for('nodejs.util.inspect.custom')]() { return require('util').inspect(a) } }; return require('util').inspect(a)`, limit},
	{"a cipher of a secret", `return require('crypto').createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(secret('KEY'), 'utf8', 'hex')`, logic},
	{"a key of a secret", `return require('crypto').scryptSync(secret('KEY'), 'salt', 16).toString('hex')`, logic},
	{"a key that takes for ever", `return require('crypto').pbkdf2Sync('a', 'b', 2 ** 31 - 1, 32, 'sha1')`, logic},
	{"a key that takes all memory", `return require('crypto').scryptSync('a', 'b', 32, { N: 2 ** 20, r: 64, maxmem: 2 ** 40 })`, logic},
	{"endless items of n8n", `const n = require('kintsugi:n8n').begin([{}]); return n.code('a', [], true, () => { for (const kept = [];;) kept.push('x'.repeat(1e6) + kept.length) })`, limit},
	{"nested XML", `return require('kintsugi:xml').parse('<a>'.repeat(1e6))`, logic},
	{"nested XML as objects", `return require('kintsugi:xml').toObject('<a>'.repeat(500) + '</a>'.repeat(500)) ? 1 : 0`, "1"},
	{"nested feed", `return require('kintsugi:rss').parse('<rss><channel>' + '<a>'.repeat(1e6))`, logic},
	{"nested JSON feed", `return require('kintsugi:rss').parse('{"version":"https://jsonfeed.org/version/1.1","a":' + '['.repeat(1e6))`, logic},
	{"huge XML", `const s = '<a>' + '<b c="d">e</b>'.repeat(2e5) + '</a>'; for (const kept = [];;) kept.push(require('kintsugi:xml').toObject(s))`, limit},
	{"nested HTML", `return require('kintsugi:html').parse('<div>'.repeat(1e5)).querySelectorAll('div').length > 0`, logic},
	{"HTML that is slow to read", `for (;;) require('kintsugi:html').parse('<table><a>'.repeat(2e4))`, limit},
	{"selector that is slow", `const d = require('kintsugi:html').parse('<p><b>x</b></p>'.repeat(2e4)); for (;;) d.querySelectorAll('p ~ p ~ p ~ p ~ p:has(b):not(:has(i))')`, limit},
	{"selector without end", `return require('kintsugi:html').parse('<p>').querySelector(':not('.repeat(1e6))`, logic},
	{"text of elements without end", `const d = require('kintsugi:html').parse('<p>' + 'x'.repeat(1e6)); for (const kept = [];;) kept.push(d.outerHTML + d.textContent)`, limit},
	{"method of an element on something else", `const e = require('kintsugi:html').parse('<p>'); return e.querySelector.call({}, 'p')`, logic},
	{"getter of an element on something else", `const e = require('kintsugi:html').parse('<p>'); return Object.create(e).textContent`, logic},
	{"nested Markdown", `for (;;) require('kintsugi:markdown').render('> '.repeat(1e5) + 'x')`, limit},
	{"Markdown that is slow", `for (;;) require('kintsugi:markdown').render('[a]('.repeat(5e4) + '*a_'.repeat(5e4))`, limit},
	{"huge CSV", `const s = 'a,b\n' + '1,2\n'.repeat(5e5); for (const kept = [];;) kept.push(require('kintsugi:csv').parse(s))`, limit},
	{"CSV of everything", `return require('kintsugi:csv').stringify({ length: 2 ** 53 - 1 })`, logic},
	{"CSV of a hostile row", `return require('kintsugi:csv').stringify([new Proxy([], { get: (t, k) => k === 'length' ? 2 ** 53 : 'x' })])`, `"\n\n"`},
	{"CSV whose options loop", `return require('kintsugi:csv').parse('a', { get header() { for (;;); } })`, limit},
	{"decimal of many digits", `const { Decimal } = require('kintsugi:decimal'); Decimal.set({ precision: 1e9 }); return new Decimal(1).div(3).toString()`, limit},
	{"schema that looks into itself", `const { z } = require('kintsugi:schema'); const s = z.lazy(() => s); return s.parse(1)`, sandbox.LimitStack},
	{"schema with a slow pattern", `return require('kintsugi:schema').z.string().regex(/^(?!c)(a+)+$/).safeParse('a'.repeat(40) + 'b').success`, "false"},
	{"date of a text without end", `return require('kintsugi:dates').DateTime.fromFormat('1'.repeat(1e3), 'y'.repeat(1e3)).isValid`, `false`},
	{"constructor of a library's functions", `const { z } = require('kintsugi:schema'); return [z.string().parseAsync.constructor, Object.getPrototypeOf(async function () {}).constructor, z.string.constructor]`, `[null,null,null]`},
	{"module by a hostile name", `return require({ toString() { for (;;); } })`, limit},
	{"module that is a prototype's", `return require('__proto__')`, logic},

	// Going on after the end.
	{"catch after a denial", `try { await web.getJSON('denied') } catch (e) { return 'ran on' } finally { return 'ran on' }`, sandbox.ClassAuth},
	{"then after a denial", `return web.getJSON('denied').then(() => 'ran on', () => 'ran on').finally(() => 'ran on')`, sandbox.ClassAuth},
	{"iterator after a denial", `for (const x of { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }), return() { for (;;); } }) }) await web.getJSON('denied')`, sandbox.ClassAuth},
	{"second call after a denial", `['denied', 'u'].map((u) => web.getJSON(u)); return 1`, sandbox.ClassAuth},
	{"broken host", `try { await web.getJSON('broken') } catch (e) { return 'ran on' }`, sandbox.ClassInternal},
	{"panic in a tool", `try { await web.getJSON('panic') } catch (e) { return 'ran on' }`, sandbox.ClassInternal},
	{"rejection nobody handles", `web.getJSON('down'); return 1`, sandbox.ClassNetwork},
	{"waiting for nothing", `await new Promise(() => {})`, logic},

	// Looks into an answer that is not there.
	{"look: property", `return (await web.getJSON('captured')).id`, sandbox.CodeUnanswerable},
	{"look: optional chaining", `return (await web.getJSON('captured'))?.id ?? 'none'`, sandbox.CodeUnanswerable},
	{"look: text", "return `${await web.getJSON('captured')}`", sandbox.CodeUnanswerable},
	{"look: sum", `return (await web.getJSON('captured')) + 1`, sandbox.CodeUnanswerable},
	{"look: comparison", `return (await web.getJSON('captured')) == 'x'`, sandbox.CodeUnanswerable},
	{"look: keys", `return Object.keys(await web.getJSON('captured'))`, sandbox.CodeUnanswerable},
	{"look: in", `return 'id' in (await web.getJSON('captured'))`, sandbox.CodeUnanswerable},
	{"look: for in", `for (const k in await web.getJSON('captured')) return k`, sandbox.CodeUnanswerable},
	{"look: for of", `for (const k of await web.getJSON('captured')) return k`, sandbox.CodeUnanswerable},
	{"look: spread", `return { ...(await web.getJSON('captured')) }`, sandbox.CodeUnanswerable},
	{"look: destructuring", `const { id } = await web.getJSON('captured'); return id`, sandbox.CodeUnanswerable},
	{"look: instanceof", `return (await web.getJSON('captured')) instanceof Array`, sandbox.CodeUnanswerable},
	{"look: isArray", `return Array.isArray(await web.getJSON('captured'))`, sandbox.CodeUnanswerable},
	{"look: concat", `return [].concat(await web.getJSON('captured')).length`, sandbox.CodeUnanswerable},
	{"look: tag", `return Object.prototype.toString.call(await web.getJSON('captured'))`, sandbox.CodeUnanswerable},
	{"look: prototype", `return Object.getPrototypeOf(await web.getJSON('captured'))`, sandbox.CodeUnanswerable},
	{"look: assignment", `const o = await web.getJSON('captured'); o.x = 1; return 1`, sandbox.CodeUnanswerable},
	{"look: delete", `const o = await web.getJSON('captured'); delete o.x; return 1`, sandbox.CodeUnanswerable},
	{"look: freeze", `Object.freeze(await web.getJSON('captured')); return 1`, sandbox.CodeUnanswerable},
	{"look: log", `console.log(await web.getJSON('captured')); return 1`, sandbox.CodeUnanswerable},
	{"look: clone", `structuredClone(await web.getJSON('captured')); return 1`, sandbox.CodeUnanswerable},
	{"look: JSON", `return JSON.stringify([await web.getJSON('captured')])`, sandbox.CodeUnanswerable},
	{"look: arguments of a call", `await kv.set('k', { a: [await web.getJSON('captured')] }); return 1`, sandbox.CodeUnanswerable},
	{"look: result", `return { a: await web.getJSON('captured') }`, sandbox.CodeUnanswerable},
	{"look: thrown", `throw await web.getJSON('captured')`, sandbox.CodeUnanswerable},
	{"look: under a catch", `const o = await web.getJSON('captured'); try { return o.id } catch (e) { return 'ran on' }`, sandbox.CodeUnanswerable},
	{"no look: carried about", `const o = await web.getJSON('captured'); const m = new Map([[o, [o]]]); const p = await o; return [typeof o, o === p, o === null, o == null, m.has(p), [o].includes(o)]`, `["object",true,false,false,true,true]`},
}
