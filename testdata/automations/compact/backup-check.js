// Are the backups there
// Every morning check that each machine has a backup of the last day that is not much smaller than before.
async function main() {
  const { backups } = await web.getJSON('https://backup.example.test/api/v1/backups?latest=true');
  const before = (await kv.get('sizes')) || {};
  const problems = [];
  for (const b of backups) {
    const hours = (Date.now() - Date.parse(b.finished_at)) / 3600000;
    if (Number.isNaN(hours)) throw new Error(`backup of ${b.host} has no time`);
    if (hours > 26) problems.push(`${b.host.name}: ${Math.round(hours)} hours old`);
    if (b.size_bytes < (before[b.host.name] || 0) / 2) problems.push(`${b.host.name}: shrunk to ${(b.size_bytes / 1e6).toFixed(0)} MB`);
    before[b.host.name] = b.size_bytes;
  }
  await kv.set('sizes', before);
  if (problems.length) await notify('Backups', problems.join('\n'));
  await files.append('backups.log', `${new Date().toISOString().slice(0, 10)} ${backups.length} ok=${backups.length - problems.length}\n`);
  return { machines: backups.length, problems };
}
// ---- outside
function outside(n) {
  return { answers: { 'https://backup.example.test/api/v1/backups?latest=true': { backups: ['web', 'mail', 'files'].map((name) => ({ id: 'b' + n + name, finished_at: day(chance(0.2) ? n - 1 : n + 1) + 'T03:0' + int(0, 9) + ':00Z', size_bytes: int(1, 9) * 100000000, host: { name: name + '-01', zone: 'a' } })) } } };
}
