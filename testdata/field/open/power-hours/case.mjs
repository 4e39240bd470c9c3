const PRICES = 'GET https://prices.strom.example/v1/dayahead';
const at = (f, minutes) => new Date(Date.parse(f.slot) + minutes * 60000).toISOString().replace('.000Z', 'Z');
const list = (make) => (f) => (f.cents.length === 0 ? { $status: 204 } : make(f));
const hourly = (f, more = (p) => p) => f.cents.flatMap((c, h) => more({ start: at(f, h * 60), price: c / 100 }));
// The quarters of an hour, the mean of which is the price of the hour.
const quarters = (f) => f.cents.flatMap((c, h) => [-150, 250, -250, 150].map((d, q) => ({ start: at(f, h * 60 + q * 15), price: (c + d + (q % 2 ? h % 5 : -(h % 5))) / 100 })));
const mean = `const whole = (quarters) => quarters.reduce((list, p) => {
  const start = p.start.slice(0, 13) + ':00:00Z';
  const hour = list.find((one) => one.start === start);
  if (hour) hour.parts.push(p.price);
  else list.push({ start, parts: [p.price] });
  return list;
}, []).map(({ start, parts }) => ({ start, price: +(parts.reduce((a, b) => a + b, 0) / parts.length).toFixed(4) }));
`;
const READ = 'const { prices, unit } = await answer.json();';
export default {
  source: 'https://github.com/evcc-io/evcc/pull/23986 and https://github.com/TheFes/cheapest-energy-hours/issues/197: from October 2025 day-ahead prices come in quarters of an hour; a set of data was replaced by another one with other names',
  says: 'Plan the boiler for the cheapest hours of tomorrow.',
  facts: (day, r) => ({ slot: `2026-03-${String(day % 31 + 1).padStart(2, '0')}T23:00:00Z`, cents: day === 3 ? [] : Array.from({ length: day % 7 === 2 ? 23 : 24 }, () => r.int(r.chance(0.2) ? -900 : 200, 16000)) }),
  input: (f) => ({ slot: f.slot }),
  api: {
    [PRICES]: list((f) => ({ area: 'AT', unit: 'EUR/MWh', prices: hourly(f) })),
    'PUT https://home.example/api/boiler/plan': { ok: true },
  },
  changes: [{
    name: 'quarters',
    happened: 'there is a price for each quarter of an hour; the price of an hour is their mean',
    tells: [['quarter', '15'], 'prices'],
    api: { [PRICES]: list((f) => ({ area: 'AT', unit: 'EUR/MWh', resolution: 'PT15M', prices: quarters(f) })) },
    right: {
      'grouped by the hour': [[READ, `${mean}const got = await answer.json();\nconst unit = got.unit;\nconst prices = got.prices.some((p) => !/:00:00/.test(p.start)) ? whole(got.prices) : got.prices;`]],
      'four at a time': [[READ, `const body = await answer.json();
const step = body.resolution === 'PT15M' ? 4 : 1;
const prices = [];
for (let i = 0; i < body.prices.length; i += step) {
  const part = body.prices.slice(i, i + step);
  prices.push({ start: part[0].start, price: Math.round(part.reduce((n, p) => n + p.price, 0) / step * 10000) / 10000 });
}`]],
      'a map of sums': [[READ, `const raw = await answer.json();
const sums = new Map();
for (const p of raw.prices) {
  const key = Math.floor(Date.parse(p.start) / 3600000) * 3600000;
  const one = sums.get(key) ?? { sum: 0, n: 0 };
  sums.set(key, { sum: one.sum + p.price, n: one.n + 1 });
}
const prices = [...sums].map(([key, { sum, n }]) => ({ start: new Date(key).toISOString().replace('.000', ''), price: Number((sum / n).toFixed(4)) }));`]],
    },
    wrong: {
      'full hours only': [['const ranked = prices', "const ranked = prices.filter((p) => p.start.endsWith(':00:00Z'))"]],
      'four times as many': [['slice(0, hours)', 'slice(0, prices.length > 24 ? hours * 4 : hours)']],
      'quarters long': [['plus({ hours: 1 })', 'plus({ minutes: prices.length > 24 ? 15 : 60 })']],
      'every fourth': [[READ, 'const body = await answer.json();\nconst prices = body.prices.length > 24 ? body.prices.filter((_, i) => i % 4 === 0) : body.prices;']],
    },
  }, {
    name: 'per-kwh',
    happened: 'prices are cents per kWh in ct, where price was euros per MWh',
    tells: ['price', 'ct'],
    api: { [PRICES]: list((f) => ({ area: 'AT', unit: 'ct/kWh', prices: hourly(f).map((p) => ({ start: p.start, ct: p.price / 10 })) })) },
    right: {
      'a helper': [['const ranked =', 'const priceOf = (p) => (p.price !== undefined ? p.price : p.ct * 10);\nconst ranked ='], ['price: p.price }', 'price: priceOf(p) }'], ['sum + p.price', 'sum + priceOf(p)']],
      'normalised by the unit': [[READ, "const body = await answer.json();\nconst prices = body.unit === 'ct/kWh' ? body.prices.map((p) => ({ start: p.start, price: +(p.ct * 10).toFixed(4) })) : body.prices;"]],
      'by ??': [['price: p.price }', 'price: p.price ?? p.ct * 10 }'], ['sum + p.price', 'sum + (p.price ?? p.ct * 10)']],
    },
    wrong: {
      'without the unit': [['price: p.price }', 'price: p.price ?? p.ct }'], ['sum + p.price', 'sum + (p.price ?? p.ct)']],
      'zero': [['price: p.price }', 'price: p.price || 0 }'], ['sum + p.price', 'sum + (p.price || 0)']],
      'only the plan': [['price: p.price }', 'price: p.price ?? p.ct * 10 }']],
      'a thousand': [['price: p.price }', 'price: p.price ?? p.ct * 1000 }'], ['sum + p.price', 'sum + (p.price ?? p.ct * 1000)']],
    },
  }, {
    name: 'other-set',
    happened: 'prices is data, a start is start_timestamp in milliseconds, price is marketprice, and there are quarters of an hour',
    tells: ['marketprice', 'start_timestamp'],
    api: { [PRICES]: list((f) => ({ object: 'list', data: quarters(f).map((p) => ({ start_timestamp: Date.parse(p.start), end_timestamp: Date.parse(p.start) + 900000, marketprice: p.price, unit: 'Eur/MWh' })) })) },
    right: {
      'converted and grouped': [[READ, `${mean}const body = await answer.json();\nconst prices = body.prices ?? whole(body.data.map((d) => ({ start: new Date(d.start_timestamp).toISOString(), price: d.marketprice })));`]],
      'by the length of each': [[READ, `const body = await answer.json();
const prices = body.prices ?? [];
for (const d of body.data ?? []) {
  const start = new Date(d.start_timestamp - d.start_timestamp % 3600000).toISOString().replace('.000Z', 'Z');
  let hour = prices.find((p) => p.start === start);
  if (!hour) prices.push(hour = { start, price: 0 });
  hour.price = +(hour.price + d.marketprice * (d.end_timestamp - d.start_timestamp) / 3600000).toFixed(6);
}`]],
      'in fours': [[READ, `const { prices: old, data } = await answer.json();
const prices = old ?? data.filter((_, i) => i % 4 === 0).map((d, i) => ({
  start: new Date(d.start_timestamp).toISOString().slice(0, 19) + 'Z',
  price: +(data.slice(i * 4, i * 4 + 4).map((q) => q.marketprice).reduce((x, y) => x + y) / 4).toFixed(4),
}));`]],
    },
    wrong: {
      'names only': [[READ, 'const body = await answer.json();\nconst prices = body.prices ?? body.data.map((d) => ({ start: new Date(d.start_timestamp).toISOString(), price: d.marketprice }));']],
      'nothing planned': [[READ, 'const { prices, unit } = await answer.json();\nif (!Array.isArray(prices)) return { planned: 0 };']],
      'first quarters': [[READ, 'const body = await answer.json();\nconst prices = body.prices ?? body.data.filter((d) => d.start_timestamp % 3600000 === 0).map((d) => ({ start: new Date(d.start_timestamp).toISOString(), price: d.marketprice }));']],
      'seconds': [[READ, 'const body = await answer.json();\nconst prices = body.prices ?? body.data.map((d) => ({ start: new Date(d.start_timestamp * 1000).toISOString(), price: d.marketprice }));']],
    },
  }],
};
