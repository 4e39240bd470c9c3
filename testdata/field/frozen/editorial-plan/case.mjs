const D = 'POST https://notes.example/v1/databases/:id/query', N = 'POST https://notes.example/v1/data_sources/:id/query', B = 'GET https://notes.example/v1/databases/:id';
const rich = (text) => (text ? text.split(/(?<= )/).map((plain_text) => ({ plain_text })) : []);
const props = (p) => ({ Name: { type: 'title', title: rich(p.name) }, Status: { type: 'select', select: p.status && { name: p.status } }, Due: { type: 'date', date: p.due && { start: p.due, end: null } }, Owner: { type: 'people', people: p.who.map((name) => ({ id: 'u', ...(name ? { name } : {}) })) }, ...(p.tags ? { Tags: { type: 'multi_select', multi_select: p.tags.map((name) => ({ name })) } } : {}), Words: { type: 'number', number: p.words } });
const old = (p) => ({ object: 'page', id: p.id, archived: p.gone, properties: props(p) });
const page = (f, q, shape, token = 'start_cursor') => { const at = q.body[token] ? Number(q.body[token].slice(1)) : 0, to = at + q.body.page_size; return { results: f.pages.slice(at, to).map(shape), next_cursor: to < f.pages.length ? `c${to}` : null, has_more: to < f.pages.length }; };
const status = (p) => { const o = old(p); return { ...o, properties: { ...o.properties, Status: { type: 'status', status: p.status && { name: p.status } } } }; };
const byName = (p) => { const { archived, ...o } = old(p); return { ...o, in_trash: p.gone, properties: Object.entries(o.properties).map(([name, v]) => ({ id: name.slice(0, 2), name, ...v })) }; };
export default {
  source: 'https://developers.notion.com/guides/get-started/upgrade-guide-2025-09-03.md and https://developers.notion.com/reference/changes-by-version (both opened): databases got data sources, which are to be found and queried in their place; kinds of properties changed with versions',
  says: 'Tell the editors what is due',
  zone: 'Europe/Berlin',
  facts: (day, r) => ({
    slot: `2026-04-${String(day + 1).padStart(2, '0')}T05:00:00Z`,
    pages: r.many(day === 3 ? 0 : 2, 7, (i) => ({ id: `p${day}${i}`, name: r.pick(['On “Größe” and more', 'Spring issue', '春の号', '']), status: r.pick(['Draft', 'Review', 'Published', null]), due: r.pick([`2026-04-${String(Math.max(1, Math.min(30, day + r.int(-3, 7)))).padStart(2, '0')}`, `2026-04-${String(Math.min(30, day + 1)).padStart(2, '0')}T23:30:00.000+02:00`, null]), who: r.some(['Ada', 'Bö', null]), tags: r.chance(0.2) ? null : r.some(['print', 'web & mail']), words: r.pick([null, 800]), gone: r.chance(0.1) })),
  }),
  input: (f) => ({ slot: f.slot, database: 'db1' }),
  api: { [D]: (f, q) => page(f, q, old), 'POST https://chat.example/hooks/editors': () => ({ ok: true }) },
  changes: [{
    name: 'data-sources',
    happened: 'the query of a database is a 400 that asks for a data source; GET of the database names them, and one is queried below data_sources; archived became in_trash',
    tells: [['data_source', 'data source', 'data_sources', '400']],
    api: { [D]: () => ({ $status: 400, $body: { code: 'validation_error', message: 'databases with data sources are not queried by this endpoint' } }), [B]: (f, q) => ({ object: 'database', id: q.params.id, data_sources: [{ id: 'ds-main', name: 'Plan' }] }), [N]: (f, q) => (q.params.id === 'ds-main' ? page(f, q, (p) => { const { archived, ...o } = old(p); return { ...o, in_trash: archived }; }) : { $status: 404, $body: { message: 'no such' } }) },
    right: {
      'found on a 400': [['const res: Response = await fetch(`${base}/databases/${database}/query`, {', 'const ask = (path: string) => fetch(`${base}/${path}/query`, {'], ["} as RequestInit)\n", "} as RequestInit)\n    let res: Response = await ask(place)\n    if (res.status === 400 && place.startsWith('databases/')) {\n      const about: any = await (await fetch(`${base}/${place}`, { headers: { Authorization: `Bearer ${token}` } })).json()\n      place = `data_sources/${about.data_sources[0].id}`\n      res = await ask(place)\n    }\n"], ['let start_cursor: string | undefined', 'let place = `databases/${database}`\n  let start_cursor: string | undefined'], ['page.archived', '(page.archived ?? (page as any).in_trash)']],
      'asked first': [['let start_cursor: string | undefined', "let path = `databases/${database}`\n  const about = await fetch(`${base}/databases/${database}`, { headers: { Authorization: `Bearer ${token}` } })\n  if (about.ok) {\n    const { data_sources: [source] } = (await about.json()) as { data_sources: { id: string }[] }\n    path = `data_sources/${source.id}`\n  }\n  let start_cursor: string | undefined"], ['${base}/databases/${database}/query', '${base}/${path}/query'], ['if (page.archived ||', 'if (page.archived || (page as any).in_trash ||']],
      'a function': [['${base}/databases/${database}/query', '${await source(database)}/query'], ['for (const page of results) yield page', "for (const { in_trash, ...page } of results as any[]) yield { archived: in_trash, ...page }"], ['async function* query', "async function source(database: string): Promise<string> {\n  const res = await fetch(`${base}/databases/${database}`, { headers: { Authorization: `Bearer ${token}` } })\n  const { data_sources = [] } = (await res.json()) as { data_sources?: { id: string }[] }\n  return data_sources.length ? `${base}/data_sources/${data_sources[0].id}` : `${base}/databases/${database}`\n}\n\nasync function* query"]],
    },
    wrong: {
      'nothing is due': [['if (!res.ok) throw', 'if (res.status === 400) return\n    if (!res.ok) throw']],
      'the database as its own source': [['${base}/databases/${database}/query', '${base}/data_sources/${database}/query']],
      'what is in the trash, too': [['let start_cursor: string | undefined', "let path = `databases/${database}`\n  const about = await fetch(`${base}/databases/${database}`, { headers: { Authorization: `Bearer ${token}` } })\n  if (about.ok) path = `data_sources/${((await about.json()) as any).data_sources[0].id}`\n  let start_cursor: string | undefined"], ['${base}/databases/${database}/query', '${base}/${path}/query']],
      'the first page': [['let start_cursor: string | undefined', "let path = `databases/${database}`\n  const about = await fetch(`${base}/databases/${database}`, { headers: { Authorization: `Bearer ${token}` } })\n  if (about.ok) path = `data_sources/${((await about.json()) as any).data_sources[0].id}`\n  let start_cursor: string | undefined"], ['${base}/databases/${database}/query', '${base}/${path}/query'], ['page.archived', '(page.archived ?? (page as any).in_trash)'], ['while (start_cursor)', "while (start_cursor && path.startsWith('databases'))"]],
    },
  }, {
    name: 'status-property',
    happened: 'Status is of the type status and no select, with the name below status',
    tells: [['status', 'Status']],
    api: { [D]: (f, q) => page(f, q, status) },
    right: {
      'one more kind': [["case 'select': return", "case 'status' as any: return (p as any).status?.name ?? ''\n    case 'select': return"]],
      'by the name of the kind': [["case 'select': return p.select?.name ?? ''", "case 'select': return p.select?.name ?? ''\n    default: return (p as any)[(p as any).type]?.name ?? ''"]],
      'made old': [['for (const page of results) yield page', "for (const page of results) {\n      const s: any = page.properties.Status\n      yield s?.type === 'status' ? { ...page, properties: { ...page.properties, Status: { type: 'select', select: s.status } } } : page\n    }"]],
    },
    wrong: {
      'no status': [["case 'number': return", "default: return ''\n    case 'number': return"]],
      'all are published': [["value(page.properties.Status) === 'Published'", "(value(page.properties.Status) ?? 'Published') === 'Published'"]],
      'the kind for the name': [["case 'number': return", "default: return (p as any).type\n    case 'number': return"]],
    },
  }, {
    name: 'properties-as-list',
    happened: 'properties are a list with id and name, archived became in_trash, and the cursor of a request is called cursor',
    tells: [['properties', 'list', 'name'], ['in_trash', 'archived', 'cursor', 'properties']],
    api: { [D]: (f, q) => page(f, q, byName, 'cursor') },
    right: {
      'made old': [['for (const page of results) yield page', "for (const page of results as any[]) yield Array.isArray(page.properties) ? { ...page, archived: page.in_trash, properties: Object.fromEntries(page.properties.map((p: any) => [p.name, p])) } : page"], ['{ start_cursor } : {}', '{ start_cursor, cursor: start_cursor } : {}']],
      'in each place': [['page.properties.Status', "prop(page, 'Status')"], ['page.properties.Due', "prop(page, 'Due')"], ['page.properties.Owner', "prop(page, 'Owner')"], ['page.properties.Name', "prop(page, 'Name')"], ['page.properties.Tags', "prop(page, 'Tags')"], ['page.archived ||', 'page.archived || (page as any).in_trash ||'], ['{ start_cursor } : {}', '{ cursor: start_cursor, start_cursor } : {}'], ['function value', "const prop = ({ properties }: any, name: string): Property | undefined => (Array.isArray(properties) ? properties.find((p: any) => p.name === name) : properties[name])\n\nfunction value"]],
      'reduced': [['if (page.archived ||', "page.archived ??= (page as any).in_trash\n    if (Array.isArray(page.properties)) page.properties = page.properties.reduce((all, p) => ({ ...all, [p.name]: p }), {})\n    if (page.archived ||"], ['{ start_cursor } : {}', '{ start_cursor, cursor: start_cursor } : {}']],
    },
    wrong: {
      'what is in the trash, too': [['for (const page of results) yield page', "for (const page of results as any[]) yield Array.isArray(page.properties) ? { ...page, properties: Object.fromEntries(page.properties.map((p: any) => [p.name, p])) } : page"], ['{ start_cursor } : {}', '{ start_cursor, cursor: start_cursor } : {}']],
      'the first page': [['for (const page of results) yield page', "for (const page of results as any[]) yield Array.isArray(page.properties) ? { ...page, archived: page.in_trash, properties: Object.fromEntries(page.properties.map((p: any) => [p.name, p])) } : page"], ['start_cursor = next_cursor ?? undefined', "start_cursor = (Array.isArray(results[0]?.properties) ? null : next_cursor) ?? undefined"]],
      'by place': [['for (const page of results) yield page', "for (const page of results as any[]) yield Array.isArray(page.properties) ? { ...page, archived: page.in_trash, properties: { Name: page.properties[0], Status: page.properties[1], Owner: page.properties[2], Due: page.properties[3], Tags: page.properties[4] } } : page"], ['{ start_cursor } : {}', '{ start_cursor, cursor: start_cursor } : {}']],
      'nothing is due': [['if (page.archived ||', 'if (page.archived || !page.properties.Due ||'], ['{ start_cursor } : {}', '{ start_cursor, cursor: start_cursor } : {}']],
    },
  }],
};
