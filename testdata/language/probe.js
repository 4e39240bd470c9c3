// What the language makes of many values: run by Node and as a script, and compared (make language).
// main takes the names of what Node has, and which rows are wanted, and gives a row of results for each thing.
// What is added to the engine comes for these words: captureStackTrace asyncIterator groupBy replaceAll toSorted stringify
// toPrecision toExponential log10 .sign .sort \\p{ 1n. The name of the zone is otherwise, so no texts of dates are taken to pieces.

/* A value as a text that tells all that a script could tell of it. */
function show(value, depth = 0, seen = []) {
  switch (typeof value) {
    case 'undefined': return 'undefined';
    case 'number': return Object.is(value, -0) ? '-0' : String(value);
    case 'bigint': return value + 'n';
    case 'symbol': return String(value).replaceAll('Coordinated Universal Time', 'UTC');
    case 'string': return JSON.stringify(value.replaceAll('(Coordinated Universal Time)', '(UTC)'));
    case 'boolean': return String(value);
    case 'function': return 'function ' + value.name + '/' + value.length;
  }
  if (value === null) return 'null';
  if (seen.includes(value)) return 'circular';
  if (depth > 4) return '…';
  const next = (v) => show(v, depth + 1, [...seen, value]);
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (value instanceof Error) return 'error ' + value.name;
  let text = kind;
  if (Array.isArray(value)) {
    const items = [];
    for (let i = 0; i < value.length && i < 40; i++) items.push(i in value ? next(value[i]) : 'hole');
    text = value.length > 40 ? value.length + ' of [' + items + ']' : '[' + items + ']';
  } else if (value instanceof Date) text = 'Date ' + value.getTime();
  else if (value instanceof RegExp) text = ('RegExp ' + value).replaceAll('Coordinated Universal Time', 'UTC') + ' at ' + value.lastIndex;
  else if (value instanceof Map) text = 'Map ' + [...value].map(next);
  else if (value instanceof Set) text = 'Set ' + [...value].map(next);
  else if (value instanceof Promise) return 'Promise';
  else if (value instanceof Number || value instanceof String || value instanceof Boolean) text = kind + ' ' + next(value.valueOf());
  else if (/Iterator|Generator/.test(kind) && typeof value.next === 'function') {
    const items = [];
    for (const item of value) {
      items.push(next(item));
      if (items.length > 20) break;
    }
    return kind + ' ' + items;
  }
  const own = Reflect.ownKeys(value).filter((key) => !(Array.isArray(value) || value instanceof String) || !/^(\d+|length)$/.test(String(key))).filter((key) => key !== 'lastIndex');
  if (own.length > 40 || Object.hasOwn(value, 'constructor')) return text + '{…}';
  if (own.length) {
    if (Array.isArray(value)) own.sort(); // of what exec gives the order is otherwise
    text += '{' + own.map((key) => {
      const d = Object.getOwnPropertyDescriptor(value, key);
      const flags = (d.writable === false ? '!w' : '') + (d.enumerable ? '' : '!e') + (d.configurable ? '' : '!c');
      return String(key) + flags + ':' + ('value' in d ? next(d.value) : (d.get ? 'get' : '') + (d.set ? 'set' : ''));
    }) + '}';
  }
  return text;
}

function attempt(f) {
  try {
    return show(f());
  } catch (e) {
    return 'throws ' + (e instanceof Error ? e.constructor.name : show(e));
  }
}

