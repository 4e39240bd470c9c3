// Hours for the payroll
// On the last day of the week add up everybody's hours and file them for the payroll.
async function main(input) {
  const entries = await web.getJSON(`https://time.example.test/api/v9/entries?week=${input.week}`);
  const hours = entries.reduce((sums, e) => {
    const minutes = e.duration / 60;
    sums[e.user.email] = sums[e.user.email] || { name: e.user.full_name, billable: 0, other: 0 };
    sums[e.user.email][e.billable === true ? 'billable' : 'other'] += minutes;
    return sums;
  }, {});
  const lines = Object.keys(hours).sort().map((mail) => {
    const h = hours[mail];
    return [mail.split('@')[0], h.name.trim(), (h.billable / 60).toFixed(2), (h.other / 60).toFixed(2)].join(';');
  });
  await files.write(`payroll/${input.week}.csv`, 'user;name;billable;other\n' + lines.join('\n') + '\n');
  return { week: input.week, people: lines.length, entries: entries.length };
}
// ---- outside
function outside(n) {
  const week = '2026-W' + pad(10 + n, 2);
  return { input: { week }, answers: { ['https://time.example.test/api/v9/entries?week=' + week]: times(int(3, 7), (i) => { const name = pick(people); return { id: 900 + n * 10 + i, duration: int(10, 480) * 60, billable: chance(0.6), description: text(), user: { email: email(name), full_name: name } }; }) } };
}
