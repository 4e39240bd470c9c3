const TASKS = 'GET https://api.todo.example/rest/v2/tasks', PROJECTS = 'GET https://api.todo.example/rest/v2/projects';
const v2 = (t) => ({ id: t.id, content: t.text, project_id: t.project, is_completed: t.done, created_at: t.created, assignee_id: t.who, due: t.due && { date: t.due, string: 'every day' }, priority: t.priority, comment_count: 0 });
const v1 = (t) => { const { is_completed, created_at, assignee_id, comment_count, ...rest } = v2(t); return { ...rest, checked: is_completed, added_at: created_at, responsible_uid: assignee_id, note_count: comment_count, user_id: 'u1' }; };
const paged = (key, of, size = 3) => (f, q) => { const from = Number((q.query.cursor ?? 'c0').slice(1)), next = from + size; return { results: f[key].slice(from, next).map(of), next_cursor: next < f[key].length ? `c${next}` : null }; };
const LIST = 'list = <R>(what: \'tasks\' | \'projects\') => this.request<R[]>(`/${what}`);';
const ALL = `list = async <R>(what: 'tasks' | 'projects') => {
    const found: R[] = [];
    let query = '';
    for (;;) {
      const page: any = await this.request(\`/\${what}\${query}\`);
      if (Array.isArray(page)) return page as R[];
      found.push(...page.results);
      if (!page.next_cursor) return found;
      query = \`?cursor=\${page.next_cursor}\`;
    }
  };`;
