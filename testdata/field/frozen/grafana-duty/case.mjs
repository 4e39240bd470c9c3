const url = (f) => `https://graphs.example/d/${f.id}?panel=${f.id % 9}`;
const old = (f) => ({ ruleId: f.id, ruleName: f.rule, ruleUrl: url(f), state: f.state, ...(f.text ? { message: f.text } : {}), evalMatches: f.state === 'alerting' ? f.matches.map((m) => ({ metric: m.metric, value: m.value, tags: m.env ? { env: m.env } : null })) : [], title: `[${f.state}] ${f.rule}` });
const unified = (f) => {
  const alert = (m) => ({ status: f.state === 'ok' ? 'resolved' : 'firing', labels: { alertname: f.rule, ...(f.state === 'no_data' ? { nodata: 'true' } : {}), ...(m?.env ? { env: m.env } : {}), ...(m ? { metric: m.metric } : {}) }, annotations: f.text ? { description: f.text } : {}, values: m ? { B: m.value } : null, generatorURL: url(f) });
  return { receiver: 'duty', status: f.state === 'ok' ? 'resolved' : 'firing', alerts: f.state === 'alerting' && f.matches.length ? f.matches.map(alert) : [alert(null)], commonLabels: { alertname: f.rule } };
};
const adapt = "{\n      ruleId: 0, ruleName: event.commonLabels.alertname, ruleUrl: event.alerts[0].generatorURL, message: event.alerts[0].annotations.description,\n      state: event.status === 'resolved' ? 'ok' : event.alerts[0].labels.nodata ? 'no_data' : 'alerting',\n      evalMatches: event.alerts.filter((a: any) => a.values).map((a: any) => ({ metric: a.labels.metric, value: a.values.B, tags: a.labels })),\n    }";
export default {
  source: 'https://grafana.com/docs/grafana/v9.3/alerting/manage-notifications/webhook-notifier/ (opened): one rule with evalMatches and a state became a list of alerts with labels, annotations and values, firing or resolved',
  says: 'Open and close incidents on the alerts of our graphs',
  facts: (day, r) => ({
    id: r.int(1, 4), rule: ['CPU high', 'Größe “disk”', 'メモリ'][Math.floor(day / 2) % 3], state: day < 2 ? ['alerting', 'ok'][day] : r.pick(['alerting', 'alerting', 'ok', 'ok', 'no_data']), text: r.chance(0.6) ? r.pick(['look at it', 'see runbook #5']) : null,
    matches: r.many(day % 4 === 1 ? 0 : 1, 3, () => ({ metric: r.pick(['cpu', 'disk', 'mem']), value: r.chance(0.3) ? null : r.int(0, 1000) / 8, env: r.pick(['prod', 'test', null]) })),
  }),
  input: old,
  api: { 'POST https://duty.example/v2/incidents': (f, q) => ({ id: `I${q.id}` }), 'POST https://duty.example/v2/incidents/:id/notes': () => ({ ok: true }), 'PUT https://duty.example/v2/incidents/:id': (f, q) => ({ id: q.params.id }) },
  changes: [{
    name: 'unified',
    happened: 'the event has alerts with labels, annotations and values, status is firing or resolved, and the name of the rule is the label alertname',
    tells: [['alerts', 'state', 'status', 'ruleName', 'alertname']],
    input: unified,
    right: {
      'made old': [['export const main = (event: LegacyAlert) => new Duty().handle(event);', `const legacy = (event: any): LegacyAlert =>\n  event.alerts ? ${adapt} : event;\n\nexport const main = (event: any) => new Duty().handle(legacy(event));`]],
      'a subclass': [['export const main = (event: LegacyAlert) => new Duty().handle(event);', `class UnifiedDuty extends Duty {\n  async handle(event: any): Promise<string> {\n    return super.handle(${adapt.replace("event.status === 'resolved' ? 'ok' : event.alerts[0].labels.nodata ? 'no_data' : 'alerting'", "event.status === 'firing' ? ('nodata' in event.alerts[0].labels ? 'no_data' : 'alerting') : 'ok'")});\n  }\n}\n\nexport const main = (event: any) => ('alerts' in event ? new UnifiedDuty() : new Duty()).handle(event);`]],
      'by steps': [['export const main = (event: LegacyAlert) => new Duty().handle(event);', "export const main = async (event: any) => {\n  if (!Array.isArray(event.alerts)) return new Duty().handle(event);\n  const [{ labels, annotations, generatorURL }] = event.alerts;\n  const evalMatches: Match[] = [];\n  for (const a of event.alerts) if (a.values !== null) evalMatches.push({ metric: a.labels.metric, value: a.values.B, tags: { env: a.labels.env } });\n  let state: LegacyAlert['state'] = 'ok';\n  if (event.status === 'firing') state = labels.nodata === 'true' ? 'no_data' : 'alerting';\n  return new Duty().handle({ ruleId: 0, ruleName: labels.alertname, ruleUrl: generatorURL, state, message: annotations.description, evalMatches });\n};"]],
    },
    wrong: {
      'nothing to do': [['default:\n        return', "default:\n        if (!alert.state) return 'nothing to do';\n        return"]],
      'the first alert': [['export const main = (event: LegacyAlert) => new Duty().handle(event);', `export const main = (event: any) => new Duty().handle(event.alerts ? ${adapt.replace('event.alerts.filter', 'event.alerts.slice(0, 1).filter')} as any : event);`]],
      'no data is an alert': [['export const main = (event: LegacyAlert) => new Duty().handle(event);', `export const main = (event: any) => new Duty().handle(event.alerts ? ${adapt.replace("event.alerts[0].labels.nodata ? 'no_data' : ", '')} as any : event);`]],
      'no values': [['export const main = (event: LegacyAlert) => new Duty().handle(event);', `export const main = (event: any) => new Duty().handle(event.alerts ? ${adapt.replace(/evalMatches: .*,\n/, 'evalMatches: [],\n')} as any : event);`]],
    },
  }, {
    name: 'null-matches-and-capitals',
    happened: 'evalMatches is null where there is none, values are texts, tags are a list of env=prod, and the state is in capitals',
    tells: [['evalMatches', 'state', 'value', 'tags']],
    input: (f) => { const o = old(f); return { ...o, state: f.state.toUpperCase(), evalMatches: o.evalMatches.length ? o.evalMatches.map((m) => ({ ...m, value: m.value === null ? null : String(m.value), tags: m.tags ? Object.entries(m.tags).map((p) => p.join('=')) : [] })) : null }; },
    right: {
      'made old': [['new Duty().handle(event);', "new Duty().handle({\n  ...event,\n  state: event.state.toLowerCase() as LegacyAlert['state'],\n  evalMatches: (event.evalMatches ?? []).map((m: any) => ({ ...m, value: m.value === null ? null : Number(m.value), tags: Array.isArray(m.tags) ? Object.fromEntries(m.tags.map((t: string) => t.split('='))) : m.tags })),\n});"]],
      'in each place': [['evalMatches, message =', 'evalMatches: given, message ='], ['const values = evalMatches.map', 'const evalMatches = given ?? [];\n    const values = evalMatches.map'], ['value.toFixed(1)', 'Number(value).toFixed(1)'], ['switch (alert.state)', 'switch (alert.state.toLowerCase())'], ["alert.evalMatches.some((m) => m.tags?.env === 'prod')", "(alert.evalMatches || []).some((m: any) => (Array.isArray(m.tags) ? m.tags.includes('env=prod') : m.tags?.env === 'prod'))"], ["'nothing to do for ' + alert.state", "'nothing to do for ' + alert.state.toLowerCase()"]],
      'a function of the event': [['class Duty', "function tidy(event: any): LegacyAlert {\n  const evalMatches: Match[] = [];\n  for (const { metric, value, tags } of event.evalMatches || []) {\n    const env = [tags].flat().map((t: any) => (typeof t === 'string' ? t.replace('env=', '') : t?.env)).find(Boolean);\n    evalMatches.push({ metric, value: value === null ? null : +value, tags: env ? { env } : null });\n  }\n  return { ...event, evalMatches, state: String(event.state).toLowerCase() };\n}\n\nclass Duty"], ['new Duty().handle(event)', 'new Duty().handle(tidy(event))']],
    },
    wrong: {
      'the state only': [['new Duty().handle(event);', "new Duty().handle({ ...event, state: event.state.toLowerCase() as LegacyAlert['state'], evalMatches: event.evalMatches ?? [] });"], ['value.toFixed(1)', 'Number(value).toFixed(1)']],
      'none is zero': [['new Duty().handle(event);', "new Duty().handle({\n  ...event,\n  state: event.state.toLowerCase() as LegacyAlert['state'],\n  evalMatches: (event.evalMatches ?? []).map((m: any) => ({ ...m, value: Number(m.value), tags: Array.isArray(m.tags) ? Object.fromEntries(m.tags.map((t: string) => t.split('='))) : m.tags })),\n});"]],
      'nothing to do': [["case 'ok': {", "case 'ok':\n      case 'OK' as any: {"]],
      'all is urgent': [['new Duty().handle(event);', "new Duty().handle({ ...event, state: event.state.toLowerCase() as LegacyAlert['state'], evalMatches: (event.evalMatches ?? []).map((m: any) => ({ ...m, value: m.value === null ? null : Number(m.value) })) });"], ["m.tags?.env === 'prod'", "m.tags !== null"]],
    },
  }, {
    name: 'rule-object',
    happened: 'rule is an object with id, name and url in place of ruleId, ruleName and ruleUrl',
    tells: [['rule', 'ruleName']],
    input: (f) => { const { ruleId, ruleName, ruleUrl, ...o } = old(f); return { ...o, rule: { id: ruleId, name: ruleName, url: ruleUrl } }; },
    right: {
      'made old': [['new Duty().handle(event);', 'new Duty().handle((event as any).rule ? { ...event, ruleName: (event as any).rule.name, ruleUrl: (event as any).rule.url } : event);']],
      'in each place': [['{ ruleName, evalMatches,', '{ rule, ruleName = rule?.name, evalMatches,'], ["message = 'no message' }: LegacyAlert", "message = 'no message' }: any"], ['evalMatches.map(({ metric, value }) =>', 'evalMatches.map(({ metric, value }: Match) =>'], ['async handle(alert: LegacyAlert)', 'async handle(alert: any)'], ['const key = alert.ruleName;', 'const key = alert.ruleName ?? alert.rule.name;'], ['alert.ruleUrl', '(alert.ruleUrl ?? alert.rule.url)'], ['some((m) =>', 'some((m: Match) =>']],
      'destructured': [['export const main = (event: LegacyAlert) => new Duty().handle(event);', "export const main = ({ rule: { name, url } = {}, ...event }: any) =>\n  new Duty().handle({ ruleName: name, ruleUrl: url, ...event });"]],
    },
    wrong: {
      'one for all': [['const key = alert.ruleName;', "const key = alert.ruleName ?? 'rule';"]],
      'the number for the name': [['new Duty().handle(event);', 'new Duty().handle((event as any).rule ? { ...event, ruleName: String((event as any).rule.id), ruleUrl: (event as any).rule.url } : event);']],
      'no link': [['new Duty().handle(event);', 'new Duty().handle((event as any).rule ? { ...event, ruleName: (event as any).rule.name } : event);']],
    },
  }],
};
