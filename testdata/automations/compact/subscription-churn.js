// Who leaves
// Each day note who cancelled and why, and the monthly money that goes with them.
async function main(input) {
  let lost = 0;
  const reasons = {};
  const names = [];
  let cursor = '';
  do {
    const page = await web.getJSON(`https://subs.example.test/v1/events?type=cancelled&day=${input.day}${cursor && '&starting_after=' + cursor}`);
    for (const event of page.data) {
      const { subscription, customer } = event.object;
      lost += subscription.plan.amount * subscription.quantity;
      reasons[event.object.cancellation.reason] = (reasons[event.object.cancellation.reason] || 0) + 1;
      names.push(customer.name.trim());
    }
    cursor = page.has_more ? page.data[page.data.length - 1].id : '';
  } while (cursor);
  await files.append('churn.csv', [input.day, names.length, (lost / 100).toFixed(2)].join(',') + '\n');
  if (names.length > 3) await notify('Many cancellations', names.sort().join(', '));
  return { cancelled: names.length, lost: (lost / 100).toFixed(2), reasons };
}
// ---- outside
function outside(n) {
  const answers = {}, pages = int(1, 2);
  let after = '';
  times(pages, (p) => {
    const data = times(int(1, 3), (i) => ({ id: 'evt_' + n + p + i, created: Date.parse(day(n)) / 1000 + i, object: { subscription: { id: 'sub_' + n + i, quantity: int(1, 3), plan: { amount: pick([900, 1900, 4900]), interval: 'month' } }, customer: { id: 'cus_' + i, name: pick(people) }, cancellation: { reason: pick(['too_expensive', 'unused', 'other']), comment: null } } }));
    answers[`https://subs.example.test/v1/events?type=cancelled&day=${day(n)}${after}`] = { object: 'list', has_more: p + 1 < pages, data };
    after = '&starting_after=' + data[data.length - 1].id;
  });
  return { input: { day: day(n) }, answers };
}
