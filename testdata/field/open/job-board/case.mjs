const PAGE = 'GET https://jobs.uni.example/stellen';
const esc = (t) => t.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const german = (iso) => { const [y, m, d] = iso.split('-'); return `${+d}.${+m}.${y}`; };
const html = (list, more) => ({ $type: 'text/html; charset=utf-8', $body: `<!doctype html><html><head><title>Stellen</title></head><body><nav><a href="/">Start</a></nav>${list}${more ? '<a class="weiter" href="?seite=2">weiter</a>' : ''}</body></html>` });
const page = (render) => (f, q) => { const n = Number(q.query.seite); if (n > Math.max(1, Math.ceil(f.jobs.length / 3))) return { $status: 404, $type: 'text/html', $body: '<p>nichts</p>' }; return html(render(f.jobs.slice(n * 3 - 3, n * 3)), n * 3 < f.jobs.length); };
const table = (row, head = ['Stelle', 'Institut', 'Entgelt', 'Frist'], cls = 'stellen') => (jobs) => `<table class="${cls}"><tr>${head.map((h) => `<th>${h}</th>`).join('')}</tr>\n${jobs.map((j) => `<tr>${row(j).map((c) => `<td>${c}</td>`).join('')}</tr>`).join('\n')}</table>`;
const a = (j) => `<a href="/stellen/${j.id}.html">${esc(j.title)}</a>`;
const old = (j) => [a(j), esc(j.institute), j.pay ? `TV-L ${j.pay}` : 'nach Vereinbarung', `bis ${german(j.until)}`];
const cards = (jobs) => `<ul class="job-list">${jobs.map((j) => `<li class="job" data-id="${j.id}"><h3><a href="/stellen/${j.id}-${esc(j.title.toLowerCase().replace(/[^a-z]+/g, '-'))}">${esc(j.title)}</a></h3><span class="institute">${esc(j.institute)}</span>${j.pay ? `<span class="pay">Entgeltgruppe ${j.pay}</span>` : ''}<time datetime="${j.until}">noch ein paar Tage</time></li>`).join('')}</ul>`;
const ROWS = "doc.querySelectorAll('table.stellen tr').filter((row) => row.querySelector('td') !== null).map(jobOf)";
export default {
  source: 'https://github.com/freelawproject/juriscraper/issues/1526 and https://github.com/covidatlas/coronadatascraper/issues/90 and https://github.com/rynobax/indeed-scraper/issues/5: a table got more columns, a list became a table or cards, and scrapers found nothing',
  says: 'Mail new jobs of the university to those whom they fit.',
  facts: (day, r) => ({ today: `2026-03-${String(day % 28 + 1).padStart(2, '0')}`, jobs: day === 5 ? [] : r.many(1, 8, (i) => ({ id: 3000 + day * 3 + i, title: r.pick(['Informatik & Daten', 'Labor (m/w/d)', 'Assistenz', 'Physik <Optik>', 'Datenbank']), institute: r.pick(['Institut für Physik', 'Rechenzentrum', 'Informatik']), pay: r.pick(['E9b', 'E 13', 'E5', null, 'E 6']), until: `2026-0${r.pick([3, 4])}-${String(r.int(1, 28)).padStart(2, '0')}` })) }),
  input: (f) => ({ today: f.today }),
  api: { [PAGE]: page(table(old)), 'POST https://mail.example/send': (f, q) => ({ id: q.id }) },
  changes: [{
    name: 'column',
    happened: 'a column for the number of hours stands between institute and pay',
    tells: [['column', 'Entgelt', 'hours', 'td']],
    api: { [PAGE]: page(table((j) => { const [x, y, ...rest] = old(j); return [x, y, `${20 + j.id % 20} Std.`, ...rest]; }, ['Stelle', 'Institut', 'Umfang', 'Entgelt', 'Frist'])) },
    right: {
      'from the end': [['const cell = (row, n) =>', 'const fromEnd = (row, n) => cell(row, row.querySelectorAll("td").length - n);\nconst cell = (row, n) =>'], ['cell(row, 2)', 'fromEnd(row, 2)'], ['cell(row, 3)', 'fromEnd(row, 1)']],
      'by the heads': [['const jobOf = (row) => {', "const jobOf = (row) => {\n  const heads = row.parentElement.closest('table').querySelectorAll('th').map((th) => th.textContent.trim());"], ['cell(row, 2)', "cell(row, heads.indexOf('Entgelt'))"], ['cell(row, 3)', "cell(row, heads.indexOf('Frist'))"]],
      'by what is in it': [['const jobOf = (row) => {', "const jobOf = (row) => {\n  const cells = row.querySelectorAll('td').map((td) => td.textContent.trim());"], ['cell(row, 2)', "(cells.find((c) => /^TV-L/.test(c)) ?? '')"], ['cell(row, 3)', "cells.find((c) => /^bis /.test(c))"]],
    },
    wrong: {
      'one further': [['cell(row, 2)', 'cell(row, 3)'], ['germanDate(cell(row, 3))', 'germanDate(cell(row, 4))']],
      'only the date': [['germanDate(cell(row, 3))', 'germanDate(row.textContent)']],
      'no date': [['const [, d, m, y] = text.match(/(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})/);', "const [, d, m, y] = text.match(/(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})/) ?? ['', '31', '12', '2099'];"]],
      'skips': [['.map(jobOf)', '.filter((row) => /\\d\\.\\d{4}/.test(cell(row, 3))).map(jobOf)']],
    },
  }, {
    name: 'cards',
    happened: 'the table is a list of cards, with the date in datetime of time, the id in data-id, and pay without TV-L',
    tells: [['table.stellen', 'stellen'], ['job', 'datetime', 'data-id']],
    api: { [PAGE]: page(cards) },
    right: {
      'a reader of its own': [['const listJobs =', `const jobOfCard = (card) => {
  const text = (selector) => card.querySelector(selector)?.textContent.replace(/\\s+/g, ' ').trim();
  return { id: card.getAttribute('data-id'), title: text('h3 a'), institute: text('.institute'), pay: text('.pay')?.match(/E\\s?\\d+[a-z]?/)?.[0].replace(' ', '') ?? null, until: card.querySelector('time').getAttribute('datetime') };
};

const listJobs =`], ['jobs.push(...', "jobs.push(...doc.querySelectorAll('li.job').map(jobOfCard), ..."]],
      'both in one': [[ROWS, "doc.querySelectorAll('table.stellen tr, ul.job-list > li').filter((row) => row.querySelector('td, time') !== null).map(jobOf)"], [`  const link = row.querySelector('td a');`, `  const link = row.querySelector('td a, h3 a');
  if (row.getAttribute('data-id')) {
    const pay = row.querySelector('.pay');
    return { id: row.getAttribute('data-id'), title: link.textContent.trim(), institute: row.querySelector('.institute').textContent.trim(), pay: pay && /E\\s?\\d+[a-z]?/.exec(pay.textContent)[0].replace(' ', ''), until: row.querySelector('time').getAttribute('datetime') };
  }`]],
      'chosen by the page': [['jobs.push(...', "const cards = doc.querySelectorAll('.job');\n    for (const card of cards) {\n      const spans = Object.fromEntries(card.querySelectorAll('span').map((s) => [s.getAttribute('class'), s.textContent.trim()]));\n      jobs.push({ id: card.getAttribute('data-id'), title: card.querySelector('a').textContent.trim(), institute: spans.institute, pay: spans.pay ? spans.pay.replace(/^.*(E) ?(\\d+[a-z]?).*$/, '$1$2') : null, until: card.querySelector('time').getAttribute('datetime') });\n    }\n    if (cards.length === 0) jobs.push(..."]],
    },
    wrong: {
      'no pay': [['jobs.push(...', "jobs.push(...doc.querySelectorAll('li.job').map((c) => ({ id: c.getAttribute('data-id'), title: c.querySelector('a').textContent.trim(), institute: c.querySelector('.institute').textContent.trim(), pay: null, until: c.querySelector('time').getAttribute('datetime') })), ..."]],
      'the pay as written': [['jobs.push(...', "jobs.push(...doc.querySelectorAll('li.job').map((c) => ({ id: c.getAttribute('data-id'), title: c.querySelector('a').textContent.trim(), institute: c.querySelector('.institute').textContent.trim(), pay: c.querySelector('.pay')?.textContent ?? null, until: c.querySelector('time').getAttribute('datetime') })), ..."]],
      'the first page': [['jobs.push(...', "const cards = doc.querySelectorAll('li.job').map((c) => ({ id: c.getAttribute('data-id'), title: c.querySelector('a').textContent.trim(), institute: c.querySelector('.institute').textContent.trim(), pay: c.querySelector('.pay')?.textContent.match(/E\\s?\\d+[a-z]?/)[0].replace(' ', '') ?? null, until: c.querySelector('time').getAttribute('datetime') }));\n    if (cards.length) return cards;\n    jobs.push(..."]],
      'open for ever': [['jobs.push(...', "jobs.push(...doc.querySelectorAll('li.job').map((c) => ({ id: c.getAttribute('data-id'), title: c.querySelector('a').textContent.trim(), institute: c.querySelector('.institute').textContent.trim(), pay: c.querySelector('.pay')?.textContent.match(/E\\s?\\d+[a-z]?/)[0].replace(' ', '') ?? null, until: '2099-12-31' })), ..."]],
    },
  }, {
    name: 'links',
    happened: 'the class of the table is jobs-table, the number of a job is before its name in the link, months are words',
    tells: [['jobs-table', 'stellen'], ['month', 'href', 'März']],
    api: { [PAGE]: page(table((j) => { const [y, m, d] = j.until.split('-'); return [`<a href="/stellen/${j.id}/details">${esc(j.title)}</a>`, ...old(j).slice(1, 3), `${+d}. ${['', '', '', 'März', 'April'][+m]} ${y}`]; }, undefined, 'jobs-table striped')) },
    right: {
      'each pattern': [["'table.stellen tr'", "'table.stellen tr, table.jobs-table tr'"], ['/(\\d+)(?:\\.html)?$/', '/(\\d+)(?:\\.html|\\/details)?$/'], ['const germanDate = (text) => {', "const MONTHS = ['Januar', 'Februar', 'März', 'April', 'Mai', 'Juni', 'Juli', 'August', 'September', 'Oktober', 'November', 'Dezember'];\nconst germanDate = (given) => {\n  const text = given.replace(/\\. ([A-Za-zä]+) /, (all, name) => `.${MONTHS.indexOf(name) + 1}.`);"]],
      'words first': [["'table.stellen tr'", "'table tr'"], ['/(\\d+)(?:\\.html)?$/', '/\\/(\\d+)/'], ['germanDate(cell(row, 3))', "germanDate(cell(row, 3).replace(' März ', '3.').replace(' April ', '4.').replace(' Mai ', '5.').replace(' Juni ', '6.').replace('. ', '.'))"]],
      'two dates': [['const jobOf =', "const wordDate = (text) => {\n  const m = /(\\d+)\\. (Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)\\S* (\\d{4})/.exec(text);\n  if (!m) return germanDate(text);\n  const month = ['Jan', 'Feb', 'Mär', 'Apr', 'Mai', 'Jun', 'Jul', 'Aug', 'Sep', 'Okt', 'Nov', 'Dez'].indexOf(m[2]) + 1;\n  return `${m[3]}-${String(month).padStart(2, '0')}-${m[1].padStart(2, '0')}`;\n};\n\nconst jobOf ="], ['germanDate(cell(row, 3)),', 'wordDate(cell(row, 3)),'], ["doc.querySelectorAll('table.stellen tr')", "doc.querySelectorAll('.stellen tr, .jobs-table tr')"], ["getAttribute('href').match(/(\\d+)(?:\\.html)?$/)", "getAttribute('href').match(/stellen\\/(\\d+)/)"]],
    },
    wrong: {
      'always March': [["'table.stellen tr'", "'table tr'"], ['/(\\d+)(?:\\.html)?$/', '/\\/(\\d+)/'], ['germanDate(cell(row, 3))', "germanDate(cell(row, 3).replace(/\\. \\D+ /, '.3.'))"]],
      'nothing open': [["'table.stellen tr'", "'table tr'"], ['/(\\d+)(?:\\.html)?$/', '/\\/(\\d+)/'], ['const [, d, m, y] = text.match(/(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})/);', "const [, d, m, y] = text.match(/(\\d{1,2})\\.(\\d{1,2})\\.(\\d{4})/) ?? ['', '1', '1', '1970'];"]],
      'the table only': [["'table.stellen tr'", "'table tr'"], ['.map(jobOf)', '.flatMap((row) => { try { return [jobOf(row)]; } catch { return []; } })']],
    },
  }],
};
