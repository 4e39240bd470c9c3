// The outside of the cases in this folder, and the truth about them, for cmd/internal/field: node world.mjs.
// It prints the address at which it is asked with JSON: /load, /truth, /try, /open, /day, /close. README.md says what a case is.
import http from 'node:http';
import { readFileSync, readdirSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { modules } from './modules.mjs';

export const RECORDED = 10, AFTER = 3;
const cases = new Map();

const clone = (v) => (v === undefined ? null : JSON.parse(JSON.stringify(v)));
const sorted = (v) => Array.isArray(v) ? v.map(sorted)
  : v && typeof v === 'object' ? Object.fromEntries(Object.keys(v).sort().map((k) => [k, sorted(v[k])])) : v;
const canon = (v) => JSON.stringify(sorted(clone(v)));
const parsed = (text) => { try { return JSON.parse(text); } catch { return text; } };

// chance is the same for the same seed.
function chance(seed) {
  let a = createHash('sha256').update(seed).digest().readUInt32LE(0);
  const next = () => { a = (a + 0x6d2b79f5) | 0; let t = Math.imul(a ^ (a >>> 15), 1 | a); t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t; return ((t ^ (t >>> 14)) >>> 0) / 4294967296; };
  const r = {
    int: (from, to) => from + Math.floor(next() * (to - from + 1)),
    chance: (p) => next() < p,
    pick: (list) => list[Math.floor(next() * list.length)],
    some: (list) => list.filter(() => next() < 0.5),
    many: (from, to, make) => Array.from({ length: r.int(from, to) }, (_, i) => make(i)),
    mix: (list) => list.map((v) => [next(), v]).sort((x, y) => x[0] - y[0]).map((x) => x[1]),
    hex: (length) => Array.from({ length }, () => '0123456789abcdef'[Math.floor(next() * 16)]).join(''),
  };
  return r;
}

async function load(dir) {
  if (cases.has(dir)) return cases.get(dir);
  const file = readdirSync(dir).find((name) => /^script\.(js|ts|mjs|cjs)$/.test(name));
  if (!file) throw new Error(`${dir} has no script.js, .ts, .mjs or .cjs`);
  const script = readFileSync(join(dir, file), 'utf8');
  const given = (await import(pathToFileURL(join(dir, 'case.mjs')))).default;
  const name = dir.split('/').pop();
  const faults = [];
  for (const key of ['source', 'says', 'facts', 'api', 'changes']) if (!given[key]) faults.push(`case.mjs has no ${key}`);
  const known = new Set(['source', 'says', 'zone', 'facts', 'input', 'api', 'changes']);
  for (const key of Object.keys(given)) if (!known.has(key)) faults.push(`case.mjs has ${key}, which nobody reads`);
  const routes = (api) => Object.entries(api).map(([key, answer]) => {
    const [, method, origin, path] = /^([A-Z]+) (https:\/\/[^/]+)(.*)$/.exec(key) ?? [];
    if (!method || /[?#]/.test(path)) throw new Error(`${name}: the route ${key} is no METHOD https://host/path without a query`);
    const names = [];
    const pattern = path.split(/(:\w+)/).map((p) => (p.startsWith(':') ? (names.push(p.slice(1)), '([^/]+)') : p.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))).join('');
    return { key, method, origin, pattern: new RegExp(`^${pattern || '/'}$`), names, answer };
  });
  const c = { name, dir, file, script, given, faults, facts: new Map(), truths: new Map(), old: routes(given.api), shapes: new Map() };
  c.shapes.set('', c.old);
  const known2 = new Set(['name', 'happened', 'tells', 'api', 'input', 'right', 'wrong', 'lost', 'write']);
  for (const change of given.changes ?? []) {
    for (const key of ['name', 'happened', 'tells']) if (!change[key]) faults.push(`change ${change.name} has no ${key}`);
    for (const key of Object.keys(change)) if (!known2.has(key)) faults.push(`change ${change.name} has ${key}, which nobody reads`);
    const now = routes(change.api ?? {});
    c.shapes.set(change.name, [...now, ...c.old.filter((one) => !now.some((other) => other.key === one.key))]);
  }
  c.origins = [...new Set([...c.shapes.values()].flat().map((one) => one.origin))].sort();
  c.factsOf = (day) => {
    if (!c.facts.has(day)) c.facts.set(day, given.facts(day, chance(`${name} ${day}`)));
    return structuredClone(c.facts.get(day));
  };
  const fixed = (change, kind) => Object.entries(change[kind] ?? {}).map(([title, fix]) => {
    if (typeof fix === 'string') return { name: title, code: fix };
    let code = script;
    for (const [from, to] of fix) {
      if (!code.includes(from)) faults.push(`change ${change.name}, ${kind} fix "${title}": ${JSON.stringify(from)} does not stand in the script`);
      code = code.replaceAll(from, () => to);
    }
    if (code === script) faults.push(`change ${change.name}, ${kind} fix "${title}" changes nothing`);
    return { name: title, code };
  });
  c.meta = {
    name, file, script, source: given.source, says: given.says, zone: given.zone ?? 'UTC', origins: c.origins, faults,
    changes: (given.changes ?? []).map((change) => ({
      name: change.name, happened: change.happened, tells: [].concat(change.tells ?? []), lost: !!change.lost, right: fixed(change, 'right'), wrong: fixed(change, 'wrong'),
    })),
  };
  cases.set(dir, c);
  return c;
}

// ask gives {status, headers, body} of a request in a shape on a day.
function ask(c, shape, day, { method, url, headers, body }) {
  const u = new URL(url);
  let path;
  try { path = decodeURI(u.pathname); } catch { path = u.pathname; }
  for (const route of c.shapes.get(shape)) {
    const hit = route.method === method && route.origin === u.origin && route.pattern.exec(path);
    if (!hit) continue;
    const q = {
      url, headers, body: body === undefined || body === '' ? undefined : parsed(body),
      query: Object.fromEntries(u.searchParams), params: Object.fromEntries(route.names.map((name, i) => [name, decodeURIComponent(hit[i + 1])])),
      id: createHash('sha256').update(`${day} ${method} ${url} ${body ?? ''}`).digest().readUInt32LE(0) % 900000 + 100000,
    };
    const made = typeof route.answer === 'function' ? route.answer(c.factsOf(day), q) : route.answer;
    const whole = made && typeof made === 'object' && ['$status', '$headers', '$type', '$body'].some((k) => k in made) ? made : { $body: made };
    const text = whole.$body === undefined ? '' : typeof whole.$body === 'string' && ('$type' in whole) ? whole.$body : JSON.stringify(whole.$body);
    return { status: whole.$status ?? 200, headers: { 'content-type': whole.$type ?? 'application/json', ...whole.$headers }, body: text };
  }
  return { status: 404, headers: { 'content-type': 'application/json' }, body: '{"message":"not found"}', unknown: `${method} ${url}` };
}

const NAMES = ['fetch', 'web', 'kv', 'files', 'notify', 'secret', 'sleep', 'localTime', 'process', 'console', 'setTimeout', 'clearTimeout', 'module', 'exports', 'require'];

function localTime(at = Date.now(), zone = 'UTC') {
  const d = new Date(at);
  const p = Object.fromEntries(new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' }).formatToParts(d).map((x) => [x.type, x.value]));
  const n = { year: +p.year, month: +p.month, day: +p.day, hour: +p.hour, minute: +p.minute, second: +p.second };
  const utc = Date.UTC(n.year, n.month - 1, n.day, n.hour, n.minute, n.second);
  return { ...n, weekday: new Date(utc).getUTCDay(), offset: (utc - Math.floor(d.getTime() / 1000) * 1000) / 60000, date: `${p.year}-${p.month}-${p.day}` };
}

const inputOf = (c, shape, day) => clone((changeOf(c, shape)?.input ?? c.given.input ?? (() => ({})))(c.factsOf(day)));

// run makes one run of a script (as CommonJS) and says what came of it. The state is changed.
async function run(c, code, shape, day, state) {
  const writes = [], unknown = [];
  const wrote = (to, body) => { if (writes.push({ to, body: clone(body) }) > 1000) throw new Error('too many writes'); };
  let asked = 0;
  const request = (method, url, headers, body, effect) => {
    if (++asked > 500) throw new Error('too many requests');
    const answer = ask(c, shape, day, { method, url, headers, body });
    if (answer.unknown) unknown.push(answer.unknown);
    if (method !== 'GET' && method !== 'HEAD' && effect !== 'read') wrote(`${method} ${url}`, body === undefined ? null : parsed(body));
    return answer;
  };
  const lower = (h) => Object.fromEntries([...new Headers(h ?? {})]);
  const text = (body) => body === undefined || body === null ? undefined : String(body);
  const fetch = async (url, init = {}) => {
    if (url instanceof Request) throw new Error('the truth knows no Request');
    const answer = request((init.method ?? 'GET').toUpperCase(), String(new URL(url)), lower(init.headers), text(init.body), init.effect);
    const response = new Response([101, 204, 205, 304].includes(answer.status) ? null : answer.body, { status: answer.status, headers: answer.headers });
    Object.defineProperty(response, 'url', { value: String(url) });
    return response;
  };
  const error = (name, message, more) => Object.assign(new Error(message), { name, ...more });
  const json = (method, url, answer) => {
    if (answer.status >= 400) {
      const name = answer.status === 401 ? 'AuthError' : [402, 403].includes(answer.status) ? 'PermissionError' : [408, 425, 429].includes(answer.status) || answer.status >= 500 ? 'NetworkError' : 'LogicError';
      throw error(name, `${method} ${url}: status ${answer.status}`, { status: answer.status, body: answer.body });
    }
    return answer.body === '' ? null : JSON.parse(answer.body);
  };
  const web = {
    fetch: async (url, o = {}) => { const a = request((o.method ?? 'GET').toUpperCase(), String(new URL(url)), lower(o.headers), text(o.body), o.effect); return { status: a.status, headers: lower(a.headers), body: a.body }; },
    getJSON: async (url, o = {}) => json('GET', url, request('GET', String(new URL(url)), lower(o.headers))),
    postJSON: async (url, value, o = {}) => json(o.method ?? 'POST', url, request(o.method ?? 'POST', String(new URL(url)), lower(o.headers), value === undefined ? undefined : JSON.stringify(value), o.effect)),
  };
  const kv = {
    get: async (key) => clone(state.kv[key]), list: async (prefix = '') => Object.keys(state.kv).filter((k) => k.startsWith(prefix)).sort(),
    set: async (key, value) => { wrote(`kv.set ${key}`, value); state.kv[key] = clone(value); return null; },
    delete: async (key) => { wrote(`kv.delete ${key}`, null); delete state.kv[key]; return null; },
  };
  const there = (path) => { if (!(path in state.files)) throw error('LogicError', `there is no file ${path}`); return state.files[path]; };
  const files = {
    read: async (path) => there(path), stat: async (path) => ({ size: Buffer.byteLength(there(path)), modified: '2026-01-01T00:00:00Z' }),
    list: async (dir = '') => Object.keys(state.files).filter((k) => k.startsWith(dir)).sort(),
    write: async (path, t) => { wrote(`files.write ${path}`, t); state.files[path] = t; return null; },
    append: async (path, t) => { wrote(`files.append ${path}`, t); state.files[path] = (state.files[path] ?? '') + t; return null; },
    remove: async (path) => { wrote(`files.remove ${path}`, null); delete state.files[path]; return null; },
  };
  const notify = async (title, t) => { wrote('notify', t === undefined ? [title] : [title, t]); return null; };
  const secret = (name) => `{{secret:${name}}}`;
  const process = { env: new Proxy({}, { get: (_, name) => (name === 'NODE_ENV' ? 'production' : name === 'TZ' ? 'UTC' : secret(String(name))) }) };
  const silent = new Proxy({}, { get: () => () => {} });
  const zone = c.meta.zone;
  const module = { exports: {} };
  const given = {
    fetch, web, kv, files, notify, secret, process, console: silent, module, exports: module.exports,
    sleep: async () => null, setTimeout: (f, _, ...a) => setTimeout(f, 0, ...a), clearTimeout, localTime: (at, z = zone) => localTime(at, z),
    require: (name) => { const made = modules(name, zone); if (!made) throw new Error(`the truth has no module ${name}`); return made; },
  };
  let timer;
  try {
    // It is a function inside, so that a script may have a sleep or a fetch of its own.
    const main = new Function(...NAMES, `return (() => {${code}\n;return typeof main === 'function' ? main : undefined; })();`)(...NAMES.map((name) => given[name]));
    const made = module.exports;
    const entry = main ?? (typeof made === 'function' ? made : made.default ?? made.main ?? made.handler ?? made.run ?? Object.values(made).find((v) => typeof v === 'function'));
    if (typeof entry !== 'function') throw new Error('the script has no main');
    const input = inputOf(c, shape, day);
    const output = await Promise.race([entry(input), new Promise((_, no) => { timer = setTimeout(() => no(new Error('too long')), 5000); })]);
    return { status: 'succeeded', output: clone(output), writes, unknown };
  } catch (e) {
    return { status: 'failed', error: `${e?.name}: ${e?.message}`, writes, unknown };
  } finally {
    clearTimeout(timer);
  }
}

const endOf = (r) => (r.status === 'succeeded' ? canon({ output: r.output, writes: r.writes }) : '');
const empty = () => ({ kv: {}, files: {} });

// truth is each day of the old script in the old shape, with the state before it.
async function truth(c, code, days) {
  let known = c.truths.get(code);
  if (!known) c.truths.set(code, known = { days: [], state: empty() });
  while (known.days.length < days) {
    const before = structuredClone(known.state);
    known.days.push({ ...(await run(c, code, '', known.days.length, known.state)), before });
  }
  return known.days.slice(0, days);
}

const changeOf = (c, name) => c.given.changes.find((one) => one.name === name);
// wanted is what a day has to come to under a change.
const wanted = (change, t) => (change?.write ? { ...t, writes: t.writes.map((w) => clone(change.write(structuredClone(w)))) } : t);

// attempt says on which days a candidate is not right: recorded (old shape), carried (the same days, new shape), after.
async function attempt(c, old, name, code) {
  const days = await truth(c, old, RECORDED + AFTER), change = changeOf(c, name);
  const result = { recorded: [], carried: [], after: [], failed: [], told: '' };
  const tell = (day, got, want) => { result.told ||= `day ${day}: ${got.error ?? `${endOf(got)}`.slice(0, 600)} in place of ${endOf(want).slice(0, 600)}`; };
  for (let d = 0; d < RECORDED; d++) {
    const got = await run(c, code, '', d, structuredClone(days[d].before));
    if (endOf(got) !== endOf(days[d])) { result.recorded.push(d); tell(d, got, days[d]); }
  }
  for (let d = 0; d < RECORDED; d++) {
    const got = await run(c, code, name, d, structuredClone(days[d].before)), want = wanted(change, days[d]);
    if (endOf(got) !== endOf(want)) { result.carried.push(d); tell(d, got, want); }
  }
  const state = structuredClone(days[RECORDED].before);
  for (let d = RECORDED; d < RECORDED + AFTER; d++) {
    const got = await run(c, code, name, d, state), want = wanted(change, days[d]);
    if (endOf(got) !== endOf(want)) { result.after.push(d); tell(d, got, want); }
    if (got.status !== 'succeeded') result.failed.push(d);
  }
  return result;
}

// An opened case has a server for each of its origins.
const opened = new Map();
async function open(c, shape) {
  const place = { c, shape: '', now: '', day: 0, servers: [], local: {} };
  place.shape = shape;
  for (const origin of c.origins) {
    const server = http.createServer((req, res) => {
      const chunks = [];
      req.on('data', (d) => chunks.push(d));
      req.on('end', () => {
        try {
          const a = ask(c, place.now, place.day, { method: req.method, url: String(new URL(home(place, origin + req.url))), headers: req.headers, body: home(place, Buffer.concat(chunks).toString()) });
          const headers = Object.fromEntries(Object.entries(a.headers).map(([k, v]) => [k, abroad(place, String(v))]));
          res.writeHead(a.status, headers);
          res.end(abroad(place, a.body));
        } catch (e) {
          res.writeHead(500, { 'content-type': 'text/plain' });
          res.end(`the case: ${e.stack}`);
        }
      });
    });
    server.keepAliveTimeout = 1000;
    await new Promise((ok) => server.listen(0, '127.0.0.1', ok));
    place.local[origin] = `http://127.0.0.1:${server.address().port}`;
    place.servers.push(server);
  }
  const id = String(opened.size + 1);
  opened.set(id, place);
  return { id, local: place.local };
}
const home = (place, text) => Object.entries(place.local).reduce((t, [origin, local]) => t.replaceAll(local, origin).replaceAll(encodeURIComponent(local), encodeURIComponent(origin)), text);
const abroad = (place, text) => Object.entries(place.local).reduce((t, [origin, local]) => t.replaceAll(origin, local), text);

const commands = {
  load: async ({ dir }) => (await load(dir)).meta,
  truth: async ({ dir, code, days }) => {
    const c = await load(dir);
    return (await truth(c, code, days)).map((t, day) => ({ status: t.status, error: t.error, output: t.output, writes: t.writes, unknown: t.unknown, end: endOf(t), day }));
  },
  // What each change makes of the old script, on the carried days and on those after.
  effect: async ({ dir, code, change }) => {
    const c = await load(dir), days = await truth(c, code, RECORDED + AFTER), found = [];
    const state = structuredClone(days[RECORDED].before);
    for (let d = RECORDED; d < RECORDED + AFTER; d++) {
      const got = await run(c, code, change, d, state);
      const want = wanted(changeOf(c, change), days[d]);
      found.push(got.status !== 'succeeded' ? `loud: ${got.error}` : endOf(got) === endOf(want) ? 'harmless' : 'silent');
    }
    return found;
  },
  try: async ({ dir, old, change, code }) => attempt(await load(dir), old, change, code),
  open: async ({ dir, change }) => open(await load(dir), change),
  day: async ({ id, day, changed }) => {
    const place = opened.get(id);
    Object.assign(place, { day, now: changed ? place.shape : '' });
    const { c } = place;
    return { input: JSON.parse(abroad(place, JSON.stringify(inputOf(c, place.now, day)))) };
  },
  // Whether an end that was seen live is the one that has to be.
  right: async ({ id, code, day, changed, output, writes }) => {
    const place = opened.get(id), { c } = place;
    const days = await truth(c, code, day + 1);
    const want = wanted(changed ? changeOf(c, place.shape) : undefined, days[day]);
    const got = parsed(home(place, JSON.stringify({ output, writes })));
    for (const w of got.writes) if (typeof w.body === 'string' && /^[A-Z]+ http/.test(w.to)) w.body = parsed(w.body);
    const is = canon({ output: got.output ?? null, writes: got.writes }), has = endOf(want);
    return { right: is === has, begins: got.writes.every((w, i) => canon(w) === canon(want.writes[i])), got: is, want: has };
  },
  close: async ({ id }) => { for (const server of opened.get(id).servers) { server.close(); server.closeAllConnections(); } opened.get(id).servers = []; return {}; },
};

const control = http.createServer((req, res) => {
  const chunks = [];
  req.on('data', (d) => chunks.push(d));
  req.on('end', async () => {
    try {
      const made = await commands[req.url.slice(1)](JSON.parse(Buffer.concat(chunks).toString()));
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify(made));
    } catch (e) {
      res.writeHead(500, { 'content-type': 'text/plain' });
      res.end(String(e.stack));
    }
  });
});
process.on('unhandledRejection', () => {}); // of a script that does not await what fails
control.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${control.address().port}`));
process.stdin.on('end', () => process.exit(0)).resume(); // it ends with whoever started it
