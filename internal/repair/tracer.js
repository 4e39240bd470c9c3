// Stands around a script. It wraps what the script receives, so that every property the
// script reads is noted with its path and its place in the script.
(() => {
  const config = /*CONFIG*/ null;
  const parseJSON = JSON.parse;
  const makeError = Error;
  const roots = [];
  const nodes = [];
  const reads = new Map();
  const proxies = new WeakMap();
  const targets = new WeakMap();
  const written = new WeakMap();
  const badTexts = [];
  let quiet = 0;
  let clock = 0;
  let captured = 0;

  // The innermost place in the script itself; "n" before it says that a built-in function
  // (map, Object.entries, spread) stands between the script and the read.
  function place() {
    const lines = new makeError().stack.split('\n');
    let native = '';
    for (let i = 1; i < lines.length; i++) {
      if (lines[i].endsWith('(native)') || lines[i].includes('prelude/')) {
        native = 'n';
        continue;
      }
      const found = /\bscript\.js:(\d+):(\d+)\(\d+\)\)?$/.exec(lines[i]);
      if (found) return native + found[1] + ':' + found[2];
    }
    return '';
  }

  function kindOf(value) {
    if (value === null) return 'null';
    if (Array.isArray(value)) return 'array';
    return typeof value;
  }

  function child(node, key) {
    let found = node.children.get(key);
    if (!found) {
      found = { id: nodes.length, children: new Map(), times: new Map() };
      nodes.push({ parent: node.id, key: key });
      node.children.set(key, found);
    }
    return found;
  }

  // To know the place takes a stack trace. Of many reads of one key at one path a sample
  // will do; those that find nothing are noted until there are enough of them.
  function note(node, key, value, where) {
    clock++;
    const kind = kindOf(value);
    const nothing = kind === 'undefined' || kind === 'null';
    const times = (node.times.get(key) || 0) + 1;
    node.times.set(key, times);
    if (times > config.always && times % config.sample !== 0 && !(nothing && times < config.always * config.sample)) return;
    if (reads.size >= config.reads || captured >= config.captures) return;
    captured++;
    const at = place();
    if (at === '') return;
    const id = node.id + '|' + at + '|' + key;
    let read = reads.get(id);
    if (!read) {
      read = { node: node.id, key: key, at: at, kinds: {}, last: 0, nothing: [] };
      reads.set(id, read);
    }
    read.kinds[kind] = (read.kinds[kind] || 0) + 1;
    read.last = clock;
    if (nothing && read.nothing.length < config.nothing) read.nothing.push(where);
  }

  // node is the path with "[]" for any element, where the exact one.
  function wrap(value, node, where) {
    if (value === null || typeof value !== 'object' || targets.has(value)) return value;
    const known = proxies.get(value);
    if (known) return known;
    const list = Array.isArray(value);
    const proxy = new Proxy(value, {
      get(target, key) {
        const got = target[key];
        if (quiet || typeof key === 'symbol' || typeof got === 'function') return got;
        if (list && key === 'length') return got;
        const mine = written.get(target);
        if (mine && mine.has(key)) return got;
        const part = list && /^\d+$/.test(key) ? '[]' : key;
        note(node, part, got, where);
        return wrap(got, child(node, part), where.concat(key));
      },
      set(target, key, value) {
        let mine = written.get(target);
        if (!mine) written.set(target, (mine = new Set()));
        mine.add(key);
        target[key] = targets.get(value) || value;
        return true;
      },
    });
    proxies.set(value, proxy);
    targets.set(proxy, value);
    return proxy;
  }

  function root(about, value) {
    const node = { id: nodes.length, children: new Map(), times: new Map() };
    about.node = node.id;
    about.value = kindOf(value);
    nodes.push({ parent: -1, key: '' });
    roots.push(about);
    return wrap(value, node, []);
  }

  for (const tool of config.tools) {
    const dot = tool.lastIndexOf('.');
    const holder = dot < 0 ? globalThis : globalThis[tool.slice(0, dot)];
    const name = tool.slice(dot + 1);
    if (!holder || typeof holder[name] !== 'function') continue;
    const original = holder[name];
    let calls = 0;
    holder[name] = function (...args) {
      const about = { kind: 'call', tool: tool, nth: calls++, at: place() };
      quiet++;
      let answer;
      try {
        answer = original.apply(this, args);
      } finally {
        quiet--;
      }
      return Promise.resolve(answer).then((value) => root(about, value));
    };
  }

  JSON.parse = function (text, reviver) {
    const at = place();
    let value;
    try {
      value = parseJSON(text, reviver);
    } catch (error) {
      badTexts.push({ at: at, kind: kindOf(text), text: typeof text === 'string' ? text.slice(0, config.text) : '' });
      throw error;
    }
    const short = typeof text === 'string' && text.length <= config.text;
    return root({ kind: 'parse', nth: 0, at: at, text: short ? text : '' }, value);
  };

  function report(failure, output) {
    const trace = { roots: roots, nodes: nodes, reads: Array.from(reads.values()), badTexts: badTexts, clock: clock, failure: failure };
    quiet++;
    try {
      trace.output = JSON.stringify(output);
    } catch (error) {
      trace.output = undefined;
    }
    return trace;
  }

  function failed(error) {
    const failure = { name: 'Error', message: '', stack: '', class: 'logic' };
    try {
      failure.name = String(error.name);
      failure.message = String(error.message);
      failure.stack = String(error.stack || '');
      if (error.class) failure.class = String(error.class);
    } catch (odd) {
      failure.message = 'not an error';
    }
    return report(failure, undefined);
  }

  // main is a promise of it, if the script waits at its top level.
  return (main, waits) => (input) => {
    try {
      const given = root({ kind: 'input', nth: 0, at: '' }, input);
      const result = waits ? main.then((main) => main(given)) : main(given);
      return Promise.resolve(result).then((output) => report(null, output), failed);
    } catch (error) {
      return failed(error);
    }
  };
})()
