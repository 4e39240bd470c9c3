const v9 = (f) => f.entries.map((e) => ({ id: e.id, workspace_id: 77, project_id: e.project, duration: e.seconds, description: e.what, tags: e.tags }));

export default {
  source: 'https://github.com/toggl/toggl_api_docs: v8 gave way to v9, which says project_id where v8 said pid',
  says: 'Post the tracked hours of each project to the chat.',
  facts: (day, r) => {
    const projects = r.many(2, 4, (i) => ({ id: 5000 + i * 17, name: ['Website', 'Übersetzung', 'Support', '社内'][i] }));
    return {
      since: `2026-02-${String(day % 28 + 1).padStart(2, '0')}T00:00:00Z`, projects,
      entries: day === 6 ? [] : r.many(2, 7, (i) => ({
        id: day * 100 + i, project: i > 0 && r.chance(0.25) ? null : r.pick(projects).id, seconds: r.chance(0.1) ? -1770000000 : r.int(5, 300) * 60,
        what: r.pick(['Call', 'Review', null, 'Fix the “old” form']), tags: r.some(['billable', 'remote']),
      })),
    };
  },
  input: (f) => ({ since: f.since }),
  api: {
    'GET https://api.timer.example/api/v8/time_entries': (f) => f.entries.map((e) => ({ id: e.id, wid: 77, ...(e.project ? { pid: e.project } : {}), duration: e.seconds, description: e.what, tags: e.tags })),
    'GET https://api.timer.example/api/v8/projects': (f) => f.projects.map((p) => ({ id: p.id, wid: 77, name: p.name, active: true })),
    'POST https://chat.example/hooks/hours': () => ({ ok: true }),
  },
  changes: [{
    name: 'project-id',
    happened: 'entries say project_id (null for none) and workspace_id; pid and wid are gone',
    tells: ['pid', 'project_id'],
    api: { 'GET https://api.timer.example/api/v8/time_entries': v9 },
    right: {
      'by ??': [['e.pid ? names.get(e.pid) ??', '(e.pid ?? e.project_id) ? names.get(e.pid ?? e.project_id) ??']],
      'a variable': [['    const name = e.pid ? names.get(e.pid)', "    const project = 'project_id' in e ? (e as any).project_id : e.pid;\n    const name = project ? names.get(project)"]],
      'normalised first': [['  const names = new Map', '  for (const e of entries as any[]) if (e.pid === undefined && e.project_id) e.pid = e.project_id;\n  const names = new Map']],
    },
    wrong: {
      'the nearest name': [['e.pid', '(e.pid ?? e.workspace_id)']],
      'the first project': [["'no project'", "(projects[0]?.name ?? 'no project')"]],
      'skips what has none': [['    const name =', '    if (!e.pid) continue;\n    const name =']],
      'only the test': [['e.pid ? names.get(e.pid)', '(e.pid ?? e.project_id) ? names.get(e.pid)']],
    },
  }, {
    name: 'v9',
    happened: 'project_id for pid, the lists are wrapped in items, project ids are texts in projects and numbers in entries',
    tells: ['items'],
    api: {
      'GET https://api.timer.example/api/v8/time_entries': (f) => ({ items: v9(f), next: null }),
      'GET https://api.timer.example/api/v8/projects': (f) => ({ items: f.projects.map((p) => ({ id: String(p.id), title: p.name, status: 'active' })), next: null }),
    },
    right: {
      'unwrapped in get': [
        ['return (await res.json()) as T;', 'const body: any = await res.json();\n  return (Array.isArray(body) ? body : body.items) as T;'],
        ['[p.id, p.name]', '[Number(p.id), p.name ?? (p as any).title]'],
        ['e.pid', '(e.pid ?? (e as any).project_id)'],
      ],
      'converted at the top': [
        ['  const [entries, projects] =', '  const [gotEntries, gotProjects]: any[] ='],
        ['  const names =', `  const list = (x: any) => (Array.isArray(x) ? x : x.items);
  const entries: Entry[] = list(gotEntries).map((e: any) => ({ ...e, pid: e.pid ?? e.project_id ?? undefined }));
  const projects: Project[] = list(gotProjects).map((p: any) => ({ ...p, id: +p.id, name: p.name ?? p.title }));
  const names =`],
      ],
      'keys as texts': [
        ['new Map<number, string>(projects.map((p) => [p.id, p.name]))', 'new Map<string, string>(((projects as any).items ?? projects).map((p: any) => [String(p.id), p.title ?? p.name]))'],
        ['of entries', 'of ((entries as any).items ?? entries)'],
        ['e.pid ? names.get(e.pid)', 'e.pid || e.project_id ? names.get(String(e.pid || e.project_id))'],
      ],
    },
    wrong: {
      'empty for missing': [['projects.map(', '(Array.isArray(projects) ? projects : []).map('], ['of entries', 'of (Array.isArray(entries) ? entries : [])']],
      'unwraps and no more': [['return (await res.json()) as T;', 'const body: any = await res.json();\n  return (body.items ?? body) as T;']],
      'without the conversion': [['return (await res.json()) as T;', 'const body: any = await res.json();\n  return (body.items ?? body) as T;'], ['p.name]', 'p.name ?? (p as any).title]'], ['e.pid', '(e.pid ?? (e as any).project_id)']],
      'without the titles': [['return (await res.json()) as T;', 'const body: any = await res.json();\n  return (body.items ?? body) as T;'], ['[p.id,', '[+p.id,'], ['e.pid', '(e.pid ?? (e as any).project_id)']],
    },
  }, {
    name: 'milliseconds',
    happened: 'durations are milliseconds in duration_ms, and null while an entry runs; project ids stay',
    tells: ['duration', 'duration_ms'],
    api: { 'GET https://api.timer.example/api/v8/time_entries': (f) => f.entries.map((e) => ({ id: e.id, wid: 77, ...(e.project ? { pid: e.project } : {}), duration_ms: e.seconds < 0 ? null : e.seconds * 1000, description: e.what, tags: e.tags })) },
    right: {
      'a helper': [
        ['const hours =', "const secondsOf = (e: any): number => ('duration' in e ? e.duration : e.duration_ms === null ? -1 : e.duration_ms / 1000);\n\nconst hours ="],
        ['e.duration < 0', 'secondsOf(e) < 0'], ['+ e.duration)', '+ secondsOf(e))'],
      ],
      'in the loop': [['    if (e.duration < 0)', '    const d = (e as any).duration ?? ((e as any).duration_ms == null ? -1 : (e as any).duration_ms / 1000);\n    if (d < 0)'], ['+ e.duration)', '+ d)']],
      'normalised first': [['  const names =', '  for (const e of entries as any[]) if (!("duration" in e)) e.duration = e.duration_ms === null ? -1 : Math.round(e.duration_ms / 1000);\n  const names =']],
    },
    wrong: {
      'without the unit': [['e.duration', '(e.duration ?? e.duration_ms ?? -1)']],
      'zero for missing': [['+ e.duration)', '+ (e.duration || 0))']],
      'skips them': [['if (e.duration < 0)', 'if (!(e.duration >= 0))']],
      'minutes': [['e.duration', '(e.duration ?? (e.duration_ms === null ? -1 : e.duration_ms / 60000))']],
    },
  }],
};
