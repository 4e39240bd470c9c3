import { parse } from 'kintsugi:html';

// New jobs from the page of the university, by e-mail to those who look for one.
const PAGE = 'https://jobs.uni.example/stellen';

const readPage = async (n) => {
  const answer = await web.fetch(`${PAGE}?seite=${n}`);
  if (answer.status === 404) return null;
  if (answer.status !== 200) throw new Error(`page ${n}: ${answer.status}`);
  return parse(answer.body);
};

const cell = (row, n) => row.querySelectorAll('td')[n].textContent.replace(/\s+/g, ' ').trim();
const germanDate = (text) => {
  const [, d, m, y] = text.match(/(\d{1,2})\.(\d{1,2})\.(\d{4})/);
  return [y, m.padStart(2, '0'), d.padStart(2, '0')].join('-');
};

const jobOf = (row) => {
  const link = row.querySelector('td a');
  return {
    id: link.getAttribute('href').match(/(\d+)(?:\.html)?$/)[1],
    title: link.textContent.trim(),
    institute: cell(row, 1),
    pay: cell(row, 2).match(/E\s?\d+[a-z]?/)?.[0].replace(' ', '') ?? null,
    until: germanDate(cell(row, 3)),
  };
};

const listJobs = async () => {
  const jobs = [];
  for (let n = 1; n < 10; n++) {
    const doc = await readPage(n);
    if (doc === null) break;
    jobs.push(...doc.querySelectorAll('table.stellen tr').filter((row) => row.querySelector('td') !== null).map(jobOf));
    if (!doc.querySelector('a.weiter')) break;
  }
  return jobs;
};

export const handler = async ({ today, people = [{ mail: 'ann@x.example', words: ['informatik', 'daten'], minPay: 9 }, { mail: 'bo@x.example', words: ['labor', 'physik'], minPay: 5 }] }) => {
  const seen = (await kv.get('seen')) ?? {};
  const jobs = (await listJobs()).filter((job) => job.until >= today);
  const fresh = jobs.filter((job) => !(job.id in seen));
  let mails = 0;
  for (const { mail, words, minPay } of people) {
    const fits = fresh.filter((job) => words.some((w) => `${job.title} ${job.institute}`.toLowerCase().includes(w)) && (job.pay === null || parseInt(job.pay.slice(1), 10) >= minPay));
    if (fits.length === 0) continue;
    await web.postJSON('https://mail.example/send', { to: mail, subject: `${fits.length} new`, text: fits.map((j) => `${j.title}, ${j.institute}, ${j.pay ?? 'pay unknown'}, until ${j.until}\n${PAGE}/${j.id}`).join('\n\n') });
    mails++;
  }
  await kv.set('seen', Object.fromEntries(jobs.map((job) => [job.id, job.until])));
  return { open: jobs.length, fresh: fresh.length, mails };
};

export default handler;
