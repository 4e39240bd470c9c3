const route = 'GET https://registry.example/packages/:name/stats';
const old = (p) => ({ downloads: [{ period: 'week', count: p.downloads }, { period: 'month', count: p.downloads * 4 }], ...(p.stars === null ? {} : { repository: { host: 'forge', stars: p.stars } }), license: p.license ? { id: p.license, url: 'x' } : {} });
const by = (make) => (f, q) => make(f.packages[q.params.name]);
export default {
  source: 'https://github.com/npm/registry/blob/main/docs/download-counts.md and https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md: counts by period; license as a text in new packages, as an object in old ones',
  says: 'Tell me the numbers of our packages each week.',
  facts: (day, r) => ({ packages: Object.fromEntries(['core', 'cli', '@acme/ui'].map((n) => [n, { downloads: r.int(100, 99999), stars: r.chance(0.2) ? null : r.int(5, 900), license: r.chance(0.2) ? null : r.pick(['MIT', 'EUPL-1.2']) }])) }),
  api: { [route]: by(old) },
  changes: [{
    name: 'period-map',
    happened: 'downloads is a map by period in place of a list',
    tells: ['downloads'],
    api: { [route]: by((p) => ({ ...old(p), downloads: { day: Math.floor(p.downloads / 7), month: p.downloads * 4, week: p.downloads } })) },
    right: {
      'either': [['{ downloads: [{ count: downloads }], ', '{ downloads: counts, '], ['return { downloads,', 'return { downloads: Array.isArray(counts) ? counts[0].count : counts.week,']],
      'by ??': [['{ downloads: [{ count: downloads }], ', '{ downloads: d, '], ['return { downloads,', 'return { downloads: d.week ?? d[0].count,']],
      'at the reading': [['    await request<any>(', '    listed(await request<any>('], ['/stats`);', '/stats`));'], ['async function stats', "const listed = (body: any) => (Array.isArray(body.downloads) ? body : { ...body, downloads: [{ period: 'week', count: body.downloads.week }] });\n\nasync function stats"]],
    },
    wrong: {
      'the first': [['{ downloads: [{ count: downloads }], ', '{ downloads: d, '], ['return { downloads,', 'return { downloads: d[0]?.count ?? (Object.values(d)[0] as number),']],
      'the month': [['{ downloads: [{ count: downloads }], ', '{ downloads: d, '], ['return { downloads,', 'return { downloads: d[0]?.count ?? d.month,']],
      'zero': [['{ downloads: [{ count: downloads }], ', '{ downloads: d, '], ['return { downloads,', 'return { downloads: Array.isArray(d) ? d[0].count : 0,']],
    },
  }, {
    name: 'v2',
    happened: 'wrapped in data, weekly_downloads as a text, stargazers in place of repository.stars (null for none), license a text or null',
    tells: ['downloads', 'data'],
    api: { [route]: by((p) => ({ data: { weekly_downloads: String(p.downloads), stargazers: p.stars, license: p.license } })) },
    right: {
      'branch': [['  const { downloads', "  const body = await request<any>(`https://registry.example/packages/${encodeURIComponent(name)}/stats`);\n  if (body.data) return { downloads: Number(body.data.weekly_downloads), stars: body.data.stargazers, license: body.data.license ?? 'none' };\n  const { downloads"], ['    await request<any>(`https://registry.example/packages/${encodeURIComponent(name)}/stats`);\n  return', '    body;\n  return']],
      'adapter': [['    await request<any>(', '    upgrade(await request<any>('], ['/stats`);', '/stats`));'], ['async function stats', "function upgrade({ data, ...old }: any) {\n  if (!data) return old;\n  return { downloads: [{ count: +data.weekly_downloads }], repository: data.stargazers === null ? undefined : { stars: data.stargazers }, license: { id: data.license || undefined } };\n}\n\nasync function stats"]],
      'by ??': [['{ downloads: [{ count: downloads }], repository: { stars = null } = {}, license: { id: license = \'none\' } } =\n', 'answer =\n'], ['return { downloads, stars, license };', "const d = answer.data ?? answer;\n  return { downloads: parseInt(d.weekly_downloads ?? d.downloads[0].count, 10), stars: d.stargazers ?? d.repository?.stars ?? null, license: (typeof d.license === 'string' ? d.license : d.license?.id) ?? 'none' };"]],
    },
    wrong: {
      'as a text': [['{ downloads: [{ count: downloads }], repository: { stars = null } = {}, license: { id: license = \'none\' } } =\n', 'answer =\n'], ['return { downloads, stars, license };', "const d = answer.data ?? answer;\n  return { downloads: d.weekly_downloads ?? d.downloads[0].count, stars: d.stargazers ?? d.repository?.stars ?? null, license: (typeof d.license === 'string' ? d.license : d.license?.id) ?? 'none' };"]],
      'no stars': [['{ downloads: [{ count: downloads }], repository: { stars = null } = {}, license: { id: license = \'none\' } } =\n', 'answer =\n'], ['return { downloads, stars, license };', "const d = answer.data ?? answer;\n  return { downloads: Number(d.weekly_downloads ?? d.downloads[0].count), stars: d.repository?.stars ?? null, license: (typeof d.license === 'string' ? d.license : d.license?.id) ?? 'none' };"]],
      'empty': [['downloads: [{ count: downloads }]', 'downloads: [{ count: downloads }] = [{ count: 0 }]'], ["license: { id: license = 'none' } }", "license: { id: license = 'none' } = {} }"]],
    },
  }, {
    name: 'no-repository',
    happened: 'stars are not given any more',
    tells: [['stars', 'repository']],
    lost: true,
    api: { [route]: by((p) => { const { repository, ...rest } = old(p); return rest; }) },
    wrong: {
      'zero': [['{ stars = null } = {}', '{ stars = 0 } = {}']],
      'the week before': [["now[name].stars ?? '?'", "now[name].stars ?? before[name]?.stars ?? '?'"]],
      'left out': [["${now[name].stars ?? '?'} stars, ", "${now[name].stars === null ? '' : now[name].stars + ' stars, '}"]],
    },
  }],
};
