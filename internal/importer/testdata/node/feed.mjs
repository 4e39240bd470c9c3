import { writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { parse } from 'kintsugi:rss';

(async () => {
  const res = await fetch('BASE/feed', { headers: { Authorization: `Bearer ${process.env.FEED_TOKEN}` } });
  const feed = parse(await res.text());
  await writeFile('titles.txt', feed.items.map((i) => i.title).join('\n'));
  return createHash('sha256').update(feed.title).digest('hex').slice(0, 8);
})();
