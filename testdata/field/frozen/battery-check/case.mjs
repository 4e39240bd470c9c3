const route = 'GET https://house.example/api/states';
const vacuum = (v) => ({ entity_id: `vacuum.${v.id}`, state: 'docked', last_changed: v.at, attributes: { friendly_name: v.name, battery_level: v.level, fan_speed: 'silent' } });
const sensor = (s) => ({ entity_id: `sensor.${s.id}`, state: s.value, last_changed: s.at, attributes: { ...(s.name ? { friendly_name: s.name } : {}), ...(s.level === null ? {} : { battery_level: s.level }) } });
const win = (w) => ({ entity_id: `binary_sensor.${w.id}`, state: w.open ? 'on' : 'off', last_changed: w.at, attributes: { friendly_name: w.name, device_class: 'window' } });
// The level stands at another entity, which is named after the one that it belongs to.
const apart = (one) => { const { battery_level: level, ...attributes } = one.attributes; return [{ ...one, attributes }, ...(level === undefined ? [] : [{ entity_id: `sensor.${one.entity_id.split('.')[1]}_battery`, state: String(level), last_changed: one.last_changed, attributes: { friendly_name: `${attributes.friendly_name ?? one.entity_id} Battery`, device_class: 'battery', unit_of_measurement: '%' } }])]; };
const all = (f, v = vacuum, s = sensor, w = win) => [...f.vacuums.map(v), ...f.sensors.map(s), ...f.windows.map(w)];
export default {
  source: 'https://github.com/home-assistant/core/pull/150061 and https://github.com/benct/lovelace-xiaomi-vacuum-card/issues/124 (both opened): the level of a battery is no attribute of the device any more and stands at a sensor of its own',
  says: 'Tell me of empty batteries and open windows',
  facts: (day, r) => {
    const at = () => `2026-11-${String(day + 1).padStart(2, '0')}T0${r.int(4, 6)}:${r.int(10, 59)}:00.123456+00:00`;
    return {
      slot: `2026-11-${String(day + 1).padStart(2, '0')}T07:00:00Z`, low: r.pick([undefined, 30]),
      vacuums: r.some(['rosi', 'max']).map((id) => ({ id, name: id === 'rosi' ? 'Rosi Ö' : 'Max “2”', level: r.int(0, 100), at: at() })),
      sensors: r.some(['hall', 'attic', 'shed']).map((id) => ({ id, name: r.chance(0.7) ? `${id} 温度` : null, value: r.pick(['20.5', 'unavailable', '7']), level: r.chance(0.6) ? r.int(0, 60) : null, at: at() })),
      windows: r.some(['kitchen', 'bath']).map((id) => ({ id, name: id + ' window', open: r.chance(0.5), at: at() })),
    };
  },
  input: (f) => (f.low ? { slot: f.slot, low: f.low } : { slot: f.slot }),
  api: { [route]: (f) => all(f), 'POST https://house.example/api/services/light/:what': () => [] },
  changes: [{
    name: 'battery-apart',
    happened: 'battery_level is no attribute any more; each device has a sensor _battery whose state is the level as a text and whose device_class is battery',
    tells: ['battery'],
    api: { [route]: (f) => all(f).flatMap(apart) },
    right: {
      'made old': [['function batteries(states) {', "function batteries(given) {\n  const levels = new Map(given.filter((s) => s.attributes.device_class === 'battery').map((s) => [s.entity_id.replace(/^sensor\\.(.*)_battery$/, '$1'), Number(s.state)]));\n  const states = given.map((s) => (levels.has(s.entity_id.split('.')[1]) ? { ...s, attributes: { ...s.attributes, battery_level: levels.get(s.entity_id.split('.')[1]) } } : s));"]],
      'found for each': [["function batteries(states) {\n  return states\n    .filter((s) => typeof s.attributes.battery_level === 'number')\n    .map((s) => ({ id: s.entity_id, name: label(s), level: s.attributes.battery_level }));", "function level(one, states) {\n  if (typeof one.attributes.battery_level === 'number') return one.attributes.battery_level;\n  const own = states.find((s) => s.entity_id === 'sensor.' + one.entity_id.split('.')[1] + '_battery');\n  return own ? parseFloat(own.state) : undefined;\n}\n\nfunction batteries(states) {\n  return states.map((s) => ({ id: s.entity_id, name: label(s), level: level(s, states) })).filter((b) => b.level !== undefined);"]],
      'from the sensors': [["function batteries(states) {\n  return states\n", "function batteries(states) {\n  const apart = [];\n  for (const one of states) {\n    for (const s of states) {\n      if (s.attributes.device_class === 'battery' && s.entity_id.slice(7) === one.entity_id.slice(one.entity_id.indexOf('.') + 1) + '_battery') apart.push({ id: one.entity_id, name: label(one), level: +s.state });\n    }\n  }\n  if (apart.length) return apart;\n  return states\n"]],
    },
    wrong: {
      'the sensor for the device': [["typeof s.attributes.battery_level === 'number'", "typeof s.attributes.battery_level === 'number' || s.attributes.device_class === 'battery'"], ['level: s.attributes.battery_level', 'level: s.attributes.battery_level ?? Number(s.state)']],
      'none is empty': [["typeof s.attributes.battery_level === 'number'", "typeof (s.attributes.battery_level ?? 100) === 'number'"], ['level: s.attributes.battery_level', 'level: s.attributes.battery_level ?? 100']],
      'vacuums only': [['function batteries(states) {', "function batteries(given) {\n  const states = given.map((s) => {\n    const own = domain(s) === 'vacuum' && given.find((b) => b.entity_id === s.entity_id.replace('vacuum.', 'sensor.') + '_battery');\n    return own ? { ...s, attributes: { ...s.attributes, battery_level: Number(own.state) } } : s;\n  });"]],
      'all are empty': [["typeof s.attributes.battery_level === 'number'", "s.attributes.battery_level !== null && (typeof s.attributes.battery_level === 'number' || domain(s) !== 'binary_sensor')"], ['level: s.attributes.battery_level', 'level: s.attributes.battery_level ?? 0']],
    },
  }, {
    name: 'classes-and-times',
    happened: 'windows have the class opening and the state open, last_changed is seconds since 1970, and levels are texts with a percent sign',
    tells: [['device_class', 'opening', 'window', 'state', 'last_changed', 'battery']],
    api: { [route]: (f) => all(f).map((s) => { const a = { ...s.attributes }; if ('battery_level' in a) a.battery_level = `${a.battery_level} %`; if (a.device_class === 'window') a.device_class = 'opening'; return { ...s, attributes: a, state: s.state === 'on' ? 'open' : s.state === 'off' ? 'closed' : s.state, last_changed: Date.parse(s.last_changed) / 1000 }; }) },
    right: {
      'made old': [["const states = await request('/states');", "const states = (await request('/states')).map((s) => {\n    const a = { ...s.attributes };\n    if (typeof a.battery_level === 'string') a.battery_level = parseInt(a.battery_level, 10);\n    if (a.device_class === 'opening') a.device_class = 'window';\n    return { ...s, attributes: a, state: s.state === 'open' ? 'on' : s.state, last_changed: typeof s.last_changed === 'number' ? new Date(s.last_changed * 1000).toISOString() : s.last_changed };\n  });"]],
      'in each place': [["typeof s.attributes.battery_level === 'number'", 's.attributes.battery_level !== undefined'], ['level: s.attributes.battery_level', 'level: parseFloat(s.attributes.battery_level)'], ["s.attributes.device_class === 'window' && s.state === 'on'", "['window', 'opening'].includes(s.attributes.device_class) && ['on', 'open'].includes(s.state)"], ['Date.parse(s.last_changed)', "(typeof s.last_changed === 'number' ? s.last_changed * 1000 : Date.parse(s.last_changed))"]],
      'functions': [["typeof s.attributes.battery_level === 'number'", 'percent(s.attributes.battery_level) !== null'], ['level: s.attributes.battery_level', 'level: percent(s.attributes.battery_level)'], ["s.attributes.device_class === 'window' && s.state === 'on'", 'isOpen(s)'], ['Date.parse(s.last_changed)', 'time(s.last_changed)'], ['function batteries', "const percent = (value) => (value === undefined ? null : Number(String(value).replace('%', '').trim()));\nconst time = (value) => (isFinite(value) ? new Date(1000 * value) : new Date(value)).getTime();\nconst isOpen = (s) => (s.attributes.device_class === 'window' && s.state === 'on') || (s.attributes.device_class === 'opening' && s.state === 'open');\n\nfunction batteries"]],
    },
    wrong: {
      'no windows': [["typeof s.attributes.battery_level === 'number'", 's.attributes.battery_level !== undefined'], ['level: s.attributes.battery_level', 'level: parseFloat(s.attributes.battery_level)']],
      'no batteries': [["s.attributes.device_class === 'window' && s.state === 'on'", "['window', 'opening'].includes(s.attributes.device_class) && ['on', 'open'].includes(s.state)"], ['Date.parse(s.last_changed)', "(typeof s.last_changed === 'number' ? s.last_changed * 1000 : Date.parse(s.last_changed))"]],
      'open since 1970': [["typeof s.attributes.battery_level === 'number'", 's.attributes.battery_level !== undefined'], ['level: s.attributes.battery_level', 'level: parseFloat(s.attributes.battery_level)'], ["s.attributes.device_class === 'window' && s.state === 'on'", "['window', 'opening'].includes(s.attributes.device_class) && ['on', 'open'].includes(s.state)"], ['Date.parse(s.last_changed)', 'new Date(s.last_changed).getTime()']],
      'closed ones, too': [["typeof s.attributes.battery_level === 'number'", 's.attributes.battery_level !== undefined'], ['level: s.attributes.battery_level', 'level: parseFloat(s.attributes.battery_level)'], ["s.attributes.device_class === 'window' && s.state === 'on'", "(s.attributes.device_class === 'opening' || (s.attributes.device_class === 'window' && s.state === 'on'))"], ['Date.parse(s.last_changed)', "(typeof s.last_changed === 'number' ? s.last_changed * 1000 : Date.parse(s.last_changed))"]],
    },
  }, {
    name: 'battery-gone',
    happened: 'levels of batteries are not told any more, only that one is low',
    tells: ['battery'],
    lost: true,
    api: { [route]: (f) => all(f).map((s) => { const { battery_level: level, ...attributes } = s.attributes; return { ...s, attributes: level === undefined ? attributes : { ...attributes, battery_low: level < 15 } }; }) },
    wrong: {
      'ten for low': [["typeof s.attributes.battery_level === 'number'", "typeof s.attributes.battery_level === 'number' || s.attributes.battery_low !== undefined"], ['level: s.attributes.battery_level', 'level: s.attributes.battery_level ?? (s.attributes.battery_low ? 10 : 100)']],
      'zero for low': [["typeof s.attributes.battery_level === 'number'", "typeof s.attributes.battery_level === 'number' || s.attributes.battery_low"], ['level: s.attributes.battery_level', 'level: s.attributes.battery_level ?? 0']],
      'no batteries': [["typeof s.attributes.battery_level === 'number'", "(s.attributes.battery_level ?? null) !== null"]],
      'all are full': [["typeof s.attributes.battery_level === 'number'", "typeof s.attributes.battery_level === 'number' || 'battery_low' in s.attributes"], ['level: s.attributes.battery_level', 'level: s.attributes.battery_level || 100']],
    },
  }],
};
