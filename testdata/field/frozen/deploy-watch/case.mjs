const D = 'GET https://host.example/v6/deployments', P = 'GET https://host.example/v9/projects/:id';
const old = (d) => ({ uid: d.id, projectId: d.project, state: d.state, target: d.target, created: d.at, ...(d.took === null ? {} : { buildingAt: d.at + 1000, ready: d.at + 1000 + d.took * 1000 }), creator: { uid: 'u', username: d.by }, meta: d.text ? { githubCommitMessage: d.text } : {}, url: `${d.id}.host.example` });
const cut = (f, q) => { const all = f.deployments.filter((d) => d.at >= Number(q.query.since) && (!q.query.until || d.at < Number(q.query.until))), list = all.slice(0, Number(q.query.limit)); return [list, all.length > list.length ? list.at(-1).at : null]; };
const page = (f, q, shape) => { const [list, next] = cut(f, q); return { deployments: list.map(shape), pagination: { count: list.length, next, prev: null } }; };
const project = (f, q) => ({ id: q.params.id, name: { p1: 'shop', p2: 'größe-docs', p3: 'サイト' }[q.params.id] });
export default {
  source: 'https://github.com/vercel/docs/pull/860 and https://github.com/vercel/vercel/pull/4027 (both opened): lists of deployments gained limits and pages by time and moved through versions; states and names of members in later versions are from memory',
  says: 'Tell the room of deployments and how long they took',
  facts: (day, r) => ({
    deployments: r.many(day === 6 ? 0 : 1, 8, (i) => ({ id: `dpl${day}${i}`, project: r.pick(['p1', 'p1', 'p2', 'p3']), state: r.pick(['READY', 'READY', 'ERROR', 'CANCELED', 'BUILDING']), target: r.pick(['production', 'production', null]), at: Date.UTC(2026, 0, day + 1, 22 - i * 2, r.int(0, 59)), took: r.chance(0.25) ? null : r.int(5, 400), by: r.pick(['ada', 'bö']), text: r.pick(['Fix “login”\n\nlong', 'Größe & more', '修正', null]) })),
  }),
  api: { [D]: (f, q) => page(f, q, old), [P]: project, 'POST https://chat.example/rooms/deploys': () => ({ ok: true }) },
  changes: [{
    name: 'later-version',
    happened: 'state is readyState, uid is id, created is createdAt, and meta has commit with a message in place of githubCommitMessage, or is null',
    tells: [['state', 'readyState', 'created', 'createdAt']],
    api: { [D]: (f, q) => page(f, q, (d) => { const { state, uid: id, created: createdAt, meta, ...o } = old(d); return { ...o, id, readyState: state, createdAt, meta: d.text ? { commit: { message: d.text, sha: 'abc' } } : null }; }) },
    right: {
      'made old': [['yield* deployments;', "for (const d of deployments) yield d.readyState ? { ...d, uid: d.id, state: d.readyState, created: d.createdAt, meta: d.meta ? { githubCommitMessage: d.meta.commit.message } : {} } : d;"]],
      'in each place': [['d.created + 1', '(d.created ?? d.createdAt) + 1'], ['if (!(d.state in icons)) continue;', 'const state = d.state ?? d.readyState;\n    if (!(state in icons)) continue;'], ["d.state === 'READY'", "state === 'READY'"], ["d.state === 'ERROR'", "state === 'ERROR'"], ['icons[d.state]', 'icons[state]'], ["d.meta.githubCommitMessage?.split", "(d.meta?.githubCommitMessage ?? d.meta?.commit?.message)?.split"]],
      'destructured': [['for await (const d of api) {', "for await (const { readyState, createdAt, meta, ...given } of api) {\n    const d = { state: readyState, created: createdAt, ...given, meta: { githubCommitMessage: meta?.commit ? meta.commit.message : meta?.githubCommitMessage } };"]],
    },
    wrong: {
      'nothing happened': [['d.created + 1', '(d.created ?? d.createdAt) + 1'], ['if (!(d.state in icons)) continue;', 'if (!(d.state in icons)) continue; // not done yet']],
      'all again the next day': [['d.created + 1)', '(d.created ?? 0) + 1)'], ['if (!(d.state in icons)) continue;', 'd.state ??= d.readyState;\n    if (!(d.state in icons)) continue;'], ["d.meta.githubCommitMessage?.split", "(d.meta?.githubCommitMessage ?? d.meta?.commit?.message)?.split"]],
      'no message': [['d.created + 1', '(d.created ?? d.createdAt) + 1'], ['if (!(d.state in icons)) continue;', 'd.state ??= d.readyState;\n    if (!(d.state in icons)) continue;'], ['d.meta.githubCommitMessage?.split', 'd.meta?.githubCommitMessage?.split']],
    },
  }, {
    name: 'cursor-and-durations',
    happened: 'pagination has hasMore and a cursor that is a text, to be sent as cursor; buildingAt and ready became buildDuration in milliseconds or null',
    tells: [['pagination', 'cursor', 'next'], ['buildDuration', 'ready', 'cursor', 'pagination']],
    api: { [D]: (f, q) => { const [list, next] = cut(f, { ...q, query: { ...q.query, until: q.query.cursor?.slice(2) } }); return { deployments: list.map((d) => { const { buildingAt, ready, ...o } = old(d); return { ...o, buildDuration: d.took === null ? null : d.took * 1000 }; }), pagination: { hasMore: next !== null, cursor: next === null ? null : `t:${next}` } }; } },
    right: {
      'in place': [['...(until && { until }) });', "...(until && (typeof until === 'string' ? { cursor: until } : { until })) });"], ['until = pagination.next;', 'until = pagination.next ?? pagination.cursor;'], ['const seconds = ({ buildingAt, ready }) => (buildingAt && ready ?', 'const seconds = ({ buildDuration, buildingAt, ready }) => (buildDuration ? Math.round(buildDuration / 1000) : buildingAt && ready ?']],
      'both are sent': [['{ until }) });', '{ until, cursor: until }) });'], ['until = pagination.next;', "until = 'hasMore' in pagination ? pagination.hasMore && pagination.cursor : pagination.next;"], ['yield* deployments;', 'for (const d of deployments) yield d.buildDuration ? { ...d, buildingAt: d.created, ready: d.created + d.buildDuration } : d;']],
      'a loop over pages': [["let until;\n    do {\n      const { deployments, pagination } = await this.get('/v6/deployments', { limit: 2, since, ...(until && { until }) });\n      yield* deployments;\n      until = pagination.next;\n    } while (until);", "let where = {};\n    while (where) {\n      const { deployments, pagination: { next, cursor } } = await this.get('/v6/deployments', { limit: 2, since, ...where });\n      yield* deployments;\n      where = next ? { until: next } : cursor ? { cursor } : null;\n    }"], ['const took = seconds(d);', "const took = d.buildDuration === undefined ? seconds(d) : d.buildDuration && d.buildDuration / 1000;"]],
    },
    wrong: {
      'the first page': [['const seconds = ({ buildingAt, ready }) => (buildingAt && ready ?', 'const seconds = ({ buildDuration, buildingAt, ready }) => (buildDuration ? Math.round(buildDuration / 1000) : buildingAt && ready ?']],
      'no durations': [['{ until }) });', '{ until, cursor: until }) });'], ['until = pagination.next;', 'until = pagination.next ?? pagination.cursor;']],
      'milliseconds': [['{ until }) });', '{ until, cursor: until }) });'], ['until = pagination.next;', 'until = pagination.next ?? pagination.cursor;'], ['const seconds = ({ buildingAt, ready }) => (buildingAt && ready ?', 'const seconds = ({ buildDuration, buildingAt, ready }) => (buildDuration ? buildDuration : buildingAt && ready ?']],
    },
  }, {
    name: 'projects-below-data',
    happened: 'the project is below project with slug and display name, a deployment has project with an id in place of projectId, and creator may be null for robots, which are named in actor',
    tells: [['project', 'projectId', 'name', 'creator']],
    api: { [D]: (f, q) => page(f, q, (d) => { const { projectId, creator, ...o } = old(d); return { ...o, project: { id: projectId }, creator: d.by === 'ada' ? null : creator, actor: d.by }; }), [P]: (f, q) => ({ project: { slug: `acme/${q.params.id}`, displayName: project(f, q).name } }) },
    right: {
      'in each place': [['names[d.projectId] ??= (await api.project(d.projectId)).name;\n    const name = names[d.projectId];', 'const id = d.projectId ?? d.project.id;\n    names[id] ??= await api.project(id).then((p) => p.name ?? p.project.displayName);\n    const name = names[id];'], ['d.creator.username', 'd.creator?.username ?? d.actor']],
      'made old': [['yield* deployments;', 'for (const d of deployments) yield { ...d, projectId: d.projectId ?? d.project.id, creator: d.creator ?? { username: d.actor } };'], ['project(id) {\n    return this.get(`/v9/projects/${id}`);', 'async project(id) {\n    const body = await this.get(`/v9/projects/${id}`);\n    return body.project ? { name: body.project.displayName } : body;']],
      'functions': [['(await api.project(d.projectId)).name', 'nameOf(await api.project(idOf(d)))'], ['d.creator.username', 'authorOf(d)'], ['names[d.projectId]', 'names[idOf(d)]'], ['const icons', "const idOf = ({ projectId, project }) => projectId || project.id;\nconst nameOf = ({ name, project }) => (project ? project.displayName : name);\nconst authorOf = (d) => (d.actor !== undefined ? d.actor : d.creator.username);\n\nconst icons"]],
    },
    wrong: {
      'the slug': [['names[d.projectId] ??= (await api.project(d.projectId)).name;\n    const name = names[d.projectId];', 'const id = d.projectId ?? d.project.id;\n    names[id] ??= await api.project(id).then((p) => p.name ?? p.project.slug);\n    const name = names[id];'], ['d.creator.username', 'd.creator?.username ?? d.actor']],
      'somebody': [['names[d.projectId] ??= (await api.project(d.projectId)).name;\n    const name = names[d.projectId];', 'const id = d.projectId ?? d.project.id;\n    names[id] ??= await api.project(id).then((p) => p.name ?? p.project.displayName);\n    const name = names[id];'], ['d.creator.username', "d.creator?.username ?? 'somebody'"]],
      'the id for the name': [['names[d.projectId] ??= (await api.project(d.projectId)).name;\n    const name = names[d.projectId];', 'const name = d.projectId ? (names[d.projectId] ??= (await api.project(d.projectId)).name) : d.project.id;'], ['d.creator.username', 'd.creator?.username ?? d.actor']],
      'robots left out': [['names[d.projectId] ??= (await api.project(d.projectId)).name;\n    const name = names[d.projectId];', 'if (d.creator === null) continue;\n    const id = d.projectId ?? d.project.id;\n    names[id] ??= await api.project(id).then((p) => p.name ?? p.project.displayName);\n    const name = names[id];']],
    },
  }],
};
