const route = 'GET https://tracker.example/rest/api/2/search';
const issue = (i) => ({ id: String(10000 + i.no), key: 'SHOP-' + i.no, fields: { summary: i.what, priority: { name: i.priority }, assignee: i.who ? { displayName: i.who, accountId: 'a' + i.who.length } : null, duedate: i.due, labels: i.labels } });
export default {
  source: 'https://developer.atlassian.com/changelog (search by token instead of startAt, GDPR changes of users): no total, nextPageToken, isLast; names of people moved',
  says: 'Mail everybody their open issues, the most urgent first',
  facts: (day, r) => ({
    slot: `2026-07-${String(day + 1).padStart(2, '0')}T06:00:00Z`,
    issues: r.many(day === 5 ? 0 : 1, 8, (i) => ({ no: 20 * day + i + 1, what: r.pick(['Fix cart', 'Überweisung', '検索', 'Write “help”']), priority: r.pick(['Highest', 'High', 'Medium', 'Low', 'Someday']), who: r.pick(['Ada', 'Bö', null]), due: r.chance(0.4) ? null : `2026-07-${r.int(10, 28)}`, labels: r.some(['blocked', 'ui']) })),
  }),
  input: (f) => ({ slot: f.slot }),
  api: {
    [route]: (f, q) => { const at = Number(q.query.startAt || 0); return { startAt: at, maxResults: 3, total: f.issues.length, issues: f.issues.slice(at, at + 3).map(issue) }; },
    'POST https://mail.example/send': (f, q) => ({ queued: q.id }),
  },
  changes: [{
    name: 'no-total',
    happened: 'there is no total any more; isLast says whether a page is the last one',
    tells: ['total'],
    api: { [route]: (f, q) => { const at = Number(q.query.startAt || 0); return { startAt: at, isLast: at + 3 >= f.issues.length, issues: f.issues.slice(at, at + 3).map(issue) }; } },
    right: {
      'until the last': [['total = page.total', 'total = page.total ?? ((page as any).isLast ? 0 : Infinity)']],
      'in the loop': [['if (page.issues.length === 0) break', 'if (page.issues.length === 0 || (page as any).isLast === true) break'], ['total = page.total', 'total = page.total ?? Infinity']],
      'counted': [['total = page.total', 'total = page.total !== undefined ? page.total : startAt + page.issues.length + ((page as any).isLast ? 0 : 1)']],
    },
    wrong: {
      'the first page': [['total = page.total', 'total = page.total ?? page.issues.length']],
      'zero': [['total = page.total', 'total = page.total ?? 0']],
      'at most two': [['total = page.total', 'total = page.total ?? 6']],
    },
  }, {
    name: 'v3',
    happened: 'issues became values, total is gone, isLast and people: assignee is {name: {full}}, priority is a text, labels are objects',
    tells: [['issues', 'values'], ['assignee', 'priority', 'labels', 'values', 'issues']],
    api: { [route]: (f, q) => { const at = Number(q.query.startAt || 0); return { isLast: at + 3 >= f.issues.length, values: f.issues.slice(at, at + 3).map((i) => { const o = issue(i); return { ...o, fields: { ...o.fields, priority: i.priority, assignee: i.who ? { name: { full: i.who } } : null, labels: i.labels.map((l) => ({ name: l })) } }; }) }; } },
    right: {
      'made old': [['all.push(...page.issues)', 'const raw: any = page\n    if (raw.values) {\n      page.issues = raw.values.map((v: any) => ({ key: v.key, fields: { ...v.fields, priority: { name: v.fields.priority }, assignee: v.fields.assignee && { displayName: v.fields.assignee.name.full }, labels: v.fields.labels.map((l: any) => l.name) } }))\n      page.total = raw.isLast ? 0 : Infinity\n    }\n    all.push(...page.issues)']],
      'each place': [['all.push(...page.issues)', 'const list: T[] = page.issues ?? (page as any).values\n    all.push(...list)'], ['total = page.total', 'total = page.total ?? ((page as any).isLast ? 0 : Infinity)'], ['startAt += page.issues.length', 'startAt += list.length'], ['if (page.issues.length === 0)', 'if (list.length === 0)'], ['rank[issue.fields.priority.name]', 'rank[issue.fields.priority.name ?? (issue.fields.priority as any)]'], ['issue.fields.assignee?.displayName ??', 'issue.fields.assignee?.displayName ?? (issue.fields.assignee as any)?.name?.full ??'], ["i.fields.labels.includes('blocked')", "i.fields.labels.some((l: any) => (l.name ?? l) === 'blocked')"]],
      "a function": [['async function search', "const plain = (v: any): any => ({ key: v.key, fields: Object.assign({}, v.fields, { priority: { name: v.fields.priority }, labels: v.fields.labels.map(({ name }: any) => name), assignee: v.fields.assignee ? { displayName: v.fields.assignee.name.full } : null }) })\n\nasync function search"], ['const page: { issues: T[]; total: number } = await res.json()', "const body = await res.json()\n    const page: { issues: T[]; total: number } = 'values' in body ? { issues: body.values.map(plain), total: body.isLast ? startAt : Infinity } : body"]],
    },
    wrong: {
      'nobody has any': [['all.push(...page.issues)', 'const list: T[] = page.issues ?? (page as any).values\n    all.push(...list)'], ['total = page.total', 'total = page.total ?? ((page as any).isLast ? 0 : Infinity)'], ['startAt += page.issues.length', 'startAt += list.length'], ['if (page.issues.length === 0)', 'if (list.length === 0)']],
      'labels forgotten': [['all.push(...page.issues)', 'const list: T[] = page.issues ?? (page as any).values\n    all.push(...list)'], ['total = page.total', 'total = page.total ?? ((page as any).isLast ? 0 : Infinity)'], ['startAt += page.issues.length', 'startAt += list.length'], ['if (page.issues.length === 0)', 'if (list.length === 0)'], ['rank[issue.fields.priority.name]', 'rank[issue.fields.priority.name ?? (issue.fields.priority as any)]'], ['issue.fields.assignee?.displayName ??', 'issue.fields.assignee?.displayName ?? (issue.fields.assignee as any)?.name?.full ??']],
      'empty for missing': [['all.push(...page.issues)', 'page.issues = page.issues ?? []\n    all.push(...page.issues)'], ['total = page.total', 'total = page.total ?? 0']],
    },
  }, {
    name: 'due-dates',
    happened: 'duedate is {date, time} or null, and summary became title',
    tells: [['summary', 'title'], ['duedate', 'summary', 'title']],
    api: { [route]: (f, q) => { const at = Number(q.query.startAt || 0); return { startAt: at, total: f.issues.length, issues: f.issues.slice(at, at + 3).map((i) => { const { summary, ...fields } = issue(i).fields; return { ...issue(i), fields: { ...fields, title: summary, duedate: i.due ? { date: i.due, time: null } : null } }; }) }; } },
    right: {
      'in place': [['DateTime.fromISO(issue.fields.duedate,', 'DateTime.fromISO((issue.fields.duedate as any).date ?? issue.fields.duedate,'], ['${i.fields.summary}', '${i.fields.summary ?? (i.fields as any).title}']],
      'made old': [['all.push(...page.issues)', "for (const i of page.issues as any[]) {\n      if (i.fields.title !== undefined) i.fields.summary = i.fields.title\n      if (i.fields.duedate && typeof i.fields.duedate !== 'string') i.fields.duedate = i.fields.duedate.date\n    }\n    all.push(...page.issues)"]],
      "helpers": [['function urgency', "const day = (d: any): string | null => (d && typeof d === 'object' ? d.date : d)\nconst heading = (f: any): string => ('title' in f ? f.title : f.summary)\n\nfunction urgency"], ['issue.fields.duedate ? DateTime.fromISO(issue.fields.duedate,', 'day(issue.fields.duedate) ? DateTime.fromISO(day(issue.fields.duedate)!,'], ['${i.fields.summary}', '${heading(i.fields)}']],
    },
    wrong: {
      'undefined lines': [['DateTime.fromISO(issue.fields.duedate,', 'DateTime.fromISO((issue.fields.duedate as any).date ?? issue.fields.duedate,'], ['${i.fields.summary}', "${i.fields.summary ?? ''}"]],
      'no dates': [['issue.fields.duedate ? DateTime', "typeof issue.fields.duedate === 'string' ? DateTime"], ['${i.fields.summary}', '${i.fields.summary ?? (i.fields as any).title}']],
      'the key again': [['DateTime.fromISO(issue.fields.duedate,', 'DateTime.fromISO((issue.fields.duedate as any).date ?? issue.fields.duedate,'], ['${i.fields.summary}', '${i.fields.summary ?? i.key}']],
    },
  }],
};
