// The cheapest hours
// Each evening find the three cheapest hours of tomorrow and plan the car's charging.
async function main() {
  const market = await web.getJSON('https://power.example.test/prices/tomorrow');
  const hours = market.prices.map((p) => ({ at: p.start * 1000, price: p.price.value }));
  if (hours.length < 3) throw new Error('prices are incomplete');
  const cheapest = [...hours].sort((a, b) => a.price - b.price).slice(0, 3).sort((a, b) => a.at - b.at);
  const plan = cheapest.map((h) => new Date(h.at).toISOString().slice(11, 16));
  await web.postJSON('https://car.example.test/api/charging', { slots: plan, unit: market.unit.split('/')[0] }, { method: 'PUT' });
  const average = hours.reduce((sum, h) => sum + h.price, 0) / hours.length;
  await files.append('power.csv', `${new Date(hours[0].at).toISOString().slice(0, 10)},${average.toFixed(3)},${plan.join(' ')}\n`);
  return { plan, average: Number(average.toFixed(3)) };
}
// ---- outside
function outside(n) {
  const from = Date.parse(day(n + 1) + 'T00:00:00Z') / 1000;
  return { answers: { 'https://power.example.test/prices/tomorrow': { unit: 'EUR/MWh', area: 'north', prices: times(8, (i) => ({ start: from + i * 10800, price: { value: cents(20, 180), vat: 0.2 } })) } } };
}
