const PAGE = 'GET https://mensa.example/speiseplan/:file';
const esc = (s) => s.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const euro = (c) => `${Math.floor(c / 100)},${String(c % 100).padStart(2, '0')}`;
const at = (make) => (f, q) => { const h = f.houses[q.params.file.replace('.html', '')]; return h === null ? { $status: 404, $type: 'text/html', $body: '<h1>Geschlossen</h1>' } : { $type: 'text/html; charset=utf-8', $body: `<!DOCTYPE html><html><head><title>Speiseplan</title></head><body>${make(h)}</body></html>` }; };
const sup = (d) => (d.marks.length ? ` <sup>(${d.marks.join(', ')})</sup>` : '');
const old = (dishes) => `<table class="menu"><tr class="head"><th>Theke</th><th>Gericht</th><th>Preis</th></tr>${dishes.map((d) => `<tr class="dish${d.vegan ? ' vegan' : ''}"><td class="counter">${esc(d.counter ?? '')}</td><td class="name">${esc(d.name)}${sup(d)}</td><td class="price">${d.prices ? `${d.prices.map(euro).join(' / ')} €` : ''}</td></tr>`).join('\n')}</table>`;
const lists = (dishes) => `<ul class="menu">${dishes.map((d) => `<li class="dish"><span class="counter">${esc(d.counter ?? '')}</span><p class="name">${esc(d.name)}</p>${d.vegan ? '<span class="icon vegan"></span>' : ''}<ul class="marks">${d.marks.map((m) => `<li class="mark">${m}</li>`).join('')}</ul><p class="price">${d.prices ? d.prices.map((c) => `<span>${euro(c)} €</span>`).join(' ') : ''}</p></li>`).join('\n')}</ul>`;
const columns = (dishes) => `<table class="menu"><tr class="head"><th>Gericht</th><th>Gäste</th><th>Bedienstete</th><th>Studierende</th></tr>${dishes.map((d) => `<tr class="dish${d.vegan ? ' vegan' : ''}"><td class="counter">${esc(d.counter ?? '')}</td><td class="name">${esc(d.name)}${sup(d)}</td><td class="price">${d.prices ? [...d.prices].reverse().map((c) => `${euro(c)} €`).join(' | ') : ''}</td></tr>`).join('\n')}</table>`;
const icons = (dishes) => `<table class="menu">${dishes.map((d) => `<tr class="dish"><td class="counter">${esc(d.counter ?? '')}</td><td class="name">${esc(d.name)}</td><td class="marks">${d.vegan ? '<img class="icon" alt="vegan" src="/v.svg">' : ''}${d.marks.map((m) => `<img class="icon" alt="Allergen ${m}" src="/${m}.svg">`).join('')}</td><td class="price">${d.prices ? `${d.prices.map(euro).join(' / ')} €` : ''}</td></tr>`).join('\n')}<tr class="dish info"><td class="counter">Info</td><td class="name">Alle Preise in Euro</td><td class="marks"></td><td class="price"></td></tr></table>`;
const ROWS = "return [...doc.querySelectorAll('table.menu tr.dish')].map((row) => ({ house, ...dish(row) }));";
const LISTED = (read = "clean(li.querySelector('.price'))") => `const listed = (li) => ({
  counter: clean(li.querySelector('.counter')) || 'Theke', name: clean(li.querySelector('.name')), marks: [...li.querySelectorAll('.mark')].map(clean),
  kind: li.querySelector('.vegan') ? 'vegan' : 'other', ...prices(${read}),
});

const menu`;
const BOTH = "return [...doc.querySelectorAll('table.menu tr.dish')].map((row) => ({ house, ...dish(row) })).concat([...doc.querySelectorAll('ul.menu li.dish')].map((li) => ({ house, ...listed(li) })));";
const MARKS = "const marks = (clean(row.querySelector('td.name')).match(/\\(([^)]*)\\)/)?.[1] ?? '').split(',').map((m) => m.trim()).filter(Boolean);";
const KIND = "(row.getAttribute('class') ?? '').split(' ').includes('vegan')";
export default {
  source: 'https://github.com/mswart/openmensa-parsers/pull/50, https://github.com/mswart/openmensa-parsers/pull/82, https://github.com/mswart/openmensa-parsers/issues/133 and https://github.com/srehwald/eat-api/pull/8: tables of canteens were replaced with lists, prices and additives moved, and icons say what letters said',
  says: 'Tell me what to have for lunch.',
  facts: (day, r) => {
    const house = () => r.many(1, 5, () => ({ counter: r.pick(['Theke 1', 'Grill & Wok', null]), name: r.pick(['Linsencurry', 'Käsespätzle', 'Pizza <Diavolo>', 'Tofu & Reis', '豚骨ラーメン', 'Salatteller', 'Eintopf']), marks: r.some(['1', 'a', 'g', 'k']), vegan: r.chance(0.35), prices: r.chance(0.15) ? null : ((p) => [p, p + 160, p + 310])(r.int(12, 48) * 10 + 5) }));
    return { houses: { nord: day === 6 ? null : house(), campus: r.chance(0.15) ? null : house() } };
  },
  input: (f) => ({ who: 'guests', most: 720, avoid: ['k'] }),
  api: { [PAGE]: at(old) },
  changes: [{
    name: 'lists',
    happened: 'the table is a list, ul.menu of li.dish; marks are a list of their own, vegan is an icon, and each price is a span',
    tells: ['table', ['ul', 'li', 'list', 'lists']],
    api: { [PAGE]: at(lists) },
    right: {
      'another reader': [['const menu', LISTED()], [ROWS, BOTH]],
      'one reader': [["doc.querySelectorAll('table.menu tr.dish')", "doc.querySelectorAll('.menu .dish')"], ["row.querySelector('td.name')", "row.querySelector('.name')"], ["row.querySelector('td.counter')", "row.querySelector('.counter')"], ["row.querySelector('td.price')", "row.querySelector('.price')"], [KIND, `${KIND} || row.querySelector('.vegan')`], ['  return { counter', "  for (const mark of row.querySelectorAll('li.mark')) marks.push(clean(mark));\n  return { counter"]],
      'by what is there': [['const menu', LISTED()], [ROWS, "const list = doc.querySelector('ul.menu');\n  if (list) return [...list.querySelectorAll('li.dish')].map((li) => ({ ...listed(li), house }));\n  " + ROWS]],
    },
    wrong: {
      'without marks': [['const menu', LISTED().replace("[...li.querySelectorAll('.mark')].map(clean)", '[]')], [ROWS, BOTH]],
      'the first price': [['const menu', LISTED("clean(li.querySelector('.price span'))")], [ROWS, BOTH]],
      'nothing vegan': [['const menu', LISTED().replace("li.querySelector('.vegan') ? 'vegan' : 'other'", "'other'")], [ROWS, BOTH]],
      'empty': [[ROWS, "const rows = doc.querySelectorAll('table.menu tr.dish');\n  if (!rows.length) return [];\n  " + ROWS]],
    },
  }, {
    name: 'columns',
    happened: 'prices are in another order, guests, staff, students, as the head of the table says, and a bar is between them',
    tells: [['order', 'Gäste', 'guests'], ['price', 'prices', 'Preis']],
    api: { [PAGE]: at(columns) },
    right: {
      'by size': [['.map(([, e, c]) => Number(e) * 100 + Number(c));', '.map(([, e, c]) => Number(e) * 100 + Number(c)).sort((a, b) => a - b);']],
      'by the bar': [['.map(([, e, c]) => Number(e) * 100 + Number(c));', ".map(([, e, c]) => Number(e) * 100 + Number(c))[text.includes('|') ? 'reverse' : 'slice']();"]],
      'by the head': [['const dish = (row) => {', 'const dish = (row, turned) => {'], ["...prices(clean(row.querySelector('td.price'))) };", "...(turned ? swap : (p) => p)(prices(clean(row.querySelector('td.price')))) };"], ['const dish =', 'const swap = ({ students, staff, guests }) => ({ students: guests, staff, guests: students });\n\nconst dish ='], ['...dish(row) }', "...dish(row, doc.querySelectorAll('tr.head th')[1]?.textContent === 'Gäste') }"]],
    },
    wrong: {
      'always turned': [['.map(([, e, c]) => Number(e) * 100 + Number(c));', '.map(([, e, c]) => Number(e) * 100 + Number(c)).reverse();'], ['guests = staff]', 'guests = null]']],
      'guests for staff': [['[students = null, staff = students, guests = staff]', '[staff = null, guests = staff, students = guests]']],
      'the last': [["const [students = null, staff = students, guests = staff] = [", "const [guests = null, students = guests, staff = students] = ["]],
    },
  }, {
    name: 'icons',
    happened: 'what letters in brackets and the class vegan said are icons with an alt text in a column of their own, and a last row of class dish is an information',
    tells: [['icon', 'img', 'alt', 'icons'], ['vegan', 'marks', 'Allergen']],
    api: { [PAGE]: at(icons) },
    right: {
      'at each place': [[MARKS, `${MARKS}\n  const icons = [...row.querySelectorAll('img')].map((img) => img.getAttribute('alt'));\n  for (const alt of icons) if (alt.startsWith('Allergen ')) marks.push(alt.slice(9));`], [KIND, `${KIND} || icons.includes('vegan')`], ['.map((row) => ({ house', ".filter((row) => !(row.getAttribute('class') ?? '').split(' ').includes('info')).map((row) => ({ house"]],
      'a helper': [['const dish =', "const alts = (row) => [...row.querySelectorAll('td.marks img')].map((i) => i.getAttribute('alt').replace('Allergen ', ''));\n\nconst dish ="], ['...prices(clean', "...(alts(row).length ? { kind: alts(row)[0] === 'vegan' ? 'vegan' : 'other', marks: alts(row) } : {}), ...prices(clean"], ["[...doc.querySelectorAll('table.menu tr.dish')]", "[...doc.querySelectorAll('table.menu tr.dish')].filter((row) => clean(row.querySelector('td.counter')) !== 'Info')"]],
      'afterwards': [[ROWS, `const rows = [...doc.querySelectorAll('table.menu tr.dish')];
  const last = rows.at(-1);
  if (last && / info$/.test(last.getAttribute('class'))) rows.pop();
  return rows.map((row) => {
    const d = { house, ...dish(row) };
    for (const icon of row.querySelectorAll('img.icon')) {
      const [, letter] = /^Allergen (.*)$/.exec(icon.getAttribute('alt')) ?? [];
      if (letter) d.marks.push(letter);
      else d.kind = 'vegan';
    }
    return d;
  });`]],
    },
    wrong: {
      'with the information': [[MARKS, `${MARKS}\n  const icons = [...row.querySelectorAll('img')].map((img) => img.getAttribute('alt'));\n  for (const alt of icons) if (alt.startsWith('Allergen ')) marks.push(alt.slice(9));`], [KIND, `${KIND} || icons.includes('vegan')`]],
      'whole texts': [[MARKS, `${MARKS}\n  const icons = [...row.querySelectorAll('img')].map((img) => img.getAttribute('alt'));\n  marks.push(...icons);`], [KIND, `${KIND} || icons.includes('vegan')`], ['.map((row) => ({ house', ".filter((row) => !(row.getAttribute('class') ?? '').includes('info')).map((row) => ({ house"]],
      'any icon is vegan': [[MARKS, `${MARKS}\n  const icons = [...row.querySelectorAll('img')].map((img) => img.getAttribute('alt'));\n  for (const alt of icons) marks.push(alt.replace('Allergen ', ''));`], [KIND, `${KIND} || icons.length > 0`], ['.map((row) => ({ house', ".filter((row) => !(row.getAttribute('class') ?? '').includes('info')).map((row) => ({ house"]],
    },
  }],
};
