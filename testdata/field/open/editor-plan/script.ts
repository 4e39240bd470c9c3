type RichText = { plain_text: string }[];
type Property =
  | { type: 'title'; title: RichText }
  | { type: 'select'; select: { name: string } | null }
  | { type: 'people'; people: { name?: string; id: string }[] }
  | { type: 'date'; date: { start: string; end: string | null } | null }
  | { type: 'number'; number: number | null };
interface Page { id: string; url: string; archived: boolean; properties: Record<string, Property> }
interface Result<T> { results: T[]; has_more: boolean; next_cursor: string | null }

const NOTION = 'https://api.pages.example/v1';

async function queryAll(database: string, filter: unknown): Promise<Page[]> {
  const pages: Page[] = [];
  let start_cursor: string | undefined;
  do {
    const res = await fetch(`${NOTION}/databases/${database}/query`, {
      method: 'POST', effect: 'read',
      headers: { Authorization: `Bearer ${process.env.PAGES_TOKEN}`, 'Pages-Version': '2022-06-28', 'Content-Type': 'application/json' },
      body: JSON.stringify({ filter, page_size: 3, start_cursor }),
    } as RequestInit);
    if (!res.ok) throw new Error(`query: ${res.status}`);
    const body: Result<Page> = await res.json();
    pages.push(...body.results);
    start_cursor = body.next_cursor ?? undefined;
  } while (start_cursor);
  return pages;
}

function text(p: Property | undefined): string {
  switch (p?.type) {
    case 'title': return p.title.map((t) => t.plain_text).join('').trim();
    case 'select': return p.select?.name ?? '';
    case 'people': return p.people.map((one) => one.name ?? 'somebody').join(' & ');
    case 'date': return p.date?.start.slice(0, 10) ?? '';
    case 'number': return p.number === null ? '' : String(p.number);
    default: return '';
  }
}

const article = ({ id, properties: { Name, Status, Author, Due, Words } }: Page) => ({ id: id.replaceAll('-', ''), title: text(Name) || 'Untitled', status: text(Status) || 'Idea', author: text(Author), due: text(Due), words: Number(text(Words)) || 0 });

export default async function plan({ database, today }: { database: string; today: string }) {
  const articles = (await queryAll(database, { property: 'Due', date: { is_not_empty: true } })).filter((p) => !p.archived).map(article);
  const late = articles.filter((a) => a.due < today && a.status !== 'Published').sort((a, b) => a.due.localeCompare(b.due) || a.title.localeCompare(b.title));
  for (const a of late) {
    const res = await fetch(`https://cms.example/drafts/${a.id}`, { method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ late: true, days: Math.round((Date.parse(today) - Date.parse(a.due)) / 864e5) }) });
    if (res.status === 404) await notify('No draft', `${a.title} of ${a.author || 'nobody'}`);
    else if (!res.ok) throw new Error(`cms: ${res.status}`);
  }
  const perStatus = articles.reduce<Record<string, number>>((n, a) => ({ ...n, [a.status]: (n[a.status] ?? 0) + a.words }), {});
  await kv.set('words', perStatus);
  return { late: late.map((a) => `${a.due} ${a.title} (${a.author})`), words: perStatus };
}
