async function main() {
  const { strings } = await web.getJSON('BASE/strings');
  const byLanguage = {};
  for (const s of strings) {
    for (const [language, text] of Object.entries(s.text)) {
      if (text === null) continue;
      byLanguage[language] = byLanguage[language] || {};
      byLanguage[language][s.key] = text.normalize('NFC');
    }
  }
  for (const language of Object.keys(byLanguage).sort()) {
    await files.write('i18n/' + language + '.json', JSON.stringify(byLanguage[language]));
  }
  const missing = strings.filter((s) => Object.values(s.text).includes(null)).map((s) => s.key);
  if (missing.length) await web.postJSON('BASE/missing', { keys: missing });
  return Object.keys(byLanguage).length;
}
