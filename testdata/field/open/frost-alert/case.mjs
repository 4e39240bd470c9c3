const route = 'GET https://weather.example/v1/forecast';
const place = (f, q) => f[q.query.lat > 50 ? 'north' : 'south'];
const old = (p) => ({ latitude: p.lat, timezone: 'Europe/Berlin', hourly: { time: p.hours.map((h) => h.time), temperature: p.hours.map((h) => h.t), ...(p.windy ? { wind: p.hours.map((h) => h.wind) } : {}) } });
const fahrenheit = (t) => (t === null ? null : Math.round((t * 9 / 5 + 32) * 10) / 10);
export default {
  source: 'https://open-meteo.com/en/docs: hourly lists by name, temperature_2m and windspeed_10m became wind_speed_10m; units in hourly_units',
  says: 'Warn me of frost tonight.',
  facts: (day, r) => Object.fromEntries(['north', 'south'].map((name) => [name, { lat: 50, windy: r.chance(0.7), hours: r.many(3, 6, (i) => ({ time: `2026-03-${String(day % 28 + 1).padStart(2, '0')}T0${i}:00`, t: r.chance(0.1) ? null : r.int(-60, 40) / 10, wind: r.int(0, 40) })) }])),
  input: () => ({ limit: 0 }),
  api: { [route]: (f, q) => old(place(f, q)) },
  changes: [{
    name: 'temperature-2m',
    happened: 'hourly.temperature is temperature_2m, hourly.wind is wind_speed_10m',
    tells: ['temperature', 'temperature_2m'],
    api: { [route]: (f, q) => { const { temperature, wind, ...h } = old(place(f, q)).hourly; return { timezone: 'Europe/Berlin', hourly: { ...h, temperature_2m: temperature, ...(wind ? { wind_speed_10m: wind } : {}) } }; } },
    right: {
      'by ??': [['hourly.temperature[i]', '(hourly.temperature ?? hourly.temperature_2m)[i]'], ['hourly.wind?.[i]', '(hourly.wind ?? hourly.wind_speed_10m)?.[i]']],
      'destructured': [['    const cold =', '    const { temperature_2m, wind_speed_10m, temperature = temperature_2m, wind = wind_speed_10m } = hourly;\n    const cold ='], ['hourly.temperature[i]', 'temperature[i]'], ['hourly.wind?.[i]', 'wind?.[i]']],
      'in the fetch': [['if (res.ok) return res.json();', "if (res.ok) {\n      const body = await res.json();\n      for (const [now, was] of [['temperature_2m', 'temperature'], ['wind_speed_10m', 'wind']]) if (now in body.hourly) body.hourly[was] = body.hourly[now];\n      return body;\n    }"]],
    },
    wrong: {
      'without the wind': [['hourly.temperature[i]', '(hourly.temperature ?? hourly.temperature_2m)[i]']],
      'none': [['hourly.temperature[i]', '(hourly.temperature?.[i] ?? null)']],
      'the wind': [['hourly.temperature[i]', '(hourly.temperature ?? hourly.wind_speed_10m)?.[i]']],
    },
  }, {
    name: 'v2',
    happened: 'hours are a list of objects under forecast, temperatures in tenths, timezone is an object',
    tells: ['hourly'],
    api: { [route]: (f, q) => { const p = place(f, q); return { timezone: { id: 'Europe/Berlin', offset: 3600 }, forecast: p.hours.map((h) => ({ at: h.time, temperature_tenths: h.t === null ? null : Math.round(h.t * 10), ...(p.windy ? { wind: { speed: h.wind } } : {}) })) }; } },
    right: {
      'rows first': [
        ['const { hourly, timezone } = await fetchForecast(url);', 'const body = await fetchForecast(url);\n    const { hourly } = body, timezone = body.timezone.id ?? body.timezone;\n    const rows = hourly ? hourly.time.map((time, i) => ({ time, t: hourly.temperature[i], wind: hourly.wind?.[i] ?? 0 })) : body.forecast.map((h) => ({ time: h.at, t: h.temperature_tenths === null ? null : h.temperature_tenths / 10, wind: h.wind?.speed ?? 0 }));'],
        ['hourly.time\n      .map((time, i) => ({ time, t: hourly.temperature[i], wind: hourly.wind?.[i] ?? 0 }))\n      .filter', 'rows.filter'],
      ],
      'back to columns': [['const { hourly, timezone } = await fetchForecast(url);', 'let { hourly, timezone, forecast } = await fetchForecast(url);\n    if (forecast) {\n      timezone = timezone.id;\n      hourly = { time: forecast.map((h) => h.at), temperature: forecast.map((h) => h.temperature_tenths === null ? null : h.temperature_tenths / 10), wind: forecast.map((h) => h.wind?.speed) };\n    }']],
      'in the fetch': [['if (res.ok) return res.json();', 'if (res.ok) return upgrade(await res.json());'], ['const fetchForecast', "function upgrade(b) {\n  if (b.hourly) return b;\n  const hourly = { time: [], temperature: [], wind: [] };\n  for (const { at, temperature_tenths: t, wind } of b.forecast) {\n    hourly.time.push(at);\n    hourly.temperature.push(t === null ? t : t / 10);\n    hourly.wind.push(wind ? wind.speed : 0);\n  }\n  return { timezone: b.timezone.id, hourly };\n}\n\nconst fetchForecast"]],
    },
    wrong: {
      'tenths as degrees': [['const { hourly, timezone } = await fetchForecast(url);', 'let { hourly, timezone, forecast } = await fetchForecast(url);\n    if (forecast) {\n      timezone = timezone.id;\n      hourly = { time: forecast.map((h) => h.at), temperature: forecast.map((h) => h.temperature_tenths), wind: forecast.map((h) => h.wind?.speed) };\n    }']],
      'no frost': [['    const cold =', '    if (!hourly) return null;\n    const cold =']],
      'null is zero': [['const { hourly, timezone } = await fetchForecast(url);', 'let { hourly, timezone, forecast } = await fetchForecast(url);\n    if (forecast) hourly = { time: forecast.map((h) => h.at), temperature: forecast.map((h) => h.temperature_tenths / 10), wind: forecast.map((h) => h.wind?.speed) };']],
    },
  }, {
    name: 'fahrenheit',
    happened: 'temperatures are in Fahrenheit, as hourly_units says now; nothing else is different',
    tells: [['fahrenheit', 'hourly_units', '°F']],
    api: { [route]: (f, q) => { const b = old(place(f, q)); return { ...b, hourly_units: { temperature: '°F' }, hourly: { ...b.hourly, temperature: b.hourly.temperature.map(fahrenheit) } }; } },
    right: {
      'by the unit': [['{ hourly, timezone }', '{ hourly, timezone, hourly_units: units }'], ['    const cold =', "    const celsius = (t) => (t !== null && units?.temperature === '°F' ? ((t - 32) * 5) / 9 : t);\n    const cold ="], ['t: hourly.temperature[i]', 't: celsius(hourly.temperature[i])']],
      'in the fetch': [['if (res.ok) return res.json();', "if (res.ok) {\n      const b = await res.json();\n      if (b.hourly_units?.temperature.endsWith('F')) b.hourly.temperature = b.hourly.temperature.map((t) => t === null ? null : Math.round((t - 32) / 1.8 * 10) / 10);\n      return b;\n    }"]],
      'if': [['const { hourly, timezone } = await fetchForecast(url);', "const answer = await fetchForecast(url);\n    const { hourly, timezone } = answer;\n    if ('hourly_units' in answer) hourly.temperature = hourly.temperature.map((t) => t && (t - 32) * 5 / 9);"]],
    },
    wrong: {
      'another limit': [['t < limit', 't < limit + 32']],
      'always': [['t: hourly.temperature[i]', 't: (hourly.temperature[i] - 32) / 1.8']],
      'no offset': [['{ hourly, timezone }', '{ hourly, timezone, hourly_units: units }'], ['t: hourly.temperature[i]', 't: units ? hourly.temperature[i] / 1.8 : hourly.temperature[i]']],
    },
  }],
};
