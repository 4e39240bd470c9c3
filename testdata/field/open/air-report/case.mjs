const LATEST = 'GET https://air.example/v2/latest';
const of = (p) => ({ location: p.name, city: p.city, country: 'PL', coordinates: { latitude: 50, longitude: 20 }, measurements: p.sensors.map((s) => ({ parameter: s.what, value: s.value / 10, lastUpdated: s.at, unit: s.unit })) });
const sensors = (p) => ({ id: p.name.length, name: p.name, locality: p.city, country: { code: 'PL' }, sensors: p.sensors.map((s, i) => ({ id: i, name: `${s.what} ${s.unit}`, parameter: { id: i, name: s.what, units: s.unit, displayName: s.what.toUpperCase() }, latest: { value: s.value / 10, datetime: { utc: new Date(s.at).toISOString(), local: s.at } } })) });
const page = (make, meta = (found, limit, p) => ({ name: 'openaq', page: p, limit, found })) => (f, q) => { const list = f.places.filter((p) => p.city === q.query.city), p = Number(q.query.page), l = Number(q.query.limit); return { meta: meta(list.length, l, p), results: list.slice((p - 1) * l, p * l).map(make) }; };
const over = (found, limit, p) => ({ name: 'openaq', page: p, limit, found: found > p * limit ? `>${p * limit}` : p * limit - limit + Math.max(0, found - (p - 1) * limit) });
const READ = 'found.push(...results);';
export default {
  source: 'https://github.com/noaa-oar-arl/monetio/issues/198 and https://github.com/NCAR/MELODIES-MONET/pull/340: version 2 was retired for version 3, which has sensors with a parameter each in place of measurements',
  says: 'Report where the air was worse than the limits.',
  zone: 'Europe/Warsaw',
  facts: (day, r) => {
    const slot = Date.UTC(2026, 2, 20 + day, 6), local = (ms) => new Date(ms + 3600000).toISOString().slice(0, 19) + '+01:00';
    return { slot: new Date(slot).toISOString(), places: ['Aleja', 'Rynek', 'Nowa Huta', 'Krzyki', 'Bartnicza', 'Ołtaszyn'].filter(() => day !== 8 && r.chance(0.85)).map((name, i) => ({ name, city: i < 3 ? 'Kraków' : 'Wrocław', sensors: r.some(['pm25', 'pm10', 'no2', 'o3', 'co']).map((what) => ({ what, value: r.chance(0.08) ? -9990 : r.int(20, 900), unit: what === 'co' ? 'ppm' : r.chance(0.1) ? 'ppb' : 'µg/m³', at: local(slot - r.pick([1, 3, 5, 30]) * 3600000) })) })) };
  },
  input: (f) => ({ slot: f.slot }),
  api: { [LATEST]: page(of), 'POST https://board.example/posts': (f, q) => ({ id: q.id }) },
  changes: [{
    name: 'found',
    happened: 'meta.found is a text such as ">2" as long as there is more, and the count of all on the last page',
    tells: ['found', ['>', 'text']],
    api: { [LATEST]: page(of, over) },
    right: {
      'by the text': [['more = meta.found > page * meta.limit;', "more = typeof meta.found === 'string' ? meta.found.startsWith('>') : meta.found > page * meta.limit;"]],
      'until a page is short': [['more = meta.found > page * meta.limit;', "more = results.length === meta.limit && meta.found !== page * meta.limit;"]],
      'by a helper': [['async function latest', "const isMore = ({ found, limit }, page) => (Number.isInteger(found) ? found > page * limit : /^>/.test(found));\n\nasync function latest"], ['meta.found > page * meta.limit', 'isMore(meta, page)']],
    },
    wrong: {
      'the number in it': [['meta.found >', "Number(String(meta.found).replace('>', '')) >"]],
      'one page': [['more = meta.found > page * meta.limit;', 'more = false;']],
      'two pages': [['meta.found > page * meta.limit', "(parseInt(meta.found, 10) > page * meta.limit || (isNaN(meta.found) && page < 1))"]],
    },
  }, {
    name: 'v3',
    happened: 'measurements are sensors with a parameter and the latest value, whose time is in datetime; location is name',
    tells: ['measurements', 'sensors'],
    api: { [LATEST]: page(sensors) },
    right: {
      'made old': [[READ, `found.push(...results.map((r) => (r.measurements ? r : {
      location: r.name,
      measurements: r.sensors.map(({ parameter, latest: { value, datetime } }) => ({ parameter: parameter.name, unit: parameter.units, value, lastUpdated: datetime.utc })),
    })));`]],
      'at each place': [
        ['place.measurements.filter(', '(place.measurements ?? place.sensors).filter('], ['m.parameter === parameter', '(m.parameter.name ?? m.parameter) === parameter'], ['m.unit === UNIT', '(m.unit ?? m.parameter.units) === UNIT'], ['m.value >= 0', '(m.value ?? m.latest.value) >= 0'],
        ['m.lastUpdated', 'm.lastUpdated ?? m.latest.datetime.local'], ['at: place.location, value: m.value', 'at: place.location ?? place.name, value: m.value ?? m.latest.value'],
      ],
      'two readers': [['const values =', `const readings = (place) => {
  if ('measurements' in place) return place.measurements;
  const list = [];
  for (const s of place.sensors) list.push({ parameter: s.parameter.name, unit: s.parameter.units, value: s.latest.value, lastUpdated: s.latest.datetime.utc });
  return list;
};

const values =`], ['place.measurements.filter', 'readings(place).filter'], ['at: place.location', "at: 'location' in place ? place.location : place.name"]],
    },
    wrong: {
      'no sensors': [['place.measurements.filter', '(place.measurements ?? []).filter']],
      'old ones too': [[READ, 'found.push(...results.map((r) => (r.measurements ? r : { location: r.name, measurements: r.sensors.map(({ parameter, latest }) => ({ parameter: parameter.name, unit: parameter.units, value: latest.value, lastUpdated: "2999-01-01T00:00:00Z" })) })));']],
      'any unit': [[READ, 'found.push(...results.map((r) => (r.measurements ? r : { location: r.name, measurements: r.sensors.map(({ parameter, latest }) => ({ parameter: parameter.name, unit: UNIT, value: latest.value, lastUpdated: latest.datetime.utc })) })));']],
      'the town for the place': [[READ, 'found.push(...results.map((r) => (r.measurements ? r : { location: r.locality, measurements: r.sensors.map(({ parameter, latest }) => ({ parameter: parameter.name, unit: parameter.units, value: latest.value, lastUpdated: latest.datetime.utc })) })));']],
    },
  }, {
    name: 'flat',
    happened: 'results are in data, a reading each with its station; milligrams (mg/m³) in place of micrograms, time is epoch seconds, total for found',
    tells: ['results', ['mg', 'data', 'station']],
    api: { [LATEST]: (f, q) => { const { meta, results } = page(of)(f, q); return { paging: { page: meta.page, per_page: meta.limit, total: meta.found }, data: results.flatMap((p) => p.measurements.map((m) => ({ station: { name: p.location }, parameter: m.parameter, value: m.unit === 'µg/m³' ? m.value / 1000 : m.value, unit: m.unit === 'µg/m³' ? 'mg/m³' : m.unit, time: Date.parse(m.lastUpdated) / 1000 }))) }; } },
    right: {
      'made old': [['const { meta, results } = await res.json();', `const body = await res.json();
    const meta = body.meta ?? { found: body.paging.total, limit: body.paging.per_page };
    const results = body.results ?? body.data.map((d) => ({
      location: d.station.name,
      measurements: [{ parameter: d.parameter, unit: d.unit === 'mg/m³' ? UNIT : d.unit, value: d.unit === 'mg/m³' ? Math.round(d.value * 1e6) / 1000 : d.value, lastUpdated: new Date(d.time * 1000).toISOString() }],
    }));`]],
      'in the patterns': [
        ['const { meta, results } = await res.json();', 'const { paging, data, meta = { found: paging.total, limit: paging.per_page }, results = data.map(old) } = await res.json();'],
        ['async function latest', "function old({ station: { name }, parameter, value, unit, time }) {\n  const milli = unit === 'mg/m³';\n  return { location: name, measurements: [{ parameter, value: milli ? +(value * 1000).toFixed(3) : value, unit: milli ? 'µg/m³' : unit, lastUpdated: DateTime.fromSeconds(time).toISO() }] };\n}\n\nasync function latest"],
      ],
      'grouped again': [['const { meta, results } = await res.json();', `const got = await res.json();
    const { found: count, limit } = got.meta ?? {};
    const meta = got.meta ? { found: count, limit } : { found: got.paging.total, limit: got.paging.per_page };
    const by = new Map();
    for (const { station, time, ...m } of got.data ?? []) {
      if (!by.has(station.name)) by.set(station.name, { location: station.name, measurements: [] });
      if (m.unit.startsWith('mg')) Object.assign(m, { value: Number((m.value * 1000).toPrecision(8)), unit: UNIT });
      by.get(station.name).measurements.push({ ...m, lastUpdated: new Date(1000 * time).toISOString() });
    }
    const results = got.results ?? [...by.values()];`]],
    },
    wrong: {
      'without the unit': [['const { meta, results } = await res.json();', "const { paging, data, meta = { found: paging.total, limit: paging.per_page }, results = data.map((d) => ({ location: d.station.name, measurements: [{ ...d, unit: d.unit.replace('mg', 'µg'), lastUpdated: new Date(d.time * 1000).toISOString() }] })) } = await res.json();"]],
      'one page': [['const { meta, results } = await res.json();', "const { data, meta = { found: 0, limit: 2 }, results = data.map((d) => ({ location: d.station.name, measurements: [{ ...d, value: d.unit === 'mg/m³' ? d.value * 1000 : d.value, unit: d.unit.replace('mg', 'µg'), lastUpdated: new Date(d.time * 1000).toISOString() }] })) } = await res.json();"]],
      'nothing measured': [['const { meta, results } = await res.json();', 'const { meta = { found: 0, limit: 2 }, results = [] } = await res.json();']],
      'of 1970': [['const { meta, results } = await res.json();', "const { paging, data, meta = { found: paging.total, limit: paging.per_page }, results = data.map((d) => ({ location: d.station.name, measurements: [{ ...d, value: d.unit === 'mg/m³' ? d.value * 1000 : d.value, unit: d.unit.replace('mg', 'µg'), lastUpdated: new Date(d.time).toISOString() }] })) } = await res.json();"]],
    },
  }],
};
