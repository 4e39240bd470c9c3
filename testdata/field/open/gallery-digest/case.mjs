const IMAGES = 'GET https://gallery.example/api/v1/images';
const of = (i) => ({ id: i.id, url: `https://img.example/${i.id}`, nsfw: i.nsfw, createdAt: i.at, username: i.who, stats: { likeCount: i.like, ...(i.heart ? { heartCount: i.heart } : {}), ...(i.laugh ? { laughCount: i.laugh } : {}) } });
const list = (f, q) => f.images[q.query.modelId] ?? [];
const paged = (make) => (f, q) => { const all = list(f, q), p = Number(q.query.page), n = Number(q.query.limit); return { items: all.slice(p * n - n, p * n).map(make), metadata: { totalItems: all.length, currentPage: p, pageSize: n, totalPages: Math.max(1, Math.ceil(all.length / n)) } }; };
const cursor = (make) => (f, q) => { const all = list(f, q), n = Number(q.query.limit ?? 2), from = q.query.cursor ? all.findIndex((i) => `${i.id}|7` === q.query.cursor) : 0, to = from + n, next = all[to]; return { items: all.slice(from, to).map(make), metadata: { pageSize: n, ...(next ? { nextCursor: `${next.id}|7`, nextPage: `https://gallery.example/api/v1/images?modelId=${q.query.modelId}&limit=${n}&cursor=${next.id}%7C7` } : {}) } }; };
const v2 = (i) => ({ id: `img_${i.id}`, nsfwLevel: i.nsfw ? 'X' : 'None', published_at: Date.parse(i.at), user: { name: i.who }, reactions: [{ type: 'like', count: i.like }, { type: 'heart', count: i.heart }, { type: 'laugh', count: i.laugh }].filter((x) => x.count > 0) });
const ALL = `  const first = await pageOf(model, 1);
  const rest = await Promise.all(Array.from({ length: first.metadata.totalPages - 1 }, (_, i) => pageOf(model, i + 2)));
  return [first, ...rest].flatMap((page) => page.items);`;
const CHAIN = `
  if (first.metadata.totalPages === undefined) {
    const items = [...first.items];
    for (let url = first.metadata.nextPage; url; ) {
      const res = await fetch(url);
      if (!res.ok) throw new Error(\`images of \${model}: \${res.status}\`);
      const page = await res.json();
      items.push(...page.items);
      url = page.metadata.nextPage;
    }
    return items;
  }`;
