const WANTED = ['USD', 'GBP', 'JPY', 'CHF'];

function convert(eur, rate) {
  return Math.round(eur * rate * 100) / 100;
}

module.exports = async function (input) {
  const [rates, catalogue] = await Promise.all([
    fetch('https://rates.example/latest?base=EUR').then((r) => r.json()),
    fetch('https://shop.example/catalogue').then((r) => r.json()),
  ]);
  const table = rates.rates;
  const lines = catalogue.items.map(function (item) {
    const prices = {};
    for (const code of WANTED) {
      prices[code] = convert(item.price, table[code]);
    }
    return { sku: item.sku, prices };
  });
  const sent = await fetch('https://shop.example/prices', { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ date: rates.date, lines }) });
  if (!sent.ok) throw new Error('prices were not taken: ' + sent.status);
  await kv.set('rates/' + rates.date, WANTED.reduce((o, c) => Object.assign(o, { [c]: table[c] }), {}));
  return lines.length;
};
