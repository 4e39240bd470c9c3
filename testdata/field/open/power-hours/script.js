// When is power cheapest tomorrow? Writes the plan of the boiler.
import { DateTime } from 'luxon';

const { hours = 3, zone = 'Europe/Vienna' } = input;
const url = `https://prices.strom.example/v1/dayahead?area=AT&after=${encodeURIComponent(input.slot)}`;

const answer = await fetch(url, { headers: { accept: 'application/json' } });
if (answer.status === 204) return { planned: 0 };
if (!answer.ok) throw new Error(`prices: ${answer.status} ${await answer.text()}`);
const { prices, unit } = await answer.json();

const ranked = prices
  .map((p) => ({ at: p.start, price: p.price }))
  .sort((a, b) => a.price - b.price || (a.at < b.at ? -1 : 1));
const cheapest = ranked.slice(0, hours).sort((a, b) => (a.at < b.at ? -1 : 1));
const average = prices.reduce((sum, p) => sum + p.price, 0) / prices.length;

const plan = cheapest.map((hour) => {
  const from = DateTime.fromISO(hour.at).setZone(zone);
  return { from: from.toFormat('HH:mm'), to: from.plus({ hours: 1 }).toFormat('HH:mm'), ct: (hour.price / 10).toFixed(2) };
});

await fetch('https://home.example/api/boiler/plan', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ slots: plan }) });
if (ranked[0].price < 0) await notify('Power costs less than nothing', plan.map((p) => `${p.from} ${p.ct} ct`).join('\n'));
await files.append('prices.csv', `${input.slot.slice(0, 10)},${(average / 10).toFixed(3)},${prices.length}\n`);
return { planned: plan.length, cheapest: plan[0].from, average: (average / 10).toFixed(3) };
