const HOST = 'https://sms.example';

/** Follows next_page_uri, and hands each message to visit. */
const each = (path, visit) =>
  fetch(HOST + path, { headers: { Authorization: 'Basic ' + btoa('AC1:' + secret('SMS_TOKEN')) } })
    .then((res) => (res.ok ? res.json() : res.text().then((body) => Promise.reject(new Error(`${res.status} ${body.slice(0, 100)}`)))))
    .then(({ messages, next_page_uri: next }) => {
      messages.forEach(visit);
      return next ? each(next, visit) : undefined;
    });

const COUNTRIES = [['+49', 'DE'], ['+44', 'GB'], ['+81', 'JP'], ['+1', 'US']];
const countryOf = (number) => (COUNTRIES.find(([prefix]) => number.startsWith(prefix)) || [, 'other'])[1];

const tenThousandths = (price) => Math.round(Math.abs(parseFloat(price)) * 10000);

const bill = async ({ month, budget = 1 }) => {
  const perCountry = {};
  const failed = new Map();
  let segments = 0;
  await each(`/2010-04-01/Accounts/AC1/Messages.json?Month=${month}&PageSize=3`, (m) => {
    if (m.direction === 'inbound') return;
    if (['failed', 'undelivered'].includes(m.status)) {
      failed.set(m.error_code, [...(failed.get(m.error_code) || []), m.to]);
      return;
    }
    segments += Number(m.num_segments);
    const country = countryOf(m.to);
    const row = perCountry[country] || (perCountry[country] = { count: 0, cost: 0, last: '' });
    row.count += 1;
    row.cost += m.price === null ? 0 : tenThousandths(m.price);
    const sent = new Date(m.date_sent).toISOString();
    if (sent > row.last) row.last = sent;
  });
  const rows = Object.entries(perCountry).sort(([a], [b]) => (a < b ? -1 : 1));
  const total = rows.reduce((n, [, r]) => n + r.cost, 0) / 10000;
  const lines = rows.map(([country, r]) => `${country}\t${r.count}\t${(r.cost / 10000).toFixed(4)}\t${r.last}`);
  await files.write(`sms-${month}.tsv`, ['country\tcount\tcost\tlast', ...lines].join('\n') + '\n');
  for (const [code, numbers] of failed) {
    if (code !== 30005 && code !== 30006) continue;
    for (const number of new Set(numbers)) {
      const res = await fetch(`https://crm.example/numbers/${encodeURIComponent(number)}`, { method: 'DELETE' });
      if (!res.ok && res.status !== 404) throw new Error(`crm: ${res.status}`);
    }
  }
  if (total > budget) await notify('Texts cost more than planned', `${total.toFixed(2)} of ${budget}`);
  return { total, segments, failed: [...failed.values()].flat().length };
};

export default bill;
