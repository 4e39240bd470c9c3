import { toObject } from 'kintsugi:xml';

/* Episodes that fit into the commute, as a queue for the player. */
const FEEDS = { tech: 'https://pods.example/tech.xml', kultur: 'https://audio.example/kultur/feed' };

function seconds(text) {
  if (!text) return null;
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

function episodes(name, xml) {
  const { rss } = toObject(xml, { arrays: ['item'] });
  return (rss.channel.item || []).map((item) => ({
    show: name,
    guid: typeof item.guid === 'string' ? item.guid : item.guid['#text'],
    title: item.title,
    at: Date.parse(item.pubDate),
    url: item.enclosure['@url'],
    bytes: Number(item.enclosure['@length']),
    seconds: seconds(item['itunes:duration']),
  }));
}

export default async function buildQueue(input) {
  const limit = (input.minutes || 45) * 60;
  const heard = new Set((await kv.get('heard')) || []);
  const results = await Promise.allSettled(Object.entries(FEEDS).map(async ([name, url]) => {
    const res = await fetch(url);
    if (!res.ok) throw new Error(`${name}: ${res.status}`);
    return episodes(name, await res.text());
  }));
  const broken = results.filter((r) => r.status === 'rejected');
  if (broken.length === results.length) throw broken[0].reason;

  const candidates = results.flatMap((r) => r.value || []).filter((e) => !heard.has(e.guid)).sort((a, b) => b.at - a.at || a.guid.localeCompare(b.guid));
  const queue = [];
  let left = limit;
  for (const e of candidates) {
    const length = e.seconds ?? Math.round(e.bytes / 16000);
    if (length > left) continue;
    queue.push({ title: `${e.show}: ${e.title}`, url: e.url, minutes: Math.round(length / 60), date: new Date(e.at).toISOString().slice(0, 10) });
    heard.add(e.guid);
    left -= length;
  }
  if (queue.length > 0) {
    const put = await fetch('https://player.example/me/queue', { method: 'PUT', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ items: queue, spare: left }) });
    if (!put.ok) throw new Error(`player: ${put.status}`);
    await kv.set('heard', [...heard].slice(-60));
  }
  return { queued: queue.map((q) => q.title), spare: left, broken: broken.length };
}
