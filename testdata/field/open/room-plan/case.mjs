const route = 'GET https://calendar.example/v3/calendars/:room/events';
const iso = (f, m) => `${f.day}T${String(Math.floor(m / 60)).padStart(2, '0')}:${String(m % 60).padStart(2, '0')}:00+01:00`;
const old = (f) => (e) => ({ id: e.id, status: e.off ? 'cancelled' : 'confirmed', start: e.whole ? { date: f.day } : { dateTime: iso(f, e.from) }, end: e.whole ? { date: f.day } : { dateTime: iso(f, e.from + e.long) }, organizer: { email: e.email, ...(e.name ? { displayName: e.name } : {}) } });
const paged = (make) => (f, q) => { const from = +(q.query.pageToken ?? 0), all = f.rooms[q.params.room]; return { ...(all.length ? { items: all.slice(from, from + 2).map(make(f)) } : {}), ...(all.length > from + 2 ? { nextPageToken: String(from + 2) } : {}) }; };
export default {
  source: 'https://developers.google.com/calendar/api/v3/reference/events and https://learn.microsoft.com/en-us/graph/api/resources/datetimetimezone: start.dateTime with an offset, and dateTime with a zone beside it',
  says: 'Write down how the rooms are used today.',
  zone: 'Europe/Berlin',
  facts: (day, r) => ({ day: `2026-02-${String(day % 28 + 1).padStart(2, '0')}`, rooms: Object.fromEntries(['Süd', 'room-2'].map((room) => [room, r.many(day === 5 ? 0 : 0, 5, (i) => ({ id: `e${day}${i}`, off: r.chance(0.15), whole: r.chance(0.1), from: 480 + i * 90 + r.int(0, 20), long: r.pick([15, 30, 60]), email: r.pick(['ann@x.example', 'bo@x.example']), name: r.chance(0.5) ? r.pick(['Ann', 'Bö']) : null }))])) }),
  input: (f) => ({ day: f.day, rooms: ['Süd', 'room-2'] }),
  api: { [route]: paged(old) },
  changes: [{
    name: 'organizer-name',
    happened: 'organizer.displayName is organizer.name',
    tells: ['displayName', 'name'],
    api: { [route]: paged((f) => (e) => { const o = old(f)(e); return { ...o, organizer: { email: e.email, ...(e.name ? { name: e.name } : {}) } }; }) },
    right: {
      'or': [['e.organizer.displayName ||', 'e.organizer.displayName || e.organizer.name ||']],
      'destructured': [['(e) => e.organizer.displayName || e.organizer.email', '({ organizer: { name, displayName = name, email } }) => displayName || email']],
      'at the reading': [['events.push(...items);', 'events.push(...items.map((e) => ({ ...e, organizer: { displayName: e.organizer.name, ...e.organizer } })));']],
    },
    wrong: {
      'only addresses': [['e.organizer.displayName || e.organizer.email', 'e.organizer.email']],
      'the room': [['e.organizer.displayName ||', 'e.organizer.displayName || e.organizer.name && room ||']],
      'the status': [['e.organizer.displayName ||', 'e.organizer.displayName || e.organizer.name && e.status ||']],
    },
  }, {
    name: 'graph',
    happened: 'value for items, a link for the next page, isCancelled for status, times in UTC without an offset, organizer.emailAddress with name and address',
    tells: [['items', 'value']],
    api: { [route]: (f, q) => {
      const from = +(q.query.skip ?? 0), all = f.rooms[q.params.room], utc = (m) => ({ dateTime: new Date(iso(f, m)).toISOString().slice(0, 19) + '.0000000', timeZone: 'UTC' });
      return { value: all.slice(from, from + 2).map((e) => ({ id: e.id, isCancelled: e.off, isAllDay: e.whole, start: utc(e.whole ? 0 : e.from), end: utc(e.whole ? 1440 : e.from + e.long), organizer: { emailAddress: { address: e.email, name: e.name ?? '' } } })), ...(all.length > from + 2 ? { nextLink: `https://calendar.example/v3/calendars/${encodeURIComponent(q.params.room)}/events?skip=${from + 2}` } : {}) };
    } },
    right: {
      'adapter': [
        ['let token;', 'let token, link;'], ['const res = await fetch(`', 'const res = await fetch(link || `'],
        ['const { items = [], nextPageToken } = await res.json();', "const body = await res.json();\n    const { items = body.value ? body.value.map((v) => ({ status: v.isCancelled ? 'cancelled' : 'confirmed', start: v.isAllDay ? {} : { dateTime: v.start.dateTime.slice(0, 19) + 'Z' }, end: { dateTime: v.end.dateTime.slice(0, 19) + 'Z' }, organizer: { displayName: v.organizer.emailAddress.name, email: v.organizer.emailAddress.address } })) : [], nextPageToken } = body;\n    link = body.nextLink;"],
        ['token = nextPageToken;', 'token = nextPageToken || link;'],
      ],
      'helpers': [
        ['async function collect', "const time = (t) => (t.dateTime && t.timeZone ? t.dateTime.slice(0, 19) + 'Z' : t.dateTime);\nconst person = ({ emailAddress: a, displayName, email }) => (a ? a.name || a.address : displayName || email);\n\nasync function collect"],
        ['let token;', 'let token, next;'], ['const res = await fetch(`', 'const res = await fetch(next ? next : `'], ['const { items = [], nextPageToken } = await res.json();', 'const { value = [], items = value, nextPageToken, nextLink } = await res.json();\n    next = nextLink;'], ['while (token)', 'while (token || next)'],
        ['event.end.dateTime', 'time(event.end)'], ['event.start.dateTime', 'time(event.start)'], ["e.status !== 'cancelled' && e.start.dateTime", "e.status !== 'cancelled' && !e.isCancelled && !e.isAllDay && e.start.dateTime"], ['DateTime.fromISO(e.start.dateTime', 'DateTime.fromISO(time(e.start)'], ['e.organizer.displayName || e.organizer.email', 'person(e.organizer)'],
      ],
      'two loops': [
        ['  return events;', `  return events.map((e) => (e.organizer.emailAddress ? {
    status: e.isCancelled ? 'cancelled' : '', organizer: { displayName: e.organizer.emailAddress.name, email: e.organizer.emailAddress.address },
    start: e.isAllDay ? { date: e.start.dateTime } : { dateTime: e.start.dateTime.replace('.0000000', 'Z') }, end: { dateTime: e.end.dateTime.replace('.0000000', 'Z') },
  } : e));`],
        ['let token;', 'let token = null;'],
        ['token = nextPageToken;', "token = nextPageToken;\n    for (let more = nextLink; more; ) {\n      const page = await (await fetch(more)).json();\n      events.push(...page.value);\n      more = page.nextLink;\n    }"], ['const { items = [], nextPageToken }', 'const { value = [], items = value, nextPageToken, nextLink }'],
      ],
    },
    wrong: {
      'without pages': [['const { items = [], nextPageToken }', 'const { value = [], items = value.map((v) => ({ status: v.isCancelled ? "cancelled" : "", start: v.isAllDay ? {} : { dateTime: v.start.dateTime.slice(0, 19) + "Z" }, end: { dateTime: v.end.dateTime.slice(0, 19) + "Z" }, organizer: { displayName: v.organizer.emailAddress.name, email: v.organizer.emailAddress.address } })), nextPageToken }']],
      'unwraps only': [['const { items = [], nextPageToken }', 'const { value = [], items = value, nextPageToken }']],
      'with the cancelled': [['const { items = [], nextPageToken }', 'const { value = [], items = value.map((v) => ({ start: { dateTime: v.start.dateTime.slice(0, 19) + "Z" }, end: { dateTime: v.end.dateTime.slice(0, 19) + "Z" }, organizer: { displayName: v.organizer.emailAddress.name, email: v.organizer.emailAddress.address } })), nextPageToken }']],
    },
  }, {
    name: 'duration',
    happened: 'events have a duration in minutes in place of an end; organizer is creator',
    tells: ['end', 'duration'],
    api: { [route]: paged((f) => (e) => { const { end, organizer, ...rest } = old(f)(e); return { ...rest, ...(e.whole ? {} : { durationMinutes: e.long }), creator: organizer }; }) },
    right: {
      'by ??': [['const minutes = (event) =>', 'const minutes = (event) => event.durationMinutes ??'], ['e.organizer.displayName || e.organizer.email', '(e.organizer ?? e.creator).displayName || (e.organizer ?? e.creator).email']],
      'if': [['const minutes = (event) =>', "const minutes = (event) => 'durationMinutes' in event ? event.durationMinutes :"], ['(e) => e.organizer.displayName || e.organizer.email', '({ creator, organizer = creator }) => organizer.displayName || organizer.email']],
      'end made': [['events.push(...items);', "for (const e of items) {\n      if (e.creator) e.organizer = e.creator;\n      if (e.durationMinutes) e.end = { dateTime: DateTime.fromISO(e.start.dateTime).plus({ minutes: e.durationMinutes }).toISO() };\n      events.push(e);\n    }"]],
    },
    wrong: {
      'zero': [['const minutes = (event) =>', 'const minutes = (event) => !event.end ? 0 :'], ['e.organizer.displayName || e.organizer.email', '(e.organizer ?? e.creator).displayName || (e.organizer ?? e.creator).email']],
      'half an hour': [['const minutes = (event) =>', 'const minutes = (event) => !event.end ? 30 :'], ['e.organizer.displayName || e.organizer.email', '(e.organizer ?? e.creator).displayName || (e.organizer ?? e.creator).email']],
      'nobody': [['const minutes = (event) =>', 'const minutes = (event) => event.durationMinutes ??'], ['e.organizer.displayName || e.organizer.email', "e.organizer?.displayName || e.organizer?.email || 'unknown'"]],
    },
  }],
};
