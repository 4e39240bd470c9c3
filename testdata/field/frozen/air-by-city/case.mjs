const route = 'GET https://air.example/v2/latest';
const stations = (f, q) => f.stations.filter((s) => s.city === q.query.city);
const m = (o) => ({ parameter: o.p, value: o.v, lastUpdated: o.at, unit: 'µg/m³' });
const old = (s) => ({ location: s.name, city: s.city, measurements: s.measured.map(m) });
const page = (f, q, shape, meta) => { const all = stations(f, q), n = Number(q.query.page), size = Number(q.query.limit); return { meta: meta(all.length, n * size), results: all.slice((n - 1) * size, n * size).map(shape) }; };
const found = (n) => ({ name: 'air', page: 1, limit: 2, found: n });
const over = (n, until) => ({ name: 'air', page: 1, limit: 2, found: until < n ? `>${until}` : n });
export default {
  source: 'https://github.com/noaa-oar-arl/monetio/issues/198, https://github.com/openaq/openaq-api/pull/179 and https://github.com/openaq/openaq-python/issues/9 (all opened): versions 1 and 2 ended, found went or became a text, parameters became objects below sensors',
  says: 'Write down the air of our cities and warn where it is bad',
  facts: (day, r) => {
    const at = (h) => new Date(Date.UTC(2026, 1, day + 1, 6) - h * 3600000).toISOString().replace('.000Z', '+00:00');
    return {
      slot: `2026-02-${String(day % 28 + 1).padStart(2, '0')}T06:00:00Z`, cities: [['Lima', 'München', '東京'], ['Lima'], undefined][day % 3],
      stations: r.many(day === 4 ? 0 : 2, 9, (i) => ({ name: 'S' + i, city: r.pick(['Lima', 'Lima', 'München', '東京']), measured: r.many(1, 3, () => ({ p: r.pick(['pm25', 'pm10', 'o3', 'no2', 'so2']), v: r.int(0, 400) / 4, at: at(r.pick([1, 5, 21, 30])) })) })),
    };
  },
  input: (f) => (f.cities ? { slot: f.slot, cities: f.cities } : { slot: f.slot }),
  api: { [route]: (f, q) => page(f, q, old, found), 'POST https://sms.example/messages': (f, q) => ({ id: q.id }) },
  changes: [{
    name: 'v3',
    happened: 'measurements are below sensors, the parameter is an object with name and units, the time is datetime with utc and local, and found is a text such as >2 while there is more',
    tells: [['sensors', 'measurements']],
    api: { [route]: (f, q) => page(f, q, (s) => ({ id: 1, name: s.name, sensors: s.measured.map((o) => ({ parameter: { id: 2, name: o.p, units: 'µg/m³' }, value: o.v, datetime: { utc: o.at.replace('+00:00', 'Z'), local: new Date(Date.parse(o.at) - 18000000).toISOString().slice(0, 19) } })) }), over) },
    right: {
      'made old': [['all = all.concat(answer.results)\n    if (all.length >= answer.meta.found) return all', "all = all.concat(answer.results.map(function (s) {\n      if (s.measurements) return s\n      return { measurements: s.sensors.map(function (m) { return { parameter: m.parameter.name, unit: m.parameter.units, value: m.value, lastUpdated: m.datetime.utc } }) }\n    }))\n    if (!String(answer.meta.found).startsWith('>') && all.length >= answer.meta.found) return all"]],
      'in each place': [['if (all.length >= answer.meta.found) return all', "if (typeof answer.meta.found === 'number' && all.length >= answer.meta.found) return all"], ['station.measurements.forEach', '(station.measurements || station.sensors).forEach'], ['if (!(m.parameter in LIMITS)) return', 'var name = m.parameter.name || m.parameter\n      if (!(name in LIMITS)) return'], ['new Date(m.lastUpdated)', 'new Date(m.lastUpdated || m.datetime.utc)'], ["if (m.unit !== 'µg/m³') throw new Error('cannot handle ' + m.unit)\n      values[m.parameter] = (values[m.parameter] || [])", "var unit = m.unit || m.parameter.units\n      if (unit !== 'µg/m³') throw new Error('cannot handle ' + unit)\n      values[name] = (values[name] || [])"]],
      'until a page is not full': [['if (all.length >= answer.meta.found) return all', 'if (answer.results.length < 2) return all'], ['station.measurements.forEach(function (m) {', "(station.measurements || station.sensors).map(function (m) {\n      return m.datetime ? Object.assign({}, m, { parameter: m.parameter.name, unit: m.parameter.units, lastUpdated: m.datetime.utc }) : m\n    }).forEach(function (m) {"]],
    },
    wrong: {
      'clean air': [['station.measurements.forEach', '(station.measurements || []).forEach'], ['if (all.length >= answer.meta.found) return all', "if (typeof answer.meta.found === 'number' && all.length >= answer.meta.found) return all"]],
      'local times': [['if (all.length >= answer.meta.found) return all', 'if (answer.results.length < 2) return all'], ['station.measurements.forEach(function (m) {', "(station.measurements || station.sensors).map(function (m) {\n      return m.datetime ? Object.assign({}, m, { parameter: m.parameter.name, unit: m.parameter.units, lastUpdated: m.datetime.local }) : m\n    }).forEach(function (m) {"]],
      'the first page': [['if (all.length >= answer.meta.found) return all', 'if (!(all.length < answer.meta.found)) return all'], ['station.measurements.forEach(function (m) {', "(station.measurements || station.sensors).map(function (m) {\n      return m.datetime ? Object.assign({}, m, { parameter: m.parameter.name, unit: m.parameter.units, lastUpdated: m.datetime.utc }) : m\n    }).forEach(function (m) {"]],
      'old ones, too': [['if (all.length >= answer.meta.found) return all', 'if (answer.results.length < 2) return all'], ['station.measurements.forEach(function (m) {', "(station.measurements || station.sensors).map(function (m) {\n      return m.datetime ? Object.assign({}, m, { parameter: m.parameter.name, unit: m.parameter.units }) : m\n    }).forEach(function (m) {"]],
    },
  }, {
    name: 'other-letters',
    happened: 'the unit is written ug/m3, and parameters in capitals with a dot, PM2.5',
    tells: [['unit', 'ug/m3', 'parameter', 'pm2']],
    api: { [route]: (f, q) => page(f, q, (s) => ({ ...old(s), measurements: s.measured.map((o) => ({ ...m(o), parameter: o.p === 'pm25' ? 'PM2.5' : o.p.toUpperCase(), unit: 'ug/m3' })) }), found) },
    right: {
      'made old': [['station.measurements.forEach(function (m) {', "station.measurements.forEach(function (given) {\n      var m = Object.assign({}, given, { parameter: given.parameter.toLowerCase().replace('.', ''), unit: given.unit === 'ug/m3' ? 'µg/m³' : given.unit })"]],
      'in place': [['if (!(m.parameter in LIMITS)) return', "m.parameter = m.parameter.replace(/\\W/g, '').toLowerCase()\n      if (!(m.parameter in LIMITS)) return"], ["if (m.unit !== 'µg/m³')", "if (m.unit !== 'µg/m³' && m.unit !== 'ug/m3')"]],
      'a table': [['function mean', "var NAMES = { 'PM2.5': 'pm25', PM10: 'pm10', O3: 'o3', NO2: 'no2' }\n\nfunction mean"], ['if (!(m.parameter in LIMITS)) return', 'm.parameter = NAMES[m.parameter] || m.parameter\n      if (!(m.parameter in LIMITS)) return'], ["if (m.unit !== 'µg/m³')", "if (['µg/m³', 'ug/m3'].indexOf(m.unit) < 0)"]],
    },
    wrong: {
      'without the finest dust': [['if (!(m.parameter in LIMITS)) return', "m.parameter = m.parameter.toLowerCase()\n      if (!(m.parameter in LIMITS)) return"], ["if (m.unit !== 'µg/m³')", "if (m.unit !== 'µg/m³' && m.unit !== 'ug/m3')"]],
      'the unit only': [["if (m.unit !== 'µg/m³')", "if (m.unit !== 'µg/m³' && m.unit !== 'ug/m3')"]],
      'other names in the report': [["values[m.parameter] = (values[m.parameter] || [])", "values[m.parameter] = (values[m.parameter] || [])"], ["if (!(m.parameter in LIMITS)) return", "LIMITS['PM2.5'] = 25; LIMITS.PM10 = 50; LIMITS.O3 = 120; LIMITS.NO2 = 40\n      if (!(m.parameter in LIMITS)) return"], ["if (m.unit !== 'µg/m³')", "if (m.unit !== 'µg/m³' && m.unit !== 'ug/m3')"]],
    },
  }, {
    name: 'by-parameter',
    happened: 'measurements are an object by parameter with a list of value and time in seconds, units are in meta, and found is in meta.pagination.total',
    tells: [['measurements', 'found', 'meta']],
    api: { [route]: (f, q) => page(f, q, (s) => ({ location: s.name, measurements: s.measured.reduce((all, o) => ({ ...all, [o.p]: [...(all[o.p] ?? []), [o.v, Date.parse(o.at) / 1000]] }), {}) }), (n) => ({ units: 'µg/m³', pagination: { total: n } })) },
    right: {
      'made old': [['all = all.concat(answer.results)\n    if (all.length >= answer.meta.found) return all', "answer.results.forEach(function (s) {\n      if (Array.isArray(s.measurements)) return all.push(s)\n      var list = []\n      for (var p in s.measurements) s.measurements[p].forEach(function (pair) { list.push({ parameter: p, value: pair[0], lastUpdated: pair[1] * 1000, unit: answer.meta.units }) })\n      all.push({ measurements: list })\n    })\n    if (all.length >= (answer.meta.pagination ? answer.meta.pagination.total : answer.meta.found)) return all"]],
      'a function': [['function mean', "function flat(measurements) {\n  if (Array.isArray(measurements)) return measurements\n  return Object.entries(measurements).flatMap(([parameter, pairs]) => pairs.map(([value, seconds]) => ({ parameter, value, unit: 'µg/m³', lastUpdated: new Date(seconds * 1000) })))\n}\n\nfunction mean"], ['station.measurements.forEach', 'flat(station.measurements).forEach'], ['answer.meta.found', '(answer.meta.found ?? answer.meta.pagination.total)']],
      'at the page': [['  return res.json()', "  var body = await res.json()\n  if (body.meta.pagination) {\n    body.meta.found = body.meta.pagination.total\n    body.results.forEach(function (s) {\n      s.measurements = Object.keys(s.measurements).map(function (p) {\n        return s.measurements[p].map(function (pair) { return { parameter: p, value: pair[0], unit: body.meta.units, lastUpdated: new Date(1000 * pair[1]).toISOString() } })\n      }).flat()\n    })\n  }\n  return body"]],
    },
    wrong: {
      'one of each': [['function mean', "function flat(measurements) {\n  if (Array.isArray(measurements)) return measurements\n  return Object.entries(measurements).map(([parameter, [[value, seconds]]]) => ({ parameter, value, unit: 'µg/m³', lastUpdated: new Date(seconds * 1000) }))\n}\n\nfunction mean"], ['station.measurements.forEach', 'flat(station.measurements).forEach'], ['answer.meta.found', '(answer.meta.found ?? answer.meta.pagination.total)']],
      'nothing is new': [['function mean', "function flat(measurements) {\n  if (Array.isArray(measurements)) return measurements\n  return Object.entries(measurements).flatMap(([parameter, pairs]) => pairs.map(([value, seconds]) => ({ parameter, value, unit: 'µg/m³', lastUpdated: seconds })))\n}\n\nfunction mean"], ['station.measurements.forEach', 'flat(station.measurements).forEach'], ['answer.meta.found', '(answer.meta.found ?? answer.meta.pagination.total)']],
      'the first page': [['function mean', "function flat(measurements) {\n  if (Array.isArray(measurements)) return measurements\n  return Object.entries(measurements).flatMap(([parameter, pairs]) => pairs.map(([value, seconds]) => ({ parameter, value, unit: 'µg/m³', lastUpdated: new Date(seconds * 1000) })))\n}\n\nfunction mean"], ['station.measurements.forEach', 'flat(station.measurements).forEach'], ['answer.meta.found', '(answer.meta.found ?? 0)']],
    },
  }],
};
