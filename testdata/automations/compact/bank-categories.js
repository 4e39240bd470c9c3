// Where the money went
// After each bank day add the expenses to their categories and warn if a budget is used up.
const rules = [[/market|bakery/i, 'food'], [/rail|bus|taxi/i, 'travel'], [/./, 'other']];

async function main(input) {
  const { transactions } = await web.getJSON('https://bank.example.test/accounts/77/transactions?date=' + input.day);
  const month = (await kv.get('month:' + input.day.slice(0, 7))) || {};
  let spent = 0;
  transactions.booked.forEach((t) => {
    const amount = parseFloat(t.transactionAmount.amount);
    if (amount >= 0) return;
    const [, category] = rules.find(([pattern]) => pattern.test(t.creditorName.trim()));
    month[category] = Math.round(((month[category] || 0) - amount) * 100) / 100;
    spent -= amount;
  });
  await kv.set('month:' + input.day.slice(0, 7), month);
  for (const [category, sum] of Object.entries(month)) {
    if (sum > 400) await notify('Budget', `${category}: ${sum.toFixed(2)}`);
  }
  return { day: input.day, spent: Number(spent.toFixed(2)), month };
}
// ---- outside
function outside(n) {
  return { input: { day: day(n) }, answers: { ['https://bank.example.test/accounts/77/transactions?date=' + day(n)]: { account: { iban: 'XX00 7777' }, transactions: { booked: times(int(2, 5), (i) => ({
    transactionId: 't' + n + i, bookingDate: day(n), creditorName: pick(cities) + ' ' + pick(['market', 'bakery', 'rail', 'cinema', 'taxi']), transactionAmount: { currency: 'EUR', amount: (chance(0.1) ? '' : '-') + cents(5, 140).toFixed(2) } })), pending: [] } } } };
}
