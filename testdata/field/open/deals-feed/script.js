const FEED = 'https://deals.example/feed.xml';
const unescape = (s) => s.replace(/&lt;/g, '<').replace(/&gt;/g, '>').replace(/&quot;/g, '"').replace(/&amp;/g, '&');
const tag = (xml, name) => {
  const m = xml.match(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`));
  return unescape(m[1].trim());
};

exports.run = async () => {
  const xml = await (await fetch(FEED)).text();
  const seen = new Set((await kv.get('seen')) || []);
  const items = xml.split('<item>').slice(1).map((part) => ({
    id: tag(part, 'guid'), title: tag(part, 'title'), link: tag(part, 'link'), at: new Date(tag(part, 'pubDate')),
  }));
  const fresh = items.filter((i) => !seen.has(i.id)).sort((a, b) => a.at - b.at);
  for (const { title, link, at } of fresh) await notify(title, `${at.toISOString().slice(0, 16)} ${link}`);
  await kv.set('seen', [...fresh.map((i) => i.id), ...seen].slice(0, 20));
  return fresh.length;
};
