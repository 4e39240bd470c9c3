async function main(input) {
  const deploys = await web.getJSON('https://ci.example.test/v1/deploys?app=' + input.app);
  const list = Array.isArray(deploys) ? deploys : (deploys.data || []);
  const live = list.filter((d) => d.state === 'live');
  const latest = live.reduce((a, b) => (a.at >= b.at ? a : b));
  const text = input.app + ' ' + latest.version + ' since ' + latest.at.slice(0, 10);
  const before = await kv.get('live:' + input.app);
  if (before !== latest.version) await notify('Deployed', text);
  await kv.set('live:' + input.app, latest.version);
  return { app: input.app, version: latest.version };
}
