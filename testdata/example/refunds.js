// Every morning: the refunds of a day as a file, and what they come to.
async function main(input) {
  // The report is about the day before, unless a day is given. A scheduled run is given its slot.
  const now = input.slot ? Date.parse(input.slot) : Date.now();
  const day = input.day || localTime(now - 24 * 3600 * 1000).date;
  const answer = await web.getJSON(`http://127.0.0.1:8091/refunds?day=${day}`);

  let total = 0;
  const lines = ['refund,order,amount,reason'];
  for (const refund of answer.refunds) {
    const cents = refund.amount.value;
    total += cents;
    lines.push([refund.id, refund.order, (cents / 100).toFixed(2), refund.reason].join(','));
  }
  await files.write(`refunds/${day}.csv`, lines.join('\n') + '\n');
  console.log(`${day}: ${answer.refunds.length} refunds`);
  return { day: day, refunds: answer.refunds.length, total: (total / 100).toFixed(2) };
}
