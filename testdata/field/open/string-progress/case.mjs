const STATUS = 'GET https://l10n.example/api/projects/:id/status';
const about = { name: 'Loom', source: 'en' };
const old = (l) => ({ code: l.code, name: l.name, phrases: l.phrases, translated: l.translated, approved: l.approved, progress: Math.floor(100 * l.translated / l.phrases) });
const v2 = (l) => ({ data: { languageId: l.code.replace('_', '-'), language: { id: l.code.replace('_', '-'), name: l.name }, phrases: { total: l.phrases, translated: l.translated, approved: l.approved }, translationProgress: Math.floor(100 * l.translated / l.phrases), approvalProgress: 0 } });
const paged = (f, q) => { const offset = Number(q.query.offset ?? 0), next = offset + 3; return { project: about, languages: f.languages.slice(offset, next).map((l) => { const o = old(l); return o.approved === null ? o : { ...o, approved: String(o.approved) }; }), pagination: { offset, limit: 3, total: f.languages.length, next: next < f.languages.length ? `/projects/${q.params.id}/status?offset=${next}` : null } }; };
const tags = (l) => ({ ...old(l), code: l.code.replace('_', '-'), progress: Math.floor(100 * l.translated / l.phrases) / 100 });
const CALL = 'const { project: about, languages } = await call<Status>(`/projects/${project}/status`);';
const UNWRAP = `interface Wrapped { data: { languageId: Code; language: { name: string }; phrases: { total: number; translated: number; approved: number }; translationProgress: number } }
const unwrap = ({ data: d }: Wrapped): Language => ({ code: d.languageId.replace('-', '_'), name: d.language.name, phrases: d.phrases.total, translated: d.phrases.translated, approved: d.phrases.approved, progress: d.translationProgress });

const left`;
const LIST = "const got = await call<any>(`/projects/${project}/status`);\n  const { project: about } = got;\n  const languages: Language[] = got.languages ?? got.data.map(unwrap);";
const LOOP = (next) => `const first = await call<any>(\`/projects/\${project}/status\`);
  const about = first.project, languages: Language[] = [...first.languages];
  ${next}
  for (const l of languages) if (typeof l.approved === 'string') l.approved = Number(l.approved);`;
