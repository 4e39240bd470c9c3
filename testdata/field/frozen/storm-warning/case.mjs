const route = 'GET https://weather.example/v1/forecast';
const at = (f, q) => f.places[q.query.latitude.startsWith('54') ? 0 : 1];
const answer = (p) => ({ latitude: p.lat, hourly_units: { windgusts: 'km/h' }, hourly: { time: p.hours.map((h) => h.t), windgusts: p.hours.map((h) => h.gust), temperature: p.hours.map((h) => h.c) } });
export default {
  source: 'https://open-meteo.com/en/docs and its changelog: names with heights (windgusts_10m to wind_gusts_10m), units, lists of objects in place of columns',
  says: 'Warn me of storms by SMS',
  facts: (day, r) => ({ places: [54.5, 51.8].map((lat) => ({ lat, hours: r.many(3, 6, (i) => ({ t: `2026-10-${String(day + 1).padStart(2, '0')}T${String(3 * i).padStart(2, '0')}:00`, gust: r.int(100, 1200) / 10, c: r.int(-90, 250) / 10 })) })) }),
  api: { [route]: (f, q) => answer(at(f, q)), 'POST https://sms.example/messages': (f, q) => ({ sid: 'SM' + q.id }) },
  changes: [{
    name: 'underscores',
    happened: 'windgusts became wind_gusts_10m, temperature became temperature_2m',
    tells: ['windgusts', 'wind_gusts_10m'],
    api: { [route]: (f, q) => { const { hourly: { time, windgusts, temperature }, ...o } = answer(at(f, q)); return { ...o, hourly: { time, temperature_2m: temperature, wind_gusts_10m: windgusts } }; } },
    right: {
      'made old': [['function worst(hourly) {', 'function worst(raw) {\n  const hourly = { time: raw.time, windgusts: raw.windgusts ?? raw.wind_gusts_10m, temperature: raw.temperature ?? raw.temperature_2m };']],
      'in place': [['let at = 0;', 'let at = 0;\n  const gusts = hourly.windgusts || hourly.wind_gusts_10m;'], ['hourly.windgusts.forEach', 'gusts.forEach'], ['gust > hourly.windgusts[at]', 'gust > gusts[at]'], ['gust: hourly.windgusts[at]', 'gust: gusts[at]'], ['hourly.temperature[at]', '(hourly.temperature || hourly.temperature_2m)[at]']],
      "when read": [['return res.json();', "const body = await res.json();\n  for (const [now, was] of [['wind_gusts_10m', 'windgusts'], ['temperature_2m', 'temperature']]) if (now in body.hourly) body.hourly[was] = body.hourly[now];\n  return body;"]],
    },
    wrong: {
      'no wind': [['hourly.windgusts.forEach', '(hourly.windgusts ?? []).forEach'], ['gust: hourly.windgusts[at]', 'gust: hourly.windgusts?.[at] ?? 0'], ['hourly.temperature[at]', '(hourly.temperature ?? hourly.temperature_2m)[at]']],
      'the temperature blows': [['function worst(hourly) {', 'function worst(raw) {\n  const hourly = { time: raw.time, windgusts: raw.windgusts ?? raw.temperature_2m, temperature: raw.temperature ?? raw.temperature_2m };']],
      'zero degrees': [['function worst(hourly) {', 'function worst(raw) {\n  const hourly = { time: raw.time, windgusts: raw.windgusts ?? raw.wind_gusts_10m, temperature: raw.temperature ?? raw.windgusts ?? raw.time.map(() => 0) };']],
    },
  }, {
    name: 'hours-as-objects',
    happened: 'hourly is a list of {time, gust_ms, temperature}, gusts in metres a second',
    tells: [['hourly', 'windgusts', 'gust_ms']],
    api: { [route]: (f, q) => ({ latitude: at(f, q).lat, hourly: at(f, q).hours.map((h) => ({ time: h.t, gust_ms: h.gust / 3.6, temperature: h.c })) }) },
    right: {
      'made old': [['function worst(hourly) {', 'function worst(raw) {\n  const hourly = Array.isArray(raw) ? { time: raw.map((h) => h.time), windgusts: raw.map((h) => Math.round(h.gust_ms * 36) / 10), temperature: raw.map((h) => h.temperature) } : raw;']],
      "columns": [['let at = 0;', "if (Array.isArray(hourly)) {\n    const columns = { time: [], windgusts: [], temperature: [] };\n    for (const h of hourly) {\n      columns.time.push(h.time);\n      columns.windgusts.push(Number((h.gust_ms * 3.6).toFixed(1)));\n      columns.temperature.push(h.temperature);\n    }\n    hourly = columns;\n  }\n  let at = 0;"]],
      "sorted": [['let at = 0;', "if (Array.isArray(hourly)) {\n    const [top] = hourly.map((h) => ({ gust: Math.round(h.gust_ms * 36) / 10, time: h.time, temperature: h.temperature })).sort((a, b) => b.gust - a.gust);\n    return top;\n  }\n  let at = 0;"]],
    },
    wrong: {
      'metres as kilometres': [['function worst(hourly) {', 'function worst(raw) {\n  const hourly = Array.isArray(raw) ? { time: raw.map((h) => h.time), windgusts: raw.map((h) => h.gust_ms), temperature: raw.map((h) => h.temperature) } : raw;']],
      'the first hour': [['let at = 0;', 'if (Array.isArray(hourly)) return { gust: Math.round(hourly[0].gust_ms * 36) / 10, time: hourly[0].time, temperature: hourly[0].temperature };\n  let at = 0;']],
      'calm': [['let at = 0;', "if (!hourly.windgusts) return { gust: 0, time: '', temperature: 0 };\n  let at = 0;"]],
    },
  }, {
    name: 'seconds',
    happened: 'times are seconds since 1970',
    tells: ['time'],
    api: { [route]: (f, q) => { const a = answer(at(f, q)); return { ...a, hourly: { ...a.hourly, time: a.hourly.time.map((t) => Date.parse(t + 'Z') / 1000) } }; } },
    right: {
      'made old': [['time: hourly.time[at]', "time: typeof hourly.time[at] === 'number' ? new Date(hourly.time[at] * 1000).toISOString().slice(0, 16) : hourly.time[at]"]],
      'where it is written': [['${time.slice(11)}', '${clock(time)}'], ['const main', "const clock = (t) => (isNaN(t) ? t.slice(11) : new Date(Number(t) * 1000).toISOString().slice(11, 16));\n\nconst main"]],
      "when read": [['return res.json();', "const body = await res.json();\n  body.hourly.time = body.hourly.time.map((t) => (typeof t === 'number' ? new Date(t * 1000).toISOString().slice(0, 16) : t));\n  return body;"]],
    },
    wrong: {
      'as a text': [['time.slice(11)', 'String(time).slice(11)']],
      'milliseconds': [['time: hourly.time[at]', "time: typeof hourly.time[at] === 'number' ? new Date(hourly.time[at]).toISOString().slice(0, 16) : hourly.time[at]"]],
      'no time': [['time.slice(11)', "(time.slice ? time.slice(11) : '')"]],
    },
  }],
};
