async function main(input) {
  const releases = await web.getJSON('https://pkg.example.com/' + input.name + '/releases');
  const since = await kv.get('seen:' + input.name);
  const fresh = releases.filter((r) => typeof r.published === 'string' && (!since || r.published.localeCompare(since) > 0));
  for (const r of fresh) {
    await files.append('news.md', '* ' + r.published.slice(0, 10) + ' ' + input.name + ' ' + r.version + '\n');
  }
  if (fresh.length > 0) {
    const newest = fresh.map((r) => r.published).sort().pop();
    await kv.set('seen:' + input.name, newest);
  }
  return { fresh: fresh.length };
}
