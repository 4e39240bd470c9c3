const LIST = 'GET https://social.example/api/v1/accounts/:id/statuses';
const esc = (t) => t.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const html = (t) => t.split('\n\n').map((p) => `<p>${esc(p).replaceAll('\n', '<br>')}</p>`).join('');
const base = (s) => ({ id: s.id, created_at: s.at, content: html(s.text), visibility: s.visibility, reblog: null, media_attachments: s.media.map((description, i) => ({ id: String(i), type: i ? 'video' : 'image', description })), tags: s.tags.map((name) => ({ name, url: 'x' })), favourites_count: s.likes, account: { acct: s.who } });
const of = (s) => (s.from ? { ...base({ ...s, text: '', media: [], tags: [], who: 'me' }), content: '', reblog: base({ ...s, who: s.from, id: `9${s.id}` }) } : base(s));
const newer = (f, q) => f.statuses.filter((s) => !q.query.since_id || BigInt(s.id) > BigInt(q.query.since_id)).filter((s) => !q.query.max_id || BigInt(s.id) < BigInt(q.query.max_id));
const rel = (q, more, rest) => `<https://social.example/api/v1/accounts/${q.params.id}/statuses?limit=2&max_id=${more}${q.query.since_id ? `&since_id=${q.query.since_id}` : ''}>; rel="next"${rest}`;
const linked = (make, link = (q, more) => rel(q, more, ', <https://social.example/x?min_id=1>; rel="prev"')) => (f, q) => { const list = newer(f, q), part = list.slice(0, 2); return { $headers: list.length > 2 ? { link: link(q, part.at(-1).id) } : {}, $body: part.map(make) }; };
const turned = (q, more) => `<https://social.example/x?min_id=1>; rel=prev, ${rel(q, more, '').replace('rel="next"', 'rel=next')}`;
const v2 = (f, q) => { const list = newer(f, q), part = list.slice(0, 2); return { statuses: part.map((s) => { const { reblog, media_attachments, favourites_count, tags, ...o } = of(s); const inner = (x) => ({ ...x, attachments: x.media_attachments, counts: { favourites: x.favourites_count }, hashtags: x.tags.map((t) => t.name) }); return { ...o, attachments: media_attachments, counts: { favourites: favourites_count, boosts: 3 }, hashtags: tags.map((t) => t.name), boosted: reblog && inner(reblog) }; }), next_max_id: list.length > 2 ? part.at(-1).id : null }; };
const NEXT = `url = res.headers.get('link')?.match(/<([^>]+)>; rel="next"/)?.[1];`;
const PUSH = 'all.push(...((await res.json()) as Status[]));';
const OLD = `const old = (s: any): Status => ({ ...s, media_attachments: s.media_attachments ?? s.attachments, favourites_count: s.favourites_count ?? s.counts.favourites, tags: s.tags ?? s.hashtags.map((name: string) => ({ name })), reblog: s.reblog ?? (s.boosted ? old(s.boosted) : null) });

class Archive {`;
export default {
  source: 'https://github.com/mattn/go-mastodon/issues/86 and https://docs.joinmastodon.org/api/guidelines/: the Link header of lists changed between versions, min_id for since_id among its addresses; clients that cut it apart stopped',
  says: 'Archive what I have posted, month by month.',
  facts: (day, r) => ({ statuses: r.many(day === 7 ? 0 : 1, 6, (i) => i).reverse().map((i) => ({ id: String(99990 + day * 3 + i), at: `2026-0${1 + Math.floor(day / 15)}-${String(day % 28 + 1).padStart(2, '0')}T0${i}:1${i}:00.000Z`, text: r.pick(['Hello', 'Größer\nals gedacht', 'One & two\n\nA <second> part', '朝ごはん']), visibility: r.pick(['public', 'public', 'unlisted', 'private', 'direct']), from: r.chance(0.2) ? 'ada@other.example' : null, media: r.some(['A cat', null]), tags: r.some(['Caturday', 'foto', 'Zug']), likes: r.int(0, 40), who: 'me' })) }),
  input: () => ({ account: '110' }),
  api: { [LIST]: linked(of) },
  changes: [{
    name: 'link-order',
    happened: 'the Link header has prev before next, and rel without quotes',
    tells: [['link', 'Link', 'rel']],
    api: { [LIST]: linked(of, turned) },
    right: {
      'each link': [[NEXT, `url = res.headers.get('link')?.split(/,\\s*(?=<)/).find((l) => /rel="?next"?/.test(l))?.replace(/^.*<([^>]+)>.*$/, '$1');`]],
      'the pattern': [['rel="next"/', 'rel="?next\\b/']],
      'a map of links': [[NEXT, `const links: Record<string, string> = {};\n      for (const [, target, rel] of (res.headers.get('link') ?? '').matchAll(/<([^>]*)>;\\s*rel=["']?(\\w+)["']?/g)) links[rel] = target;\n      url = links.next;`]],
    },
    wrong: {
      'the first link': [[NEXT, `url = all.length < 4 ? res.headers.get('link')?.match(/<([^>]+)>/)?.[1]?.replace(/.*social.example\\/x.*/, '') || undefined : undefined;`]],
      'larger pages': [['?limit=2', '?limit=40']],
      'two pages': [[NEXT, `url = all.length < 3 ? res.headers.get('link')?.match(/<([^>]+)>; rel="?next/)?.[1] : undefined;`]],
    },
  }, {
    name: 'v2',
    happened: 'statuses are in an object with next_max_id in place of the Link header; attachments, hashtags as texts, counts, boosted for reblog',
    tells: ['reblog', ['statuses', 'next_max_id', 'hashtags']],
    api: { [LIST]: v2 },
    right: {
      'an adapter': [['class Archive {', OLD], [PUSH, 'const body: any = await res.json();\n      all.push(...(body.statuses ?? body).map(old));'], [NEXT, `${NEXT}\n      if (body.next_max_id) url = \`\${HOST}/api/v1/accounts/\${account}/statuses?limit=2&max_id=\${body.next_max_id}\${this.newest ? \`&since_id=\${this.newest}\` : ''}\`;`]],
      'in place': [[PUSH, `const body: any = await res.json();
      for (const s of body.statuses ?? []) {
        s.reblog = s.boosted;
        for (const one of [s, s.reblog]) if (one) Object.assign(one, { media_attachments: one.attachments, favourites_count: one.counts.favourites, tags: one.hashtags.map((name: string) => ({ name })) });
      }
      all.push(...(body.statuses ?? body));`], [NEXT, `const next = new URL(url);\n      if (body.next_max_id) next.searchParams.set('max_id', body.next_max_id);\n      url = body.statuses ? (body.next_max_id ? next.href : undefined) : res.headers.get('link')?.match(/<([^>]+)>; rel="next"/)?.[1];`]],
      'at each place': [
        [PUSH, 'const body: any = await res.json();\n      all.push(...(body.statuses ?? body));'], [NEXT, `url = body.next_max_id ? \`\${url.replace(/&max_id=\\d+/, '')}&max_id=\${body.next_max_id}\` : res.headers.get('link')?.match(/<([^>]+)>; rel="next"/)?.[1];`],
        ['const original = s.reblog ?? s;', 'const boosted = s.reblog ?? (s as any).boosted;\n      const original: any = boosted ?? s;'], ['s.reblog ? ` (from', 'boosted ? ` (from'], ['original.media_attachments.map((m)', '(original.media_attachments ?? original.attachments).map((m: any)'],
        ['original.tags.map((t) => `#${t.name.toLowerCase()}`)', '(original.tags ?? original.hashtags).map((t: any) => `#${(t.name ?? t).toLowerCase()}`)'], ['n + s.favourites_count', 'n + (s.favourites_count ?? (s as any).counts.favourites)'],
      ],
    },
    wrong: {
      'the first page': [['class Archive {', OLD], [PUSH, 'const body: any = await res.json();\n      all.push(...(body.statuses ?? body).map(old));']],
      'no boosts': [['class Archive {', OLD.replace('s.reblog ?? (s.boosted ? old(s.boosted) : null)', 's.reblog ?? null')], [PUSH, 'const body: any = await res.json();\n      all.push(...(body.statuses ?? body).map(old));'], [NEXT, `${NEXT}\n      if (body.next_max_id) url = \`\${HOST}/api/v1/accounts/\${account}/statuses?limit=2&max_id=\${body.next_max_id}\${this.newest ? \`&since_id=\${this.newest}\` : ''}\`;`]],
      'nothing new': [[PUSH, 'const body: any = await res.json();\n      all.push(...(Array.isArray(body) ? body : []));']],
      'all since ever': [['class Archive {', OLD], [PUSH, 'const body: any = await res.json();\n      all.push(...(body.statuses ?? body).map(old));'], [NEXT, `${NEXT}\n      if (body.next_max_id) url = \`\${HOST}/api/v1/accounts/\${account}/statuses?limit=2&max_id=\${body.next_max_id}\`;`]],
    },
  }, {
    name: 'plain-text',
    happened: 'content is plain text with text beside html in an object, created_at is seconds, visibility is audience: everyone or quiet are what public and unlisted were',
    tells: ['content', ['created_at', 'audience', 'visibility']],
    api: { [LIST]: linked((s) => { const turn = ({ content, created_at, visibility, ...x }) => ({ ...x, content: { text: content === '' ? '' : s.text, html: content }, created_at: Date.parse(created_at) / 1000, audience: { public: 'everyone', unlisted: 'quiet', private: 'followers', direct: 'named' }[visibility] }); const o = of(s); return { ...turn(o), reblog: o.reblog && turn(o.reblog) }; }) },
    right: {
      'made old': [['class Archive {', `const SEEN: Record<string, string> = { everyone: 'public', quiet: 'unlisted', followers: 'private', named: 'direct' };
const old = (s: any): Status => (s.audience === undefined ? s : { ...s, content: s.content.html, created_at: new Date(s.created_at * 1000).toISOString(), visibility: SEEN[s.audience], reblog: s.reblog && old(s.reblog) });

class Archive {`], ['...((await res.json()) as Status[])', '...((await res.json()) as any[]).map(old)']],
      'in place': [[PUSH, `for (const s of (await res.json()) as any[]) {
        if (s.audience) s.visibility = s.audience === 'everyone' ? 'public' : s.audience === 'quiet' ? 'unlisted' : 'private';
        if (Number.isFinite(s.created_at)) s.created_at = new Date(1000 * s.created_at).toJSON();
        for (const one of [s, s.reblog]) if (one?.content?.html !== undefined) one.content = one.content.html;
        all.push(s);
      }`]],
      'at each place': [
        ["s.visibility === 'public' || s.visibility === 'unlisted'", "['public', 'unlisted', 'everyone', 'quiet'].includes(s.visibility ?? (s as any).audience)"], ['      const original =', "      const at = typeof s.created_at === 'number' ? new Date(s.created_at * 1000).toISOString() : s.created_at;\n      const original ="],
        ['s.created_at.slice(0, 16)', 'at.slice(0, 16)'], ['s.created_at.slice(0, 7)', 'at.slice(0, 7)'], ['Archive.plain(original.content)', "typeof original.content === 'string' ? Archive.plain(original.content) : (original.content as any).text"],
      ],
    },
    wrong: {
      'nothing kept': [["s.visibility === 'public' || s.visibility === 'unlisted'", "s.visibility === 'public' || s.visibility === 'unlisted' || (s as any).audience === 'public'"]],
      'all kept': [["s.visibility === 'public' || s.visibility === 'unlisted'", "!['private', 'direct'].includes(s.visibility)"], ['...((await res.json()) as Status[])', '...((await res.json()) as any[]).map((s) => (s.audience ? { ...s, content: s.content.html, created_at: new Date(s.created_at * 1000).toISOString(), reblog: s.reblog && { ...s.reblog, content: s.reblog.content.html } } : s))']],
      'only everyone': [["s.visibility === 'public' ||", "s.visibility === 'public' || (s as any).audience === 'everyone' ||"], ['...((await res.json()) as Status[])', '...((await res.json()) as any[]).map((s) => (s.audience ? { ...s, content: s.content.html, created_at: new Date(s.created_at * 1000).toISOString(), reblog: s.reblog && { ...s.reblog, content: s.reblog.content.html } } : s))']],
      'of 1970': [["s.visibility === 'public' || s.visibility === 'unlisted'", "['public', 'unlisted', 'everyone', 'quiet'].includes(s.visibility ?? (s as any).audience)"], ['...((await res.json()) as Status[])', '...((await res.json()) as any[]).map((s) => (s.audience ? { ...s, content: s.content.html, created_at: new Date(s.created_at).toISOString(), reblog: s.reblog && { ...s.reblog, content: s.reblog.content.html } } : s))']],
    },
  }],
};
