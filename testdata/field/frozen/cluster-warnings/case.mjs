const route = 'GET https://cluster.example/api/v1/events';
const old = (e) => ({ metadata: { name: e.id, resourceVersion: e.id }, involvedObject: { kind: e.kind, name: e.name, ...(e.ns ? { namespace: e.ns } : {}) }, type: e.type, reason: e.reason, message: e.text, ...(e.count === 1 ? {} : { count: e.count }), lastTimestamp: e.at, source: { component: e.by } });
const list = (f, q, shape) => { const at = Number(q.query.continue ?? 0), to = at + Number(q.query.limit); return { kind: 'EventList', metadata: { resourceVersion: '9', ...(to < f.events.length ? { continue: String(to) } : {}) }, items: f.events.slice(at, to).map(shape) }; };
const modern = (e) => { const { involvedObject, message, count, lastTimestamp, source, ...o } = old(e); return { ...o, regarding: involvedObject, note: message, reportingController: e.by, eventTime: e.at, ...(e.count === 1 ? { series: null } : { series: { count: e.count, lastObservedTime: e.at } }) }; };
const remade = "{ ...e, involvedObject: e.regarding, message: e.note, count: e.series?.count, lastTimestamp: e.series?.lastObservedTime ?? e.eventTime, source: { component: e.reportingController } }";
export default {
  source: 'https://docs.rs/k8s-openapi/0.11.0/k8s_openapi/api/events/v1/struct.Event.html (opened): events of the new group have regarding, note, series and reportingController, and deprecated names beside them',
  says: 'Tell the chat of warnings in our cluster, by object',
  facts: (day, r) => ({
    events: r.many(day === 4 ? 0 : 2, 9, (i) => ({ id: `e${day}${i}`, kind: r.pick(['Pod', 'Pod', 'Node']), name: r.pick(['web-1', 'web-2', 'db-ä']), ns: r.pick(['shop', 'ops', null]), type: r.chance(0.65) ? 'Warning' : 'Normal', reason: r.pick(['BackOff', 'FailedMount', 'Unhealthy']), text: r.pick([' Back-off restarting', 'MountVolume “data” failed\n', 'Liveness: 失敗']), count: r.pick([1, 1, 2, 7]), at: `2026-06-${String(Math.max(1, day + r.pick([0, 1, 1]))).padStart(2, '0')}T0${i}:15:00Z`, by: r.pick(['kubelet', 'scheduler']) })),
  }),
  api: { [route]: (f, q) => list(f, q, old), 'POST https://chat.example/webhooks/cluster': () => ({ ok: true }) },
  changes: [{
    name: 'new-group',
    happened: 'involvedObject is regarding, message is note, count and the last time are below series or the time is eventTime, and source.component is reportingController',
    tells: [['regarding', 'involvedObject', 'note', 'lastTimestamp', 'eventTime']],
    api: { [route]: (f, q) => list(f, q, modern) },
    right: {
      'made old': [["(await all<Event>('events')).filter", `(await all<any>('events')).map((e): Event => (e.regarding ? ${remade} : e)).filter`]],
      'in each place': [["all<Event>('events')).filter((e) => e.type === 'Warning' && e.lastTimestamp > last)", "all<any>('events')).filter((e) => e.type === 'Warning' && (e.lastTimestamp ?? e.series?.lastObservedTime ?? e.eventTime) > last)"], ['Map<string, Event[]>', 'Map<string, any[]>'], ['where(e.involvedObject)', 'where(e.involvedObject ?? e.regarding)'], ['(e.count ?? 1)', '(e.count ?? e.series?.count ?? 1)'], ['e.message.trim()', '(e.message ?? e.note).trim()'], ['e.source.component', '(e.source?.component ?? e.reportingController)'], ['fresh.map((e) => e.lastTimestamp)', 'fresh.map((e) => e.lastTimestamp ?? e.series?.lastObservedTime ?? e.eventTime)']],
      'by a class': [['const where =', "class Seen {\n  constructor(private raw: any) {}\n  get type() { return this.raw.type; }\n  get reason() { return this.raw.reason; }\n  get involvedObject(): Ref { return this.raw.regarding || this.raw.involvedObject; }\n  get message(): string { return 'note' in this.raw ? this.raw.note : this.raw.message; }\n  get count(): number | undefined { return this.raw.series ? this.raw.series.count : this.raw.count; }\n  get lastTimestamp(): string { return this.raw.eventTime || this.raw.lastTimestamp; }\n  get source() { return { component: this.raw.reportingController || this.raw.source.component }; }\n}\n\nconst where ="], ["(await all<Event>('events')).filter", "(await all<any>('events')).map((e) => new Seen(e)).filter"], ['Map<string, Event[]>', 'Map<string, Seen[]>']],
    },
    wrong: {
      'once each': [["(await all<Event>('events')).filter", `(await all<any>('events')).map((e): Event => (e.regarding ? ${remade.replace('count: e.series?.count, ', '')} : e)).filter`]],
      'no time': [['e.lastTimestamp > last', "(e.lastTimestamp ?? '') > last"]],
      'all again': [["(await all<Event>('events')).filter", `(await all<any>('events')).map((e): Event => (e.regarding ? ${remade} : e)).filter`], [" && e.lastTimestamp > last", '']],
      'no namespace': [["(await all<Event>('events')).filter", `(await all<any>('events')).map((e): Event => (e.regarding ? ${remade.replace('involvedObject: e.regarding', 'involvedObject: { kind: e.regarding.kind, name: e.regarding.name }')} : e)).filter`]],
    },
  }, {
    name: 'token-renamed',
    happened: 'the token of the next page is metadata.nextToken, and type is called severity with small letters',
    tells: [['continue', 'nextToken', 'token', 'severity', 'type']],
    api: { [route]: (f, q) => { const l = list(f, q, (e) => { const { type, ...o } = old(e); return { ...o, severity: type.toLowerCase() }; }); const { continue: next, ...m } = l.metadata; return { ...l, metadata: { ...m, nextToken: next ?? null } }; } },
    right: {
      'in place': [['list.metadata.continue;', 'list.metadata.continue ?? (list.metadata as any).nextToken;'], ["e.type === 'Warning'", "(e.type ?? (e as any).severity).toLowerCase() === 'warning'"]],
      'made old': [['items.push(...list.items);', "items.push(...list.items.map((i: any) => (i.severity ? { ...i, type: i.severity === 'warning' ? 'Warning' : 'Normal' } : i)));"], ['list.metadata.continue;', '(list.metadata as any).nextToken || list.metadata.continue;']],
      'by lists of names': [['list.metadata.continue;', "['continue', 'nextToken'].map((name) => (list.metadata as any)[name]).find(Boolean);"], ["e.type === 'Warning'", "[e.type, (e as any).severity].some((s) => s === 'Warning' || s === 'warning')"]],
    },
    wrong: {
      'the first page': [["e.type === 'Warning'", "(e.type ?? (e as any).severity).toLowerCase() === 'warning'"]],
      'capitals as they were': [['list.metadata.continue;', 'list.metadata.continue ?? (list.metadata as any).nextToken;'], ["e.type === 'Warning'", "(e.type ?? (e as any).severity) === 'Warning'"]],
      'all that is no error': [['list.metadata.continue;', 'list.metadata.continue ?? (list.metadata as any).nextToken;'], ["e.type === 'Warning'", "e.type !== 'Normal'"]],
    },
  }, {
    name: 'object-as-path',
    happened: 'involvedObject is a text namespace/Kind/name, with - for no namespace, and message is a list of lines',
    tells: [['involvedObject', 'kind', 'message']],
    api: { [route]: (f, q) => list(f, q, (e) => ({ ...old(e), involvedObject: `${e.ns ?? '-'}/${e.kind}/${e.name}`, message: e.text.split('\n') })) },
    right: {
      'in where': [['const where = (', "const where = (ref: Ref | string): string => {\n  if (typeof ref !== 'string') return named(ref);\n  const [namespace, kind, name] = ref.split('/');\n  return named({ kind, name, ...(namespace === '-' ? {} : { namespace }) });\n};\n\nconst named = ("], ['e.message.trim()', "[e.message].flat().join('\\n').trim()"]],
      'made old': [["(await all<Event>('events')).filter", "(await all<any>('events')).map((e): Event => {\n    if (typeof e.involvedObject === 'object') return e;\n    const [ns, kind, name] = e.involvedObject.split('/');\n    return { ...e, message: e.message.join('\\n'), involvedObject: { kind, name, namespace: ns === '-' ? undefined : ns } };\n  }).filter"]],
      'by a pattern': [['const key = where(e.involvedObject);', "const path = /^([^/]+)\\/([^/]+)\\/(.+)$/.exec(String(e.involvedObject));\n    const key = path ? `${path[1].replace(/^-$/, 'cluster')}/${path[2].toLowerCase()}/${path[3]}` : where(e.involvedObject);"], ['e.message.trim()', "(Array.isArray(e.message) ? e.message.join('\\n') : e.message).trim()"]],
    },
    wrong: {
      'the text as it is': [['where(e.involvedObject)', "typeof e.involvedObject === 'string' ? e.involvedObject : where(e.involvedObject)"], ['e.message.trim()', "[e.message].flat().join('\\n').trim()"]],
      'the first line': [['where(e.involvedObject)', "typeof e.involvedObject === 'string' ? (e.involvedObject as string).toLowerCase().replace(/^-/, 'cluster') : where(e.involvedObject)"], ['e.message.trim()', 'String(e.message[0]).trim()']],
      'one group': [['const where = ({ kind, namespace', "const where = ({ kind = 'object', namespace"], ['e.message.trim()', "[e.message].flat().join('\\n').trim()"]],
    },
  }],
};
