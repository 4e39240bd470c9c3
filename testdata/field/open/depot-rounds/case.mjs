const MATRIX = 'GET https://maps.example/matrix/json';
const PLACES = ['Depot Süd', 'Markt 1', 'Hafen', 'Bahnhof', 'Klinik', 'Alte Mühle', '大使館'];
const way = (f, from, to) => { const i = PLACES.indexOf(from), j = PLACES.indexOf(to), n = f.ways[i * 7 + j]; return from === to ? { meters: 0, seconds: 0, traffic: null, found: true } : { ...n, found: n.found || j === 0 }; };
const asked = (f, q) => q.query.destinations.split('|').map((to) => way(f, q.query.origins, to));
const element = (w) => (w.found ? { status: 'OK', distance: { value: w.meters, text: `${w.meters / 1000} km` }, duration: { value: w.seconds, text: `${Math.round(w.seconds / 60)} mins` }, ...(w.traffic === null ? {} : { duration_in_traffic: { value: w.traffic, text: '' } }) } : { status: 'ZERO_RESULTS' });
const rows = (make) => (f, q) => ({ status: 'OK', origin_addresses: [q.query.origins], rows: [{ elements: asked(f, q).map(make) }] });
const routes = (f, q) => asked(f, q).map((w, destinationIndex) => ({ originIndex: 0, destinationIndex, status: {}, condition: w.found ? 'ROUTE_EXISTS' : 'ROUTE_NOT_FOUND', ...(w.found && w.meters ? { distanceMeters: w.meters } : {}), ...(w.found ? { duration: `${w.traffic ?? w.seconds}s`, staticDuration: `${w.seconds}s` } : {}) })).reverse();
const traffic = (w) => { const { duration_in_traffic: now, duration, ...o } = element(w); return duration ? { ...o, duration: { value: duration.value / 60, unit: 'minutes' }, ...(now ? { durationInTraffic: { value: now.value / 60, unit: 'minutes' } } : {}) } : o; };
const conditions = (w) => (w.found ? { ...element(w), condition: 'ROUTE_EXISTS', distance: { value: w.meters / 1000, unit: 'km' } } : { status: 'OK', condition: 'ROUTE_NOT_FOUND', distance: { value: 0, unit: 'km' }, duration: { value: 0, text: '' } });
const LEG = 'return { meters: element.distance.value, seconds: element.duration_in_traffic?.value ?? element.duration.value };';
const ROW = '  const [row] = answer.rows;';
const BACK = (meters = 'e.distanceMeters ?? 0', order = '[e.destinationIndex]') => `const back = (list) => {
  const elements = [];
  list.forEach((e, i) => {
    elements${order} = e.condition === 'ROUTE_EXISTS' ? { status: 'OK', distance: { value: ${meters} }, duration: { value: parseInt(e.duration, 10) } } : { status: 'ZERO_RESULTS' };
  });
  return [{ elements }];
};

const legsFrom`;
export default {
  source: 'https://github.com/nammayatri/shared-kernel/pull/1363 and https://github.com/routingpy/routingpy/pull/122 and https://github.com/GIScience/openrouteservice/issues/1785 and https://github.com/GIScience/openrouteservice/issues/844: a matrix of routes gave way to a list of elements in any order with durations such as 160s and without distances that are zero; routes that are not there were ZERO_RESULTS, null or zeros; units differ',
  says: 'Plan the rounds of the vans in the morning.',
  facts: (day, r) => ({ slot: `2026-06-${String(day % 30 + 1).padStart(2, '0')}T05:30:00Z`, vans: ['a', 'b'].slice(0, day === 2 ? 0 : r.int(1, 2)).map((van) => ({ van, depot: PLACES[0], stops: r.mix(PLACES.slice(1)).slice(0, r.int(0, 4)) })), ways: Array.from({ length: 49 }, () => { const minutes = r.int(3, 50); return { meters: r.int(400, 24000), seconds: minutes * 60, traffic: r.chance(0.4) ? (minutes + r.int(1, 30)) * 60 : null, found: r.chance(0.85) }; }) }),
  input: (f) => ({ slot: f.slot, vans: f.vans }),
  api: { [MATRIX]: rows(element), 'PUT https://drivers.example/vans/:van/plan': { ok: true } },
  changes: [{
    name: 'routes',
    happened: 'a list of elements in any order with destinationIndex and condition; distanceMeters (absent if zero) and duration as a text of seconds, 160s, with the traffic in it',
    tells: [['rows', 'elements'], ['destinationIndex', 'distanceMeters', 'condition']],
    api: { [MATRIX]: routes },
    right: {
      'put back': [['const legsFrom', BACK()], [ROW, '  const [row] = Array.isArray(answer) ? back(answer) : answer.rows;']],
      'another branch': [[ROW, `  if (Array.isArray(answer)) {
    const found = answer.filter((e) => e.condition === 'ROUTE_EXISTS').sort((a, b) => a.destinationIndex - b.destinationIndex);
    return found.map(({ destinationIndex, distanceMeters = 0, duration }) => ({ to: places[destinationIndex], meters: distanceMeters, seconds: Number(duration.replace('s', '')) }));
  }
${ROW}`]],
      'in leg': [["if (!element || element.status !== 'OK') return null;", "if (element?.condition === 'ROUTE_EXISTS') return { meters: element.distanceMeters || 0, seconds: parseFloat(element.duration) };\n  if (!element || element.status !== 'OK') return null;"], [ROW, "  const row = answer.rows ? answer.rows[0] : { elements: places.map((_, i) => answer.find((e) => e.destinationIndex === i)) };"]],
    },
    wrong: {
      'in the order given': [['const legsFrom', BACK(undefined, '[i]')], [ROW, '  const [row] = Array.isArray(answer) ? back(answer) : answer.rows;']],
      'without traffic': [['const legsFrom', BACK().replace('parseInt(e.duration', 'parseInt(e.staticDuration')], [ROW, '  const [row] = Array.isArray(answer) ? back(answer) : answer.rows;']],
      'none': [[ROW, "  const [row] = answer.rows ?? [{ elements: [] }];"]],
      'all are there': [['const legsFrom', BACK().replace("e.condition === 'ROUTE_EXISTS'", 'true').replace('parseInt(e.duration, 10)', 'parseInt(e.duration ?? 0, 10)')], [ROW, '  const [row] = Array.isArray(answer) ? back(answer) : answer.rows;']],
    },
  }, {
    name: 'traffic',
    happened: 'duration_in_traffic is durationInTraffic, and durations are in minutes, which unit says',
    tells: [['duration_in_traffic', 'durationInTraffic'], ['minutes', 'unit']],
    api: { [MATRIX]: rows(traffic) },
    right: {
      'by ??': [[LEG, 'const { value, unit } = element.duration_in_traffic ?? element.durationInTraffic ?? element.duration;\n  return { meters: element.distance.value, seconds: unit === "minutes" ? value * 60 : value };']],
      'a helper': [['const leg =', 'const seconds = (d) => d && d.value * ({ minutes: 60, hours: 3600 }[d.unit] ?? 1);\nconst leg ='], ['element.duration_in_traffic?.value ?? element.duration.value', 'seconds(element.duration_in_traffic) ?? seconds(element.durationInTraffic) ?? seconds(element.duration)']],
      'normalised': [[LEG, "for (const [name, d] of Object.entries(element)) if (d?.unit === 'minutes') element[name] = { value: d.value * 60 };\n  if (element.durationInTraffic) element.duration_in_traffic = element.durationInTraffic;\n  " + LEG]],
    },
    wrong: {
      'only the name': [['element.duration_in_traffic?.value ??', 'element.duration_in_traffic?.value ?? element.durationInTraffic?.value ??']],
      'only the unit': [['element.duration_in_traffic?.value ?? element.duration.value', "element.duration_in_traffic?.value ?? element.duration.value * (element.duration.unit === 'minutes' ? 60 : 1)"]],
      'minutes are minutes': [['element.duration_in_traffic?.value ??', 'element.duration_in_traffic?.value ?? element.durationInTraffic?.value ??'], ['minutes(best.seconds)', 'best.seconds']],
    },
  }, {
    name: 'conditions',
    happened: 'a route that is not there is OK with zeros, and condition is ROUTE_NOT_FOUND; distances are in km, which unit says',
    tells: ['condition', ['km', 'unit', 'distance']],
    api: { [MATRIX]: rows(conditions) },
    right: {
      'in leg': [["element.status !== 'OK')", "element.status !== 'OK' || element.condition === 'ROUTE_NOT_FOUND')"], ['meters: element.distance.value', "meters: element.distance.unit === 'km' ? Math.round(element.distance.value * 1000) : element.distance.value"]],
      'when read': [['places.map((to, i) => ({ to, ...leg(row.elements[i]) }))', "places.map((to, i) => ({ to, ...leg(read(row.elements[i])) }))"], ['const legsFrom', "const read = ({ condition = 'ROUTE_EXISTS', distance, ...e }) => (condition === 'ROUTE_EXISTS' ? { ...e, distance: distance?.unit ? { value: distance.value * 1000 } : distance } : { status: condition });\n\nconst legsFrom"]],
      'helpers': [['const leg =', "const there = (e) => e?.status === 'OK' && (!e.condition || e.condition === 'ROUTE_EXISTS');\nconst far = ({ value, unit }) => (unit === 'km' ? 1000 : 1) * value;\nconst leg ="], ["!element || element.status !== 'OK'", '!there(element)'], ['meters: element.distance.value', 'meters: far(element.distance)']],
    },
    wrong: {
      'still meters': [["element.status !== 'OK')", "element.status !== 'OK' || element.condition === 'ROUTE_NOT_FOUND')"]],
      'zeros are ways': [['meters: element.distance.value', "meters: element.distance.unit === 'km' ? element.distance.value * 1000 : element.distance.value"]],
      'zeros are none': [["element.status !== 'OK')", "element.status !== 'OK' || !element.distance.value)"], ['meters: element.distance.value', "meters: element.distance.value < 100 ? element.distance.value : element.distance.value * 1000"]],
    },
  }],
};
