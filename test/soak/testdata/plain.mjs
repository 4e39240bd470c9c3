// Executes scripts as anybody would, in Node and with nothing in between: node plain.mjs SCRIPTS DAYS, where SCRIPTS is a file with
// { name: JavaScript }. It prints, for each script, the days with what the services answer, and what plain execution made of it.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { worlds, written, answerTo, dice } from './worlds.mjs';

const scripts = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const days = Number(process.argv[3]);
const base = 'http://plain.test';
const first = Date.parse('2026-03-02T07:00:00Z');
const RealDate = Date;
const later = setImmediate;
let world; // of the script and the run under way

const copy = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));

function request(method, url, body, read) {
  const path = url.slice(base.length);
  const key = body !== undefined && read ? `${path} ${body}` : path;
  if (read) {
    const answer = world.reads[key];
    if (answer === undefined) throw new Error(`the world of ${world.name} has no ${method} ${key}`);
    const whole = answer !== null && typeof answer === 'object' && 'body' in answer ? answer : { body: answer };
    const status = whole.status ?? 200;
    const text = typeof whole.body === 'string' ? whole.body : JSON.stringify(whole.body);
    const made = { status, headers: { 'content-type': 'application/json', ...whole.headers }, body: text };
    world.served[key] = made;
    return made;
  }
  const text = body ?? '';
  const made = { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(written(method, path, text)) };
  world.writes.push({ method, path, body: text, answer: made.body });
  return made;
}

async function fetchHere(url, init = {}) {
  const method = (init.method ?? 'GET').toUpperCase();
  const { status, headers, body } = request(method, String(url), init.body, method === 'GET' || method === 'HEAD' || init.effect === 'read');
  return new Response(body, { status, headers });
}

const parsed = (answer) => {
  if (answer.status >= 400) throw new Error('status ' + answer.status);
  return answer.body === '' ? null : JSON.parse(answer.body);
};

const state = {
  get kv() { return world.kept.kv; },
  get files() { return world.kept.files; },
};

const host = {
  fetch: fetchHere,
  setTimeout: (fn, _ms, ...args) => later(fn, ...args),
  web: {
    getJSON: async (url) => parsed(request('GET', url, undefined, true)),
    postJSON: async (url, value, options = {}) => parsed(request(options.method ?? 'POST', url, JSON.stringify(value), options.effect === 'read')),
    fetch: async (url, init = {}) => {
      const method = init.method ?? 'GET';
      return request(method, url, init.body, method === 'GET' || init.effect === 'read');
    },
  },
  kv: {
    get: async (key) => copy(state.kv[key]) ?? null,
    set: async (key, value) => { state.kv[key] = copy(value); return null; },
    delete: async (key) => { delete state.kv[key]; return null; },
    list: async (prefix = '') => Object.keys(state.kv).filter((k) => k.startsWith(prefix)).sort(),
  },
  files: {
    read: async (path) => state.files[path],
    write: async (path, text) => { state.files[path] = text; return null; },
    append: async (path, text) => { state.files[path] = (state.files[path] ?? '') + text; return null; },
    remove: async (path) => { delete state.files[path]; return null; },
  },
  notify: async (title, text) => { world.notes.push([title, text ?? '']); return null; },
  ask: async (question) => { const answer = answerTo(question); world.asks.push([question, answer]); return answer; },
  localTime: (at = RealDate.now(), zone = 'UTC') => {
    const parts = Object.fromEntries(new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(new RealDate(at)).map((p) => [p.type, p.value]));
    return { date: `${parts.year}-${parts.month}-${parts.day}` };
  },
};

