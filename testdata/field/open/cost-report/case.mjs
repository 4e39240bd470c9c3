const TEAMS = 'GET https://costs.example/v1/teams', REPORTS = 'GET https://costs.example/v1/reports';
const team = (t) => ({ slug: t.slug, name: t.name, archived: t.archived, ...(t.budget ? { budget: t.budget } : {}) });
const of = (x) => ({ service: x.service, cost: x.cents / 100, ...(x.credit ? { credits: x.credit / 100 } : {}), currency: 'EUR' });
const list = (f, q) => f.teams.find((t) => t.slug === q.query.team);
const failing = (make) => (f, q) => { const t = list(f, q); return t.down ? { $status: 403, $body: { error: 'no access' } } : make(t, q); };
const paged = (make) => failing((t, q) => { const p = Number(q.query.page), n = Number(q.query.pageSize); return { reports: t.costs.slice(p * n - n, p * n).map(make), page: { page: p, pages: Math.max(1, Math.ceil(t.costs.length / n)) }, scope_counts: {} }; });
const enveloped = (make) => failing((t, q) => { const from = Number(q.query.cursor ?? 0), to = from + 3; return { data: t.costs.slice(from, to).map(make), pagination: { limit: 3, has_more: to < t.costs.length, next_cursor: to < t.costs.length ? String(to) : null }, meta: { scope_counts: {} } }; });
const money = (x) => ({ service: { name: x.service, vendor: 'V' }, charges: [{ kind: 'usage', amount: (x.cents / 100).toFixed(2) }, ...(x.credit ? [{ kind: 'credit', amount: (-x.credit / 100).toFixed(2) }] : [])] });
const READ = `  const { reports, page: first } = await api(\`/reports?team=\${team}&month=\${month}&page=1&pageSize=3\`);
  const all = [...reports];`;
const BOTH = (of) => `  const body = await api(\`/reports?team=\${team}&month=\${month}&page=1&pageSize=3\`);
  if (body.data) {
    const found = [...body.data];
    for (let at = body.pagination.next_cursor; at; ) {
      const more = await api(\`/reports?team=\${team}&month=\${month}&limit=3&cursor=\${at}\`);
      found.push(...more.data);
      at = more.pagination.next_cursor;
    }
    return found${of};
  }
  const { reports, page: first } = body;
  const all = [...reports];`;
