const LIST = 'GET https://api.people.example/v2/documents';
// Berlin has summer time from the 29th of March on.
const offset = (utc) => (utc >= Date.UTC(2026, 2, 29, 1) ? 2 : 1) * 3600000;
const text = (ms) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
const local = (p) => text(p.utc + offset(p.utc));
const of = (p) => ({ id: p.id, name: p.name, created_at: local(p), size: p.size, owner: p.owner && { id: p.owner[0], first_name: p.owner[1], last_name: p.owner[2] }, category: p.category && { id: 'c', name: p.category } });
const pages = (make, meta = {}) => (f, q) => { const from = Number(q.query.cursor ?? 0), to = from + 3; return { _data: f.papers.slice(from, to).map(make), _meta: { ...meta, links: to < f.papers.length ? { next: { href: `https://api.people.example/v2/documents?limit=3&sort=-created_at&cursor=${to}` } } : {} } }; };
const utc = (p) => ({ ...of(p), created_at: text(p.utc) });
const v3 = (p) => { const { created_at, owner, category, size, ...o } = of(p); return { ...o, created: { at: new Date(p.utc).toISOString(), by: 'x' }, bytes: size, person: owner && { id: owner.id, name: { first: owner.first_name, last: owner.last_name } }, category: category?.name ?? null }; };
const PUSH = 'wanted.push(..._data.filter((p) => p.created_at.startsWith(day)));';
const BERLIN = `const berlin = (utc: string): string => {
  const at = localTime(Date.parse(utc), 'Europe/Berlin');
  const two = (n: number) => String(n).padStart(2, '0');
  return \`\${at.date} \${two(at.hour)}:\${two(at.minute)}:\${two(at.second)}\`;
};

`;
const PAPERS = 'async function papersOf';
export default {
  source: 'https://developer.personio.de/changelog/created_at-field-in-get-v2document-managementdocuments-will-return-utc: created_at of documents keeps its form and is in UTC, where it was in the zone of the company',
  says: 'Tell HR of the papers of the day, and of those outside of office hours.',
  zone: 'Europe/Berlin',
  facts: (day, r) => {
    const start = Date.UTC(2026, 2, 20 + day % 20);
    return { day: text(start).slice(0, 10), papers: day === 8 ? [] : r.many(2, 8, (i) => ({ id: `d${day}-${i}`, name: r.pick(['Vertrag.pdf', 'Payslip March.pdf', '証明書.pdf', 'Zeugnis ü.pdf']), utc: start + r.pick([-2.5, -1.5, -0.5, 4.5, 5.5, 8, 12, 16.5, 17.5, 21.5, 22.5, 23.5]) * 3600000 + r.int(0, 1700) * 1000, size: r.int(200, 900000), owner: r.pick([null, ['p1', 'Ann', 'Ek'], ['p2', 'Bö', 'Lund'], ['p3', '花子', '佐藤']]), category: r.pick(['Contracts', null, 'Löhne']) })).sort((a, b) => b.utc - a.utc) };
  },
  input: (f) => ({ day: f.day }),
  api: { [LIST]: pages(of), 'POST https://chat.example/rooms/:room': { ok: true } },
  changes: [{
    name: 'utc',
    happened: 'created_at is in UTC in the same form; _meta says so in timezone',
    tells: ['created_at', ['UTC', 'timezone']],
    api: { [LIST]: pages(utc, { timezone: 'UTC' }) },
    right: {
      'by localTime': [[PAPERS, BERLIN + PAPERS], [PUSH, "const there = (_meta as any).timezone === 'UTC' ? _data.map((p) => ({ ...p, created_at: berlin(p.created_at.replace(' ', 'T') + 'Z') })) : _data;\n    wanted.push(...there.filter((p) => p.created_at.startsWith(day)));"]],
      'by Intl': [[PAPERS, "const zoned = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin', hourCycle: 'h23', year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', second: '2-digit' });\n\n" + PAPERS], [PUSH, "if ((_meta as any).timezone) for (const p of _data) p.created_at = zoned.format(new Date(`${p.created_at.replace(' ', 'T')}Z`)).replace(',', '');\n    " + PUSH]],
      'with luxon': [['interface Paper {', "import { DateTime } from 'luxon';\n\ninterface Paper {"], ['  return response.json();', "  const body = await response.json();\n  const { timezone } = body._meta;\n  if (timezone) body._data = body._data.map((p: Paper) => ({ ...p, created_at: DateTime.fromSQL(p.created_at, { zone: timezone }).setZone('Europe/Berlin').toFormat('yyyy-MM-dd HH:mm:ss') }));\n  return body;"]],
    },
    wrong: {
      'an hour on': [[PUSH, "if ((_meta as any).timezone) for (const p of _data) p.created_at = new Date(Date.parse(p.created_at.replace(' ', 'T') + 'Z') + 3600000).toISOString().slice(0, 19).replace('T', ' ');\n    " + PUSH]],
      'only the hours': [['Number(created_at.slice(11, 13))', 'Number(created_at.slice(11, 13)) + 1']],
      'always from UTC': [[PAPERS, BERLIN + PAPERS], [PUSH, "for (const p of _data) p.created_at = berlin(p.created_at.replace(' ', 'T') + 'Z');\n    " + PUSH]],
      'only the office': [[PAPERS, BERLIN + PAPERS], ['const hour = Number(created_at.slice(11, 13));', "const hour = Number(berlin(created_at.replace(' ', 'T') + 'Z').slice(11, 13));"]],
    },
  }, {
    name: 'v3',
    happened: 'created is an object with an ISO time in UTC, owner is person with a name in parts, size is bytes, category is a text',
    tells: ['created_at', ['created', 'person', 'bytes']],
    api: { [LIST]: pages(v3) },
    right: {
      'an adapter': [[PAPERS, BERLIN + `const adapt = (p: any): Paper => (p.created_at ? p : {
  id: p.id, name: p.name, created_at: berlin(p.created.at), size: p.bytes,
  owner: p.person && { id: p.person.id, first_name: p.person.name.first, last_name: p.person.name.last }, category: p.category === null ? null : { name: p.category },
});

` + PAPERS], ['_data.filter(', '_data.map(adapt).filter(']],
      'when read': [[PAPERS, BERLIN + PAPERS], ['  return response.json();', `  const body = await response.json();
  for (const p of body._data) {
    if (!p.created) continue;
    p.created_at = berlin(p.created.at);
    p.size = p.bytes;
    p.owner = p.person ? { id: p.person.id, first_name: p.person.name.first, last_name: p.person.name.last } : null;
    if (typeof p.category === 'string') p.category = { name: p.category };
  }
  return body;`]],
      'at each place': [
        [PAPERS, BERLIN + PAPERS], [PUSH, "for (const p of _data as any[]) p.created_at ??= berlin(p.created.at);\n    " + PUSH], ['({ name, created_at, owner, category, size }: Paper)', '({ name, created_at, person, owner = person && { first_name: person.name.first, last_name: person.name.last }, category, bytes, size = bytes }: any)'], ["category?.name ?? 'no", "category?.name ?? category ?? 'no"],
        ['for (const { owner } of papers) if', 'for (const { person, owner = person } of papers as any[]) if'], ['n + p.size', 'n + (p.size ?? (p as any).bytes)'],
      ],
    },
    wrong: {
      'in UTC': [[PAPERS, "const adapt = (p: any): Paper => (p.created_at ? p : { id: p.id, name: p.name, created_at: p.created.at.slice(0, 19).replace('T', ' '), size: p.bytes, owner: p.person && { id: p.person.id, first_name: p.person.name.first, last_name: p.person.name.last }, category: p.category && { name: p.category } });\n\n" + PAPERS], ['_data.filter(', '_data.map(adapt).filter(']],
      'for the company': [[PAPERS, BERLIN + 'const adapt = (p: any): Paper => (p.created_at ? p : { id: p.id, name: p.name, created_at: berlin(p.created.at), size: p.bytes, owner: null, category: p.category && { name: p.category } });\n\n' + PAPERS], ['_data.filter(', '_data.map(adapt).filter(']],
      'no papers': [['p.created_at.startsWith', "(p.created_at ?? '').startsWith"]],
      'no bytes': [[PAPERS, BERLIN + 'const adapt = (p: any): Paper => (p.created_at ? p : { id: p.id, name: p.name, created_at: berlin(p.created.at), size: 0, owner: p.person && { id: p.person.id, first_name: p.person.name.first, last_name: p.person.name.last }, category: p.category && { name: p.category } });\n\n' + PAPERS], ['_data.filter(', '_data.map(adapt).filter(']],
    },
  }, {
    name: 'pages',
    happened: 'the next page is in next_cursor of _meta, the list begins with the oldest, size is a text with a unit, KiB with two decimals or B',
    tells: [['links', 'next_cursor'], ['size', 'KiB']],
    lost: true,
    api: { [LIST]: (f, q) => { const list = [...f.papers].reverse(), from = Number(q.query.cursor ?? 0), to = from + 3; return { _data: list.slice(from, to).map((p) => ({ ...of(p), size: p.size < 1024 ? `${p.size} B` : `${(p.size / 1024).toFixed(2)} KiB` })), _meta: { links: {}, next_cursor: to < list.length ? String(to) : null } }; } },
    wrong: {
      'the first page': [['n + p.size', 'n + Math.round(parseFloat(p.size as any) * 1024)']],
      'zero': [['n + p.size', 'n + (Number(p.size) || 0)']],
      'without the unit': [['  return response.json();', '  const body = await response.json();\n  for (const p of body._data) p.size = parseFloat(p.size);\n  return body;'], ['href = _meta.links.next?.href;', 'href = _meta.links.next?.href ?? ((_meta as any).next_cursor ? `${HR}/v2/documents?limit=3&cursor=${(_meta as any).next_cursor}` : undefined);']],
    },
  }],
};
