;
// Appended to a script whose main was renamed. It wraps what the script is given, and
// notes which members of it the script reads: the output becomes that list.
function main(input) {
  const tools = /*TOOLS*/ [];
  const closed = /*CLOSED*/ []; // answers that must not be looked into
  const most = /*MOST*/ 0;
  const reads = {};
  let count = 0;
  let quiet = 0;
  const proxies = new WeakMap();
  const targets = new WeakMap();

  function note(path) {
    if (quiet === 0 && !(path in reads) && count < most) {
      reads[path] = 1;
      count++;
    }
  }

  function wrap(value, path) {
    if (value === null || typeof value !== 'object' || targets.has(value)) return value;
    const known = proxies.get(value);
    if (known) return known;
    const list = Array.isArray(value);
    const proxy = new Proxy(value, {
      get(target, key) {
        const got = target[key];
        if (typeof key === 'symbol' || typeof got === 'function') return got;
        const at = list ? (/^\d+$/.test(key) ? path + '[*]' : path) : path + '\n' + key;
        if (!list) note(at);
        return quiet > 0 ? got : wrap(got, at);
      },
      has(target, key) {
        if (typeof key !== 'symbol' && !list) note(path + '\n' + key);
        return key in target;
      },
    });
    proxies.set(value, proxy);
    targets.set(proxy, value);
    return proxy;
  }

  for (const tool of tools) {
    const dot = tool.lastIndexOf('.');
    const holder = dot < 0 ? globalThis : globalThis[tool.slice(0, dot)];
    const name = tool.slice(dot + 1);
    if (!holder || typeof holder[name] !== 'function') continue;
    const original = holder[name];
    let calls = 0;
    holder[name] = function (...args) {
      const nth = calls++;
      quiet++;
      let answer;
      try {
        answer = original.apply(this, args);
      } finally {
        quiet--;
      }
      return Promise.resolve(answer).then((value) => {
        const source = tool + '#' + nth;
        return closed.includes(source) ? value : wrap(value, source);
      });
    };
  }

  function report() {
    return Object.keys(reads);
  }
  try {
    return Promise.resolve(/*MAIN*/ null(wrap(input, 'input'))).then(report, report);
  } catch (error) {
    return report();
  }
}
