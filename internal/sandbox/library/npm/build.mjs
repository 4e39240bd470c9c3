// Writes the libraries that are npm packages as one file each, which is a function that is handed the host's
// functions and gives the module, and exports.json with the names that they have. Called by `make libraries`.
import { build } from 'esbuild';
import { EventEmitter } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const packages = { dates: 'luxon', schema: 'zod', decimal: 'decimal.js', streams: 'web-streams-polyfill', 'node-stream': 'readable-stream' };
const places = { streams: '../../webapi/prelude' }; // of those that are globals
// What the streams of Node ask for is there already.
const handed = {
  buffer: 'export const { Buffer } = natives.globals(); export const Blob = undefined;', 'safe-buffer': 'export const { Buffer } = natives.globals();',
  events: 'const events = natives.events(); export default events; export const { EventEmitter } = events;',
  'abort-controller': 'export const { AbortController, AbortSignal } = natives.globals();', 'process/': 'export default natives.globals().process;',
};
const modules = join(here, 'node_modules');
// The packages say which files of theirs may be imported; these are looked for as they lie.
const asTheyLie = {
  name: 'as-they-lie',
  setup(b) {
    b.onResolve({ filter: /^(luxon|zod)\// }, ({ path }) => ({ path: join(modules, path) }));
    b.onResolve({ filter: /^(buffer|events|abort-controller|process\/|safe-buffer)$/ }, ({ path }) => ({ path, namespace: 'handed' }));
    b.onLoad({ filter: /./, namespace: 'handed' }, ({ path }) => ({ contents: handed[path] }));
    b.onResolve({ filter: /IANAZone\.js$/ }, () => ({ path: join(here, 'zone.mjs') }));
    // Luxon makes 15 large patterns as it begins, and a run needs few: they are compiled when they are first used.
    b.onLoad({ filter: /luxon.src.impl.regexParser\.js$/ }, ({ path }) => ({
      contents: `const later = (source) => { let made; return { source, exec: (text) => (made ||= new RegExp(source)).exec(text) }; };\n` +
        readFileSync(path, 'utf8').replace(/\bRegExp\(/g, 'later('),
    }));
  },
};
const names = {};
const licensed = { ...packages, decoder: 'string_decoder' };
let licences = 'The libraries in this folder are made of these packages.\n';
for (const [name, from] of Object.entries(licensed)) {
  const { version, license } = JSON.parse(readFileSync(join(modules, from, 'package.json'), 'utf8'));
  const notice = ['LICENSE', 'LICENSE.md', 'LICENCE.md'].map((file) => join(modules, from, file)).find(existsSync);
  licences += `\n${from} ${version} (${license})\n\n${readFileSync(notice, 'utf8').trim()}\n`;
  if (!packages[name]) continue;
  const made = await build({
    entryPoints: [join(here, name + '.mjs')], bundle: true, write: false, minify: true, charset: 'utf8', legalComments: 'none',
    define: { 'Function.prototype': 'functions' }, format: 'iife', globalName: 'module', target: name === 'node-stream' ? 'es2017' : 'es2020', platform: 'neutral', mainFields: ['browser', 'module', 'main'], plugins: [asTheyLie], logLevel: 'error',
  });
  const code = made.outputFiles[0].text.replace(/\n$/, '').replace(/^"use strict";/, '');
  // Scripts have no Function, for no text becomes code.
  const functions = /\bfunctions\b/.test(code) ? 'const functions = Object.getPrototypeOf(() => {}); ' : '';
  const text = `// ${from} ${version}, ${license}, see LICENSES.txt. Made by make libraries.\n(function (natives) { ${functions}${code} return module; })\n`;
  writeFileSync(join(here, places[name] ?? '.', name + '.js'), text);
  const load = (0, eval)(text.slice(text.indexOf('\n') + 1));
  if (!places[name]) names[name] = Object.keys(load({ zone: () => 'UTC', offset: () => 0, abbreviation: () => 'UTC', globals: () => ({ ...globalThis, AbortController, AbortSignal, Buffer, process }), events: () => EventEmitter })).sort();
}
writeFileSync(join(here, 'exports.json'), JSON.stringify(names, null, 1) + '\n');
writeFileSync(join(here, 'LICENSES.txt'), licences);