/* Makers, so that each case has values of its own. */
const makers = {
  undefined: () => undefined, null: () => null, true: () => true, false: () => false,
  0: () => 0, '-0': () => -0, 1: () => 1, '-1': () => -1, 2: () => 2, 3: () => 3, '2.5': () => 2.5, '-1.5': () => -1.5, NaN: () => NaN, Infinity: () => Infinity, '-Infinity': () => -Infinity,
  '2**31': () => 2 ** 31, '2**32': () => 2 ** 32, '2**53': () => 2 ** 53, '1e21': () => 1e21, '1e-7': () => 1e-7, 255: () => 255, 36: () => 36, 101: () => 101,
  "''": () => '', "'a'": () => 'a', "'abcabc'": () => 'abcabc', "'12'": () => '12', "' 7 '": () => ' 7 ', "'0x1f'": () => '0x1f', "'ß'": () => 'ß', "'İ'": () => 'İ', "'😀x'": () => '😀x', "'\\ud83d'": () => '\ud83d', "'a,b,,c'": () => 'a,b,,c', "'NFC'": () => 'NFC', "'length'": () => 'length', "'2020-02-30'": () => '2020-02-30', "'$&-$1-$$'": () => '$&-$1-$$', "'é'": () => 'e\u0301',
  '[]': () => [], '[3,1,2]': () => [3, 1, 2], '[1,,3]': () => [1, , 3], "['b','a',undefined,10,9]": () => ['b', 'a', undefined, 10, 9], '[[1,[2,[3]]],[4]]': () => [[1, [2, [3]]], [4]], "[['a',1],['b',2]]": () => [['a', 1], ['b', 2]], '[NaN,-0,null]': () => [NaN, -0, null],
  '{}': () => ({}), '{a:1}': () => ({ a: 1, b: { c: 2 } }), "{length:2}": () => ({ length: 2, 0: 'x', 1: 'y' }), 'frozen': () => Object.freeze({ a: 1 }), 'getter': () => ({ get a() { return 7; }, enumerable: true }), '{valueOf}': () => ({ valueOf: () => 4, toString: () => 'four' }), '{toPrimitive}': () => ({ [Symbol.toPrimitive]: (hint) => hint === 'number' ? 3 : hint }), '{toJSON}': () => ({ toJSON: (key) => 'json:' + key }), 'null object': () => Object.assign(Object.create(null), { n: 1 }),
  'x=>x': () => (x) => x, '(a,b)=>a-b': () => (a, b) => a - b, 'x=>x>1': () => (x) => x > 1, 'x=>[x,x]': () => (x) => [x, x], 'throws': () => () => { throw new RangeError('r'); }, 'function': () => function named(a, b = 1, ...c) { return [this === undefined, a, b, c]; }, class: () => class K { static s = 1; m() { return 1; } },
  'Symbol.iterator': () => Symbol.iterator, "Symbol('s')": () => Symbol('s'), "Symbol.for('f')": () => Symbol.for('f'),
  '10n': () => 10n, '-3n': () => -3n, '2n**64n': () => 2n ** 64n,
  'Date(0)': () => new Date(0), 'Date(2024)': () => new Date(Date.UTC(2024, 1, 29, 13, 14, 15, 167)), 'Date(NaN)': () => new Date(NaN), 'Date(-1)': () => new Date(-86400001),
  '/b/': () => /b/, '/[ab]/g': () => /[ab]/g, '/(?<x>b)(c)?/y': () => /(?<x>b)(c)?/y, '/,/': () => /,/, '/(,)/': () => /(,)/, '/./u': () => /./gu, '/^/m': () => /^/gm,
  'Map': () => new Map([['a', 1], [NaN, 2]]), 'Set': () => new Set([1, 2, 3]), 'Set2': () => new Set([2, 3, 4]), 'WeakMap': () => new WeakMap(), 'WeakSet': () => new WeakSet(),
  'Error': () => new TypeError('t', { cause: 1 }), 'generator': () => (function* () { yield 1; yield 2; return 3; })(), 'iterator': () => [1, 2][Symbol.iterator](), 'Proxy': () => new Proxy({ p: 1 }, { get: (t, k) => k === 'q' ? 'trapped' : Reflect.get(t, k), has: (t, k) => k === 'q' || k in t, ownKeys: () => ['p'] }),
  'Number(5)': () => new Number(5), "String('xy')": () => new String('xy'), 'Boolean(false)': () => new Boolean(false), 'Promise': () => Promise.resolve(1), arguments: () => (function () { return arguments; })(1, 'b'),
  'RegExp chars': () => 'a.b*c', 'invalid [': () => '[', "'gi'": () => 'gi', "'%41%zz'": () => '%41%zz', "'a b&ü/?'": () => 'a b&ü/?', "'{\"a\":[1,2]}'": () => '{"a":[1,2],"__proto__":1}', "'2020-01-02T03:04:05Z'": () => '2020-01-02T03:04:05Z', "'default'": () => 'default', "'get'": () => 'get', "'x'": () => 'x',
};
const names = Object.keys(makers);
const ones = ['undefined', 'null', 'true', '0', '-0', '1', '-1', '2.5', 'NaN', 'Infinity', "''", "'a'", "'abcabc'", "' 7 '", "'\\ud83d'", "'$&-$1-$$'", "'length'", '[]', '[3,1,2]', "[['a',1],['b',2]]", '{a:1}', '{length:2}', '{valueOf}', 'x=>x', 'x=>x>1', 'throws', "Symbol('s')", '10n', 'Date(NaN)', '/[ab]/g', 'Set', 'Map', 'Proxy', '36'];
const few = ['undefined', '0', '-1', '2.5', "'a'", '[3,1,2]', '(a,b)=>a-b'];
// Only without arguments, or with these: what else is made of them is otherwise, and said so in docs/scripts.md.
const less = { __proto__: null, localeCompare: ["'a'", "'abcabc'", '1', '[3,1,2]', 'null'], toLocaleUpperCase: ['undefined'], toLocaleLowerCase: ['undefined'], toLocaleString: [], toLocaleDateString: [], toLocaleTimeString: [], padStart: few, padEnd: few, repeat: few };

