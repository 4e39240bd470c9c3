// Which bins to put out tonight, from the calendar file of the town.
const KINDS = [[/rest/i, 'grey'], [/bio/i, 'brown'], [/papier/i, 'blue'], [/gelb|wertstoff/i, 'yellow']];

const unescape = (text) => text.replace(/\\n/gi, ' ').replace(/\\([,;\\])/g, '$1');

function readCalendar(text) {
  const events = [];
  let event = null;
  for (const line of text.split(/\r?\n/)) {
    if (line === 'BEGIN:VEVENT') event = {};
    else if (line === 'END:VEVENT') {
      events.push(event);
      event = null;
    } else if (event) {
      const at = line.indexOf(':');
      event[line.slice(0, at)] = unescape(line.slice(at + 1));
    }
  }
  return events;
}

const dayOf = (stamp) => `${stamp.slice(0, 4)}-${stamp.slice(4, 6)}-${stamp.slice(6, 8)}`;
const next = (day) => new Date(Date.parse(`${day}T12:00:00Z`) + 24 * 3600 * 1000).toISOString().slice(0, 10);

async function main({ today, street = 'Ahornweg' }) {
  const res = await fetch(`https://town.example/abfall/${encodeURIComponent(street)}.ics`);
  if (!res.ok) throw new Error(`calendar: ${res.status}`);
  const pickups = readCalendar(await res.text())
    .filter((e) => e.STATUS !== 'CANCELLED')
    .map((e) => ({ day: dayOf(e.DTSTART), what: e.SUMMARY, where: e.LOCATION }))
    .sort((a, b) => (a.day === b.day ? a.what.localeCompare(b.what) : a.day < b.day ? -1 : 1));

  const tonight = pickups.filter((p) => p.day === next(today));
  const bins = [...new Set(tonight.flatMap((p) => KINDS.filter(([pattern]) => pattern.test(p.what)).map(([, colour]) => colour)))];
  if (tonight.length > 0) {
    await notify(bins.length ? `Put out ${bins.join(' and ')}` : 'Something is fetched tomorrow', tonight.map((p) => p.what + (p.where ? ` (${p.where})` : '')).join('\n'));
    for (const colour of bins) await kv.set(`last:${colour}`, tonight[0].day);
  }
  const coming = pickups.find((p) => p.day > next(today));
  await files.write('next.txt', coming ? `${coming.day} ${coming.what}` : 'nothing known');
  return { tonight: bins, then: coming?.day ?? null, known: pickups.length };
}

export { main as default };
