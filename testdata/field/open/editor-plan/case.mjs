const QUERY = 'POST https://api.pages.example/v1/databases/:id/query', SOURCE = 'POST https://api.pages.example/v1/data_sources/:id/query', BASE = 'GET https://api.pages.example/v1/databases/:id';
const rich = (t) => (t === null ? [] : t.match(/.{1,6}/gu).map((plain_text) => ({ type: 'text', plain_text })));
const props = (a) => ({
  Name: { id: 'title', type: 'title', title: rich(a.title) }, Status: { id: 's', type: 'select', select: a.status && { id: 'x', name: a.status, color: 'red' } },
  Author: { id: 'a', type: 'people', people: a.people.map((name) => ({ object: 'user', id: `u${name?.length}`, ...(name ? { name } : {}) })) },
  Due: { id: 'd', type: 'date', date: a.due && { start: a.due, end: null } }, ...(a.words === undefined ? {} : { Words: { id: 'w', type: 'number', number: a.words } }),
});
const page = (a) => ({ object: 'page', id: a.id, url: `https://pages.example/${a.id}`, archived: a.archived, properties: props(a) });
const list = (of) => (f, q) => { const from = Number(q.body.start_cursor ?? 0), to = from + q.body.page_size; return { object: 'list', results: f.articles.slice(from, to).map(of), has_more: to < f.articles.length, next_cursor: to < f.articles.length ? String(to) : null }; };
const statused = (a) => { const p = page(a); return { ...p, properties: { ...p.properties, Status: { id: 's', type: 'status', status: p.properties.Status.select } } }; };
const v2 = (a) => { const { archived, ...p } = statused(a); return { ...p, in_trash: archived, properties: { ...p.properties, Author: { id: 'a', type: 'rich_text', rich_text: rich(a.people.map((n) => n ?? 'somebody').join(' & ') || null) }, Due: { id: 'd', type: 'formula', formula: { type: 'string', string: a.due ?? '' } } } }; };
const SELECT = "    case 'select':";
export default {
  source: 'https://developers.notion.com/docs/upgrade-guide-2025-09-03: a database became a container of data sources, which are what is queried; properties of type select were turned into status, archived became in_trash',
  says: 'Mark the drafts that are late, and count the words of each state.',
  facts: (day, r) => ({
    today: `2026-03-${String(day % 25 + 5).padStart(2, '0')}`,
    articles: r.many(day === 9 ? 0 : 2, 8, (i) => ({ id: `${r.hex(8)}-${r.hex(4)}-${day}${i}`, title: r.pick(['Zölle und Züge', 'On maps', null, '日本の鉄道の話', 'Interview: Ann']), status: r.pick(['Draft', 'Review', 'Published', null]), people: r.some(['Ann', 'Bö', null]), due: `2026-03-${String(r.int(1, 28)).padStart(2, '0')}${r.pick(['', 'T09:00:00.000+01:00'])}`, words: r.pick([r.int(100, 2000), null, undefined]), archived: r.chance(0.1) })),
  }),
  input: (f) => ({ database: 'db1', today: f.today }),
  api: { [QUERY]: list(page), 'PATCH https://cms.example/drafts/:id': (f, q) => (/[0-4]$/.test(q.params.id) ? { ok: true } : { $status: 404, $body: { error: 'no draft' } }) },
  changes: [{
    name: 'status',
    happened: 'the property Status is of type status in place of select',
    tells: ['Status', ['status', 'select']],
    api: { [QUERY]: list(statused) },
    right: {
      'a case more': [[SELECT, "    case 'status' as any: return (p as any).status?.name ?? '';\n" + SELECT]],
      'made old': [['text(Status)', "text((Status as any)?.type === 'status' ? { type: 'select', select: (Status as any).status } : Status)"]],
      'before the switch': [['  switch (p?.type) {', "  const { type, status } = (p ?? {}) as any;\n  if (type === 'status') return status === null ? '' : status.name;\n  switch (p?.type) {"]],
    },
    wrong: {
      'published ones are late': [["text(Status) || 'Idea'", "text(Status) || 'Draft'"]],
      'the type': [['text(Status)', "(text(Status) || (Status as any)?.status && (Status as any).type)"]],
      'published always': [["a.status !== 'Published'", "a.status !== 'Published' && a.status !== 'Idea'"]],
      'the colour': [[SELECT, "    case 'status' as any: return (p as any).status?.color ?? '';\n" + SELECT]],
    },
  }, {
    name: 'data-sources',
    happened: 'a query of a database is a 400; its data_sources have ids, which are queried instead',
    tells: ['400', ['data_sources', 'data source']],
    api: { [QUERY]: { $status: 400, $body: { object: 'error', status: 400, code: 'validation_error', message: 'Databases with data sources are queried by GET databases/:id and POST data_sources/:id/query' } }, [BASE]: (f, q) => ({ object: 'database', id: q.params.id, data_sources: [{ id: `${q.params.id}-s1`, name: 'Articles' }] }), [SOURCE]: list(page) },
    right: {
      'asked once more': [["    if (!res.ok) throw new Error(`query: ${res.status}`);", `    if (res.status === 400 && !database.includes('/')) {
      const found: any = await web.getJSON(\`\${NOTION}/databases/\${database}\`);
      return queryAll(\`../data_sources/\${found.data_sources[0].id}\`, filter);
    }
    if (!res.ok) throw new Error(\`query: \${res.status}\`);`]],
      'a path': [
        ['let start_cursor: string | undefined;', 'let start_cursor: string | undefined;\n  let path = `databases/${database}`;'], ['`${NOTION}/databases/${database}/query`', '`${NOTION}/${path}/query`'],
        ["    if (!res.ok) throw new Error(`query: ${res.status}`);", `    if (res.status === 400 && path.startsWith('databases')) {
      const [{ id }] = (await (await fetch(\`\${NOTION}/\${path}\`)).json()).data_sources;
      path = \`data_sources/\${id}\`;
      start_cursor = '0';
      continue;
    }
    if (!res.ok) throw new Error(\`query: \${res.status}\`);`],
        ["body: JSON.stringify({ filter, page_size: 3, start_cursor }),", "body: JSON.stringify({ filter, page_size: 3, start_cursor: start_cursor === '0' ? undefined : start_cursor }),"],
      ],
      'all sources': [['async function queryAll(database: string, filter: unknown): Promise<Page[]> {', `async function queryAll(database: string, filter: unknown): Promise<Page[]> {
  try {
    return await queryOne(\`databases/\${database}\`, filter);
  } catch (e) {
    if (!String(e).includes('query: 400')) throw e;
    const { data_sources } = await web.getJSON(\`\${NOTION}/databases/\${database}\`);
    const all: Page[] = [];
    for (const source of data_sources) all.push(...(await queryOne(\`data_sources/\${source.id}\`, filter)));
    return all;
  }
}

async function queryOne(path: string, filter: unknown): Promise<Page[]> {`], ['`${NOTION}/databases/${database}/query`', '`${NOTION}/${path}/query`']],
    },
    wrong: {
      'no articles': [["    if (!res.ok) throw new Error(`query: ${res.status}`);", "    if (res.status === 400) return [];\n    if (!res.ok) throw new Error(`query: ${res.status}`);"]],
      'the first page': [["    if (!res.ok) throw new Error(`query: ${res.status}`);", `    if (res.status === 400) {
      const found: any = await web.getJSON(\`\${NOTION}/databases/\${database}\`);
      const one: any = await web.postJSON(\`\${NOTION}/data_sources/\${found.data_sources[0].id}/query\`, { filter, page_size: 3 }, { effect: 'read' });
      return one.results;
    }
    if (!res.ok) throw new Error(\`query: \${res.status}\`);`]],
      'the same id': [["    if (!res.ok) throw new Error(`query: ${res.status}`);", "    if (res.status === 400) return ((await web.postJSON(`${NOTION}/data_sources/${database}/query`, { filter, page_size: 2 }, { effect: 'read' })) as any).results;\n    if (!res.ok) throw new Error(`query: ${res.status}`);"]],
    },
  }, {
    name: 'types',
    happened: 'Status is a status, Author is rich text, Due is a formula that gives a text, archived is in_trash',
    tells: ['archived', ['rich_text', 'formula', 'status']],
    api: { [QUERY]: list(v2) },
    right: {
      'more cases': [[SELECT, `    case 'status' as any: return (p as any).status?.name ?? '';
    case 'rich_text' as any: return (p as any).rich_text.map((t: any) => t.plain_text).join('');
    case 'formula' as any: return (p as any).formula.string.slice(0, 10);
${SELECT}`], ['!p.archived', '!(p.archived ?? (p as any).in_trash)']],
      'made old': [['.filter((p) => !p.archived)', `.map((p: any): Page => {
    if (!('in_trash' in p)) return p;
    const { Status, Author, Due } = p.properties;
    return { ...p, archived: p.in_trash, properties: {
      ...p.properties,
      Status: { type: 'select', select: Status.status },
      Author: { type: 'title', title: Author.rich_text },
      Due: { type: 'date', date: Due.formula.string ? { start: Due.formula.string, end: null } : null },
    } };
  }).filter((p) => !p.archived)`]],
      'before the switch': [['  switch (p?.type) {', `  const given = (p ?? {}) as any;
  if (given.type === 'status') return given.status ? given.status.name : '';
  if (given.type === 'rich_text') return text({ type: 'title', title: given.rich_text });
  if (given.type === 'formula') return given.formula.string.split('T')[0];
  switch (p?.type) {`], ['!p.archived', "!('in_trash' in p ? p.in_trash : p.archived)"]],
    },
    wrong: {
      'also the trash': [[SELECT, "    case 'status' as any: return (p as any).status?.name ?? '';\n    case 'rich_text' as any: return (p as any).rich_text.map((t: any) => t.plain_text).join('');\n    case 'formula' as any: return (p as any).formula.string.slice(0, 10);\n" + SELECT]],
      'the first piece': [[SELECT, "    case 'status' as any: return (p as any).status?.name ?? '';\n    case 'rich_text' as any: return (p as any).rich_text[0]?.plain_text ?? '';\n    case 'formula' as any: return (p as any).formula.string.slice(0, 10);\n" + SELECT], ['!p.archived', '!(p.archived ?? (p as any).in_trash)']],
      'nobody': [[SELECT, "    case 'status' as any: return (p as any).status?.name ?? '';\n    case 'formula' as any: return (p as any).formula.string.slice(0, 10);\n" + SELECT], ['!p.archived', '!(p.archived ?? (p as any).in_trash)']],
      'with the time': [[SELECT, "    case 'status' as any: return (p as any).status?.name ?? '';\n    case 'rich_text' as any: return (p as any).rich_text.map((t: any) => t.plain_text).join('');\n    case 'formula' as any: return (p as any).formula.string;\n" + SELECT], ['!p.archived', '!(p.archived ?? (p as any).in_trash)']],
    },
  }],
};