/* What methods are called on, by the class whose prototype they are on. */
const receivers = {
  Object: ['{a:1}', 'frozen', 'null object', '[1,,3]', "'a'", '2', 'null', 'class', 'Date(0)', 'Map', 'arguments', 'Error', '10n'],
  Function: ['x=>x', 'function', 'class', '{a:1}'],
  Array: ['[3,1,2]', '[1,,3]', "['b','a',undefined,10,9]", '[[1,[2,[3]]],[4]]', '[NaN,-0,null]', '[]', '{length:2}', "'abcabc'", 'undefined'],
  String: ["'abcabc'", "'😀x'", "'ß'", "'İ'", "'é'", "' 7 '", "'a,b,,c'", "'\\ud83d'", '2.5', 'null', '[3,1,2]'],
  Number: ['0', '-0', '1', '2.5', '-1.5', '255', 'NaN', 'Infinity', '1e21', '1e-7', '2**53', "'a'", 'Number(5)'],
  BigInt: ['10n', '-3n', '2n**64n', '2'], Boolean: ['true', 'Boolean(false)', '2'], Symbol: ['Symbol.iterator', "Symbol('s')", "'a'"],
  Date: ['Date(2024)', 'Date(0)', 'Date(NaN)', 'Date(-1)', '2'], RegExp: ['/b/', '/[ab]/g', '/(?<x>b)(c)?/y', '/(,)/', '/./u', '/^/m', '{a:1}'],
  Map: ['Map', 'Set', '{}'], Set: ['Set', 'Map', '{}'], WeakMap: ['WeakMap', 'Map'], WeakSet: ['WeakSet', 'Set'],
  Error: ['Error', '{a:1}', '2'], TypeError: ['Error'], RangeError: ['Error'], AggregateError: ['Error'],
};

function calls(about, key, f, on, add) {
  const call = (...args) => add(about, (on ? 'of ' + on + ' ' : '') + args.join(', '), () => attempt(() => {
    const self = on && makers[on]();
    const result = exact(Reflect.apply(f, self, args.map((name) => makers[name]())));
    return on && self !== null && typeof self === 'object' ? [result, self] : result;
  }));
  call();
  for (const one of less[key] ?? ones) call(one);
  if (less[key]) return;
  for (const one of few) for (const other of few) call(one, other);
  for (const one of ['0', '1', '-1', "'a'"]) call(one, '2', '1');
}

/* The properties of an object, and what its functions make of the values. */
function object(add, path, target, keys, on) {
  for (const written of keys) {
    const key = written.startsWith('@@') ? Symbol[written.slice(2)] : written;
    const about = path + '.' + written;
    const d = Object.getOwnPropertyDescriptor(target, key);
    add(about, 'property', () => show(d));
    // The engine itself fails when these are called on what they are not made for.
    if (typeof d?.value !== 'function' || ['constructor', Symbol.hasInstance, Symbol.replace].includes(key) || about === 'Object.prototype.toLocaleString') continue;
    for (const self of on ?? [undefined]) calls(about, key, d.value, self, add);
  }
}

