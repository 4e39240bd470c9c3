// Texts to translate
// Each night write the texts that are new or changed into one file for each language.
async function main(input) {
  const known = (await kv.get('hashes')) || {};
  const project = await web.getJSON('https://i18n.example.test/projects/' + input.project);
  const counts = {};
  for (const language of project.languages) {
    const { strings } = await web.getJSON(`https://i18n.example.test/projects/${input.project}/strings?lang=${language.code}`);
    const changed = strings.filter((s) => known[language.code + s.key] !== crypto.hash('sha256', s.source.text));
    for (const s of changed) known[language.code + s.key] = crypto.hash('sha256', s.source.text);
    counts[language.code] = changed.length;
    if (changed.length) {
      const body = changed.map((s) => `${s.key.padEnd(12)} = ${s.source.text.trim()}`).join('\n');
      await files.write(`todo/${language.code.toLowerCase()}.txt`, `# ${language.name}\n${body}\n`);
    }
  }
  await kv.set('hashes', known);
  return counts;
}
// ---- outside
function outside(n) {
  const answers = { 'https://i18n.example.test/projects/web': { id: 'web', languages: [{ code: 'de', name: 'German' }, { code: 'pt-BR', name: 'Portuguese' }] } };
  for (const code of ['de', 'pt-BR']) {
    answers['https://i18n.example.test/projects/web/strings?lang=' + code] = { strings: times(int(2, 4), (i) => ({ key: pick(nouns) + '.' + i, source: { text: text() + ' ', words: int(2, 8) }, plural: false })) };
  }
  return { input: { project: 'web' }, answers };
}
