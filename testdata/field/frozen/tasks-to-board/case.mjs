const T = 'GET https://todo.example/rest/v2/tasks', P = 'GET https://todo.example/rest/v2/projects';
const task = (t) => ({ id: String(t.id), content: t.what, project_id: String(t.project), is_completed: t.done, due: t.due ? { date: t.due, is_recurring: false } : null, labels: t.labels });
const project = (p) => ({ id: String(p.id), name: p.name });
export default {
  source: 'https://developer.todoist.com (REST v2 to API v1): lists became {results, next_cursor}, is_completed became checked, project ids changed',
  says: 'Keep the board in step with my tasks',
  facts: (day, r) => ({
    projects: [{ id: 11, name: 'Home' }, { id: 12, name: 'Größe' }, { id: 13, name: '仕事' }].slice(0, r.int(1, 3)),
    tasks: r.many(day === 1 ? 0 : 1, 5, () => ({ id: r.int(1, 12), what: r.pick(['Buy milk', 'Call “Bö”', '払う', 'Write']), project: r.int(11, 13), done: r.chance(0.25), due: r.chance(0.5) ? `2026-08-${r.int(10, 28)}` : null, labels: r.some(['errand', 'soon']) })).filter((t, i, all) => all.findIndex((o) => o.id === t.id) === i),
  }),
  api: {
    [T]: (f) => f.tasks.map(task), [P]: (f) => f.projects.map(project),
    'POST https://board.example/cards': (f, q) => ({ id: 'c' + q.id }), 'PATCH https://board.example/cards/:id': (f, q) => ({ id: q.params.id }),
  },
  changes: [{
    name: 'v1',
    happened: 'tasks and projects are in results, is_completed became checked, content became title, labels are null where there are none',
    tells: ['results', ['content', 'title', 'is_completed', 'checked', 'labels', 'results']],
    api: { [T]: (f) => ({ results: f.tasks.map((t) => { const { content, is_completed, labels, ...o } = task(t); return { ...o, title: content, checked: is_completed, labels: labels.length ? labels : null }; }), next_cursor: null }), [P]: (f) => ({ results: f.projects.map(project), next_cursor: null }) },
    right: {
      'made old': [['      return res.json();', "      const body = await res.json();\n      if (!Array.isArray(body) && body.results) return body.results.map((x) => ('title' in x ? { ...x, content: x.title, is_completed: x.checked, labels: x.labels ?? [] } : x));\n      return body;"]],
      'each place': [['const [tasks, projects] = await', 'const [t, p] = await'], ['const byId', 'const tasks = t.results ?? t, projects = p.results ?? p;\n  const byId'], ['task.is_completed', '(task.is_completed ?? task.checked)'], ['title: task.content', 'title: task.content ?? task.title'], ['task.labels.map', '(task.labels ?? []).map']],
      "readers": [['const byId', "const list = (b) => (Array.isArray(b) ? b : b.results);\n  const byId"], ['projects.map((p)', 'list(projects).map((p)'], ['of tasks) {', "of list(tasks).map((t) => ({ ...t, content: t.content || t.title, is_completed: t.is_completed || t.checked || false, labels: t.labels || [] }))) {"], ['tasks: tasks.length', 'tasks: list(tasks).length']],
    },
    wrong: {
      'no tasks': [['for (const task of tasks)', 'for (const task of Array.isArray(tasks) ? tasks : [])'], ['projects.map((p)', '(projects.results ?? projects).map((p)']],
      'done ones, too': [['const [tasks, projects] = await', 'const [t, p] = await'], ['const byId', 'const tasks = t.results ?? t, projects = p.results ?? p;\n  const byId'], ['title: task.content', 'title: task.content ?? task.title'], ['task.labels.map', '(task.labels ?? []).map']],
      'all in the inbox': [['const [tasks, projects] = await', 'const [t, p] = await'], ['const byId', 'const tasks = t.results ?? t, projects = Array.isArray(p) ? p : [];\n  const byId'], ['task.is_completed', '(task.is_completed ?? task.checked)'], ['title: task.content', 'title: task.content ?? task.title'], ['task.labels.map', '(task.labels ?? []).map']],
    },
  }, {
    name: 'ids',
    happened: 'ids of projects are numbers in projects and texts in tasks, below project: {id}',
    tells: [['project_id', 'project']],
    api: { [T]: (f) => f.tasks.map((t) => { const { project_id, ...o } = task(t); return { ...o, project: { id: project_id } }; }), [P]: (f) => f.projects.map((p) => ({ id: p.id, name: p.name })) },
    right: {
      'texts': [['[p.id, p]', '[String(p.id), p]'], ['byId.get(task.project_id)', 'byId.get(String(task.project_id ?? task.project.id))']],
      'found': [['byId.get(task.project_id)', 'projects.find((p) => String(p.id) === (task.project_id ?? task.project.id))']],
      "made old": [['const byId', "for (const t of tasks) if (t.project) t.project_id = t.project.id;\n  for (const p of projects) p.id = `${p.id}`;\n  const byId"]],
    },
    wrong: {
      'the inbox for all': [['byId.get(task.project_id)', 'byId.get(task.project_id ?? task.project.id)']],
      'the first project': [['byId.get(task.project_id)', '(byId.get(task.project_id ?? task.project.id) ?? projects[0])']],
      'the id as a name': [['byId.get(task.project_id)', '(byId.get(task.project_id) ?? { name: task.project?.id })']],
    },
  }, {
    name: 'due-and-labels',
    happened: 'due is a text, and labels are objects with a name',
    tells: [['labels', 'due']],
    api: { [T]: (f) => f.tasks.map((t) => ({ ...task(t), due: t.due, labels: t.labels.map((name, i) => ({ id: i, name })) })) },
    right: {
      'in place': [['task.due?.date ?? null', 'task.due?.date ?? task.due ?? null'], ['(l) => l.toUpperCase()', '(l) => (l.name ?? l).toUpperCase()']],
      'by type': [['task.due?.date ?? null', "(typeof task.due === 'string' ? task.due : task.due?.date ?? null)"], ['(l) => l.toUpperCase()', "(l) => (typeof l === 'string' ? l : l.name).toUpperCase()"]],
      "made old": [['const byId', "for (const t of tasks) {\n    if (typeof t.due === 'string') t.due = { date: t.due };\n    t.labels = t.labels.map((l) => (typeof l === 'object' ? l.name : l));\n  }\n  const byId"]],
    },
    wrong: {
      'no due': [['(l) => l.toUpperCase()', '(l) => (l.name ?? l).toUpperCase()']],
      'no labels': [['task.due?.date ?? null', 'task.due?.date ?? task.due ?? null'], ['task.labels.map((l) => l.toUpperCase())', "task.labels.filter((l) => typeof l === 'string').map((l) => l.toUpperCase())"]],
      'objects as texts': [['task.due?.date ?? null', 'task.due?.date ?? task.due ?? null'], ['(l) => l.toUpperCase()', '(l) => String(l).toUpperCase()']],
    },
  }],
};
