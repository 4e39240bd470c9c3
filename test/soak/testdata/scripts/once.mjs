// A key for each thing that was dealt with.
export default async function once() {
  const { alerts } = await web.getJSON('BASE/alerts');
  let fresh = 0;
  for (const alert of alerts) {
    if (await kv.get('seen:' + alert.id)) continue;
    await files.append('alerts.log', `${alert.at} ${alert.severity ?? 'info'} ${alert.text}\n`);
    await kv.set('seen:' + alert.id, true);
    fresh++;
  }
  const keys = await kv.list('seen:');
  for (const key of keys.slice(0, Math.max(0, keys.length - 12))) await kv.delete(key);
  return { fresh, kept: Math.min(12, keys.length) };
}
