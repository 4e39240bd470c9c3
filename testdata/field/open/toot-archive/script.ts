import { parse } from 'kintsugi:html';

interface Status { id: string; created_at: string; content: string; visibility: string; reblog: Status | null; media_attachments: { type: string; description: string | null }[]; tags: { name: string }[]; favourites_count: number; account: { acct: string } }

const HOST = 'https://social.example';

class Archive {
  private constructor(private newest: string | null) {}

  static async open() {
    return new Archive((await kv.get('newest')) as string | null);
  }

  // Newest first, as the server gives them, down to what is known.
  private async fresh(account: string): Promise<Status[]> {
    const all: Status[] = [];
    let url: string | undefined = `${HOST}/api/v1/accounts/${account}/statuses?limit=2${this.newest ? `&since_id=${this.newest}` : ''}`;
    while (url) {
      const res: Response = await fetch(url);
      if (res.status === 429) break;
      if (!res.ok) throw new Error(`statuses: ${res.status}`);
      all.push(...((await res.json()) as Status[]));
      url = res.headers.get('link')?.match(/<([^>]+)>; rel="next"/)?.[1];
    }
    return all;
  }

  private static plain(html: string): string {
    const doc = parse(html.replace(/<br ?\/?>/g, '\n'));
    const paragraphs = doc.querySelectorAll('p');
    return (paragraphs.length ? paragraphs.map((p) => p.textContent) : [doc.textContent]).join('\n\n').trim();
  }

  async save(account: string) {
    const list = await this.fresh(account);
    const kept = list.filter((s) => s.visibility === 'public' || s.visibility === 'unlisted');
    for (const s of kept.reverse()) {
      const original = s.reblog ?? s;
      const lines = [
        `## ${s.created_at.slice(0, 16).replace('T', ' ')}${s.reblog ? ` (from @${original.account.acct})` : ''}`,
        Archive.plain(original.content),
        ...original.media_attachments.map((m) => `[${m.type}: ${m.description ?? 'not described'}]`),
        original.tags.map((t) => `#${t.name.toLowerCase()}`).sort().join(' '),
      ];
      await files.append(`${s.created_at.slice(0, 7)}.md`, lines.filter(Boolean).join('\n') + '\n\n');
    }
    if (list.length > 0) await kv.set('newest', list.reduce((id, s) => (s.id.length > id.length || (s.id.length === id.length && s.id > id) ? s.id : id), '0'));
    return { saved: kept.length, seen: list.length, liked: list.reduce((n, s) => n + s.favourites_count, 0) };
  }
}

export default async ({ account }: { account: string }) => (await Archive.open()).save(account);