const TASKLINE = "(await api.list<Task>('tasks')).filter((t) => !t.is_completed);";
export default {
  source: 'https://docs.airbyte.com/integrations/sources/todoist-migrations: the REST API v2 was retired for API v1, whose lists are pages with next_cursor and whose tasks say checked, added_at and responsible_uid',
  says: 'Move my overdue tasks to today and remind me of old ones.',
  facts: (day, r) => {
    const today = `2026-05-${String(day % 31 + 1).padStart(2, '0')}`, before = (n) => new Date(Date.parse(today) - n * 86400000).toISOString();
    return { today, projects: ['Haus', 'Work', 'Garten', '勉強'].slice(0, 2 + day % 3).map((name, i) => ({ id: `22034${i}`, name })), tasks: r.many(day === 7 ? 0 : 2, 8, (i) => ({
      id: `${29950000 + day * 50 + i}`, text: r.pick(['Call the bank', 'Rasen mähen', 'Write “the” report', 'Pay rent']), project: `22034${r.int(0, 3)}`, done: r.chance(0.15), created: before(r.pick([1, 5, 29, 30, 45, 120])).slice(0, 19) + '.000000Z',
      who: r.pick([null, 'u1', 'u2']), due: r.chance(0.3) ? null : before(r.int(-3, 6)).slice(0, 10), priority: r.int(1, 4) })) };
  },
  input: (f) => ({ today: f.today, me: 'u1' }),
  api: { [TASKS]: (f) => f.tasks.map(v2), [PROJECTS]: (f) => f.projects, 'POST https://api.todo.example/rest/v2/tasks/:id': { $status: 204, $body: undefined } },
  changes: [{
    name: 'renamed',
    happened: 'is_completed is checked, created_at is added_at, assignee_id is responsible_uid',
    tells: ['added_at', ['checked', 'responsible_uid']],
    api: { [TASKS]: (f) => f.tasks.map(v1) },
    right: {
      'by ??': [['!t.is_completed', '!(t.is_completed ?? (t as any).checked)'], ['t.assignee_id', '((t as any).responsible_uid ?? t.assignee_id)'], ['t.created_at', '(t.created_at ?? (t as any).added_at)']],
      'old names': [[TASKLINE, "(await api.list<any>('tasks')).map(({ checked, added_at, responsible_uid, ...t }): Task => ({ is_completed: checked, created_at: added_at, assignee_id: responsible_uid, ...t })).filter((t) => !t.is_completed);"]],
      'in the class': [[LIST, `list = async <R>(what: 'tasks' | 'projects') => {
    const NAMES: Record<string, string> = { checked: 'is_completed', added_at: 'created_at', responsible_uid: 'assignee_id' };
    return (await this.request<any[]>(\`/\${what}\`)).map((one) => Object.fromEntries(Object.entries(one).map(([k, v]) => [NAMES[k] ?? k, v])) as R);
  };`]],
    },
    wrong: {
      'only what fails': [['t.created_at', '(t.created_at ?? (t as any).added_at)']],
      'age of nothing': [['age: daysBetween(t.created_at, today)', 'age: t.created_at ? daysBetween(t.created_at, today) : 0']],
      'all are mine': [['!t.is_completed', '!(t.is_completed ?? (t as any).checked)'], ['t.created_at', '(t.created_at ?? (t as any).added_at)']],
      'the user': [['!t.is_completed', '!(t.is_completed ?? (t as any).checked)'], ['t.assignee_id', '(t.assignee_id ?? (t as any).user_id)'], ['t.created_at', '(t.created_at ?? (t as any).added_at)']],
    },
  }, {
    name: 'pages',
    happened: 'lists are in results, three at a time, with next_cursor',
    tells: ['results', 'next_cursor'],
    api: { [TASKS]: paged('tasks', v2), [PROJECTS]: paged('projects', (p) => p) },
    right: {
      'a loop in list': [[LIST, ALL]],
      'a generator': [[LIST, `async *each(path: string, cursor?: string): AsyncGenerator<any> {
    const body = await this.request<any>(path + (cursor ? \`?cursor=\${encodeURIComponent(cursor)}\` : ''));
    yield* body.results ?? body;
    if (body.next_cursor) yield* this.each(path, body.next_cursor);
  }

  list = async <R>(what: 'tasks' | 'projects') => {
    const all: R[] = [];
    for await (const one of this.each(\`/\${what}\`)) all.push(one);
    return all;
  };`]],
      'a recursion': [[LIST, `list = async <R>(what: 'tasks' | 'projects', cursor = ''): Promise<R[]> => {
    const got = await this.request<any>(\`/\${what}\${cursor && '?cursor=' + cursor}\`);
    return Array.isArray(got) ? got : got.next_cursor === null ? got.results : [...got.results, ...(await this.list<R>(what, got.next_cursor))];
  };`]],
    },
    wrong: {
      'the first page': [[LIST, LIST.replace(';', '.then((b: any) => b.results ?? b) as Promise<R[]>;')]],
      'empty': [[LIST, LIST.replace(';', '.then((b) => (Array.isArray(b) ? b : []));')]],
      'tasks only': [[TASKLINE, "(await api.list<Task>('tasks').then((b: any) => b.results ?? b) as Task[]).filter((t) => !t.is_completed);"], ["await api.list<Project>('projects')", "await api.list<Project>('projects').then((b) => (Array.isArray(b) ? b : []))"]],
      'two pages': [[LIST, `list = async <R>(what: 'tasks' | 'projects') => {
    const one: any = await this.request(\`/\${what}\`);
    if (!one.next_cursor) return (one.results ?? one) as R[];
    return [...one.results, ...(await this.request<any>(\`/\${what}?cursor=\${one.next_cursor}\`)).results] as R[];
  };`]],
    },
  }, {
    name: 'v1',
    happened: 'pages of results with next_cursor, members of tasks have other names, due has a time',
    tells: ['results', 'added_at'],
    api: { [TASKS]: paged('tasks', (t) => { const one = v1(t); return { ...one, due: one.due && { ...one.due, date: `${one.due.date}T09:00:00`, timezone: null } }; }), [PROJECTS]: paged('projects', (p) => ({ ...p, is_shared: false })) },
    right: {
      'pages and old names': [[LIST, ALL], [TASKLINE, "(await api.list<any>('tasks')).map((t): Task => ({ ...t, is_completed: t.is_completed ?? t.checked, created_at: t.created_at ?? t.added_at, assignee_id: t.assignee_id ?? t.responsible_uid ?? null, due: t.due && { date: t.due.date.slice(0, 10) } })).filter((t) => !t.is_completed);"]],
      'at each place': [[LIST, ALL], ['!t.is_completed', '!(t.is_completed ?? (t as any).checked)'], ['t.assignee_id', '((t as any).responsible_uid ?? t.assignee_id)'], ['t.created_at', '(t.created_at ?? (t as any).added_at)'], ['t.due.date < today', "t.due.date.split('T')[0] < today"]],
      'a reviver': [[LIST, `list = async <R>(what: 'tasks' | 'projects') => {
    const old = (one: any) => {
      if (!('checked' in one)) return one;
      one.is_completed = one.checked;
      one.created_at = one.added_at;
      one.assignee_id = one.responsible_uid;
      if (one.due) one.due.date = one.due.date.substring(0, 10);
      return one;
    };
    let page: any = await this.request(\`/\${what}\`);
    const all: R[] = (page.results ?? page).map(old);
    while (page.next_cursor) {
      page = await this.request(\`/\${what}?cursor=\${page.next_cursor}\`);
      all.push(...page.results.map(old));
    }
    return all;
  };`]],
    },
    wrong: {
      'with the time': [[LIST, ALL], ['!t.is_completed', '!(t.is_completed ?? (t as any).checked)'], ['t.assignee_id', '((t as any).responsible_uid ?? t.assignee_id)'], ['t.created_at', '(t.created_at ?? (t as any).added_at)'], ['t.due.date < today', 'Date.parse(t.due.date) <= Date.parse(today + "T23:59:59Z")']],
      'pages only': [[LIST, ALL]],
      'names only': [[LIST, LIST.replace(';', '.then((b: any) => b.results ?? b) as Promise<R[]>;')], ['!t.is_completed', '!(t.is_completed ?? (t as any).checked)'], ['t.assignee_id', '((t as any).responsible_uid ?? t.assignee_id)'], ['t.created_at', '(t.created_at ?? (t as any).added_at)']],
      'not the assignee': [[LIST, ALL], ['!t.is_completed', '!(t.is_completed ?? (t as any).checked)'], ['t.created_at', '(t.created_at ?? (t as any).added_at)']],
    },
  }],
};
