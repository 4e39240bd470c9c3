const I = 'GET https://bikes.example/gbfs/2.3/station_information.json', S = 'GET https://bikes.example/gbfs/2.3/station_status.json';
const feed = (f, stations) => ({ last_updated: f.now, ttl: 60, version: '2.3', data: { stations } });
const info = (s) => ({ station_id: s.id, name: s.name, lat: s.lat, lon: s.lon, ...(s.room ? { capacity: s.room } : {}) });
const status = (f) => (s) => ({ station_id: s.id, num_bikes_available: s.bikes, ...(s.electric === null ? {} : { num_ebikes_available: s.electric }), num_docks_available: s.docks, is_renting: s.rents ? 1 : 0, is_returning: s.returns ? 1 : 0, last_reported: f.now - s.old });
const v3 = (f) => (s) => { const { num_bikes_available, num_ebikes_available, is_renting, is_returning, last_reported, ...o } = status(f)(s); return { ...o, num_vehicles_available: s.bikes, ...(s.electric === null ? {} : { vehicle_types_available: [{ vehicle_type_id: 'bike', count: s.bikes - s.electric }, { vehicle_type_id: 'ebike', count: s.electric }] }), is_renting: s.rents, is_returning: s.returns, last_reported: new Date(last_reported * 1000).toISOString().replace('.000Z', '+00:00') }; };
const iso = (f, stations) => ({ ...feed(f, stations), last_updated: new Date(f.now * 1000).toISOString().replace('.000Z', '+00:00'), version: '3.0' });
export default {
  source: 'https://github.com/motis-project/motis/pull/850, https://github.com/MobilityData/gbfs-validator/pull/209 and https://github.com/MobilityData/gbfs/issues/796 (all opened): version 3.0 of the feeds counts vehicles in place of bikes, and some feeds mix both; names as lists by language and times as texts are from memory of the specification',
  says: 'Tell me before I leave whether there are bikes and docks',
  zone: 'Europe/Berlin',
  facts: (day, r) => {
    const now = Date.UTC(2026, 8, day + 1, 6, 30) / 1000;
    return { slot: new Date(now * 1000).toISOString(), now: now - r.pick([20, 90, 45]), stations: ['Am Markt', 'Größe & Ufer', 'Zoo “Nord”', '駅前', 'Werft', 'Park'].filter(() => r.chance(day === 5 ? 0.1 : 0.85)).map((name, i) => { const bikes = r.int(0, 5); return { id: `s${i}`, name, lat: (i % 2 ? 52.5 : 52.52) + r.int(0, 30) / 10000, lon: 13.4 + r.int(0, 40) / 10000, room: r.pick([20, 12, null]), bikes, electric: r.pick([null, Math.min(bikes, 2)]), docks: r.int(0, 9), rents: r.chance(0.85), returns: r.chance(0.85), old: r.pick([60, 300, 7200]) }; }) };
  },
  input: (f) => ({ slot: f.slot, home: { lat: 52.5, lon: 13.4 }, work: { lat: 52.52, lon: 13.4 } }),
  api: { [I]: (f) => feed(f, f.stations.map(info)), [S]: (f) => feed(f, f.stations.map(status(f))) },
  changes: [{
    name: 'version-3',
    happened: 'bikes are vehicles: num_vehicles_available, electric ones are in a list vehicle_types_available, flags are true and false, times are RFC 3339 texts, and a name is a list of texts by language',
    tells: [['num_vehicles_available', 'num_bikes_available', 'vehicle', 'last_updated', 'name']],
    api: { [I]: (f) => iso(f, f.stations.map((s) => ({ ...info(s), name: [{ text: 'Station ' + s.id, language: 'eo' }, { text: s.name, language: 'de' }] }))), [S]: (f) => iso(f, f.stations.map(v3(f))) },
    right: {
      'made old': [['  return res.json()\n', "  const body: any = await res.json()\n  const seconds = (t: any) => (typeof t === 'string' ? Date.parse(t) / 1000 : t)\n  for (const s of body.data.stations) {\n    if (Array.isArray(s.name)) s.name = s.name.find((n: any) => n.language === 'de').text\n    if (s.num_vehicles_available === undefined) continue\n    s.num_bikes_available = s.num_vehicles_available\n    s.num_ebikes_available = s.vehicle_types_available?.find((v: any) => v.vehicle_type_id === 'ebike').count\n    s.last_reported = seconds(s.last_reported)\n  }\n  return { ...body, last_updated: seconds(body.last_updated) }\n"]],
      'in each place': [['const age = now.last_updated -', "const stamp = (t: number | string) => (typeof t === 'number' ? t : new Date(t).getTime() / 1000)\nconst age = stamp(now.last_updated) -"], ['.map((s) => ({ ...s, away', ".map((s: any) => ({ ...s, name: typeof s.name === 'string' ? s.name : s.name.filter((n: any) => n.language === 'de')[0].text, away"], ['const s = statuses.get(station_id)\n  if (!s ||', "const s: any = statuses.get(station_id)\n  if (s) {\n    s.num_bikes_available ??= s.num_vehicles_available\n    s.num_ebikes_available ??= s.vehicle_types_available?.filter((v: any) => v.vehicle_type_id === 'ebike').reduce((n: number, v: any) => n + v.count, 0)\n  }\n  if (!s ||"], ['now.last_updated - s.last_reported', 'stamp(now.last_updated) - stamp(s.last_reported)']],
      'readers': [['const statuses = new Map(now.data.stations.map((s) => [s.station_id, s]))', "const seconds = (t: unknown) => Math.floor(Number(t)) || Date.parse(String(t)) / 1000\nnow.last_updated = seconds(now.last_updated)\nconst plain = (s: any): Status => ({\n  ...s,\n  num_bikes_available: s.num_vehicles_available ?? s.num_bikes_available,\n  num_ebikes_available: s.vehicle_types_available ? Object.fromEntries(s.vehicle_types_available.map((v: any) => [v.vehicle_type_id, v.count])).ebike : s.num_ebikes_available,\n  last_reported: seconds(s.last_reported),\n})\nconst statuses = new Map(now.data.stations.map((s) => [s.station_id, plain(s)]))"], ['const age = now.last_updated -', 'const age = (Number(now.last_updated) || Date.parse(String(now.last_updated)) / 1000) -'], ['const near =', "for (const s of about.data.stations as any[]) if (s.name.map) s.name = new Map(s.name.map((n: any) => [n.language, n.text])).get('de')\nconst near ="]],
    },
    wrong: {
      'the first name': [['  return res.json()\n', "  const body: any = await res.json()\n  const seconds = (t: any) => (typeof t === 'string' ? Date.parse(t) / 1000 : t)\n  for (const s of body.data.stations) {\n    if (Array.isArray(s.name)) s.name = s.name[0].text\n    if (s.num_vehicles_available === undefined) continue\n    s.num_bikes_available = s.num_vehicles_available\n    s.num_ebikes_available = s.vehicle_types_available?.find((v: any) => v.vehicle_type_id === 'ebike').count\n    s.last_reported = seconds(s.last_reported)\n  }\n  return { ...body, last_updated: seconds(body.last_updated) }\n"]],
      'none is quiet': [['  return res.json()\n', "  const body: any = await res.json()\n  for (const s of body.data.stations) {\n    if (Array.isArray(s.name)) s.name = s.name.find((n: any) => n.language === 'de').text\n    if (s.num_vehicles_available === undefined) continue\n    s.num_bikes_available = s.num_vehicles_available\n    s.num_ebikes_available = s.vehicle_types_available?.find((v: any) => v.vehicle_type_id === 'ebike').count\n  }\n  return { ...body, last_updated: typeof body.last_updated === 'string' ? Date.parse(body.last_updated) / 1000 : body.last_updated }\n"]],
      'no electric ones': [['  return res.json()\n', "  const body: any = await res.json()\n  const seconds = (t: any) => (typeof t === 'string' ? Date.parse(t) / 1000 : t)\n  for (const s of body.data.stations) {\n    if (Array.isArray(s.name)) s.name = s.name.find((n: any) => n.language === 'de').text\n    if (s.num_vehicles_available === undefined) continue\n    s.num_bikes_available = s.num_vehicles_available\n    s.last_reported = seconds(s.last_reported)\n  }\n  return { ...body, last_updated: seconds(body.last_updated) }\n"]],
      'no bikes': [['s.num_bikes_available === 0', '(s.num_bikes_available ?? 0) === 0'], ['const age = now.last_updated -', 'const age = new Date(now.last_updated as any).getTime() / 1000 -']],
    },
  }, {
    name: 'mixed-fields',
    happened: 'some stations count vehicles and others bikes, as a feed of version 2 that took over members of version 3',
    tells: [['num_vehicles_available', 'num_bikes_available']],
    api: { [S]: (f) => feed(f, f.stations.map((s, i) => { const { num_bikes_available: n, ...o } = status(f)(s); return i % 4 === 1 ? { ...o, num_vehicles_available: n } : { ...o, num_bikes_available: n }; })) },
    right: {
      'either': [['s.num_bikes_available === 0) return []\n', "(s.num_bikes_available ??= (s as any).num_vehicles_available) === 0) return []\n"]],
      'in the map': [['new Map(now.data.stations.map((s) => [s.station_id, s]))', "new Map(now.data.stations.map(({ num_vehicles_available, ...s }: any): [string, Status] => [s.station_id, { num_bikes_available: num_vehicles_available, ...s }]))"]],
      'a function': [['s.num_bikes_available === 0', 'count(s) === 0'], ['${s.num_bikes_available}', '${count(s)}'], ['const near =', "function count(s: any): number {\n  return 'num_vehicles_available' in s ? s.num_vehicles_available : s.num_bikes_available\n}\n\nconst near ="]],
    },
    wrong: {
      'zero': [['s.num_bikes_available === 0', '!s.num_bikes_available']],
      'vehicles only': [['s.num_bikes_available', '(s as any).num_vehicles_available']],
      'where there is none, too': [['${s.num_bikes_available}', '${s.num_bikes_available ?? (s as any).num_vehicles_available}']],
    },
  }, {
    name: 'stations-by-id',
    happened: 'stations of both feeds are objects by id, station_id is not repeated, and the place of one is a pair lon and lat below position',
    tells: [['stations', 'station_id', 'position', 'lat']],
    api: { [I]: (f) => feed(f, Object.fromEntries(f.stations.map((s) => { const { station_id, lat, lon, ...o } = info(s); return [station_id, { ...o, position: [lon, lat] }]; }))), [S]: (f) => feed(f, Object.fromEntries(f.stations.map((s) => { const { station_id, ...o } = status(f)(s); return [station_id, o]; }))) },
    right: {
      'made old': [['  return res.json()\n', "  const body: any = await res.json()\n  const { stations } = body.data\n  if (!Array.isArray(stations)) body.data.stations = Object.entries<any>(stations).map(([station_id, { position: [lon, lat] = [], ...s }]) => ({ station_id, lat, lon, ...s }))\n  return body\n"]],
      'a function for lists': [['now.data.stations.map', 'listed(now.data.stations).map'], ['about.data.stations\n', 'listed(about.data.stations)\n'], ['const [about, now]', "function listed<T>(stations: T[] | Record<string, any>): T[] {\n  if (Array.isArray(stations)) return stations\n  const list: any[] = []\n  for (const id of Object.keys(stations)) {\n    const one = stations[id]\n    list.push({ station_id: id, ...one, ...(one.position ? { lon: one.position[0], lat: one.position[1] } : {}) })\n  }\n  return list\n}\n\nconst [about, now]"]],
      'after the load': [['const age =', "for (const f of [about, now] as Feed<any>[]) {\n  if (f.data.stations instanceof Array) continue\n  f.data.stations = Object.keys(f.data.stations).map((station_id) => Object.assign({ station_id }, f.data.stations[station_id]))\n  for (const s of f.data.stations) if (s.position) [s.lon, s.lat] = s.position\n}\nconst age ="]],
    },
    wrong: {
      'turned': [['  return res.json()\n', "  const body: any = await res.json()\n  const { stations } = body.data\n  if (!Array.isArray(stations)) body.data.stations = Object.entries<any>(stations).map(([station_id, { position: [lat, lon] = [], ...s }]) => ({ station_id, lat, lon, ...s }))\n  return body\n"]],
      'without ids': [['  return res.json()\n', "  const body: any = await res.json()\n  if (!Array.isArray(body.data.stations)) body.data.stations = Object.values<any>(body.data.stations).map(({ position: [lon, lat] = [], ...s }) => ({ lat, lon, ...s }))\n  return body\n"]],
      'no stations': [['  return res.json()\n', "  const body: any = await res.json()\n  if (!Array.isArray(body.data.stations)) body.data.stations = []\n  return body\n"]],
    },
  }],
};