const FIRST = '  const first = await pageOf(model, 1);';
export default {
  source: 'https://github.com/civitai/civitai/issues/1583 and https://github.com/SignalFlagZ/sd-webui-civbrowser/issues/37: pages by number gave way to a cursor, nextCursor and nextPage in metadata; currentPage, totals and dates went without notice',
  says: 'Rank who made the pictures that were liked most.',
  facts: (day, r) => ({ since: `2026-03-${String(day % 25 + 3).padStart(2, '0')}T00:00:00.000Z`, images: Object.fromEntries([11, 12].map((m) => [m, r.many(0, day === 6 ? 0 : 6, (i) => ({ id: m * 1000 + day * 20 + i, nsfw: r.chance(0.1), at: `2026-03-${String(Math.min(28, day % 25 + 3 + r.int(-1, 3))).padStart(2, '0')}T1${i}:00:00.000Z`, who: r.pick(['ada', 'Bö', 'chen', 'dora, d.']), like: r.int(0, 30), heart: r.int(0, 5), laugh: r.pick([0, 0, 4]) }))])) }),
  input: (f) => ({ since: f.since }),
  api: { [IMAGES]: paged(of), 'POST https://gallery.example/api/v1/images/:id/comments': (f, q) => ({ id: q.id }) },
  changes: [{
    name: 'cursor',
    happened: 'pages by number are gone: metadata has nextCursor and nextPage, an address, and no totals',
    tells: ['metadata', ['nextPage', 'nextCursor', 'totalPages']],
    api: { [IMAGES]: cursor(of) },
    right: {
      'by addresses': [[FIRST, FIRST + CHAIN]],
      'by cursors': [['const pageOf = async (model, page) => {', 'const pageOf = async (model, page, cursor) => {'], ['&page=${page}&limit=2`', '${cursor ? `&cursor=${encodeURIComponent(cursor)}` : `&page=${page}`}&limit=2`'], [ALL, `  const pages = [await pageOf(model, 1)];
  if (pages[0].metadata.totalPages) pages.push(...(await Promise.all(Array.from({ length: pages[0].metadata.totalPages - 1 }, (_, i) => pageOf(model, i + 2)))));
  else while (pages.at(-1).metadata.nextCursor) pages.push(await pageOf(model, 0, pages.at(-1).metadata.nextCursor));
  return pages.flatMap((page) => page.items);`]],
      'a generator': [['const imagesOf =', `async function* pages(url) {
  const res = await fetch(url);
  if (!res.ok) throw new Error(\`images: \${res.status}\`);
  const { items, metadata } = await res.json();
  yield* items;
  if (metadata.nextPage) yield* pages(metadata.nextPage);
}

const imagesOf =`], [FIRST, `${FIRST}
  if (!('totalPages' in first.metadata)) {
    const found = first.items;
    if (first.metadata.nextPage) for await (const image of pages(first.metadata.nextPage)) found.push(image);
    return found;
  }`]],
    },
    wrong: {
      'the first page': [['first.metadata.totalPages - 1', '(first.metadata.totalPages ?? 1) - 1']],
      'the same page again': [['first.metadata.totalPages - 1', '(first.metadata.totalPages ?? (first.metadata.nextCursor ? 2 : 1)) - 1']],
      'two pages': [[ALL, `${FIRST}
  if (first.metadata.nextPage) return [...first.items, ...(await (await fetch(first.metadata.nextPage)).json()).items];
  if (!first.metadata.totalPages) return first.items;
${ALL.split('\n').slice(1).join('\n')}`]],
      'without pages': [['if (res.status >= 500)', 'if (res.status >= 400)'], ['first.metadata.totalPages - 1', 'Math.max(0, (first.metadata.totalPages || 0) - 1)']],
    },
  }, {
    name: 'v2',
    happened: 'cursor pages; ids with a prefix, user is an object, reactions are a list by type, published_at is in milliseconds, nsfwLevel a word',
    tells: ['createdAt', ['reactions', 'published_at', 'nextPage']],
    api: { [IMAGES]: cursor(v2) },
    right: {
      'an adapter': [['const imagesOf =', `const old = (i) => {
  if (i.stats) return i;
  const count = (type) => i.reactions.find((r) => r.type === type)?.count ?? 0;
  return { id: Number(i.id.slice(4)), nsfw: i.nsfwLevel !== 'None', createdAt: new Date(i.published_at).toISOString(), username: i.user.name, stats: { likeCount: count('like'), heartCount: count('heart'), laughCount: count('laugh') } };
};

const imagesOf =`], [FIRST, FIRST + CHAIN], ['lists.flat()', 'lists.flat().map(old)']],
      'in place': [[FIRST, FIRST + CHAIN], ['  const people = new Map();', `  for (const image of lists.flat()) {
    if (!image.reactions) continue;
    image.id = +image.id.replace('img_', '');
    image.nsfw = image.nsfwLevel === 'X';
    image.createdAt = new Date(image.published_at).toJSON();
    image.username = image.user.name;
    image.stats = Object.fromEntries(image.reactions.map(({ type, count }) => [type + 'Count', count]));
  }
  const people = new Map();`]],
      'at each place': [
        [FIRST, FIRST + CHAIN], ['const likes = ({ stats: { likeCount = 0, heartCount = 0, laughCount = 0 } }) =>', "const likes = ({ reactions = [], stats: { likeCount = 0, heartCount = 0, laughCount = 0 } = Object.fromEntries(reactions.map((r) => [`${r.type}Count`, r.count])) }) =>"],
        ['image.createdAt >= since', '(image.createdAt ?? new Date(image.published_at).toISOString()) >= since'], ['image.nsfw !== true', "image.nsfw !== true && (image.nsfwLevel ?? 'None') === 'None'"], ['  lists.flat()', '  const nameOf = (image) => image.username ?? image.user.name;\n  lists.flat()'],
        ['people.get(image.username)', 'people.get(nameOf(image))'], ['name: image.username', 'name: nameOf(image)'], ['people.set(image.username', 'people.set(nameOf(image)'], ['{ id: image.id, n }', "{ id: Number(String(image.id).replace('img_', '')), n }"],
      ],
    },
    wrong: {
      'hearts once': [['const imagesOf =', "const old = (i) => (i.stats ? i : { id: Number(i.id.slice(4)), nsfw: i.nsfwLevel !== 'None', createdAt: new Date(i.published_at).toISOString(), username: i.user.name, stats: { likeCount: i.reactions.reduce((n, r) => n + r.count, 0) } });\n\nconst imagesOf ="], [FIRST, FIRST + CHAIN], ['lists.flat()', 'lists.flat().map(old)']],
      'all of them': [['const imagesOf =', "const old = (i) => (i.stats ? i : { id: Number(i.id.slice(4)), createdAt: new Date(i.published_at).toISOString(), username: i.user.name, stats: Object.fromEntries(i.reactions.map((r) => [r.type + 'Count', r.count])) });\n\nconst imagesOf ="], [FIRST, FIRST + CHAIN], ['lists.flat()', 'lists.flat().map(old)']],
      'nobody liked': [['const imagesOf =', "const old = (i) => (i.stats ? i : { id: Number(i.id.slice(4)), nsfw: i.nsfwLevel !== 'None', createdAt: new Date(i.published_at).toISOString(), username: i.user.name, stats: {} });\n\nconst imagesOf ="], [FIRST, FIRST + CHAIN], ['lists.flat()', 'lists.flat().map(old)']],
      'the first page': [['const imagesOf =', "const old = (i) => (i.stats ? i : { id: Number(i.id.slice(4)), nsfw: i.nsfwLevel !== 'None', createdAt: new Date(i.published_at).toISOString(), username: i.user.name, stats: Object.fromEntries(i.reactions.map((r) => [r.type + 'Count', r.count])) });\n\nconst imagesOf ="], ['first.metadata.totalPages - 1', '(first.metadata.totalPages ?? 1) - 1'], ['lists.flat()', 'lists.flat().map(old)']],
    },
  }, {
    name: 'no-dates',
    happened: 'pictures do not say any more when they were made',
    tells: ['createdAt'],
    lost: true,
    api: { [IMAGES]: paged((i) => { const { createdAt, ...o } = of(i); return o; }) },
    wrong: {
      'all of them': [['image.createdAt >= since', '!(image.createdAt < since)']],
      'today': [['image.createdAt >= since', '(image.createdAt ?? since) >= since']],
      'none': [['image.createdAt >= since', "(image.createdAt ?? '') >= since"]],
    },
  }],
};
