// Every hour: what is new in a feed, one file a day.
import { parse } from 'kintsugi:rss';

export async function main({ most = 20 }: { most?: number }) {
  const answer = await fetch('http://127.0.0.1:8091/feed');
  if (!answer.ok) throw new NetworkError(`the feed answered ${answer.status}`);
  const feed = parse(await answer.text());

  // What was seen before is kept, so that each entry is told once.
  const seen: string[] = await kv.get('seen') ?? [];
  const fresh = feed.items.filter((item) => !seen.includes(item.id)).slice(0, most);
  if (fresh.length > 0) {
    const lines = fresh.map((item) => `- [${item.title}](${item.link})`);
    await files.append(`${localTime(Date.now()).date}.md`, lines.join('\n') + '\n');
    await kv.set('seen', [...fresh.map((item) => item.id), ...seen].slice(0, 500));
  }
  return { feed: feed.title, fresh: fresh.length };
}
