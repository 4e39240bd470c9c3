// Writes into testdata/language/expressions.json what this Node makes of each expression there: make language.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../testdata/language/expressions.json', import.meta.url);
const language = JSON.parse(readFileSync(file, 'utf8'));
for (const one of language.expressions) {
  one.node = new Function(`${language.before}\nreturn show(() => (${one.code}));`)();
}
writeFileSync(file, JSON.stringify(language, null, 1) + '\n');
