const T = 'GET https://work.example/api/1.0/projects/:id/tasks', U = 'GET https://work.example/api/1.0/users';
const USERS = [[901, 'Ada'], [902, 'Bö “B”'], [903, '花子'], [904, 'Zoë & Co']];
const user = ([id, name]) => ({ id, gid: String(id), name });
const task = (t) => ({ id: t.id, gid: String(t.id), name: t.name, completed: t.done, due_on: t.due, assignee: t.who && { id: t.who, gid: String(t.who) }, memberships: t.sections.map((name, i) => ({ section: { id: i, name } })), num_subtasks: t.subs });
const page = (all, q, shape, path) => { const at = Number(q.query.offset ?? 0), to = at + Number(q.query.limit); return { data: all.slice(at, to).map(shape), next_page: to < all.length ? { offset: String(to), path: `${path}?limit=${q.query.limit}&offset=${to}`, uri: 'x' } : null }; };
const tasks = (shape) => (f, q) => page(f.tasks, q, shape, `/projects/${q.params.id}/tasks`), users = (shape) => (f, q) => page(USERS, q, shape, '/users');
const gid = ({ id, ...o }) => o;
export default {
  source: 'https://gitlab.com/gitlab-org/gitlab/merge_requests/21501 and https://pyup.io/packages/pypi/tap-asana/changelog?page=2 (both opened): numbers as ids of tasks gave way to gid, a text, after a time in which both were there',
  says: 'Keep the sheet in step with the tasks of the project',
  facts: (day, r) => ({
    tasks: r.many(day === 5 ? 0 : 2, 8, () => ({ id: 7000 + r.int(1, 12), name: r.pick(['Plan', 'Größe prüfen', 'Ship “it”', '確認']), done: r.chance(0.3), due: r.pick([null, '2026-12-01', '2026-11-15']), who: r.pick([null, 901, 902, 904]), sections: r.some(['Doing', 'Später']), subs: r.int(0, 3) })).filter((t, i, all) => all.findIndex((o) => o.id === t.id) === i),
  }),
  input: () => ({ project: 55 }),
  api: { [T]: tasks(task), [U]: users(user), 'POST https://sheet.example/v4/rows': (f, q) => ({ row: `r${q.id}` }), 'PUT https://sheet.example/v4/rows/:row': (f, q) => ({ row: q.params.row }), 'DELETE https://sheet.example/v4/rows/:row': () => ({}) },
  changes: [{
    name: 'gid-only',
    happened: 'id is gone from tasks, users and assignees; gid is a text',
    tells: [['gid', 'id']],
    api: { [T]: tasks((t) => { const o = gid(task(t)); return { ...o, resource_type: 'task', assignee: o.assignee && gid(o.assignee) }; }), [U]: users((u) => ({ ...gid(user(u)), resource_type: 'user' })) },
    right: {
      'made old': [['rows = rows.concat(page.data);', 'rows = rows.concat(page.data.map(function (d) {\n      return Object.assign({ id: d.gid }, d, { assignee: d.assignee ? Object.assign({ id: d.assignee.gid }, d.assignee) : null });\n    }));']],
      'in each place': [['users[u.id] = u', 'users[u.id || u.gid] = u'], ['users[t.assignee.id]', 'users[t.assignee.id || t.assignee.gid]'], ['before = rows[t.id]', 'before = rows[t.id || t.gid]'], ['seen[t.id] = true', 'seen[t.id || t.gid] = true'], ['rows[t.id] = {', 'rows[t.id || t.gid] = {']],
      'always gid': [['users[u.id] = u', 'users[u.gid] = u'], ['users[t.assignee.id]', 'users[t.assignee.gid]'], ['rows[t.id]', 'rows[t.gid]'], ['seen[t.id]', 'seen[t.gid]']],
    },
    wrong: {
      'one row for all': [['rows[t.id]', "rows[t.id || 'task']"], ['seen[t.id]', "seen[t.id || 'task']"]],
      'people are lost': [['rows[t.id]', 'rows[t.gid]'], ['seen[t.id]', 'seen[t.gid]'], ['users[u.id] = u', 'users[u.gid] = u']],
      'all have the last person': [['rows[t.id]', 'rows[t.gid]'], ['seen[t.id]', 'seen[t.gid]']],
      'by name': [['rows[t.id]', 'rows[t.id || t.name]'], ['seen[t.id]', 'seen[t.id || t.name]'], ['users[u.id] = u', 'users[u.gid] = u'], ['users[t.assignee.id]', 'users[t.assignee.gid]']],
    },
  }, {
    name: 'pages-and-sections',
    happened: 'next_page has only an offset, memberships became sections, a list of names, and due_on is due with a date or null',
    tells: [['next_page', 'offset', 'path'], ['memberships', 'sections', 'due_on', 'due', 'next_page']],
    api: { [T]: (f, q) => { const p = tasks((t) => { const { memberships, due_on, ...o } = task(t); return { ...o, sections: t.sections, due: due_on && { date: due_on } }; })(f, q); return { ...p, next_page: p.next_page && { offset: p.next_page.offset } }; }, [U]: (f, q) => { const p = users(user)(f, q); return { ...p, next_page: p.next_page && { offset: p.next_page.offset } }; } },
    right: {
      'in place': [['page.next_page.path', "(page.next_page.path || next.replace(/&offset=\\w+/, '') + '&offset=' + page.next_page.offset)"], ['t.due_on ||', 't.due_on || (t.due && t.due.date) ||'], ['t.memberships.map(function (m) { return m.section.name; })', '(t.sections || t.memberships.map(function (m) { return m.section.name; }))']],
      'made old': [['rows = rows.concat(page.data);', "rows = rows.concat(page.data.map(function (d) {\n      if (!d.sections) return d;\n      return Object.assign(d, { due_on: d.due ? d.due.date : null, memberships: d.sections.map(function (name) { return { section: { name: name } }; }) });\n    }));\n    if (page.next_page && !page.next_page.path) page.next_page.path = path + '?limit=3&offset=' + page.next_page.offset;"]],
      'by an address': [["next = page.next_page ? page.next_page.path : null;", "if (!page.next_page) break;\n    var url = new URL(WORK + (page.next_page.path ? page.next_page.path : next));\n    url.searchParams.set('offset', page.next_page.offset);\n    next = url.href;"], ['function cells(t) {\n  return', 'function cells(t) {\n  var places = t.sections ? t.sections : t.memberships.map(function (m) { return m.section.name; });\n  var due = t.due ? t.due.date : t.due_on;\n  return'], ["t.due_on || 'open'", "due || 'open'"], ["t.memberships.map(function (m) { return m.section.name; }).join('/')", "places.join('/')"]],
    },
    wrong: {
      'the first page': [['page.next_page ?', 'page.next_page && page.next_page.path ?'], ['t.due_on ||', 't.due_on || (t.due && t.due.date) ||'], ['t.memberships.map(function (m) { return m.section.name; })', '(t.sections || t.memberships.map(function (m) { return m.section.name; }))']],
      'no sections': [['page.next_page.path', "(page.next_page.path || next.replace(/&offset=\\w+/, '') + '&offset=' + page.next_page.offset)"], ['t.due_on ||', 't.due_on || (t.due && t.due.date) ||'], ['t.memberships.map', '(t.memberships || []).map']],
      'all are open': [['page.next_page.path', "(page.next_page.path || next.replace(/&offset=\\w+/, '') + '&offset=' + page.next_page.offset)"], ['t.memberships.map(function (m) { return m.section.name; })', '(t.sections || t.memberships.map(function (m) { return m.section.name; }))']],
    },
  }, {
    name: 'people-and-states',
    happened: 'completed is a text in completed_at or null, assignee is the name of a person and no object, and users are below users',
    tells: [['completed', 'completed_at', 'assignee', 'users']],
    api: { [T]: tasks((t) => { const { completed, ...o } = task(t); return { ...o, completed_at: t.done ? '2026-11-01T00:00:00Z' : null, assignee: t.who ? USERS.find((u) => u[0] === t.who)[1] : null }; }), [U]: (f, q) => { const { data, next_page } = users(user)(f, q); return { users: data, next_page }; } },
    right: {
      'in place': [['rows.concat(page.data)', 'rows.concat(page.data || page.users)'], ['t.completed ?', 't.completed || t.completed_at ?'], ["t.assignee ? users[t.assignee.id] : null", "typeof t.assignee === 'string' ? { name: t.assignee } : t.assignee ? users[t.assignee.id] : null"]],
      'made old': [['rows.concat(page.data)', 'rows.concat(page.data ?? page.users)'], ['return both[0].map(function (t) {', "return both[0].map(function (t) {\n    if (t.completed_at !== undefined) t = Object.assign({}, t, { completed: t.completed_at !== null, assignee: t.assignee && both[1].find(function (u) { return u.name === t.assignee; }) });"]],
      'indexed by name': [['rows.concat(page.data)', "rows.concat('users' in page ? page.users : page.data)"], ['users[u.id] = u;', 'users[u.id] = users[u.name] = u;'], ['users[t.assignee.id]', 'users[t.assignee.id || t.assignee]'], ["t.completed ? 'done'", "(t.completed === undefined ? Boolean(t.completed_at) : t.completed) ? 'done'"]],
    },
    wrong: {
      'none is done': [['rows.concat(page.data)', 'rows.concat(page.data || page.users)'], ["t.assignee ? users[t.assignee.id] : null", "typeof t.assignee === 'string' ? { name: t.assignee } : t.assignee ? users[t.assignee.id] : null"]],
      'nobody': [['rows.concat(page.data)', 'rows.concat(page.data || [])'], ['t.completed ?', 't.completed || t.completed_at ?']],
      'all are done': [['rows.concat(page.data)', 'rows.concat(page.data || page.users)'], ['t.completed ?', "t.completed || 'completed_at' in t ?"], ["t.assignee ? users[t.assignee.id] : null", "typeof t.assignee === 'string' ? { name: t.assignee } : t.assignee ? users[t.assignee.id] : null"]],
    },
  }],
};
