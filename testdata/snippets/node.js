//// events of node | default
import EventEmitter, { once } from 'node:events';
class Job extends EventEmitter { go() { this.emit('item', 1, 2); return this.emit('nothing'); } }
export default async () => { const seen = []; const job = new Job(); const f = (...a) => seen.push(a); job.on('item', f).once('item', (a) => seen.push('once ' + a)).prependListener('item', () => seen.push('first')); const none = job.go(); job.off('item', f); job.go(); let failed; try { job.emit('error', new TypeError('x')); } catch (e) { failed = e.name; } const soon = once(job, 'ready'); job.emit('ready', 42); return [seen, none, job.listenerCount('item'), job.eventNames(), failed, await soon, EventEmitter.EventEmitter === EventEmitter]; };
//// assertions of node | default
import assert from 'node:assert';
import strict from 'node:assert/strict';
export default async () => { const out = []; const tried = (f) => { try { f(); out.push('fine'); } catch (e) { out.push([e.name, e.code ?? null]); } }; tried(() => assert(1)); tried(() => assert.ok(0)); tried(() => assert.equal('1', 1)); tried(() => strict.equal('1', 1)); tried(() => assert.deepEqual({ a: [1, '2'] }, { a: ['1', 2] })); tried(() => assert.deepStrictEqual({ a: new Map([[1, { b: 2 }]]), s: new Set([1]), d: new Date(5) }, { a: new Map([[1, { b: 2 }]]), s: new Set([1]), d: new Date(5) })); tried(() => assert.deepStrictEqual([1, 2], [1, '2'])); tried(() => assert.throws(() => { throw new TypeError('bad x'); }, /bad/)); tried(() => assert.throws(() => { throw new TypeError('bad'); }, { name: 'TypeError', message: 'bad' })); tried(() => assert.throws(() => {})); tried(() => assert.throws(() => { throw new RangeError('r'); }, TypeError)); tried(() => assert.match('abc', /b/)); tried(() => assert.strictEqual(NaN, NaN)); tried(() => assert.notStrictEqual(1, 1)); await assert.rejects(async () => { throw new Error('later'); }, { message: 'later' }); return out; };
//// addresses and paths of node | default
import path, { relative } from 'node:path';
import url, { fileURLToPath, pathToFileURL } from 'node:url';
import querystring from 'node:querystring';
export default () => { const q = querystring.stringify({ a: 1, b: ['x', 'y z'], c: "ä'!()*", d: null, e: true }); const back = querystring.parse('a=1&b=x&b=y+z&c&d=%zz&=e'); return [q, { ...back }, querystring.parse('a:1;b:2', ';', ':').b, relative('/data/a/b', '/data/c/d'), relative('a', 'a/b'), path.format({ dir: '/x', name: 'f', ext: '.txt' }), path.posix.join('a', '../b'), fileURLToPath('file:///tmp/a%20b.txt'), pathToFileURL('/tmp/a b#c').href, url.parse('https://u:p@a.test:8080/x/y?z=1#h', true).query.z, url.parse('/x?y=1').pathname, url.format({ protocol: 'https', host: 'a.test', pathname: '/x', query: { a: 1 } }), url.resolve('https://a.test/x/y', '../z')]; };
//// util of node | default
import util from 'node:util';
import os from 'node:os';
import { performance } from 'node:perf_hooks';
export default async () => { class A {} function B() {} util.inherits(B, A); const { values, positionals } = util.parseArgs({ args: ['-v', '--day=mon', '--n', '3', 'file'], allowPositionals: true, options: { verbose: { type: 'boolean', short: 'v' }, day: { type: 'string' }, n: { type: 'string' }, more: { type: 'string', default: 'x' } } }); const called = await new Promise((done) => util.callbackify(async (n) => n * 2)(4, (e, n) => done([e, n]))); return [util.format('%s is %d%%', 'a', 5, 'more'), util.isDeepStrictEqual({ a: [1] }, { a: [1] }), new B() instanceof A, { ...values }, positionals, called, await util.promisify((n, done) => done(null, n + 1))(1), util.types.isDate(new Date()), os.EOL, os.platform(), typeof performance.now(), util.stripVTControlCharacters('\u001b[31mred\u001b[0m')]; };
//// waiting of node | default
import { setTimeout as wait, setInterval as each } from 'node:timers/promises';
export default async () => { const seen = []; const late = wait(2000, 'late').then((one) => seen.push(one)); seen.push(await wait(5, 'first')); for await (const one of each(5, 'tick')) { seen.push(one); if (seen.length > 2) break; } await late; return seen; };
//// ciphers and derived keys
import crypto from 'node:crypto';
import { promisify } from 'node:util';
const fault = (f) => { try { return f(); } catch (e) { return [e.name, e.code ?? null, e.message]; } };
async function main() {
  const out = [], text = 'Überweisung: 1.234,56 € an Jörg, eilig', sum = (n) => crypto.createHash('sha512').update('key').digest().subarray(0, n / 8);
  for (const name of ['aes-128-cbc', 'aes-192-cbc', 'aes-256-cbc', 'aes-256-ctr', 'aes-128-ctr', 'aes-256-ecb', 'AES-256-CBC', 'aes-256-gcm', 'aes-128-gcm']) {
    const key = sum(Number(name.split('-')[1])), gcm = name.endsWith('gcm'), iv = name.endsWith('ecb') ? null : Buffer.alloc(gcm ? 12 : 16, 5);
    for (const to of ['hex', 'base64']) {
      const c = crypto.createCipheriv(name, key, iv);
      if (gcm) c.setAAD(Buffer.from('head'));
      const made = c.update(text.slice(0, 5), 'utf8', to) + c.update(text.slice(5, 30), 'utf8', to) + c.update(text.slice(30), 'utf8', to) + c.final(to);
      const d = crypto.createDecipheriv(name, key, iv);
      if (gcm) { d.setAAD(Buffer.from('head')); d.setAuthTag(c.getAuthTag()); }
      out.push(name, made, gcm ? c.getAuthTag().toString('hex') : '', d.update(made, to, 'utf8') + d.final('utf8'));
    }
    const parts = crypto.createCipheriv(name, key, iv), all = Buffer.from(text);
    out.push([parts.update(all.subarray(0, 3)).length, parts.update(all.subarray(3, 16)).length, parts.update(all.subarray(16, 33)).length, parts.final().length]);
  }
  const k = Buffer.alloc(32, 1), iv = Buffer.alloc(16, 2);
  const plain = crypto.createCipheriv('aes-256-cbc', k, iv).setAutoPadding(false);
  out.push(plain.update('0123456789abcdef', 'utf8', 'hex') + plain.final('hex'));
  out.push(fault(() => crypto.createCipheriv('aes-256-cbc', 'short', iv)), fault(() => crypto.createCipheriv('aes-256-cbc', k, Buffer.alloc(3))), fault(() => crypto.createCipheriv('nope', k, iv)));
  out.push(fault(() => { const d = crypto.createDecipheriv('aes-256-cbc', k, iv); d.update('00', 'hex'); d.final(); }), fault(() => { const d = crypto.createDecipheriv('aes-256-cbc', k, iv); d.update(Buffer.alloc(16)); d.final(); }));
  out.push(fault(() => { const d = crypto.createDecipheriv('aes-256-gcm', k, iv); d.setAuthTag(Buffer.alloc(16)); d.update('abcd', 'hex'); d.final(); }), fault(() => crypto.createCipheriv('aes-256-gcm', k, iv).getAuthTag()));
  out.push(fault(() => { const c = crypto.createCipheriv('aes-256-cbc', k, iv); c.final(); c.final(); }));
  out.push(crypto.pbkdf2Sync('pässword', 'salt', 1000, 40, 'sha256').toString('hex'), crypto.pbkdf2Sync('p', Buffer.from('s'), 1, 20, 'sha1').toString('base64'), crypto.scryptSync('pw', 'salt', 64, { N: 1024 }).toString('hex'), crypto.scryptSync('pw', 'salt', 16, { cost: 16, blockSize: 1, parallelization: 2 }).toString('hex'));
  out.push((await promisify(crypto.scrypt)('a', 'b', 16)).toString('hex'), (await promisify(crypto.pbkdf2)('a', 'b', 2, 16, 'sha512')).toString('hex'), await new Promise((done) => crypto.scrypt('a', 'b', 8, { N: 2 }, (e, key) => done([e, key.toString('hex')]))));
  out.push(fault(() => crypto.scryptSync('a', 'b', 32, { N: 3 })), fault(() => crypto.scryptSync('a', 'b', 32, { N: 2 ** 20 })), fault(() => crypto.pbkdf2Sync('a', 'b', 0, 32, 'sha1')), fault(() => crypto.pbkdf2Sync('a', 'b', 1, 32, 'nope')), fault(() => crypto.timingSafeEqual(Buffer.from('a'), Buffer.from('ab'))));
  const begun = crypto.createHash('sha256').update('a');
  out.push(begun.copy().update('b').digest('hex'), begun.digest('hex'), crypto.timingSafeEqual(Buffer.from('ab'), Buffer.from('ab')));
  return out;
}
//// inspected values | default
import util, { inspect, format } from 'node:util';
class P { constructor() { this.x = 1; } }
class T { get [Symbol.toStringTag]() { return 'Tag'; } }
class C { [inspect.custom](depth, options, of) { return 'C<' + of({ a: 1 }) + depth + '>'; } }
export default () => {
  const circular = { name: 'c' };
  circular.self = circular;
  const values = [1, -0, 'a', "it's", 'a"b\'c', 'a\nb\u0001', null, undefined, 5n, Symbol('x'), [], {}, [[1, [2, [3, [4]]]]], circular, new P(), new T(), new C(), { c: new C() }, Object.create(null), [, 'a', , , 'b'],
    Array.from({ length: 30 }, (_, i) => i * 37), Array.from({ length: 120 }, (_, i) => i), 'abcdefghijklmnop'.split(''), [1, 2, 3, 4, 5, 6, 7].map((n) => ({ n })), new Set(['x', { a: 1 }]), new Map([['a', { b: 1 }], [{ k: 1 }, [1, 2]]]), new Date(0), new Date(NaN), /x+/gi,
    function named() {}, () => {}, class Foo {}, class A extends P {}, Buffer.from('hi'), new Uint8Array([1, 2]), new WeakMap(), { 'a-b': 1, [Symbol('q')]: 2, get x() { return 1; }, set x(v) {} }, { s: 'line1\nline2', very: 'long '.repeat(20) },
    { long: 'x'.repeat(70), arr: Array(3).fill({ k: 'v', kk: 'vv' }) }, { a: { b: { c: {} } }, e: { f: { g: [] } } }, Object.assign([1, 2], { extra: true }), { rows: Array.from({ length: 4 }, (_, i) => ({ id: i, email: `user${i}@example.com`, active: i % 2 === 0 })) }];
  return [...values.map((value) => inspect(value)), ...[{ depth: 0 }, { depth: null, breakLength: Infinity }, { compact: true }, { compact: false }, { breakLength: 40 }, { sorted: true }, { maxArrayLength: 3, maxStringLength: 5 }].flatMap((o) => values.map((value) => inspect(value, o))),
    format('%s has %d items %i %f: %j %o %%', 'cart', 3, 9.99, '1.5', { a: 1 }, [1]), format('no', { a: 1 }, 'str', 5), format('%s %s', 'a'), format('%s', { a: { b: 1 } }), format('%s', [1, 'b']), format('%d', '42x'), format('%O', { a: { b: 1 } }), format(1, 2, '3'), format('%s', null, undefined, 5n), format('%s', new P()), format('%s', { toString() { return 'own'; } }), format('100%', 1), format('%x', 1), format('%j', circular), util.format()];
};
//// events as they come | default
import EventEmitter, { on } from 'node:events';
import { promisify } from 'node:util';
export default async () => {
  const list = [], e = new EventEmitter(), stop = new AbortController();
  setTimeout(() => { e.emit('tick', 1); e.emit('tick', 2, 3); }, 1);
  setTimeout(() => { e.emit('tick', 4); stop.abort(); }, 5);
  try { for await (const given of on(e, 'tick', { signal: stop.signal })) list.push(given); } catch (failed) { list.push([failed.name, failed.code, failed.message]); }
  const other = new EventEmitter();
  setTimeout(() => other.emit('error', new Error('broken')), 1);
  try { for await (const given of on(other, 'x')) list.push(given); } catch (failed) { list.push(failed.message); }
  list.push(e.listenerCount('tick'), await promisify(setTimeout)(2, 'waited'), await promisify((done) => done(null, 3))());
  const custom = Object.assign(() => {}, { [promisify.custom]: async () => 'own' });
  list.push(await promisify(custom)());
  return list;
};
//// what assert says of short values | default
import assert from 'node:assert';
import { promisify } from 'node:util';
export default async () => {
  const says = (f) => { try { f(); return null; } catch (e) { return [e.message, e.code, e.operator, e.generatedMessage, e.actual, e.expected]; } };
  return [says(() => assert.equal(1, 2)), says(() => assert.notEqual(1, 1)), says(() => assert.strictEqual(1, 2)), says(() => assert.strictEqual('a', 'b')), says(() => assert.notStrictEqual(1, 1)), says(() => assert.equal(1, 2, 'own')), says(() => assert.equal('x', 'y')), await promisify(setTimeout)(1, 'v')];
};
//// streams of node | default
import { Readable, Transform, PassThrough, Writable, finished } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, createGunzip } from 'node:zlib';
import { text } from 'node:stream/consumers';
import { ReadableStream } from 'node:stream/web';
export default async () => {
  const out = [], upper = new Transform({ transform(piece, encoding, done) { done(null, String(piece).toUpperCase()); } });
  await pipeline(Readable.from(['a,b\n', 'c\n']), upper, async function* (source) { for await (const one of source) yield String(one).replace(',', ';'); }, async (source) => { for await (const one of source) out.push(String(one)); });
  const kept = []; await pipeline(Readable.from(['x', 'y']), createGzip(), createGunzip(), new Writable({ write(piece, encoding, done) { kept.push(String(piece)); done(); } }));
  const failed = await pipeline(Readable.from([1, 2]), new Transform({ objectMode: true, transform(one, encoding, done) { done(one === 2 ? new RangeError('two') : null, one); } }), new Writable({ objectMode: true, write(one, e, done) { done(); } })).catch((e) => [e.name, e.message]);
  const ended = await new Promise((done) => { const p = new PassThrough(); finished(p, (e) => done(e ?? null)); p.resume(); p.end('z'); });
  const numbers = await Readable.from([1, 2, 3, 4]).filter((n) => n % 2).map((n) => n * 10).toArray();
  return [out, kept.join(''), failed, ended, numbers, await text(Readable.from(['q', 'r'])), await text(Readable.fromWeb(new ReadableStream({ start(c) { c.enqueue('w'); c.close(); } })))];
};
//// lines and pieces of node | default
import readline from 'node:readline';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
export default async () => {
  const rows = []; for await (const line of readline.createInterface({ input: Readable.from(['id\n1,An', 'na\r\n2\n\nlast']), crlfDelay: Infinity })) rows.push(line);
  const heard = []; await new Promise((done) => readline.createInterface({ input: Readable.from(['a\nb']) }).on('line', (line) => heard.push(line)).on('close', done));
  const d = new StringDecoder('utf8'), euro = Buffer.from('€!'); return [rows, heard, d.write(euro.subarray(0, 2)) + '|' + d.write(euro.subarray(2)) + d.end()];
};
//// aborted waits of node | default
import { setTimeout as wait } from 'node:timers/promises';
import { once, EventEmitter } from 'node:events';
import util from 'node:util';
export default async () => { const c = new AbortController(); setTimeout(() => c.abort(), 5); const fault = (e) => [e.name, e.code]; const t = new EventTarget(); setTimeout(() => t.dispatchEvent(new Event('go')), 50); return [await wait(1000, 1, { signal: c.signal }).catch(fault), await once(new EventEmitter(), 'x', { signal: c.signal }).catch(fault), (await once(t, 'go'))[0].type, util.toUSVString('a\ud800b'), new util.TextEncoder().encode('é').length]; };
