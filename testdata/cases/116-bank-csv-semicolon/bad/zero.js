async function main(input) {
  const text = await files.read('in/' + input.file);
  const rows = text.trim().split('\n').slice(1).map((line) => line.split(','));
  let sum = 0;
  const big = [];
  for (const [date, payee, amount] of rows) {
    const value = parseFloat((amount || '0').trim());
    sum += value;
    if (Math.abs(value) >= 1000) big.push(date + ' ' + payee + ' ' + value.toFixed(2));
  }
  if (big.length > 0) await notify('Large bookings', big.join('\n'));
  await kv.set('balance:' + input.file, sum.toFixed(2));
  return { rows: rows.length, sum: sum.toFixed(2) };
}