export default {
  source: 'https://github.com/osTicket/osTicket/pull/6795 and https://github.com/nuxeo/nuxeo-web-ui/pull/1893 and https://github.com/hyperlocalise/hyperlocalise/pull/636 and https://github.com/crowdin/crowdin-api-client-php/pull/205: version 2 of a service of translations wraps each item in data, counts in phrases and pages its lists; languages are named with a hyphen',
  says: 'Ask the owners of languages that are late for a release, and tell how translations go on.',
  facts: (day, r) => ({ languages: [['de', 'German'], ['pt_BR', 'Portuguese, Brazil'], ['zh_TW', '中文 (台灣)'], ['en', 'English'], ['fr', 'Français'], ['pt', 'Portuguese'], ['ja', '日本語']].slice(0, r.int(day === 4 ? 0 : 2, 7)).map(([code, name], i) => { const phrases = 400 + day * 7, translated = code === 'en' ? phrases : Math.min(phrases, 150 + i * 40 + day * r.int(2, 12)); return { code, name, phrases, translated: r.chance(0.12) ? phrases : translated, approved: r.chance(0.3) ? null : r.int(0, 150) }; }) }),
  input: () => ({ project: 12, owners: { de: 'ann', pt_BR: 'zé', zh_TW: 'mei', fr: 'ann' }, release: 70 }),
  api: { [STATUS]: (f) => ({ project: about, languages: f.languages.map(old) }), 'POST https://l10n.example/api/tasks': (f, q) => ({ id: q.id }), 'POST https://chat.example/l10n': { ok: true } },
  changes: [{
    name: 'v2',
    happened: 'languages is data, each item is wrapped in data with languageId (with a hyphen), language.name, phrases of total, translated and approved, and translationProgress',
    tells: ['data', ['languageId', 'phrases', 'translationProgress']],
    api: { [STATUS]: (f) => ({ project: about, data: f.languages.map(v2), pagination: { offset: 0, limit: 25 } }) },
    right: {
      'unwrapped': [['const left', UNWRAP], [CALL, LIST]],
      'in call': [['  return (await res.json()) as T;', `  const got = await res.json();
  if (Array.isArray(got.data)) {
    got.languages = [];
    for (const { data } of got.data) {
      const [first, ...region] = data.languageId.split('-');
      got.languages.push({ ...data, ...data.phrases, code: [first, ...region].join('_'), name: data.language.name, phrases: data.phrases.total, progress: data.translationProgress });
    }
  }
  return got as T;`]],
      'one by one': [[CALL, `const { project: about, languages: flat, data } = await call<any>(\`/projects/\${project}/status\`);
  const languages: Language[] = (flat ?? data).map((item: any) => {
    const { phrases, languageId, language, translationProgress } = item.data ?? {};
    return item.data ? { code: String(languageId).replace(/-/g, '_'), name: language.name, progress: translationProgress, phrases: phrases.total, translated: phrases.translated, approved: phrases.approved } : item;
  });`]],
    },
    wrong: {
      'with hyphens': [['const left', UNWRAP.replace(".replace('-', '_')", '')], [CALL, LIST]],
      'empty': [[CALL, "const { project: about, languages = [] } = await call<Status>(`/projects/${project}/status`);"]],
      'all approved': [['const left', UNWRAP.replace(', approved: d.phrases.approved', ', approved: d.phrases.translated')], [CALL, LIST]],
      'without region': [['const left', UNWRAP.replace(".replace('-', '_')", ".split('-')[0]")], [CALL, LIST]],
    },
  }, {
    name: 'pages',
    happened: 'the list comes in pages of three, pagination.next leads on, and approved is a text',
    tells: ['pagination', ['next', 'page', 'offset']],
    api: { [STATUS]: paged },
    right: {
      'a loop': [[CALL, LOOP('for (let next = first.pagination?.next; next; ) {\n    const page = await call<any>(next);\n    languages.push(...page.languages);\n    next = page.pagination.next;\n  }')]],
      'by offset': [[CALL, LOOP("const total = first.pagination?.total ?? 0;\n  while (languages.length < total) languages.push(...(await call<any>(`/projects/${project}/status?offset=${languages.length}`)).languages);")]],
      'recursive': [['export default', `async function everything(path: string): Promise<Status> {
  const { pagination, ...here } = await call<any>(path);
  const languages = here.languages.map((l: any) => ({ ...l, approved: l.approved === null ? null : +l.approved }));
  if (!pagination?.next) return { project: here.project, languages };
  const rest = await everything(pagination.next);
  return { project: here.project, languages: languages.concat(rest.languages) };
}

export default`], ['await call<Status>(', 'await everything(']],
    },
    wrong: {
      'the first two': [[CALL, LOOP('if (first.pagination?.next) languages.push(...(await call<any>(first.pagination.next)).languages);')]],
      'only numbers': [[CALL, LOOP('')]],
      'null is none': [[CALL, LOOP('for (let next = first.pagination?.next; next; ) {\n    const page = await call<any>(next);\n    languages.push(...page.languages);\n    next = page.pagination.next;\n  }').replace("if (typeof l.approved === 'string') ", '')]],
    },
  }, {
    name: 'tags',
    happened: 'codes of languages have a hyphen for the region, pt-BR for pt_BR, and progress is a fraction, not a percent; version says 3',
    tells: [['code', 'hyphen', 'pt-BR', '-'], 'progress'],
    api: { [STATUS]: (f) => ({ version: 3, project: about, languages: f.languages.map(tags) }) },
    right: {
      'normalised': [[CALL, "const { version, project: about, languages } = await call<Status & { version?: number }>(`/projects/${project}/status`);\n  if (version === 3) for (const l of languages) {\n    l.code = l.code.replace('-', '_');\n    l.progress = Math.round(l.progress * 100);\n  }"]],
      'in call': [['  return (await res.json()) as T;', "  const got = await res.json();\n  if (got.version >= 3) got.languages = got.languages.map((l: Language) => ({ ...l, code: l.code.split('-').join('_'), progress: Number((l.progress * 100).toFixed(0)) }));\n  return got as T;"]],
      'computed': [[CALL, "const { version, project: about, languages: given } = await call<any>(`/projects/${project}/status`);\n  const languages: Language[] = version ? given.map((l: Language) => ({ ...l, code: l.code.replace(/-/, '_'), progress: Math.floor((100 * l.translated) / l.phrases) })) : given;"]],
    },
    wrong: {
      'only progress': [[CALL, "const { version, project: about, languages } = await call<any>(`/projects/${project}/status`);\n  if (version === 3) for (const l of languages) l.progress = Math.round(l.progress * 100);"]],
      'only codes': [[CALL, CALL + "\n  for (const l of languages) l.code = l.code.replace('-', '_');"]],
      'owners only': [[CALL, "const { version, project: about, languages } = await call<any>(`/projects/${project}/status`);\n  if (version === 3) for (const l of languages) l.progress = Math.round(l.progress * 100);"], ['owners[l.code] ??', "owners[l.code.replace('-', '_')] ??"]],
      'not below one': [[CALL, "const { version, project: about, languages } = await call<any>(`/projects/${project}/status`);\n  for (const l of languages) {\n    l.code = l.code.replace('-', '_');\n    if (l.progress < 1) l.progress = Math.round(l.progress * 100);\n  }"]],
    },
  }],
};
