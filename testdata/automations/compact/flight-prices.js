// A cheap flight
// Twice a day look for a flight below my limit and tell me about the cheapest.
async function main(input) {
  const search = await web.getJSON(`https://fly.example.test/offers?from=${input.from}&to=${input.to}`);
  const offers = search.data.offers.map((offer) => {
    const legs = offer.itineraries[0].segments;
    return {
      price: Number(offer.price.total),
      route: [legs[0].departure.iataCode, ...legs.map((l) => l.arrival.iataCode)].join('-'),
      leaves: legs[0].departure.at.replace('T', ' '),
      airline: search.dictionaries.carriers[legs[0].carrierCode].trim(),
    };
  });
  const best = offers.sort((a, b) => a.price - b.price)[0];
  const lowest = await kv.get('lowest:' + input.to);
  if (best.price < input.limit && (lowest === null || best.price < lowest)) {
    await kv.set('lowest:' + input.to, best.price);
    await notify(`${best.route} for ${best.price.toFixed(2)}`, `${best.airline}, ${best.leaves}`);
  }
  await files.append('prices.csv', `${input.to},${best.price.toFixed(2)},${best.airline}\n`);
  return best;
}
// ---- outside
function outside(n) {
  const to = pick(['LIS', 'OSL', 'VIE']);
  return { input: { from: 'GVA', to, limit: 220 }, answers: { ['https://fly.example.test/offers?from=GVA&to=' + to]: { meta: { count: 3 }, data: { offers: times(3, (i) => ({ id: String(i + 1), price: { currency: 'EUR', total: cents(90, 400).toFixed(2) }, itineraries: [{ duration: 'PT' + int(2, 9) + 'H', segments: (chance(0.5) ? ['ZRH', to] : [to]).map((code, j, all) => ({ carrierCode: pick(['XA', 'YB']), number: String(int(100, 999)), departure: { iataCode: j ? all[j - 1] : 'GVA', at: day(n + 30) + 'T' + pad(8 + j * 3, 2) + ':05:00' }, arrival: { iataCode: code, at: day(n + 30) + 'T' + pad(10 + j * 3, 2) + ':45:00' } })) }] })) }, dictionaries: { carriers: { XA: 'Xanadu Air', YB: 'Yellow Bird' } } } } };
}
