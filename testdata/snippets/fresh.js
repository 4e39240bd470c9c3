//// patterns
async function main() {
  const log = '2026-03-01T08:00:00Z ERROR [billing] user=42 amount=1.234,50€ — Überweisung "fehlgeschlagen"';
  const { groups } = /^(?<date>\d{4}-\d\d-\d\d)T\S+ (?<level>\p{Lu}+) \[(?<area>\w+)\]/u.exec(log);
  const sticky = /\w+=(\S+)/y; sticky.lastIndex = log.indexOf('user');
  return [{ ...groups }, sticky.exec(log)?.[1], sticky.lastIndex, log.match(/(?<=amount=)[\d.,]+(?=€)/)[0], log.replace(/(?<k>\w+)=(?<v>\S+)/g, '$<v>:$<k>'), [...log.matchAll(/"(?<q>[^"]*)"/g)].map((m) => [m.index, m.groups.q]), 'a1b2'.replace(/\d/g, (d) => d * 2), 'x-y_z'.split(/([-_])/), /\bÜ/.test(log), 'ǅ'.toLowerCase(), 'İ'.length, 'straße'.toUpperCase(), 'a\u0301'.normalize('NFC').length];
}
//// signals
async function main() {
  const c = new AbortController(); const log = [];
  c.signal.addEventListener('abort', () => log.push('a'), { once: true }); c.signal.onabort = (e) => log.push(e.type);
  const any = AbortSignal.any([c.signal, AbortSignal.timeout(5)]);
  c.abort(new Error('mine')); c.abort();
  const t = AbortSignal.timeout(1); await new Promise((r) => setTimeout(r, 20));
  return [log, any.aborted, any.reason.message, t.aborted, t.reason.name, AbortSignal.abort().reason.name, (() => { try { c.signal.throwIfAborted(); } catch (e) { return e.message; } })()];
}
//// retry with back-off and jitter
class RetryError extends Error { constructor(message, options) { super(message, options); this.name = 'RetryError'; } }
async function retry(fn, { attempts = 4, base = 100, factor = 2 } = {}) {
  const waits = [];
  let last;
  for (let i = 0; i < attempts; i++) {
    try { return { value: await fn(i), waits }; } catch (e) { last = e; const wait = Math.min(base * factor ** i, 1000); waits.push(wait); await new Promise((r) => setTimeout(r, wait / 100)); }
  }
  throw new RetryError(`gave up after ${attempts}`, { cause: last });
}
async function main() {
  const ok = await retry(async (i) => { if (i < 2) throw new Error('no ' + i); return i; });
  try { await retry(async () => { throw new TypeError('never'); }, { attempts: 2 }); } catch (e) { return [ok, e.name, e.message, e.cause.name, e.cause.message, e instanceof RetryError, e instanceof Error, String(e)]; }
}
//// tokens that are refreshed
class Tokens {
  #token = null; #expires = 0; static #count = 0;
  static get count() { return Tokens.#count; }
  async get(now) { if (!this.#token || now >= this.#expires - 60_000) await this.#refresh(now); return this.#token; }
  async #refresh(now) { Tokens.#count++; this.#token = 'tok' + Tokens.#count; this.#expires = now + 3600 * 1000; }
  static { this.prototype.kind = 'oauth'; }
}
async function main() { const t = new Tokens(); return [await t.get(0), await t.get(1000), await t.get(3_600_000), Tokens.count, t.kind]; }
//// generators and iterators
function* walk(tree, path = []) { for (const [k, v] of Object.entries(tree)) { if (typeof v === 'object' && v) yield* walk(v, [...path, k]); else yield [path.concat(k).join('.'), v]; } }
class Range { constructor(a, b) { Object.assign(this, { a, b }); } *[Symbol.iterator]() { for (let i = this.a; i < this.b; i++) { const skip = yield i; if (skip) i += skip; } } get [Symbol.toStringTag]() { return 'Range'; } static [Symbol.hasInstance](x) { return 'a' in x; } [Symbol.toPrimitive](hint) { return hint === 'number' ? this.b - this.a : `${this.a}..${this.b}`; } }
async function main() { const r = new Range(1, 5); const it = r[Symbol.iterator](); it.next(); const jumped = it.next(2); const done = it.return(9); return [[...walk({ a: { b: 1, c: [2, { d: 3 }] }, e: null })], [...r], jumped, done, it.next(), String(r), +r, `${r}`, Object.prototype.toString.call(r), ({ a: 1 }) instanceof Range, Math.max(...r), new Set(r).size, Array.from(r, (x) => x * x)]; }
//// tagged templates and getters
const html = (strings, ...values) => strings.raw.reduce((out, s, i) => out + s + (i < values.length ? String(values[i]).replace(/[<&]/g, (c) => `&#${c.charCodeAt(0)};`) : ''), '');
async function main() { const o = { _n: 1, get n() { return this._n++; }, set n(v) { this._n = v * 2; }, ['k' + 1]: 2, async *g() { yield 1; yield 2; }, __proto__: { inherited: true } }; o.n = 5; const seen = []; for await (const x of o.g()) seen.push(x); return [html`<p>${'<b>'}\n${1 & 3}</p>`, o.n, o.n, o.inherited, Object.keys(o), seen, o?.missing?.deep.er, o.missing ?? 'd', typeof o.g, (o.x ||= 3, o.x &&= 4, o.y ??= 5, [o.x, o.y]), ((a, b = a, ...[c, d]) => [a, b, c, d])(1, undefined, 3, 4), void 0 ?? null, [..."ab"].entries().next().value]; }
//// money and numbers for people
async function main() {
  return ['de-DE', 'fr-FR', 'ja-JP', 'en-IN', 'sv-SE'].map((l) => [
    new Intl.NumberFormat(l, { style: 'currency', currency: 'EUR' }).format(-1234567.891), new Intl.NumberFormat(l, { style: 'percent', maximumFractionDigits: 1 }).format(0.12345),
    (1234567.5).toLocaleString(l, { minimumFractionDigits: 2 }), new Intl.NumberFormat(l, { maximumSignificantDigits: 3 }).format(123456), new Intl.NumberFormat(l, { style: 'currency', currency: 'JPY', currencyDisplay: 'code' }).format(5000.4),
    (1e21).toLocaleString(l), NaN.toLocaleString(l)]);
}
//// proxies and reflection
async function main() { const log = []; const p = new Proxy({ a: 1 }, { get: (t, k, r) => (log.push(String(k)), Reflect.get(t, k, r) ?? 0), has: (t, k) => k.startsWith('a'), set(t, k, v) { t[k] = v * 2; return true; }, deleteProperty: () => true, ownKeys: () => ['a', 'b'], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }) }); p.z = 4; const w = new WeakMap([[p, 1]]); const s = Symbol.for('k'); return [p.a, p.nope, 'ab' in p, 'b' in p, p.z, Object.keys(p), { ...p }, log, w.has(p), Symbol.keyFor(s), Reflect.ownKeys({ b: 1, [s]: 2, 1: 3 }).map(String), Object.getOwnPropertyNames(class { static m() {} }).sort(), Object.isFrozen(Object.freeze({})), new (class A { constructor() { return { made: new.target.name }; } })()]; }
