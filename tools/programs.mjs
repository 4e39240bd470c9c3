// Writes random programs with the value that this Node gives them, a line of JSON for each: make programs. Each has its
// types, which Node is not shown. What they do is deterministic, and within what docs/scripts.md lists as the same.
//   node tools/programs.mjs SEED COUNT
const [seed = '1', count = '100'] = process.argv.slice(2);

let state;
const random = () => { // mulberry32
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const int = (n) => Math.floor(random() * n);
const pick = (...list) => { const one = list[int(list.length)]; return typeof one === 'function' ? one() : one; };
const some = (n, make) => Array.from({ length: 1 + int(n) }, make);

// Types stand between \u0001 and \u0002; what only Node is shown stands between \u0003 and \u0004.
const type = (text) => (random() < 0.6 ? '\u0001' + text + '\u0002' : '');
const plain = (text) => '\u0003' + text + '\u0004';
const typed = (code) => code.replace(/\u0003[^\u0004]*\u0004/g, '').replace(/[\u0001\u0002]/g, '');
const untyped = (code) => code.replace(/\u0001[^\u0002]*\u0002/g, '').replace(/[\u0003\u0004]/g, '');

let names, scope, depth, inAsync, inGenerator, labels, inClass;
const name = (kind) => { const made = pick('a', 'b', 'total', 'let_', 'of', 'type', 'async_', 'x$', 'item', 'as', 'get', 'set', 'from', 'readonly', 'declare', 'is') + names++; scope.push([kind, made]); return made; };
const known = (kind) => scope.filter((one) => one[0] === kind).map((one) => one[1]);
const within = (make) => { const before = scope.length; const made = make(); scope.length = before; return made; };
const deeper = (make, shallow) => { if (depth > 5) return shallow(); depth++; const made = make(); depth--; return made; };
const ref = (kind, otherwise) => { const list = known(kind); return list.length && random() < 0.6 ? list[int(list.length)] : otherwise(); };

const cast = (code, as) => (random() < 0.12 ? `(${code}${type(pick(' as ' + as, ' satisfies ' + as, ' as unknown as ' + as))})` : code);
const number = () => deeper(() => ref('number', () => cast(pick(
  () => String(int(20)), () => '1_0' + int(9), () => '0b10' + int(2), () => '-' + int(9), 
  () => `(${number()} ${pick('+', '-', '*', '%', '&', '|', '^', '<<', '>>', '>>>')} ${number()})`,
  () => `(${number()} ** ${int(3)})`.replace(/\((-\d+) \*\*/, '(($1) **'),
  () => `(${bool()} ? ${number()} : ${number()})`,
  () => `${array()}.length`, () => `${text()}.length`, () => `(${object()}?.a ?? ${number()})`, () => `(${object()}.b?.[${int(3)}] ?? ${number()})`,
  () => `${array()}.reduce((s${type(': number')}, v${type(': number')}) => s + v, ${number()})`, () => `Math.${pick('max', 'min')}(...${array()}, ${number()})`,
  () => `Number(${big()} % 1000n)`, () => `(${array()}.at(${int(5) - 2}) ?? ${number()})`, () => `(${array()}.findLast((v) => v % 2 === ${int(2)}) ?? -1)`,
  () => `((p${type(': number')}, q = p + 1, ...rest${type(': number[]')})${type(': number')} => p * q + rest.length)(${some(4, number).join(', ')})`,
  () => `(() => { ${within(() => statements(2, false))} return ${number()}; })()`,
  () => `[...(function* ()${type(': Generator<number>')} { ${within(() => generated())} })()].length`,
  () => (known('class').length ? `new ${known('class')[0]}(${number()}).run(${number()})` : '4'), () => (inAsync ? `await ${pick(() => `Promise.resolve(${number()})`, () => `(async () => ${number()})()`, number)}` : '5').replace(/^await.*/s, '($&)'),
  () => `(${text()}.match(/(?<first>\\p{L}+)|\\d/u)?.groups?.first?.length ?? 0)`,
  () => (inClass ? `this.#kept` : '6'),
), 'number')), () => String(int(10)));
const big = () => deeper(() => pick(() => int(99) + 'n', () => `(${big()} ${pick('+', '*', '-')} ${big()})`, () => `BigInt(${int(50)})`), () => '3n');
const bool = () => deeper(() => pick('true', 'false', () => `(${number()} ${pick('<', '>', '<=', '>=', '===', '!==')} ${number()})`, () => `!${bool()}`, () => `(${bool()} ${pick('&&', '||')} ${bool()})`, () => `('a' in ${object()})`, () => `${array()}.includes(${number()})`, () => `/^[a-z]+$/i.test(${text()})`, () => (inClass ? '#kept in this' : 'true').replace(/^#.*/, '($&)')), () => 'true');
const text = () => deeper(() => ref('string', () => cast(pick(
  () => `'${pick('', 'ab', 'Grüße', 'x1', '日本', "it\\'s", '\\u{1F600}', 'a\\nb')}'`, () => '`' + pick('', 'v', '\\`') + '${' + number() + '}' + pick('', ' é') + '`',
  () => `String(${number()})`, () => `(${text()} + ${pick(number, text)})`, () => `${text()}.${pick('toUpperCase()', 'trim()', 'padStart(6, "-")', 'slice(1)', 'at(-1)', "replaceAll('a', 'b')", 'repeat(2)')}`.replace(/\.at\(-1\)$/, ".charAt(0)"),
  () => `${array()}.join('${pick(',', '', '-')}')`, () => `typeof ${pick(number, text, object, bool)}`.replace(/^.*/s, '($&)'), () => `JSON.stringify(${pick(object, array)})`,
  () => `tag\`${pick('a', '\\n')}\${${number()}}${pick('b', '')}\``, () => `${text()}.replace(/(?<c>[a-z])(?=\\d|$)/g, (all, c${type(': string')}) => c + '!')`, () => `Object.entries(${object()}).map(([k, v]) => k + v).join()`,
), 'string')), () => "'z'");
const array = () => deeper(() => ref('array', () => cast(pick(
  () => `[${some(4, number).join(', ')}]`, () => `[...${array()}, ${number()}]`, () => `${array()}.map((v${type(': number')}, i) => v ${pick('+', '*', '-')} i)`, () => `${array()}.filter((v) => v ${pick('>', '<')} ${number()})`,
  () => `Array.from({ length: ${int(4)} }, (_, i) => i ${pick('+', '*')} 2)`, () => `${array()}.${pick('toSorted((p, q) => p - q)', 'toReversed()', 'with(0, 7)', 'slice(-2)', 'flatMap((v) => [v, v])', 'concat(1)', 'toSpliced(0, 1)')}`.replace(/^(.*)\.with\(0, 7\)$/s, '[0, ...$1].with(0, 7)'),
  () => `Object.values(${object()}).filter((v) => typeof v === 'number')`, () => `[...new Set(${array()})]`, () => `[...(function* () { ${within(() => generated())} })()].filter((v) => typeof v === 'number')`,
), 'number[]')), () => '[1, 2]');
const object = () => deeper(() => ref('object', () => pick(
  () => `{ a: ${number()}, b: ${array()} }`, () => `{ ...${object()}, a: ${number()} }`, () => `{ get a()${type(': number')} { return ${number()}; }, b: [${number()}] }`, () => `{ ['a']: ${number()}, c: ${text()}, async: 1, of: 2, type: 3 }`, () => `Object.fromEntries([['a', ${number()}], ['b', ${array()}]])`, () => `structuredClone({ a: ${number()}, b: ${array()} })`,
).replace(/^\{.*/s, '({ $& })').replace(/^\(\{ \{(.*)\} \}\)$/s, '({$1})')), () => '({ a: 1, b: [2] })');
const generated = () => { const before = [inGenerator, inAsync, inClass]; [inGenerator, inAsync, inClass] = [true, false, false]; const made = statements(3, false); [inGenerator, inAsync, inClass] = before; return made; };

const declare = (kind, make, as) => { const value = make(); const word = pick('const', 'let', 'var'); const called = name(kind); return `${word} ${called}${type(': ' + as)} = ${value};`; };
const log = () => `log.push(${pick(number, text, bool, array, () => `String(${big()})`)});`;
const block = (n = 3) => { const before = scope.length; const made = `{ ${statements(n)} }`; scope.length = before; return made; };
const leave = () => pick(() => (labels.length ? `if (${bool()}) ${pick('break', 'continue')} ${labels[labels.length - 1]};` : ';'), ';');
const loop = (head) => { const label = 'L' + names++; labels.push(label); const made = `${label}: ${head} { ${within(() => statements(3))} ${leave()} }`; labels.pop(); return made; };
const statement = () => deeper(() => pick(
  log, log, () => declare('number', number, 'number'), () => declare('string', text, 'string'), () => declare('array', array, pick('number[]', 'Array<number>', 'ReadonlyArray<number>')), () => declare('object', object, pick('any', '{ a?: number; b?: number[] }', 'Record<string, any>')),
  () => `if (${bool()}) ${block()} else ${block()}`,
  () => { const i = 'i' + names++; return loop(`for (let ${i}${type(': number')} = 0; ${i} < ${1 + int(3)}; ${i}++)`).replace(' { ', ` { const f${i} = () => ${i}; fs.push(f${i}); `); },
  () => loop(`for (const v${names} of ${array()}.slice(0, 3))`).replace('{ ', `{ log.push(v${names - 1 - 0 >= 0 ? '' : ''}0); `).replace(/log\.push\(v0\); /, ''),
  () => loop(`for (const [k, v] of Object.entries(${object()}))`), () => loop(`for (const k in ${object()})`),
  () => { const n = 'w' + names++; return `let ${n} = 0; ` + loop(`while (${n}++ < ${1 + int(3)})`); },
  () => { const n = 'd' + names++; const label = 'D' + names++; labels.push(label); const made = `let ${n} = 0; ${label}: do ${block()} while (${n}++ < 2);`; labels.pop(); return made; },
  () => { const before = labels; const label = 'S' + names++; const made = `${label}: switch (${number()} % 3) { case 0: ${within(() => statements(2))} break ${label}; case 1: ${within(() => statements(2))} default: ${within(() => statements(2))} }`; labels = before; return made; },
  () => `try { ${within(() => statements(3))} ${pick('throw new RangeError("r");', 'null.x;', '', 'undefinedName' + int(3) + '?.x;').replace(/^undefinedName.*/, "throw new TypeError('t', { cause: 1 });")} } catch ${pick('', '(e' + type(': unknown') + ')', '({ name: caught })')} { log.push('caught'); ${within(() => statements(2))} } finally { log.push('finally'); }`,
  () => { const value = object(); const a = name('any'), b = name('any'); return `const { a: ${a} = ${number()}, ...${b} }${type(': any')} = ${value}; log.push(typeof ${a}, Object.keys(${b}).length);`; },
  () => { const value = array(); const a = name('any'), b = name('array'); return `const [${a} = ${number()}, ...${b}]${type(': number[]')} = ${value}; log.push(${a} ?? null, ${b}.length);`; },
  () => { const n = name('mutable'); return `let ${n}${type(': any')} = ${pick('null', number, text)}; ${n} ${pick('??=', '||=', '&&=')} ${number()}; log.push(${n});`; },
  () => (inGenerator ? `${pick(() => `yield ${number()};`, () => `yield* ${array()};`)}` : log()),
  () => (inAsync && !inGenerator ? pick(() => `for await (const v of ${pick(() => array(), () => `[Promise.resolve(${number()}), ${number()}]`, () => `(async function* ()${type(': AsyncGenerator<number>')} { yield ${number()}; ${pick('', 'await null;', 'yield* ' + array() + ';')} yield ${number()}; })()`)}) { log.push(v); ${pick('', 'if (v > 3) break;')} }`, () => `log.push(await Promise.all([${number()}, Promise.resolve(${text()})]));`, () => `log.push((await Promise.allSettled([${number()}, Promise.reject(new Error("x"))])).map((r) => r.status));`) : log()),
  () => `log.push(fs.map((f) => f()).join()); fs.length = 0;`,
  () => { const f = 'f' + names++; return `${pick('', 'async ')}function ${f}${type('<T>')}(p${type(': T')}, { q = ${number()}, r }${type(': { q?: number; r?: any }')} = {}${type('')})${type(pick(': any', ''))} { ${within(() => inner())} return ${number()}; } log.push(typeof ${f}, ${f}.length);`; },
), log);
const inner = () => { const before = [inGenerator, inAsync, inClass, labels]; [inGenerator, inAsync, inClass, labels] = [false, false, false, []]; const made = statements(3); [inGenerator, inAsync, inClass, labels] = before; return made; };
const statements = (n, loops = true) => { const before = labels; if (!loops) labels = []; const made = some(n, statement).join(pick('\n', ' ')); labels = before; return made; };

const classOf = () => {
  const called = 'C' + names++;
  const before = [inAsync, inClass, labels, scope.slice()];
  [inAsync, inClass, labels] = [false, true, []];
  const body = within(() => number());
  const run = within(() => statements(2));
  inClass = false;
  const parent = known('class').length && random() < 0.4 ? known('class')[0] : null;
  const made = `${type('abstract ').replace('abstract ', '')}class ${called}${parent ? ' extends ' + parent : ''}${type(' implements Iface')} {
  static #made = 0; static { ${called}.#made = ${number()}; }
  #kept${type(': number')} = ${number()}; ${type('declare readonly note: string; ')}static count = ${number()}; ['comp' + 'uted'] = 1;
  constructor(value${type(': number')}) { ${parent ? 'super(value);' : ''} this.#kept = value; }
  get kept()${type(': number')} { return this.#kept; } set kept(v${type(': number')}) { this.#kept = v; }
  ${type('private ')}#secret(n${type('?: number')}) { return (n ?? 0) + this.#kept; }
  ${type(pick('public ', 'protected ')).replace('protected ', '')}run(n${type(': number')})${type(': number')} { ${run} this.kept += 1; return this.#secret(n) + ${body} + ${called}.#made; }
  *[Symbol.iterator]() { yield this.#kept; yield ${called}.count; }
  ${type('run2(a: string): void; ')}static make(${pick('...args' + type(': number[]'), 'v' + type('?: number'))}) { return new ${called}(1); }
}`;
  [inAsync, inClass, labels, scope] = before;
  scope.push(['class', called]);
  return `${made}\nlog.push([...new ${called}(${int(9)})].join(), ${called}.make(2).kept, Object.keys(new ${called}(1)).join());`;
};

const program = () => {
  [names, scope, depth, inAsync, inGenerator, labels, inClass] = [1, [], 0, true, false, [], false];
  const enumeration = random() < 0.4;
  const top = [
    'const log = [], fs = [];', 'const tag = (parts, ...values) => parts.raw.join("|") + values.join();',
    random() < 0.5 ? '\u0001interface Iface { [key: string]: any }\ntype Pair<T> = readonly [T, T?];\u0002' : '\u0001type Iface = object;\u0002',
    enumeration ? '\u0001enum Level { Low = 1, High, Text = "t" }\u0002' + plain('var Level = { 1: "Low", Low: 1, 2: "High", High: 2, Text: "t" };') : '',
  ];
  const body = [];
  if (random() < 0.5) body.push(classOf());
  if (random() < 0.3) body.push(classOf());
  body.push(statements(6));
  if (enumeration) body.push('log.push(Level.High, Level[1], Level.Text);');
  return `${top.join('\n')}\nasync function main(input${type(': any')})${type(': Promise<any>')} {\n${body.join('\n')}\nreturn log;\n}`;
};

const limited = (promise) => Promise.race([promise, new Promise((_, reject) => setTimeout(reject, 2000, new Error('late')))]);
for (let i = 0; i < Number(count); i++) {
  state = Number(seed) * 100003 + i;
  const code = program();
  let value;
  try {
    const main = new Function(untyped(code) + '\nreturn main;')();
    value = { output: JSON.parse(JSON.stringify((await limited(main({}))) ?? null)) };
  } catch (e) {
    if (e instanceof SyntaxError || e.message === 'late') { if (process.env.SHOW) console.error(e.message, untyped(code)); continue; }
    value = { error: e.name };
  }
  console.log(JSON.stringify({ name: `${seed}/${i}`, code: typed(code), ...value }));
}