// As much of the modules as the scripts use, written another way than the modules are.
const modules = {
  'kintsugi:csv': {
    parse: (text) => {
      const [head, ...rows] = text.split('\r\n').filter(Boolean).map((line) => [...line.matchAll(/("(?:[^"])*"|[^,]*)(?:,|$)/g)].map((m) => m[1].replace(/^"|"$/g, '')));
      return rows.map((row) => Object.fromEntries(head.filter(Boolean).map((name, i) => [name, row[i]])));
    },
  },
  'kintsugi:rss': {
    parse: (text) => ({ items: [...text.matchAll(/<item><guid>(.*?)<\/guid><title>(.*?)<\/title><link>(.*?)<\/link>/gs)].map(([, id, title, link]) => ({ id, title: title.trim(), link })) }),
  },
  'kintsugi:xml': {
    toObject: (text) => ({ rates: { '@day': /day="(.*?)"/.exec(text)[1], rate: [...text.matchAll(/<rate currency="(.*?)">(.*?)<\/rate>/g)].map(([, c, v]) => ({ '@currency': c, '#text': v })) } }),
  },
  'kintsugi:html': {
    parse: (text) => ({
      querySelectorAll: () => [...text.matchAll(/<li class="offer.*?<\/li>/gs)].map(([li]) => ({
        querySelector: (selector) => {
          const found = new RegExp(`class="${selector.slice(1)}">(.*?)<`, 's').exec(li);
          return found && { textContent: found[1] };
        },
      })),
    }),
  },
};
globalThis.soakModules = modules;
const nodeRequire = createRequire(import.meta.url);
const requireHere = (name) => modules[name] ?? nodeRequire(name);

// The run's time is that of its slot.
function at(time) {
  globalThis.Date = class extends RealDate {
    constructor(...args) { super(...(args.length ? args : [time])); }
    static now() { return time; }
  };
}

const AsyncFunction = (async () => {}).constructor;
async function load(name, code) {
  code = code.replaceAll('BASE', `${base}`);
  if (/\bexport default\b|\bas default\b/.test(code)) {
    code = code.replace(/import (\{.*?\}) from '(kintsugi:\w+)'/g, "const $1 = globalThis.soakModules['$2']");
    const module = await import('data:text/javascript;base64,' + Buffer.from(code + `\n// ${name}`).toString('base64'));
    return () => module.default;
  }
  code = code.replace(/import (\{.*?\}) from '(kintsugi:\w+)'/g, "const $1 = globalThis.soakModules['$2']");
  if (name.endsWith('.cjs')) {
    return () => {
      const module = { exports: {} };
      new Function('module', 'exports', 'require', code)(module, module.exports, requireHere);
      return typeof module.exports === 'function' ? module.exports : module.exports.main ?? Object.values(module.exports)[0];
    };
  }
  if (name.endsWith('.top.js')) return () => new AsyncFunction('input', 'require', code);
  return () => new Function('require', code + '\nreturn main;')(requireHere);
}

Object.assign(globalThis, host);
for (const level of ["log", "info", "warn", "error"]) console[level] = () => {}; // the output is what is compared
const out = {};
for (const [name, code] of Object.entries(scripts)) {
  const main = await load(name, code);
  const kept = { kv: {}, files: {} };
  const list = [];
  for (let day = 0; day < days; day++) {
    const { reads, inputs } = worlds[name](day, dice(name, day));
    const runs = [];
    const served = {};
    for (const input of inputs ?? [null]) {
      world = { name, reads, served, kept, writes: [], notes: [], asks: [] };
      const time = first + day * 86400000;
      at(time);
      let output;
      try {
        output = await main()(input ?? { slot: new RealDate(time).toISOString(), zone: 'UTC' }, requireHere);
      } catch (e) {
        throw new Error(`${name}, day ${day}: ${e.stack}`);
      }
      runs.push({ input, output: output === undefined ? null : copy(output), writes: world.writes, notes: world.notes, asks: world.asks });
    }
    list.push({ served, runs });
  }
  out[name] = { days: list, hooked: 'inputs' in worlds[name](0, dice(name, 0)), kv: kept.kv, files: kept.files };
}
globalThis.Date = RealDate;
process.stdout.write(JSON.stringify(out));
