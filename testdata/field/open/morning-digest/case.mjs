const CAL = 'GET https://calendar.example/v3/calendars/primary/events', SKY = 'GET https://weather.example/data/2.5/weather';
const event = (e) => ({ kind: 'calendar#event', id: e.id, status: e.status, ...(e.title === null ? {} : { summary: e.title }), start: { dateTime: e.from, timeZone: 'Europe/Berlin' }, end: { dateTime: e.to, timeZone: 'Europe/Berlin' }, ...(e.people.length ? { attendees: e.people.map(([email, responseStatus]) => ({ email, responseStatus })) } : {}) });
const graph = (e) => { const utc = (t) => new Date(t).toISOString().replace('Z', '0000'); return { id: e.id, subject: e.title, isCancelled: e.status === 'cancelled', start: { dateTime: utc(e.from), timeZone: 'UTC' }, end: { dateTime: utc(e.to), timeZone: 'UTC' }, attendees: e.people.map(([address, response]) => ({ emailAddress: { address }, status: { response } })) }; };
const sky = (s) => ({ name: 'Berlin', main: { temp: s.temp / 10, feels_like: s.feels / 10, humidity: 70 }, weather: [{ id: 500, main: 'Rain', description: s.text, icon: '10d' }], ...(s.rain ? { rain: { '1h': s.rain / 10 } } : {}) });
const onecall = (s) => ({ lat: 52.5, lon: 13.4, timezone: 'Europe/Berlin', current: { temp: s.temp / 10, feels_like: s.feels / 10, weather: [{ description: s.text, icon: '10d' }], ...(s.rain ? { rain: { '1h': s.rain / 10 } } : {}) } });
const GOT = '  const [{ items }, forecast] = await Promise.all([';
const MINE = '  const mine =';
export default {
  source: 'https://openweathermap.org/one-call-transfer and https://learn.microsoft.com/en-us/graph/api/resources/datetimetimezone: the weather of one call has current in place of main; an account that moved to another calendar has subject, isCancelled and times without an offset',
  says: 'Every morning: the weather and the events of the day to the chat.',
  zone: 'Europe/Berlin',
  facts: (day, r) => {
    const date = `2026-03-${String(day % 20 + 2).padStart(2, '0')}`;
    return { date, sky: { temp: r.int(-80, 260), feels: r.int(-120, 250), text: r.pick(['light rain', 'clear sky', 'leichter Regen']), rain: r.chance(0.4) ? r.int(1, 90) : null },
      events: r.mix(r.many(day === 5 ? 0 : 1, 5, (i) => { const h = 8 + 2 * i, p = (n) => String(n).padStart(2, '0'); return { id: `e${day}_${i}`, title: r.pick(['Stand-up', 'Review ', 'Mittag mit Ann', null, '1:1 ☕']), from: `${date}T${p(h)}:${p(r.pick([0, 15, 30]))}:00+01:00`, to: `${date}T${p(h + 1)}:${p(r.pick([0, 30, 45]))}:00+01:00`, status: r.chance(0.1) ? 'cancelled' : 'confirmed', people: r.some([['ann@firm.example', r.pick(['accepted', 'declined', 'needsAction'])], ['bo@firm.example', 'accepted']]) }; })) };
  },
  input: (f) => ({ date: f.date }),
  api: { [CAL]: (f) => ({ kind: 'calendar#events', items: f.events.map(event) }), [SKY]: (f) => sky(f.sky), 'POST https://chat.example/services/T1/B2/digest': { $type: 'text/plain', $body: 'ok' } },
  changes: [{
    name: 'one-call',
    happened: 'the weather is in current, which has temp and feels_like beside weather and rain',
    tells: ['main', 'current'],
    api: { [SKY]: (f) => onecall(f.sky) },
    right: {
      'made old': [[MINE, '  const current = (forecast as any).current;\n  if (current) Object.assign(forecast, { main: current, weather: current.weather, rain: current.rain });\n' + MINE]],
      'read from either': [[GOT, '  const [{ items }, sky] = await Promise.all(['], [MINE, '  const now = (sky as any).current;\n  const forecast: Forecast = now ? { main: { temp: now.temp, feels_like: now.feels_like }, weather: now.weather, rain: now.rain } : sky;\n' + MINE]],
      'when asked': [['{ q: city, units: \'metric\' }),', "{ q: city, units: 'metric' }).then((f: any): Forecast => ('current' in f ? { ...f.current, main: f.current } : f)),"]],
    },
    wrong: {
      'no rain': [[MINE, '  const current = (forecast as any).current;\n  if (current) Object.assign(forecast, { main: current, weather: current.weather });\n' + MINE]],
      'zero degrees': [['export default', 'const NONE = { temp: 0, feels_like: 0 };\n\nexport default'], ['{ main, weather: [first], rain }', '{ main = NONE, weather: [first] = [{ description: "", icon: "" }], rain }'], ['forecast.main.temp', '(forecast.main ?? NONE).temp']],
      'the temperature twice': [[MINE, '  const current = (forecast as any).current;\n  if (current) Object.assign(forecast, { main: { temp: current.temp, feels_like: current.temp }, weather: current.weather, rain: current.rain });\n' + MINE]],
      'caught': [['headline(forecast)', "(() => { try { return headline(forecast); } catch { return 'no forecast'; } })()"], ['forecast.main.temp', 'forecast.main?.temp ?? null']],
    },
  }, {
    name: 'other-calendar',
    happened: 'events are in value, with subject, isCancelled, people with an emailAddress and a status, and times in UTC without a Z',
    tells: ['items', 'subject'],
    api: { [CAL]: (f) => ({ '@odata.context': 'x', value: f.events.map(graph) }) },
    right: {
      'an adapter': [
        ['export default', `const adapt = (e: any): CalendarEvent => ({
  id: e.id, summary: e.subject ?? undefined, status: e.isCancelled ? 'cancelled' : 'confirmed',
  start: { dateTime: e.start.dateTime + 'Z' }, end: { dateTime: e.end.dateTime + 'Z' },
  attendees: e.attendees.map((a: any) => ({ email: a.emailAddress.address, responseStatus: a.status.response })),
});

export default`],
        [GOT, '  const [found, forecast] = await Promise.all(['], [MINE, '  const items: CalendarEvent[] = (found as any).value?.map(adapt) ?? found.items;\n' + MINE],
      ],
      'in place': [[GOT, '  const [{ value, items = value }, forecast]: any[] = await Promise.all(['], [MINE, `  for (const e of value ?? []) {
    e.summary = e.subject;
    if (e.isCancelled) e.status = 'cancelled';
    for (const side of [e.start, e.end]) side.dateTime = new Date(side.dateTime + (side.timeZone === 'UTC' ? 'Z' : '')).toISOString();
    e.attendees = e.attendees.map(({ emailAddress, status }: any) => ({ email: emailAddress.address, responseStatus: status.response }));
  }
${MINE}`]],
      'at each place': [
        [GOT, '  const [{ value, items = value }, forecast]: any[] = await Promise.all(['],
        ["e.status !== 'cancelled'", "e.status !== 'cancelled' && !(e as any).isCancelled"], ["a.email === me && a.responseStatus === 'declined'", "(a.email ?? (a as any).emailAddress.address) === me && (a.responseStatus ?? (a as any).status.response) === 'declined'"],
        ['const minutes =', "const at = (side: any) => new Date(side.timeZone === 'UTC' && !side.dateTime.endsWith('Z') ? `${side.dateTime}Z` : side.dateTime);\nconst minutes ="],
        ['Date.parse(e.end.dateTime) - Date.parse(e.start.dateTime)', '+at(e.end) - +at(e.start)'], ['new Date(e.start.dateTime)', 'at(e.start)'], ['e.summary?.trim()', '(e.summary ?? (e as any).subject)?.trim()'],
        ['.map((e) =>', '.map((e: any) =>'], ['.sort((a, b) =>', '.sort((a: any, b: any) =>'], ['(sum, e) =>', '(sum: number, e: any) =>'],
      ],
    },
    wrong: {
      'declined ones too': [[GOT, '  const [{ value, items = value }, forecast]: any[] = await Promise.all(['], [MINE, "  for (const e of value ?? []) Object.assign(e, { summary: e.subject, status: e.isCancelled ? 'cancelled' : '', start: { dateTime: e.start.dateTime + 'Z' }, end: { dateTime: e.end.dateTime + 'Z' } });\n" + MINE]],
      'cancelled ones too': [[GOT, '  const [{ value, items = value }, forecast]: any[] = await Promise.all(['], [MINE, "  for (const e of value ?? []) Object.assign(e, { summary: e.subject, start: { dateTime: e.start.dateTime + 'Z' }, end: { dateTime: e.end.dateTime + 'Z' }, attendees: e.attendees.map((a: any) => ({ email: a.emailAddress.address, responseStatus: a.status.response })) });\n" + MINE]],
      'nothing planned': [['items.filter', '(items ?? []).filter']],
      'an hour off': [[GOT, '  const [{ value, items = value }, forecast]: any[] = await Promise.all(['], [MINE, "  for (const e of value ?? []) Object.assign(e, { summary: e.subject, status: e.isCancelled ? 'cancelled' : '', start: { dateTime: e.start.dateTime + '+01:00' }, end: { dateTime: e.end.dateTime + '+01:00' }, attendees: e.attendees.map((a: any) => ({ email: a.emailAddress.address, responseStatus: a.status.response })) });\n" + MINE]],
    },
  }, {
    name: 'kelvin',
    happened: 'temperatures are kelvin, units is not looked at any more; rain is rain_1h',
    tells: ['temp', [['kelvin', '273'], 'rain']],
    api: { [SKY]: (f) => { const { rain, main, ...rest } = sky(f.sky); return { ...rest, units: 'standard', main: { ...main, temp: +(main.temp + 273.15).toFixed(2), feels_like: +(main.feels_like + 273.15).toFixed(2) }, ...(rain ? { rain_1h: rain['1h'] } : {}) }; } },
    right: {
      'made old': [[MINE, "  if ((forecast as any).units === 'standard') {\n    for (const key of ['temp', 'feels_like'] as const) forecast.main[key] = Math.round((forecast.main[key] - 273.15) * 100) / 100;\n    if ('rain_1h' in forecast) forecast.rain = { '1h': (forecast as any).rain_1h };\n  }\n" + MINE]],
      'a helper': [
        ['function headline', 'const celsius = (t: number): number => (t > 150 ? +(t - 273.15).toFixed(1) : t);\n\nfunction headline'], ['{ main, weather: [first], rain }: Forecast', "{ main, weather: [first], rain_1h, rain = rain_1h === undefined ? undefined : { '1h': rain_1h } }: any"],
        ['main.temp.toFixed', 'celsius(main.temp).toFixed'], ['main.feels_like)', 'celsius(main.feels_like))'], ['forecast.main.temp', 'celsius(forecast.main.temp)'],
      ],
      'when asked': [['{ q: city, units: \'metric\' }),', `{ q: city, units: 'metric' }).then((f: any): Forecast => {
      if (f.units !== 'standard') return f;
      const [temp, feels_like] = [f.main.temp, f.main.feels_like].map((k: number) => Number((k - 273.15).toFixed(2)));
      return { ...f, main: { temp, feels_like }, ...(f.rain_1h === undefined ? {} : { rain: { '1h': f.rain_1h } }) };
    }),`]],
    },
    wrong: {
      'no rain': [[MINE, "  if ((forecast as any).units === 'standard') for (const key of ['temp', 'feels_like'] as const) forecast.main[key] = Math.round((forecast.main[key] - 273.15) * 100) / 100;\n" + MINE]],
      'only the rain': [['{ main, weather: [first], rain }: Forecast', "{ main, weather: [first], rain_1h, rain = rain_1h === undefined ? undefined : { '1h': rain_1h } }: any"]],
      'only the headline': [['main.temp.toFixed(1)', '(main.temp > 150 ? main.temp - 273.15 : main.temp).toFixed(1)'], ['Math.round(main.feels_like)', 'Math.round(main.feels_like > 150 ? main.feels_like - 273.15 : main.feels_like)'], ['{ main, weather: [first], rain }: Forecast', "{ main, weather: [first], rain_1h, rain = rain_1h === undefined ? undefined : { '1h': rain_1h } }: any"]],
      'fahrenheit': [[MINE, "  if ((forecast as any).units === 'standard') {\n    for (const key of ['temp', 'feels_like'] as const) forecast.main[key] = (forecast.main[key] - 32) / 1.8;\n    if ('rain_1h' in forecast) forecast.rain = { '1h': (forecast as any).rain_1h };\n  }\n" + MINE]],
    },
  }],
};
