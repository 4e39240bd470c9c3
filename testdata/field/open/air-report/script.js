import { DateTime } from 'luxon';

/**
 * Air of our cities against the limits of the WHO.
 * @param {object} input
 * @param {string[]} [input.cities]
 */
const LIMITS = { pm25: 15, pm10: 45, no2: 25, o3: 100 };
const UNIT = 'µg/m³';

async function latest(city) {
  const found = [];
  let page = 1;
  let more = true;
  while (more) {
    const res = await fetch(`https://air.example/v2/latest?city=${encodeURIComponent(city)}&limit=2&page=${page}`);
    if (!res.ok) throw new Error(`${city}: ${res.status}`);
    const { meta, results } = await res.json();
    found.push(...results);
    more = meta.found > page * meta.limit;
    page += 1;
  }
  return found;
}

const values = (places, parameter, since) =>
  places.flatMap((place) => place.measurements.filter((m) => m.parameter === parameter && m.unit === UNIT && m.value >= 0 && DateTime.fromISO(m.lastUpdated, { setZone: true }) >= since).map((m) => ({ at: place.location, value: m.value })));

function describe(parameter, list) {
  const mean = list.reduce((n, { value }) => n + value, 0) / list.length;
  const worst = list.reduce((a, b) => (b.value > a.value ? b : a));
  return { parameter, mean: Number(mean.toFixed(1)), times: Number((mean / LIMITS[parameter]).toFixed(2)), worst: `${worst.at} (${worst.value.toFixed(1)})`, places: list.length };
}

export default async function airReport({ slot, zone = 'Europe/Warsaw', cities = ['Kraków', 'Wrocław'] }) {
  const since = DateTime.fromISO(slot).minus({ hours: 24 });
  const report = {};
  for (const city of cities) {
    const places = await latest(city);
    report[city] = Object.keys(LIMITS).map((p) => [p, values(places, p, since)]).filter(([, list]) => list.length > 0).map(([p, list]) => describe(p, list));
  }
  const bad = Object.entries(report).flatMap(([city, list]) => list.filter((d) => d.times > 1).map((d) => `${city}: ${d.parameter} ${d.mean} ${UNIT}, ${d.times} times the limit, worst at ${d.worst}`));
  const when = DateTime.fromISO(slot).setZone(zone).toFormat('dd.MM.yyyy HH:mm');
  if (bad.length) await fetch('https://board.example/posts', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ title: `Air of ${when}`, lines: bad }) });
  await kv.set(`air:${when.slice(0, 10)}`, Object.fromEntries(Object.entries(report).map(([city, list]) => [city, list.length])));
  return report;
}
