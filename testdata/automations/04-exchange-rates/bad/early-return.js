// Watches exchange rates and says so when one has moved more than a threshold since the last look.
async function main({ base, watch, percent }) {
  const latest = await web.getJSON('https://api.exchangerate.host/latest?base=' + base + '&symbols=' + watch.join(','));
  if (!latest.success) return { date: '', rates: {}, moved: [] };
  const previous = (await kv.get('rates:' + base)) || {};

  const current = {};
  const moved = [];
  watch.forEach((code) => {
    const rate = latest.rates[code];
    current[code] = rate.toFixed(4);
    const before = previous[code];
    if (!before) return;
    const change = (rate / before - 1) * 100;
    if (Math.abs(change) >= percent) {
      moved.push(code + ' ' + (change > 0 ? '+' : '') + change.toFixed(2) + ' %');
    }
  });

  await kv.set('rates:' + base, current);
  await files.append('rates.csv', [latest.date].concat(watch.map((code) => current[code])).join(',') + '\n');
  if (moved.length > 0) await notify('Exchange rates', moved.join('\n'));
  return { date: latest.date, rates: current, moved: moved };
}
