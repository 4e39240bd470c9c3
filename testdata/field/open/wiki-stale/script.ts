// Pages of the handbook that nobody has looked after: their owners get a list once a week.
type Version = { when: string; number: number; by: { displayName: string; email?: string } };
type PageOf<T> = { results: T[]; size: number; _links: { base: string; next?: string } };
type WikiPage = { id: string; title: string; version: Version; ancestors: { id: string; title: string }[]; metadata?: { labels?: { results: { name: string }[] } }; _links: { webui: string } };

const { slot, months = 6, space = 'HB' } = input as { slot: string; months?: number; space?: string };
const limit = new Date(slot);
limit.setUTCMonth(limit.getUTCMonth() - months);

const headers = { Authorization: `Bearer ${secret('WIKI_TOKEN')}` };
const everything: WikiPage[] = [];
let base = '';
let path: string | undefined = `/rest/api/content/search?cql=${encodeURIComponent(`space=${space}`)}&limit=3&start=0`;

while (path) {
  const res: Response = await fetch(`https://wiki.example${path}`, { headers });
  if (!res.ok) throw new Error(`wiki: ${res.status}`);
  const body: PageOf<WikiPage> = await res.json();
  everything.push(...body.results);
  base = body._links.base;
  path = body._links.next;
}

const keeps = (page: WikiPage) => page.metadata?.labels?.results.some((l) => l.name === 'evergreen') ?? false;
const stale = everything.filter((p) => new Date(p.version.when) < limit && !keeps(p));

const byOwner = new Map<string, WikiPage[]>();
for (const page of stale) {
  const owner = page.version.by.email ?? 'wiki@firm.example';
  byOwner.set(owner, [...(byOwner.get(owner) ?? []), page]);
}

let mails = 0;
for (const [to, pages] of [...byOwner].sort(([a], [b]) => a.localeCompare(b))) {
  const lines = pages
    .sort((a, b) => a.version.when.localeCompare(b.version.when))
    .map((p) => `${p.version.when.slice(0, 10)} ${[...p.ancestors.map((a) => a.title), p.title].join(' > ')} (version ${p.version.number}) ${base}${p._links.webui}`);
  const res = await fetch('https://mail.example/messages', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ to, subject: `${pages.length} old pages`, text: lines.join('\n') }) });
  if (res.status !== 202) throw new Error(`mail to ${to}: ${res.status}`);
  mails += 1;
}

return { pages: everything.length, stale: stale.length, mails };
