import { parse } from 'kintsugi:rss';
async function main(input) {
  const answer = await web.fetch('BASE/news.rss');
  if (answer.status !== 200) throw new Error('the feed answered ' + answer.status);
  const feed = parse(answer.body);
  const seen = new Set((await kv.get('seen')) || []);
  const fresh = feed.items.filter((item) => !seen.has(item.id));
  for (const item of fresh.reverse()) {
    await web.postJSON('BASE/channel', { text: '*' + item.title + '* ' + item.link });
    seen.add(item.id);
  }
  await kv.set('seen', [...seen].slice(-40));
  return fresh.length;
}
