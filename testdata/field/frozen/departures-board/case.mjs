const route = 'GET https://transit.example/stops/:stop/departures';
const iso = (ms) => new Date(ms + 7200000).toISOString().slice(0, 19) + '+02:00';
const at = (f) => Date.parse(f.at);
const real = (f, d) => at(f) + (d.min + d.delay) * 60000, planned = (f, d) => at(f) + d.min * 60000;
const common = (d) => ({ tripId: d.id, line: { type: 'line', name: d.line, product: d.kind }, direction: d.to, remarks: d.notes.map((text) => ({ type: text.startsWith('!') ? 'warning' : 'hint', text })) });
const old = (f, d) => ({ ...common(d), when: d.gone ? null : iso(real(f, d)), scheduledWhen: iso(planned(f, d)), delay: d.gone ? null : d.delay * 60, ...(d.gone ? { cancelled: true } : {}), platform: d.track });
const of = (f, q) => f.departures.filter((d) => d.stop === q.params.stop);
const v6 = (f, d) => { const { scheduledWhen, remarks, ...o } = old(f, d); return { ...o, plannedWhen: scheduledWhen, plannedPlatform: d.track, remarks: remarks.length ? remarks : null }; };
export default {
  source: 'https://github.com/public-transport/hafas-client/pull/260 and https://github.com/derhuerst/db-rest/issues/5 (both opened): answers speak of planned times beside real ones; that scheduledWhen became plannedWhen, and lists an object, is from memory of the migration guides',
  says: 'Show the departures near us on the panel',
  zone: 'Europe/Berlin',
  facts: (day, r) => ({
    at: `2026-08-${String(day + 1).padStart(2, '0')}T06:30:00Z`,
    departures: r.many(day === 3 ? 0 : 2, 8, (i) => ({ id: `${day}|${i}`, stop: r.pick(['900100', '900200']), line: r.pick(['S7', '104', 'M10']), kind: r.pick(['suburban', 'bus', 'tram', 'ferry']), to: r.pick(['Größe Str.', 'U Nollendorfplatz', 'Zoo & Park']), min: r.int(5, 40), delay: r.pick([0, 0, 3, -1]), gone: r.chance(0.2), track: r.pick([null, '3', '12a']), notes: r.some(['!Bauarbeiten “S7”', 'Fahrradmitnahme']) })),
  }),
  input: (f) => ({ at: f.at }),
  api: { [route]: (f, q) => of(f, q).map((d) => old(f, d)), 'PUT https://panel.example/api/lines': () => ({ ok: true }) },
  changes: [{
    name: 'v6',
    happened: 'departures are below departures, scheduledWhen is plannedWhen, and remarks are null where there are none',
    tells: [['departures', 'plannedWhen', 'remarks']],
    api: { [route]: (f, q) => ({ departures: of(f, q).map((d) => v6(f, d)), realtimeDataUpdatedAt: at(f) / 1000 }) },
    right: {
      'in place': [['return last.json();', 'const body = await last.json();\n  return body.departures ?? body;'], ['{ when, scheduledWhen, delay,', '{ when, plannedWhen, scheduledWhen = plannedWhen, delay,'], ['remarks.filter', '(remarks ?? []).filter']],
      'made old': [['return last.json();', 'const body = await last.json();\n  if (Array.isArray(body)) return body;\n  return body.departures.map(({ plannedWhen, remarks, ...d }) => ({ ...d, scheduledWhen: plannedWhen, remarks: remarks || [] }));']],
      'a function for rows': [['function row(stop, {', "const classic = (d) => ('plannedWhen' in d ? Object.assign({}, d, { scheduledWhen: d.plannedWhen, remarks: [].concat(d.remarks ?? []) }) : d);\n\nfunction row(stop, {"], ['(await departures(stop, at)).map((d) => row(stop, d, now))', '[await departures(stop, at)].flatMap((a) => a.departures || a).map((d) => row(stop, classic(d), now))']],
    },
    wrong: {
      'no departures': [['return last.json();', 'const body = await last.json();\n  return Array.isArray(body) ? body : [];'], ['remarks.filter', '(remarks ?? []).filter']],
      'cancelled ones in 1970': [['return last.json();', 'const body = await last.json();\n  return body.departures ?? body;'], ['remarks.filter', '(remarks ?? []).filter'], ['cancelled ? scheduledWhen : when', 'cancelled ? scheduledWhen ?? when : when']],
      'no notes': [['return last.json();', 'const body = await last.json();\n  return body.departures ?? body;'], ['{ when, scheduledWhen, delay,', '{ when, plannedWhen, scheduledWhen = plannedWhen, delay,'], ['remarks.filter', '(Array.isArray(remarks) && scheduledWhen !== plannedWhen ? remarks : []).filter']],
      'planned times for all': [['return last.json();', 'const body = await last.json();\n  return body.departures ?? body;'], ['{ when, scheduledWhen, delay,', '{ when, plannedWhen, scheduledWhen = plannedWhen, delay,'], ['remarks.filter', '(remarks ?? []).filter'], ['cancelled ? scheduledWhen : when', 'plannedWhen ?? (cancelled ? scheduledWhen : when)']],
    },
  }, {
    name: 'times-as-objects',
    happened: 'times are below time as planned and realtime in seconds, realtime is null for what is cancelled, delay is gone, and the state CANCELLED is in status',
    tells: [['time', 'when', 'delay', 'status']],
    api: { [route]: (f, q) => of(f, q).map((d) => ({ ...common(d), time: { planned: planned(f, d) / 1000, realtime: d.gone ? null : real(f, d) / 1000 }, status: d.gone ? 'CANCELLED' : 'OK', platform: d.track })) },
    right: {
      'made old': [['return last.json();', "return (await last.json()).map((d) => (d.time ? { ...d, when: d.time.realtime && d.time.realtime * 1000, scheduledWhen: d.time.planned * 1000, delay: d.time.realtime ? d.time.realtime - d.time.planned : null, cancelled: d.status === 'CANCELLED' } : d));"]],
      'defaults': [['{ when, scheduledWhen, delay, line: { name, product }, direction, cancelled = false, platform, remarks }', "{ time, status, when = time?.realtime * 1000, scheduledWhen = time?.planned * 1000, delay = time?.realtime ? time.realtime - time.planned : 0, line: { name, product }, direction, cancelled = status === 'CANCELLED', platform, remarks }"]],
      'two rows': [['.map((d) => row(stop, d, now))', '.map((d) => (d.time ? timed(stop, d, now) : row(stop, d, now)))'], ['const board =', "function timed(stop, { time: { planned, realtime }, status, ...rest }, now) {\n  const cancelled = status === 'CANCELLED';\n  const stamp = (s) => (s === null ? null : new Date(s * 1000).toISOString());\n  return row(stop, { ...rest, cancelled, when: stamp(realtime), scheduledWhen: stamp(planned), delay: cancelled ? null : realtime - planned }, now);\n}\n\nconst board ="]],
    },
    wrong: {
      'without delays': [['return last.json();', "return (await last.json()).map((d) => (d.time ? { ...d, when: d.time.planned * 1000, scheduledWhen: d.time.planned * 1000, cancelled: d.status === 'CANCELLED' } : d));"]],
      'cancelled ones run': [['return last.json();', "return (await last.json()).map((d) => (d.time ? { ...d, when: (d.time.realtime ?? d.time.planned) * 1000, delay: d.time.realtime ? d.time.realtime - d.time.planned : null } : d));"]],
      'seconds as milliseconds': [['return last.json();', "return (await last.json()).map((d) => (d.time ? { ...d, when: d.time.realtime, scheduledWhen: d.time.planned, delay: d.time.realtime ? d.time.realtime - d.time.planned : null, cancelled: d.status === 'CANCELLED' } : d));"]],
    },
  }, {
    name: 'minutes-and-words',
    happened: 'delay is delayMinutes, and line is a text with the product behind a comma',
    tells: [['delay', 'line', 'product']],
    api: { [route]: (f, q) => of(f, q).map((d) => { const { line, delay, ...o } = old(f, d); return { ...o, delayMinutes: delay === null ? null : delay / 60, line: `${d.line},${d.kind}` }; }) },
    right: {
      'made old': [['return last.json();', "const list = await last.json();\n  return list.map((d) => {\n    if (typeof d.line !== 'string') return d;\n    const [name, product] = d.line.split(',');\n    return { ...d, line: { name, product }, delay: d.delayMinutes * 60 };\n  });"]],
      'defaults': [['{ when, scheduledWhen, delay, line: { name, product }, direction', '{ when, scheduledWhen, delayMinutes, delay = (delayMinutes ?? 0) * 60, line, direction'], ['  const notes = remarks', "  const [name, product] = typeof line === 'string' ? line.split(',') : [line.name, line.product];\n  const notes = remarks"]],
      'in the call': [['row(stop, d, now)', "row(stop, d.line.split ? { ...d, line: { name: d.line.replace(/,.*/, ''), product: d.line.replace(/.*,/, '') }, delay: 60 * (d.delayMinutes || 0) } : d, now)"]],
    },
    wrong: {
      'never late': [['line: { name, product }, direction', 'line, direction'], ['  const notes = remarks', "  const [name, product] = typeof line === 'string' ? line.split(',') : [line.name, line.product];\n  const notes = remarks"]],
      'minutes as seconds': [['{ when, scheduledWhen, delay, line: { name, product }, direction', '{ when, scheduledWhen, delayMinutes, delay = delayMinutes, line, direction'], ['  const notes = remarks', "  const [name, product] = typeof line === 'string' ? line.split(',') : [line.name, line.product];\n  const notes = remarks"]],
      'no icon': [['{ when, scheduledWhen, delay, line: { name, product }, direction', '{ when, scheduledWhen, delayMinutes, delay = (delayMinutes ?? 0) * 60, line, direction'], ['  const notes = remarks', "  const { name = String(line).split(',')[0], product } = line;\n  const notes = remarks"]],
    },
  }],
};