const FOR = '  for (const { service, cost, credits } of reports) {';
const TEAM = "const { teams } = await api('/teams');";
export default {
  source: 'https://help.nops.io/developers/versioning: all lists got an envelope of data and pagination with a cursor, page and pageSize are not used any more, and what was beside the list is in meta',
  says: 'Report what the teams have spent against their budgets.',
  facts: (day, r) => ({ month: `2026-0${1 + Math.floor(day / 8)}`, teams: ['web', 'data', 'büro', 'ops'].map((slug, i) => ({ slug: ['web', 'data', 'office', 'ops'][i], name: ['Web', 'Data & ML', 'Büro', '運用'][i], archived: i === 3 && day % 3 === 0, budget: r.pick([null, 900, 1500, 4000]), down: r.chance(0.1), costs: day === 5 ? [] : r.many(0, 7, () => ({ service: r.pick(['Compute', 'Storage', 'Netz', 'Logs']), cents: r.int(1, 60000), credit: r.chance(0.3) ? r.int(1, 5000) : null })) })) }),
  input: (f) => ({ month: f.month }),
  api: { [TEAMS]: (f) => ({ teams: f.teams.map(team) }), [REPORTS]: paged(of), 'PUT https://wiki.example/pages/costs': { ok: true } },
  changes: [{
    name: 'envelope',
    happened: 'reports are in data, with pagination by a cursor; teams are in data as well',
    tells: [['reports', 'data'], ['pagination', 'cursor', 'teams']],
    api: { [REPORTS]: enveloped(of), [TEAMS]: (f) => ({ data: f.teams.map(team), pagination: { limit: 50, has_more: false, next_cursor: null }, meta: {} }) },
    right: {
      'two kinds of pages': [[READ, BOTH('')], [TEAM, "const { data, teams = data } = await api('/teams');"]],
      'a generator': [['async function costsOf', `async function* listed(path) {
  let query = '&page=1&pageSize=3';
  for (let page = 1; query; page++) {
    const body = await api(path + query);
    yield* body.data ?? body.reports;
    query = body.pagination ? (body.pagination.has_more ? \`&limit=3&cursor=\${body.pagination.next_cursor}\` : '') : page < body.page.pages ? \`&page=\${page + 1}&pageSize=3\` : '';
  }
}

async function costsOf`], [READ + "\n  for (let page = 2; page <= first.pages; page++) all.push(...(await api(`/reports?team=${team}&month=${month}&page=${page}&pageSize=3`)).reports);", '  const all = [];\n  for await (const one of listed(`/reports?team=${team}&month=${month}`)) all.push(one);'], [TEAM, "const answer = await api('/teams');\n  const teams = answer.teams ?? answer.data;"]],
      'made old': [['  return res.json();', `  const body = await res.json();
  if (!body.data) return body;
  if (path === '/teams') return { teams: body.data };
  const { has_more, next_cursor } = body.pagination;
  const rest = has_more ? (await api(path.replace(/&(page=1|cursor=[^&]*)/, '') + \`&cursor=\${next_cursor}\`)).reports : [];
  return { reports: [...body.data, ...rest], page: { page: 1, pages: 1 } };`]],
    },
    wrong: {
      'the first page': [[READ, '  const { data, reports = data, page: first = { pages: 1 } } = await api(`/reports?team=${team}&month=${month}&page=1&pageSize=3`);\n  const all = [...reports];'], [TEAM, "const { data, teams = data } = await api('/teams');"]],
      'teams only': [[TEAM, "const { data, teams = data } = await api('/teams');"]],
      'no teams': [[TEAM, "const { teams = [] } = await api('/teams');"]],
      'no costs': [[READ, '  const { reports = [], page: first = { pages: 1 } } = await api(`/reports?team=${team}&month=${month}&page=1&pageSize=3`);\n  const all = [...reports];'], [TEAM, "const { data, teams = data } = await api('/teams');"]],
    },
  }, {
    name: 'charges',
    happened: 'service is an object with a name, cost and credits are charges by kind with amounts as texts, credits below zero',
    tells: ['cost', ['charges', 'amount']],
    api: { [REPORTS]: paged(money) },
    right: {
      'made old': [['  return all;', "  return all.map((r) => (r.charges ? { service: r.service.name, cost: Number(r.charges.find((c) => c.kind === 'usage').amount), credits: -Number(r.charges.find((c) => c.kind === 'credit')?.amount ?? 0) } : r));"]],
      'summed': [[FOR, '  for (const { service: given, cost, credits, charges } of reports) {\n    const service = given.name ?? given;'], ['const cents = Math.round(cost * 100)', 'const cents = charges ? charges.reduce((n, c) => n + Math.round(parseFloat(c.amount) * 100), 0) : Math.round(cost * 100)']],
      'by kind': [[FOR, "  for (const r of reports) {\n    const by = Object.fromEntries((r.charges ?? []).map((c) => [c.kind, +c.amount]));\n    const { service: named, cost = by.usage, credits = by.credit && -by.credit } = r;\n    const service = typeof named === 'string' ? named : named.name;"]],
    },
    wrong: {
      'without credits': [['  return all;', "  return all.map((r) => (r.charges ? { service: r.service.name, cost: Number(r.charges[0].amount) } : r));"]],
      'credits on top': [['  return all;', "  return all.map((r) => (r.charges ? { service: r.service.name, cost: Number(r.charges[0].amount), credits: Number(r.charges[1]?.amount ?? 0) } : r));"]],
      'the vendor': [['  return all;', "  return all.map((r) => (r.charges ? { service: r.service.vendor, cost: Number(r.charges[0].amount), credits: -Number(r.charges[1]?.amount ?? 0) } : r));"]],
      'zero': [['Math.round(cost * 100)', 'Math.round((cost ?? 0) * 100)']],
    },
  }, {
    name: 'v2',
    happened: 'envelope with cursors, charges by kind, budget of a team is in cents in budget.amount_minor, archived is a state',
    tells: ['budget', ['amount_minor', 'charges', 'data']],
    api: { [REPORTS]: enveloped(money), [TEAMS]: (f) => ({ data: f.teams.map((t) => ({ slug: t.slug, display_name: t.name, state: t.archived ? 'archived' : 'active', budget: t.budget && { amount_minor: t.budget * 100, currency: 'EUR' } })), pagination: { has_more: false, next_cursor: null } }) },
    right: {
      'adapters': [
        ['async function costsOf', `const oldTeam = (t) => ({ slug: t.slug, name: t.display_name, archived: t.state === 'archived', budget: t.budget && t.budget.amount_minor / 100 });
const oldReport = ({ service, charges }) => {
  const sum = (kind) => charges.filter((c) => c.kind === kind).reduce((n, c) => n + Number(c.amount), 0);
  return { service: service.name, cost: sum('usage'), credits: -sum('credit') };
};

async function costsOf`], [READ, BOTH('.map(oldReport)')], [TEAM, "const body = await api('/teams');\n  const teams = body.teams ?? body.data.map(oldTeam);"],
      ],
      'at each place': [
        [READ, BOTH('')], [FOR, '  for (const { service: given, cost, credits, charges } of reports) {\n    const service = given.name ?? given;'], ['const cents = Math.round(cost * 100)', 'const cents = charges ? charges.reduce((n, c) => n + Math.round(parseFloat(c.amount) * 100), 0) : Math.round(cost * 100)'],
        [TEAM, "const { data, teams = data } = await api('/teams');"], ["for (const { slug, name, budget } of teams.filter((t) => !t.archived))", "for (const { slug, display_name, name = display_name, budget: limit } of teams.filter((t) => !t.archived && t.state !== 'archived'))"], ['    try {\n', '    const budget = limit?.amount_minor ? limit.amount_minor / 100 : limit;\n    try {\n'],
      ],
      'made old in api': [['  return res.json();', `  const body = await res.json();
  if (!body.data) return body;
  if (path === '/teams') return { teams: body.data.map(({ budget, ...t }) => ({ ...t, name: t.display_name, archived: t.state === 'archived', ...(budget && { budget: budget.amount_minor / 100 }) })) };
  const reports = body.data.map((r) => ({ service: r.service.name, cost: +r.charges[0].amount, ...(r.charges[1] && { credits: Math.abs(r.charges[1].amount) }) }));
  for (let cursor = body.pagination.next_cursor; cursor !== null && !path.includes('cursor'); ) {
    const more = await api(path.replace('page=1', \`cursor=\${cursor}\`));
    reports.push(...more.reports);
    cursor = more.next;
  }
  return { reports, next: body.pagination.next_cursor, page: { page: 1, pages: 1 } };`]],
    },
    wrong: {
      'cents as euros': [['async function costsOf', "const oldTeam = (t) => ({ slug: t.slug, name: t.display_name, archived: t.state === 'archived', budget: t.budget && t.budget.amount_minor });\n\nasync function costsOf"], [READ, BOTH('.map((r) => ({ service: r.service.name, cost: +r.charges[0].amount, credits: -(r.charges[1]?.amount ?? 0) }))')], [TEAM, "const body = await api('/teams');\n  const teams = body.teams ?? body.data.map(oldTeam);"]],
      'archived ones too': [['async function costsOf', "const oldTeam = (t) => ({ slug: t.slug, name: t.display_name, archived: false, budget: t.budget && t.budget.amount_minor / 100 });\n\nasync function costsOf"], [READ, BOTH('.map((r) => ({ service: r.service.name, cost: +r.charges[0].amount, credits: -(r.charges[1]?.amount ?? 0) }))')], [TEAM, "const body = await api('/teams');\n  const teams = body.teams ?? body.data.map(oldTeam);"]],
      'no budgets': [['async function costsOf', "const oldTeam = (t) => ({ slug: t.slug, name: t.display_name, archived: t.state === 'archived' });\n\nasync function costsOf"], [READ, BOTH('.map((r) => ({ service: r.service.name, cost: +r.charges[0].amount, credits: -(r.charges[1]?.amount ?? 0) }))')], [TEAM, "const body = await api('/teams');\n  const teams = body.teams ?? body.data.map(oldTeam);"]],
      'not read': [[TEAM, "const body = await api('/teams');\n  const teams = body.teams ?? body.data.map((t) => ({ ...t, name: t.display_name, archived: t.state === 'archived', budget: t.budget && t.budget.amount_minor / 100 }));"]],
    },
  }],
};
