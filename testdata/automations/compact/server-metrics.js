// Disks that fill up
// Every hour look at the disks, and open a ticket for one that will be full within a week.
async function main() {
  const reply = await web.postJSON('https://metrics.example.test/api/query', { query: 'disk_used_percent', range: '24h' }, { effect: 'read' });
  if (reply.status !== 'success') throw new Error('query failed: ' + reply.status);
  const open = new Set(await kv.list('ticket:'));
  let opened = 0;
  for (const series of reply.data.result) {
    const points = series.values.map(([at, value]) => [at, parseFloat(value)]);
    const [first, last] = [points[0], points[points.length - 1]];
    const perDay = ((last[1] - first[1]) / (last[0] - first[0])) * 86400;
    const days = perDay > 0 ? (100 - last[1]) / perDay : Infinity;
    const key = 'ticket:' + series.metric.instance + series.metric.mountpoint;
    if (days < 7 && !open.has(key)) {
      const ticket = await web.postJSON('https://tickets.example.test/api/tickets', { title: `${series.metric.instance.split(':')[0]} ${series.metric.mountpoint} is full in ${days.toFixed(1)} days` });
      await kv.set(key, true);
      opened += 1;
    }
  }
  return { disks: reply.data.result.length, opened };
}
// ---- outside
function outside(n) {
  const t = Date.parse(day(n) + 'T00:00:00Z') / 1000;
  return { answers: { 'POST https://metrics.example.test/api/query': { status: 'success', data: { resultType: 'matrix', result: times(int(2, 4), (i) => { const from = int(40, 85); return { metric: { instance: 'host' + (n + i) + ':9100', mountpoint: pick(['/', '/var', '/home']) }, values: times(3, (j) => [t + j * 28800, (from + j * cents(0, 3)).toFixed(2)]) }; }) } } } };
}