const exact = (value) => typeof value !== 'number' || Number.isInteger(value) || !Number.isFinite(value) ? value : Number(value.toPrecision(12)); // the last digits are left to engines
const operators = {
  '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b, '%': (a, b) => a % b, '**': (a, b) => exact(a ** b),
  '<<': (a, b) => a << b, '>>': (a, b) => a >> b, '>>>': (a, b) => a >>> b, '&': (a, b) => a & b, '|': (a, b) => a | b, '^': (a, b) => a ^ b,
  '<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b, '==': (a, b) => a == b, '!=': (a, b) => a != b, '===': (a, b) => a === b, '!==': (a, b) => a !== b,
  '&&': (a, b) => a && b, '||': (a, b) => a || b, '??': (a, b) => a ?? b, in: (a, b) => a in b, instanceof: (a, b) => a instanceof b,
  '+=': (a, b) => { a += b; return a; }, '**=': (a, b) => { a **= b; return exact(a); }, '>>>=': (a, b) => { a >>>= b; return a; }, '??=': (a, b) => { a ??= b; return a; },
  '[]': (a, b) => a[b], '?.[]': (a, b) => a?.[b], 'delete []': (a, b) => [delete a[b], a], '[...]': (a, b) => [...a, ...b], '{...}': (a, b) => ({ ...a, ...b }), 'f(...)': (a, b) => Math.max(...a, b), '`${}`': (a, b) => `${a}-${b}`,
  switch: (a, b) => { switch (a) { case b: return 1; default: return 0; } }, 'for of': (a) => { const r = []; for (const x of a) r.push(x); return r; }, 'for in': (a) => { const r = []; for (const x in a) r.push(x); return r; },
  '[x,y]=': (a, b) => { const [x, y = b, ...z] = a; return [x, y, z]; }, '{length}=': (a, b) => { const { length, a: y = b, ...z } = a; return [length, y, z]; },
};
const unary = {
  '+': (a) => +a, '-': (a) => -a, '~': (a) => ~a, '!': (a) => !a, typeof: (a) => typeof a, void: (a) => void a, '++': (a) => [++a, a], 'x--': (a) => [a--, a], Number, String, Boolean, BigInt, Object, Symbol, parseInt, parseFloat, isNaN, isFinite, 'Array.from': (a) => Array.from(a), 'new Date': (a) => new Date(a), 'new Set': (a) => new Set(a), 'new Map': (a) => new Map(a), 'new Array': (a) => new Array(a), 'JSON': (a) => JSON.stringify([a, { a }]), 'new RegExp': (a) => new RegExp(a), new: (a) => new a(1), '()': (a) => a(1, 2), 'x.y.z': (a) => a.b.c, 'x?.y?.z': (a) => a?.b?.c, 'x.y?.()': (a) => a.b?.(), throw: (a) => { throw a; }, yield: (a) => [...(function* () { yield* a; })()],
};

const patterns = ['a', 'a|ab', '(a|ab)(c|bcd)(d*)', 'a*?', '(a*)*', '(?:a|b)+?c', '((a)|(b))*', '(?=(a+))a*b\\1', '(?!a)b', '(?<=a)b', '(?<!a)b', '(?<=(\\d+)(\\d+))$', '(?<y>\\d{4})-(?<m>\\d\\d)', '(?<q>["\']).*?\\k<q>', '^', '$', '^$', '\\b', '\\B', '\\bfoo\\b', '[^]', '[]', '.', '[^a-c]+', '[a-c]+', '[\\w-]+', '[\\]]', '[\\b]', '\\d+', '\\D+', '\\s+', '\\S+', '\\w+', '\\W+', '\\x41', '\\u0041', '\\t', '\\n', '\\cJ', '\\0', 'a{2}', 'a{2,}', 'a{2,3}', 'a{0}', 'a{,3}', 'x{', '(a)?b', '(a)?(b)?', '()', '(?:)', '\\/', '\\.', '[.]', '\\$', '(z)((a+)?(b+)?(c))*', '(?:(a)|b)*', '(a?)*?x', '\\1(a)', '(a\\1)', '\\k', '\\8', '[\\d-x]+', '[a-z&&[b]]', 'ß', 'é', '😀', '[😀]', '^.$', 'İ', 'ſ', 'K', '\\u212a', '[^\\n]+', '\\p{L}+', '\\P{L}+', '\\p{Lu}', '[\\p{L}\\p{N}]+', '\\p{Script=Greek}', '\\p{Emoji}', '\\u{1F600}', '(?:^|,)("(?:[^"]|"")*"|[^,]*)', '^(?:[a-z0-9]+(?:\\.[a-z0-9]+)*)@[a-z]+\\.com$', '(\\d+)(?:\\.(\\d+))?', '<([a-z]+)[^>]*>(.*?)</\\1>', '\\s*;\\s*', '(?=.*\\d)(?=.*[a-z]).{4,}', '(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)\\10', '(a(?=b))c?', '^\\s+|\\s+$', '\\$\\{(\\w+)\\}', '(?:)*', '(?:a?)*', 'a**', '(', '[b-a]', '\\u', '*', '(?<n>a)\\k<n>', '[^\\s\\S]', '\\S*$', '([ab]*?)(?=(b)?)c'];
const subjects = ['', 'a', 'ab', 'abcd', 'aaab', 'abcbd', 'zaacbbbcac', 'foo bar foobar', 'a,b,"c,""d"",e",', '2024-02-29 and 1999-12-31', 'it\'s "quoted" \'x\'', 'Aß Straße', 'ÉéE\u0301', '😀x😀', 'a\nb\r\nc\u2028d', '\ufeff \u00a0a\u3000', '12.50 and 7', 'joe.d@mail.com', '<b class="x">bold</b><i>it</i>', '${name}; ${x}', 'Ωmega ſK', 'İiIı', 'xaaxaax', 'aBC123', '_-]x{', '\0\tA\x0b'];
const flagSets = ['', 'g', 'i', 'u', 'y', 'gms', 'iu'];

