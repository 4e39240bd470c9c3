import { parse } from 'kintsugi:html';

const HOME = 'https://social.example/api/v1';

const links = (header) => Object.fromEntries(
  (header ?? '').split(',').map((part) => /<(.+?)>;\s*rel="(\w+)"/.exec(part)).filter(Boolean).map(([, url, rel]) => [rel, url]),
);

async function* statuses(account, since) {
  let url = `${HOME}/accounts/${account}/statuses?limit=2&since_id=${since}`;
  while (url) {
    const res = await fetch(url);
    if (!res.ok) throw new Error(`${new URL(url).pathname}: ${res.status}`);
    yield* await res.json();
    url = links(res.headers.get('Link')).next;
  }
}

function words(html) {
  return parse(html.replace(/<br ?\/?>/g, '\n').replace(/<\/p><p>/g, '\n\n')).textContent.trim();
}

export default async function archive({ account }) {
  const since = await kv.get('since') ?? '0';
  const lines = [];
  let newest = since, boosts = 0;
  for await (const status of statuses(account, since)) {
    if (BigInt(status.id) > BigInt(newest)) newest = status.id;
    const { reblog } = status;
    if (reblog) {
      boosts += 1;
      continue;
    }
    lines.push({
      id: status.id,
      at: new Date(status.created_at).getTime(),
      text: [status.spoiler_text, words(status.content)].filter(Boolean).join('\n---\n'),
      tags: status.tags.map(({ name }) => name.toLowerCase()).sort(),
      media: status.media_attachments.map((m) => m.description ?? m.type),
      liked: status.favourites_count + status.reblogs_count,
    });
  }
  if (newest !== since) {
    if (lines.length) await files.append(`archive/${account}.ndjson`, lines.reverse().map((l) => JSON.stringify(l) + '\n').join(''));
    await kv.set('since', newest);
  }
  return { kept: lines.length, boosts, most: lines.reduce((m, l) => Math.max(m, l.liked), 0) };
}
