const route = 'GET https://social.example/api/v1/accounts/:id/statuses';
const esc = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/\n\n/g, '</p><p>').replace(/\n/g, '<br />');
const old = (s) => ({ id: s.id, created_at: new Date(s.at).toISOString(), spoiler_text: s.cw, content: `<p>${esc(s.text)}</p>`, reblog: s.boost ? { id: '1' + s.id } : null, tags: s.tags.map((name) => ({ name, url: 'https://social.example/tags/' + name })), media_attachments: s.media.map((m) => ({ type: 'image', description: m })), favourites_count: s.likes, reblogs_count: s.shared });
const page = (f, q, shape, next = (id) => ({ Link: `<https://social.example/api/v1/accounts/${q.params.id}/statuses?limit=2&since_id=${q.query.since_id}&max_id=${id}>; rel="next", <https://social.example/api/v1/x?min_id=9>; rel="prev"` })) => {
  const all = f.statuses.filter((s) => BigInt(s.id) > BigInt(q.query.since_id) && (!q.query.max_id || BigInt(s.id) < BigInt(q.query.max_id)));
  return { $body: all.slice(0, 2).map(shape), $headers: all.length > 2 ? next(all[1].id) : {} };
};
export default {
  source: 'https://github.com/mastodon/mastodon-api/issues/59, https://github.com/mastodon/documentation/pull/1829 and https://github.com/PipedreamHQ/pipedream/pull/19061 (all opened): Link headers that are missing or lead to an empty page, ids that only look like numbers',
  says: 'Keep what I post in an archive of my own',
  facts: (day, r) => ({
    statuses: r.many(day === 5 ? 0 : 1, 6, (i) => ({ id: `1120000000000${String(day).padStart(3, '0')}${9 - i}00`, at: Date.UTC(2026, 2, day + 1, 20 - i), cw: r.pick(['', '', 'food & drink']), text: r.pick(['Hello <world>', 'Two\nlines\n\nand more', '日本語 🌸', 'AT&T "x"']), boost: r.chance(0.2), tags: r.some(['Größe', 'NodeJS', 'art']), media: r.some(['A cat', null]), likes: r.int(0, 30), shared: r.int(0, 9) })),
  }),
  input: () => ({ account: '1091' }),
  api: { [route]: (f, q) => page(f, q, old) },
  changes: [{
    name: 'link-unquoted',
    happened: 'the Link header has a title with a comma before rel, and rel stands without quotes and with a capital',
    tells: [['Link', 'rel', 'next']],
    api: { [route]: (f, q) => page(f, q, old, (id) => ({ Link: `<https://social.example/api/v1/accounts/${q.params.id}/statuses?limit=2&since_id=${q.query.since_id}&max_id=${id}>; title="older, if any"; rel=Next` })) },
    right: {
      'a wider pattern': [["(header ?? '').split(',').map((part) => /<(.+?)>;\\s*rel=\"(\\w+)\"/.exec(part)).filter(Boolean).map(([, url, rel]) => [rel, url])", "[...(header ?? '').matchAll(/<([^>]+)>[^<]*?;\\s*rel=\"?(\\w+)\"?/g)].map(([, url, rel]) => [rel.toLowerCase(), url])"]],
      'cut at the brackets': [["(header ?? '').split(',').map((part) => /<(.+?)>;\\s*rel=\"(\\w+)\"/.exec(part)).filter(Boolean).map(([, url, rel]) => [rel, url])", "(header ?? '').split('<').slice(1).map((part) => [part.match(/rel=\"?([a-z]+)/i)?.[1].toLowerCase(), part.slice(0, part.indexOf('>'))])"]],
      'only the next': [["links(res.headers.get('Link')).next", "(/<([^>]*)>(?:; *\\w+=\"[^\"]*\")*?; *rel=\"?next\\b/i.exec(res.headers.get('Link') ?? '') ?? [])[1]"]],
    },
    wrong: {
      'without quotes only': [['rel="(\\w+)"/', 'rel="?(\\w+)"?/']],
      'the first page': [['rel="(\\w+)"/', 'rel="?([a-z]+)"?/i']],
      'any address': [["links(res.headers.get('Link')).next", "(/<([^>]*)>/.exec(res.headers.get('Link') ?? '') ?? [])[1] ?? undefined"], ['while (url) {', 'for (let n = 0; url && n < 2; n++) {']],
    },
  }, {
    name: 'next-in-body',
    happened: 'the list is below statuses with next_max_id beside it and no Link header, ids are numbers that do not fit, hence texts with a prefix, and counts are below counts',
    tells: [['statuses', 'next_max_id', 'Link', 'counts']],
    api: { [route]: (f, q) => { const a = page(f, q, (s) => { const { favourites_count: likes, reblogs_count: shares, id, ...o } = old(s); return { ...o, id: `st-${id}`, counts: { likes, shares, replies: 3 } }; }, (id) => ({ next: id })); return { statuses: a.$body, next_max_id: a.$headers.next ?? null }; } },
    right: {
      'made old': [["yield* await res.json();\n    url = links(res.headers.get('Link')).next;", "const body = await res.json();\n    if (Array.isArray(body)) {\n      yield* body;\n      url = links(res.headers.get('Link')).next;\n    } else {\n      for (const s of body.statuses) yield { ...s, id: s.id.replace('st-', ''), favourites_count: s.counts.likes, reblogs_count: s.counts.shares };\n      url = body.next_max_id && `${HOME}/accounts/${account}/statuses?limit=2&since_id=${since}&max_id=${body.next_max_id}`;\n    }"]],
      'in each place': [["yield* await res.json();\n    url = links(res.headers.get('Link')).next;", "const body = await res.json();\n    yield* body.statuses ?? body;\n    const older = new URL(url);\n    older.searchParams.set('max_id', body.next_max_id);\n    url = body.next_max_id ? older.href : links(res.headers.get('Link')).next;"], ['if (BigInt(status.id) >', "const id = status.id.replace(/^\\D+/, '');\n    if (BigInt(id) >"], ['newest = status.id', 'newest = id'], ['id: status.id,', 'id,'], ['status.favourites_count + status.reblogs_count', 'status.counts ? status.counts.likes + status.counts.shares : status.favourites_count + status.reblogs_count']],
      'defaults': [["yield* await res.json();\n    url = links(res.headers.get('Link')).next;", "const json = await res.json();\n    const { statuses: list = json, next_max_id: before } = json;\n    for (const one of list) yield one;\n    url = before ? url.replace(/&max_id=.*|$/, '&max_id=' + before) : links(res.headers.get('Link')).next;"], ['for await (const status of statuses(account, since)) {', "for await (const given of statuses(account, since)) {\n    const { counts, favourites_count = counts?.likes, reblogs_count = counts?.shares } = given;\n    const status = { ...given, id: given.id.split('-').pop(), favourites_count, reblogs_count };"]],
    },
    wrong: {
      'nothing new': [['yield* await res.json();', 'const body = await res.json();\n    yield* Array.isArray(body) ? body : [];']],
      'the first page': [['yield* await res.json();', "const body = await res.json();\n    if (Array.isArray(body)) yield* body;\n    else for (const s of body.statuses) yield { ...s, id: s.id.replace('st-', ''), favourites_count: s.counts.likes, reblogs_count: s.counts.shares };"]],
      'nobody liked it': [["yield* await res.json();\n    url = links(res.headers.get('Link')).next;", "const body = await res.json();\n    yield* body.statuses ? body.statuses.map((s) => ({ ...s, id: s.id.slice(3) })) : body;\n    url = body.next_max_id ? `${HOME}/accounts/${account}/statuses?limit=2&since_id=${since}&max_id=${body.next_max_id}` : links(res.headers.get('Link')).next;"], ['status.favourites_count + status.reblogs_count', '(status.favourites_count ?? 0) + (status.reblogs_count ?? 0)']],
      'replies are likes': [["yield* await res.json();\n    url = links(res.headers.get('Link')).next;", "const body = await res.json();\n    yield* body.statuses ? body.statuses.map((s) => ({ ...s, id: s.id.slice(3), favourites_count: Object.values(s.counts).reduce((a, b) => a + b), reblogs_count: 0 })) : body;\n    url = body.next_max_id ? `${HOME}/accounts/${account}/statuses?limit=2&since_id=${since}&max_id=${body.next_max_id}` : links(res.headers.get('Link')).next;"]],
    },
  }, {
    name: 'plain-content',
    happened: 'content may be null and the words are in text, tags are texts, a boost is a type and no member reblog, and media is null where there is none',
    tells: [['content', 'text', 'reblog', 'tags', 'media_attachments']],
    api: { [route]: (f, q) => page(f, q, (s) => { const { content, reblog, tags, media_attachments, ...o } = old(s); return { ...o, type: s.boost ? 'boost' : 'post', content: null, text: s.text, tags: s.tags, media_attachments: s.media.length ? media_attachments : null }; }) },
    right: {
      'in place': [['const { reblog } = status;', "const reblog = status.reblog || status.type === 'boost';"], ['words(status.content)', 'status.content === null ? status.text : words(status.content)'], ['({ name }) => name.toLowerCase()', '(t) => (t.name ?? t).toLowerCase()'], ['status.media_attachments.map', '(status.media_attachments ?? []).map']],
      'made old': [['yield* await res.json();', "for (const s of await res.json()) yield s.type ? { ...s, reblog: s.type === 'boost' ? s : null, content: s.text.replace(/&/g, '&amp;').replace(/</g, '&lt;'), tags: s.tags.map((name) => ({ name })), media_attachments: s.media_attachments || [] } : s;"]],
      'functions': [['const { reblog } = status;', "const reblog = 'reblog' in status ? status.reblog : status.type !== 'post';"], ['words(status.content)', 'textOf(status)'], ['status.tags.map(({ name }) => name.toLowerCase()).sort()', "status.tags.map((tag) => (typeof tag === 'string' ? tag : tag.name)).map((n) => n.toLowerCase()).sort()"], ['status.media_attachments.map', '[status.media_attachments].flat().filter(Boolean).map'], ['export default', "const textOf = ({ content, text }) => (content ? words(content) : text.trim());\n\nexport default"]],
    },
    wrong: {
      'no words': [['const { reblog } = status;', "const reblog = status.reblog || status.type === 'boost';"], ['words(status.content)', "words(status.content ?? '')"], ['({ name }) => name.toLowerCase()', '(t) => (t.name ?? t).toLowerCase()'], ['status.media_attachments.map', '(status.media_attachments ?? []).map']],
      'boosts, too': [['words(status.content)', 'status.content === null ? status.text : words(status.content)'], ['({ name }) => name.toLowerCase()', '(t) => (t.name ?? t).toLowerCase()'], ['status.media_attachments.map', '(status.media_attachments ?? []).map']],
      'words as if of HTML': [['const { reblog } = status;', "const reblog = status.reblog || status.type === 'boost';"], ['words(status.content)', 'words(status.content ?? status.text)'], ['({ name }) => name.toLowerCase()', '(t) => (t.name ?? t).toLowerCase()'], ['status.media_attachments.map', '(status.media_attachments ?? []).map']],
      'no tags': [['const { reblog } = status;', "const reblog = status.reblog || status.type === 'boost';"], ['words(status.content)', 'status.content === null ? status.text : words(status.content)'], ['({ name }) => name.toLowerCase()', "({ name = '' }) => name.toLowerCase()"], ['status.media_attachments.map', '(status.media_attachments ?? []).map']],
    },
  }],
};
