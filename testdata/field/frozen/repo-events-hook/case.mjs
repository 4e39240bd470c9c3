const person = (n) => ({ name: n, username: n.toLowerCase().replace(/\W/g, ''), email: null });
const old = (f) => {
  const project = { id: 7, path_with_namespace: f.path };
  switch (f.kind) {
    case 'push': return { object_kind: 'push', user_username: person(f.who).username, ref: 'refs/heads/' + f.branch, commits: f.titles.map((title, i) => ({ id: f.sha + i, title })), project };
    case 'issue': return { object_kind: 'issue', user: person(f.who), object_attributes: { iid: f.no, title: f.titles[0] ?? 'Untitled', action: f.action, url: `https://git.example/${f.path}/-/issues/${f.no}` }, project, ...(f.to.length ? { assignees: f.to.map(person) } : {}) };
    default: return { object_kind: 'pipeline', user: person(f.who), object_attributes: { id: f.no, status: f.status, duration: f.seconds, ref: f.branch }, project };
  }
};
// The input of a webhook is the event itself, so that a change of the API is a change of the input.
export default {
  source: 'https://docs.gitlab.com/user/project/integrations/webhook_events and its list of breaking changes: users as objects, iid and id, the project as a path',
  says: 'Tell the room of a project what happens in its repository',
  facts: (day, r) => ({
    kind: day < 3 ? ['push', 'issue', 'pipeline'][day] : r.pick(['push', 'issue', 'pipeline']), path: r.pick(['web/shop', 'web/docs', 'ops/tools', 'lab/ß']),
    who: r.pick(['Ada', 'Bö', 'Zoë Q']), branch: r.pick(['main', 'feature/x']), titles: r.many(day === 8 ? 0 : 1, 4, (i) => r.pick(['Fix login', 'Add “quotes”', '修正']) + ' ' + i), sha: r.hex(8), no: r.int(1, 900),
    action: r.pick(['open', 'close', 'reopen']), to: r.some(['Ada', 'Bö']), status: r.pick(['failed', 'success', 'running']), seconds: r.chance(0.2) ? null : r.int(20, 4000),
  }),
  input: old,
  api: { 'POST https://chat.example/api/rooms/:room/messages': (f, q) => ({ id: q.id }) },
  changes: [{
    name: 'people-and-project',
    happened: 'user_username became user.username, project.path_with_namespace became project.full_path, assignees is always there and may be null',
    tells: [['path_with_namespace', 'full_path']],
    input: (f) => { const o = old(f); const { user_username, ...e } = o; return { ...e, ...(user_username ? { user: person(f.who) } : {}), ...(o.object_kind === 'issue' ? { assignees: o.assignees ?? null } : {}), project: { id: 7, full_path: f.path } }; },
    right: {
      'in place': [['event.user_username', '(event.user_username ?? (event as any).user.username)'], ['event.project.path_with_namespace', '(event.project.path_with_namespace ?? (event.project as any).full_path)']],
      'made old': [['const text = line(event)', "const raw = event as any\n  if (raw.project.full_path) raw.project.path_with_namespace = raw.project.full_path\n  if (raw.object_kind === 'push' && raw.user) raw.user_username = raw.user.username\n  const text = line(event)"]],
      'a helper': [['const short =', "const pathOf = (p: any): string => p.path_with_namespace || p.full_path\nconst whoOf = (e: any): string => (e.user ? e.user.username : e.user_username)\nconst short ="], ['${event.user_username} pushed', '${whoOf(event)} pushed'], ["event.project.path_with_namespace.split", 'pathOf(event.project).split']],
    },
    wrong: {
      'a room for all': [['event.user_username', '(event.user_username ?? (event as any).user.username)'], ["event.project.path_with_namespace.split('/')[0]", "(event.project.path_with_namespace ?? 'general').split('/')[0]"]],
      'the path only': [['event.project.path_with_namespace', '(event.project.path_with_namespace ?? (event.project as any).full_path)']],
      'the name': [['event.user_username', '(event.user_username ?? (event as any).user.name)'], ['event.project.path_with_namespace', '(event.project.path_with_namespace ?? (event.project as any).full_path)']],
    },
  }, {
    name: 'attributes-unwrapped',
    happened: 'object_attributes became issue or pipeline, iid became number as a text, object_kind became event with the same words',
    tells: [['object_attributes', 'object_kind', 'event']],
    input: (f) => { const { object_kind, object_attributes: a, ...rest } = old(f); return { event: object_kind, ...rest, ...(object_kind === 'issue' ? { issue: { number: String(a.iid), title: a.title, action: a.action, url: a.url } } : {}), ...(object_kind === 'pipeline' ? { pipeline: a } : {}) }; },
    right: {
      'made old': [['const text = line(event)', "const raw = event as any\n  if (raw.event) {\n    raw.object_kind = raw.event\n    raw.object_attributes = raw.issue ? { ...raw.issue, iid: Number(raw.issue.number) } : raw.pipeline\n  }\n  const text = line(event)"]],
      'in line': [['switch (event.object_kind) {', 'const e = event as any\n  switch (event.object_kind ?? e.event) {'], ['const { iid, title, action, url } = event.object_attributes', 'const { iid = e.issue?.number, title, action, url } = event.object_attributes ?? e.issue'], ['const { status, duration, ref } = event.object_attributes', 'const { status, duration, ref } = event.object_attributes ?? e.pipeline']],
      'a reader before': [['export const main', "function read(e: any): Hook {\n  if ('object_kind' in e) return e\n  const { event, issue, pipeline, ...rest } = e\n  const object_attributes = event === 'issue' ? { iid: +issue.number, title: issue.title, action: issue.action, url: issue.url } : pipeline\n  return { ...rest, object_kind: event, object_attributes }\n}\n\nexport const main"], ['const text = line(event)', 'const text = line(read(event))']],
    },
    wrong: {
      'silence': [['if (text === null)', 'if (text == null)']],
      'issues only': [['switch (event.object_kind) {', 'const e = event as any\n  switch (event.object_kind ?? e.event) {'], ['const { iid, title, action, url } = event.object_attributes', 'const { iid = e.issue?.number, title, action, url } = event.object_attributes ?? e.issue'], ['const { status, duration, ref } = event.object_attributes', 'const { status, duration, ref } = event.object_attributes ?? ({} as any)']],
      'no number': [['switch (event.object_kind) {', 'const e = event as any\n  switch (event.object_kind ?? e.event) {'], ['const { iid, title, action, url } = event.object_attributes', 'const { iid = 0, title, action, url } = event.object_attributes ?? e.issue'], ['const { status, duration, ref } = event.object_attributes', 'const { status, duration, ref } = event.object_attributes ?? e.pipeline']],
    },
  }, {
    name: 'durations-in-ms',
    happened: 'duration is in milliseconds, commits is null when there are none, and branches come without refs/heads/',
    tells: [['duration', 'commits']],
    input: (f) => { const e = old(f); if (e.object_kind === 'push') { e.ref = f.branch; if (!e.commits.length) e.commits = null; } if (e.object_kind === 'pipeline' && e.object_attributes.duration !== null) { e.object_attributes.duration *= 1000; } return e; },
    right: {
      'by size': [['if (!event.commits.length)', 'if (!event.commits?.length)'], ['(duration ?? 0) / 60', '((duration ?? 0) > 10000 ? duration! / 1000 : duration ?? 0) / 60']],
      'by its form': [['if (!event.commits.length)', 'if (event.commits === null || event.commits.length === 0)'], ['const { status, duration, ref } = event.object_attributes', 'let { status, duration, ref } = event.object_attributes\n      if (duration !== null && duration >= 20000) duration = duration / 1000']],
      "made old": [['const text = line(event)', "const e = event as any\n  if (e.object_kind === 'push' && !e.commits) e.commits = []\n  if (e.object_kind === 'pipeline' && e.object_attributes.duration >= 20000) e.object_attributes.duration /= 1000\n  const text = line(event)"]],
    },
    wrong: {
      'as it is': [['if (!event.commits.length)', 'if (!event.commits?.length)']],
      'by the wrong power': [['if (!event.commits.length)', 'if (!event.commits?.length)'], ['(duration ?? 0) / 60', '(duration ?? 0) / 6000']],
      'hours': [['if (!event.commits.length)', 'if (!event.commits?.length)'], ['(duration ?? 0) / 60)} min', '(duration ?? 0) > 10000 ? duration! / 3600 : (duration ?? 0) / 60)} min']],
    },
  }],
};
