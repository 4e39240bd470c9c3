// Writes into testdata/language what this Node makes of the expressions there, and of probe.js: make language.
// With the name of a row, node tools/language.mjs 'Array.prototype.at', it shows that.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';

const file = (name) => new URL('../testdata/language/' + name, import.meta.url);
const read = (name) => JSON.parse(readFileSync(file(name), 'utf8'));

const language = read('expressions.json');
for (const one of language.expressions) {
  one.node = new Function(`${language.before}\nreturn show(() => (${one.code}));`)();
}

const classes = ['Object', 'Array', 'String', 'Number', 'BigInt', 'Boolean', 'Symbol', 'Date', 'RegExp', 'Map', 'Set', 'WeakMap', 'WeakSet', 'Error', 'AggregateError', 'Math', 'JSON', 'Reflect', 'Promise', 'Proxy'];
const written = (key) => (typeof key === 'symbol' ? '@@' + key.description.replace('Symbol.', '') : key);
const names = {};
for (const one of classes) {
  names[one] = Reflect.ownKeys(globalThis[one]).map(written).filter((key) => !['prototype', 'now', 'random'].includes(key));
  if (one !== 'Proxy' && globalThis[one].prototype) names[one + '.prototype'] = Reflect.ownKeys(globalThis[one].prototype).map(written);
}
const main = new Function(readFileSync(file('probe.js'), 'utf8') + '\nreturn main')();
const only = process.argv[2];
if (only) {
  console.log((main({ names, rows: [only] })[only] ?? []).join('\n'));
} else {
  const before = read('probe.json').rows;
  const rows = {};
  for (const [about, results] of Object.entries(main({ names }))) {
    const node = createHash('sha256').update(results.join('\n')).digest('hex').slice(0, 12);
    const { here, why } = before[about] ?? {};
    rows[about] = why ? { node, here, why } : { node };
  }
  writeFileSync(file('expressions.json'), JSON.stringify(language, null, 1) + '\n');
  // A line for each row.
  const lines = Object.entries(rows).map(([about, row]) => '  ' + JSON.stringify(about) + ': ' + JSON.stringify(row));
  writeFileSync(file('probe.json'), `{\n "names": ${JSON.stringify(names)},\n "rows": {\n${lines.join(',\n')}\n }\n}\n`);
}
