import { DateTime } from 'luxon';

const STOPS = { home: '900013102', office: '900100003' };
const ZONE = 'Europe/Berlin';

const departures = async (stop) => {
  const res = await fetch(`https://v5.bvg.example/stops/${stop}/departures?duration=30&results=8`);
  if (!res.ok) throw new Error(`stop ${stop}: ${res.status} ${res.statusText}`);
  return res.json();
};

const clock = (iso) => DateTime.fromISO(iso, { setZone: true }).setZone(ZONE).toFormat('HH:mm');

const late = ({ delay }) => (delay ? ` (${delay > 0 ? '+' : '-'}${Math.abs(Math.round(delay / 60))})` : '');

function lineOf(departure) {
  const { line, direction, platform } = departure;
  if (departure.when === null) return `${clock(departure.plannedWhen)} ${line.name} ${direction} cancelled`;
  return `${clock(departure.when)} ${line.name} ${direction}${late(departure)}${platform ? ` pl. ${platform}` : ''}`;
}

const groupBy = (list, keyOf) => list.reduce((groups, one) => {
  (groups[keyOf(one)] ||= []).push(one);
  return groups;
}, {});

export default async ({ from = ['home', 'office'], products = ['subway', 'tram'] } = {}) => {
  const boards = await Promise.all(from.map(async (name) => [name, await departures(STOPS[name])]));
  const counts = {};
  for (const [name, all] of boards) {
    const wanted = Array.from(all).filter((d) => products.includes(d.line.product));
    const byLine = groupBy(wanted, (d) => d.line.name);
    const lines = Object.keys(byLine).sort().flatMap((line) => byLine[line].map(lineOf));
    await fetch(`https://display.example/boards/${name}`, { method: 'POST', headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: lines.join('\n') || 'No departures' });
    counts[name] = lines.length;
  }
  return counts;
};
