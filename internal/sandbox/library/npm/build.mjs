// Writes the libraries that are npm packages as one file each, which is a function that is handed the host's
// functions and gives the module, and exports.json with the names that they have. Called by `make libraries`.
import { build } from 'esbuild';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const packages = { dates: 'luxon', schema: 'zod', decimal: 'decimal.js' };
const modules = join(here, 'node_modules');
// The packages say which files of theirs may be imported; these are looked for as they lie.
const asTheyLie = {
  name: 'as-they-lie',
  setup(b) {
    b.onResolve({ filter: /^(luxon|zod)\// }, ({ path }) => ({ path: join(modules, path) }));
    b.onResolve({ filter: /IANAZone\.js$/ }, () => ({ path: join(here, 'zone.mjs') }));
    // Luxon makes 15 large patterns as it begins, and a run needs few: they are compiled when they are first used.
    b.onLoad({ filter: /luxon.src.impl.regexParser\.js$/ }, ({ path }) => ({
      contents: `const later = (source) => { let made; return { source, exec: (text) => (made ||= new RegExp(source)).exec(text) }; };\n` +
        readFileSync(path, 'utf8').replace(/\bRegExp\(/g, 'later('),
    }));
  },
};
const names = {};
let licences = 'The libraries in this folder are made of these packages.\n';
for (const [name, from] of Object.entries(packages)) {
  const { version, license } = JSON.parse(readFileSync(join(modules, from, 'package.json'), 'utf8'));
  const notice = ['LICENSE', 'LICENSE.md', 'LICENCE.md'].map((file) => join(modules, from, file)).find(existsSync);
  licences += `\n${from} ${version} (${license})\n\n${readFileSync(notice, 'utf8').trim()}\n`;
  const made = await build({
    entryPoints: [join(here, name + '.mjs')], bundle: true, write: false, minify: true, charset: 'utf8', legalComments: 'none',
    format: 'iife', globalName: 'module', target: 'es2020', platform: 'neutral', mainFields: ['module', 'main'], plugins: [asTheyLie], logLevel: 'error',
  });
  const code = made.outputFiles[0].text.replace(/\n$/, '').replace(/^"use strict";/, '');
  const text = `// ${from} ${version}, ${license}, see LICENSES.txt. Made by make libraries.\n(function (natives) { ${code} return module; })\n`;
  writeFileSync(join(here, name + '.js'), text);
  const load = (0, eval)(text.slice(text.indexOf('\n') + 1));
  names[name] = Object.keys(load({ zone: () => 'UTC', offset: () => 0, abbreviation: () => 'UTC' })).sort();
}
writeFileSync(join(here, 'exports.json'), JSON.stringify(names, null, 1) + '\n');
writeFileSync(join(here, 'LICENSES.txt'), licences);
