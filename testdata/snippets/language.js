//// unicode properties
function main() { return ['Grüße, 世界 x1'.replace(/[^\p{L}\p{N}]+/gu, '-'), 'aÜß'.match(/\p{Lu}/u)[0], 'a1Б2'.replace(/\P{L}/gu, '')]; }
//// unicode properties of texts
function main() { return [new RegExp('^\\p{L}+$', 'u').test('Grüße'), new RegExp('[\\p{Sc}]', 'u').exec('5 €')[0], RegExp('\\p{Script=Greek}+', 'u').exec('aΣπ')[0]]; }
//// emoji
function main() { return ['👍 hi 🎉 1'.match(/\p{Emoji_Presentation}/gu), 'a👩‍💻b'.replace(/\p{Extended_Pictographic}/gu, '*'), [...'a👍'].length, 'é'.normalize('NFD').replace(/\p{M}/gu, '')]; }
//// slugs
function main() { const slug = (s) => s.toLowerCase().normalize('NFKD').replace(/[\u0300-\u036f]/g, '').replace(/[^a-z0-9]+/g, '-').replace(/(^-|-$)/g, ''); return ['Crème Brûlée!', ' A  B ', 'ÅØ'].map(slug); }
//// named groups
function main() { const m = /(?<year>\d{4})-(?<month>\d\d)/.exec('on 2026-03'); return [{ ...m.groups }, '2026-03'.replace(/(?<y>\d+)-(?<m>\d+)/, '$<m>/$<y>'), m.index]; }
//// lookbehind and sticky
function main() { const y = /a/y; y.lastIndex = 1; return ['$5 $60'.match(/(?<=\$)\d+/g), 'x1y2'.match(/(?<!x)\d/)[0], y.test('ba'), /a.c/s.test('a\nc'), [...'a1b22'.matchAll(/\d+/g)].map((m) => m.index)]; }
//// replace with a function
function main() { return ['a-b-c'.replace(/-(\w)/g, (_, c, at) => c.toUpperCase() + at), 'aXbX'.replaceAll('X', '$&$&'), 'x'.replace('x', '$$')]; }
//// split
function main() { return ['a, b;c'.split(/[,;]\s*/), 'abc'.split(''), 'a1b2'.split(/(\d)/), 'a,b,c'.split(',', 2), ''.split(',')]; }
//// arrays by copy
function main() { const a = [3, 1, 2]; return [a.toSorted(), a.toReversed(), a.with(0, 9), a.toSpliced(1, 1, 'x', 'y'), a, a.at(-1), a.findLast((n) => n > 1), a.findLastIndex((n) => n > 5), a.flatMap((n) => [n, n])]; }
//// sort is stable and by text
function main() { return [[10, 9, 1].sort(), [{ k: 1, v: 'a' }, { k: 0, v: 'b' }, { k: 1, v: 'c' }].sort((x, y) => x.k - y.k).map((o) => o.v), ['b', undefined, 'a'].sort(), ['é', 'z', 'a'].sort()]; }
//// objects
function main() { const { a, ...rest } = { a: 1, b: 2, c: 3 }; return [rest, Object.entries({ x: 1 }), Object.fromEntries([['k', 'v']]), Object.hasOwn({ a }, 'a'), { ...[1, 2], ...null }, structuredClone({ d: new Date(0) }).d.toISOString()]; }
//// order of keys
function main() { return [Object.keys({ b: 1, 2: 1, a: 1, 1: 1 }), JSON.stringify({ z: 1, [Symbol('s')]: 2, u: undefined, f() {}, n: NaN, d: new Date(0) }), JSON.stringify([undefined, () => 1])]; }
//// optional chaining
function main() { const o = { a: { f() { return this.v; }, v: 7 } }; return [o?.a?.f?.(), o.b?.c.d.e, o?.['a'].v, delete o?.a.v, o.x?.[0] ?? 'none']; }
//// logical assignment
function main() { const o = { a: null, b: 0, c: 1 }; o.a ??= 2; o.b ||= 3; o.c &&= 4; return o; }
//// private members
class C { #n = 1; static #count = 0; static { C.#count = 5; } get n() { return this.#n; } set n(v) { this.#n = v; } #m() { return this.#n * 2; } twice() { return this.#m(); } static has(o) { return #n in o; } static get count() { return C.#count; } }
function main() { const c = new C(); c.n = 4; return [c.twice(), C.has(c), C.has({}), C.count]; }
//// getters and computed names
function main() { const k = 'x'; const o = { get [k]() { return 1; }, ['y' + 1]: 2, async z() {}, *g() { yield 1; } }; return [o.x, o.y1, [...o.g()], Object.keys(o)]; }
//// tagged templates
function main() { const tag = (s, ...v) => s.raw.join('|') + v.join(); return [tag`a\n${1}b${2}`, String.raw`\u00e9${1}`]; }
//// destructuring
function main() { function f({ a = 1, b: { c = 2 } = {} } = {}, [d, , e = 5, ...r] = []) { return [a, c, d, e, r]; } return [f(), f({ a: null, b: { c: undefined } }, [1, 2, undefined, 4, 5])]; }
//// numbers as text
function main() { return [(0.1 + 0.2).toFixed(2), (1.005).toFixed(2), (1234.5678).toFixed(1), (0.000001234).toString(), 1e21 + '', (255).toString(16), (12.345).toPrecision(3), Number('0x1f'), Number(' 12 '), Number(''), parseInt('12px'), parseFloat('.5e1x'), (25).toString(36), (1e-7).toFixed(10), Number.MAX_SAFE_INTEGER]; }
//// rounding
function main() { return [Math.round(-0.5), Math.round(2.5), Math.round(-2.5), Math.trunc(-1.9), -7 % 3, 2 ** 31 | 0, 5 >>> 1, -1 >>> 0, Math.hypot(3, 4), Math.sign(-3), Math.max(), Math.min(), Math.fround(5.5), Math.clz32(1), Math.cbrt(27)].map(String); }
//// loose equality
function main() { return ['6.00' == 6, '1e1' == 10, '6.' == 6, true == '1.0', 6 == '6.00', null == undefined, null == 0, '' == 0, [1] == 1, [1, 2] == '1,2', NaN == NaN, '0' == false, ' 7 ' == 7]; }
//// bigint
function main() { return [(2n ** 64n).toString(), BigInt('123') * 2n === 246n, 7n / 2n + '', -7n % 3n + '', typeof 1n, BigInt.asUintN(8, 257n) + '', 1n < 2, 2n == 2]; }
//// dates
function main() { const d = new Date(Date.UTC(2026, 0, 31, 12, 5, 6, 7)); d.setUTCMonth(1); return [d.toISOString(), new Date('2026-03-01').getTime(), new Date('2026-03-01T10:00:00+02:00').toISOString(), Date.parse('2026-02-30T00:00:00Z'), new Date(NaN).getTime(), JSON.stringify(new Date(0)), new Date(2020, 1, 29).getUTCDate() > 0, isNaN(new Date('nope'))].map(String); }
//// dates by text
function main() { return ['2026-3-1', 'March 7, 2026', '7 Mar 2026 10:00 GMT', '2026/03/01', 'Mon, 02 Mar 2026 10:00:00 +0100', '2026-03-01 10:00', '03/01/2026', '2026-03-01T10:00', '2026-03'].map((s) => { const d = new Date(s); return isNaN(d) ? 'invalid' : d.toISOString(); }); }
//// maps and sets
function main() { const m = new Map([[NaN, 1], ['a', 2]]); m.set(-0, 3); return [m.get(NaN), m.get(0), [...m.keys()].length, [...new Set([1, 2, 2, '2'])], [...new Map(Object.entries({ x: 1 }))]]; }
//// errors
function main() { class MyError extends Error { constructor(m, o) { super(m, o); this.name = 'MyError'; this.code = 7; } } try { try { null.x; } catch (cause) { throw new MyError('bad', { cause }); } } catch (e) { return [e instanceof MyError, e instanceof Error, String(e), e.code, e.cause instanceof TypeError, Object.prototype.toString.call(e), Object.keys(e)]; } }
//// labels and switch
function main() { const out = []; a: for (let i = 0; i < 3; i++) { switch (i) { case 1: continue a; default: out.push(i); } do { if (i) break a; } while (0); } return out; }
//// closures in loops
function main() { const fs = []; for (let i = 0; i < 3; i++) fs.push(() => i); var gs = []; for (var j = 0; j < 3; j++) gs.push(() => j); return [fs.map((f) => f()), gs.map((g) => g())]; }
//// proxies and reflect
function main() { const seen = []; const p = new Proxy({ a: 1 }, { get(t, k, r) { seen.push(String(k)); return Reflect.get(t, k, r); }, has: () => true, ownKeys: () => ['a', 'b'], getOwnPropertyDescriptor: () => ({ value: 1, enumerable: true, configurable: true }) }); return [p.a, 'z' in p, Object.keys(p), seen]; }
//// symbols and iterators
function main() { const it = { from: 1, to: 3, [Symbol.iterator]() { let n = this.from, to = this.to; return { next: () => n <= to ? { value: n++, done: false } : { value: undefined, done: true } }; }, [Symbol.toPrimitive]: (h) => h === 'number' ? 42 : 'str' }; return [[...it], Math.max(...it), +it, `${it}`, Symbol.for('a') === Symbol.for('a'), Symbol('d').description]; }
//// json
function main() { return [JSON.stringify({ a: [1, { b: 2 }] }, null, 2), JSON.stringify({ a: 1, b: 2 }, ['b']), JSON.parse('{"a":[1,2]}', (k, v) => (typeof v === 'number' ? v + 1 : v)), JSON.stringify('\u2028\ud800'), JSON.stringify({ toJSON: () => 'x' })]; }
//// errors of JSON
function main() { return ['{', '[1,]', "{'a':1}", 'undefined', ''].map((s) => { try { JSON.parse(s); return 'ok'; } catch (e) { return e.name; } }); }
//// text
function main() { return ['abc'.at(-1), 'abc'.padStart(5, '-'), 'a\u0301'.normalize().length, 'ß'.toUpperCase(), 'İ'.toLowerCase().length, 'x'.codePointAt(), '👍'.length, [...'👍a'], 'abc'.substring(2, 0), 'abc'.substr(-2, 1), 'abc'.slice(-2), ' a '.trimEnd(), 'a-b'.includes('-', 2), encodeURIComponent('ä b&'), escape('ä'), 'aXb'.search(/X/), 'b'.localeCompare('a')]; }
//// arguments and this
function main() { function f() { return [arguments.length, typeof this]; } const g = f.bind('x'); return [f(1, 2)[0], g()[0], f.call(null)[0], (() => { try { return typeof arguments; } catch { return 'none'; } })() !== '', f.length, g.name]; }
//// array holes and lengths
function main() { const a = [1, , 3]; a.length = 5; return [a, Object.keys(a), a.map((x) => x * 2), [...a].length, Array.from({ length: 2 }), new Array(3).fill(0), Array.of(7), [1, [2, [3, [4]]]].flat(Infinity), a.indexOf(undefined), a.includes(undefined)]; }
//// comma, void, in, delete
function main() { const o = { a: 1 }; return [(1, 2), void 0 ?? 'v', 'a' in o, delete o.a, 'a' in o, typeof undeclared, [..."ab"].entries().next().value]; }
//// exponent and precedence
function main() { return [2 ** 3 ** 2, (-2) ** 2, 1 + +'2', '3' * '4', [] + {}, [] + [], 1 < 2 < 3, 3 > 2 > 1, !!'false', +[], +{}, 'b' + 'a' + +'a' + 'a'].map(String); }
//// intl-free output of toString
function main() { return [String([1, [2, null, undefined]]), String({}), String(() => 1), String(Symbol('x')), String(null), `${[]}`, (function f(a, b) { return a; }).toString(), String(class A { m() {} })]; }
//// default of a null input
function main({ a = 1 } = {}) { return a; }
//// date without arguments of methods
function main() { const d = new Date(Date.UTC(2024, 1, 29)); d.setUTCFullYear(2025); const e = new Date(d); e.setUTCDate(0); return [d.toISOString(), e.toISOString(), d > e, d - e, d.getUTCDay(), d.toJSON(), Date.UTC(99, 0), new Date(2019, 0).getFullYear()]; }
//// regular expression state
function main() { const r = /a/g; const s = 'aXa'; return [r.test(s), r.lastIndex, r.test(s), r.test(s), 'aa'.replace(r, 'b'), r.exec('ba').index, /[\]]/.test(']'), /\u{61}/u.test('a'), /^[\w.+-]+@[\w-]+\.[\w.]+$/.test('a.b+c@d-e.co.uk'), 'A'.match(/a/i).index, /(a)|(b)/.exec('b')]; }
//// two groups of a name in a text
function main() { try { return new RegExp('(?<a>.)(?=x)' + '(?<a>.)'); } catch (e) { return [e instanceof SyntaxError, RegExp('(?<a>.)(?<b>.)').exec('xy').groups.b, /(?<a>.)/ instanceof RegExp]; } }
//// two groups of a name, not caught
function main() { return new RegExp('(?<a>.)' + '(?<a>.)').exec('xy'); }
//// what a trap is given stays as it is
function main() { const log = []; const target = function (a, b) { this.sum = a + b; }; const P = new Proxy(target, { apply(t, self, args) { log.push(args); return args.push('more'); }, construct(t, args, as) { log.push(args); return Reflect.construct(t, args, t); }, get(t, name) { return t[name]; } }); const made = new P(1, 2); P(3, 4); P.call(null, 5); [9, 9].map((x) => x + 1); const { proxy, revoke } = Proxy.revocable(target, { construct: (t, args) => ({ args }) }); const kept = new proxy(7, 8).args; [6, 6].map((x) => x + 1); revoke(); let gone; try { new proxy(1); } catch (e) { gone = e.name; } return [log, made.sum, made instanceof target, kept, gone, typeof P]; }
//// recursion of a thousand
function main() { const memo = {}; const ways = (n) => (n < 2 ? 1n : memo[n] ?? (memo[n] = ways(n - 1) + ways(n - 2))); const deep = (n) => (n ? [n].map(() => deep(n - 1))[0] : 'end'); const factorial = (n) => (n < 2n ? 1n : n * factorial(n - 1n)); return [String(ways(1000)).length, deep(400), String(factorial(1000n)).length]; }
//// words in other languages
function main() { const text = 'Die Größe der Straße – café, naïve Zoë'; return ['héllo wörld'.match(/\b\w+\b/g), text.match(/\b\w+\b/g), /caf\b/.test('café'), /café\b/.test('café!'), text.replace(/\b\w/g, (c) => c.toUpperCase()), text.split(/\b/).length, new RegExp('\\bstra', 'i').test(text), text.replace(new RegExp('\\B', 'g'), '.').length, /[\b]/.test('\b'), /\bé/u.test('é'), 'a\\bé'.match(/\\bé/)?.[0], [...text.matchAll(/\bd(?<rest>\w*)/gi)].map((m) => [m.index, m.groups.rest])]; }
//// matches of nothing with g
function main() { return ['a,b,c'.match(/([^,]*)(,|$)/g), 'key=val'.replace(/[^=]*/g, (m) => `<${m}>`), 'ab'.replace(/.*/g, '-'), 'x;y;'.replace(new RegExp('[^;]*', 'g'), 'v'), 'grün'.match(/ü?/g), [...'a,b,'.matchAll(/([^,]*),?/g)].map((m) => m[1]), 'x'.replace(/^|$/g, '"'), '😀a'.match(/.{0,1}/gu), 'aaa'.match(/a{0,2}/g), 'a1b'.split(/\d*/), 'q'.match(/(?:)/g)]; }
//// ends of lines in texts of patterns
function main() { return ['a\r\nb\r\n'.match(new RegExp('\\w$', 'gm')), 'a\r\nb'.replace(new RegExp('$', 'gm'), '|').length, new RegExp('b$').test('a\r\nb')]; }