const numbers = [0, -0, 1, -1, 0.1, 0.5, 1.5, 2.5, 1.005, 1.45, 8.345, 10.235, 0.000001, 1e-7, 123.456, -123.456, -0.9999, -9.995, -99.999, 1234567.891, 1e20, 1e21, 1.7976931348623157e308, 5e-324, 0.1 + 0.2, 4.35, 100, 255, 65535.5, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 53 + 2, 2 ** 63, 1 / 3, 2 / 3, Math.PI, 1e-10, 25, 0.05, 1.255, NaN, Infinity, -Infinity];
const numerals = ['', ' ', '0', '-0', '+1', '1.', '.5', '.', '1e3', '1E-3', '1e', '0x1F', '0b101', '0o17', '017', '1_000', ' 12 ', '12px', '1,5', '\u00a07', 'Infinity', '-Infinity', 'infinity', '1e1000', '1e-1000', '0x', '--1', '1 2', '9007199254740993', '0.1e1', '123456789012345678901234567890', '\u0661', '1n', 'null', '\n3\t', '-0x10', '5e-324', '2.2250738585072011e-308', '179769313486231580793728971405301e277'];
const dates = ['2024-02-29', '2024-2-9', '2023-02-29', '2024-02-30', '2024', '2024-05', '2024-02-29T10:11', '2024-02-29T10:11Z', '2024-02-29T10:11:12.345Z', '2024-02-29T10:11:12.3456789Z', '2024-02-29T10:11:12+02:00', '2024-02-29T10:11:12+0200', '2024-02-29T24:00:00Z', '2024-02-29T24:00:01Z', '2024-02-29T10:60Z', '2024-13-01', '2024-02-29 10:11:12', '2024-02-29 10:11', '2024/02/29', '02/29/2024', '2/9/2024', '02/29/2024 10:11 PM', 'Feb 29, 2024', 'February 29, 2024 10:11:12', '29 Feb 2024', '29 February 2024 10:11 UTC', 'Thu, 29 Feb 2024 10:11:12 GMT', 'Thu, 29 Feb 2024 10:11:12 +0100', 'Thu Feb 29 2024', 'Thu Feb 29 2024 10:11:12 GMT+0100 (CET)', '+002024-02-29T00:00:00Z', '-000001-01-01T00:00:00Z', '-000000-01-01T00:00:00Z', '1709201472', '20240229', '2024-02-29T10:11:12z', '2024-02-29t10:11:12Z', '24-02-29', 'today', '', ' 2024-02-29', '2024-02-29 ', '2024-060', '2024-W09-4', '2024-02-29T10', '2024-02-29T10:11:12,345Z', '29.02.2024', 'Feb 2024', '2024 Feb 29', 'Thu, 29 Feb 2024 10:11:12 EST', 'Thu, 29 Feb 2024 10:11:12 PST', '2024-02-29T10:11:12 GMT', '2024-02-29 10:11:12 +02:00', '2024-02-29 10:11:12 UTC', '2024-02-29 10:11:12Z', '12:00', '1/1/70', '1/1/2049', '1/1/50', '2024-02-29T10:11:12.3Z', '2024-02-29T10:11:12.34Z'];
const texts = ['null', ' [1, 2 ] ', '{"a":1,"a":2}', '{"__proto__":{"x":1}}', '[1,]', '{a:1}', "'a'", '01', '1.', '.5', '-', '-0', '1e5', '"\\u00e9\\n\\/"', '"\\x41"', '"\t"', '"\\ud83d"', '{"2":1,"1":2,"b":3,"a":4}', '', 'undefined', 'NaN', '[1] x', '\ufeff[1]', '\u00a0[1]', '{"a":{"b":[{"c":null}]}}', 'true', 'tru', '"a', '{"":1}', '123456789012345678', '[[[[]]]]', '{"a":1,}', '/*c*/1', '1e400'];

