const INFO = 'GET https://gbfs.rad.example/2/de/station_information.json', STATUS = 'GET https://gbfs.rad.example/2/de/station_status.json';
const NAMES = ['Hauptbahnhof', 'Universität', 'Zoo', 'Königsplatz', 'Hafen / Süd', '中央駅'];
const feed = (at, stations) => ({ last_updated: at, ttl: 60, version: '2.3', data: { stations } });
const posix = (f) => Date.parse(f.slot) / 1000;
const iso = (seconds) => new Date(seconds * 1000).toISOString().replace('.000Z', '+00:00');
const info = (name) => (f) => feed(posix(f), f.stations.map((s) => ({ station_id: s.id, name: name(s.name), lat: 51.3, lon: 12.3, ...(s.capacity ? { capacity: s.capacity } : {}) })));
const status = (bikes, time) => (f) => feed(time(posix(f)), f.status.map((s) => ({ station_id: s.id, [bikes]: s.bikes, num_docks_available: s.docks, is_installed: true, is_renting: s.renting, is_returning: true, last_reported: time(posix(f) - s.ago) })));
const texts = (name) => [{ text: name, language: 'de' }, { text: `${name} station`, language: 'en' }];
export default {
  source: 'https://github.com/MobilityData/gbfs/releases: version 3.0 is not backwards compatible: free text became a list of translations, timestamps became RFC 3339 texts, and bikes became vehicles in the names of members',
  says: 'Tell me which stations have run out of bikes.',
  facts: (day, r) => ({
    slot: `2026-04-${String(day % 30 + 1).padStart(2, '0')}T06:30:00Z`,
    stations: NAMES.map((name, i) => ({ id: `s${i + 1}`, name, capacity: i % 3 ? 10 + i : 0 })).filter((_, i) => i < 3 || r.chance(0.8)),
    status: day === 5 ? [] : NAMES.map((_, i) => ({ id: `s${i + 1}`, bikes: r.pick([0, 1, 2, 5, 9]), docks: r.int(0, 12), renting: r.chance(0.9), ago: r.chance(0.2) ? r.int(100, 900) * 60 : r.int(0, 40) * 60 })),
  }),
  input: (f) => ({ slot: f.slot }),
  api: { [INFO]: info((n) => n), [STATUS]: status('num_bikes_available', (t) => t) },
  changes: [{
    name: 'translated-names',
    happened: 'a name is a list of texts by language, German first',
    tells: ['name', ['text', 'language']],
    api: { [INFO]: info(texts) },
    right: {
      'a helper': [["// minutes since", "const label = (name: any): string => (Array.isArray(name) ? name.find((t) => t.language === 'de').text : name);\n\n// minutes since"], ['info.name', 'label(info.name)']],
      'in the map': [['infos.map((i) => [i.station_id, i] as const)', "infos.map((i: any) => [i.station_id, typeof i.name === 'string' ? i : { ...i, name: i.name[0].text }] as const)"]],
      'where they are read': [['  const byId', "  for (const i of infos as any[]) if (typeof i.name !== 'string') i.name = i.name.filter((t: any) => t.language === 'de').map((t: any) => t.text).join('');\n  const byId"]],
    },
    wrong: {
      'as a text': [['info.name', 'String(info.name)']],
      'the last language': [['infos.map((i) => [i.station_id, i] as const)', 'infos.map((i: any) => [i.station_id, Array.isArray(i.name) ? { ...i, name: i.name.at(-1).text } : i] as const)']],
      'only in one place': [['since: slot', "since: slot }; if (Array.isArray(empty[s.station_id].name)) empty[s.station_id] = { name: (info.name as any)[0].text, since: slot"]],
      'the id': [['info.name', "(typeof info.name === 'string' ? info.name : info.station_id)"]],
    },
  }, {
    name: 'timestamps',
    happened: 'last_reported and last_updated are texts of RFC 3339 in place of seconds',
    tells: ['last_reported'],
    api: { [STATUS]: status('num_bikes_available', iso) },
    right: {
      'by the type': [['s.last_reported) / 60', "(typeof s.last_reported === 'number' ? s.last_reported : Date.parse(s.last_reported) / 1000)) / 60"]],
      'dates': [['(Date.parse(slot) / 1000 - s.last_reported) / 60', "(Date.parse(slot) - +new Date((typeof s.last_reported === 'string' ? s.last_reported : s.last_reported * 1000) as any)) / 60000"]],
      'at the reading': [['  return data.stations;', "  return data.stations.map((s: any) => (isNaN(s.last_reported) && s.last_reported ? { ...s, last_reported: Date.parse(s.last_reported) / 1000 } : s));"]],
    },
    wrong: {
      'milliseconds': [['s.last_reported) / 60', "(typeof s.last_reported === 'number' ? s.last_reported : Date.parse(s.last_reported))) / 60"]],
      'never silent': [['silence(s, slot) > 90', '(silence(s, slot) || 0) > 90']],
      'always silent': [['silence(s, slot) > 90', '!(silence(s, slot) <= 90)']],
      'the year': [['s.last_reported) / 60', 'parseInt(s.last_reported as any, 10)) / 60']],
    },
  }, {
    name: 'v3',
    happened: 'names are translated, num_bikes_available is num_vehicles_available, times are texts',
    tells: ['num_vehicles_available'],
    api: { [INFO]: info(texts), [STATUS]: status('num_vehicles_available', iso) },
    right: {
      'an adapter for each feed': [["  const byId", `  for (const i of infos as any[]) if (Array.isArray(i.name)) i.name = i.name[0].text;
  for (const s of statuses as any[]) {
    s.num_bikes_available ??= s.num_vehicles_available;
    if (typeof s.last_reported === 'string') s.last_reported = Date.parse(s.last_reported) / 1000;
  }
  const byId`]],
      'at each place': [
        ['info.name', "((info.name as any)[0].text ?? info.name)"],
        ['s.num_bikes_available', '((s as any).num_vehicles_available ?? s.num_bikes_available)'],
        ['Date.parse(slot) / 1000 - s.last_reported) / 60', "Date.parse(slot) / 1000 - (Number.isFinite(s.last_reported) ? s.last_reported : Date.parse(s.last_reported as any) / 1000)) / 60"],
      ],
      'in the generic': [['  return data.stations;', `  return data.stations.map((one: any) => {
    const { name, num_vehicles_available, last_reported } = one;
    if (Array.isArray(name)) return { ...one, name: (name.find((n: any) => n.language === 'de') ?? name[0]).text };
    if (num_vehicles_available !== undefined) return { ...one, num_bikes_available: num_vehicles_available, last_reported: new Date(last_reported).getTime() / 1000 };
    return one;
  });`]],
    },
    wrong: {
      'docks for bikes': [['info.name', "((info.name as any)[0].text ?? info.name)"], ['s.num_bikes_available', '(s.num_bikes_available ?? (s as any).num_docks_available)'], ['s.last_reported) / 60', "(Number.isFinite(s.last_reported) ? s.last_reported : Date.parse(s.last_reported as any) / 1000)) / 60"]],
      'names and bikes only': [['info.name', "((info.name as any)[0].text ?? info.name)"], ['s.num_bikes_available', '((s as any).num_vehicles_available ?? s.num_bikes_available)']],
      'zero bikes': [['info.name', "((info.name as any)[0].text ?? info.name)"], ['s.num_bikes_available', '(s.num_bikes_available ?? 0)'], ['s.last_reported) / 60', "(Number.isFinite(s.last_reported) ? s.last_reported : Date.parse(s.last_reported as any) / 1000)) / 60"]],
      'skips what is new': [['    if (!info || !s.is_renting) continue;', "    if (!info || !s.is_renting || s.num_bikes_available === undefined) continue;"]],
    },
  }],
};
