const route = 'GET https://quakes.example/fdsnws/event/1/query';
const old = (e) => ({ type: 'Feature', id: e.id, geometry: { type: 'Point', coordinates: [e.lon, e.lat, e.deep] }, properties: { mag: e.mag, place: e.place, time: e.at, type: e.type, alert: e.alert, tsunami: e.wave ? 1 : 0 } });
const page = (f, q, shape, wrap = (features) => ({ type: 'FeatureCollection', metadata: { status: 200 }, features })) => {
  const from = Date.parse(q.query.starttime), all = f.events.filter((e) => e.at >= from && e.mag >= Number(q.query.minmagnitude)), at = Number(q.query.offset) - 1;
  return all.length ? wrap(all.slice(at, at + Number(q.query.limit)).map(shape)) : { $status: 204 };
};
export default {
  source: 'https://github.com/poblabs/weewx-belchertown/issues/683, https://github.com/ryancox/motionless/pull/15 and https://github.com/bblanchon/ArduinoJson/issues/2006 (all opened): services of earthquakes name the magnitude mag or magnitude, order latitude and longitude otherwise, and a feed in XML gave way to GeoJSON',
  says: 'Send a message when the earth shakes near our people',
  facts: (day, r) => ({
    slot: new Date(Date.UTC(2026, 10, day + 2, 0)).toISOString(), min: r.pick([undefined, undefined, 4]),
    events: r.many(day === 4 ? 0 : 1, 10, (i) => { const [lat, lon, place] = r.pick([[35.2, 138.9, '12 km E of “Fuji”'], [34.1, 136.5, '和歌山'], [40.9, 23.6, 'Sérres & north'], [39.8, 22.4, 'Lárisa'], [52.5, 13.4, 'Berlin']]); return { id: `ev${day}${i}`, lat: lat + r.int(0, 9) / 100, lon: lon + r.int(0, 9) / 100, place, deep: r.int(0, 900) / 10, mag: r.int(30, 75) / 10, at: Date.UTC(2026, 10, day + 1, i * 2, r.int(0, 59)), type: r.chance(0.15) ? 'quarry blast' : 'earthquake', alert: r.pick([null, 'green', 'orange']), wave: r.chance(0.15) }; }),
  }),
  input: (f) => (f.min ? { slot: f.slot, minimum: f.min } : { slot: f.slot }),
  api: { [route]: (f, q) => page(f, q, old), 'POST https://sms.example/2010/Messages': (f, q) => ({ sid: 'SM' + q.id }) },
  changes: [{
    name: 'magnitude-and-iso',
    happened: 'mag is magnitude, an object with value and type, time is an ISO text with an offset, and type is evtype with underscores',
    tells: [['mag', 'magnitude'], ['time', 'type', 'evtype', 'magnitude']],
    api: { [route]: (f, q) => page(f, q, (e) => { const o = old(e), { mag, time, type, ...p } = o.properties; return { ...o, properties: { ...p, magnitude: { value: mag, type: 'mww' }, time: new Date(time + 9 * 3600000).toISOString().replace('Z', '+09:00'), evtype: type.replace(' ', '_') } }; }) },
    right: {
      'made old': [['features.push(...list);', "features.push(...list.map((f) => (f.properties.magnitude ? { ...f, properties: { ...f.properties, mag: f.properties.magnitude.value, time: Date.parse(f.properties.time), type: f.properties.evtype.replace('_', ' ') } } : f)));"]],
      'in each place': [['const severity = ({ mag, alert', 'const severity = ({ magnitude, mag = magnitude?.value, alert'], ['properties.mag.toFixed(1)', '(properties.mag ?? properties.magnitude.value).toFixed(1)'], ['time: properties.time,', 'time: +new Date(properties.time),'], ["f.properties.type === 'earthquake'", "(f.properties.type ?? f.properties.evtype) === 'earthquake'"], ['Math.max(max, f.properties.time)', 'Math.max(max, new Date(f.properties.time).getTime())']],
      'a reader': [['function describe', "const plain = (f) => {\n  const { magnitude, evtype, time, ...rest } = f.properties;\n  if (magnitude === undefined) return f;\n  return { ...f, properties: { ...rest, mag: magnitude.value, type: evtype.split('_').join(' '), time: DateTime.fromISO(time).toMillis() } };\n};\n\nfunction describe"], ['.filter((f) => f.properties.type', '.map(plain).filter((f) => f.properties.type']],
    },
    wrong: {
      'none shakes': [["f.properties.type === 'earthquake'", "f.properties.type === 'earthquake' && f.properties.mag"]],
      'blasts, too': [['features.push(...list);', "features.push(...list.map((f) => (f.properties.magnitude ? { ...f, properties: { ...f.properties, mag: f.properties.magnitude.value, time: Date.parse(f.properties.time), type: 'earthquake' } } : f)));"]],
      'without the offset': [['features.push(...list);', "features.push(...list.map((f) => (f.properties.magnitude ? { ...f, properties: { ...f.properties, mag: f.properties.magnitude.value, time: Date.parse(f.properties.time.slice(0, 19) + 'Z'), type: f.properties.evtype.replace('_', ' ') } } : f)));"]],
      'no strength': [['features.push(...list);', "features.push(...list.map((f) => (f.properties.magnitude ? { ...f, properties: { ...f.properties, mag: 0, time: Date.parse(f.properties.time), type: f.properties.evtype.replace('_', ' ') } } : f)));"]],
    },
  }, {
    name: 'flat-events',
    happened: 'events are a plain list below events with lat, lon and depth in metres, members are not below properties, and place is region',
    tells: [['features', 'events'], ['properties', 'coordinates', 'depth', 'lat', 'events']],
    api: { [route]: (f, q) => page(f, q, (e) => { const { place, ...p } = old(e).properties; return { eventId: e.id, lat: e.lat, lon: e.lon, depthMeters: Math.round(e.deep * 1000), region: place, ...p }; }, (events) => ({ events })) },
    right: {
      'made old': [['const { features: list } = await res.json();', "const body = await res.json();\n    const list = body.features ?? body.events.map((e) => ({ id: e.eventId, geometry: { coordinates: [e.lon, e.lat, e.depthMeters / 1000] }, properties: { ...e, place: e.region } }));"]],
      'a class': [['const { features: list } = await res.json();', 'const { features: old, events } = await res.json();\n    const list = old || events.map((e) => new Feature(e));'], ['async function getFeatures', "class Feature {\n  constructor(event) {\n    this.event = event;\n  }\n  get id() { return this.event.eventId; }\n  get geometry() { return { coordinates: ['lon', 'lat'].map((k) => this.event[k]).concat(this.event.depthMeters / 1000) }; }\n  get properties() {\n    const { region: place, ...others } = this.event;\n    return { place, ...others };\n  }\n}\n\nasync function getFeatures"]],
      'in each place': [['const { features: list } = await res.json();', 'const { features: given, events: list = given } = await res.json();'], ['const { geometry: { coordinates: [lon, lat, depth] }, properties } = feature;', 'const properties = feature.properties ?? { ...feature, place: feature.region };\n  const [lon, lat, depth] = feature.geometry ? feature.geometry.coordinates : [feature.lon, feature.lat, feature.depthMeters / 1000];'], ['id: feature.id', 'id: feature.id ?? feature.eventId'], ['f.properties.type', '(f.properties ?? f).type'], ['f.properties.time', '(f.properties ?? f).time']],
    },
    wrong: {
      'metres as kilometres': [['const { features: list } = await res.json();', "const body = await res.json();\n    const list = body.features ?? body.events.map((e) => ({ id: e.eventId, geometry: { coordinates: [e.lon, e.lat, e.depthMeters] }, properties: { ...e, place: e.region } }));"]],
      'lat and lon turned': [['const { features: list } = await res.json();', "const body = await res.json();\n    const list = body.features ?? body.events.map((e) => ({ id: e.eventId, geometry: { coordinates: [e.lat, e.lon, e.depthMeters / 1000] }, properties: { ...e, place: e.region } }));"]],
      'nothing': [['const { features: list }', 'const { features: list = [] }']],
      'no place': [['const { features: list } = await res.json();', "const body = await res.json();\n    const list = body.features ?? body.events.map((e) => ({ id: e.eventId, geometry: { coordinates: [e.lon, e.lat, e.depthMeters / 1000] }, properties: e }));"]],
    },
  }, {
    name: 'alerts-and-depth',
    happened: 'alert is a level from 0 to 3 for green, yellow, orange and red, or absent, tsunami is yes or no, and depth is in the properties while coordinates are two numbers',
    tells: [['alert', 'tsunami', 'depth', 'coordinates']],
    api: { [route]: (f, q) => page(f, q, (e) => { const o = old(e), { alert, ...p } = o.properties; return { ...o, geometry: { type: 'Point', coordinates: [e.lon, e.lat] }, properties: { ...p, ...(alert === null ? {} : { alert: ['green', 'yellow', 'orange', 'red'].indexOf(alert) }), tsunami: e.wave ? 'yes' : 'no', depth: e.deep } }; }) },
    right: {
      'made old': [['features.push(...list);', "features.push(...list.map((f) => {\n      const p = f.properties;\n      if (typeof p.tsunami !== 'string') return f;\n      return { ...f, geometry: { coordinates: [...f.geometry.coordinates, p.depth] }, properties: { ...p, tsunami: Number(p.tsunami === 'yes'), alert: ['green', 'yellow', 'orange', 'red'][p.alert] ?? null } };\n    }));"]],
      'in place': [['const severity = ({ mag, alert, tsunami }) => (tsunami ?', "const LEVELS = ['green', 'yellow', 'orange', 'red'];\nconst severity = ({ mag, alert: given, tsunami }) => {\n  const alert = typeof given === 'number' ? LEVELS[given] : given;\n  return (tsunami === 1 || tsunami === 'yes' ?"], ["'strong' : 'light');", "'strong' : 'light');\n};"], ['coordinates: [lon, lat, depth] }, properties }', 'coordinates: [lon, lat, depth = feature.properties.depth] }, properties }']],
      'a function before': [['what: severity(properties)', 'what: severity(worded(properties))'], ['Math.round(depth)', 'Math.round(depth ?? properties.depth)'], ['function describe', "function worded({ alert, tsunami, ...rest }) {\n  const names = new Map([[0, 'green'], [1, 'yellow'], [2, 'orange'], [3, 'red']]);\n  return { ...rest, alert: names.get(alert) || alert, tsunami: { yes: true, no: false }[tsunami] ?? tsunami };\n}\n\nfunction describe"]],
    },
    wrong: {
      'all are waves': [['coordinates: [lon, lat, depth] }, properties }', 'coordinates: [lon, lat, depth = feature.properties.depth] }, properties }']],
      'no depth': [['Math.round(depth)', 'Math.round(depth ?? 0)'], ['(tsunami ?', "(tsunami === 1 || tsunami === 'yes' ?"]],
      'numbers for words': [['coordinates: [lon, lat, depth] }, properties }', 'coordinates: [lon, lat, depth = feature.properties.depth] }, properties }'], ['(tsunami ?', "(tsunami === 1 || tsunami === 'yes' ?"]],
    },
  }, {
    name: 'no-places',
    happened: 'geometry is null for all: where the earth shook is told in words only',
    tells: [['geometry', 'coordinates']],
    lost: true,
    api: { [route]: (f, q) => page(f, q, (e) => ({ ...old(e), geometry: null })) },
    wrong: {
      'left out': [["f.properties.type === 'earthquake'", "f.geometry && f.properties.type === 'earthquake'"]],
      'off the coast of Africa': [['const { geometry: { coordinates: [lon, lat, depth] }, properties } = feature;', 'const { geometry, properties } = feature;\n  const [lon, lat, depth] = geometry ? geometry.coordinates : [0, 0, 0];']],
      'at the place itself': [['const { geometry: { coordinates: [lon, lat, depth] }, properties } = feature;', 'const { geometry, properties } = feature;\n  const [lon, lat, depth] = geometry ? geometry.coordinates : [place.lon, place.lat, 10];']],
    },
  }],
};
