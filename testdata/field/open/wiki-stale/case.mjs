const SEARCH = 'GET https://wiki.example/rest/api/content/search';
const of = (p) => ({ id: String(p.id), type: 'page', title: p.title, version: { when: p.at, number: p.version, by: { displayName: p.who, ...(p.mail ? { email: p.mail } : {}) } }, ancestors: p.up.map((title, i) => ({ id: String(i), title })), ...(p.labels ? { metadata: { labels: { results: p.labels.map((name) => ({ name, prefix: 'global' })) } } } : {}), _links: { webui: `/spaces/HB/pages/${p.id}` } });
const links = { base: 'https://wiki.example/wiki', context: '/wiki' };
const started = (make) => (f, q) => { const from = Number(q.query.start ?? 0), to = from + 3; return { results: f.pages.slice(from, to).map(make), start: from, limit: 3, size: f.pages.slice(from, to).length, _links: { ...links, ...(to < f.pages.length ? { next: `/rest/api/content/search?cql=space%3DHB&limit=3&start=${to}` } : {}) } }; };
const cursors = (make, next = (c) => `/rest/api/content/search?cql=space%3DHB&limit=3&cursor=${c}`) => (f, q) => { const from = q.query.cursor ? Number(Buffer.from(q.query.cursor, 'hex').toString().slice(1)) : 0, to = from + 3; return { results: f.pages.slice(from, to).map(make), limit: 3, _links: { ...links, ...(to < f.pages.length ? { next: next(Buffer.from(`_${to}`).toString('hex')) } : {}) } }; };
const v2 = (p) => ({ id: String(p.id), title: p.title, version: { createdAt: p.at, number: p.version, authorEmail: p.mail }, breadcrumb: p.up.join('/'), labels: p.labels ?? [], _links: { webui: `/spaces/HB/pages/${p.id}` } });
const READ = '  everything.push(...body.results);';
export default {
  source: 'https://developer.atlassian.com/cloud/confluence/change-notice-moderize-search-rest-apis/: the links of the search lead on by a cursor in place of start; the second version of pages names things otherwise',
  says: 'Mail owners their pages that nobody has looked after.',
  facts: (day, r) => {
    const slot = Date.UTC(2026, 5, 1 + day, 6);
    return { slot: new Date(slot).toISOString(), pages: r.many(day === 4 ? 0 : 2, 9, (i) => ({ id: 8000 + day * 20 + i, title: r.pick(['Urlaub', 'On-call', '会議', 'Über uns', 'Keys & doors']), version: r.int(1, 30), at: new Date(slot - r.int(1, 500) * 86400000 - r.int(0, 86399) * 1000).toISOString(), who: 'Ann', mail: r.pick(['ann@x.example', 'bo@y.example', null]), up: r.some(['Handbook', 'People', 'Tools']), labels: r.pick([null, [], ['evergreen'], ['draft', 'it']]) })) };
  },
  input: (f) => ({ slot: f.slot }),
  api: { [SEARCH]: started(of), 'POST https://mail.example/messages': (f, q) => ({ $status: 202, $body: { id: q.id } }) },
  changes: [{
    name: 'whole-addresses',
    happened: 'next is a whole address with a cursor, base is not given any more but site is',
    tells: ['next', ['base', 'site', 'https']],
    api: { [SEARCH]: (f, q) => { const made = cursors(of, (c) => `https://wiki.example/rest/api/content/search?cql=space%3DHB&limit=3&cursor=${c}`)(f, q); const { base, ...rest } = made._links; return { ...made, _links: { ...rest, site: base } }; } },
    right: {
      'resolved': [['fetch(`https://wiki.example${path}`', "fetch(new URL(path, 'https://wiki.example').href"], ['base = body._links.base;', 'base = body._links.base ?? (body._links as any).site;']],
      'made a path': [['path = body._links.next;', "path = body._links.next?.replace(/^https:\\/\\/[^/]+/, '');"], ['base = body._links.base;', 'const { site, base: given = site } = body._links as any;\n  base = given;']],
      'by its beginning': [['fetch(`https://wiki.example${path}`', "fetch(path.startsWith('https:') ? path : `https://wiki.example${path}`"], ['base = body._links.base;', "base = 'base' in body._links ? body._links.base : (body._links as any).site;"]],
    },
    wrong: {
      'the first page': [['path = body._links.next;', "path = body._links.next?.startsWith('/') ? body._links.next : undefined;"], ['base = body._links.base;', 'base = body._links.base ?? (body._links as any).site;']],
      'no base': [['fetch(`https://wiki.example${path}`', "fetch(new URL(path, 'https://wiki.example').href"], ['base = body._links.base;', "base = body._links.base ?? '';"]],
      'the context': [['fetch(`https://wiki.example${path}`', "fetch(new URL(path, 'https://wiki.example').href"], ['base = body._links.base;', 'base = body._links.base ?? (body._links as any).context;']],
    },
  }, {
    name: 'v2',
    happened: 'version has createdAt and authorEmail, ancestors are a breadcrumb in a text, labels are a list of texts',
    tells: ['version', ['createdAt', 'breadcrumb', 'labels']],
    api: { [SEARCH]: cursors(v2) },
    right: {
      'made old': [[READ, `  for (const r of body.results as any[]) {
    if (r.version.createdAt) {
      r.version.when = r.version.createdAt;
      r.version.by = { displayName: '', email: r.version.authorEmail ?? undefined };
      r.ancestors = r.breadcrumb === '' ? [] : r.breadcrumb.split('/').map((title: string) => ({ id: '', title }));
      r.metadata = { labels: { results: r.labels.map((name: string) => ({ name })) } };
    }
    everything.push(r);
  }`]],
      'at each place': [
        ['page.metadata?.labels?.results.some((l) => l.name', '((page as any).labels ?? page.metadata?.labels?.results)?.some((l: any) => (l.name ?? l)'], ['new Date(p.version.when)', 'new Date(p.version.when ?? (p.version as any).createdAt)'],
        ['page.version.by.email', '(page.version.by ? page.version.by.email : (page.version as any).authorEmail)'], ['a.version.when.localeCompare(b.version.when)', 'when(a).localeCompare(when(b))'], ['${p.version.when.slice(0, 10)}', '${when(p).slice(0, 10)}'],
        ['let mails = 0;', "const when = (p: any): string => p.version.when ?? p.version.createdAt;\nlet mails = 0;"], ['...p.ancestors.map((a) => a.title)', "...(p.ancestors ? p.ancestors.map((a) => a.title) : (p as any).breadcrumb.split('/').filter(Boolean))"],
      ],
      'an adapter': [['const everything: WikiPage[] = [];', `const adapt = ({ version: { createdAt, authorEmail, number }, breadcrumb, labels, ...page }: any): WikiPage => ({
  ...page,
  version: { when: createdAt, number, by: { displayName: '', ...(authorEmail && { email: authorEmail }) } },
  ancestors: breadcrumb.split('/').filter((t: string) => t !== '').map((title: string) => ({ id: title, title })),
  metadata: { labels: { results: labels.map((name: string) => ({ name })) } },
});
const everything: WikiPage[] = [];`], ['...body.results);', "...body.results.map((r) => ('breadcrumb' in r ? adapt(r) : r)));"]],
    },
    wrong: {
      'none are old': [['new Date(p.version.when) < limit', 'p.version.when && new Date(p.version.when) < limit']],
      'all to one': [[READ, "  for (const r of body.results as any[]) {\n    if (r.version.createdAt) {\n      r.version.when = r.version.createdAt;\n      r.version.by = {};\n      r.ancestors = r.breadcrumb === '' ? [] : r.breadcrumb.split('/').map((title: string) => ({ title }));\n      r.metadata = { labels: { results: r.labels.map((name: string) => ({ name })) } };\n    }\n    everything.push(r);\n  }"]],
      'evergreens too': [[READ, "  for (const r of body.results as any[]) {\n    if (r.version.createdAt) {\n      r.version.when = r.version.createdAt;\n      r.version.by = { email: r.version.authorEmail ?? undefined };\n      r.ancestors = r.breadcrumb === '' ? [] : r.breadcrumb.split('/').map((title: string) => ({ title }));\n    }\n    everything.push(r);\n  }"]],
      'no parents': [[READ, "  for (const r of body.results as any[]) {\n    if (r.version.createdAt) {\n      r.version.when = r.version.createdAt;\n      r.version.by = { email: r.version.authorEmail ?? undefined };\n      r.ancestors = [];\n      r.metadata = { labels: { results: r.labels.map((name: string) => ({ name })) } };\n    }\n    everything.push(r);\n  }"]],
    },
  }, {
    name: 'no-times',
    happened: 'the search does not say any more when a page was changed; version has its number only',
    tells: ['version', 'when'],
    lost: true,
    api: { [SEARCH]: cursors((p) => { const { version, ...o } = of(p); return { ...o, version: { number: version.number, by: version.by } }; }) },
    wrong: {
      'none are old': [['new Date(p.version.when) < limit', 'Boolean(p.version.when) && new Date(p.version.when) < limit']],
      'all are old': [['everything.push(...body.results);', "everything.push(...body.results.map((r) => ({ ...r, version: { ...r.version, when: r.version.when ?? '2000-01-01T00:00:00Z' } })));"]],
      'today': [['everything.push(...body.results);', 'everything.push(...body.results.map((r) => ({ ...r, version: { ...r.version, when: r.version.when ?? slot } })));']],
    },
  }],
};
