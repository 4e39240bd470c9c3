import { parse } from 'kintsugi:html';

export default async function watchShelf() {
  const page = await fetch('BASE/shelf.html');
  if (!page.ok) throw new Error('shelf: HTTP ' + page.status);
  const document = parse(await page.text());
  const offers = document.querySelectorAll('li.offer').map((li) => ({
    name: li.querySelector('.name').textContent.trim(),
    cents: Math.round(parseFloat(li.querySelector('.price').textContent.replace('€', '').replace(',', '.')) * 100),
    note: li.querySelector('.note')?.textContent ?? null,
  }));
  const cheapest = offers.reduce((best, one) => (best === null || one.cents < best.cents ? one : best), null);
  await files.append('offers.csv', offers.map((o) => `${o.name};${o.cents};${o.note ?? ''}\n`).join(''));
  return cheapest;
}
