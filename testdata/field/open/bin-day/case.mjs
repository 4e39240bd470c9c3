const ICS = 'GET https://town.example/abfall/:street';
const esc = (t) => t.replace(/([,;\\])/g, '\\$1');
const stamp = (iso) => iso.replaceAll('-', '');
const plain = (e) => [`UID:${e.uid}@town.example`, `DTSTART:${stamp(e.day)}`, `SUMMARY:${esc(e.what)}`, ...(e.where ? [`LOCATION:${esc(e.where)}`] : []), ...(e.off ? ['STATUS:CANCELLED'] : [])];
const calendar = (of, whole = (lines) => lines) => (f) => ({ $type: 'text/calendar; charset=utf-8', $body: whole(['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Stadt//Abfall//DE', ...f.events.flatMap((e) => ['BEGIN:VEVENT', ...of(e), 'END:VEVENT']), 'END:VCALENDAR']).join('\r\n') + '\r\n' });
const fold = (lines) => lines.map((l) => l.replace(/(.{20})(?=.)/gu, '$1\r\n '));
const dated = (e) => plain(e).map((l) => l.replace(/^DTSTART:/, 'DTSTART;VALUE=DATE:'));
// The truck comes at six in Berlin, which is another day in UTC only before one o'clock: at half past midnight.
const zoned = (e) => plain(e).map((l) => l.replace(/^DTSTART:.*/, `DTSTART:${stamp(new Date(Date.parse(`${e.day}T00:30:00+01:00`)).toISOString().slice(0, 10))}T233000Z`).replace(/^SUMMARY:/, 'SUMMARY;LANGUAGE=de:'));
const PUT = 'event[line.slice(0, at)] = unescape(line.slice(at + 1));';
export default {
  source: 'https://github.com/ridafkih/keeper.sh/pull/417 and https://github.com/techsoc/techsoc.github.io/issues/1 and https://github.com/Gig-o-Matic/GO3/issues/375: calendars began to fold their lines, to give properties parameters and to write times in UTC',
  says: 'Tell me in the evening which bins to put out.',
  zone: 'Europe/Berlin',
  facts: (day, r) => ({ today: `2026-02-${String(day % 27 + 1).padStart(2, '0')}`, events: r.mix(r.many(day === 6 ? 0 : 3, 9, (i) => ({ uid: `${day}-${i}`, day: `2026-02-${String(Math.min(28, day % 27 + r.int(1, 5))).padStart(2, '0')}`, what: r.pick(['Restmüll, graue Tonne', 'Biotonne', 'Papier', 'Gelber Sack', 'Wertstoffe; gelb', 'Sperrmüll', 'Restmüll 1100 l']), where: r.pick([null, null, 'Ecke Ahornweg, Lindenstraße']), off: r.chance(0.1) }))) }),
  input: (f) => ({ today: f.today }),
  api: { [ICS]: calendar(plain) },
  changes: [{
    name: 'value-date',
    happened: 'DTSTART has a parameter: DTSTART;VALUE=DATE',
    tells: ['DTSTART', 'VALUE'],
    api: { [ICS]: calendar(dated) },
    right: {
      'without parameters': [[PUT, "event[line.slice(0, at).split(';')[0]] = unescape(line.slice(at + 1));"]],
      'by ??': [['dayOf(e.DTSTART)', "dayOf(e.DTSTART ?? e['DTSTART;VALUE=DATE'])"]],
      'by a pattern': [["      const at = line.indexOf(':');\n      " + PUT, "      const [, name, value] = /^([A-Z-]+)(?:;[^:]*)?:(.*)$/.exec(line) ?? [];\n      if (name) event[name] = unescape(value);"]],
    },
    wrong: {
      'what has no date goes': [['.map((e) => ({ day', '.filter((e) => e.DTSTART).map((e) => ({ day']],
      'today': [['dayOf(e.DTSTART)', "(e.DTSTART ? dayOf(e.DTSTART) : today)"]],
      'by the number': [['dayOf(e.DTSTART)', "dayOf(e.DTSTART ?? e.UID)"]],
    },
  }, {
    name: 'folded',
    happened: 'lines longer than 20 characters are folded: they go on in the next one, behind a blank; DTSTART has VALUE=DATE',
    tells: [['fold', 'line', '\\r\\n '], ['DTSTART', 'SUMMARY']],
    api: { [ICS]: calendar(dated, fold) },
    right: {
      'unfolded first': [['text.split(/\\r?\\n/)', "text.replace(/\\r?\\n[ \\t]/g, '').split(/\\r?\\n/)"], ['line.slice(0, at)]', "line.slice(0, at).split(';')[0]]"]],
      'joined in the loop': [['  let event = null;', '  let event = null;\n  const lines = [];\n  for (const line of text.split(/\\r?\\n/)) {\n    if (/^[ \\t]/.test(line) && lines.length > 0) lines[lines.length - 1] += line.slice(1);\n    else lines.push(line);\n  }'], ['  for (const line of text.split(/\\r?\\n/)) {\n    if (line === ', '  for (const line of lines) {\n    if (line === '], ['line.slice(0, at)]', "line.slice(0, at).replace(/;.*/, '')]"]],
      'by parts': [['text.split(/\\r?\\n/)', 'text.split(/\\r?\\n(?! )/).map((l) => l.replace(/\\r?\\n /g, ""))'], ['dayOf(e.DTSTART)', "dayOf(e.DTSTART || e['DTSTART;VALUE=DATE'])"]],
    },
    wrong: {
      'only the first lines': [['line.slice(0, at)]', "line.slice(0, at).split(';')[0]]"]],
      'with a blank': [['text.split(/\\r?\\n/)', "text.replace(/\\r?\\n[ \\t]/g, ' ').split(/\\r?\\n/)"], ['line.slice(0, at)]', "line.slice(0, at).split(';')[0]]"]],
      'without the parameters': [['text.split(/\\r?\\n/)', "text.replace(/\\r?\\n[ \\t]/g, '').split(/\\r?\\n/)"], ['dayOf(e.DTSTART)', "dayOf(e.DTSTART ?? '20990101')"]],
    },
  }, {
    name: 'utc',
    happened: 'DTSTART is a time in UTC, at half past midnight in Berlin, which is the day before in UTC; SUMMARY has a LANGUAGE',
    tells: ['DTSTART', ['UTC', 'SUMMARY', 'Z']],
    api: { [ICS]: calendar(zoned) },
    right: {
      'by the zone': [[PUT, "event[line.slice(0, at).split(';')[0]] = unescape(line.slice(at + 1));"], ['const dayOf = (stamp) =>', "const berlin = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin', year: 'numeric', month: '2-digit', day: '2-digit' });\nconst dayOf = (stamp) => stamp.endsWith('Z') ? berlin.format(new Date(stamp.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))) :"]],
      'by localTime': [[PUT, "event[line.slice(0, at).replace(/;.*$/, '')] = unescape(line.slice(at + 1));"], ['day: dayOf(e.DTSTART)', "day: e.DTSTART.length > 8 ? localTime(Date.parse(`${dayOf(e.DTSTART)}T${e.DTSTART.slice(9, 11)}:${e.DTSTART.slice(11, 13)}:00Z`), 'Europe/Berlin').date : dayOf(e.DTSTART)"]],
      'with luxon': [['// Which bins', "import { DateTime } from 'luxon';\n\n// Which bins"], ['dayOf(e.DTSTART), what: e.SUMMARY', "DateTime.fromISO(e.DTSTART, { zone: 'Europe/Berlin' }).toISODate(), what: e.SUMMARY ?? e['SUMMARY;LANGUAGE=de']"]],
    },
    wrong: {
      'the day of UTC': [[PUT, "event[line.slice(0, at).split(';')[0]] = unescape(line.slice(at + 1));"]],
      'no names': [['e.SUMMARY', "(e.SUMMARY ?? '')"], ['dayOf(e.DTSTART)', "(e.DTSTART.endsWith('Z') ? next(dayOf(e.DTSTART)) : dayOf(e.DTSTART))"]],
      'two days on': [[PUT, "event[line.slice(0, at).split(';')[0]] = unescape(line.slice(at + 1));"], ['dayOf(e.DTSTART)', "(e.DTSTART.endsWith('Z') ? next(next(dayOf(e.DTSTART))) : dayOf(e.DTSTART))"]],
      'without names': [['.map((e) => ({ day', '.filter((e) => e.SUMMARY).map((e) => ({ day']],
    },
  }],
};
