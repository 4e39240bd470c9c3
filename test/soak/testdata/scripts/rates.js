const { toObject } = require('kintsugi:xml');
async function main() {
  const doc = toObject(await fetch('BASE/rates.xml').then((r) => r.text()), { arrays: ['rate'] });
  const day = doc.rates['@day'];
  const rates = {};
  for (const rate of doc.rates.rate) rates[rate['@currency']] = Number(rate['#text'] ?? rate['@value']);
  await kv.set('rates', { day, rates });
  await web.postJSON('BASE/sheet/append', { values: [[day, rates.USD ?? '', rates.GBP ?? '', rates.JPY ?? '']] });
  return rates;
}
