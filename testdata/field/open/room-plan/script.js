import { DateTime } from 'luxon';

const ZONE = 'Europe/Berlin';

async function collect(calendar, day) {
  const events = [];
  let token;
  do {
    const query = new URLSearchParams({ from: day.toISO(), to: day.plus({ days: 1 }).toISO(), ...(token && { pageToken: token }) });
    const res = await fetch(`https://calendar.example/v3/calendars/${encodeURIComponent(calendar)}/events?${query}`);
    if (!res.ok) throw new Error(`${calendar}: ${res.status}`);
    const { items = [], nextPageToken } = await res.json();
    events.push(...items);
    token = nextPageToken;
  } while (token);
  return events;
}

const minutes = (event) => DateTime.fromISO(event.end.dateTime).diff(DateTime.fromISO(event.start.dateTime), 'minutes').minutes;

async function roomPlan({ day, rooms }) {
  const start = DateTime.fromISO(day, { zone: ZONE });
  const table = {};
  for (const room of rooms) {
    const events = (await collect(room, start)).filter((e) => e.status !== 'cancelled' && e.start.dateTime);
    table[room] = {
      booked: events.reduce((n, e) => n + minutes(e), 0),
      first: events.map((e) => DateTime.fromISO(e.start.dateTime, { zone: ZONE }).toFormat('HH:mm')).sort()[0] ?? 'free',
      by: [...new Set(events.map((e) => e.organizer.displayName || e.organizer.email))].sort(),
    };
  }
  await files.write(`plan/${day}.json`, JSON.stringify(table));
  return table;
}

export default roomPlan;
