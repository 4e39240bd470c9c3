import { parse } from 'kintsugi:html';

const PAGE = 'https://mensa.example/speiseplan';
const HOUSES = ['nord', 'campus'];
const clean = (node) => (node ? node.textContent.replace(/\s+/g, ' ').trim() : '');

// "2,50 / 4,10 / 5,60 €": students, staff, guests, in cents
const prices = (text) => {
  const [students = null, staff = students, guests = staff] = [...text.matchAll(/(\d+),(\d\d)/g)].map(([, e, c]) => Number(e) * 100 + Number(c));
  return { students, staff, guests };
};

const dish = (row) => {
  const name = clean(row.querySelector('td.name')).replace(/\s*\(([^)]*)\)\s*/g, ' ').trim();
  const marks = (clean(row.querySelector('td.name')).match(/\(([^)]*)\)/)?.[1] ?? '').split(',').map((m) => m.trim()).filter(Boolean);
  return { counter: clean(row.querySelector('td.counter')) || 'Theke', name, marks, kind: (row.getAttribute('class') ?? '').split(' ').includes('vegan') ? 'vegan' : 'other', ...prices(clean(row.querySelector('td.price'))) };
};

const menu = async (house) => {
  const res = await fetch(`${PAGE}/${house}.html`);
  if (!res.ok) return [];
  const doc = parse(await res.text());
  return [...doc.querySelectorAll('table.menu tr.dish')].map((row) => ({ house, ...dish(row) }));
};

export default async ({ who = 'guests', most, avoid }) => {
  const dishes = (await Promise.all(HOUSES.map(menu))).flat();
  const fits = dishes.filter((d) => !d.marks.some((m) => avoid.includes(m)) && (d[who] === null || d[who] <= most));
  const best = [...fits].sort((a, b) => Number(b.kind === 'vegan') - Number(a.kind === 'vegan') || (a[who] ?? 9999) - (b[who] ?? 9999) || (a.name < b.name ? -1 : 1)).slice(0, 3);
  const known = new Set((await kv.get('names')) ?? []);
  const lines = best.map((d) => `${d.house}, ${d.counter}: ${d.name}${d.kind === 'vegan' ? ' (v)' : ''} ${d[who] === null ? '?' : (d[who] / 100).toFixed(2)}${known.has(d.name) ? '' : ' NEW'}`);
  for (const d of dishes) known.add(d.name);
  await kv.set('names', [...known].sort());
  await notify(lines.length ? `Lunch: ${best[0].name}` : 'Nothing for lunch', lines.join('\n'));
  return { dishes: dishes.length, fits: fits.length };
};
