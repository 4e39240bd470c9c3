const route = 'GET https://rides.example/api/v3/athlete/activities';
const old = (a) => ({ id: a.id, name: a.name, type: a.type, distance: a.m, moving_time: a.secs, total_elevation_gain: a.up, start_date: a.at, start_date_local: a.local, start_latitude: a.lat, start_longitude: a.lat === null ? null : 13.42, gear_id: a.gear });
const page = (f, q, shape) => { const n = Number(q.query.page), size = Number(q.query.per_page); return f.activities.slice((n - 1) * size, n * size).map(shape); };
export default {
  source: 'https://github.com/mandieq/strava_related/issues/1 and https://github.com/stravalib/stravalib/pull/54 (both opened): latitude and longitude apart became one pair, members of an activity were taken away; type and sport_type are from memory',
  says: 'Tell the club what I rode in the week',
  zone: 'Europe/Berlin',
  facts: (day, r) => ({
    slot: new Date(Date.UTC(2026, 4, 1 + day * 7, 18)).toISOString(), types: r.pick([undefined, undefined, ['Ride']]),
    activities: r.many(day === 7 ? 0 : 1, 8, (i) => { const at = new Date(Date.UTC(2026, 4, 1 + day * 7 - (i % 6), r.int(5, 23), 10)); return { id: day * 10 + i, name: r.pick(['Morgenrunde', 'To “work”']), type: r.pick(['Ride', 'Ride', 'Run', 'Swim']), m: r.int(1000, 90000) + 0.5, secs: r.int(600, 20000), up: r.int(0, 9000) / 10, at: at.toISOString(), local: new Date(at.getTime() + 7200000).toISOString(), lat: r.pick([52.51, 52.48, 48.1, null]), gear: r.pick(['b1', 'b2', null]) }; }),
  }),
  input: (f) => (f.types ? { slot: f.slot, types: f.types } : { slot: f.slot }),
  api: { [route]: (f, q) => page(f, q, old), 'POST https://club.example/api/posts': (f, q) => ({ id: q.id }) },
  changes: [{
    name: 'pair-and-sport-type',
    happened: 'start_latitude and start_longitude are null, start_latlng is a pair or an empty list, type is gone and sport_type is finer: GravelRide and MountainBikeRide are rides, TrailRun is a run',
    tells: [['start_latlng', 'latlng', 'start_latitude', 'sport_type', 'type']],
    api: { [route]: (f, q) => page(f, q, (a) => { const { type, ...o } = old(a); return { ...o, start_latitude: null, start_longitude: null, start_latlng: a.lat === null ? [] : [a.lat, 13.42], sport_type: type === 'Ride' ? ['Ride', 'GravelRide', 'MountainBikeRide'][a.id % 3] : type === 'Run' && a.id % 2 ? 'TrailRun' : type }; }) },
    right: {
      'made old': [['found.push(...list)', "found.push(...list.map((a: any) => (a.sport_type ? { ...a, type: a.sport_type.replace(/^(Gravel|MountainBike)Ride$/, 'Ride').replace('TrailRun', 'Run'), start_latitude: a.start_latlng[0] ?? null, start_longitude: a.start_latlng[1] ?? null } : a)))"]],
      'a table': [['const home =', "const KINDS: Record<string, string> = { GravelRide: 'Ride', MountainBikeRide: 'Ride', TrailRun: 'Run' }\n\nconst home ="], ['(await activities(after))', '(await activities(after)).map((a: any): Activity => ({ ...a, type: a.type ?? KINDS[a.sport_type] ?? a.sport_type }))'], ['const fromHome = (a: Activity) => a.start_latitude !== null', 'const fromHome = (given: Activity) => near({ ...given, ...pair(given) })\nconst pair = ({ start_latlng: p }: any) => (p?.length ? { start_latitude: p[0], start_longitude: p[1] } : {})\nconst near = (a: Activity) => a.start_latitude !== null']],
      'in place': [['(a) => types.includes(a.type))', "(a) => {\n    a.type ??= (a as any).sport_type.endsWith('Ride') ? 'Ride' : (a as any).sport_type.endsWith('Run') ? 'Run' : (a as any).sport_type\n    return types.includes(a.type)\n  })"], ['const fromHome = (a: Activity) => a.start_latitude !== null && a.start_longitude !== null && Math.abs(a.start_latitude - home.lat) < 0.05 && Math.abs(a.start_longitude - home.lng) < 0.05', 'const fromHome = (a: any): boolean => {\n  const [lat = null, lng = null] = a.start_latlng ?? [a.start_latitude, a.start_longitude]\n  return lat !== null && lng !== null && Math.abs(lat - home.lat) < 0.05 && Math.abs(lng - home.lng) < 0.05\n}']],
    },
    wrong: {
      'the finer word': [['found.push(...list)', 'found.push(...list.map((a: any) => (a.sport_type ? { ...a, type: a.sport_type, start_latitude: a.start_latlng[0] ?? null, start_longitude: a.start_latlng[1] ?? null } : a)))']],
      'none from home': [['found.push(...list)', "found.push(...list.map((a: any) => (a.sport_type ? { ...a, type: a.sport_type.replace(/^(Gravel|MountainBike)Ride$/, 'Ride').replace('TrailRun', 'Run') } : a)))"]],
      'all are rides': [['found.push(...list)', "found.push(...list.map((a: any) => (a.sport_type ? { ...a, type: 'Ride', start_latitude: a.start_latlng[0] ?? null, start_longitude: a.start_latlng[1] ?? null } : a)))"]],
      'nothing': [['types.includes(a.type)', "types.includes(a.type ?? '')"]],
    },
  }, {
    name: 'units',
    happened: 'distance is kilometres below metrics, moving_time an ISO duration such as PT1H2M3S, and the climb a text with m',
    tells: [['distance', 'metrics', 'moving_time', 'duration']],
    api: { [route]: (f, q) => page(f, q, (a) => { const { distance, moving_time: s, total_elevation_gain: up, ...o } = old(a); return { ...o, metrics: { kilometers: distance / 1000, moving: `PT${s >= 3600 ? `${Math.floor(s / 3600)}H` : ''}${Math.floor(s / 60) % 60}M${s % 60}S`, climb: `${up} m` } }; }) },
    right: {
      'made old': [['found.push(...list)', "found.push(...list.map((a: any) => {\n      if (!a.metrics) return a\n      const [, h = 0, m = 0, s = 0] = /^PT(?:(\\d+)H)?(?:(\\d+)M)?(?:(\\d+)S)?$/.exec(a.metrics.moving)!\n      return { ...a, distance: Math.round(a.metrics.kilometers * 10000) / 10, moving_time: Number(h || 0) * 3600 + Number(m || 0) * 60 + Number(s || 0), total_elevation_gain: parseFloat(a.metrics.climb) }\n    }))"]],
      'readers': [['(a) => a.distance)', '(a) => metres(a))'], ['(a) => a.moving_time)', '(a) => seconds(a))'], ['(a) => a.total_elevation_gain)', "(a) => a.total_elevation_gain ?? Number((a as any).metrics.climb.split(' ')[0]))"], ['const totals =', "const metres = (a: any): number => a.distance ?? Number((a.metrics.kilometers * 1000).toFixed(1))\nconst seconds = (a: any): number => {\n  if (!a.metrics) return a.moving_time\n  let n = 0\n  for (const [, digits, unit] of a.metrics.moving.matchAll(/(\\d+)([HMS])/g)) n += Number(digits) * ({ H: 3600, M: 60, S: 1 } as any)[unit]\n  return n\n}\n\nconst totals ="]],
      'by a class': [['found.push(...list)', 'found.push(...list.map((a: any) => (a.metrics ? (new Modern(a) as unknown as Activity) : a)))'], ['async function activities', "class Modern {\n  distance: number\n  moving_time: number\n  total_elevation_gain: number\n  constructor(a: any) {\n    Object.assign(this, a)\n    this.distance = Math.round(a.metrics.kilometers * 1e4) / 10\n    this.moving_time = a.metrics.moving.slice(2).split(/(?<=[HMS])/).reduce((n: number, part: string) => n + parseInt(part, 10) * (part.endsWith('H') ? 3600 : part.endsWith('M') ? 60 : 1), 0)\n    this.total_elevation_gain = Number(a.metrics.climb.replace(' m', ''))\n  }\n}\n\nasync function activities"]],
    },
    wrong: {
      'kilometres as metres': [['found.push(...list)', "found.push(...list.map((a: any) => {\n      if (!a.metrics) return a\n      const [, h = 0, m = 0, s = 0] = /^PT(?:(\\d+)H)?(?:(\\d+)M)?(?:(\\d+)S)?$/.exec(a.metrics.moving)!\n      return { ...a, distance: a.metrics.kilometers, moving_time: Number(h || 0) * 3600 + Number(m || 0) * 60 + Number(s || 0), total_elevation_gain: parseFloat(a.metrics.climb) }\n    }))"]],
      'no time': [['found.push(...list)', "found.push(...list.map((a: any) => (a.metrics ? { ...a, distance: a.metrics.kilometers * 1000, moving_time: Number(a.metrics.moving) || 0, total_elevation_gain: parseFloat(a.metrics.climb) } : a)))"]],
      'without the hours': [['found.push(...list)', "found.push(...list.map((a: any) => {\n      if (!a.metrics) return a\n      const [, m, s] = /(\\d+)M(\\d+)S/.exec(a.metrics.moving)!\n      return { ...a, distance: a.metrics.kilometers * 1000, moving_time: Number(m) * 60 + Number(s), total_elevation_gain: parseFloat(a.metrics.climb) }\n    }))"]],
      'zero': [['(a) => a.distance)', '(a) => a.distance ?? 0)'], ['(a) => a.moving_time)', '(a) => a.moving_time ?? 0)'], ['(a) => a.total_elevation_gain)', '(a) => a.total_elevation_gain ?? 0)']],
    },
  }, {
    name: 'local-time-and-gear',
    happened: 'start_date_local is gone: there are start_date in UTC and utc_offset in seconds, and gear is an object with an id or absent',
    tells: [['start_date_local', 'utc_offset', 'gear']],
    api: { [route]: (f, q) => page(f, q, (a) => { const { start_date_local, gear_id, ...o } = old(a); return { ...o, utc_offset: 7200, ...(gear_id ? { gear: { id: gear_id, name: 'x' } } : {}) }; }) },
    right: {
      'made old': [['found.push(...list)', 'found.push(...list.map((a: any) => (a.utc_offset === undefined ? a : { ...a, gear_id: a.gear?.id ?? null, start_date_local: new Date(Date.parse(a.start_date) + a.utc_offset * 1000).toISOString() })))']],
      'in each place': [['(a) => a.start_date_local.slice', '(a) => (a.start_date_local ?? new Date(new Date(a.start_date).getTime() + 1000 * (a as any).utc_offset).toJSON()).slice'], ["groupBy(list, 'gear_id')", "groupBy(list.map((a: any) => ({ ...a, gear_id: a.gear_id ?? a.gear?.id ?? null })) as Activity[], 'gear_id')"]],
      'mutated': [['const byType =', "for (const a of list as any[]) {\n    if ('start_date_local' in a) continue\n    const local = new Date(a.start_date)\n    local.setUTCSeconds(local.getUTCSeconds() + a.utc_offset)\n    a.start_date_local = local.toISOString()\n    a.gear_id = a.gear ? a.gear.id : null\n  }\n  const byType ="]],
    },
    wrong: {
      'days of UTC': [['(a) => a.start_date_local.slice', '(a) => (a.start_date_local ?? a.start_date).slice'], ["groupBy(list, 'gear_id')", "groupBy(list.map((a: any) => ({ ...a, gear_id: a.gear_id ?? a.gear?.id ?? null })) as Activity[], 'gear_id')"]],
      'no wear': [['(a) => a.start_date_local.slice', '(a) => (a.start_date_local ?? new Date(new Date(a.start_date).getTime() + 1000 * (a as any).utc_offset).toJSON()).slice']],
      'all on one': [['found.push(...list)', "found.push(...list.map((a: any) => (a.utc_offset === undefined ? a : { ...a, gear_id: 'b1', start_date_local: new Date(Date.parse(a.start_date) + a.utc_offset * 1000).toISOString() })))"]],
    },
  }],
};
