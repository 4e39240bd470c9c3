const KINDS = ['trigger', 'acknowledge', 'resolve'];
const old = (m) => ({ event: `incident.${m.kind}`, incident: { id: m.id, number: m.n, title: m.title, urgency: m.urgency, service: { summary: m.service }, assignees: m.people.map((summary) => ({ summary })) }, created_on: m.at });
const v3 = (m) => ({ event_type: `incident.${m.kind}${m.kind === 'acknowledge' ? 'd' : m.kind === 'resolve' ? 'd' : 'ed'}`, occurred_at: m.at, data: { id: m.id, number: String(m.n), title: m.title, urgency: m.urgency, service: { summary: m.service }, assignees: m.people.map((summary) => ({ summary })) } });
export default {
  source: 'https://developer.pagerduty.com/docs/webhooks/v3-overview: version 3 of webhooks sends one event with event_type and data, where messages had event and incident',
  says: 'Write incidents into the chat of operations.',
  facts: (day, r) => ({ messages: r.many(1, 3, (i) => ({ kind: KINDS[(day + i) % 3], id: `P${Math.floor(day / 3)}${i}`, n: 100 + day, title: r.pick(['Disk full', 'API langsam', 'Zertifikat läuft ab']), urgency: r.pick(['high', 'low']), service: r.pick(['Web', 'DB']), people: r.some(['Ann', 'Bö']), at: `2026-03-${String(day % 28 + 1).padStart(2, '0')}T10:${r.int(10, 59)}:00Z` })) }),
  input: (f) => ({ messages: f.messages.map(old) }),
  api: { 'POST https://chat.example/ops': { ok: true } },
  changes: [{
    name: 'service-name',
    happened: 'summary of services and assignees is name',
    tells: ['summary', 'name'],
    input: (f) => ({ messages: f.messages.map((m) => { const o = old(m); o.incident.service = { name: m.service }; o.incident.assignees = m.people.map((name) => ({ name })); return o; }) }),
    right: {
      'by ??': [['incident.service.summary', 'incident.service.summary ?? (incident.service as any).name'], ['(a) => a.summary', '(a: any) => a.summary ?? a.name']],
      'helper': [['async function describe', 'const nameOf = (x: any): string => ("name" in x ? x.name : x.summary);\n\nasync function describe'], ['incident.service.summary', 'nameOf(incident.service)'], ['(a) => a.summary', 'nameOf']],
      'normalised': [['  for (const m of messages) {', '  for (const m of messages) {\n    for (const one of [m.incident.service, ...m.incident.assignees] as any[]) one.summary ??= one.name;']],
    },
    wrong: {
      'only the service': [['incident.service.summary', 'incident.service.summary ?? (incident.service as any).name']],
      'empty': [['incident.service.summary', "incident.service.summary ?? ''"], ['(a) => a.summary', "(a) => a.summary ?? ''"]],
      'only the people': [['(a) => a.summary', '(a: any) => a.summary ?? a.name']],
    },
  }, {
    name: 'v3',
    happened: 'event is event_type in the past tense, incident is data with its number as a text, created_on is occurred_at',
    tells: ['incident', 'data'],
    input: (f) => ({ messages: f.messages.map(v3) }),
    right: {
      'adapter': [['    const line = await describe(m);', "    const n = m as any;\n    const line = await describe(n.event_type ? { event: n.event_type.replace(/ed$/, '').replace('acknowledg', 'acknowledge').replace(/acknowledgee$/, 'acknowledge').replace(/resolv$/, 'resolve'), incident: n.data, created_on: n.occurred_at } : m);"]],
      'a table': [['const icons', "const before: Record<string, string> = { 'incident.triggered': 'incident.trigger', 'incident.triggered ': 'incident.trigger', 'incident.acknowledged': 'incident.acknowledge', 'incident.resolved': 'incident.resolve' };\nconst icons"], ['describe(m)', 'describe((m as any).data ? { event: before[(m as any).event_type], incident: (m as any).data, created_on: (m as any).occurred_at } : m)']],
      'in the parameter': [['async function describe({ event, incident, created_on }: Message): Promise<string | undefined> {', "async function describe({ event_type, event = event_type.replace(/(trigger)ed$|(acknowledge|resolve)d$/, '$1$2'), data, incident = data, occurred_at, created_on = occurred_at }: any): Promise<string | undefined> {"]],
    },
    wrong: {
      'skips': [['    const line = await describe(m);', '    if (!m.incident) continue;\n    const line = await describe(m);']],
      'names as they are': [['async function describe({ event, incident, created_on }: Message)', 'async function describe({ event_type, event = event_type, data, incident = data, occurred_at, created_on = occurred_at }: any)']],
      'without times': [['async function describe({ event, incident, created_on }: Message): Promise<string | undefined> {', "async function describe({ event_type, event = event_type.replace(/(trigger)ed$|(acknowledge|resolve)d$/, '$1$2'), data, incident = data, created_on = null }: any): Promise<string | undefined> {"]],
    },
  }, {
    name: 'annotated',
    happened: 'incident.annotate events come, without assignees, and assignees are assignments of an assignee each',
    tells: ['assignees', 'assignments'],
    input: (f) => ({ messages: [{ event: 'incident.annotate', incident: { id: 'PX', number: 1, title: 'x', urgency: 'low', service: { summary: 'Web' } }, created_on: '2026-03-01T00:00:00Z' }, ...f.messages.map((m) => { const o = old(m); delete o.incident.assignees; o.incident.assignments = m.people.map((summary) => ({ at: m.at, assignee: { summary } })); return o; })] }),
    right: {
      'by ??': [['incident.assignees.map((a) => a.summary)', '(incident.assignees ?? (incident as any).assignments.map((a: any) => a.assignee)).map((a: any) => a.summary)']],
      'either': [['incident.assignees.map((a) => a.summary)', '(incident.assignees ? incident.assignees.map((a) => a.summary) : (incident as any).assignments.map((a: any) => a.assignee.summary))']],
      'normalised': [['    const line', '    const i = m.incident as any;\n    if (i.assignments) i.assignees = i.assignments.map((a: any) => a.assignee);\n    const line']],
    },
    wrong: {
      'nobody': [['incident.assignees.map', '(incident.assignees ?? []).map']],
      'optional': [["incident.assignees.map((a) => a.summary).join", 'incident.assignees?.map((a) => a.summary).join']],
      'the first': [['incident.assignees.map((a) => a.summary)', '(incident.assignees?.map((a) => a.summary) ?? (incident as any).assignments.slice(0, 1).map((a: any) => a.assignee.summary))']],
    },
  }],
};