function tables(add) {
  for (const [name, f] of Object.entries(unary)) for (const a of names) add('unary ' + name, a, () => attempt(() => f(makers[a]())));
  for (const [name, f] of Object.entries(operators)) {
    for (const a of ones) for (const b of ['undefined', 'null', 'true', '0', '-1', '2.5', 'NaN', "''", "'12'", "'a'", '[]', '[3,1,2]', '{valueOf}', '{toPrimitive}', '10n', '{a:1}', 'class', "'length'", 'Set', "Symbol('s')", 'Date(0)', '2**32']) add('operator ' + name, a + ' ' + b, () => attempt(() => f(makers[a](), makers[b]())));
  }
  for (const pattern of patterns) {
    for (const flags of flagSets) {
      for (const subject of subjects) {
        add('regexp ' + pattern, show(subject) + ' ' + flags, () => attempt(() => {
          const r = new RegExp(pattern, flags);
          const found = r.exec(subject);
          return [found && [...found], found?.index, found?.groups && { ...found.groups }, r.lastIndex, subject.search(r), subject.replace(new RegExp(pattern, flags), '[$&|$1|$`]'), subject.split(new RegExp(pattern, flags)), flags.includes('g') ? [...subject.matchAll(new RegExp(pattern, flags))].map((m) => m.index) : 0];
        }));
      }
    }
  }
  for (const n of numbers) {
    for (const radix of [undefined, 2, 3, 8, 10, 16, 36]) add('number toString', n + ' ' + radix, () => attempt(() => n.toString(radix)));
    for (const digits of [undefined, 0, 1, 2, 3, 7, 20, 50, 100]) {
      for (const method of ['toFixed', 'toPrecision', 'toExponential']) add('number ' + method, n + ' ' + digits, () => attempt(() => n[method](digits)));
    }
    for (const f of Object.getOwnPropertyNames(Math).filter((key) => typeof Math[key] === 'function' && key !== 'random').sort()) add('Math.' + f, String(n), () => attempt(() => {
      return exact(Math[f](n, 3));
    }));
  }
  for (const s of numerals) for (const f of ['Number', 'parseFloat', 'parseInt', 'BigInt']) add(f, show(s), () => attempt(() => ({ Number, parseFloat, parseInt, BigInt })[f](s)));
  for (const s of numerals) for (const radix of [2, 8, 10, 16, 36, 37, 0, NaN]) add('parseInt with radix', show(s) + ' ' + radix, () => attempt(() => parseInt(s, radix)));
  for (const s of dates) add('Date.parse', show(s), () => attempt(() => Date.parse(s)));
  for (const s of texts) add('JSON.parse', show(s), () => attempt(() => JSON.parse(s)));
  for (const name of names) for (const space of [undefined, 2, '--', 20, new Number(1)]) add('JSON.stringify', name + ' ' + show(space), () => attempt(() => JSON.stringify({ x: makers[name](), y: [makers[name]()] }, null, space)));
  for (let at = 0; at < 0x11000; at += 0x100) {
    add('letters', at.toString(16), () => {
      let sum = 0; // a table of texts would be megabytes
      const count = (s) => { for (let i = 0; i < s.length; i++) sum = (Math.imul(sum, 31) + s.charCodeAt(i)) | 0; };
      for (let c = at; c < at + 0x100; c++) {
        const s = String.fromCodePoint(c);
        count(s.toUpperCase() + s.toLowerCase() + s.trim().length + ['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => s.normalize(form)).join());
      }
      return String(sum);
    });
  }
}

/* One row for each thing: its cases, and what came of them. */
function main(input) {
  const rows = {};
  const wanted = input.rows && new Set(input.rows);
  const add = (about, name, result) => {
    if (!wanted || wanted.has(about)) (rows[about] ??= []).push(name + ': ' + result());
  };
  for (const [path, keys] of Object.entries(input.names)) {
    const parts = path.split('.');
    let target = globalThis;
    for (const part of parts) target = target?.[part];
    if (target === undefined) {
      add(path, 'missing', () => 'missing');
      continue;
    }
    object(add, path, target, keys, parts[1] === 'prototype' ? receivers[parts[0]] ?? ['{}'] : undefined);
  }
  tables(add);
  return rows;
}
