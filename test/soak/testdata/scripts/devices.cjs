async function run() {
  const { devices } = await web.getJSON('BASE/devices');
  const readings = await Promise.all(devices.map((id) => web.getJSON('BASE/devices/' + id, { timeoutMs: 700 })));
  const byId = {};
  devices.forEach((id, i) => { byId[id] = readings[i].battery; });
  await kv.set('battery', byId);
  for (let i = 0; i < devices.length; i++) {
    if (readings[i].firmware && readings[i].firmware !== '2.1') {
      const patch = await fetch('BASE/devices/' + devices[i], { method: 'PATCH', body: JSON.stringify({ update: true }) });
      if (!patch.ok) throw new Error(devices[i] + ': ' + patch.status);
    }
  }
  return byId;
}
module.exports = { run };
