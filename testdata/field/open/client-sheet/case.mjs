const ME = 'GET https://track.example/api/me', ENTRIES = 'GET https://track.example/api/time_entries';
const me = (f) => ({ since: 1772000000, data: { id: 77, fullname: 'Ada Ample', timezone: 'America/New_York', ...(f.clients.length ? { clients: f.clients.map((c) => ({ ...c, wid: 5 })) } : {}), projects: f.projects.map((p) => ({ id: p.id, wid: 5, ...(p.client ? { cid: p.client } : {}), name: p.name, billable: p.billable, ...(p.rate ? { rate: p.rate } : {}) })) } });
const me9 = (f) => ({ id: 77, fullname: 'Ada Ample', timezone: 'America/New_York', default_workspace_id: 5, clients: f.clients.length ? f.clients.map((c) => ({ ...c, wid: 5 })) : null, projects: f.projects.map((p) => ({ id: p.id, workspace_id: 5, client_id: p.client, name: p.name, billable: p.billable, rate: p.rate })) });
const entry = (e) => ({ id: e.id, wid: 5, ...(e.project ? { pid: e.project } : {}), start: e.start, duration: e.seconds, ...(e.tags.length ? { tags: e.tags } : {}) });
const entry9 = (e) => ({ id: e.id, workspace_id: 5, project_id: e.project, task_id: null, user_id: 77, start: e.start, duration: e.seconds, tags: e.tags.length ? e.tags : null });
const MEND = "  const [{ data: me }, entries] = await";
const SHEET = '  const sheet =';
const ADD = 'add({ pid, duration, start, tags = [] }: Entry) {';
export default {
  source: 'https://github.com/hatappi/gomodoro/issues/227 and https://github.com/evrone/toggl-python/issues/4: version 9 has the account without data around it, project_id and client_id for pid and cid, and null where members were left out',
  says: 'Hand the hours of each client to the books.',
  zone: 'America/New_York',
  facts: (day, r) => {
    const clients = r.some([{ id: 1, name: 'Acme' }, { id: 2, name: 'Birke & Co' }]);
    const projects = ['Website', 'Shop', 'Büro'].map((name, i) => ({ id: 11 + i, name, client: i < 2 ? r.pick([1, 2]) : null, billable: i < 2, rate: r.pick([null, 9000, 12050]) }));
    const from = `2026-03-${String(day % 28 + 1).padStart(2, '0')}`;
    return { from, to: from, clients, projects, entries: day === 9 ? [] : r.many(1, 6, (i) => ({ id: day * 10 + i, project: r.pick([11, 12, 13, null, 99]), start: `${from}T0${r.int(0, 9)}:${r.int(10, 59)}:00+00:00`, seconds: r.chance(0.1) ? -1772000000 : r.int(60, 20000), tags: r.chance(0.25) ? ['free'] : [] })) };
  },
  input: (f) => ({ from: f.from, to: f.to }),
  api: { [ME]: me, [ENTRIES]: (f) => f.entries.map(entry), 'POST https://books.example/timesheets': (f, q) => ({ id: q.id }) },
  changes: [{
    name: 'entries',
    happened: 'entries say project_id, which is null for none, and tags may be null',
    tells: ['pid', 'project_id'],
    api: { [ENTRIES]: (f) => f.entries.map(entry9) },
    right: {
      'in the parameter': [[ADD, 'add({ project_id, pid = project_id ?? undefined, duration, start, tags: given }: any) {\n    const tags: string[] = given ?? [];']],
      'when added': [['sheet.add(e)', "sheet.add('project_id' in e ? { ...(e as any), pid: (e as any).project_id ?? undefined, tags: e.tags ?? undefined } : e)"]],
      'normalised first': [[SHEET, '  for (const e of entries as any[]) {\n    if (e.project_id) e.pid = e.project_id;\n    e.tags ||= [];\n  }\n' + SHEET]],
    },
    wrong: {
      'the workspace': [[ADD, 'add({ workspace_id, pid = workspace_id, duration, start, tags: given }: any) {\n    const tags: string[] = given ?? [];']],
      'only tags': [[ADD, 'add({ pid, duration, start, tags: given }: Entry) {\n    const tags = given ?? [];']],
      'no tags': [[ADD, 'add({ project_id, pid = project_id ?? undefined, duration, start }: any) {\n    const tags: string[] = [];']],
      'skips': [['    if (duration < 0)', '    if (!pid) return;\n    if (duration < 0)']],
    },
  }, {
    name: 'v9',
    happened: 'the account is not in data, clients may be null, client_id is cid, project_id is pid, what is not set is null',
    tells: ['data', ['project_id', 'client_id']],
    api: { [ME]: me9, [ENTRIES]: (f) => f.entries.map(entry9) },
    right: {
      'normalised first': [[MEND, '  const [account, entries] = await'], [SHEET, `  const me = ((account as any).data ?? account) as Me['data'];
  for (const p of me.projects as any[]) p.cid ??= p.client_id ?? undefined;
  for (const e of entries as any[]) {
    e.pid ??= e.project_id ?? undefined;
    e.tags ??= undefined;
  }
${SHEET}`]],
      'at each place': [
        [MEND, '  const [{ data, ...rest }, entries]: any[] = await'], [SHEET, '  const me = data ?? rest;\n' + SHEET], ['me.projects.map((p)', 'me.projects.map((p: any)'], ['.map((c) => [c.id', '.map((c: any) => [c.id'], ['entries.forEach((e)', 'entries.forEach((e: any)'],
        ['(project.cid && this.clients.get(project.cid))', '((project.cid ?? (project as any).client_id) && this.clients.get(project.cid ?? (project as any).client_id))'],
        [ADD, 'add({ pid, project_id = null, duration, start, tags }: any) {'], ["pid === undefined ? undefined : this.projects.get(pid)", 'this.projects.get(pid ?? project_id)'], ["!tags.includes('free')", "!tags?.includes('free')"],
      ],
      'converted by the version': [[MEND, '  const [raw, list]: any[] = await'], [SHEET, `  const old = 'data' in raw;
  const me: Me['data'] = old ? raw.data : { ...raw, clients: raw.clients ?? [], projects: raw.projects.map(({ client_id, rate, ...p }: any) => ({ ...p, ...(client_id && { cid: client_id }), ...(rate && { rate }) })) };
  const entries: Entry[] = old && list.every((e: any) => !('project_id' in e)) ? list : list.map(({ project_id, pid = project_id, tags, ...e }: any) => ({ ...e, ...(pid && { pid }), ...(tags && { tags }) }));
${SHEET}`]],
    },
    wrong: {
      'all internal': [[MEND, '  const [{ data, ...rest }, entries]: any[] = await'], [SHEET, '  const me = data ?? rest;\n' + SHEET], [ADD, 'add({ pid, project_id = null, duration, start, tags }: any) {'], ["pid === undefined ? undefined : this.projects.get(pid)", 'this.projects.get(pid ?? project_id)'], ["!tags.includes('free')", "!tags?.includes('free')"]],
      'no projects': [[MEND, '  const [{ data, ...rest }, entries]: any[] = await'], [SHEET, '  const me = data ?? rest;\n  for (const p of me.projects) p.cid ??= p.client_id;\n' + SHEET], ["!tags.includes('free')", "!tags?.includes('free')"]],
      'nothing': [[MEND, "  const [{ data: me = { fullname: '', timezone: 'UTC', projects: [], clients: [] } }, entries] = await"], ["!tags.includes('free')", "!tags?.includes('free')"]],
      'by the workspace': [[MEND, '  const [{ data, ...rest }, entries]: any[] = await'], [SHEET, '  const me = data ?? rest;\n  for (const p of me.projects) p.cid ??= p.workspace_id;\n  for (const e of entries) { e.pid ??= e.project_id ?? undefined; e.tags ??= undefined; }\n' + SHEET]],
    },
  }, {
    name: 'rates',
    happened: 'rate is in euros with decimals as a text, start is a Unix time, duration is in minutes in a member minutes',
    tells: ['rate', ['duration', 'minutes']],
    api: {
      [ME]: (f) => { const a = me(f); for (const p of a.data.projects) if (p.rate) p.rate = (p.rate / 100).toFixed(2); return a; },
      [ENTRIES]: (f) => f.entries.map((e) => { const { duration, start, ...rest } = entry(e); return { ...rest, started_at: Date.parse(start) / 1000, minutes: duration < 0 ? null : duration / 60 }; }),
    },
    right: {
      'normalised first': [[SHEET, `  for (const p of me.projects as any[]) if (typeof p.rate === 'string') p.rate = Math.round(parseFloat(p.rate) * 100);
  for (const e of entries as any[]) {
    if (e.duration !== undefined) continue;
    e.duration = e.minutes === null ? -1 : e.minutes * 60;
    e.start = new Date(e.started_at * 1000).toISOString();
  }
${SHEET}`]],
      'in the class': [
        [ADD, 'add({ minutes, started_at, pid, duration = minutes === null ? -1 : minutes * 60, start = started_at * 1000, tags = [] }: any) {'],
        ['(project.rate ?? 8000)', "(typeof project.rate === 'string' ? Number(project.rate) * 100 : project.rate ?? 8000)"],
      ],
      'helpers': [
        ['const quarters =', "const cents = (rate: any): number => (rate === undefined ? 8000 : String(rate).includes('.') ? Math.round(+rate * 100) : rate);\nconst seconds = (e: any): number => ('duration' in e ? e.duration : e.minutes === null ? -Infinity : Math.round(e.minutes * 60));\nconst begun = (e: any): string => e.start ?? new Date(e.started_at * 1000).toJSON();\nconst quarters ="],
        ['sheet.add(e)', 'sheet.add({ ...e, duration: seconds(e), start: begun(e) })'], ['(project.rate ?? 8000)', 'cents(project.rate)'],
      ],
    },
    wrong: {
      'rates as they are': [[ADD, 'add({ minutes, started_at, pid, duration = minutes === null ? -1 : minutes * 60, start = started_at * 1000, tags = [] }: any) {']],
      'minutes as seconds': [[ADD, 'add({ minutes, started_at, pid, duration = minutes ?? -1, start = started_at * 1000, tags = [] }: any) {'], ['(project.rate ?? 8000)', "(typeof project.rate === 'string' ? Number(project.rate) * 100 : project.rate ?? 8000)"]],
      'the day of 1970': [[ADD, 'add({ minutes, started_at, pid, duration = minutes === null ? -1 : minutes * 60, start = started_at, tags = [] }: any) {'], ['(project.rate ?? 8000)', "(typeof project.rate === 'string' ? Number(project.rate) * 100 : project.rate ?? 8000)"]],
      'running ones count': [[ADD, 'add({ minutes, started_at, pid, duration = (minutes ?? 0) * 60, start = started_at * 1000, tags = [] }: any) {'], ['(project.rate ?? 8000)', "(typeof project.rate === 'string' ? Number(project.rate) * 100 : project.rate ?? 8000)"]],
    },
  }],
};
