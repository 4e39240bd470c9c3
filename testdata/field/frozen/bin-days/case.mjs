const route = 'GET https://town.example/waste/calendar.ics';
const esc = (s) => s.replace(/([,;\\])/g, '\\$1').replace(/\n/g, '\\n');
const fold = (line) => line.replace(/(.{60})(?=.)/gu, '$1\r\n ');
const stamp = (d) => d.replace(/-/g, '');
const old = (e) => ['BEGIN:VEVENT', `UID:${e.id}@town`, `DTSTART;VALUE=DATE:${stamp(e.day)}`, `SUMMARY:${e.kind} ${e.round}`, ...(e.note ? [`DESCRIPTION:${esc(e.note)}`] : []), ...(e.off ? ['STATUS:CANCELLED'] : []), 'END:VEVENT'];
const ics = (f, event, head = []) => ({ $type: 'text/calendar; charset=utf-8', $body: ['BEGIN:VCALENDAR', 'VERSION:2.0', ...head, ...f.events.flatMap(event), 'END:VCALENDAR', ''].map(fold).join('\r\n') });
const date = (day) => new Date(Date.UTC(2026, 9, day)).toISOString().slice(0, 10);
export default {
  source: 'https://github.com/mampfes/hacs_waste_collection_schedule/issues/2325 and https://github.com/iobroker-community-adapters/ioBroker.ical/issues/59 (both opened): calendars of waste gained parameters such as LANGUAGE, times with zones in place of dates, and ones in UTC that begin on the evening before',
  says: 'Tell me on the evening before which bins go out',
  zone: 'Europe/Berlin',
  facts: (day, r) => ({
    slot: `${date(day + 1)}T17:00:00Z`, street: r.pick(['Am Weg 3', 'Große Straße']),
    events: r.many(day === 8 ? 0 : 2, 6, (i) => ({ id: `${day}-${i}`, day: date(day + 1 + r.pick([1, 1, 0, 2, 8])), kind: r.pick(['Restmüll', 'Papier', 'Bio', 'Wertstoffe', 'Sperrmüll']), round: r.pick(['14-tägl.', 'Tour 3', '(120 l, 240 l)']), note: r.pick([null, null, 'bis 6 Uhr, bitte; Deckel zu', 'Feiertag!\nverschoben', 'Ein sehr langer Hinweis zur Abfuhr in dieser Straße, der nicht in eine Zeile passt']), off: r.chance(0.12) })),
  }),
  input: (f) => ({ slot: f.slot, street: f.street }),
  api: { [route]: (f) => ics(f, old), 'POST https://lamp.example/api/blink': () => ({ ok: true }) },
  changes: [{
    name: 'parameters',
    happened: 'names have parameters: SUMMARY;LANGUAGE=de, DESCRIPTION;LANGUAGE=de, and DTSTART;TZID=Europe/Berlin with a time',
    tells: [['DTSTART', 'SUMMARY', 'LANGUAGE', 'TZID']],
    api: { [route]: (f) => ics(f, (e) => old(e).map((l) => l.replace('DTSTART;VALUE=DATE:' + stamp(e.day), `DTSTART;TZID=Europe/Berlin:${stamp(e.day)}T060000`).replace(/^(SUMMARY|DESCRIPTION):/, '$1;LANGUAGE=de:'))) },
    right: {
      'names without parameters': [["event[line.slice(0, at)] = line", "event[line.slice(0, at).split(';')[0]] = line"], ["e['DTSTART;VALUE=DATE']", 'e.DTSTART'], ['/^(\\d{4})(\\d\\d)(\\d\\d)$/', '/^(\\d{4})(\\d\\d)(\\d\\d).*$/']],
      'looked up': [['const addDays', "const prop = (event, name) => event[Object.keys(event).find((key) => key === name || key.startsWith(name + ';'))]\n\nconst addDays"], ["dateOf(e['DTSTART;VALUE=DATE'])", "dateOf(prop(e, 'DTSTART').slice(0, 8))"], ['e.SUMMARY', "prop(e, 'SUMMARY')"], ['e.DESCRIPTION', "prop(e, 'DESCRIPTION')"]],
      'text made old': [['unfold(ics).split', "unfold(ics).replace(/^DTSTART;TZID=[^:]+:(\\d{8})T\\d+/gm, 'DTSTART;VALUE=DATE:$1').replace(/^(SUMMARY|DESCRIPTION);[^:]*:/gm, '$1:').split"]],
    },
    wrong: {
      'no bins': [["const day = dateOf(e['DTSTART;VALUE=DATE'])", "const day = dateOf(e['DTSTART;VALUE=DATE'] ?? '')"]],
      'no notes': [["event[line.slice(0, at)] = line", "event[line.slice(0, at).replace(';LANGUAGE=de', '').replace('DESCRIPTION', 'NOTE')] = line"], ["e['DTSTART;VALUE=DATE']", "(e['DTSTART;VALUE=DATE'] ?? e['DTSTART;TZID=Europe/Berlin'].slice(0, 8))"]],
      'the date with its time': [["event[line.slice(0, at)] = line", "event[line.slice(0, at).split(';')[0]] = line"], ["e['DTSTART;VALUE=DATE']", 'e.DTSTART']],
      'without what has no summary': [["const day = dateOf(e['DTSTART;VALUE=DATE'])", "if (!e.SUMMARY) continue\n    const day = dateOf(e['DTSTART;VALUE=DATE'])"]],
    },
  }, {
    name: 'evening-in-utc',
    happened: 'DTSTART is in UTC, at 22:00 or 23:00 of the evening before, which is midnight in Berlin',
    tells: [['DTSTART', 'UTC', 'zone']],
    api: { [route]: (f) => ics(f, (e) => old(e).map((l) => { if (!l.startsWith('DTSTART')) return l; const at = new Date(Date.parse(e.day + 'T00:00:00Z') - (e.day <= '2026-10-25' ? 2 : 1) * 3600000).toISOString(); return 'DTSTART:' + at.replace(/[-:]|\.000/g, ''); })) },
    right: {
      'the zone of the place': [["dateOf(e['DTSTART;VALUE=DATE'])", "e.DTSTART ? localTime(Date.parse(e.DTSTART.replace(/^(\\d{4})(\\d\\d)(\\d\\d)T(\\d\\d)(\\d\\d)(\\d\\d)Z$/, '$1-$2-$3T$4:$5:$6Z')), 'Europe/Berlin').date : dateOf(e['DTSTART;VALUE=DATE'])"]],
      'three hours on': [["dateOf(e['DTSTART;VALUE=DATE'])", "e.DTSTART ? utcDay(e.DTSTART) : dateOf(e['DTSTART;VALUE=DATE'])"], ['const addDays', "const utcDay = (value) => {\n  const [, y, m, d, h] = /^(\\d{4})(\\d\\d)(\\d\\d)T(\\d\\d)/.exec(value)\n  return new Date(Date.UTC(+y, +m - 1, +d, +h + 3)).toISOString().slice(0, 10)\n}\n\nconst addDays"]],
      'the next day': [["dateOf(e['DTSTART;VALUE=DATE'])", "e.DTSTART && /T2[23]0000Z$/.test(e.DTSTART) ? addDays(dateOf(e.DTSTART.slice(0, 8)), 1) : dateOf(e['DTSTART;VALUE=DATE'])"]],
    },
    wrong: {
      'the date in UTC': [["e['DTSTART;VALUE=DATE']", "(e['DTSTART;VALUE=DATE'] ?? e.DTSTART.slice(0, 8))"]],
      'none': [["e['DTSTART;VALUE=DATE']", "(e['DTSTART;VALUE=DATE'] || '')"]],
      'tomorrow for all': [["dateOf(e['DTSTART;VALUE=DATE'])", "e.DTSTART ? tomorrow : dateOf(e['DTSTART;VALUE=DATE'])"]],
    },
  }, {
    name: 'words-and-categories',
    happened: 'the summary is Abfuhr for all with the kind in CATEGORIES in capitals, and cancelled ones have METHOD CANCEL in an own line',
    tells: [['SUMMARY', 'CATEGORIES', 'STATUS', 'kind']],
    api: { [route]: (f) => ics(f, (e) => old(e).map((l) => (l.startsWith('SUMMARY') ? `SUMMARY:Abfuhr ${e.round}` : l === 'STATUS:CANCELLED' ? 'X-STATE:ausgefallen' : l)).flatMap((l) => (l.startsWith('SUMMARY') ? [l, `CATEGORIES:${e.kind.toUpperCase()}`] : [l]))) },
    right: {
      'made old': [['      yield event', "      if (event.CATEGORIES) {\n        event.SUMMARY = event.CATEGORIES[0] + event.CATEGORIES.slice(1).toLowerCase()\n        if (event['X-STATE']) event.STATUS = 'CANCELLED'\n      }\n      yield event"]],
      'in place': [["const kind = e.SUMMARY.split(' ')[0]", "const kind = e.CATEGORIES ? e.CATEGORIES.replace(/^(.)(.*)$/u, (_, a, b) => a + b.toLowerCase()) : e.SUMMARY.split(' ')[0]"], ["e.STATUS === 'CANCELLED'", "e.STATUS === 'CANCELLED' || e['X-STATE'] === 'ausgefallen'"]],
      'from the table': [["const kind = e.SUMMARY.split(' ')[0]", "const known = [...Object.keys(COLOURS), 'Sperrmüll'].find((name) => name.toUpperCase() === e.CATEGORIES)\n    const kind = known ?? e.SUMMARY.split(' ')[0]"], ["e.STATUS === 'CANCELLED'", "[e.STATUS, e['X-STATE']].some((s) => s === 'CANCELLED' || s === 'ausgefallen')"]],
    },
    wrong: {
      'capitals': [["const kind = e.SUMMARY.split(' ')[0]", "const kind = e.CATEGORIES ?? e.SUMMARY.split(' ')[0]"], ["e.STATUS === 'CANCELLED'", "e.STATUS === 'CANCELLED' || e['X-STATE'] === 'ausgefallen'"]],
      'cancelled ones, too': [["const kind = e.SUMMARY.split(' ')[0]", "const kind = e.CATEGORIES ? e.CATEGORIES.replace(/^(.)(.*)$/u, (_, a, b) => a + b.toLowerCase()) : e.SUMMARY.split(' ')[0]"]],
      'Abfuhr': [["e.STATUS === 'CANCELLED'", "e.STATUS === 'CANCELLED' || e['X-STATE'] === 'ausgefallen'"]],
    },
  }],
};
