const route = 'GET https://hub.example/v2/repositories/:owner/:name/tags';
const image = (t, arch, n) => ({ architecture: arch, digest: `sha256:${t.digest}${n}`, size: t.size * 1048576 + n, os: 'linux' });
const images = (t) => t.archs.map((a, n) => image(t, a, n));
const old = (t) => ({ name: t.name, full_size: t.size, images: images(t), last_updated: t.at });
const page = (f, q, shape, wrap) => {
  const all = f.tags[`${q.params.owner}/${q.params.name}`];
  if (!all) return { $status: 404, $body: { message: 'not found' } };
  const at = Number(q.query.page ?? 1), size = Number(q.query.page_size);
  const next = at * size < all.length ? `https://hub.example/v2/repositories/${q.params.owner}/${q.params.name}/tags?page=${at + 1}&page_size=${size}` : null;
  return wrap(all.slice((at - 1) * size, at * size).map(shape), next, all.length);
};
const classic = (shape) => (f, q) => page(f, q, shape, (results, next, count) => ({ count, next, previous: null, results }));
export default {
  source: 'https://github.com/docker/docs/issues/20552 and https://github.com/badges/shields/pull/4562 (both opened): images of a tag are a list or one object, and lists of tags are cut into pages that name the next one',
  says: 'Deploy a new version of our images and tell me',
  facts: (day, r) => {
    const one = (i) => ({ name: r.pick([`1.${Math.floor(day / 2)}.${i}`, `v1.${day}.0`, 'latest', `1.2.${i}-rc1`, 'größe']), digest: r.hex(8), size: r.int(8, 300), archs: r.pick([['amd64', 'arm64'], ['arm64', 'amd64'], ['amd64'], ['arm64']]), at: `2026-04-${String(day + 1).padStart(2, '0')}T0${i}:12:00.123Z` });
    const list = (from) => r.many(from, 7, one).filter((t, i, all) => all.findIndex((o) => o.name === t.name) === i);
    return { tags: { 'acme/api': list(day === 6 ? 0 : 2), ...(day % 5 === 3 ? {} : { 'acme/web': list(1) }) } };
  },
  api: { [route]: classic(old), 'POST https://deploy.example/hooks/image': () => ({ queued: true }) },
  changes: [{
    name: 'one-image',
    happened: 'images is one object where a tag has one image only, and size is a text in bytes',
    tells: [['images', 'image']],
    api: { [route]: classic((t) => { const all = images(t).map((i) => ({ ...i, size: String(i.size) })); return { ...old(t), images: all.length === 1 ? all[0] : all }; }) },
    right: {
      'flat': [['tag.images.find(', '[tag.images].flat().find(']],
      'a list or not': [['tag.images.find(', '(Array.isArray(tag.images) ? tag.images : [tag.images]).find('], ['image.size / 1048576', 'Number(image.size) / 1048576']],
      'made old': [['.map((tag) => ({ tag, version', ".map((tag) => (tag.images.architecture ? { ...tag, images: [tag.images] } : tag))\n    .map((tag) => ({ tag, version"]],
    },
    wrong: {
      'without these': [['tag.images.find(', '(Array.isArray(tag.images) ? tag.images : []).find(']],
      'the one whatever it is': [['tag.images.find((i) => i.architecture === arch)', 'tag.images.find ? tag.images.find((i) => i.architecture === arch) : tag.images']],
      'the first image': [['tag.images.find((i) => i.architecture === arch)', '[tag.images].flat()[0]']],
    },
  }, {
    name: 'v3',
    happened: 'results became tags, next is below links, images are by architecture, last_updated is pushed_at in seconds, and size is in megabytes',
    tells: [['results', 'tags', 'next', 'links']],
    api: { [route]: (f, q) => page(f, q, (t) => ({ name: t.name, pushed_at: Date.parse(t.at) / 1000, images: Object.fromEntries(images(t).map((i) => [i.architecture, { digest: i.digest, megabytes: i.size / 1048576 }])) }), (tags, next) => ({ tags, links: next ? { next } : {} })) },
    right: {
      'made old': [['const { results, next } = await res.json();', "const body = await res.json();\n  const next = body.next ?? body.links?.next;\n  const results = body.results ?? body.tags.map((t) => ({ name: t.name, last_updated: new Date(t.pushed_at * 1000).toISOString(), images: Object.entries(t.images).map(([architecture, i]) => ({ architecture, digest: i.digest, size: i.megabytes * 1048576 })) }));"]],
      'in each place': [['const { results, next } = await res.json();', 'const { tags: list, results = list, links, next = links?.next } = await res.json();'], ['tag.images.find((i) => i.architecture === arch)', '(Array.isArray(tag.images) ? tag.images.find((i) => i.architecture === arch) : tag.images[arch])'], ['image.size / 1048576', 'image.megabytes ?? image.size / 1048576'], ['tag.last_updated.slice', '(tag.last_updated ?? new Date(tag.pushed_at * 1000).toISOString()).slice']],
      'functions': [['async function newest', "const imageOf = ({ images }, arch) => {\n  if (Array.isArray(images)) return images.find((i) => i.architecture === arch);\n  const found = images[arch];\n  return found && { digest: found.digest, size: found.megabytes * 1048576 };\n};\nconst pushedOf = (tag) => (tag.pushed_at ? new Date(1000 * tag.pushed_at).toJSON() : tag.last_updated);\n\nasync function newest"], ['tag.images.find((i) => i.architecture === arch)', 'imageOf(tag, arch)'], ['tag.last_updated.slice', 'pushedOf(tag).slice'], ['const { results, next } = await res.json();', 'const json = await res.json();\n  const results = json.tags || json.results, next = json.links ? json.links.next : json.next;']],
    },
    wrong: {
      'none': [['const { results, next }', 'const { results = [], next }']],
      'the first page': [['const { results, next } = await res.json();', 'const { tags: list, results = list, next } = await res.json();'], ['tag.images.find((i) => i.architecture === arch)', '(Array.isArray(tag.images) ? tag.images.find((i) => i.architecture === arch) : tag.images[arch])'], ['image.size / 1048576', 'image.megabytes ?? image.size / 1048576'], ['tag.last_updated.slice', '(tag.last_updated ?? new Date(tag.pushed_at * 1000).toISOString()).slice']],
      'milliseconds': [['const { results, next } = await res.json();', 'const { tags: list, results = list, links, next = links?.next } = await res.json();'], ['tag.images.find((i) => i.architecture === arch)', '(Array.isArray(tag.images) ? tag.images.find((i) => i.architecture === arch) : tag.images[arch])'], ['image.size / 1048576', 'image.megabytes ?? image.size / 1048576'], ['tag.last_updated.slice', '(tag.last_updated ?? new Date(tag.pushed_at).toISOString()).slice']],
      'megabytes as bytes': [['const { results, next } = await res.json();', 'const { tags: list, results = list, links, next = links?.next } = await res.json();'], ['tag.images.find((i) => i.architecture === arch)', '(Array.isArray(tag.images) ? tag.images.find((i) => i.architecture === arch) : tag.images[arch])'], ['image.size / 1048576', '(image.megabytes ?? image.size) / 1048576'], ['tag.last_updated.slice', '(tag.last_updated ?? new Date(tag.pushed_at * 1000).toISOString()).slice']],
    },
  }, {
    name: 'relative-next',
    happened: 'next is a path without the host, and the digest is without sha256: before it',
    tells: [['next', 'URL', 'digest']],
    api: { [route]: (f, q) => page(f, q, (t) => ({ ...old(t), images: images(t).map((i) => ({ ...i, digest: i.digest.slice(7) })) }), (results, next, count) => ({ count, next: next && next.replace('https://hub.example', ''), results })) },
    right: {
      'resolved': [['await tags(repository, next)', 'await tags(repository, new URL(next, REGISTRY).href)'], ['digest: image.digest,', "digest: image.digest.startsWith('sha256:') ? image.digest : 'sha256:' + image.digest,"]],
      'joined': [['await tags(repository, next)', "await tags(repository, next.startsWith('/') ? 'https://hub.example' + next : next)"], ['digest: image.digest,', "digest: image.digest.replace(/^(?!sha256:)/, 'sha256:'),"]],
      'in the fetch': [['const res = await fetch(url);', 'const res = await fetch(new URL(url, `${REGISTRY}/`));'], ['digest: image.digest,', "digest: image.digest.includes(':') ? image.digest : `sha256:${image.digest}`,"]],
    },
    wrong: {
      'the first page': [['return next ? results', "return next && next.startsWith('http') ? results"], ['digest: image.digest,', "digest: image.digest.startsWith('sha256:') ? image.digest : 'sha256:' + image.digest,"]],
      'bare digests': [['await tags(repository, next)', 'await tags(repository, new URL(next, REGISTRY).href)']],
      'twice': [['await tags(repository, next)', 'await tags(repository, new URL(next, REGISTRY).href)'], ['digest: image.digest,', "digest: 'sha256:' + image.digest,"]],
    },
  }],
};
