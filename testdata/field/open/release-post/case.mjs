const FEED = 'GET https://forge.example/api/repos/acme/engine/releases';
// The releases until a day, made of their number: newest first, eight at most.
const all = (n) => Array.from({ length: n }, (_, i) => ({ n: i, tag: `v${1 + Math.floor(i / 9)}.${Math.floor(i / 3) % 3}.${i % 3}`, at: new Date(Date.UTC(2026, 0, 1 + i, 9)).toISOString().replace('.000', ''), pre: i % 5 === 3, notes: [['Faster start', 'Fix – the “leak”', 'Größere Listen', '新しい API'].slice(0, i % 5), i % 2 ? 'Thanks to all.' : ''] }));
const of = (r) => ({ id: 7000 + r.n, tag_name: r.tag, name: `Engine ${r.tag}`, draft: false, prerelease: r.pre, published_at: r.at, html_url: `https://forge.example/acme/engine/releases/${r.tag}`, body: r.n % 7 === 6 ? null : [...r.notes[0].map((l, i) => `${i % 2 ? '*' : '-'} ${l}`), '', r.notes[1]].join('\r\n') });
const newest = (f) => all(f.count).reverse().slice(0, 8);
const READ = 'const releases = await res.json();';
const v2 = (r) => ({ id: `rel_${r.n}`, version: r.tag.slice(1), channel: r.pre ? 'preview' : 'stable', released_at: Date.parse(r.at) / 1000, links: { html: of(r).html_url }, notes: r.n % 7 === 6 ? [] : r.notes[0] });
const OLD = `const old = (r) => (r.tag_name ? r : { tag_name: 'v' + r.version, prerelease: r.channel !== 'stable', published_at: new Date(r.released_at * 1000).toISOString(), html_url: r.links.html, body: r.notes.map((n) => '- ' + n).join('\\n') });

`;
export default {
  source: 'https://github.com/hydrusnetwork/hydrus/issues/2058 and https://github.com/zenml-io/zenml/pull/4459: lists that came newest first came oldest first after an upgrade, and the other way round; clients take the first for the latest',
  says: 'Announce new releases of the engine, and file a task for a major one.',
  facts: (day, r) => ({ count: [0, 2, 3, 3, 5, 8, 9, 11, 11, 14, 16, 19, 20][day] ?? 20 + (day - 12) * 2 }),
  api: { [FEED]: (f) => newest(f).map(of), 'POST https://chat.example/hooks/releases': { ok: true }, 'POST https://tasks.example/api/tasks': (f, q) => ({ id: q.id }) },
  changes: [{
    name: 'oldest-first',
    happened: 'the eight latest releases come oldest first',
    tells: [['order', 'oldest', 'first', 'sort']],
    api: { [FEED]: (f) => newest(f).reverse().map(of) },
    right: {
      'sorted by date': [[READ, 'const releases = (await res.json()).sort((a, b) => Date.parse(b.published_at) - Date.parse(a.published_at));']],
      'sorted by version': [[READ, 'const releases = await res.json();\n  releases.sort((a, b) => compare(b.tag_name, a.tag_name));']],
      'turned if need be': [[READ, 'let releases = await res.json();\n  if (releases.length > 1 && releases[0].published_at < releases.at(-1).published_at) releases = releases.reverse();']],
    },
    wrong: {
      'always turned': [[READ, 'const releases = (await res.json()).reverse();']],
      'only the latest': [['const [latest] = releases;', 'const latest = [...releases].sort((a, b) => b.published_at.localeCompare(a.published_at))[0];']],
      'as texts': [[READ, 'const releases = (await res.json()).sort((a, b) => (a.tag_name.slice(0, 4) < b.tag_name.slice(0, 4) ? 1 : -1));']],
    },
  }, {
    name: 'drafts',
    happened: 'the list begins with a draft: its tag_name is a text such as "untagged-…", published_at is null',
    tells: ['draft', ['untagged', 'published_at']],
    api: { [FEED]: (f) => (f.count === 0 ? [] : [{ ...of(all(f.count + 1).at(-1)), id: 1, tag_name: `untagged-${f.count}ab`, draft: true, prerelease: false, published_at: null }, ...newest(f).map(of)]) },
    right: {
      'without drafts': [[READ, 'const releases = (await res.json()).filter((r) => !r.draft);']],
      'what was published': [[READ, 'const listed = await res.json();\n  const releases = listed.filter(({ published_at }) => published_at !== null);']],
      'by the tag': [[READ, "const releases = (await res.json()).flatMap((r) => (/^v?\\d/.test(r.tag_name) ? [r] : []));"]],
    },
    wrong: {
      'no date': [['${r.published_at.slice(0, 10)}', "${(r.published_at ?? '').slice(0, 10)}"], ['latest.published_at.slice', "(latest.published_at ?? '').slice"]],
      'drafts are not posted': [['.filter((r) => !r.prerelease)', '.filter((r) => !r.prerelease && !r.draft)']],
      'the second always': [['const [latest] = releases;', 'const [, latest] = releases;'], ['.filter((r) => !r.prerelease)', '.filter((r) => !r.prerelease && !r.draft)']],
      'none while there is a draft': [['if (releases.length === 0)', 'if (releases.length === 0 || releases[0].draft)']],
    },
  }, {
    name: 'v2',
    happened: 'releases are items of an object, oldest first; version without v, channel, released_at in seconds, links.html, notes as a list of texts',
    tells: ['tag_name', ['items', 'version', 'notes']],
    api: { [FEED]: (f) => ({ items: newest(f).reverse().map(v2), total: f.count }) },
    right: {
      'an adapter and an order': [['function* since', OLD + 'function* since'], [READ, "const body = await res.json();\n  const releases = (body.items ?? body).map(old).sort((a, b) => compare(b.tag_name, a.tag_name));"]],
      'in place': [[READ, `const given = await res.json();
  const releases = Array.isArray(given) ? given : [];
  for (const item of given.items ?? []) {
    releases.unshift({ tag_name: \`v\${item.version}\`, prerelease: item.channel === 'preview', published_at: new Date(1000 * item.released_at).toJSON(), html_url: item.links.html, body: item.notes.map((text) => \`* \${text}\`).join('\\n') });
  }`]],
      'at each place': [
        [READ, 'const got = await res.json();\n  const releases = got.items ? got.items.toReversed?.() ?? [...got.items].reverse() : got;\n  for (const r of releases) r.tag_name ??= `v${r.version}`;'], ['!r.prerelease', "!(r.prerelease ?? r.channel !== 'stable')"],
        ['${r.published_at.slice(0, 10)}', '${dayOf(r)}'], ['latest.published_at.slice(0, 10)', 'dayOf(latest)'], ['function* since', "const dayOf = (r) => (r.published_at ?? new Date(r.released_at * 1000).toISOString()).slice(0, 10);\n\nfunction* since"], ['bullets(r.body)', '(r.notes ?? bullets(r.body))'], ['url: r.html_url', 'url: r.html_url ?? r.links.html'],
      ],
    },
    wrong: {
      'oldest first': [['function* since', OLD + 'function* since'], [READ, 'const body = await res.json();\n  const releases = (body.items ?? body).map(old);']],
      'previews too': [['function* since', OLD.replace("r.channel !== 'stable'", 'false') + 'function* since'], [READ, "const body = await res.json();\n  const releases = (body.items ?? body).map(old).sort((a, b) => compare(b.tag_name, a.tag_name));"]],
      'no notes': [['function* since', OLD.replace("r.notes.map((n) => '- ' + n).join('\\n')", "r.notes.join('\\n')") + 'function* since'], [READ, "const body = await res.json();\n  const releases = (body.items ?? body).map(old).sort((a, b) => compare(b.tag_name, a.tag_name));"]],
      'without the v': [['function* since', OLD.replace("'v' + r.version", 'r.version') + 'function* since'], [READ, "const body = await res.json();\n  const releases = (body.items ?? body).map(old).sort((a, b) => compare(b.tag_name, a.tag_name));"]],
    },
  }],
};
