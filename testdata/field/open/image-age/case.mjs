const TAGS = 'GET https://hub.example/v2/repositories/:owner/:name/tags', DEPLOY = 'GET https://cluster.example/api/deployments';
const of = (t) => ({ id: t.size, name: t.name, full_size: t.size, last_updated: t.at, images: t.images.map((i) => ({ architecture: i.arch, ...(i.digest ? { digest: `sha256:${i.digest}` } : {}), size: t.size, status: i.active ? 'active' : 'inactive' })) });
const repo = (f, q) => f.repositories[`${q.params.owner}/${q.params.name}`];
const base = (q) => `https://hub.example/v2/repositories/${q.params.owner}/${q.params.name}/tags`;
const pages = (make) => (f, q) => { const list = repo(f, q); if (!list) return { $status: 404, $body: { message: 'object not found' } }; const p = Number(q.query.page ?? 1), n = Number(q.query.page_size); return { count: list.length, next: p * n < list.length ? `${base(q)}?page=${p + 1}&page_size=${n}` : null, previous: null, results: list.slice(p * n - n, p * n).map(make) }; };
const pushed = (t) => { const { last_updated, ...rest } = of(t); return { ...rest, last_updated: null, tag_status: 'active', tag_last_pulled: '2026-03-01T00:00:00Z', tag_last_pushed: t.at }; };
const links = (make) => (f, q) => { const list = repo(f, q); if (!list) return { $status: 404, $body: { message: 'object not found' } }; const from = Number(q.query.last ?? 0), to = from + 2; return { $headers: to < list.length ? { link: `<${base(q)}?last=${to}&page_size=2>; rel="next"` } : {}, $body: { total: list.length, tags: list.slice(from, to).map(make) } }; };
const v3 = (t) => ({ tag: t.name, size_mb: t.size / 1048576, pushed_at: Date.parse(t.at) / 1000, manifests: Object.fromEntries(t.images.map((i) => [`linux/${i.arch}`, { digest: i.digest && `sha256:${i.digest}`, state: i.active ? 'active' : 'inactive' }])) });
const READ = 'const { results, next } = (await answer.json()) as TagList;';
const AT = 'Date.parse(ours.last_updated)';
export default {
  source: 'https://github.com/renovatebot/renovate/issues/24135 and https://github.com/docker/hub-tool/issues/152: the hub has tag_last_pushed and a digest beside last_updated, which means another time',
  says: 'Tell operations which images are old or were pushed anew.',
  facts: (day, r) => {
    const slot = Date.UTC(2026, 2, 1 + day, 5);
    const tag = (name) => ({ name, size: r.int(5, 900) * 1048576, at: new Date(slot - r.pick([1, 20, 89, 100, 400]) * 86400000 - 3600000).toISOString().replace('.000Z', '.123456Z'), images: r.mix(['amd64', 'arm64', 'unknown']).map((arch) => ({ arch, digest: arch === 'unknown' ? null : r.hex(64), active: r.chance(0.9) })) });
    return { slot: new Date(slot).toISOString(),
      repositories: { 'library/nginx': r.mix(['latest', '1.27', '1.27-alpine', 'stable']).map(tag), 'acme/shop': r.some(['7', '8', 'edge']).map(tag), 'library/redis': day % 5 === 4 ? undefined : [tag('7-alpine')] },
      deployments: day === 6 ? [] : [{ service: 'web', image: 'nginx:1.27' }, { service: 'shop', image: 'acme/shop:8', arch: 'arm64' }, { service: 'cache', image: 'redis:7-alpine' }, { service: 'übung', image: 'nginx' }].filter(() => r.chance(0.85)) };
  },
  input: (f) => ({ slot: f.slot }),
  api: { [TAGS]: pages(of), [DEPLOY]: (f) => f.deployments, 'POST https://chat.example/hooks/ops': { ok: true } },
  changes: [{
    name: 'last-pushed',
    happened: 'last_updated is null, tag_last_pushed has the time; tag_last_pulled stands beside it',
    tells: ['last_updated', 'tag_last_pushed'],
    api: { [TAGS]: pages(pushed) },
    right: {
      'by ??': [[AT, 'Date.parse(ours.last_updated ?? (ours as any).tag_last_pushed)']],
      'when yielded': [['for (const tag of results) yield tag;', 'for (const tag of results as any[]) yield { ...tag, last_updated: tag.tag_last_pushed ?? tag.last_updated };']],
      'a helper': [['const digestOf', "const pushedAt = (tag: any): number => +new Date('tag_last_pushed' in tag ? tag.tag_last_pushed : tag.last_updated);\n\nconst digestOf"], [AT, 'pushedAt(ours)']],
    },
    wrong: {
      'when it was pulled': [[AT, 'Date.parse(ours.last_updated ?? (ours as any).tag_last_pulled)']],
      'today': [[AT, '(Date.parse(ours.last_updated) || now)']],
      'of 1970': [[AT, '+new Date(ours.last_updated)']],
      'not there': [['if (!ours) return', 'if (!ours?.last_updated) return']],
    },
  }, {
    name: 'registry',
    happened: 'tags are in tags, the next page is in the Link header, a tag says tag, size_mb, pushed_at in seconds and manifests by platform',
    tells: ['results', ['tags', 'Link', 'link', 'manifests']],
    api: { [TAGS]: links(v3) },
    right: {
      'an adapter': [['const split =', `const old = (t: any): Tag => ({
  name: t.tag, full_size: t.size_mb * MB, last_updated: new Date(t.pushed_at * 1000).toISOString(),
  images: Object.entries<any>(t.manifests).map(([platform, m]) => ({ architecture: platform.split('/')[1], digest: m.digest ?? undefined, size: 0, status: m.state })),
});

const split =`], [READ, "const body: any = await answer.json();\n    const results: Tag[] = body.results ?? body.tags.map(old);\n    const next: string | null = body.results ? body.next : /<([^>]+)>; rel=\"next\"/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;"]],
      'in place': [[READ, `const { results = [], tags: list = [], next = null } = (await answer.json()) as any;
    for (const t of list) {
      const images = [];
      for (const platform in t.manifests) images.push({ architecture: platform.slice(6), digest: t.manifests[platform].digest, status: t.manifests[platform].state });
      for (const i of images) if (i.digest === null) delete i.digest;
      yield { name: t.tag, full_size: Math.round(t.size_mb * MB), last_updated: new Date(t.pushed_at * 1000).toJSON(), images } as Tag;
    }
    const [, linked = null] = (answer.headers.get('link') ?? '').match(/<(.*)>/) ?? [];`], ['    url = next;', '    url = next ?? linked;']],
      'at each place': [
        [READ, "const body: any = await answer.json();\n    const results: any[] = body.tags ?? body.results;\n    const link = answer.headers.get('link');\n    const next = link ? link.slice(1, link.indexOf('>')) : body.next ?? null;"],
        ['tag.name === wanted', '(tag.name ?? (tag as any).tag) === wanted'], [AT, "('pushed_at' in ours ? (ours as any).pushed_at * 1000 : Date.parse(ours.last_updated))"], ['Math.round(ours.full_size / MB)', 'Math.round((ours as any).size_mb ?? ours.full_size / MB)'],
        ["tag.images.find((i) => i.architecture === arch && i.status === 'active')?.digest", "((tag as any).manifests ? Object.entries<any>((tag as any).manifests).find(([p, m]) => p.endsWith('/' + arch) && m.state === 'active')?.[1] : tag.images.find((i) => i.architecture === arch && i.status === 'active'))?.digest"],
      ],
    },
    wrong: {
      'the first page': [['const split =', "const old = (t: any): Tag => ({ name: t.tag, full_size: t.size_mb * MB, last_updated: new Date(t.pushed_at * 1000).toISOString(), images: Object.entries<any>(t.manifests).map(([platform, m]) => ({ architecture: platform.split('/')[1], digest: m.digest ?? undefined, size: 0, status: m.state })) });\n\nconst split ="], [READ, 'const body: any = await answer.json();\n    const results: Tag[] = body.results ?? body.tags.map(old);\n    const next: string | null = body.next ?? null;']],
      'no digests': [['const split =', 'const old = (t: any): Tag => ({ name: t.tag, full_size: t.size_mb * MB, last_updated: new Date(t.pushed_at * 1000).toISOString(), images: [] });\n\nconst split ='], [READ, "const body: any = await answer.json();\n    const results: Tag[] = body.results ?? body.tags.map(old);\n    const next: string | null = body.results ? body.next : /<([^>]+)>; rel=\"next\"/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;"]],
      'no tags': [['for (const tag of results)', 'for (const tag of results ?? [])']],
      'of 1970': [['const split =', "const old = (t: any): Tag => ({ name: t.tag, full_size: t.size_mb * MB, last_updated: new Date(t.pushed_at).toISOString(), images: Object.entries<any>(t.manifests).map(([platform, m]) => ({ architecture: platform.split('/')[1], digest: m.digest ?? undefined, size: 0, status: m.state })) });\n\nconst split ="], [READ, "const body: any = await answer.json();\n    const results: Tag[] = body.results ?? body.tags.map(old);\n    const next: string | null = body.results ? body.next : /<([^>]+)>; rel=\"next\"/.exec(answer.headers.get('link') ?? '')?.[1] ?? null;"]],
    },
  }, {
    name: 'deployments',
    happened: 'deployments are items, by metadata and spec with several containers; the first is the service itself, the image has the name of the registry before it',
    tells: ['image', ['items', 'spec', 'containers']],
    api: { [DEPLOY]: (f) => ({ kind: 'List', items: f.deployments.map((d) => ({ metadata: { name: d.service, labels: d.arch ? { arch: d.arch } : {} }, spec: { containers: [{ name: 'main', image: `hub.example/${d.image}` }, { name: 'proxy', image: 'hub.example/nginx:stable' }] } })) }) },
    right: {
      'made old': [['const deployments: Deployment[] = await response.json();', "const body: any = await response.json();\n  const deployments: Deployment[] = Array.isArray(body) ? body : body.items.map(({ metadata, spec }: any) => ({ service: metadata.name, image: spec.containers[0].image.replace(/^hub\\.example\\//, ''), arch: metadata.labels.arch }));"]],
      'by the name of the container': [['const deployments: Deployment[] = await response.json();', `const list: any = await response.json();
  const deployments: Deployment[] = [];
  for (const one of list.items ?? list) {
    if (one.image) deployments.push(one);
    else deployments.push({ service: one.metadata.name, image: one.spec.containers.find((c: any) => c.name === 'main').image.split('/').slice(1).join('/'), ...one.metadata.labels });
  }`]],
      'a generator': [['export default', "function* services(body: any): Generator<Deployment> {\n  if (!body.items) return yield* body;\n  for (const { metadata: { name: service, labels: { arch } }, spec: { containers: [{ image }] } } of body.items) yield { service, image: image.substring('hub.example/'.length), arch };\n}\n\nexport default"], ['const deployments: Deployment[] = await response.json();', 'const deployments = [...services(await response.json())];']],
    },
    wrong: {
      'with the registry': [['const deployments: Deployment[] = await response.json();', 'const body: any = await response.json();\n  const deployments: Deployment[] = body.items?.map(({ metadata, spec }: any) => ({ service: metadata.name, image: spec.containers[0].image, arch: metadata.labels.arch })) ?? body;']],
      'the last container': [['const deployments: Deployment[] = await response.json();', "const body: any = await response.json();\n  const deployments: Deployment[] = body.items?.map(({ metadata, spec }: any) => ({ service: metadata.name, image: spec.containers.at(-1).image.replace('hub.example/', ''), arch: metadata.labels.arch })) ?? body;"]],
      'always amd64': [['const deployments: Deployment[] = await response.json();', "const body: any = await response.json();\n  const deployments: Deployment[] = body.items?.map(({ metadata, spec }: any) => ({ service: metadata.name, image: spec.containers[0].image.replace('hub.example/', '') })) ?? body;"]],
      'every container': [['const deployments: Deployment[] = await response.json();', "const body: any = await response.json();\n  const deployments: Deployment[] = body.items?.flatMap(({ metadata, spec }: any) => spec.containers.map((c: any) => ({ service: metadata.name, image: c.image.replace('hub.example/', ''), arch: metadata.labels.arch }))) ?? body;"]],
    },
  }],
};
