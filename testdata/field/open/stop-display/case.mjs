const LIST = 'GET https://v5.bvg.example/stops/:stop/departures';
const of = (d) => ({ tripId: d.trip, when: d.gone ? null : d.when, plannedWhen: d.planned, delay: d.gone ? null : d.delay, platform: d.platform, direction: d.to, line: { type: 'line', name: d.line, product: d.product } });
const ask = (make, whole = (list) => list) => (f, q) => whole((f.stops[q.params.stop] ?? []).map(make));
const v6 = (list) => ({ departures: list, realtimeDataUpdatedAt: 1772000000 });
const LOAD = '  return res.json();';
export default {
  source: 'https://github.com/vas3k/home-assistant-berlin-transport/issues/15: version 6 of the departures of Berlin wraps the list in an object with departures; older ones had scheduledWhen for plannedWhen',
  says: 'Show the next departures of home and office on the displays.',
  zone: 'Europe/Berlin',
  facts: (day, r) => {
    const stop = () => r.many(day === 2 ? 0 : 1, 6, (i) => {
      const planned = Date.UTC(2026, 2, 20 + day, 6, 5 * i + r.int(0, 4)), delay = r.pick([null, 0, 60, 120, 300, -60]), zone = '+01:00';
      const iso = (at) => new Date(at + 3600000).toISOString().slice(0, 19) + zone;
      return { trip: `1|${day}${i}`, planned: iso(planned), when: iso(planned + (delay ?? 0) * 1000), delay, gone: r.chance(0.12), platform: r.pick([null, '1', '2b']), to: r.pick(['Pankow', 'Ruhleben', 'Schöneweide', 'Alt-Mariendorf']), ...r.pick([{ line: 'U2', product: 'subway' }, { line: 'M10', product: 'tram' }, { line: '100', product: 'bus' }, { line: 'U6', product: 'subway' }]) };
    });
    return { stops: { 900013102: stop(), 900100003: stop() } };
  },
  api: { [LIST]: ask(of), 'POST https://display.example/boards/:name': { ok: true } },
  changes: [{
    name: 'wrapped',
    happened: 'the list is in departures of an object',
    tells: ['departures'],
    api: { [LIST]: ask(of, v6) },
    right: {
      'unwrapped when read': [[LOAD, '  const body = await res.json();\n  return Array.isArray(body) ? body : body.departures;']],
      'where it is used': [['Array.from(all)', '(all.departures ?? all)']],
      'in the pair': [['[name, await departures(STOPS[name])]', "[name, await departures(STOPS[name]).then((b) => ('departures' in b ? b.departures : b))]"]],
    },
    wrong: {
      'all values': [['Array.from(all)', 'Object.values(all).flat()'], ['products.includes(d.line.product)', 'd.line && products.includes(d.line.product) && d.line.name !== "M10"']],
      'an empty list': [[LOAD, '  const body = await res.json();\n  return Array.isArray(body) ? body : [];']],
      'nothing for what is no list': [['    const wanted =', '    if (!Array.isArray(all)) continue;\n    const wanted =']],
      'the first ones': [['Array.from(all)', '(all.departures?.slice(0, 2) ?? all)']],
    },
  }, {
    name: 'v6',
    happened: 'the list is in departures, direction is destination.name, a cancelled one has cancelled beside its planned time in when',
    tells: ['direction', 'destination'],
    api: { [LIST]: ask((d) => { const { direction, when, ...rest } = of(d); return { ...rest, when: d.gone ? d.planned : when, ...(d.gone ? { cancelled: true } : {}), destination: { type: 'stop', id: `9${direction.length}`, name: direction } }; }, v6) },
    right: {
      'an adapter': [[LOAD, '  const body = await res.json();\n  return (body.departures ?? body).map((d) => ({ ...d, when: d.cancelled ? null : d.when, direction: d.direction ?? d.destination.name }));']],
      'in the line': [
        [LOAD, '  const body = await res.json();\n  return body.departures || body;'],
        ['const { line, direction, platform } = departure;', 'const { line, destination, direction = destination.name, platform } = departure;'],
        ['departure.when === null', 'departure.when === null || departure.cancelled'],
      ],
      'made old in the loop': [['    const wanted = Array.from(all)', `    const list = Array.isArray(all) ? all : all.departures;
    for (const d of list) {
      if (d.destination) d.direction = d.destination.name;
      if (d.cancelled === true) d.when = null;
    }
    const wanted = list`]],
    },
    wrong: {
      'without the cancelled': [[LOAD, '  const body = await res.json();\n  return (body.departures ?? body).map((d) => ({ ...d, direction: d.direction ?? d.destination.name }));']],
      'without the direction': [['Array.from(all)', '(all.departures ?? all)'], ['departure.when === null', 'departure.when === null || departure.cancelled']],
      'the object': [[LOAD, '  const body = await res.json();\n  return (body.departures ?? body).map((d) => ({ ...d, when: d.cancelled ? null : d.when, direction: d.direction ?? d.destination }));']],
      'leaves them out': [[LOAD, '  const body = await res.json();\n  return (body.departures ?? body).filter((d) => !d.cancelled).map((d) => ({ ...d, direction: d.direction ?? d.destination.name }));']],
    },
  }, {
    name: 'minutes',
    happened: 'delay is in minutes and is called delayMinutes, times are in UTC, plannedWhen is scheduledWhen',
    tells: ['delay', 'plannedWhen'],
    api: { [LIST]: ask((d) => { const { delay, plannedWhen, when, ...rest } = of(d); const z = (t) => t && new Date(t).toISOString(); return { ...rest, when: z(when), scheduledWhen: z(plannedWhen), delayMinutes: delay === null ? null : delay / 60 }; }) },
    right: {
      'in the parameter': [['({ delay }) =>', '({ delayMinutes, delay = delayMinutes * 60 }) =>'], ['departure.plannedWhen', '(departure.plannedWhen ?? departure.scheduledWhen)']],
      'an adapter': [[LOAD, "  return (await res.json()).map((d) => ('delayMinutes' in d ? { ...d, delay: d.delayMinutes === null ? null : d.delayMinutes * 60, plannedWhen: d.scheduledWhen } : d));"]],
      'computed': [['const late = ({ delay }) =>', 'const seconds = (d) => (d.delay === undefined ? (Date.parse(d.when) - Date.parse(d.scheduledWhen)) / 1000 : d.delay);\n\nconst late = (d, delay = seconds(d)) =>'], ['clock(departure.plannedWhen)', 'clock(departure.plannedWhen || departure.scheduledWhen)']],
    },
    wrong: {
      'without the unit': [['({ delay }) =>', '({ delayMinutes, delay = delayMinutes }) =>'], ['departure.plannedWhen', '(departure.plannedWhen ?? departure.scheduledWhen)']],
      'only the planned': [['departure.plannedWhen', '(departure.plannedWhen ?? departure.scheduledWhen)']],
      'zero': [['({ delay }) =>', '({ delay = 0 }) =>'], ['departure.plannedWhen', '(departure.plannedWhen ?? departure.when)']],
      'milliseconds': [['({ delay }) =>', '({ delayMinutes, delay = delayMinutes * 60000 }) =>'], ['departure.plannedWhen', '(departure.plannedWhen ?? departure.scheduledWhen)']],
    },
  }],
};
